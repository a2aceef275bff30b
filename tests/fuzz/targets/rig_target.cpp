#include "tests/fuzz/targets/rig_target.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace etzel::fuzz {

constexpr uint32_t kAsItIs = 1u << 31;  ///< in the word that an input begins with

const std::vector<std::vector<uint32_t>>& corpus() {
  static const std::vector<std::vector<uint32_t>> modules = [] {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(ETZEL_FUZZ_CORPUS))
      if (entry.path().extension() == ".spv") paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    std::vector<std::vector<uint32_t>> all;
    for (const auto& path : paths) {
      std::ifstream file(path, std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
      all.emplace_back(bytes.size() / 4);
      std::memcpy(all.back().data(), bytes.data(), bytes.size() / 4 * 4);
    }
    if (all.empty()) throw vktest::Failure("no corpus in " ETZEL_FUZZ_CORPUS);
    return all;
  }();
  return modules;
}

Rig& RigTarget::rig() {
  if (rig_ && rig_->lost()) rig_.reset();
  if (!rig_) rig_ = std::make_unique<Rig>();
  return *rig_;
}

Outcome RigTarget::run(std::span<const uint8_t> input) {
  Rig& rig = this->rig();
  try {
    return runOn(rig, input);
  } catch (const vktest::Failure&) {
    rig_.reset();  // whatever was half made
    return {};
  }
}

Numbered numbered(std::span<const uint8_t> input) {
  Numbered parts;
  uint32_t word = 0;
  if (input.size() >= 4) {
    std::memcpy(&word, input.data(), 4);
    parts.bytes = input.subspan(4);
  }
  parts.number = (word & ~kAsItIs) % uint32_t(corpus().size());
  parts.module = corpus()[parts.number];
  parts.asItIs = word & kAsItIs;
  return parts;
}

void toggleAsItIs(Bytes& input) {
  if (input.size() >= 4) input[3] ^= uint8_t(kAsItIs >> 24);
}

Bytes withNumber(uint32_t number, std::span<const uint8_t> bytes) {
  Bytes input(4 + bytes.size());
  std::memcpy(input.data(), &number, 4);
  std::copy(bytes.begin(), bytes.end(), input.begin() + 4);
  return input;
}

}  // namespace etzel::fuzz
