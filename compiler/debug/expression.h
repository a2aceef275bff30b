// Expressions of GLSL over the variables of a stopped invocation: names, members, indices, swizzles, arithmetic,
// comparisons, constructors and casts, built-in functions. They have no side effects. Floats are rounded as the type
// says after every operation; nothing is fused. Pure functions.
#pragma once

#include <functional>
#include <string_view>

#include "compiler/debug/value.h"

namespace etzel::debugger {

/// What names mean: the value of a variable, or nothing.
using Names = std::function<std::optional<Value>(std::string_view name)>;

/// The value of an expression, of one of the program's types. Errors: a sentence for who typed it.
Result<Value> evaluate(const DebugProgram& program, std::string_view text, const Names& names);

/// Whether a value counts as true: a scalar that is not zero.
bool isTrue(const DebugProgram& program, const Value& value);

/// The names of built-in functions, sorted, for completion.
std::vector<std::string> builtInFunctions();

}  // namespace etzel::debugger
