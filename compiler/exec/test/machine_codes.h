// The executors that this build and host have beside the interpreter, for tests that compare them.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "compiler/exec/native/native.h"
#include "compiler/exec/quick/quick.h"

namespace etzel::exec::test {

struct NamedCode {
  const char* name;
  std::shared_ptr<MachineCode> code;
};

/// Null where there is no LLVM, or no native code for this host.
inline native::Compiler* optimizer() {
  static const std::unique_ptr<native::Compiler> compiler = native::Compiler::create();
  return compiler.get();
}

/// A program as quick code and, when `alsoOptimized`, by LLVM, fresh and saved: what there is of them. None may fail.
inline std::vector<NamedCode> machineCodes(const isa::Program& program, bool alsoOptimized = true) {
  std::vector<NamedCode> all;
  const auto add = [&](const char* name, Result<std::shared_ptr<MachineCode>> code) {
    if (code)
      all.push_back({name, *code});
    else
      ADD_FAILURE() << name << ": " << code.error().message;
  };
  if (quick::available()) add("quick", quick::make(program));
  if (alsoOptimized && optimizer()) {
    add("optimized", optimizer()->compile(program));
    if (!testing::Test::HasFailure()) add("saved", native::load(program, all.back().code->save()));
  }
  return all;
}

}  // namespace etzel::exec::test
