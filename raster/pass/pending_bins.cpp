#include "raster/pass/pending_bins.h"

#include <algorithm>
#include <utility>

namespace etzel::raster {
namespace {

/// Shorter lists are joined to the one before.
constexpr size_t kOwnList = 512;
/// What a thread takes its part of, at least.
constexpr size_t kItemsOfThread = 16 * 1024;

}  // namespace

void PendingBins::add(std::vector<BinItem>& items) {
  if (items.empty()) return;
  size_ += items.size();
  if (used_ && lists_[used_ - 1].size() + items.size() <= kOwnList) {
    lists_[used_ - 1].insert(lists_[used_ - 1].end(), items.begin(), items.end());
  } else {
    if (used_ == lists_.size()) lists_.emplace_back();
    std::swap(lists_[used_++], items);
  }
  items.clear();
}

void PendingBins::clear() {
  for (size_t i = 0; i < used_; ++i) lists_[i].clear();
  used_ = size_ = 0;
}

/// Gives each group lists that follow one another, of about as many items.
void PendingBins::makeGroups(uint32_t count) {
  groups_.resize(count);
  size_t list = 0, taken = 0;
  for (uint32_t g = 0; g < count; ++g) {
    groups_[g].begin = list;
    const size_t until = size_ * (g + 1) / count;
    while (list < used_ && (taken < until || g + 1 == count)) taken += lists_[list++].size();
    groups_[g].end = list;
    groups_[g].low = ~0u, groups_[g].high = 0;
  }
}

void PendingBins::count(Group& group, uint32_t low, size_t tiles) const {
  group.offsets.assign(tiles, 0);
  for (size_t i = group.begin; i < group.end; ++i)
    for (const BinItem& item : lists_[i]) ++group.offsets[item.tile - low];
}

void PendingBins::scatter(Group& group, uint32_t low) {
  for (size_t i = group.begin; i < group.end; ++i)
    for (const BinItem& item : lists_[i]) sorted_[group.offsets[item.tile - low]++] = item.primitive;
}

/// Of items that lie far apart.
void PendingBins::sortFew(const std::vector<BinItem>& items) {
  for (size_t i = 0; i < items.size(); ++i) sorted_[i] = items[i].primitive;
  for (size_t begin = 0; begin < items.size();) {
    size_t end = begin + 1;
    while (end < items.size() && items[end].tile == items[begin].tile) ++end;
    addTile(items[begin].tile, begin, end);
    begin = end;
  }
}

const std::vector<PendingBins::TileBin>& PendingBins::join(task::Pool& pool) {
  tiles_.clear();
  if (size_ == 0) return tiles_;
  sorted_.resize(size_);
  const size_t most = std::clamp<size_t>(size_ / kItemsOfThread, 1, pool.threads());
  makeGroups(static_cast<uint32_t>(most));
  const auto forEachGroup = [&](auto body) {
    if (groups_.size() == 1) return body(groups_[0]);
    pool.parallelFor(static_cast<uint32_t>(groups_.size()), [&](uint32_t g, uint32_t) { body(groups_[g]); });
  };
  forEachGroup([&](Group& group) {
    for (size_t i = group.begin; i < group.end; ++i)
      for (const BinItem& item : lists_[i])
        group.low = std::min(group.low, item.tile), group.high = std::max(group.high, item.tile);
  });
  uint32_t low = ~0u, high = 0;
  for (const Group& group : groups_) low = std::min(low, group.low), high = std::max(high, group.high);
  const size_t tiles = size_t(high) - low + 1;
  if (tiles * groups_.size() > 16 * size_ + 4096) {
    std::vector<BinItem> all;
    all.reserve(size_);
    for (size_t i = 0; i < used_; ++i) all.insert(all.end(), lists_[i].begin(), lists_[i].end());
    std::stable_sort(all.begin(), all.end(), [](const BinItem& a, const BinItem& b) { return a.tile < b.tile; });
    sortFew(all);
    return tiles_;
  }
  // A counting sort: where each group's items of a tile go is behind those of the groups before it.
  forEachGroup([&](Group& group) { count(group, low, tiles); });
  uint32_t at = 0;
  for (size_t t = 0; t < tiles; ++t) {
    const uint32_t begin = at;
    for (Group& group : groups_) at += std::exchange(group.offsets[t], at);
    if (at > begin) addTile(low + static_cast<uint32_t>(t), begin, at);
  }
  forEachGroup([&](Group& group) { scatter(group, low); });
  return tiles_;
}

}  // namespace etzel::raster
