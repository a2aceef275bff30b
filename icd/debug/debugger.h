// ETZEL_DEBUGGER=ADDRESS: a debugger may attach to this process and stop inside shader invocations. The address is
//
//   unix:PATH         a Unix socket, for this user alone
//   port:N            a TCP port of the loopback interface
//
// and nothing else; ";wait" behind it lets vkCreateDevice wait until a debugger has attached and says go. Programs that
// run with another user's rights ignore the variable. Without it nothing here costs more than one test per command and
// per pipeline. tools/etzel-debug is the other end; docs/debugging.md has the protocol between the two.
//
// Pipelines keep their ordinary kernels. A draw or dispatch whose shaders a breakpoint concerns runs with watched ones
// instead, which look at every warp and run the ordinary code unless the place is one to look at.
#pragma once

#include "icd/debugger_built.h"
#ifndef ETZEL_DEBUGGER_BUILT
#include "icd/debug/absent.h"
#else

#include "compiler/compiler.h"
#include "icd/debug/command_number.h"
#include "icd/debug/pass_watch.h"
#include "raster/draw.h"

namespace etzel::icd {

/// Whether a debugger may attach; read once.
bool debugging();

/// A shader that may be debugged from now on. Only while debugging().
void offerToDebugger(const std::shared_ptr<abi::Kernel>& kernel, const compiler::ShaderSource& source);

/// Begins to listen where that has not been done; waits for a debugger where it is asked for. Only while debugging().
void startDebugger();

/// A line for the debugger's console, where one is attached. Only while debugging().
void tellDebugger(const std::string& text);

/// The kernel to run a draw or dispatch with: `kernel`, unless a breakpoint concerns it. Only while debugging().
const abi::Kernel* watched(const abi::Kernel* kernel, const CommandPlace& command);
/// Does that for all stages of a draw of a pass. `pass` (null: nobody looks at it) takes the fragment stage's where
/// breakpoints are for fragments at watchedPlace(), and the draw keeps its own. \returns whether the state has changed
bool watchStages(raster::DrawState& state, const CommandPlace& command, PassWatch* pass);
/// The fragments that breakpoints are for; none: all of them, or nobody is attached. Only while debugging().
std::optional<raster::WatchedPlace> watchedPlace();

}  // namespace etzel::icd

#endif
