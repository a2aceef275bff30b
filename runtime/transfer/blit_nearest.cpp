// Blits without filtering: texels are gathered as bytes and converted, row by row. A row that shows the same texels as
// the one before is a copy of it.
#include <cstring>

#include "runtime/transfer/blit_plan.h"
#include "runtime/transfer/row_codec.h"

namespace etzel::transfer {
namespace {

/// The columns of a blit, and whether they lie next to each other.
struct Columns {
  std::vector<uint32_t> index;
  bool dense = true;

  explicit Columns(const Axis& x) {
    index.reserve(x.count());
    for (int32_t d = x.begin; d < x.end; ++d) {
      const uint32_t column = x.nearest(d);
      dense = dense && (index.empty() || column == index.back() + 1);
      index.push_back(column);
    }
  }
};

/// Makes rows from the source's, for one thread.
class RowMaker {
 public:
  RowMaker(const Blit& blit, const Columns& columns, const RowConverter* converter)
      : blit_(blit),
        columns_(columns),
        converter_(converter),
        gather_(gatherTexels(blit.sp.blockBytes)),
        encoder_(blit.dp.format),
        blocks_(blit.sp) {}

  void make(uint32_t layer, uint32_t y, uint32_t z, std::byte* out) {
    const std::byte* row = blit_.sourceRow(layer, y, z);
    if (!converter_) return makeFromBlocks(row, y, z, out);
    const size_t count = columns_.index.size();
    if (columns_.dense) return converter_->convert(row + size_t{columns_.index[0]} * blit_.sp.blockBytes, count, out);
    if (converter_->copies()) return gather_(row, columns_.index.data(), count, out);
    bytes_.resize(count * blit_.sp.blockBytes);
    gather_(row, columns_.index.data(), count, bytes_.data());
    converter_->convert(bytes_.data(), count, out);
  }

 private:
  void makeFromBlocks(const std::byte* row, uint32_t y, uint32_t z, std::byte* out) {
    const uint32_t first = std::min(columns_.index.front(), columns_.index.back());
    const uint32_t last = std::max(columns_.index.front(), columns_.index.back());
    const format::Texel* decoded = blocks_.row(row, y, z, first, last - first + 1);
    picked_.resize(alignUp(columns_.index.size(), size_t{kRowPadding}));
    for (size_t i = 0; i < columns_.index.size(); ++i) picked_[i] = decoded[columns_.index[i] - first];
    encoder_.encode(picked_.data(), columns_.index.size(), out);
  }

  const Blit& blit_;
  const Columns& columns_;
  const RowConverter* converter_;
  GatherFn gather_;
  RowEncoder encoder_;
  std::vector<std::byte> bytes_;
  BlockRows blocks_;
  std::vector<format::Texel> picked_;
};

}  // namespace

void blitNearest(task::Pool* pool, const Blit& b) {
  const Columns columns(b.x);
  const std::unique_ptr<RowConverter> converter =
      b.isSourceCompressed() ? nullptr : std::make_unique<RowConverter>(b.sp.format, b.dp.format, b.texels());
  const uint64_t rowBytes = uint64_t{b.x.count()} * b.dp.blockBytes;
  const bool movesRows = converter && converter->movesBytes() && columns.dense;
  splitRows(pool, b.rows(), movesRows ? rowBytes : uint64_t{b.x.count()} * 16, [&](uint32_t first, uint32_t last) {
    RowMaker maker(b, columns, converter.get());
    Blit::Row before{};
    uint32_t beforeY = 0, beforeZ = 0;
    for (uint32_t i = first; i < last; ++i) {
      const Blit::Row row = b.row(i);
      const uint32_t y = b.y.nearest(row.y), z = b.z.nearest(row.z);
      if (i > first && row.layer == before.layer && y == beforeY && z == beforeZ)
        std::memcpy(row.texels, before.texels, rowBytes);
      else
        maker.make(row.layer, y, z, row.texels);
      before = row, beforeY = y, beforeZ = z;
    }
  });
}

}  // namespace etzel::transfer
