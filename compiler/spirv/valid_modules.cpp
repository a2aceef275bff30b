#include "compiler/spirv/valid_modules.h"

#include <algorithm>

namespace etzel::spirv {

bool ValidModules::knows(std::span<const uint32_t> words) const {
  const std::lock_guard lock(mutex_);
  return !words.empty() && std::any_of(std::begin(modules_), std::end(modules_),
                                       [&](const auto& m) { return std::ranges::equal(m, words); });
}

void ValidModules::add(std::span<const uint32_t> words) {
  if (words.size() > kMostWords) return;
  std::vector<uint32_t> copy(words.begin(), words.end());
  const std::lock_guard lock(mutex_);
  modules_[next_].swap(copy);
  next_ = (next_ + 1) % kModules;
}

ValidModules& validModules() {
  static auto& modules = *new ValidModules;  // never freed: a thread may compile while the process ends
  return modules;
}

}  // namespace etzel::spirv
