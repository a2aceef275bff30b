// Types of a module as debuggers show them. Private to compiler/debug.
#pragma once

#include "compiler/debug/debug_program.h"

namespace etzel::debugger {

/// Makes the types of a DebugProgram from SPIR-V's, each once.
class TypeTable {
 public:
  TypeTable(const spirv::Module& module, const DebugInfo& info) : module_(module), info_(info) {}

  /// Index of the type with a SPIR-V id. `debugType`: a DebugTypeComposite with names that OpMemberName may lack; 0:
  /// none.
  uint32_t of(uint32_t id, uint32_t debugType = 0);
  std::vector<Type> take() { return std::move(types_); }

 private:
  Type make(uint32_t id, uint32_t debugType);

  const spirv::Module& module_;
  const DebugInfo& info_;
  std::vector<Type> types_;
  std::unordered_map<uint32_t, uint32_t> known_;
};

}  // namespace etzel::debugger
