// What targets that run shaders have in common: a rig that is made when it is needed and made anew when its device is
// lost, and the modules of the corpus.
#pragma once

#include "tests/fuzz/core/raw.h"
#include "tests/fuzz/vk/rig.h"

namespace etzel::fuzz {

/// The valid modules that inputs begin with, always in the same order: what tests/fuzz/CMakeLists.txt compiles.
const std::vector<std::vector<uint32_t>>& corpus();

class RigTarget : public Target {
 public:
  Outcome run(std::span<const uint8_t> input) final;

 protected:
  /// May throw vktest::Failure: refused.
  virtual Outcome runOn(Rig& rig, std::span<const uint8_t> input) = 0;
  Rig& rig();

 private:
  std::unique_ptr<Rig> rig_;
};

/// Inputs that belong to a module of the corpus begin with a word: its number, and how what comes behind it runs.
struct Numbered {
  uint32_t number = 0;
  std::span<const uint32_t> module;
  bool asItIs = false;  ///< else with nothing undefined in it, so that executors can be compared
  std::span<const uint8_t> bytes;
};
Numbered numbered(std::span<const uint8_t> input);
Bytes withNumber(uint32_t number, std::span<const uint8_t> bytes);
void toggleAsItIs(Bytes& input);

}  // namespace etzel::fuzz
