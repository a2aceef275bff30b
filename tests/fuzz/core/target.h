// What a fuzzer feeds: a target takes bytes, gives them to the driver through its API, and says what became of them.
// Whatever the bytes are, the process lives, the call returns, and what ran gives the same bytes from every executor.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <vector>

namespace etzel::fuzz {

using Bytes = std::vector<uint8_t>;
using Random = std::mt19937;
/// 0 to below - 1. \pre below > 0
inline uint32_t pick(Random& random, size_t below) { return uint32_t(random() % below); }

enum class Verdict : uint8_t {
  Refused,  ///< the driver returned an error
  Ran,      ///< accepted, and what it computed has a digest
  Lost      ///< accepted, and the device was lost: it never ended
};
struct Outcome {
  Verdict verdict = Verdict::Refused;
  uint64_t digest = 0;  ///< of all that it wrote, where it Ran
};

/// One thread. Objects of the API are made when first needed, so that seeds() may be called in another process.
class Target {
 public:
  virtual ~Target() = default;
  /// Inputs to begin with; most are accepted. Called in a process of its own: what the driver compiles for them must
  /// not be in the caches of the process that runs inputs.
  virtual std::vector<Bytes> seeds() = 0;
  /// Changes an input a little, so that most of what it means stays. `other` is another input to take parts from.
  virtual void mutate(Bytes& input, const Bytes& other, Random& random) = 0;
  virtual Outcome run(std::span<const uint8_t> input) = 0;
  /// The input, with what executors may compute in different ways taken away; empty: there is nothing of that.
  virtual Bytes settled(std::span<const uint8_t>) { return {}; }
  /// Whether shaders run, so that the executors are compared.
  virtual bool compared() const { return true; }
};

struct TargetRow {
  const char* name;
  const char* about;
  std::unique_ptr<Target> (*make)();
};
std::span<const TargetRow> targets();
/// Null when there is none of that name.
const TargetRow* findTarget(std::string_view name);

}  // namespace etzel::fuzz
