#include "icd/debug/capture.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "icd/object/aliased_memory.h"
#include "runtime/base/fd.h"
#include "runtime/base/log.h"
#include "runtime/msaa/capture_file.h"
#include "runtime/msaa/depth_surface.h"

namespace etzel::icd {
namespace {

constexpr size_t kPage = 4096;  // of files: what zeros fill is left out of them

struct Settings {
  std::string folder;  ///< empty: off
  uint32_t frame = 0;
};

const Settings& settings() {
  static const Settings* s = [] {
    auto made = std::make_unique<Settings>();
    if (const char* folder = secure_getenv("ETZEL_CAPTURE")) made->folder = folder;
    if (const char* frame = secure_getenv("ETZEL_CAPTURE_FRAME"))
      made->frame = uint32_t(std::strtoul(frame, nullptr, 10));
    return made.release();
  }();
  return *s;
}

std::atomic<uint32_t> frames{0}, passes{0};

/// A surface's last file of this frame, and the traffic that its header has.
struct LastFile {
  std::string path;
  msaa::Traffic traffic;
};
struct LastFiles {
  std::mutex mutex;
  std::map<const std::byte*, LastFile> of;  ///< by layer, as addTraffic() knows them
};
LastFiles& lastFiles() {
  static LastFiles* const files = new LastFiles;  // queue threads may outlive static objects
  return *files;
}

bool isZero(const std::byte* p, size_t bytes) { return p[0] == std::byte{0} && !std::memcmp(p, p + 1, bytes - 1); }

/// Bytes of [p, p + bytes) in pages that the system has given memory.
uint64_t residentBytes(const std::byte* p, size_t bytes) {
  const uint64_t page = hostPageBytes();
  const uintptr_t begin = reinterpret_cast<uintptr_t>(p) / page * page;
  const uintptr_t end = reinterpret_cast<uintptr_t>(p + bytes);
  std::vector<unsigned char> present(divideUp(end - begin, page));
  if (mincore(reinterpret_cast<void*>(begin), end - begin, present.data()) != 0) return 0;
  uint64_t pages = 0;
  for (unsigned char of : present) pages += of & 1;
  return pages * page;
}

/// A file that is written front to back, zeros as holes.
class SparseFile {
 public:
  explicit SparseFile(const std::string& path)
      : fd_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {}

  void write(const std::byte* p, size_t bytes) {
    for (size_t at = 0; at < bytes && ok(); at += kPage) {
      const size_t part = std::min(kPage, bytes - at);
      if (!isZero(p + at, part) && pwrite(fd_.get(), p + at, part, off_t(size_ + at)) != ssize_t(part)) failed_ = true;
    }
    size_ += bytes;
  }
  /// write(), then zeros up to a whole page.
  void writePages(const std::byte* p, size_t bytes) {
    write(p, bytes);
    size_ = alignUp(size_, kPage);
  }
  bool finish() { return ok() && ftruncate(fd_.get(), off_t(size_)) == 0; }

