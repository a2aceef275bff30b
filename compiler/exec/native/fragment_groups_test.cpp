// What programs for several groups of fragments find beside their groups' lanes: where callbacks look, and outputs that
// nobody writes.
#include <gtest/gtest.h>

#include <bit>

#include "compiler/compiler.h"
#include "compiler/exec/native/native.h"
#include "compiler/isa/assemble.h"
#include "runtime/abi/fragment_groups.h"

namespace etzel::native {
namespace {

constexpr uint32_t kGroups = abi::FragmentGroups::kCount;

std::shared_ptr<abi::Kernel> assembled(const std::string& body) {
  auto program = isa::assemble(".stage fragment\n.temps 8\n.const 0 0 0 0\n" + body + "ret\n");
  EXPECT_TRUE(program.ok()) << program.error().message;
  if (!program.ok()) return nullptr;
  auto kernel = compiler::makeKernel(std::move(*program));
  EXPECT_TRUE(kernel.ok()) << kernel.error().message;
  return kernel.ok() ? *kernel : nullptr;
}

TEST(FragmentGroups, TexturesSeeThePlaceOfEachGroup) {
  const std::unique_ptr<Compiler> jit = Compiler::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  abi::TexInst inst;
  inst.kind = abi::TexKind::Fetch, inst.dim = abi::TexDim::Subpass;
  const auto kernel =
      assembled("texture r1.x, c0.x, c0.x, -, #" + std::to_string(inst.pack()) + "\nxmov.x4 o4.x, r1.x\n");
  ASSERT_TRUE(kernel);
  EXPECT_TRUE(kernel->info.readsAttachments);
  auto native = jit->compile(compiler::programOf(*kernel));
  ASSERT_TRUE(native.ok()) << native.error().message;
  const abi::Executable& executable = *(*native)->executable();
  ASSERT_NE(executable.fragments, nullptr);

  const abi::FunctionTable functions{
      [](abi::Warp* warp, uint32_t, LaneMask, const LaneWords*, const LaneWords*, const LaneWords*, LaneWords* result) {
        for (uint32_t c = 0; c < 4; ++c) result[c] = warp->sys[static_cast<uint32_t>(abi::SysValue::PosX) + c % 2];
      }};
  const std::byte zeros[abi::kNullBytes] = {};
  abi::DispatchContext context;
  context.functions = &functions;
  context.table[abi::kNullTable] = zeros, context.tableBytes[abi::kNullTable] = sizeof zeros;
  alignas(32) LaneWords sys[abi::kSysValueCount] = {}, place[2], offset[kGroups][2], color[kGroups][4] = {};
  std::vector<LaneWords> registers(kernel->registerWords + 1), state(kernel->stateBytes / sizeof(LaneWords) + 1);
  const auto at = [](uint32_t axis, uint32_t group, uint32_t lane) {
    return axis ? static_cast<float>(100 + group * 2 + lane / 4) : static_cast<float>(10 + group % 2 * 4 + lane % 4);
  };
  for (uint32_t axis = 0; axis < 2; ++axis)
    for (uint32_t l = 0; l < kWarpLanes; ++l) {
      place[axis][l] = std::bit_cast<uint32_t>(at(axis, 0, l));
      for (uint32_t g = 0; g < kGroups; ++g)
        offset[g][axis][l] = std::bit_cast<uint32_t>(at(axis, g, l) - at(axis, 0, l));
    }
  abi::Warp warp;
  warp.context = &context, warp.kernel = kernel.get(), warp.executable = &executable, warp.sys = sys;
  warp.registers = registers.data(), warp.executorState = state.data();
  abi::FragmentGroups groups;
  groups.groups = 0b10110110, groups.active = ~uint64_t{0};
  groups.place = place, groups.offset = offset[0], groups.color = color[0];
  ASSERT_EQ(executable.fragments(executable.code, &warp, &groups), abi::WarpStatus::Done);
  for (uint32_t g = 0; g < kGroups; ++g)
    for (uint32_t c = 0; c < 4; ++c)
      for (uint32_t l = 0; l < kWarpLanes; ++l)
        EXPECT_EQ(std::bit_cast<float>(color[g][c][l]), groups.groups >> g & 1 ? at(c % 2, g, l) : 0)
            << "group " << g << " word " << c << " lane " << l;
}

// Depth passes, which may discard.
TEST(FragmentGroups, ProgramsWithoutColorsHaveAFunction) {
  const std::unique_ptr<Compiler> jit = Compiler::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  const auto kernel = assembled("sys r1.x, #" + std::to_string(static_cast<uint32_t>(abi::SysValue::FrontFacing)) +
                                "\nif r1.x\ndemote\nendif\n");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->info.outputLocations, 0u);
  auto native = jit->compile(compiler::programOf(*kernel));
  ASSERT_TRUE(native.ok()) << native.error().message;
  const abi::Executable& executable = *(*native)->executable();
  ASSERT_NE(executable.fragments, nullptr);
  abi::DispatchContext context;
  alignas(32) LaneWords sys[abi::kSysValueCount] = {}, place[2] = {}, offset[kGroups][2] = {}, color[1] = {};
  sys[static_cast<uint32_t>(abi::SysValue::FrontFacing)][2] = ~0u;
  std::vector<LaneWords> registers(kernel->registerWords + 1), state(kernel->stateBytes / sizeof(LaneWords) + 1);
  abi::Warp warp;
  warp.context = &context, warp.kernel = kernel.get(), warp.executable = &executable, warp.sys = sys;
  warp.registers = registers.data(), warp.executorState = state.data();
  abi::FragmentGroups groups;
  groups.groups = 0b1001, groups.active = 0xFF0000FF;
  groups.place = place, groups.offset = offset[0], groups.color = color;
  ASSERT_EQ(executable.fragments(executable.code, &warp, &groups), abi::WarpStatus::Done);
  EXPECT_EQ(groups.killed, 0x04000004u);
}

// Behind the colours of all locations in groups, elsewhere for single warps.
TEST(FragmentGroups, SecondSourcesFollowTheColors) {
  const std::unique_ptr<Compiler> jit = Compiler::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  const std::string x = "#" + std::to_string(static_cast<uint32_t>(abi::SysValue::PosX)) + "\n";
  const auto kernel = assembled("sys r1.x, " + x + "xmov o2.y, r1.x\nfadd.f32 o17.z, r1.x, r1.x\n");
  ASSERT_TRUE(kernel);
  EXPECT_TRUE(kernel->info.writesColorIndex1);
  EXPECT_EQ(abi::groupLocations(kernel->info), 2u);
  auto native = jit->compile(compiler::programOf(*kernel));
  ASSERT_TRUE(native.ok()) << native.error().message;
  const abi::Executable& executable = *(*native)->executable();
  ASSERT_NE(executable.fragments, nullptr);
  abi::DispatchContext context;
  alignas(32) LaneWords sys[abi::kSysValueCount] = {}, place[2] = {}, offset[kGroups][2] = {}, color[kGroups][8] = {};
  alignas(32) LaneWords out[abi::kFragmentOutWords] = {};
  const auto number = [](uint32_t group, uint32_t lane) { return static_cast<float>(1 + group * 8 + lane); };
  for (uint32_t g = 0; g < kGroups; ++g)
    for (uint32_t l = 0; l < kWarpLanes; ++l) offset[g][0][l] = std::bit_cast<uint32_t>(number(g, l));
  std::vector<LaneWords> registers(kernel->registerWords + 1), state(kernel->stateBytes / sizeof(LaneWords) + 1);
  abi::Warp warp;
  warp.context = &context, warp.kernel = kernel.get(), warp.executable = &executable, warp.sys = sys;
  warp.registers = registers.data(), warp.executorState = state.data(), warp.out = out, warp.active = kAllLanes;
  abi::FragmentGroups groups;
  groups.groups = 0b111, groups.active = 0xFFFFFF;
  groups.place = place, groups.offset = offset[0], groups.color = color[0];
  ASSERT_EQ(executable.fragments(executable.code, &warp, &groups), abi::WarpStatus::Done);
  sys[static_cast<uint32_t>(abi::SysValue::PosX)] = offset[2][0];
  warp.active = kAllLanes;
  ASSERT_EQ(executable.entry(executable.code, &warp), abi::WarpStatus::Done);
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    for (uint32_t g = 0; g < 3; ++g) {
      EXPECT_EQ(std::bit_cast<float>(color[g][1][l]), number(g, l));
      EXPECT_EQ(std::bit_cast<float>(color[g][4 + 2][l]), 2 * number(g, l));
      EXPECT_EQ(color[g][0][l] | color[g][4][l], 0u);
    }
    EXPECT_EQ(std::bit_cast<float>(out[abi::kFragOutColor + 4 + 1][l]), number(2, l));
    EXPECT_EQ(std::bit_cast<float>(out[abi::kFragOutColorIndex1 + 2][l]), 2 * number(2, l));
  }
}

