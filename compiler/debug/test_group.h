// A workgroup, or warps of fragments, on the debug compile: what the tests of compiler/debug share, beside
// test_shader.h.
#pragma once

#include <bit>

#include "compiler/debug/group_run.h"
#include "compiler/debug/test_shader.h"

namespace etzel::debugger::test {

/// A compute workgroup of `warps` warps on the debug compile, or as many warps of fragments; buffers as Machine has
/// them.
class Group {
 public:
  Group(const std::string& glsl, uint32_t warps) : Group(compileGlsl(glsl, "comp"), warps) {}
  Group(std::vector<uint32_t> words, uint32_t warps, abi::Stage stage = abi::Stage::Compute)
      : words_(std::move(words)) {
    auto made = makeDebuggable(sourceOf(words_, stage));
    if (!made) {
      ADD_FAILURE() << made.error().message;
      return;
    }
    what = *made;
    shared_.resize(what->program->program.info.sharedBytes + 1);
    sys_.resize(warps * abi::kSysValueCount), list_.resize(warps);
    colors_.resize(warps * abi::kFragmentOutWords);
    table_[0] = {reinterpret_cast<uint64_t>(in), sizeof in, {}};
    table_[1] = {reinterpret_cast<uint64_t>(out), sizeof out, {}};
    context_.table[0] = reinterpret_cast<const std::byte*>(table_), context_.tableBytes[0] = sizeof table_;
    context_.table[abi::kNullTable] = push_, context_.tableBytes[abi::kNullTable] = 64;
    context_.pushConstants = push_;
    context_.functions = &tex::functionTable();
    for (uint32_t w = 0; w < warps; ++w) {
      abi::Warp& warp = list_[w];
      warp.context = &context_, warp.active = kAllLanes;
      warp.sys = &sys_[w * abi::kSysValueCount];
      warp.shared = shared_.data();
      if (stage == abi::Stage::Fragment) warp.out = &colors_[w * abi::kFragmentOutWords];
      for (uint32_t i = 0; i < kWarpLanes; ++i) {
        using S = abi::SysValue;
        for (const S v : {S::LocalIndex, S::LocalIdX, S::GlobalIdX}) warp.sys[uint32_t(v)][i] = w * kWarpLanes + i;
        warp.sys[uint32_t(S::LaneId)][i] = i;
        for (const S v : {S::FragCoordX, S::PosX})
          if (stage == abi::Stage::Fragment) warp.sys[uint32_t(v)][i] = std::bit_cast<uint32_t>(static_cast<float>(i));
      }
    }
  }

  std::shared_ptr<const Debuggable> what;
  std::span<abi::Warp> list() { return list_; }
  uint32_t in[64] = {}, out[64] = {};

 private:
  std::vector<uint32_t> words_;
  abi::BufferDescriptor table_[8] = {};
  alignas(64) std::byte push_[256] = {};
  abi::DispatchContext context_;
  std::vector<LaneWords> sys_, colors_;
  std::vector<std::byte> shared_;
  std::vector<abi::Warp> list_;
};

}  // namespace etzel::debugger::test
