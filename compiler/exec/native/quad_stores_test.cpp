// Stores of fragments, which lie in quads: two rows of four pixels that are found to be side by side, and all that is
// nearly that, against the interpreter's.
#include <gtest/gtest.h>

#include <numeric>

#include "compiler/compiler.h"
#include "compiler/exec/native/native.h"
#include "compiler/isa/assemble.h"

namespace etzel::native {
namespace {

constexpr uint32_t kBytes = 512;
constexpr abi::SysValue kPlace = abi::SysValue::PrimitiveId;  ///< any that varies freely
/// Of a lane's pixel in the 4 by 2 of its warp.
constexpr uint32_t column(uint32_t lane) { return lane % 2 + lane / 4 * 2; }
constexpr uint32_t row(uint32_t lane) { return lane / 2 % 2; }

/// Stores `count` elements of a lane's four words at its place.
std::string storing(uint32_t bytes, uint32_t count) {
  const auto sys = [](const std::string& to, abi::SysValue v) {
    return "sys " + to + ", #" + std::to_string(static_cast<uint32_t>(v)) + "\n";
  };
  return ".stage fragment\n.temps 4\n.const 0 3 9 77\n" + sys("r0.x", kPlace) + sys("r0.y", abi::SysValue::LaneId) +
         "iadd.i32 r1.x, r0.y, c0.y\nimul.i32 r1.y, r1.x, c0.w\nimul.i32 r1.z, r1.y, c0.z\nxor.i32 r1.w, r1.y, r1.z\n" +
         "st.buffer.i" + std::to_string(bytes * 8) + (count > 1 ? ".x" + std::to_string(count) : "") +
         " c0.x, r0.x, r1.x, #4\nret\n";
}

/// Places from which lanes store, and those that do.
struct Way {
  LaneWords place;
  LaneMask active = kAllLanes, helper = 0;
};

class QuadStores {
 public:
  explicit QuadStores(const abi::Kernel& kernel) : kernel_(kernel), sys_(abi::kSysValueCount) {
    context_.table[0] = reinterpret_cast<const std::byte*>(&buffer_), context_.tableBytes[0] = sizeof buffer_;
    context_.table[abi::kNullTable] = zeros_, context_.tableBytes[abi::kNullTable] = sizeof zeros_;
    LaneWords& lanes = sys_[static_cast<size_t>(abi::SysValue::LaneId)];
    std::iota(lanes.lane, lanes.lane + kWarpLanes, 0u);
  }
  /// What the buffer holds afterwards, and some bytes behind it.
  std::vector<std::byte> run(const abi::Executable& executable, const Way& way) {
    std::vector<std::byte> memory(kBytes + 64, std::byte{0xA5});
    buffer_ = {reinterpret_cast<uint64_t>(memory.data()), kBytes, {}};
    sys_[static_cast<size_t>(kPlace)] = way.place;
    std::vector<LaneWords> registers(kernel_.registerWords + 1), state(kernel_.stateBytes / sizeof(LaneWords) + 2);
    alignas(32) LaneWords out[abi::kFragmentOutWords] = {};
    abi::Warp warp;
    warp.context = &context_, warp.kernel = &kernel_, warp.executable = &executable, warp.sys = sys_.data();
    warp.registers = registers.data(), warp.executorState = state.data(), warp.out = out;
    warp.active = way.active, warp.helper = way.helper;
    EXPECT_EQ(executable.entry(executable.code, &warp), abi::WarpStatus::Done);
    return memory;
  }

 private:
  const abi::Kernel& kernel_;
  std::vector<LaneWords> sys_;
  abi::BufferDescriptor buffer_{};
  abi::DispatchContext context_;
  std::byte zeros_[abi::kNullBytes] = {};
};

/// Lanes with `apart` bytes each whose rows begin at `first` and `second`.
Way rowsAt(uint32_t first, uint32_t second, uint32_t apart) {
  Way way;
  for (uint32_t i = 0; i < kWarpLanes; ++i) way.place[i] = (row(i) ? second : first) + column(i) * apart;
  return way;
}

std::vector<Way> waysOf(uint32_t apart) {
  const uint32_t bytes = 4 * apart, end = kBytes - 4;
  std::vector<Way> all;
  // Side by side, over and under each other, upside down, reaching into each other, up to the end and beyond it.
  for (const uint32_t second : {bytes, 100u, 3 * bytes - 1, bytes - 1, apart, 1u, 0u, end - bytes, end - bytes + 1})
    for (const bool turned : {false, true}) all.push_back(turned ? rowsAt(second, 0, apart) : rowsAt(0, second, apart));
  all.push_back(rowsAt(uint32_t(-4), 64, apart));
  all.push_back(rowsAt(64, uint32_t(-8), apart));
  all.push_back(rowsAt(0, 128, apart + 1));
  // One lane that is elsewhere, does not run or is a helper.
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    Way other = rowsAt(0, 128, apart), idle = other, helper = other;
    other.place[i] += apart, idle.active &= ~(1u << i), helper.helper |= 1u << i;
    for (const Way& way : {other, idle, helper}) all.push_back(way);
  }
  return all;
}

TEST(QuadStores, WriteTheInterpretersBytes) {
  const std::unique_ptr<Compiler> jit = Compiler::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  for (const uint32_t bytes : {1u, 2u, 4u, 8u})
    for (const uint32_t count : {1u, 2u, 3u, 4u}) {
      if (bytes * count > 16) continue;
      auto program = isa::assemble(storing(bytes, count));
      ASSERT_TRUE(program.ok()) << program.error().message;
      auto kernel = compiler::makeKernel(std::move(*program));
      ASSERT_TRUE(kernel.ok()) << kernel.error().message;
      auto native = jit->compile(compiler::programOf(**kernel));
      ASSERT_TRUE(native.ok()) << native.error().message;
      QuadStores stores(**kernel);
      const std::vector<Way> ways = waysOf(bytes * count);
      for (size_t w = 0; w < ways.size(); ++w)
        ASSERT_EQ(stores.run(*(*native)->executable(), ways[w]), stores.run(*(*kernel)->executable.load(), ways[w]))
            << bytes << " bytes, " << count << " of them, way " << w;
    }
}

}  // namespace
}  // namespace etzel::native
