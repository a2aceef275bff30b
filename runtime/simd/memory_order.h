// How hosts order the memory accesses of a thread.
#pragma once

namespace etzel::simd {

/// Whether loads happen in the program's order: code that is compiled at run time and sees a flag that another thread
/// stored sees, without asking for it, what that thread wrote before.
#ifdef __aarch64__
inline constexpr bool kLoadsInOrder = false;
#else
inline constexpr bool kLoadsInOrder = true;
#endif

}  // namespace etzel::simd
