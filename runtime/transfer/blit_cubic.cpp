// Blits with cubic filtering ("Cubic Texel Filtering", VK_EXT_filter_cubic), of images without depth: texel by texel.
#include <algorithm>
#include <bit>

#include "runtime/tex/cubic.h"
#include "runtime/transfer/blit_plan.h"

namespace etzel::transfer {
namespace {

using format::Texel;

/// The texels of a source row that the columns need, as numbers.
class SourceRows {
 public:
  explicit SourceRows(const Blit& blit) : blit_(blit), blocks_(blit.sp), decode_(format::decoder(blit.sp.format)) {}

  void read(uint32_t layer, uint32_t y, uint32_t z, uint32_t first, uint32_t count, Texel* out) {
    const std::byte* row = blit_.sourceRow(layer, y, z);
    if (blit_.isSourceCompressed())
      std::copy_n(blocks_.row(row, y, z, first, count), count, out);
    else
      decode_(row + size_t{first} * blit_.sp.blockBytes, out, count);
  }

 private:
  const Blit& blit_;
  BlockRows blocks_;
  format::DecodeFn decode_;
};

}  // namespace

void blitCubic(task::Pool* pool, const Blit& blit) {
  const uint32_t columns = blit.x.count();
  std::vector<Axis::Four> across(columns);
  uint32_t first = ~0u, last = 0;
  for (uint32_t i = 0; i < columns; ++i) {
    across[i] = blit.x.cubic(blit.x.begin + static_cast<int32_t>(i));
    for (uint32_t tap : across[i].tap) first = std::min(first, tap), last = std::max(last, tap);
  }
  const uint32_t width = last - first + 1;
  const format::EncodeFn encode = format::encoder(blit.dp.format);
  splitRows(pool, blit.rows(), uint64_t{columns} * 16 * sizeof(Texel), [&](uint32_t begin, uint32_t end) {
    SourceRows source(blit);
    std::vector<Texel> rows(size_t{4} * width), out(columns);
    for (uint32_t r = begin; r < end; ++r) {
      const Blit::Row row = blit.row(r);
      const Axis::Four down = blit.y.cubic(row.y);
      const uint32_t z = blit.z.nearest(row.z);
      for (uint32_t k = 0; k < 4; ++k) source.read(row.layer, down.tap[k], z, first, width, &rows[size_t{k} * width]);
      for (uint32_t i = 0; i < columns; ++i) {
        float sum[4] = {};
        for (uint32_t k = 0; k < 16; ++k) {
          const Texel& texel = rows[size_t{k / 4} * width + across[i].tap[k % 4] - first];
          const float weight = across[i].weight[k % 4] * down.weight[k / 4];
          for (uint32_t c = 0; c < 4 && weight != 0; ++c) sum[c] += std::bit_cast<float>(texel.word[c]) * weight;
        }
        for (uint32_t c = 0; c < 4; ++c) out[i].word[c] = std::bit_cast<uint32_t>(sum[c]);
      }
      encode(out.data(), row.texels, columns);
    }
  });
}

}  // namespace etzel::transfer
