#include "icd/debug/history.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "icd/debug/debugger.h"
#include "icd/debug/history_text.h"
#include "icd/debug/numbers.h"
#include "icd/debug/past_shader.h"
#include "icd/debug/shader_trace.h"
#include "raster/attachment/pixel_contents.h"
#include "runtime/base/log.h"

namespace etzel::icd {
namespace {

/// Events that are kept for a debugger; older ones go.
constexpr size_t kMostEvents = 1 << 16;

std::unique_ptr<const HistorySubject> subjectOfEnvironment() {
  const char* text = secure_getenv("ETZEL_HISTORY");
  if (!text) return nullptr;
  auto subject = std::make_unique<HistorySubject>();
  bool good = true;
  for (std::string_view rest = text; good && !rest.empty();) {
    const size_t end = std::min(rest.find(';'), rest.size());
    good = subject->add(std::string(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (good && subject->hasPixel) return subject;
  logMessage(LogLevel::Error, "ETZEL_HISTORY=%s means nothing: pixel=X,Y is expected, and what else there may be",
             text);
  return nullptr;
}

/// A view of the first level of one plane.
tex::ImageView planeView(const Image& image, const mem::PlaneLayout& plane) {
  tex::ImageView view;
  view.layout = &image.layout, view.plane = &plane;
  view.memory = image.data;
  view.layerCount = image.layout.arrayLayers, view.samples = image.layout.samples;
  return view;
}

raster::PixelContents contentsOf(const Image& image, const mem::PlaneLayout& plane, const HistorySubject& at) {
  if (!image.data || plane.blockWidth > 1 || plane.blockHeight > 1) return {};
  const tex::ImageView view = planeView(image, plane);
  return readPixel(raster::surfaceOf(&view), static_cast<int32_t>(at.x), static_cast<int32_t>(at.y), at.layer);
}

}  // namespace

bool HistorySubject::add(const std::string& word) {
  const size_t equals = word.find('=');
  if (equals == std::string::npos) return false;
  const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
  if (key == "image") return image = value, !value.empty();
  if (key == "frame" && value == "all") return frame.reset(), true;
  const auto read = numbersIn<uint32_t>(value, ',');
  if (!read || read->size() != (key == "pixel" ? 2u : 1u)) return false;
  const std::vector<uint32_t>& numbers = *read;
  if (key == "pixel") {
    x = numbers[0], y = numbers[1];
    return hasPixel = true;
  }
  if (key == "sample") return sample = numbers[0], numbers[0] < raster::kMaxSamples;
  if (key == "layer") return layer = numbers[0], true;
  if (key == "frame") return frame = numbers[0], true;
  return false;
}

bool HistorySubject::admits(const ListedImage* listed, const std::string& attachment) const {
  if (image.empty()) {
    constexpr VkImageUsageFlags kDrawn =
        VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    return !attachment.empty() || (listed && (listed->image->usage | listed->image->stencilUsage) & kDrawn);
  }
  if (image == attachment) return true;
  return listed && (image == listed->name || image == "image " + std::to_string(listed->number));
}

bool historyPossible() {
  static const bool possible = secure_getenv("ETZEL_HISTORY") || debugging() || tracedMask();
  return possible;
}

History& History::get() {
  static History* const history = new History;
  return *history;
}

History::History() {
  if (auto subject = subjectOfEnvironment()) {
    asked_ = subject.get();
    kept_.push_back(std::move(subject));
    choose();
    const char* path = secure_getenv("ETZEL_HISTORY_FILE");
    file_ = path ? std::fopen(path, "ae") : stderr;
    if (!file_) logMessage(LogLevel::Error, "ETZEL_HISTORY_FILE=%s cannot be written: %s", path, std::strerror(errno));
  } else if (const auto pixel = tracedMask()) {
    HistorySubject recorded;
    recorded.x = pixel->first, recorded.y = pixel->second;
    recorded.frame.reset();
    record(&recorded);
  }
}

void History::choose() {
  wanted_.store(asked_ && asked_->frame.value_or(frame_) == frame_ ? asked_ : nullptr, std::memory_order_release);
}

void History::record(const HistorySubject* subject) {
  std::lock_guard lock(mutex_);
  held_.clear();
  dropped_ += events_.size();
  events_.clear();
  asked_ = nullptr;
  if (subject) {
    kept_.push_back(std::make_unique<const HistorySubject>(*subject));
    asked_ = kept_.back().get();
  }
  choose();
}

std::optional<HistorySubject> History::subject() {
  std::lock_guard lock(mutex_);
  return asked_ ? std::optional(*asked_) : std::nullopt;
}

const std::string& History::write(JsonObject head, const std::vector<TouchedImage>& images) {
  head.number("number", dropped_ + events_.size()).number("frame", frame_);
  JsonArray all;
  for (const TouchedImage& image : images) all.add(imageText(image));
  events_.push_back(head.raw("images", all.done()).done());
  if (file_) {
    std::fprintf(file_, "%s\n", events_.back().c_str());
    std::fflush(file_);
  }
  if (events_.size() > kMostEvents) {
    events_.erase(events_.begin(), events_.begin() + kMostEvents / 2);
    dropped_ += kMostEvents / 2;
  }
  return events_.back();
}

std::string History::add(JsonObject head, const std::vector<TouchedImage>& images) {
  std::lock_guard lock(mutex_);
  std::vector<TouchedImage> elsewhere;
  for (const TouchedImage& image : images) {
    if (image.image == ~0ull) continue;
    const auto held = std::find_if(held_.begin(), held_.end(),
                                   [&](const Held& h) { return h.image == image.image && h.aspect == image.aspect; });
    if (held == held_.end()) {
      held_.push_back({image.image, image.aspect, image});
      continue;
    }
    if (!(held->last.after == image.before)) {
      TouchedImage change = image;
      change.details.clear();
      change.before = held->last.after, change.after = image.before;
      elsewhere.push_back(std::move(change));
    }
    held->last = image;
  }
  if (!elsewhere.empty()) write(JsonObject().text("event", "elsewhere"), elsewhere);
  return write(std::move(head), images);
}

void History::forgetContents(uint64_t image, VkImageAspectFlags aspect) {
  std::lock_guard lock(mutex_);
  std::erase_if(held_, [&](const Held& h) { return h.image == image && h.aspect == aspect; });
}

void History::dispatched(uint32_t number, std::atomic<uint32_t>* progress) {
  const HistorySubject* const at = wanted();
  if (!at) return;
  std::unique_lock lock(mutex_);
  std::vector<TouchedImage> stored;
  for (Held& held : held_) {
    TouchedImage now = held.last;
    now.before = now.after = held.last.after;
    withImage(held.image, [&](const Image& image) {
      if (image.usage & VK_IMAGE_USAGE_STORAGE_BIT)
        now.after = contentsOf(image, image.layout.planeOf(held.aspect), *at);
    });
    if (now.before == now.after) continue;
    now.attachment.clear(), now.details.clear();
    held.last = now;
    stored.push_back(std::move(now));
  }
  if (stored.empty()) return;
  const std::string told = write(JsonObject().text("event", "dispatch").number("dispatch", number), stored);
  lock.unlock();
  showWrite(told, stored, progress);
}

void History::frameDone() {
  std::lock_guard lock(mutex_);
  ++frame_;
  choose();
}

std::vector<std::string> History::events(uint64_t first, uint64_t* count) {
  std::lock_guard lock(mutex_);
  *count = dropped_ + events_.size();
  const uint64_t from = std::clamp<uint64_t>(first, dropped_, *count) - dropped_;
  return {events_.begin() + static_cast<ptrdiff_t>(from), events_.end()};
}

std::vector<TouchedImage> readImage(const ListedImage& listed, const HistorySubject& at, VkImageAspectFlags aspects) {
  std::vector<TouchedImage> all;
  const mem::ImageLayout& layout = listed.image->layout;
  for (uint32_t i = 0; i < layout.planeCount; ++i) {
    const mem::PlaneLayout& plane = layout.plane[i];
    if (!(plane.aspect & aspects)) continue;
    TouchedImage image;
    image.image = listed.number, image.name = listed.name;
    image.aspect = plane.aspect, image.format = plane.format;
    image.before = contentsOf(*listed.image, plane, at);
    if (image.before) all.push_back(std::move(image));
  }
  return all;
}

void readAfter(const ListedImage& listed, const HistorySubject& at, std::vector<TouchedImage>& images) {
  for (TouchedImage& image : images)
    image.after = contentsOf(*listed.image, listed.image->layout.planeOf(image.aspect), at);
}

}  // namespace etzel::icd
