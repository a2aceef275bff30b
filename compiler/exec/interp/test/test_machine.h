// Runs programs on one warp: what tests of the ISA's semantics share. Programs are vertex shaders: inputs are i words,
// results o words, buffer 0 is a storage buffer of the test.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "compiler/exec/interp/interp.h"
#include "compiler/isa/builder.h"
#include "compiler/isa/disassemble.h"
#include "compiler/isa/verify.h"

namespace etzel::interp::test {

/// The baseline first.
inline std::vector<simd::Target> hostTargets() {
  std::vector<simd::Target> all;
#define ETZEL_ADD(target) \
  if (simd::hostRuns(simd::Target::target)) all.push_back(simd::Target::target);
  ETZEL_TARGETS(ETZEL_ADD)
#undef ETZEL_ADD
  return all;
}

struct Machine {
  isa::Program program;
  std::vector<LaneWords> in{abi::kAttributeWords}, out{abi::kRecordWords};
  std::vector<uint32_t> buffer = std::vector<uint32_t>(64);
  std::vector<uint32_t> shared = std::vector<uint32_t>(64);
  std::vector<uint8_t> push = std::vector<uint8_t>(256);
  LaneMask active = kAllLanes, helper = 0;
  abi::Warp after;
  decltype(abi::Warp::fetchAttribute) fetchAttribute = nullptr;

  Machine() {
    program.info.stage = abi::Stage::Vertex;
    program.resources.push_back({0, 0, abi::makeHandle(0, 0), 32, 1});
  }

  /// Runs to the end (through barriers), on every target that this host runs, from the same inputs; they must agree on
  /// all results.
  void run() {
    const std::vector<uint32_t> buffer0 = buffer, shared0 = shared;
    const std::vector<LaneWords> out0 = out;
    const auto targets = hostTargets();
    runOn(targets[0]);
    const std::vector<uint32_t> bufferBaseline = buffer;
    const std::vector<LaneWords> outBaseline = out;
    const abi::Warp warpBaseline = after;
    for (size_t i = 1; i < targets.size(); ++i) {
      SCOPED_TRACE(simd::targetName(targets[i]));
      buffer = buffer0, shared = shared0, out = out0;
      runOn(targets[i]);
      EXPECT_EQ(buffer, bufferBaseline);
      EXPECT_EQ(after.killed, warpBaseline.killed);
      for (uint32_t w = 0; w < out.size(); ++w)
        for (uint32_t l = 0; l < kWarpLanes; ++l)
          if (active >> l & 1) {
            EXPECT_EQ(out[w].lane[l], outBaseline[w].lane[l]) << "o word " << w << " lane " << l;
          }
    }
  }

  void runOn(simd::Target target) {
    program.info.usesBarrier = true;
    const auto verified = isa::verify(program, isa::VerifyMode::RealRegisters);
    ASSERT_TRUE(verified.ok()) << verified.error().message;
    auto code = decode(program, target);
    ASSERT_TRUE(code.ok()) << code.error().message;
    static const std::byte zeros[abi::kNullBytes] = {};
    abi::BufferDescriptor descriptor{reinterpret_cast<uint64_t>(buffer.data()), buffer.size() * 4, {}};
    abi::DispatchContext context;
    context.table[0] = reinterpret_cast<const std::byte*>(&descriptor), context.tableBytes[0] = sizeof descriptor;
    context.table[abi::kNullTable] = zeros, context.tableBytes[abi::kNullTable] = sizeof zeros;
    context.pushConstants = reinterpret_cast<const std::byte*>(push.data());
    std::vector<LaneWords> registers(program.tempWords + 1), scratch(program.scratchBytes / 4 + 1),
        sys(abi::kSysValueCount);
    for (LaneWords& r : registers) r = LaneWords{{0xDEADBEEF, 1, 2, 3, 4, 5, 6, 0x7FC00000}};
    for (uint32_t i = 0; i < abi::kSysValueCount; ++i)
      for (uint32_t l = 0; l < kWarpLanes; ++l) sys[i].lane[l] = 100 * i + l;
    std::vector<LaneWords> state(stateBytes(**code) / sizeof(LaneWords) + 1);
    abi::Warp warp;
    warp.context = &context, warp.active = active, warp.helper = helper;
    warp.in = in.data(), warp.out = out.data(), warp.registers = registers.data(), warp.sys = sys.data();
    warp.scratch = reinterpret_cast<std::byte*>(scratch.data());
    warp.shared = reinterpret_cast<std::byte*>(shared.data());
    warp.executorState = state.data(), warp.fetchAttribute = fetchAttribute;
    abi::WarpStatus status;
    do {
      std::fill(registers.begin() + program.tempWords, registers.end(), LaneWords{});
      status = interp::run(code->get(), &warp);
    } while (status == abi::WarpStatus::AtBarrier);
    EXPECT_EQ(status, abi::WarpStatus::Done);
    after = warp;
  }
};

inline isa::Operand input(uint32_t word) { return {isa::Bank::In, word}; }
inline isa::Operand output(uint32_t word) { return {isa::Bank::Out, word}; }

}  // namespace etzel::interp::test
