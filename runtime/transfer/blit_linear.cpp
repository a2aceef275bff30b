// Blits with linear filtering, in strips of columns that the nearest caches hold. Rows of the source are filtered along
// x once each and kept while the rows of the destination that they lie between are mixed from them.
#include "runtime/transfer/blit_plan.h"
#include "runtime/transfer/row_codec.h"

namespace etzel::transfer {
namespace {

using format::Texel;

float* floats(Texel* texels) { return reinterpret_cast<float*>(texels); }
const float* floats(const Texel* texels) { return reinterpret_cast<const float*>(texels); }

/// Some columns of the destination, and the texels of a source row that they need.
struct Strip {
  static constexpr uint32_t kColumns = 2048;

  uint32_t begin, count;         ///< columns, from the blit's first
  uint32_t base = 0, width = 0;  ///< texels of the source that become numbers
  bool isPairs = true;           ///< column i mixes texels 2i and 2i + 1 of those
  std::vector<uint32_t> picked;  ///< texels that become numbers instead, where they are few among many
  std::vector<uint32_t> taps;    ///< as ColumnTaps, from `base` or in `picked`: all first ones, all second ones
  std::vector<float> weights;    ///< as ColumnTaps
  bool hasSingles = false;       ///< as ColumnTaps

  Strip(const Axis& x, uint32_t begin, uint32_t count, bool mayPick) : begin(begin), count(count) {
    const size_t room = alignUp(count, kRowPadding);
    taps.resize(2 * room);
    weights.resize(room);
    uint32_t least = ~0u, greatest = 0;
    for (uint32_t i = 0; i < count; ++i) {
      const Axis::Pair pair = x.linear(x.begin + static_cast<int32_t>(begin + i));
      taps[i] = pair.first, taps[room + i] = pair.second;
      weights[i] = pair.weight;
      hasSingles |= pair.weight == 0;
      least = std::min({least, pair.first, pair.second}), greatest = std::max({greatest, pair.first, pair.second});
    }
    base = least, width = greatest - least + 1;
    const bool picks = mayPick && width > 2 * count;
    if (picks) width = 2 * count;
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t &first = taps[i], &second = taps[room + i];
      if (picks) picked.insert(picked.end(), {first, second});
      first = picks ? 2 * i : first - base, second = picks ? 2 * i + 1 : second - base;
      isPairs = isPairs && first == 2 * i && second == 2 * i + 1;
      first *= 4, second *= 4;
    }
  }
  ColumnTaps columns() const { return {taps.data(), taps.data() + taps.size() / 2, weights.data(), hasSingles}; }
};

/// Rows of the source filtered along a strip's columns; one object per thread.
class FilteredRows {
 public:
  FilteredRows(const Blit& blit, const RowDecoder* decoder) : blit_(blit), decoder_(decoder), blocks_(blit.sp) {}

  void start(const Strip& strip) {
    strip_ = &strip;
    decoded_.resize(alignUp(strip.width, kRowPadding));
    for (Slot& slot : slot_) {
      slot.key = ~uint64_t{0};
      slot.texels.resize(alignUp(strip.count, kRowPadding));
    }
  }
  /// Valid until four other rows have been asked for: a texel of a volume needs that many.
  const Texel* row(uint32_t layer, uint32_t y, uint32_t z) {
    const uint64_t key = uint64_t{layer} << 48 | uint64_t{z} << 24 | y;
    Slot* oldest = &slot_[0];
    for (Slot& slot : slot_) {
      if (slot.key == key) {
        slot.used = ++clock_;
        return slot.texels.data();
      }
      if (slot.used < oldest->used) oldest = &slot;
    }
    oldest->key = key;
    oldest->used = ++clock_;
    filter(blit_.sourceRow(layer, y, z), y, z, floats(oldest->texels.data()));
    return oldest->texels.data();
  }

 private:
  struct Slot {
    uint64_t key;
    uint64_t used = 0;  ///< when it was last asked for
    std::vector<Texel> texels;
  };

