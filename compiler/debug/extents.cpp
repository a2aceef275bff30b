#include "compiler/debug/extents.h"

namespace etzel::debugger {
namespace {

using Kind = lower::DebugPlace::Kind;

/// Bytes of a variable in private memory, where every scalar has words of its own.
uint64_t wordBytes(const DebugProgram& p, uint32_t type) {
  const Type& t = p.types[type];
  switch (t.kind) {
    case Type::Kind::Vector:
    case Type::Kind::Matrix:
    case Type::Kind::Array: return t.count * wordBytes(p, t.element);
    case Type::Kind::Struct: {
      uint64_t bytes = 0;
      for (const Type::Member& m : t.members) bytes += wordBytes(p, m.type);
      return bytes;
    }
    case Type::Kind::Pointer: return uint64_t{4} * t.count;
    default: return t.bits == 64 ? 8 : 4;
  }
}

}  // namespace

Extents::Extents(const DebugProgram& p)
    : scratchBytes_(p.record.homeBase), tableBytes_(uint64_t{4} * p.program.table.size()) {
  for (const Variable& v : p.variables) {
    if (v.place.kind != Kind::Scratch && v.place.kind != Kind::Table) continue;
    auto& list = v.place.kind == Kind::Table ? table_ : scratch_;
    list.push_back({v.place.at, v.place.at + wordBytes(p, v.type)});
  }
}

Extents::Range Extents::around(Kind place, uint64_t at) const {
  const bool isTable = place == Kind::Table;
  Range largest;
  for (const Range& r : isTable ? table_ : scratch_)
    if (r.first <= at && at < r.end && r.end - r.first > largest.end - largest.first) largest = r;
  return largest.end ? largest : Range{0, isTable ? tableBytes_ : scratchBytes_};
}

}  // namespace etzel::debugger
