// VK_AMD_shader_fragment_mask at work: a custom resolve and deferred shading of an 8x multisampled scene, once for
// every sample and once for every distinct fragment. Both give the same picture; the second does the work of an edge
// only where there is one.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "renderer.h"

namespace {

using namespace example;

constexpr VkSampleCountFlagBits kSamples = VK_SAMPLE_COUNT_8_BIT;

struct Result {
  double milliseconds;
  demo::Picture picture;
  double shadings;       ///< per pixel, on average
  demo::Picture counts;  ///< shadings as colours: dark blue 1 to yellow 8
};

/// Colour of 1 to `most`: darker is less, whoever looks at it.
void paintCount(uint32_t n, uint32_t most, uint8_t* rgba) {
  static constexpr double kStops[][3] = {{26, 36, 89}, {33, 107, 143}, {51, 168, 120}, {153, 212, 64}, {255, 235, 51}};
  const double at = 4.0 * (std::clamp(n, 1u, most) - 1) / (most - 1);
  const int i = std::min(int(at), 3);
  for (int c = 0; c < 3; ++c) rgba[c] = uint8_t(kStops[i][c] + (kStops[i + 1][c] - kStops[i][c]) * (at - i));
}

/// The time is the median of some runs, after one that warms up.
Result measure(Renderer& renderer, Pass pass, bool byFragment) {
  constexpr int kRuns = 7;
  double times[kRuns];
  renderer.run(pass, byFragment);
  for (double& t : times) t = renderer.run(pass, byFragment);
  std::sort(times, times + kRuns);
  Result r{times[kRuns / 2], renderer.result(), 0, {}};
  r.counts = r.picture;
  for (size_t i = 0; i < r.picture.rgba.size(); i += 4) {
    // The shaders leave the number of shadings in alpha.
    r.shadings += r.picture.rgba[i + 3];
    paintCount(r.picture.rgba[i + 3], kSamples, &r.counts.rgba[i]);
    r.picture.rgba[i + 3] = r.counts.rgba[i + 3] = 255;
  }
  r.shadings /= double(r.picture.rgba.size() / 4);
  return r;
}

int largestDifference(const demo::Picture& a, const demo::Picture& b) {
  int most = 0;
  for (size_t i = 0; i < a.rgba.size(); ++i) most = std::max(most, std::abs(int(a.rgba[i]) - int(b.rgba[i])));
  return most;
}

/// \returns false when the two ways differ by more than rounding, or a file can't be written
bool compare(Renderer& renderer, Pass pass, const char* name, const char* work, const std::string& folder) {
  const Result bySample = measure(renderer, pass, false), byFragment = measure(renderer, pass, true);
  const int difference = largestDifference(bySample.picture, byFragment.picture);
  const std::string stem = folder + "/fragment_mask_" + name;
  std::printf("%s, 8x\n", name);
  for (const Result* r : {&bySample, &byFragment})
    std::printf("  %-19s %.2f %-13s a pixel, %6.1f ms\n", r == &bySample ? "every sample" : "every fragment once",
                r->shadings, work, r->milliseconds);
  std::printf("  %.1f times as fast; the pictures differ by %d/255 at most: %s.png\n",
              bySample.milliseconds / byFragment.milliseconds, difference, stem.c_str());
  std::printf("  every sample | every fragment once | %s a pixel, 1 (dark blue) to 8 (yellow): %s_beside.png\n", work,
              stem.c_str());
  const demo::Picture beside =
      demo::besideMagnified({&bySample.picture, &byFragment.picture, &byFragment.counts}, 318, 374, 110, 4);
  return demo::writePng(byFragment.picture, stem + ".png") && demo::writePng(beside, stem + "_beside.png") &&
         difference <= 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string folder = ".";
  if (argc == 3 && !std::strcmp(argv[1], "--output")) {
    folder = argv[2];
  } else if (argc != 1) {
    const bool asked = argc == 2 && !std::strcmp(argv[1], "--help");
    std::fputs(
        "usage: etzel-fragment-mask [--output FOLDER]     resolves and lights a scene by sample and by fragment, as\n"
        "                                                 pictures in FOLDER, and says what that costs\n",
        asked ? stdout : stderr);
    return asked ? 0 : 2;
  }
  const Device device(Device::Needs::FragmentMask);
  if (!device) {
    std::fprintf(stderr, "etzel-fragment-mask: no device offers VK_AMD_shader_fragment_mask\n");
    return 1;
  }
  std::printf("device: %s\n", device.name().c_str());
  Renderer renderer(device, {800, 500}, kSamples);
  renderer.drawScene();
  const bool resolve = compare(renderer, Pass::Resolve, "resolve", "tone mappings", folder);
  const bool deferred = compare(renderer, Pass::Deferred, "deferred", "lightings", folder);
  return resolve && deferred ? 0 : 1;
}
