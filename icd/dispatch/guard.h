// What stands between the loader and every entry point: the floating-point state is the driver's while a call lasts,
// and no exception leaves it. The only exceptions are the library's own, for memory or threads that the system does not
// give; they become VK_ERROR_OUT_OF_HOST_MEMORY, where the call can say so. Commands cannot: they mark their command
// buffer, and vkEndCommandBuffer says it ("Command Buffer Recording"). Calls that return nothing at all have no effect.
#pragma once

#include <vulkan/vulkan.h>

#include <exception>
#include <type_traits>

#include "icd/object/error.h"
#include "runtime/simd/float_state.h"

namespace etzel::icd {

/// A command was recorded in part: vkEndCommandBuffer will say so. (icd/cmd/buffer)
void markOutOfMemory(VkCommandBuffer commands);

/// What stands before an entry point: guards.txt names those that have less than the whole.
enum class Guard { Whole, Integers, Bare };

struct NoScope {};

template <auto Function, Guard Kind>
struct Guarded;

template <class R, class... A, R(VKAPI_PTR* Function)(A...), Guard Kind>
struct Guarded<Function, Kind> {
  static VKAPI_ATTR R VKAPI_CALL call(A... arguments) {
    [[maybe_unused]] const std::conditional_t<Kind == Guard::Whole, simd::FloatScope, NoScope> driverState;
    try {
      return Function(arguments...);
    } catch (const std::exception&) {
      if constexpr (std::is_same_v<R, VkResult>)
        return ETZEL_FAIL(VK_ERROR_OUT_OF_HOST_MEMORY, "the system gives no memory, or no thread");
      else if constexpr (std::is_void_v<R>)
        markFailed(arguments...);
      else
        return R{};
    }
  }

 private:
  static void markFailed(VkCommandBuffer commands, auto&&...) { markOutOfMemory(commands); }
  static void markFailed(auto&&...) {}
};

}  // namespace etzel::icd
