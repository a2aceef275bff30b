#include "icd/physical_device/host.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>

#include "icd/physical_device/build_id.h"
#include "icd/physical_device/version.h"
#include "runtime/base/log.h"
#include "runtime/base/memory_limit.h"
#include "runtime/simd/cpu.h"

namespace etzel::icd {
namespace {

VkPhysicalDeviceType typeFromEnvironment() {
  const char* text = secure_getenv("ETZEL_DEVICE_TYPE");
  const std::string_view type = text ? text : "cpu";
  if (type == "integrated") return VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
  if (type == "discrete") return VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  if (type == "virtual") return VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU;
  if (type != "cpu") logMessage(LogLevel::Warning, "ETZEL_DEVICE_TYPE: want cpu, integrated, discrete or virtual");
  return VK_PHYSICAL_DEVICE_TYPE_CPU;
}

/// ETZEL_CONFORMANCE_VERSION=1.3.9.1: what the driver says that it conforms to. Etzel was never submitted, and says
/// 0.0.0.0; but some libraries (wgpu) hide drivers that do.
VkConformanceVersion conformanceFromEnvironment() {
  const char* text = secure_getenv("ETZEL_CONFORMANCE_VERSION");
  unsigned part[4] = {};
  char rest = 0;
  if (!text || !*text) return {};
  if (std::sscanf(text, "%3u.%3u.%3u.%3u%c", &part[0], &part[1], &part[2], &part[3], &rest) != 4 ||
      std::any_of(part, part + 4, [](unsigned p) { return p > 255; })) {
    logMessage(LogLevel::Warning, "ETZEL_CONFORMANCE_VERSION: want four numbers below 256, as in 1.3.9.1");
    return {};
  }
  return {uint8_t(part[0]), uint8_t(part[1]), uint8_t(part[2]), uint8_t(part[3])};
}

template <size_t N>
std::array<uint8_t, N> hashBytes(const std::string& text) {
  std::array<uint8_t, N> out{};
  uint64_t h = 0xcbf29ce484222325ull;  // FNV-1a, continued for each output byte
  for (size_t i = 0; i < N; ++i) {
    for (char c : text) h = (h ^ uint8_t(c)) * 0x100000001b3ull;
    out[i] = uint8_t(h >> 32);
  }
  return out;
}

std::string hexadecimal(std::span<const uint8_t> bytes) {
  std::string text;
  for (uint8_t b : bytes) text += {"0123456789abcdef"[b >> 4], "0123456789abcdef"[b & 15]};
  return text;
}

}  // namespace

const Host& host() {
  static const Host h = [] {
    Host h;
    const uint64_t quarter = physicalBytes() / 4 / 4096 * 4096;
    h.heapBytes[kDeviceHeap] = 2 * quarter;
    h.heapBytes[kHostHeap] = quarter;
    const std::string processor = simd::processorName();
    h.deviceName = "Etzel (" + processor + ")";
    if (h.deviceName.size() >= VK_MAX_PHYSICAL_DEVICE_NAME_SIZE)
      h.deviceName.resize(VK_MAX_PHYSICAL_DEVICE_NAME_SIZE - 1);
    h.buildUuid = buildId();
    h.driverInfo = "Etzel " + std::to_string(VK_API_VERSION_MAJOR(kDriverVersion)) + "." +
                   std::to_string(VK_API_VERSION_MINOR(kDriverVersion)) + "." +
                   std::to_string(VK_API_VERSION_PATCH(kDriverVersion)) + ", build " + hexadecimal(h.buildUuid);
    h.deviceUuid = hashBytes<VK_UUID_SIZE>("etzel device " + processor);
    h.driverUuid = hashBytes<VK_UUID_SIZE>("etzel driver " + h.driverInfo);
    h.deviceType = typeFromEnvironment();
    h.conformance = conformanceFromEnvironment();
    return h;
  }();
  return h;
}

uint64_t availableHostBytes() {
  unsigned long long kib = 0;
  if (FILE* f = std::fopen("/proc/meminfo", "r")) {
    char line[128];
    while (std::fgets(line, sizeof line, f))
      if (std::sscanf(line, "MemAvailable: %llu kB", &kib) == 1) break;
    std::fclose(f);
  }
  return std::min<uint64_t>(kib * 1024, memoryLimit().free);
}

}  // namespace etzel::icd
