// A workgroup of 61, 64 or 256 invocations with four buffers, for programs in the assembler's text.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>

#include "compiler/compiler.h"
#include "compiler/isa/assemble.h"

namespace etzel::exec::test {

constexpr uint32_t kMostWarps = 32, kWords = 512, kBuffers = 4, kMostSharedBytes = 8192;

/// Workgroups of 16 x 4 or 16 x 16, two warps a row, or of 61 x 1, whose last warp lacks lanes.
enum class Shape { Rows, Line, Square };
constexpr uint32_t widthOf(Shape s) { return s == Shape::Line ? 61 : 16; }
constexpr uint32_t heightOf(Shape s) { return s == Shape::Line ? 1 : s == Shape::Rows ? 4 : 16; }
constexpr uint32_t warpsOf(Shape s) { return (widthOf(s) * heightOf(s) + kWarpLanes - 1) / kWarpLanes; }
constexpr uint32_t sharedBytesOf(Shape s) { return s == Shape::Square ? kMostSharedBytes : 256; }

/// c0 is (0, 1, 2, 4), c1 names the buffers A to D, c2 is (3, 64, 1000, 7), c3 is (5, 18, 34, 256), r7.x is the
/// invocation's number, r0 is (bytes of the invocation's own word, its row, the first push constant, its warp). There
/// are sharedBytesOf(shape) of workgroup memory.
inline std::string around(const std::string& body, Shape shape) {
  const auto sys = [](abi::SysValue v) { return ", #" + std::to_string(static_cast<uint32_t>(v)) + "\n"; };
  return ".stage compute\n.local " + std::to_string(widthOf(shape)) + " " + std::to_string(heightOf(shape)) +
         " 1\n.temps 8\n.shared " + std::to_string(sharedBytesOf(shape)) +
         "\n.const 0 1 2 4\n.const 0 2 4 6\n.const 3 64 1000 7\n.const 5 18 34 256\nsys r7.x" +
         sys(abi::SysValue::LocalIndex) + "shl.i32 r0.x, r7.x, c0.z\nsys r0.y" + sys(abi::SysValue::LocalIdY) +
         "sys r0.w" + sys(abi::SysValue::SubgroupId) + "ld.push.i32 r0.z, -, -, #0\n" + body + "ret\n";
}

inline std::shared_ptr<abi::Kernel> assembled(const std::string& body, Shape shape) {
  auto program = isa::assemble(around(body, shape));
  EXPECT_TRUE(program.ok()) << program.error().message;
  if (!program.ok()) return nullptr;
  auto kernel = compiler::makeKernel(std::move(*program));
  EXPECT_TRUE(kernel.ok()) << kernel.error().message;
  return kernel.ok() ? *kernel : nullptr;
}

/// A workgroup and its buffers.
class Group {
 public:
  Group(const abi::Kernel& kernel, Shape shape = Shape::Rows) : kernel_(kernel), shape_(shape) {
    for (uint32_t b = 0; b < kBuffers; ++b) {
      for (uint32_t i = 0; i < kWords; ++i) memory[b][i] = (i * 2654435761u + b * 40503u) >> 22;
      bind(b, memory[b]);
    }
    context_.table[0] = reinterpret_cast<const std::byte*>(buffers_), context_.tableBytes[0] = sizeof buffers_;
    context_.table[abi::kNullTable] = zeros_, context_.tableBytes[abi::kNullTable] = sizeof zeros_;
    context_.pushConstants = push_, context_.cancel = &cancel;
    push(0, 37);
  }
  void bind(uint32_t buffer, uint32_t* words, uint64_t bytes = kWords * 2) {
    buffers_[buffer] = {reinterpret_cast<uint64_t>(words), bytes, {}};
  }
  /// A word of the push constants.
  void push(uint32_t word, uint32_t value) { std::memcpy(push_ + word * 4, &value, sizeof value); }

  /// Whichever way `executable` has.
  abi::WarpStatus run(const abi::Executable& executable) {
    const uint32_t width = widthOf(shape_), count = warpsOf(shape_);
    alignas(64) LaneWords sys[kMostWarps][abi::kSysValueCount] = {};
    std::vector<LaneWords> registers[kMostWarps], state[kMostWarps];
    abi::Warp warps[kMostWarps];
    for (uint32_t w = 0; w < count; ++w) {
      registers[w].resize(kernel_.registerWords + 1);
      state[w].resize(kernel_.stateBytes / sizeof(LaneWords) + 1);
      abi::Warp& warp = warps[w];
      warp.context = &context_, warp.kernel = &kernel_, warp.executable = &executable, warp.sys = sys[w];
      warp.registers = registers[w].data(), warp.executorState = state[w].data();
      warp.shared = shared_, warp.delayed = delayed;
      for (uint32_t l = 0; l < kWarpLanes; ++l) {
        const uint32_t index = w * kWarpLanes + l;
        if (index < width * heightOf(shape_)) warp.active |= 1u << l;
        sys[w][static_cast<uint32_t>(abi::SysValue::LocalIndex)][l] = index;
        sys[w][static_cast<uint32_t>(abi::SysValue::LocalIdX)][l] = index % width;
        sys[w][static_cast<uint32_t>(abi::SysValue::LocalIdY)][l] = index / width;
        sys[w][static_cast<uint32_t>(abi::SysValue::SubgroupId)][l] = w;
      }
    }
    if (executable.workgroup) return executable.workgroup(executable.code, warps, count);
    if (kernel_.info.usesBarrier) return betweenBarriers(executable, warps, count);
    const uint32_t step = executable.abreast ? executable.strands : 1;
    auto status = abi::WarpStatus::Done;
    for (uint32_t w = 0; w < count && status == abi::WarpStatus::Done; w += step)
      status = executable.abreast ? executable.abreast(executable.code, &warps[w])
                                  : executable.entry(executable.code, &warps[w]);
    return status;
  }

  uint32_t memory[kBuffers][kWords];
  std::atomic<uint32_t> cancel{0};
  abi::DelayedAtomics* delayed = nullptr;  ///< where atomics may be put off to

 private:
  /// All warps up to the next barrier, again and again.
  static abi::WarpStatus betweenBarriers(const abi::Executable& executable, abi::Warp (&warps)[kMostWarps],
                                         uint32_t count) {
    bool done[kMostWarps] = {};
    for (bool some = true; some;) {
      some = false;
      for (uint32_t w = 0; w < count; ++w) {
        if (done[w]) continue;
        const abi::WarpStatus status = executable.entry(executable.code, &warps[w]);
        if (status == abi::WarpStatus::Cancelled) return status;
        done[w] = status == abi::WarpStatus::Done;
        some |= !done[w];
      }
    }
    return abi::WarpStatus::Done;
  }

  const abi::Kernel& kernel_;
  const Shape shape_;
  alignas(32) abi::BufferDescriptor buffers_[kBuffers];
  alignas(32) std::byte zeros_[abi::kNullBytes] = {}, push_[256] = {}, shared_[kMostSharedBytes] = {};
  abi::DispatchContext context_;
};

}  // namespace etzel::exec::test
