// Which vertices of a batch are the same, so that each is shaded once. One instance per worker.
#pragma once

#include "runtime/base/types.h"

namespace etzel::raster {

inline constexpr uint32_t kMaxReusedVertices = 65535;

class VertexReuse {
 public:
  /// Forgets everything.
  void begin() { count_ = 0; }

  /// Takes `count` vertices of one instance in place: vertex numbers become record numbers in `record`, and the
  /// vertices without repetition, in the order of their first use, follow those of earlier calls in `unique`. `unique`
  /// may be the memory of `vertex`'s batch as long as it does not get ahead of it. At most kMaxReusedVertices in a
  /// batch.
  void add(const uint32_t* vertex, uint32_t count, uint32_t* unique, uint32_t* record);

  uint32_t count() const { return count_; }  ///< records since begin()

 private:
  void addDense(const uint32_t* vertex, uint32_t count, uint32_t low, uint32_t range, uint32_t* unique,
                uint32_t* record);
  void addSparse(const uint32_t* vertex, uint32_t count, uint32_t* unique, uint32_t* record);

  uint32_t count_ = 0;
  std::vector<uint16_t> byVertex_;  ///< [vertex - low]: record, or kNone
  /// Open addressing; a slot is valid when its stamp is the current one.
  struct Slot {
    uint32_t stamp = 0, vertex = 0, record = 0;
  };
  std::vector<Slot> slots_;
  uint32_t stamp_ = 0;
};

}  // namespace etzel::raster