// A group's place, where pixels are covered in all samples or none; what the caller has, for single warps.
TEST(FragmentGroups, CentroidsAreTheGroupsPlaces) {
  const std::unique_ptr<Compiler> jit = Compiler::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  const auto sys = [](const char* to, abi::SysValue v) {
    return std::string("sys ") + to + ", #" + std::to_string(static_cast<uint32_t>(v)) + "\n";
  };
  const auto kernel =
      assembled(sys("r1.x", abi::SysValue::CentroidX) + sys("r1.y", abi::SysValue::CentroidY) + "xmov.x4 o1.x, r1.x\n");
  ASSERT_TRUE(kernel);
  auto native = jit->compile(compiler::programOf(*kernel));
  ASSERT_TRUE(native.ok()) << native.error().message;
  const abi::Executable& executable = *(*native)->executable();
  ASSERT_NE(executable.fragments, nullptr);
  abi::DispatchContext context;
  alignas(32) LaneWords sysWords[abi::kSysValueCount], place[2], offset[kGroups][2], color[kGroups][4] = {};
  alignas(32) LaneWords out[abi::kFragmentOutWords] = {};
  const auto number = [](uint32_t of, uint32_t lane) { return static_cast<float>(of * 8 + lane); };
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    for (uint32_t v = 0; v < abi::kSysValueCount; ++v) sysWords[v][l] = std::bit_cast<uint32_t>(number(100 + v, l));
    for (uint32_t axis = 0; axis < 2; ++axis) {
      place[axis][l] = std::bit_cast<uint32_t>(number(axis, l));
      for (uint32_t g = 0; g < kGroups; ++g) offset[g][axis][l] = std::bit_cast<uint32_t>(number(3 * g, 0));
    }
  }
  std::vector<LaneWords> registers(kernel->registerWords + 1), state(kernel->stateBytes / sizeof(LaneWords) + 1);
  abi::Warp warp;
  warp.context = &context, warp.kernel = kernel.get(), warp.executable = &executable, warp.sys = sysWords;
  warp.registers = registers.data(), warp.executorState = state.data(), warp.out = out, warp.active = kAllLanes;
  const abi::FragmentPlanes planes;
  abi::FragmentGroups groups;
  groups.groups = 0b111, groups.active = 0xFFFFFF;
  groups.place = place, groups.offset = offset[0], groups.color = color[0], groups.planes = &planes;
  ASSERT_EQ(executable.fragments(executable.code, &warp, &groups), abi::WarpStatus::Done);
  warp.active = kAllLanes;
  ASSERT_EQ(executable.entry(executable.code, &warp), abi::WarpStatus::Done);
  for (uint32_t l = 0; l < kWarpLanes; ++l)
    for (uint32_t axis = 0; axis < 2; ++axis) {
      const uint32_t v = static_cast<uint32_t>(abi::SysValue::CentroidX) + axis;
      for (uint32_t g = 0; g < 3; ++g)
        EXPECT_EQ(std::bit_cast<float>(color[g][axis][l]), number(axis, l) + number(3 * g, 0));
      EXPECT_EQ(out[abi::kFragOutColor + axis][l], sysWords[v][l]);
    }
}

// Outputs that are never written have no place in FragmentGroups::color.
TEST(FragmentGroups, ProgramsThatReadOtherOutputsHaveNoFunction) {
  const std::unique_ptr<Compiler> jit = Compiler::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  const std::pair<const char*, bool> programs[] = {{"xmov.x4 o2.x, c0.x\nxmov.x4 o2.x, o2.x\n", true},
                                                   {"xmov.x4 o2.x, o1.x\n", false},
                                                   {"xmov.x4 o2.x, o3.x\n", false},
                                                   {"xmov o2.x, o0.w\n", false}};
  for (const auto& [body, expected] : programs) {
    const auto kernel = assembled(body);
    ASSERT_TRUE(kernel);
    EXPECT_EQ(kernel->info.outputLocations, 2u) << body;
    auto native = jit->compile(compiler::programOf(*kernel));
    ASSERT_TRUE(native.ok()) << native.error().message;
    EXPECT_EQ((*native)->executable()->fragments != nullptr, expected) << body;
  }
}

}  // namespace
}  // namespace etzel::native
