// Traces of shader invocations (ETZEL_TRACE, icd/debug/shader_trace.h) for people: JSON lines in, text out.
#pragma once

#include <iosfwd>
#include <string>

namespace etzel_debug {

/// Writes the trace's lines as text. \returns how many source lines the invocation ran; -1 where it was not traced.
int printTrace(std::istream& json, std::ostream& out);

}  // namespace etzel_debug
