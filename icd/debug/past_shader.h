// Where a debugger's step leads behind the last line of a fragment shader: to what becomes of the fragment ("Fragment
// Operations"), and at the end of the pass to the resolve of its pixel. Workers and queue threads sleep here.
#pragma once

#include "icd/debugger_built.h"
#ifndef ETZEL_DEBUGGER_BUILT
#include "icd/debug/absent.h"
#else

#include <atomic>
#include <cstdint>
#include <span>
#include <string>

namespace etzel::icd {

/// What a debugger says when it lets go.
enum class PastShader : uint8_t { On, ToResolve };

/// A fragment whose invocation has ended in a step.
struct SteppedFragment {
  uint32_t draw = 0;
  int32_t x = 0, y = 0;
  bool operator==(const SteppedFragment&) const = default;
};
/// This thread has run such an invocation.
void noteEndOfStep(const SteppedFragment& fragment);
/// Whether the last one was of this fragment; told once.
bool takeEndOfStep(const SteppedFragment& fragment);

/// Shows the debugger an event of the pixel's history, and sleeps until it lets go. `progress` is the queue's.
PastShader showPastShader(const std::string& event, std::atomic<uint32_t>* progress);

struct TouchedImage;
/// The same where a breakpoint is on what the event has written; else nothing, and On.
PastShader showWrite(const std::string& event, std::span<const TouchedImage> images, std::atomic<uint32_t>* progress);
/// The same for bytes that a command has written.
void showMemoryWrite(const char* command, const void* at, uint64_t bytes, std::atomic<uint32_t>* progress);

}  // namespace etzel::icd

#endif
