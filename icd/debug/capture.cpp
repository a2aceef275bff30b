#include "icd/debug/capture.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/base/log.h"
#include "runtime/msaa/capture_file.h"
#include "runtime/msaa/depth_surface.h"

namespace etzel::icd {
namespace {

constexpr size_t kPage = 4096;

struct Settings {
  std::string folder;  ///< empty: off
  uint32_t frame = 0;
};

const Settings& settings() {
  static const Settings* s = [] {
    auto* made = new Settings;
    if (const char* folder = std::getenv("ETZEL_CAPTURE")) made->folder = folder;
    if (const char* frame = std::getenv("ETZEL_CAPTURE_FRAME"))
      made->frame = uint32_t(std::strtoul(frame, nullptr, 10));
    return made;
  }();
  return *s;
}

std::atomic<uint32_t> frames{0}, passes{0};

bool isZero(const std::byte* p, size_t bytes) { return p[0] == std::byte{0} && !std::memcmp(p, p + 1, bytes - 1); }

/// Bytes of [p, p + bytes) in pages that the system has given memory.
uint64_t residentBytes(const std::byte* p, size_t bytes) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(p) / kPage * kPage;
  const uintptr_t end = reinterpret_cast<uintptr_t>(p + bytes);
  std::vector<unsigned char> present((end - begin + kPage - 1) / kPage);
  if (mincore(reinterpret_cast<void*>(begin), end - begin, present.data()) != 0) return 0;
  uint64_t pages = 0;
  for (unsigned char page : present) pages += page & 1;
  return pages * kPage;
}

/// A file that is written front to back, zeros as holes.
class SparseFile {
 public:
  explicit SparseFile(const std::string& path)
      : fd_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {}
  ~SparseFile() {
    if (fd_ >= 0) close(fd_);
  }
  SparseFile(const SparseFile&) = delete;
  SparseFile& operator=(const SparseFile&) = delete;

  void write(const std::byte* p, size_t bytes) {
    for (size_t at = 0; at < bytes && ok(); at += kPage) {
      const size_t part = std::min(kPage, bytes - at);
      if (!isZero(p + at, part) && pwrite(fd_, p + at, part, off_t(size_ + at)) != ssize_t(part)) failed_ = true;
    }
    size_ += bytes;
  }
  bool finish() { return ok() && ftruncate(fd_, off_t(size_)) == 0; }
  uint64_t size() const { return size_; }

 private:
  bool ok() const { return fd_ >= 0 && !failed_; }
  int fd_;
  uint64_t size_ = 0;
  bool failed_ = false;
};

std::string pathOf(const msaa::CaptureHeader& h, const char* what) {
  char name[96];
  std::snprintf(name, sizeof name, "/frame%04u-pass%03u-%s-layer%u.etzsurf", h.frame, h.pass, what, h.layer);
  return settings().folder + name;
}

void writeLayer(const tex::ImageView& view, uint32_t layer, msaa::CaptureHeader h, const char* what) {
  const mem::PlaneLayout& plane = *view.plane;
  if (plane.tiles.offset) msaa::expandLayer(*view.layout, plane, view.memory, layer);  // depth and stencil: as texels
  const msaa::FragmentSurface s(*view.layout, plane, view.memory, layer);
  std::memcpy(h.magic, msaa::kCaptureMagic, sizeof h.magic);
  h.format = uint32_t(plane.aspect == VK_IMAGE_ASPECT_COLOR_BIT ? view.format : plane.format);
  h.layer = layer;
  h.width = s.width, h.height = s.height, h.samples = s.samples;
  h.rowPitch = s.rowPitch, h.texelBytes = s.texelBytes, h.tilesX = s.tilesX, h.tilesY = s.tilesY;
  h.edgeOffset = s.edgeOffset, h.maskOffset = s.maskOffset;
  h.planeOffset = kPage, h.planeBytes = (uint64_t{s.rowPitch} * s.height + kPage - 1) / kPage * kPage;
  h.metaOffset = h.planeOffset + h.planeBytes * s.samples;
  h.metaBytes = s ? plane.fragments.layerPitch : 0;
  const size_t bytes = size_t{s.rowPitch} * s.height;
  for (uint32_t k = 0; k < s.samples; ++k) h.residentBytes += residentBytes(s.at(0, 0, k), bytes);
  if (h.metaBytes) h.residentBytes += residentBytes(s.meta, h.metaBytes);

  const std::string path = pathOf(h, what);
  SparseFile file(path);
  const std::vector<std::byte> padding(kPage);
  auto pad = [&] { file.write(padding.data(), (kPage - file.size() % kPage) % kPage); };
  file.write(reinterpret_cast<const std::byte*>(&h), sizeof h);
  pad();
  for (uint32_t k = 0; k < s.samples; ++k) {
    file.write(s.at(0, 0, k), bytes);
    pad();
  }
  if (h.metaBytes) file.write(s.meta, h.metaBytes);
  if (!file.finish()) logMessage(LogLevel::Warning, "ETZEL_CAPTURE: can't write %s", path.c_str());
}

void writeView(const tex::ImageView* view, const raster::Attachments& a, msaa::CaptureHeader h, const char* what) {
  if (!view || !view->memory || view->samples < 2) return;
  for (uint32_t i = 0; i < std::min(a.layers, view->layerCount); ++i)
    if (!a.viewMask || (a.viewMask >> i & 1)) writeLayer(*view, view->baseLayer + i, h, what);
}

}  // namespace

bool capturing() {
  static const bool on = !settings().folder.empty();
  return on;
}

void captureFrameDone() {
  frames.fetch_add(1);
  passes.store(0);
}

void captureSubpass(const raster::Attachments& a) {
  if (frames.load() != settings().frame || a.samples < 2) return;
  msaa::CaptureHeader h{};
  h.frame = frames.load(), h.pass = passes.fetch_add(1);
  for (uint32_t i = 0; i < a.colorCount; ++i) {
    h.attachment = i;
    writeView(a.color[i], a, h, ("color" + std::to_string(i)).c_str());
  }
  h.attachment = ~0u;
  writeView(a.depth, a, h, "depth");
  writeView(a.stencil, a, h, "stencil");
}

}  // namespace etzel::icd
