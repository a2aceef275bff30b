// Data breakpoints on what no shader writes: the pixel whose history is recorded, and memory that commands write.
#include <algorithm>

#include "icd/debug/debugger.h"
#include "icd/debug/json.h"
#include "icd/debug/numbers.h"
#include "icd/debug/session.h"
#include "icd/debug/transfer_history.h"

namespace etzel::icd {
namespace {

/// Whether a rule stops: its hits are counted.
bool hits(const DataRule& d) { return hitStops(d.rule.hits, d.rule.count->fetch_add(1) + 1); }

/// The event of a command that has written memory, as histories have those of images.
std::string transferEvent(const char* command, const std::string& what) {
  return JsonObject().text("event", "transfer").text("command", command).text("wrote", what).raw("images", "[]").done();
}

}  // namespace

PastShader showWrite(const std::string& event, std::span<const TouchedImage> images, std::atomic<uint32_t>* progress) {
  return debugging() ? Session::get().showWrite(event, images, progress) : PastShader::On;
}
void showMemoryWrite(const char* command, const void* at, uint64_t bytes, std::atomic<uint32_t>* progress) {
  if (debugging()) Session::get().showMemoryWrite(command, reinterpret_cast<uint64_t>(at), bytes, progress);
}
void showTexelWrite(const char* command, const WrittenTexels& texels, std::atomic<uint32_t>* progress) {
  if (debugging()) Session::get().showTexelWrite(command, texels, progress);
}

PastShader Session::showWrite(const std::string& event, std::span<const TouchedImage> images,
                              std::atomic<uint32_t>* progress) {
  if (!attached_.load(std::memory_order_acquire)) return PastShader::On;
  const Wanted& w = *wanted();
  Reason why{"data breakpoint", "", 0, {}};
  for (const DataRule& d : w.data) {
    if (!d.pixel) continue;
    const auto written = [&](const TouchedImage& image) { return d.pixel->isWritten(image); };
    if (std::none_of(images.begin(), images.end(), written) || !hits(d)) continue;
    why.rules.push_back(d.rule.id);
    why.text = d.pixel->description() + (d.pixel->mask ? " has changed" : " has been written");
  }
  if (why.rules.empty()) {
    if (!w.filter.maskChanges || std::none_of(images.begin(), images.end(), maskChanged)) return PastShader::On;
    why = {"fragment mask", "the fragment mask has changed", 0, {}};
  }
  return showPast(event, progress, &why);
}

void Session::showMemoryWrite(const char* command, uint64_t at, uint64_t bytes, std::atomic<uint32_t>* progress) {
  if (!attached_.load(std::memory_order_acquire)) return;
  Reason why{"data breakpoint", "it has written what is watched", 0, {}};
  for (const DataRule& d : wanted()->data)
    if (d.memory && overlaps(*d.memory, at, bytes) && hits(d)) why.rules.push_back(d.rule.id);
  if (!why.rules.empty()) showPast(transferEvent(command, std::to_string(bytes) + " bytes"), progress, &why);
}

void Session::showTexelWrite(const char* command, const WrittenTexels& texels, std::atomic<uint32_t>* progress) {
  if (!attached_.load(std::memory_order_acquire)) return;
  Reason why{"data breakpoint", "it has written what is watched", 0, {}};
  for (const DataRule& d : wanted()->data)
    if (d.memory && d.memory->texel && texels.hold(*d.memory->texel) && hits(d)) why.rules.push_back(d.rule.id);
  if (!why.rules.empty()) showPast(transferEvent(command, "a part of an image"), progress, &why);
}

std::string Session::recordFor(const PixelPlace& place) {
  if (const auto subject = History::get().subject()) {
    if (place.isSamePixel(*subject)) return {};
    return "pixel (" + std::to_string(subject->x) + ", " + std::to_string(subject->y) +
           ") is recorded, and one at a time is watched: choose with $history X,Y";
  }
  HistorySubject subject;
  subject.x = place.x, subject.y = place.y, subject.layer = place.layer;
  subject.hasPixel = true, subject.frame.reset();
  recordsHistory_.store(true);
  History::get().record(&subject);
  return {};
}

/// "color 0(3, 4)" and the like; or an attachment or image of the recorded pixel, and "" for all of it, "2" for a
/// sample, "mask". \returns {"id","description"}
Session::Body Session::watchablePixel(const Words& words) {
  const auto wrong = [](std::string what) { return Error{ErrorCode::InvalidArgument, std::move(what)}; };
  PixelPlace place;
  if (words.size() == 1) {
    auto named = PixelPlace::named(words[0]);
    if (!named) return named.error();
    place = std::move(*named);
  } else {
    const auto subject = History::get().subject();
    if (words.size() != 2 || !subject) return wrong("no pixel is recorded");
    place.x = subject->x, place.y = subject->y, place.layer = subject->layer;
    place.subject = words[0], place.mask = words[1] == "mask";
    const auto sample = numbersIn<uint32_t>(words[1], ',');
    if (sample && sample->size() == 1 && (*sample)[0] < raster::kMaxSamples) place.sample = (*sample)[0];
    if (!place.mask && !place.sample && !words[1].empty()) return wrong("'" + words[1] + "' is no part of a pixel");
  }
  return JsonObject().text("id", place.id()).text("description", place.description()).done();
}

}  // namespace etzel::icd
