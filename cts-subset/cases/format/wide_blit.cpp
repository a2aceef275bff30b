// Blits between formats with components of 64 bits, and to and from narrower ones: nothing is lost that the destination
// can hold, and integers that do not fit become the nearest that do.
#include <algorithm>
#include <bit>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

enum class Kind { Uint, Sint, Float };
struct Row {
  VkFormat format;
  const char* name;
  uint32_t components, bits;
  Kind kind;
  uint32_t bytes() const { return components * bits / 8; }
};

#define ROWS(letters, count, width)                                               \
  {VK_FORMAT_##letters##_UINT, #letters "_UINT", count, width, Kind::Uint},       \
      {VK_FORMAT_##letters##_SINT, #letters "_SINT", count, width, Kind::Sint}, { \
    VK_FORMAT_##letters##_SFLOAT, #letters "_SFLOAT", count, width, Kind::Float   \
  }
constexpr Row kRows[] = {ROWS(R64, 1, 64),
                         ROWS(R64G64, 2, 64),
                         ROWS(R64G64B64, 3, 64),
                         ROWS(R64G64B64A64, 4, 64),
                         ROWS(R32, 1, 32),
                         ROWS(R32G32, 2, 32),
                         ROWS(R32G32B32A32, 4, 32),
                         {VK_FORMAT_R8G8_UINT, "R8G8_UINT", 2, 8, Kind::Uint},
                         {VK_FORMAT_R16G16B16A16_SINT, "R16G16B16A16_SINT", 4, 16, Kind::Sint}};
#undef ROWS

/// One component, as 128 bits hold any of them, or as a double.
struct Value {
  __int128 integer = 0;
  double real = 0;
};

Value load(const Row& row, const uint8_t* texel, uint32_t c) {
  if (c >= row.components) return {c == 3, c == 3 ? 1.0 : 0.0};
  uint64_t code = 0;
  memcpy(&code, texel + c * row.bits / 8, row.bits / 8);
  if (row.kind == Kind::Uint) return {code, 0};
  if (row.kind == Kind::Sint) return {int64_t(code << (64 - row.bits)) >> (64 - row.bits), 0};
  if (row.bits == 64) return {0, std::bit_cast<double>(code)};
  return {0, double(std::bit_cast<float>(uint32_t(code)))};
}

uint64_t store(const Row& row, Value v) {
  if (row.kind == Kind::Float)
    return row.bits == 64 ? std::bit_cast<uint64_t>(v.real) : std::bit_cast<uint32_t>(float(v.real));
  const __int128 one = 1, least = row.kind == Kind::Sint ? -(one << (row.bits - 1)) : 0,
                 greatest = (one << (row.kind == Kind::Sint ? row.bits - 1 : row.bits)) - 1;
  const auto word = uint64_t(std::clamp(v.integer, least, greatest));
  return row.bits == 64 ? word : word & ((uint64_t{1} << row.bits) - 1);
}

std::vector<uint8_t> texels(const Row& row, uint32_t count) {
  std::vector<uint8_t> bytes(size_t{count} * row.bytes());
  Random random(uint64_t(row.format));
  for (size_t i = 0; i < bytes.size(); i += row.bits / 8) {
    uint64_t code = uint64_t{random.next()} << 32 | random.next();
    if (row.kind != Kind::Float) code >>= random.below(row.bits);  // of all sizes
    if (row.kind == Kind::Sint && random.below(2)) code = ~code;
    const double real = double(random.range(-1000, 1000)) + double(random.unit()) * 1e-9;
    if (row.kind == Kind::Float)
      code = row.bits == 64 ? std::bit_cast<uint64_t>(real) : std::bit_cast<uint32_t>(float(real));
    memcpy(&bytes[i], &code, row.bits / 8);
  }
  return bytes;
}

/// The right half of 8x8 texels, mirrored, to all of another 8x8: every texel twice.
void run(Gpu& gpu, const Row& from, const Row& to) {
  gpu.require(gpu.formatFeatures(from.format) & VK_FORMAT_FEATURE_BLIT_SRC_BIT, "blit source");
  gpu.require(gpu.formatFeatures(to.format) & VK_FORMAT_FEATURE_BLIT_DST_BIT, "blit destination");
  constexpr uint32_t size = 8;
  const std::vector<uint8_t> bytes = texels(from, size * size);
  const Image a = gpu.image({.format = from.format, .width = size, .height = size}),
              b = gpu.image({.format = to.format, .width = size, .height = size});
  gpu.upload(a, bytes.data(), bytes.size());
  gpu.submit([&](VkCommandBuffer cmd) {
    const VkImageBlit region{{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                             {{8, 0, 0}, {4, 8, 1}},
                             {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                             {{0, 0, 0}, {8, 8, 1}}};
    vkCmdBlitImage(cmd, a.handle, VK_IMAGE_LAYOUT_GENERAL, b.handle, VK_IMAGE_LAYOUT_GENERAL, 1, &region,
                   VK_FILTER_NEAREST);
  });
  const std::vector<uint8_t> got = gpu.download(b, to.bytes());
  for (uint32_t y = 0; y < size; ++y)
    for (uint32_t x = 0; x < size; ++x)
      for (uint32_t c = 0; c < to.components; ++c) {
        uint64_t code = 0;
        memcpy(&code, &got[size_t(y * size + x) * to.bytes() + c * to.bits / 8], to.bits / 8);
        ASSERT_EQ(code, store(to, load(from, &bytes[size_t(y * size + 7 - x / 2) * from.bytes()], c)))
            << "texel " << x << "," << y << " component " << c;
      }
}

}  // namespace

void registerFormatWideBlit() {
  for (const Row& from : kRows)
    for (const Row& to : kRows) {
      if (from.kind != to.kind || (from.bits < 64 && to.bits < 64)) continue;
      add(text("format.blit_wide.%s.to_%s", from.name, to.name), [&from, &to](Gpu& gpu) { run(gpu, from, to); });
    }
}

}  // namespace etzel::cts
