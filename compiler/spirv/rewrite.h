// What the passes share that show spirv-val a module in other words: two visits of all instructions, and what the first
// one found of types.
#pragma once

#include <initializer_list>
#include <unordered_map>
#include <vector>

#include "compiler/spirv/words.h"
#include "runtime/base/result.h"

namespace etzel::spirv {

/// Calls `declare` for all instructions, then `write`, whose error ends the visit and is returned. \returns otherwise
/// whether the words are instructions to the end.
template <class Declare, class Write>
Result<bool> visitTwice(std::span<const uint32_t> words, Declare declare, Write write) {
  forEach(words, [&](Words inst) { return declare(inst), true; });
  Result<void> good;
  const bool whole = forEach(words, [&](Words inst) {
    good = write(inst);
    return good.ok();
  });
  if (!good) return good.error();
  return whole;
}

inline void putInstruction(std::vector<uint32_t>& out, spv::Op op, std::initializer_list<uint32_t> operands) {
  out.push_back(uint32_t(operands.size() + 1) << 16 | uint32_t(op));
  out.insert(out.end(), operands);
}

inline Error badModule(const char* why) { return {ErrorCode::InvalidShader, why}; }

/// Types, as far as a pass asks for them, and the types of values. What was not declared is a Type{} and 0.
template <class Type>
class Declared {
 protected:
  const Type& type(uint32_t id) const {
    static const Type none;
    auto it = types_.find(id);
    return it == types_.end() ? none : it->second;
  }
  uint32_t typeIdOf(uint32_t value) const {
    auto it = typeOf_.find(value);
    return it == typeOf_.end() ? 0 : it->second;
  }

  std::unordered_map<uint32_t, Type> types_;
  std::unordered_map<uint32_t, uint32_t> typeOf_;
};

}  // namespace etzel::spirv
