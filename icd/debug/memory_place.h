// What data breakpoints on memory watch: bytes of buffers, texels of images and their samples; and which invocations
// are about to store there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/debug/group_run.h"
#include "runtime/tex/view.h"

namespace etzel::icd {

struct MemoryPlace {
  /// Bytes, by their address.
  struct Bytes {
    uint64_t at = 0, count = 0;
    bool operator==(const Bytes&) const = default;
  };
  /// A texel of an image, whatever the view that reaches it.
  struct Texel {
    uint64_t image = 0, plane = 0;  ///< addresses that tell images and their planes apart
    uint32_t level = 0, layer = 0, x = 0, y = 0;
    std::optional<uint32_t> sample;  ///< absent: any
    bool operator==(const Texel&) const = default;
  };
  std::vector<Bytes> bytes;
  std::optional<Texel> texel;

  /// As one word, and back; nothing where it is none.
  std::string id() const;
  static std::optional<MemoryPlace> read(const std::string& id);
  bool operator==(const MemoryPlace&) const = default;
};

/// The texel that coordinates of an image access mean: x, y, then z or layer as the view has them, perhaps the sample.
/// Texel buffers are bytes. Nothing where the view has another number of coordinates.
std::optional<MemoryPlace> placeOfTexel(const tex::ImageView& view, const std::vector<uint32_t>& coordinates);

/// Whether `count` bytes at an address are among those that are watched.
bool overlaps(const MemoryPlace& place, uint64_t at, uint64_t count);

/// Those of `lanes` of warp `w` whose next instruction reads, or is about to write, a texel outside of its image or
/// texel buffer. Helper invocations, those that were demoted among them, are none.
LaneMask leavesImage(const debugger::GroupRun& run, uint32_t w, LaneMask lanes);

/// Lanes of warp `w` whose next instruction stores to the place, atomics included.
LaneMask storesTo(const debugger::GroupRun& run, uint32_t w, const MemoryPlace& place);

}  // namespace etzel::icd