  void filter(const std::byte* row, uint32_t y, uint32_t z, float* out) {
    const RowLanes& lanes = rowLanes();
    const Strip& strip = *strip_;
    const auto filterNumbers = [&](const void* numbers) {
      lanes.filterColumns(static_cast<const float*>(numbers), strip.columns(), strip.count, out);
    };
    if (!decoder_) return filterNumbers(blocks_.row(row, y, z, strip.base, strip.width));
    const uint32_t bytes = blit_.sp.blockBytes;
    const std::byte* texels = row + size_t{strip.base} * bytes;
    if (!strip.picked.empty()) {
      bytes_.resize(size_t{strip.width} * bytes);
      gatherTexels(bytes)(row, strip.picked.data(), strip.width, bytes_.data());
      texels = bytes_.data();
    }
    using format::TexelLayout;
    const TexelLayout layout = decoder_->layout();
    if (layout == TexelLayout::Rgba32) return filterNumbers(texels);
    if ((layout == TexelLayout::Rgba8 || layout == TexelLayout::Bgra8) && strip.isPairs)
      return lanes.filterUnormPairs(texels, isBlueFirst(layout), strip.weights.data(), strip.count, out);
    decoder_->decode(texels, strip.width, decoded_.data());
    filterNumbers(decoded_.data());
  }

  const Blit& blit_;
  const RowDecoder* decoder_;
  BlockRows blocks_;
  const Strip* strip_ = nullptr;
  std::vector<std::byte> bytes_;
  std::vector<Texel> decoded_;
  Slot slot_[4];
  uint64_t clock_ = 0;
};

}  // namespace

void blitLinear(task::Pool* pool, const Blit& b) {
  std::vector<Strip> strips;
  for (uint32_t begin = 0; begin < b.x.count(); begin += Strip::kColumns)
    strips.emplace_back(b.x, begin, std::min(Strip::kColumns, b.x.count() - begin), !b.isSourceCompressed());
  const std::unique_ptr<RowDecoder> decoder =
      b.isSourceCompressed() ? nullptr : std::make_unique<RowDecoder>(b.sp.format);
  const RowEncoder encoder(b.dp.format);
  const RowLanes& lanes = rowLanes();

  splitRows(pool, b.rows(), uint64_t{b.x.count()} * 16, [&](uint32_t first, uint32_t last) {
    FilteredRows rows(b, decoder.get());
    const uint32_t room = std::min(Strip::kColumns, alignUp(b.x.count(), kRowPadding));
    std::vector<Texel> front(room), back(room);
    for (const Strip& strip : strips) {
      rows.start(strip);
      for (uint32_t i = first; i < last; ++i) {
        const Blit::Row to = b.row(i);
        const Axis::Pair y = b.y.linear(to.y), z = b.z.linear(to.z);
        std::byte* out = to.texels + size_t{strip.begin} * b.dp.blockBytes;
        const Texel* row[4] = {rows.row(to.layer, y.first, z.first), rows.row(to.layer, y.second, z.first)};
        if (z.first == z.second) {
          // Within one slice the weight along z has no effect.
          encoder.encodeMix(row[0], row[1], y.weight, strip.count, front.data(), out);
          continue;
        }
        row[2] = rows.row(to.layer, y.first, z.second), row[3] = rows.row(to.layer, y.second, z.second);
        if (y.weight == 0) {
          encoder.encodeMix(row[0], row[2], z.weight, strip.count, front.data(), out);
          continue;
        }
        lanes.mixRows(floats(row[0]), floats(row[1]), y.weight, strip.count, floats(front.data()));
        lanes.mixRows(floats(row[2]), floats(row[3]), y.weight, strip.count, floats(back.data()));
        encoder.encodeMix(front.data(), back.data(), z.weight, strip.count, front.data(), out);
      }
    }
  });
}

}  // namespace etzel::transfer
