// ETZEL_TRACE=SUBJECT: tells the way of one shader invocation, line by line with the variables that each line changes,
// as JSON lines in ETZEL_TRACE_FILE (else on stderr). Everything runs as always but that one invocation's warp, which
// the interpreter runs in its debug compile (compiler/debug), with the same bytes. tools/etzel-debug sets the variables
// and shows the result.
//
//   pixel=X,Y[;sample=N][;draw=N]               the first fragment invocation there, of the draw
//   workgroup=X,Y,Z;invocation=I[;draw=N]       a compute invocation by its gl_LocalInvocationIndex
//
// Draws and dispatches share one count, from 0, in the order in which a queue runs them. Programs that run with another
// user's rights ignore the variables. Without them nothing here costs more than one test per command and per pipeline.
#pragma once

#include "icd/debugger_built.h"
#ifndef ETZEL_DEBUGGER_BUILT
#include "icd/debug/absent.h"
#else

#include "compiler/compiler.h"

namespace etzel::icd {

/// Whether an invocation is to be traced; read once.
bool tracing();

/// The kernel that pipelines use in place of `kernel`, made from `source`: the same, until the subject comes along.
/// Only while tracing(). Stages that the subject does not name are returned as they are.
std::shared_ptr<abi::Kernel> traceable(std::shared_ptr<abi::Kernel> kernel, const compiler::ShaderSource& source);

}  // namespace etzel::icd

#endif
