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

/// Median of some runs, after one that warms up.
double milliseconds(Renderer& renderer, Pass pass, bool byFragment) {
  constexpr int kRuns = 7;
  double times[kRuns];
  renderer.run(pass, byFragment);
  for (double& t : times) t = renderer.run(pass, byFragment);
  std::sort(times, times + kRuns);
  return times[kRuns / 2];
}

int largestDifference(const demo::Picture& a, const demo::Picture& b) {
  int most = 0;
  for (size_t i = 0; i < a.rgba.size(); ++i) most = std::max(most, std::abs(int(a.rgba[i]) - int(b.rgba[i])));
  return most;
}

/// \returns false when the two ways differ by more than rounding, or a file can't be written
bool compare(Renderer& renderer, Pass pass, const char* name, const std::string& folder) {
  const double bySample = milliseconds(renderer, pass, false);
  const demo::Picture expected = renderer.result();
  const double byFragment = milliseconds(renderer, pass, true);
  const demo::Picture picture = renderer.result();
  const int difference = largestDifference(expected, picture);
  const std::string path = folder + "/fragment_mask_" + name + ".png";
  std::printf(
      "%s, 8x: every sample %.1f ms, every fragment once %.1f ms (%.1f times as fast), largest difference %d/255, %s\n",
      name, bySample, byFragment, bySample / byFragment, difference, path.c_str());
  return demo::writePng(picture, path) && difference <= 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string folder = ".";
  if (argc == 3 && !std::strcmp(argv[1], "--output")) {
    folder = argv[2];
  } else if (argc != 1) {
    std::fprintf(stderr, "usage: etzel-fragment-mask [--output FOLDER]\n");
    return 2;
  }
  const Device device;
  if (!device) {
    std::fprintf(stderr, "etzel-fragment-mask: no device offers VK_AMD_shader_fragment_mask\n");
    return 1;
  }
  std::printf("device: %s\n", device.name().c_str());
  Renderer renderer(device, {800, 500}, VK_SAMPLE_COUNT_8_BIT);
  renderer.drawScene();
  const bool resolve = compare(renderer, Pass::Resolve, "resolve", folder);
  const bool deferred = compare(renderer, Pass::Deferred, "deferred", folder);
  return resolve && deferred ? 0 : 1;
}
