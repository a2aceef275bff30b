// SPIR-V of every stage: a pipeline, and one small draw or dispatch.
#include "tests/fuzz/spirv/module.h"
#include "tests/fuzz/spirv/mutate.h"
#include "tests/fuzz/targets/rig_target.h"
#include "tests/fuzz/targets/targets.h"

namespace etzel::fuzz {
namespace {

/// A bit of the header's third word (vk/rig.h): the module runs as it is, and what it writes is not compared. Else it
/// runs with nothing undefined in it.
constexpr uint32_t kAsItIs = 16;

class Shaders : public RigTarget {
 public:
  std::vector<Bytes> seeds() override {
    std::vector<Bytes> all;
    for (const std::vector<uint32_t>& module : corpus()) all.push_back(bytesOf(module));
    return all;
  }
  void mutate(Bytes& input, const Bytes& other, Random& random) override { mutateModule(input, other, random); }

  Bytes settled(std::span<const uint8_t> input) override {
    std::optional<Module> module = parse(wordsOf(input));
    if (!module) return {};
    define(*module);
    quietNans(*module);
    return bytesOf(write(*module));
  }

 protected:
  Outcome runOn(Rig& rig, std::span<const uint8_t> input) override {
    if (input.size() < 20) return {};
    const std::span<const uint32_t> words = wordsOf(input);
    const std::optional<Module> module = parse(words);
    if (!module) return rig.run(words);
    if (words[2] & kAsItIs) {
      Outcome outcome = rig.run(words);
      outcome.digest = 0;
      return outcome;
    }
    Module defined = *module;
    define(defined);
    return rig.run(write(defined));
  }
};

}  // namespace

std::unique_ptr<Target> makeShaders() { return std::make_unique<Shaders>(); }

}  // namespace etzel::fuzz
