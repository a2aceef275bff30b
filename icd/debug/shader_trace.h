// ETZEL_TRACE=SUBJECT: tells the way of one shader invocation, line by line with the variables that each line changes,
// as JSON lines in ETZEL_TRACE_FILE (else on stderr), which is made, empty, with the first shader of the subject's
// stage. Everything runs as always but that one invocation's warp, which the interpreter runs in its debug compile
// (compiler/debug), with the same bytes. tools/etzel-debug sets the variables and shows the result.
//
//   pixel=X,Y[;sample=N][;draw=N]               the first fragment invocation there, of the draw
//   pixel=X,Y;mask=changes[;...]                the first there whose primitive changes the pixel's fragment mask
//   workgroup=X,Y,Z;invocation=I[;draw=N]       a compute invocation by its gl_LocalInvocationIndex
//   vertex=N[;instance=M], patch=N[;invocation=I], primitive=N[;invocation=I]
//                                               of vertex, control and geometry shaders; stage=evaluation;patch=N
//   layer=, view=, covered=partly as well, as debuggers name invocations (filter.h)
//
// Whether a mask changes is known when the primitive is through: invocations are traced until one of them did it, and
// the pixel's history (history.h), of layer 0, tells which.
//
// Draws and dispatches share one count, from 0, in the order in which a queue runs them. Programs that run with another
// user's rights ignore the variables. Without them nothing here costs more than one test per command and per pipeline.
#pragma once

#include "icd/debugger_built.h"
#ifndef ETZEL_DEBUGGER_BUILT
#include "icd/debug/absent.h"
#else

#include <optional>
#include <utility>

#include "compiler/compiler.h"

namespace etzel::icd {

/// Whether an invocation is to be traced; read once.
bool tracing();

/// The kernel that pipelines use in place of `kernel`, made from `source`: the same, until the subject comes along.
/// Only while tracing(). Stages that the subject does not name are returned as they are.
std::shared_ptr<abi::Kernel> traceable(std::shared_ptr<abi::Kernel> kernel, const compiler::ShaderSource& source);

/// The pixel of "mask=changes"; nothing where the subject does not ask for it.
std::optional<std::pair<uint32_t, uint32_t> > tracedMask();
/// This thread has drawn a primitive to that pixel, behind its invocations there.
void noteTracedFragment(bool maskChanged);

}  // namespace etzel::icd

#endif
