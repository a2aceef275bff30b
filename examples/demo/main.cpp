// Etzel's demo: a small lit, textured, depth-tested scene, drawn offscreen through the Vulkan loader without and with
// 4x multisampling. Writes the pictures and a magnified comparison.
#include <cstdio>
#include <cstring>

#include "gpu.h"

int main(int argc, char** argv) {
  std::string directory = ".";
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--output") && i + 1 < argc) {
      directory = argv[++i];
    } else {
      const bool asked = !std::strcmp(argv[i], "--help");
      std::fputs(
          "usage: etzel-demo [--output FOLDER]     draws a scene with 1 and with 4 samples, as pictures in FOLDER\n",
          asked ? stdout : stderr);
      return asked ? 0 : 2;
    }
  }
  constexpr uint32_t kWidth = 800, kHeight = 500, kTexture = 256;
  demo::Gpu gpu;
  std::printf("device: %s\n", gpu.deviceName().c_str());
  gpu.upload(demo::makeScene(), demo::makeTexture(kTexture), kTexture);

  demo::Picture pictures[2];
  const VkSampleCountFlagBits samples[2] = {VK_SAMPLE_COUNT_1_BIT, VK_SAMPLE_COUNT_4_BIT};
  for (int i = 0; i < 2; ++i) {
    double ms = 0;
    pictures[i] = gpu.render(kWidth, kHeight, samples[i], &ms);
    const std::string path = directory + "/demo_" + std::to_string(samples[i]) + "x.png";
    if (!demo::writePng(pictures[i], path)) {
      std::fprintf(stderr, "etzel-demo: can't write %s\n", path.c_str());
      return 1;
    }
    std::printf("%dx: %.1f ms, %s\n", samples[i], ms, path.c_str());
  }
  const std::string path = directory + "/demo_compare.png";
  if (!demo::writePng(demo::besideMagnified({&pictures[0], &pictures[1]}, 280, 120, 80, 6), path)) return 1;
  std::printf("1x (left) and 4x (right), magnified: %s\n", path.c_str());
  return 0;
}
