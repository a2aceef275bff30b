// Modules that were found valid not long ago, word by word, so that the next pipeline of such a module (another entry
// point, other specialization constants, another layout) does not wait for the same answer: validation is three
// quarters of making a small one. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace etzel::spirv {

class ValidModules {
 public:
  static constexpr size_t kModules = 16, kMostWords = 1 << 14;  ///< at most 1 MiB

  bool knows(std::span<const uint32_t> words) const;
  /// Takes the place of the one that was added longest ago. Large modules are not kept: they are rare.
  void add(std::span<const uint32_t> words);

 private:
  mutable std::mutex mutex_;
  std::vector<uint32_t> modules_[kModules];
  size_t next_ = 0;
};

/// What validate() has found valid, for the whole process.
ValidModules& validModules();

}  // namespace etzel::spirv
