// Blits with linear filtering, in strips of columns that the nearest caches hold. Rows of the source are filtered along
// x once each and kept while the rows of the destination that they lie between are mixed from them.
#include "runtime/transfer/blit_plan.h"
#include "runtime/transfer/plane_lanes.h"
#include "runtime/transfer/row_codec.h"

namespace etzel::transfer {
namespace {

using format::Texel;

float* floats(Texel* texels) { return reinterpret_cast<float*>(texels); }
const float* floats(const Texel* texels) { return reinterpret_cast<const float*>(texels); }

/// Whether texels are four numbers that row_lanes.h has by the vector.
constexpr bool fillsVectors(format::TexelLayout t) {
  return isBytes4(t) || t == format::TexelLayout::Rgba16F || t == format::TexelLayout::Rgba32;
}

/// How rows of numbers lie in memory, and what becomes of them: texels of four numbers, or else planes (plane_lanes.h).
class Numbers {
 public:
  explicit Numbers(const Blit& b) : encoder_(b.dp.format) {
    if (b.isSourceCompressed()) return;
    const format::FormatInfo &from = *format::find(b.sp.format), &to = *format::find(b.dp.format);
    decoder_ = std::make_unique<RowDecoder>(b.sp.format);
    const PlaneCodec *source = findPlaneCodec(from), *destination = findPlaneCodec(to);
    if (!source || !destination || (fillsVectors(from.layout) && fillsVectors(to.layout))) return;
    source_ = source, destination_ = destination;
    planes_ = to.components();
  }

  uint32_t planes() const { return planes_; }  ///< 0: texels
  const RowDecoder* decoder() const { return decoder_.get(); }
  /// Where a texel begins.
  uint32_t placeOf(uint32_t texel) const { return planes_ ? placeInPlanes(texel, planes_) : 4 * texel; }
  void decodePlanes(const std::byte* texels, size_t count, Texel* out) const {
    source_->decode(texels, count, planes_, floats(out));
  }

  /// out = a * (1 - weight) + b * weight
  void mix(const Texel* a, const Texel* b, float weight, size_t count, Texel* out) const {
    const size_t texels = planes_ ? alignUp<size_t>(count, kPlaneTexels) * planes_ / 4 : count;
    lanes_.mixRows(floats(a), floats(b), weight, texels, floats(out));
  }
  /// The texels of mix(); `b` takes no part without weight. `scratch` may be `a`.
  void encodeMix(const Texel* a, const Texel* b, float weight, size_t count, Texel* scratch, std::byte* out) const {
    if (!planes_) return encoder_.encodeMix(a, b, weight, count, scratch, out);
    if (weight != 0) mix(a, b, weight, count, scratch);
    destination_->encode(floats(weight == 0 ? a : scratch), count, planes_, out);
  }

 private:
  const RowLanes& lanes_ = rowLanes();
  std::unique_ptr<RowDecoder> decoder_;  ///< null: blocks
  RowEncoder encoder_;
  const PlaneCodec *source_ = nullptr, *destination_ = nullptr;
  uint32_t planes_ = 0;
};

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

  Strip(const Axis& x, uint32_t begin, uint32_t count, const Numbers& numbers) : begin(begin), count(count) {
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
    const bool picks = numbers.decoder() && width > 2 * count;
    if (picks) width = 2 * count;
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t &first = taps[i], &second = taps[room + i];
      if (picks) picked.insert(picked.end(), {first, second});
      first = picks ? 2 * i : first - base, second = picks ? 2 * i + 1 : second - base;
      isPairs = isPairs && first == 2 * i && second == 2 * i + 1;
      first = numbers.placeOf(first), second = numbers.placeOf(second);
    }
  }
  ColumnTaps columns() const { return {taps.data(), taps.data() + taps.size() / 2, weights.data(), hasSingles}; }
};

/// Rows of the source filtered along a strip's columns; one object per thread.
class FilteredRows {
 public:
  FilteredRows(const Blit& blit, const Numbers& numbers) : blit_(blit), numbers_(numbers), blocks_(blit.sp) {}

  void start(const Strip& strip) {
    strip_ = &strip;
    decoded_.resize(alignUp(strip.width, 2 * kRowPadding));
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
    const RowDecoder* decoder = numbers_.decoder();
    if (!decoder) return filterNumbers(blocks_.row(row, y, z, strip.base, strip.width));
    const uint32_t bytes = blit_.sp.blockBytes;
    const std::byte* texels = row + size_t{strip.base} * bytes;
    if (!strip.picked.empty()) {
      bytes_.resize(size_t{strip.width} * bytes);
      gatherTexels(bytes)(row, strip.picked.data(), strip.width, bytes_.data());
      texels = bytes_.data();
    }
    if (const uint32_t planes = numbers_.planes()) {
      numbers_.decodePlanes(texels, strip.width, decoded_.data());
      const float* numbers = floats(decoded_.data());
      return planeLanes().filter(numbers, strip.columns(), strip.isPairs, strip.count, planes, out);
    }
    using format::TexelLayout;
    const TexelLayout layout = decoder->layout();
    if (layout == TexelLayout::Rgba32) return filterNumbers(texels);
    if ((layout == TexelLayout::Rgba8 || layout == TexelLayout::Bgra8) && strip.isPairs)
      return lanes.filterUnormPairs(texels, isBlueFirst(layout), strip.weights.data(), strip.count, out);
    decoder->decode(texels, strip.width, decoded_.data());
    filterNumbers(decoded_.data());
  }

  const Blit& blit_;
  const Numbers& numbers_;
  BlockRows blocks_;
  const Strip* strip_ = nullptr;
  std::vector<std::byte> bytes_;
  std::vector<Texel> decoded_;
  Slot slot_[4];
  uint64_t clock_ = 0;
};

}  // namespace

void blitLinear(task::Pool* pool, const Blit& b) {
  const Numbers numbers(b);
  std::vector<Strip> strips;
  for (uint32_t begin = 0; begin < b.x.count(); begin += Strip::kColumns)
    strips.emplace_back(b.x, begin, std::min(Strip::kColumns, b.x.count() - begin), numbers);

  splitRows(pool, b.rows(), uint64_t{b.x.count()} * 16, [&](uint32_t first, uint32_t last) {
    FilteredRows rows(b, numbers);
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
          numbers.encodeMix(row[0], row[1], y.weight, strip.count, front.data(), out);
          continue;
        }
        row[2] = rows.row(to.layer, y.first, z.second), row[3] = rows.row(to.layer, y.second, z.second);
        if (y.weight == 0) {
          numbers.encodeMix(row[0], row[2], z.weight, strip.count, front.data(), out);
          continue;
        }
        numbers.mix(row[0], row[1], y.weight, strip.count, front.data());
        numbers.mix(row[2], row[3], y.weight, strip.count, back.data());
        numbers.encodeMix(front.data(), back.data(), z.weight, strip.count, front.data(), out);
      }
    }
  });
}

}  // namespace etzel::transfer
