// What a SPIR-V module says of its source: files, scopes and names, from NonSemantic.Shader.DebugInfo.100, or from
// OpSource, OpString and OpName where there is none. Everything by SPIR-V id. Immutable; any thread.
#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "compiler/spirv/module.h"

namespace etzel::debugger {

struct SourceFile {
  std::string name, text;  ///< text: empty where the module does not embed it
};

/// DebugFunction, DebugLexicalBlock, DebugCompilationUnit.
struct SourceScope {
  bool isFunction = false;
  std::string name;
  uint32_t parent = 0, line = 0;
};

/// DebugInlinedAt: what calls were inlined before the module came here.
struct InlinedAt {
  uint32_t line = 0, scope = 0;
  uint32_t next = 0;  ///< where the caller was inlined; 0: nowhere
};

/// DebugLocalVariable.
struct LocalName {
  std::string name;
  uint32_t type = 0;  ///< id of its debug type
  uint32_t scope = 0, line = 0;
};

struct DebugInfo {
  std::vector<SourceFile> files;
  std::unordered_map<uint32_t, SourceScope> scopes;
  std::unordered_map<uint32_t, InlinedAt> inlinedAt;
  std::unordered_map<uint32_t, LocalName> locals;
  std::unordered_map<uint32_t, std::string> globals;                 ///< module-scope variables, by the OpVariable's id
  std::unordered_map<uint32_t, uint32_t> functions;                  ///< OpFunction: its DebugFunction
  std::unordered_map<uint32_t, std::vector<std::string>> members;    ///< DebugTypeComposite: its members' names
  std::unordered_map<uint32_t, std::string> typeNames;               ///< DebugTypeComposite: its name
  std::map<std::pair<uint32_t, uint32_t>, std::string> memberNames;  ///< OpMemberName: structure, member

  /// Index into files by name; -1: unknown.
  int fileOf(const std::string& name) const;
};

DebugInfo readDebugInfo(const spirv::Module& module);

}  // namespace etzel::debugger
