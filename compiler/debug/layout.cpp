#include "compiler/debug/layout.h"

#include <algorithm>

namespace etzel::debugger {
namespace {

using Kind = Type::Kind;

uint32_t alignmentOf(const DebugProgram& p, uint32_t index) {
  const Type& t = p.types[index];
  if (t.kind == Kind::Struct) {
    uint32_t most = 1;
    for (const Type::Member& m : t.members) most = std::max(most, alignmentOf(p, m.type));
    return most;
  }
  if (isScalar(t)) return t.bits / 8;
  return t.kind == Kind::Pointer || t.kind == Kind::Opaque || t.kind == Kind::Void ? 4 : alignmentOf(p, t.element);
}

uint64_t sizeOf(const DebugProgram& p, uint32_t index) {
  const Type& t = p.types[index];
  switch (t.kind) {
    case Kind::Vector:
    case Kind::Matrix: return t.count * sizeOf(p, t.element);
    case Kind::Array: return t.count * alignUp<uint64_t>(sizeOf(p, t.element), alignmentOf(p, t.element));
    case Kind::Struct: {
      uint64_t end = 0;
      for (const Type::Member& m : t.members) end = alignUp<uint64_t>(end, alignmentOf(p, m.type)) + sizeOf(p, m.type);
      return alignUp<uint64_t>(end, alignmentOf(p, index));
    }
    default: return t.bits / 8;
  }
}

Laid naturalPart(const DebugProgram& p, const Laid& part, uint32_t index) {
  const Type& t = p.types[part.type];
  Laid out;
  if (t.kind != Kind::Struct) {
    out.type = t.element;
    out.at = part.at + index * alignUp<uint64_t>(sizeOf(p, t.element), alignmentOf(p, t.element));
    return out;
  }
  uint64_t at = part.at;
  for (uint32_t i = 0;; ++i) {
    at = alignUp<uint64_t>(at, alignmentOf(p, t.members[i].type));
    if (i == index) break;
    at += sizeOf(p, t.members[i].type);
  }
  out.type = t.members[index].type, out.at = at;
  return out;
}

}  // namespace

uint64_t laidParts(const DebugProgram& p, const Laid& part, uint64_t bytes) {
  const Type& t = p.types[part.type];
  switch (t.kind) {
    case Kind::Vector:
    case Kind::Matrix:
    case Kind::Array: return t.count;
    case Kind::RuntimeArray: return t.stride && part.at < bytes ? (bytes - part.at) / t.stride : 0;
    case Kind::Struct: return t.members.size();
    default: return 0;
  }
}

Laid laidPart(const DebugProgram& p, const Laid& part, uint32_t index, bool decorated) {
  if (!decorated) return naturalPart(p, part, index);
  const Type& t = p.types[part.type];
  switch (t.kind) {
    case Kind::Struct: {
      const Type::Member& m = t.members[index];
      return {m.type, part.at + m.offset, m.matrixStride, m.rowMajor};
    }
    case Kind::Matrix: {
      const uint32_t scalar = p.types[p.types[t.element].element].bits / 8;
      if (part.rowMajor) return {t.element, part.at + index * uint64_t(scalar), part.matrixStride, true};
      return {t.element, part.at + index * uint64_t(part.matrixStride), 0, false};
    }
    case Kind::Vector: {
      // A column of a matrix in rows.
      const uint32_t step = part.rowMajor && part.matrixStride ? part.matrixStride : p.types[t.element].bits / 8;
      return {t.element, part.at + index * uint64_t(step), 0, false};
    }
    default: return {t.element, part.at + index * uint64_t(t.stride), part.matrixStride, part.rowMajor};
  }
}

}  // namespace etzel::debugger
