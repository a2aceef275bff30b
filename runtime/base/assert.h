// What callers owe a function, its \pre, checked where that may cost time: builds for debugging and with sanitizers.
//
// A broken contract is Etzel's own mistake and ends the process. What an application may do wrong is never asserted, it
// is answered by an error code or by zeros.
#pragma once

namespace etzel {

/// Says on standard error which contract was broken where, and aborts.
[[noreturn]] void contractBroken(const char* condition, const char* file, int line);

#ifdef ETZEL_ASSERTIONS
#define ETZEL_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::etzel::contractBroken(#condition, __FILE__, __LINE__))
#else
#define ETZEL_ASSERT(condition) static_cast<void>(sizeof((condition) ? 1 : 0))  // compiled, never run
#endif

}  // namespace etzel
