// Inputs that are not constant, and digests of what came out.
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>

#include "../scenario.h"

namespace vkbench {

double processStart = 0;
std::string pictureFile;
std::string cacheFile;
bool fillsCache = false;

void digestBytes(Outcome& out, std::span<const uint8_t> bytes) {
  uint64_t h = 0xcbf29ce484222325u;
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    uint64_t w;
    std::memcpy(&w, &bytes[i], 8);
    h = (h ^ w) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  for (; i < bytes.size(); ++i) h = (h ^ bytes[i]) * 0x100000001b3u;
  out.checksum = h;
}

void digestImage(Outcome& out, std::span<const uint8_t> rgba, uint32_t width, uint32_t height) {
  digestBytes(out, rgba);
  if (!pictureFile.empty()) {
    std::ofstream file(pictureFile, std::ios::binary);
    file << "P6\n" << width << " " << height << "\n255\n";
    for (size_t i = 0; i + 4 <= rgba.size(); i += 4) file.write(reinterpret_cast<const char*>(&rgba[i]), 3);
  }
  constexpr uint32_t kColumns = 16, kRows = 9;
  for (uint32_t by = 0; by < kRows; ++by)
    for (uint32_t bx = 0; bx < kColumns; ++bx) {
      uint64_t sum[4] = {};
      const uint32_t x0 = bx * width / kColumns, x1 = (bx + 1) * width / kColumns;
      const uint32_t y0 = by * height / kRows, y1 = (by + 1) * height / kRows;
      for (uint32_t y = y0; y < y1; ++y)
        for (uint32_t x = x0; x < x1; ++x)
          for (uint32_t c = 0; c < 4; ++c) sum[c] += rgba[(size_t(y) * width + x) * 4 + c];
      const double pixels = double(x1 - x0) * (y1 - y0);
      for (const uint64_t s : sum) out.digest.push_back(float(double(s) / (255.0 * pixels)));
    }
}

void digestFloats(Outcome& out, std::span<const float> values) {
  digestBytes(out, {reinterpret_cast<const uint8_t*>(values.data()), values.size_bytes()});
  const size_t step = std::max<size_t>(1, values.size() / 256);
  for (size_t i = 0; i < values.size(); i += step) out.digest.push_back(values[i]);
}

void digestWords(Outcome& out, std::span<const uint32_t> values) {
  digestBytes(out, {reinterpret_cast<const uint8_t*>(values.data()), values.size_bytes()});
  const size_t step = std::max<size_t>(1, values.size() / 256);
  for (size_t i = 0; i < values.size(); i += step) out.digest.push_back(float(values[i] & 0xffffff));
}

std::vector<uint32_t> noiseTexels(uint32_t width, uint32_t height, uint64_t seed) {
  Random random(seed);
  std::vector<uint32_t> t(size_t(width) * height);
  for (uint32_t& w : t) w = random.word();
  return t;
}

void uploadChain(Gpu& gpu, const Image& image, std::vector<uint32_t> texels, uint32_t layer) {
  for (uint32_t m = 0, size = image.desc.width; m < image.desc.mips; ++m, size /= 2) {
    gpu.upload(image, texels, m, layer);
    const uint32_t half = size / 2;
    for (uint32_t i = 0; i < half * half; ++i) {
      const uint32_t* const t = &texels[size_t{i / half} * 2 * size + i % half * 2];
      uint32_t mean = 0;
      for (uint32_t shift = 0; shift < 32; shift += 8) {
        uint32_t sum = 2;
        for (const uint32_t word : {t[0], t[1], t[size], t[size + 1]}) sum += word >> shift & 0xff;
        mean |= sum / 4 << shift;
      }
      texels[i] = mean;  // behind what is still to be read
    }
    texels.resize(size_t{half} * half);
  }
}

uint16_t halfOf(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t magnitude = bits & 0x7fffffffu;
  return uint16_t((bits >> 16 & 0x8000u) | (magnitude == 0 ? 0 : (magnitude >> 13) - ((127 - 15) << 10)));
}

std::vector<Vertex> looseTriangles(uint32_t count, float area) {
  Random random(count);
  const float leg = std::sqrt(2 * area);  // pixels
  const auto columns = uint32_t(std::ceil(std::sqrt(double(count) * kWidth / kHeight)));
  const uint32_t rows = (count + columns - 1) / columns;
  std::vector<Vertex> v;
  v.reserve(size_t(count) * 3);
  for (uint32_t i = 0; i < count; ++i) {
    const float x = (float(i % columns) + random.unit()) * float(kWidth) / float(columns);
    const float y = (float(i / columns) + random.unit()) * float(kHeight) / float(rows);
    const float z = random.unit();
    const float s = random.word() & 1 ? leg : -leg;
    const float corners[3][2] = {{x, y}, {x + s, y + s * 0.125f}, {x, y + s}};
    for (const auto& c : corners)
      v.push_back({c[0] * 2 / kWidth - 1, c[1] * 2 / kHeight - 1, z, random.word() | 0xff000000u});
  }
  return v;
}

Mesh gridMesh(uint32_t columns, uint32_t rows) {
  Random random(columns);
  Mesh m;
  for (uint32_t y = 0; y <= rows; ++y)
    for (uint32_t x = 0; x <= columns; ++x) {
      const float u = float(x) / float(columns), v = float(y) / float(rows);
      m.vertices.push_back({u * 1.96f - 0.98f + 0.01f * std::sin(v * 23), v * 1.96f - 0.98f + 0.01f * std::sin(u * 31),
                            0.5f + 0.3f * std::sin(u * 9) * std::cos(v * 7), random.word() | 0xff000000u});
    }
  for (uint32_t y = 0; y < rows; ++y)
    for (uint32_t x = 0; x < columns; ++x) {
      const uint32_t a = y * (columns + 1) + x, b = a + 1, c = a + columns + 1, d = c + 1;
      for (const uint32_t i : {a, b, d, a, d, c}) m.indices.push_back(i);
    }
  return m;
}

std::vector<Scenario> allScenarios() {
  std::vector<Scenario> all;
  for (auto list : {rasterScenarios, fillScenarios, textureScenarios, shadingScenarios, msaaScenarios,
                    geometryScenarios, computeScenarios, apiScenarios, pipelineScenarios, transferScenarios,
                    programScenarios, sceneScenarios, skinningScenarios, particleScenarios, textScenarios,
                    bloomScenarios, imageScenarios, matvecScenarios, coopmatScenarios})
    for (Scenario& s : list()) all.push_back(std::move(s));
  return all;
}

std::vector<Scenario> sweepScenarios() {
  std::vector<Scenario> all;
  for (auto list : {samplingScenarios, outputScenarios, stateScenarios, operationScenarios, vertexScenarios,
                    copyScenarios, accessScenarios, fragmentScenarios, targetScenarios, stageScenarios, callScenarios})
    for (Scenario& s : list()) all.push_back(std::move(s));
  return all;
}

}  // namespace vkbench
