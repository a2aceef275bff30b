// The bins of a pass' batches, joined: what each tile has to draw, in API order.
#pragma once

#include <vector>

#include "raster/front/bin/bin_sink.h"
#include "runtime/task/pool.h"

namespace etzel::raster {

class PendingBins {
 public:
  /// The primitives of one tile.
  struct TileBin {
    uint32_t tile;
    uint32_t count;
    const BinnedPrimitive* const* primitives;  ///< in the order in which they were added; valid until the next join()
  };

  /// Takes what a batch has; it comes after all that was added before. Leaves `items` empty.
  void add(std::vector<BinItem>& items);
  size_t size() const { return size_; }
  void clear();
  /// All tiles that have primitives, by their numbers. Many are sorted by all threads of the pool.
  const std::vector<TileBin>& join(task::Pool& pool);

 private:
  struct Group {
    size_t begin = 0, end = 0;  ///< lists
    uint32_t low = ~0u, high = 0;
    std::vector<uint32_t> offsets;  ///< by tile from the lowest of all on: how many, then where the next one goes
  };
  void makeGroups(uint32_t count);
  void count(Group& group, uint32_t low, size_t tiles) const;
  void scatter(Group& group, uint32_t low);
  void sortFew(const std::vector<BinItem>& items);
  void addTile(uint32_t tile, size_t begin, size_t end) {
    tiles_.push_back({tile, static_cast<uint32_t>(end - begin), sorted_.data() + begin});
  }

  std::vector<std::vector<BinItem>> lists_;  ///< the first `used_` count; the others keep their memory
  size_t used_ = 0, size_ = 0;
  std::vector<Group> groups_;
  std::vector<const BinnedPrimitive*> sorted_;
  std::vector<TileBin> tiles_;
};

}  // namespace etzel::raster