 private:
  bool ok() const { return fd_ && !failed_; }
  Fd fd_;
  uint64_t size_ = 0;
  bool failed_ = false;
};

std::string pathOf(const msaa::CaptureHeader& h, const char* what) {
  char name[96];
  std::snprintf(name, sizeof name, "/frame%04u-pass%03u-%s-layer%u.etzsurf", h.frame, h.pass, what, h.layer);
  return settings().folder + name;
}

/// The header of a surface's layer up to its planes.
void describe(msaa::CaptureHeader& h, const tex::ImageView& view, uint32_t layer) {
  const mem::PlaneLayout& plane = *view.plane;
  std::memcpy(h.magic, msaa::kCaptureMagic, sizeof h.magic);
  h.format = uint32_t(plane.aspect == VK_IMAGE_ASPECT_COLOR_BIT ? view.format : plane.format);
  h.layer = layer;
  h.width = plane.mip[0].width, h.height = plane.mip[0].height, h.samples = view.layout->samples;
  h.rowPitch = plane.mip[0].rowPitch, h.texelBytes = plane.blockBytes;
  h.planeOffset = kPage, h.planeBytes = alignUp(uint64_t{h.rowPitch} * h.height, kPage);
  h.metaOffset = h.stateOffset = h.planeOffset + h.planeBytes * h.samples;
}

void writeColor(SparseFile& file, const tex::ImageView& view, msaa::CaptureHeader& h) {
  const mem::PlaneLayout& plane = *view.plane;
  const msaa::FragmentSurface s(*view.layout, plane, view.memory, h.layer);
  h.tilesX = s.tilesX, h.tilesY = s.tilesY;
  h.edgeOffset = s.edgeOffset, h.maskOffset = s.maskOffset;
  h.metaBytes = s ? plane.fragments.layerPitch : 0;
  const size_t bytes = size_t{s.rowPitch} * s.height;
  for (uint32_t k = 0; k < s.samples; ++k) h.residentBytes += residentBytes(s.at(0, 0, k), bytes);
  if (h.metaBytes) h.residentBytes += residentBytes(s.meta, h.metaBytes);
  file.writePages(reinterpret_cast<const std::byte*>(&h), sizeof h);
  for (uint32_t k = 0; k < s.samples; ++k) file.writePages(s.at(0, 0, k), bytes);
  if (h.metaBytes) file.write(s.meta, h.metaBytes);
}

/// The values of the samples; tile states stay as they are.
void writeDepth(SparseFile& file, const tex::ImageView& view, msaa::CaptureHeader& h) {
  const mem::PlaneLayout& plane = *view.plane;
  const msaa::DepthSurface s(*view.layout, plane, view.memory, h.layer);
  h.tilesX = s.tilesX, h.tilesY = s.tilesY;
  h.stateBytes = s ? uint64_t{s.tilesX} * s.tilesY : 0;
  std::vector<std::byte> texels(size_t{h.rowPitch} * h.height);
  for (uint32_t k = 0; k < h.samples; ++k) h.residentBytes += residentBytes(s.at(0, 0, k), texels.size());
  if (s) h.residentBytes += residentBytes(s.meta, plane.tiles.layerPitch);
  file.writePages(reinterpret_cast<const std::byte*>(&h), sizeof h);
  for (uint32_t k = 0; k < h.samples; ++k) {
    for (uint32_t y = 0; y < h.height; ++y) s.readRow(0, y, h.width, k, &texels[size_t{y} * h.rowPitch]);
    file.writePages(texels.data(), texels.size());
  }
  if (s) file.write(s.meta, h.stateBytes);
}

void writeLayer(const tex::ImageView& view, uint32_t layer, msaa::CaptureHeader h, const char* what) {
  describe(h, view, layer);
  const std::byte* const key = msaa::FragmentSurface(*view.layout, *view.plane, view.memory, layer).texels;
  h.surface = reinterpret_cast<uintptr_t>(key);
  h.traffic = msaa::trafficOf(key);
  const std::string path = pathOf(h, what);
  SparseFile file(path);
  view.plane->aspect == VK_IMAGE_ASPECT_COLOR_BIT ? writeColor(file, view, h) : writeDepth(file, view, h);
  if (!file.finish()) logMessage(LogLevel::Warning, "ETZEL_CAPTURE: can't write %s", path.c_str());
  std::lock_guard lock(lastFiles().mutex);
  lastFiles().of[key] = {path, h.traffic};
}

void writeView(const tex::ImageView* view, const raster::Attachments& a, msaa::CaptureHeader h, const char* what) {
  if (!view || !view->memory || view->samples < 2) return;
  for (uint32_t i = 0; i < std::min(a.layers, view->layerCount); ++i)
    if (!a.viewMask || (a.viewMask >> i & 1)) writeLayer(*view, view->baseLayer + i, h, what);
}

}  // namespace

bool capturing() {
  static const bool on = [] {
    const bool wanted = !settings().folder.empty();
    msaa::countTraffic(wanted && settings().frame == 0);
    return wanted;
  }();
  return on;
}

void captureTraffic() {
  LastFiles& files = lastFiles();
  std::lock_guard lock(files.mutex);
  for (auto& [layer, file] : files.of) {
    const msaa::Traffic traffic = msaa::trafficOf(layer);
    if (traffic == file.traffic) continue;
    file.traffic = traffic;
    const Fd fd(open(file.path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!fd ||
        pwrite(fd.get(), &traffic, sizeof traffic, offsetof(msaa::CaptureHeader, traffic)) != ssize_t(sizeof traffic))
      logMessage(LogLevel::Warning, "ETZEL_CAPTURE: can't write %s", file.path.c_str());
  }
}

void captureFrameDone() {
  captureTraffic();
  {
    std::lock_guard lock(lastFiles().mutex);
    lastFiles().of.clear();
  }
  passes.store(0);
  msaa::countTraffic(frames.fetch_add(1) + 1 == settings().frame);
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
