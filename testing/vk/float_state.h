// The floating-point state of an application, as the environment asks for it: ETZEL_CTS_FLOAT=flush (denormals are
// zero, as programs linked with -ffast-math have it), upward, downward or towardzero. Calls that compute or start
// threads are made in it; references are computed in the default state, and what a driver gives must be the same.
#pragma once

#include <cfenv>
#include <cstdlib>
#include <string_view>

namespace vktest {

class ApplicationFloatState {
 public:
  ApplicationFloatState() {
    static const std::string_view wanted = [] {
      const char* text = std::getenv("ETZEL_CTS_FLOAT");
      return std::string_view(text ? text : "");
    }();
    if (wanted.empty()) return;
    std::fegetenv(&before_);
    changed_ = true;
    std::fenv_t state = before_;
#ifdef __x86_64__
    if (wanted == "flush") state.__mxcsr |= 0x8040;
#endif
    std::fesetenv(&state);
    if (wanted == "upward") std::fesetround(FE_UPWARD);
    if (wanted == "downward") std::fesetround(FE_DOWNWARD);
    if (wanted == "towardzero") std::fesetround(FE_TOWARDZERO);
  }
  ~ApplicationFloatState() {
    if (changed_) std::fesetenv(&before_);
  }
  ApplicationFloatState(const ApplicationFloatState&) = delete;
  ApplicationFloatState& operator=(const ApplicationFloatState&) = delete;

 private:
  std::fenv_t before_{};
  bool changed_ = false;
};

template <class Call>
auto inApplicationState(Call&& call) {
  const ApplicationFloatState state;
  return call();
}

}  // namespace vktest
