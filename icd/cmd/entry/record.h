// Shorthand for entry_*.cpp: how a vkCmd* call becomes a closure.
#pragma once

#include "icd/cmd/buffer/command_buffer.h"
#include "icd/cmd/replay/replay.h"
#include "icd/entry_points.h"

namespace etzel::icd {

inline CommandBuffer& buf(VkCommandBuffer handle) { return *cast<CommandBuffer>(handle); }

/// Appends `body(Replay&)`.
template <class F>
void record(VkCommandBuffer handle, F body) {
  buf(handle).record(body);
}
/// The same for commands that do nothing but read and write that many bytes: batches of few need no thread.
template <class F>
void recordBounded(VkCommandBuffer handle, uint64_t bytes, F body) {
  buf(handle).record(body, bytes);
}
inline constexpr uint64_t kNextToNothing = 64;  ///< bytes; commands that run at once wherever they are
/// Appends `body(raster::DrawState&)`: the many commands that only set values.
template <class F>
void recordState(VkCommandBuffer handle, F body) {
  buf(handle).record([body](Replay& r) { body(r.state()); });
}
/// Copies an array that the application owns into the command buffer.
template <class T>
const T* keep(VkCommandBuffer handle, const T* source, uint32_t count) {
  return source ? buf(handle).arena.copy(source, count) : nullptr;
}
/// The same for handles, turned into object pointers; null handles stay null.
template <class T>
T* const* keepObjects(VkCommandBuffer handle, const typename T::Handle* source, uint32_t count) {
  T** objects = buf(handle).arena.make<T*>(count);
  for (uint32_t i = 0; i < count; ++i) objects[i] = source && source[i] ? cast<T>(source[i]) : nullptr;
  return objects;
}

}  // namespace etzel::icd
