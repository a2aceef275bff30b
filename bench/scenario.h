// What a scenario is, what it returns, and the list of all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/gpu.h"

namespace vkbench {

/// Which of the machine's limits (limits.h) bounds a scenario from above.
enum class Bound { None, Read, Write, Copy, CacheWrite, CacheCopy, Fma };

struct Outcome {
  double value = 0;           ///< in the scenario's unit
  Timing timing;              ///< of one repetition
  std::vector<float> digest;  ///< what was computed, small enough to send: compared between drivers
  uint64_t checksum = 0;      ///< of all bytes that were computed
  double strayPixels = -1;  ///< share of pixels that are far from a reference (supersample.h); -1: none to compare with
};

/// What drivers know of a scenario's shaders. But for Cold a process before the timed one has run them until they were
/// hot, and the driver's cache on disk is the same for both.
enum class Life {
  Cold,    ///< nothing: what drivers keep on disk is off
  Cached,  ///< the application gives `cacheFile` to vkCreatePipelineCache
  Again,   ///< the application does nothing
};

struct Scenario {
  std::string name;  ///< family.case
  std::string unit;
  bool higherIsBetter = true;
  Bound bound = Bound::None;
  double perUnit = 0;       ///< bytes or operations, in units of 1e9, that one unit of `value` cannot do without
  double tolerance = 0.01;  ///< largest difference of a digest's value between drivers
  std::function<Outcome(Gpu&)> run;
  Life life = Life::Cold;
};

std::vector<Scenario> rasterScenarios();
std::vector<Scenario> fillScenarios();
std::vector<Scenario> textureScenarios();
std::vector<Scenario> samplingScenarios();
std::vector<Scenario> outputScenarios();
std::vector<Scenario> stateScenarios();
std::vector<Scenario> operationScenarios();
std::vector<Scenario> vertexScenarios();
std::vector<Scenario> accessScenarios();
std::vector<Scenario> fragmentScenarios();
std::vector<Scenario> targetScenarios();
std::vector<Scenario> stageScenarios();
std::vector<Scenario> callScenarios();
std::vector<Scenario> copyScenarios();
std::vector<Scenario> shadingScenarios();
std::vector<Scenario> msaaScenarios();
std::vector<Scenario> geometryScenarios();
std::vector<Scenario> computeScenarios();
std::vector<Scenario> apiScenarios();
std::vector<Scenario> pipelineScenarios();
std::vector<Scenario> transferScenarios();
std::vector<Scenario> programScenarios();
std::vector<Scenario> matvecScenarios();
std::vector<Scenario> coopmatScenarios();
std::vector<Scenario> imageScenarios();
std::vector<Scenario> bloomScenarios();
std::vector<Scenario> sceneScenarios();
std::vector<Scenario> skinningScenarios();
std::vector<Scenario> particleScenarios();
std::vector<Scenario> textScenarios();
std::vector<Scenario> allScenarios();
/// Formats and states, one varied at a time: not in the manner of programs, but what programs may ask for.
std::vector<Scenario> sweepScenarios();

inline constexpr uint32_t kWidth = 1920, kHeight = 1080;
inline constexpr double kPixels = double(kWidth) * kHeight;

/// Seconds on the shared clock when the parent started this process.
extern double processStart;

/// Where digestImage also writes the picture (PPM), for looking at scenarios that differ; empty: nowhere.
extern std::string pictureFile;

/// Pipeline cache data that a process before this one wrote; empty: none, or this is that process (`fillsCache`).
extern std::string cacheFile;
extern bool fillsCache;

// Digests and inputs (digest.cpp).

/// Averages of a grid of blocks, per channel, 0..1; and the checksum of all bytes.
void digestImage(Outcome& out, std::span<const uint8_t> rgba, uint32_t width, uint32_t height);
void digestBytes(Outcome& out, std::span<const uint8_t> bytes);
/// About 256 values, evenly taken.
void digestFloats(Outcome& out, std::span<const float> values);
void digestWords(Outcome& out, std::span<const uint32_t> values);

/// A deterministic stream of random words.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint32_t word() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return uint32_t(state_ >> 32) ^ uint32_t(state_ >> 53);
  }
  float unit() { return float(word() >> 8) * (1.0f / 16777216.0f); }

 private:
  uint64_t state_;
};

std::vector<uint32_t> noiseTexels(uint32_t width, uint32_t height, uint64_t seed);
/// Uploads square RGBA8 texels and all smaller levels, each the average of the one before.
void uploadChain(Gpu& gpu, const Image& image, std::vector<uint32_t> texels, uint32_t layer = 0);
/// The half that is next towards zero. \pre 0, or a magnitude of 2^-14 to 65504
uint16_t halfOf(float value);

/// Separate triangles of about `area` pixels, placed in cells from left to right and top to bottom.
std::vector<Vertex> looseTriangles(uint32_t count, float area);
struct Mesh {
  std::vector<Vertex> vertices;
  std::vector<uint32_t> indices;
};
/// A wavy grid over the target, two triangles a cell.
Mesh gridMesh(uint32_t columns, uint32_t rows);

}  // namespace vkbench
