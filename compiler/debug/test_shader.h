// GLSL on one warp with the debug compile: what the tests of compiler/debug share.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "compiler/debug/run.h"
#include "runtime/tex/unit/texture_unit.h"

#ifndef ETZEL_GLSLANG
#define ETZEL_GLSLANG "glslangValidator"  // the build says which
#endif

namespace etzel::debugger::test {

/// SPIR-V of a shader. `options`: glslangValidator's; -gVS embeds the source and names everything.
inline std::vector<uint32_t> compileGlsl(const std::string& text, const std::string& stage,
                                         const std::string& options = "-gVS") {
  const std::string path = testing::TempDir() + "etzel-debug-" + std::to_string(getpid());
  const std::string source = path + "." + stage, module = path + ".spv";
  std::ofstream(source) << text;
  const std::string command = std::string(ETZEL_GLSLANG) + " -V --target-env vulkan1.1 -S " + stage + " " + options +
                              " -o " + module + " " + source + " > " + path + ".log";
  std::vector<uint32_t> words;
  if (std::system(command.c_str()) != 0) {
    ADD_FAILURE() << command << '\n' << std::ifstream(path + ".log").rdbuf();
    return words;
  }
  std::ifstream file(module, std::ios::binary);
  for (uint32_t word; file.read(reinterpret_cast<char*>(&word), 4);) words.push_back(word);
  for (const std::string& used : {source, module, path + ".log"}) std::remove(used.c_str());
  return words;
}

inline compiler::ShaderSource sourceOf(const std::vector<uint32_t>& words, abi::Stage stage) {
  compiler::ShaderSource source;
  source.spirv = words;
  source.stage = stage;
  for (uint32_t i = 0; i < 8; ++i) source.bindings[{0, i}] = {0, 32 * i};
  return source;
}

/// A compute shader with 8 invocations; binding 0 is a storage buffer of 64 words for reading, binding 1 for writing.
class Machine {
 public:
  explicit Machine(const std::string& glsl, const std::string& options = "-gVS")
      : words_(compileGlsl(glsl, "comp", options)) {
    auto compiled = compileForDebugging(sourceOf(words_, abi::Stage::Compute));
    if (!compiled) {
      ADD_FAILURE() << compiled.error().message;
      return;
    }
    program = *compiled;
    auto decoded = interp::decode(program->program);
    if (!decoded) {
      ADD_FAILURE() << decoded.error().message;
      return;
    }
    code = std::move(*decoded);
    const isa::Program& p = program->program;
    registers_.resize(p.tempWords + 1), scratch_.resize(p.scratchBytes / 4 + 1), shared_.resize(p.info.sharedBytes + 1);
    state_.resize(interp::stateBytes(*code) + 64);
    for (uint32_t i = 0; i < kWarpLanes; ++i)
      for (auto v :
           {abi::SysValue::LocalIndex, abi::SysValue::LaneId, abi::SysValue::LocalIdX, abi::SysValue::GlobalIdX})
        sys_[uint32_t(v)][i] = i;
    table_[0] = {reinterpret_cast<uint64_t>(in), sizeof in, {}};
    table_[1] = {reinterpret_cast<uint64_t>(out), sizeof out, {}};
    context.table[0] = reinterpret_cast<const std::byte*>(table_), context.tableBytes[0] = sizeof table_;
    context.table[abi::kNullTable] = push_, context.tableBytes[abi::kNullTable] = 64;
    context.pushConstants = push_;
    context.functions = &tex::functionTable();
    warp.context = &context, warp.active = kAllLanes;
    warp.sys = sys_, warp.registers = registers_.data();
    warp.scratch = reinterpret_cast<std::byte*>(scratch_.data());
    warp.shared = shared_.data(), warp.executorState = state_.data();
  }

  WarpRun run(uint32_t lane) { return WarpRun(*program, *code, &warp, lane, runState); }

  std::shared_ptr<const DebugProgram> program;
  interp::CodePtr code;
  abi::Warp warp;
  abi::DispatchContext context;
  RunState runState;
  uint32_t in[64] = {}, out[64] = {};

 private:
  std::vector<uint32_t> words_;
  abi::BufferDescriptor table_[8] = {};
  alignas(64) std::byte push_[256] = {};
  LaneWords sys_[abi::kSysValueCount] = {};
  std::vector<LaneWords> registers_, scratch_;
  std::vector<std::byte> state_, shared_;
};

/// "name = value" of a variable in scope.
inline std::string show(const WarpRun& run, const std::string& name, size_t frame = 0) {
  const uint32_t v = run.find(name, frame);
  return v == kNone ? "no " + name : toText(run.program(), run.value(v));
}

inline uint32_t lineOf(const WarpRun& run) { return run.program().positionOf(run.instruction()).line; }

}  // namespace etzel::debugger::test
