// The compressed surface against a plain one: an array with a colour for every sample.
#include "runtime/msaa/fragment_surface.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <vector>

#include "runtime/msaa/resolve.h"
#include "runtime/msaa/resolve_tile.h"
#include "runtime/simd/cpu.h"

namespace etzel::msaa {
namespace {

struct Model {
  mem::ImageLayout layout;
  std::vector<std::byte> memory;
  FragmentSurface surface;
  uint32_t width, height, samples, bytes;
  std::vector<uint64_t> plain;  ///< [y][x][sample]: the first eight bytes of the texel

  Model(VkFormat format, uint32_t w, uint32_t h, uint32_t s) : width(w), height(h), samples(s) {
    mem::ImageShape shape;
    shape.type = VK_IMAGE_TYPE_2D, shape.format = format, shape.extent = {w, h, 1};
    shape.mipLevels = shape.arrayLayers = 1;
    shape.samples = s;
    layout = mem::layoutImage(shape);
    memory.resize(layout.size);
    surface = FragmentSurface(layout, layout.plane[0], memory.data(), 0);
    bytes = surface.texelBytes;
    plain.resize(size_t{w} * h * s);
  }
  Model(const Model&) = delete;
  uint64_t& at(uint32_t x, uint32_t y, uint32_t s) { return plain[(size_t{y} * width + x) * samples + s]; }
  uint64_t cut(uint64_t v) const { return bytes >= 8 ? v : v & ((uint64_t{1} << 8 * bytes) - 1); }
  struct Texel {
    std::byte bytes[16] = {};
  };
  static Texel texel(uint64_t v) {
    Texel t;
    std::memcpy(t.bytes, &v, 8);
    std::memcpy(t.bytes + 8, &v, 8);
    return t;
  }
  uint64_t load(const std::byte* p) const {
    uint64_t v = 0;
    std::memcpy(&v, p, std::min(bytes, 8u));
    return v;
  }
  void check() {
    std::vector<std::byte> row(size_t{width} * bytes);
    for (uint32_t s = 0; s < samples; ++s)
      for (uint32_t y = 0; y < height; ++y) {
        surface.readRow(0, y, width, s, row.data());
        for (uint32_t x = 0; x < width; ++x) {
          ASSERT_EQ(load(row.data() + x * bytes), at(x, y, s)) << x << ' ' << y << ' ' << s;
          const uint32_t f = fragmentOf(surface.maskAt(x, y), s, samples);
          ASSERT_EQ(load(surface.fragmentTexel(x, y, f)), at(x, y, s));
          ASSERT_EQ(load(surface.sampleTexel(x, y, s)), at(x, y, s));
        }
      }
  }
};

void randomStep(Model& m, Model& other, std::mt19937& random) {
  const uint32_t x = random() % m.width, y = random() % m.height, all = allSamples(m.samples);
  const uint64_t value = m.cut(random() % 7 * 0x0102030405060708ull);
  const auto texel = Model::texel(value);
  const uint32_t operation = random() % 64;
  if (operation < 44) {
    // Whole pixels now and then: most of a picture is that.
    const SampleMask covered = random() % 4 ? random() & all : all;
    m.surface.writeSamples(x, y, covered, texel.bytes);
    for (uint32_t s = 0; s < m.samples; ++s)
      if (covered >> s & 1) m.at(x, y, s) = value;
  } else if (operation < 58) {
    // A blend: the planes that isolateSamples gives, each once.
    const SampleMask covered = random() & all;
    for (SampleMask planes = m.surface.isolateSamples(x, y, covered); planes; planes &= planes - 1) {
      std::byte* p = m.surface.at(x, y, static_cast<uint32_t>(std::countr_zero(planes)));
      for (uint32_t b = 0; b < m.bytes; ++b) p[b] = static_cast<std::byte>(std::to_integer<uint32_t>(p[b]) * 3 + 1);
    }
    for (uint32_t s = 0; s < m.samples; ++s) {
      if (!(covered >> s & 1)) continue;
      uint64_t next = 0;
      for (uint32_t b = 0; b < 8; ++b) next |= (((m.at(x, y, s) >> 8 * b & 255) * 3 + 1) & 255) << 8 * b;
      m.at(x, y, s) = m.cut(next);
    }
  } else if (operation < 61) {
    const uint32_t x1 = std::min<uint32_t>(m.width, x + random() % 20);
    const uint32_t y1 = std::min<uint32_t>(m.height, y + random() % 20);
    const int32_t color = random() & 1 ? m.surface.reserveClearColor(texel.bytes, true, false) : -1;
    m.surface.clear(x, y, x1, y1, texel.bytes, color);
    for (uint32_t j = y; j < y1; ++j)
      for (uint32_t i = x; i < x1; ++i)
        for (uint32_t s = 0; s < m.samples; ++s) m.at(i, j, s) = value;
  } else if (operation == 61) {
    const uint32_t tile = m.surface.tileOf(x, y), x0 = x & ~7u, y0 = y & ~7u;
    const uint32_t columns = std::min(kTile, m.width - x0), rows = std::min(kTile, m.height - y0);
    other.surface.copyTile(tile, m.surface, tile, columns, rows);
    for (uint32_t j = y0; j < y0 + rows; ++j)
      for (uint32_t i = x0; i < x0 + columns; ++i)
        for (uint32_t s = 0; s < m.samples; ++s) other.at(i, j, s) = m.at(i, j, s);
  } else if (operation == 62) {
    // A storage write.
    const uint32_t s = random() % m.samples;
    m.surface.expandShared(m.surface.tileOf(x, y));
    std::memcpy(m.surface.at(x, y, s), texel.bytes, m.bytes);
    m.at(x, y, s) = value;
  } else if (random() % 16 == 0) {
    m.surface.clear(0, 0, m.width, m.height, texel.bytes, m.surface.reserveClearColor(texel.bytes, true, true));
    for (uint64_t& v : m.plain) v = value;
  }
}

TEST(FragmentSurface, RandomOperationsMatchAPlainSurface) {
  std::mt19937 random(3);
  for (VkFormat format :
       {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32G32B32A32_UINT})
    for (uint32_t samples : {2u, 4u, 8u, 16u}) {
      Model a(format, 37, 19, samples), b(format, 37, 19, samples);
      ASSERT_TRUE(a.surface);
      for (int round = 0; round < 25; ++round) {
        for (int i = 0; i < 2500; ++i) randomStep(i & 1 ? a : b, i & 1 ? b : a, random);
        a.check(), b.check();
        if (HasFatalFailure()) return;
      }
    }
}

TEST(FragmentSurface, AveragesAreThoseOfAPlainSurface) {
  std::mt19937 random(5);
  for (VkFormat format : {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8_UNORM, VK_FORMAT_R8G8B8A8_SNORM,
                          VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32G32_SFLOAT})
    for (uint32_t samples : {2u, 4u, 8u, 16u}) {
      Model m(format, 70, 16, samples), other(format, 70, 16, samples);
      const format::FormatInfo& info = *format::find(format);
      for (int i = 0; i < 400; ++i) {
        for (int k = 0; k < 4; ++k) randomStep(m, other, random);
        const uint32_t y = random() % 16, x = random() % 70, n = random() % (70 - x) + 1;
        const uint32_t rows = random() % (16 - y) + 1;
        std::vector<format::Texel> got(n), want(n);
        std::vector<std::byte> gotBytes(rows * n * 16), wantBytes(rows * n * 16);
        averageFloats(m.surface, format::decoder(format), x, y, n, got.data());
        if (isBytesUnorm(info)) averageBytes(m.surface, x, y, n, rows, gotBytes.data(), n * 16);
        for (uint32_t t = 0; t < m.surface.tilesX * m.surface.tilesY; ++t) m.surface.expand(t);
        FragmentSurface plain = m.surface;
        plain.meta = nullptr;
        averageFloats(plain, format::decoder(format), x, y, n, want.data());
        if (isBytesUnorm(info)) averageBytes(plain, x, y, n, rows, wantBytes.data(), n * 16);
        ASSERT_EQ(gotBytes, wantBytes);
        for (uint32_t p = 0; p < n; ++p)
          for (int c = 0; c < 4; ++c) {
            const float a = std::bit_cast<float>(got[p].word[c]), b = std::bit_cast<float>(want[p].word[c]);
            ASSERT_TRUE(got[p].word[c] == want[p].word[c] || (a != a && b != b));
          }
        const auto zero = Model::texel(0);
        if (i % 8 == 0) {
          m.surface.clear(0, 0, 70, 16, zero.bytes, -1);
          for (uint64_t& v : m.plain) v = 0;
        }
      }
    }
}

TEST(FragmentSurface, TilesAverageAlikeWithEveryInstructionSet) {
  std::mt19937 random(6);
  for (uint32_t samples : {2u, 4u, 8u, 16u}) {
    Model m(VK_FORMAT_R8G8B8A8_UNORM, 24, 16, samples), other(VK_FORMAT_R8G8B8A8_UNORM, 24, 16, samples);
    for (int i = 0; i < 2000; ++i) {
      randomStep(m, other, random);
      for (uint32_t tile : {0u, 3u}) {
        std::byte want[8 * 96], out[8 * 96];
        ETZEL_BASELINE::averageTiles(m.surface, tile, 3, want, 96);
        for (const auto& variant : ETZEL_VARIANTS(averageTiles)) {
          if (!simd::hostRuns(variant.target)) continue;
          variant.of(m.surface, tile, 3, out, 96);
          ASSERT_EQ(std::memcmp(out, want, sizeof out), 0) << samples << " " << simd::targetName(variant.target);
        }
      }
    }
  }
}

TEST(FragmentSurface, ClearsTouchOnlyTileStates) {
  Model m(VK_FORMAT_R8G8B8A8_UNORM, 64, 64, 8);
  const std::vector<std::byte> before = m.memory;
  const auto red = Model::texel(0xFF0000FF);
  m.surface.clear(0, 0, 64, 64, red.bytes, m.surface.reserveClearColor(red.bytes, true, true));
  uint64_t changed = 0;
  for (size_t i = 0; i < before.size(); ++i) changed += before[i] != m.memory[i];
  EXPECT_LE(changed, 64u + 16);
  EXPECT_EQ(m.surface.countFragments(9), 0u);
}

TEST(FragmentSurface, ColoursAreKeptWhileATileShowsThem) {
  Model m(VK_FORMAT_R8G8B8A8_UNORM, 64, 64, 4);
  int32_t index[6];
  for (uint32_t i = 0; i < 6; ++i) {
    const auto texel = Model::texel(i + 1);
    index[i] = m.surface.reserveClearColor(texel.bytes, true, false);
    m.surface.clear(8 * i, 0, 8 * i + 8, 8, texel.bytes, index[i]);
  }
  EXPECT_GE(index[3], 0);
  EXPECT_EQ(index[4], -1);
  EXPECT_EQ(m.load(m.surface.sampleTexel(2, 2, 3)), 1u);
  EXPECT_EQ(m.load(m.surface.sampleTexel(42, 2, 3)), 6u);
  const auto texel = Model::texel(9);
  m.surface.clear(0, 0, 8, 8, texel.bytes, -1);
  EXPECT_EQ(m.surface.reserveClearColor(texel.bytes, true, false), index[0]);
}

TEST(FragmentSurface, GarbageIsReadWithinTheImage) {
  std::mt19937 random(11);
  for (uint32_t samples : {2u, 4u, 8u, 16u}) {
    Model m(VK_FORMAT_R8G8B8A8_UNORM, 37, 19, samples), other(VK_FORMAT_R8G8B8A8_UNORM, 37, 19, samples);
    for (int round = 0; round < 20; ++round) {
      for (std::byte& b : m.memory) b = static_cast<std::byte>(random());
      std::vector<std::byte> row(37 * 4);
      for (uint32_t y = 0; y < 19; ++y) {
        for (uint32_t s = 0; s < samples; ++s) m.surface.readRow(0, y, 37, s, row.data());
      }
      std::vector<std::byte> all(37 * 4 * 19);
      averageBytes(m.surface, 0, 0, 37, 19, all.data(), 37 * 4);
      for (uint32_t x = 0; x < 37; ++x)
        for (uint32_t s = 0; s < samples; ++s) ASSERT_LT(m.surface.maskAt(x, 3) >> 4 * s & 15, samples);
      for (int i = 0; i < 500; ++i) randomStep(m, other, random);
      for (uint32_t t = 0; t < m.surface.tilesX * m.surface.tilesY; ++t) m.surface.expand(t);
    }
  }
}

TEST(FragmentSurface, WritesCountInTilesOfGarbage) {
  for (uint32_t samples : {2u, 4u, 8u, 16u})
    for (uint32_t state = 0; state < 256; ++state) {
      Model m(VK_FORMAT_R8G8B8A8_UNORM, 8, 8, samples);
      std::mt19937 random(state);
      for (std::byte& b : m.memory) b = static_cast<std::byte>(random());
      m.surface.state(0) = static_cast<uint8_t>(state);
      const auto texel = Model::texel(0x01020304);
      m.surface.writeSamples(3, 5, 2, texel.bytes);
      EXPECT_EQ(m.load(m.surface.sampleTexel(3, 5, 1)), 0x01020304u) << samples << " samples, state " << state;
    }
}

TEST(FragmentSurface, StorageAccessFromManyThreadsKeepsEverySample) {
  for (int round = 0; round < 60; ++round) {
    Model m(VK_FORMAT_R32_UINT, 8, 8, 8);
    const auto start = Model::texel(5), other = Model::texel(7);
    m.surface.clear(0, 0, 8, 8, start.bytes, round % 2 ? m.surface.reserveClearColor(start.bytes, true, true) : -1);
    // Fragments that an expansion moves, in every third round.
    const SampleMask others = round % 3 == 0 ? 0b01101001 : 0;
    for (uint32_t i = 0; i < 64 && others; ++i) m.surface.writeSamples(i % 8, i / 8, others, other.bytes);
    std::atomic<uint32_t> wrong{0};
    std::vector<std::thread> threads;
    for (uint32_t s = 0; s < 8; ++s)
      threads.emplace_back([&, s] {
        for (uint32_t i = 0; i < 64; ++i) {
          uint32_t v = 0;
          m.surface.sharedSampleTexel(i % 8, i / 8, s, reinterpret_cast<std::byte*>(&v));
          if (v != (others >> s & 1 ? 7u : 5u)) ++wrong;
          v = 100 + s;
          m.surface.expandShared(0);
          std::memcpy(m.surface.at(i % 8, i / 8, s), &v, 4);
        }
      });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(wrong, 0u);
    for (uint32_t s = 0; s < 8; ++s)
      for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(m.load(m.surface.sampleTexel(i % 8, i / 8, s)), 100 + s);
  }
}

}  // namespace
}  // namespace etzel::msaa
