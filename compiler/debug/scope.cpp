#include "compiler/debug/scope.h"

#include <algorithm>
#include <bit>

#include "compiler/debug/layout.h"
#include "compiler/debug/number.h"
#include "runtime/format/small_float.h"

namespace etzel::debugger {
namespace {

using Place = lower::DebugPlace::Kind;

ScopeKind kindOf(const Variable& v) {
  if (!v.global) return ScopeKind::Locals;
  if (v.input) return ScopeKind::Inputs;
  return isOutput(v.place) ? ScopeKind::Outputs : ScopeKind::Globals;
}

std::vector<uint32_t> inScope(const GroupRun& run, Thread t, size_t frame) {
  const std::vector<StackFrame> stack = run.callStack(warpOf(t));
  if (frame < stack.size()) return run.program().variablesIn(stack[frame]);
  // In front of the first line and behind the last one there are the globals.
  std::vector<uint32_t> globals;
  for (uint32_t v = 0; v < run.program().variables.size(); ++v)
    if (run.program().variables[v].global) globals.push_back(v);
  return globals;
}

/// A component of a number in the bits of a scalar type. `widened`: the interface keeps small types as large ones.
uint64_t bitsIn(const Type& t, const Number& n, uint32_t k, bool widened) {
  if (t.kind == Type::Kind::Float) {
    const double value = n.asDouble(k);
    if (t.bits == 64) return std::bit_cast<uint64_t>(value);
    if (t.isEncoded()) return format::doubleToEncoded(t.encoding, value);
    if (t.bits == 16 && !widened) return simd::floatToHalf(static_cast<float>(value));
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  }
  if (t.kind == Type::Kind::Bool) return n.asDouble(k) != 0 ? ~0u : 0;
  const auto value = static_cast<uint64_t>(convert(n, Scalar::Int64).cell[k].i);
  return t.bits == 64 ? value : value & ((uint64_t{1} << t.bits) - 1);
}

}  // namespace

std::vector<uint32_t> variablesOf(const GroupRun& run, Thread t, size_t frame, ScopeKind kind) {
  std::vector<uint32_t> all = inScope(run, t, frame);
  std::erase_if(all, [&](uint32_t v) { return kindOf(run.program().variables[v]) != kind; });
  return all;
}

Names namesIn(const GroupRun& run, Thread t, size_t frame, Names others) {
  return [&run, t, frame, others = std::move(others)](std::string_view name) -> std::optional<Value> {
    const std::vector<uint32_t> all = inScope(run, t, frame);
    const DebugProgram& p = run.program();
    for (const uint32_t v : all)
      if (p.variables[v].name == name) return run.value(t, v);
    for (const uint32_t v : all) {
      const Type& type = p.types[p.variables[v].type];
      if (!p.variables[v].global || type.kind != Type::Kind::Struct) continue;
      for (size_t m = 0; m < type.members.size(); ++m)
        if (type.members[m].name == name)
          if (Value block = run.value(t, v); m < block.parts.size()) return std::move(block.parts[m]);
    }
    return others ? others(name) : std::nullopt;
  };
}

Result<void> assign(GroupRun& run, Thread t, uint32_t variable, std::span<const uint32_t> path, const Value& value) {
  const auto n = toNumber(run.program(), value);
  if (!n) return Error{ErrorCode::InvalidArgument, "only scalars, vectors and matrices can be stored"};
  const std::vector<GroupRun::Leaf> leaves = run.locate(t, variable, path);
  if (leaves.empty()) return Error{ErrorCode::Unsupported, "this cannot be stored to: it is constant, or kept nowhere"};
  if (leaves.size() != n->count())
    return Error{ErrorCode::InvalidArgument, "a value of " + std::to_string(leaves.size()) + " components is expected"};
  const bool widened = isOutput(run.program().variables[variable].place);
  for (uint32_t k = 0; k < leaves.size(); ++k)
    ETZEL_TRY(run.store(t, leaves[k], bitsIn(run.program().types[leaves[k].type], *n, k, widened)));
  return {};
}

}  // namespace etzel::debugger
