// Native code against the interpreter: random programs of all kinds must leave the same bytes in out words, buffers,
// workgroup memory, records and lane masks, as quick code and optimized by LLVM.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "compiler/compiler.h"
#include "compiler/exec/test/machine_codes.h"
#include "compiler/exec/test/program_generator.h"
#include "compiler/isa/disassemble.h"
#include "runtime/abi/fragment_groups.h"

namespace etzel::tiers {
namespace {

using Generator = exec::test::ProgramGenerator;

/// What a program may leave behind. Plain words, so that two of them compare.
struct Traces {
  std::vector<uint32_t> buffer, shared, out, records, masks, calls;
};

/// One workgroup of two warps, or one warp of another stage, with everything that programs read.
class Machine {
 public:
  Machine(const abi::Kernel& kernel, uint32_t seed) : kernel_(kernel), seed_(seed) {}

  Traces run(const abi::Executable& executable) {
    fill();
    const bool compute = kernel_.info.stage == abi::Stage::Compute;
    const uint32_t warps = compute ? 2 : 1;
    std::vector<LaneWords> registers[2], scratch[2], out[2];
    std::vector<std::byte> state[2];
    alignas(64) LaneWords sys[2][abi::kSysValueCount] = {};
    abi::Warp warp[2];
    for (uint32_t w = 0; w < warps; ++w) {
      registers[w].resize(kernel_.registerWords + 1);
      scratch[w].resize(kernel_.scratchBytes / 4 + 1);
      state[w].resize(kernel_.stateBytes + 64);
      out[w].resize(abi::kRecordWords);
      systemValues(sys[w], w);
      abi::Warp& to = warp[w];
      to.context = &context_, to.kernel = &kernel_, to.executable = &executable;
      to.active = active(w);
      to.helper = kernel_.info.stage == abi::Stage::Fragment ? to.active & helper_ : 0;
      to.sys = sys[w], to.in = in_.data(), to.out = out[w].data();
      to.registers = registers[w].data(), to.executorState = state[w].data();
      to.scratch = reinterpret_cast<std::byte*>(scratch[w].data());
      to.shared = reinterpret_cast<std::byte*>(shared_);
      to.primitive = &primitive_;
      for (uint32_t l = 0; l < kWarpLanes; ++l) {
        to.inRecords[l] = &records_[l % 2 ? abi::kRecordWords : 0];
        to.outRecords[l] = &outRecords_[l < 3 ? 0 : abi::kRecordWords * Generator::kRecords];
        to.patchRecord[l] = l == 7 ? nullptr : &patches_[l < 3 ? 0 : abi::kRecordWords];
      }
      to.inRecordStride = to.outRecordStride = abi::kRecordWords;
      to.inRecordCount = Generator::kRecords;
      to.user = this;
      to.emitVertex = [](abi::Warp* w, uint32_t stream, LaneMask lanes) { log(*w, stream, lanes); };
      to.endPrimitive = [](abi::Warp* w, uint32_t stream, LaneMask lanes) { log(*w, stream + 100, lanes); };
      to.readAttachment = readAttachment;
    }
    if (executable.workgroup)
      executable.workgroup(executable.code, warp, warps);
    else
      takeTurns(executable, warp, warps);
    Traces t;
    t.buffer = buffer_, t.calls = std::move(calls_);
    t.shared.assign(shared_, shared_ + Generator::kSharedBytes / 4);
    t.records = outRecords_;
    t.records.insert(t.records.end(), patches_.begin(), patches_.end());
    for (uint32_t w = 0; w < warps; ++w) {
      t.masks.push_back(warp[w].killed), t.masks.push_back(warp[w].helper);
      for (uint32_t i = 0; i < 40; ++i)
        for (uint32_t l = 0; l < kWarpLanes; ++l)
          if (active(w) >> l & 1) t.out.push_back(out[w][i][l]);
    }
    return t;
  }

  /// abi::kPlaneSysValues at (PosX, PosY), as abi::FragmentPlanes and abi::PrimitiveSetup say.
  void planeValues(LaneWords* sys, const abi::FragmentPlanes& p) const {
    using abi::SysValue;
    const auto word = [&](SysValue v, uint32_t l) -> uint32_t& { return sys[static_cast<uint32_t>(v)].lane[l]; };
    const abi::PrimitiveSetup& s = primitive_;
    for (uint32_t l = 0; l < kWarpLanes; ++l) {
      const float x = std::bit_cast<float>(word(SysValue::PosX, l)), y = std::bit_cast<float>(word(SysValue::PosY, l));
      const float dx = x - s.x0, dy = y - s.y0;
      const float l1 = dx * s.l1dx + dy * s.l1dy, l2 = dx * s.l2dx + dy * s.l2dy;
      const float z = (dx * p.dzdx + p.z0) + dy * p.dzdy;
      const float w = s.w[0] + l1 * (s.w[1] - s.w[0]) + l2 * (s.w[2] - s.w[0]);
      word(SysValue::FragCoordZ, l) = std::bit_cast<uint32_t>(z);
      word(SysValue::FragCoordW, l) = std::bit_cast<uint32_t>(w);
      word(SysValue::PointCoordX, l) = std::bit_cast<uint32_t>(p.half + (x - p.pointX) * p.pointInvSize);
      word(SysValue::PointCoordY, l) = std::bit_cast<uint32_t>(p.half + (y - p.pointY) * p.pointInvSize);
    }
  }

  /// Runs a fragment program for some groups of a block, in one call where `executable` has that.
  Traces runGroups(const abi::Executable& executable) {
    fill();
    constexpr uint32_t kGroups = abi::FragmentGroups::kCount;
    std::vector<LaneWords> registers(kernel_.registerWords + 1), scratch(kernel_.scratchBytes / 4 + 1);
    std::vector<std::byte> state(kernel_.stateBytes + 64);
    alignas(64) LaneWords sys[abi::kSysValueCount] = {}, place[2], offset[kGroups][2];
    alignas(64) LaneWords out[abi::kRecordWords] = {};
    const uint32_t first = abi::kFragOutColor + 4 * abi::firstGroupLocation(kernel_.info);
    const uint32_t words = 4 * abi::groupLocations(kernel_.info);
    std::vector<LaneWords> color(kGroups * words);
    systemValues(sys, 0);
    const auto position = [&](uint32_t axis) -> LaneWords& {
      return sys[static_cast<uint32_t>(axis ? abi::SysValue::PosY : abi::SysValue::PosX)];
    };
    for (uint32_t axis = 0; axis < 2; ++axis) {
      place[axis] = position(axis);
      for (uint32_t g = 0; g < kGroups; ++g)
        for (uint32_t l = 0; l < kWarpLanes; ++l)
          offset[g][axis][l] = std::bit_cast<uint32_t>(static_cast<float>(axis ? g & 6 : g % 2 * 4));
    }
    abi::Warp warp;
    warp.context = &context_, warp.kernel = &kernel_, warp.executable = &executable;
    warp.sys = sys, warp.in = in_.data(), warp.out = out;
    warp.registers = registers.data(), warp.executorState = state.data();
    warp.scratch = reinterpret_cast<std::byte*>(scratch.data());
    warp.shared = reinterpret_cast<std::byte*>(shared_);
    warp.primitive = &primitive_;
    warp.user = this;
    warp.readAttachment = readAttachment;
    abi::FragmentGroups groups;
    groups.groups = 1 + seed_ % 255;
    for (uint32_t g = 0; g < kGroups; ++g) {
      const uint64_t active = (seed_ + g) % 3 == 0 ? 0x0F : kAllLanes;
      groups.active |= active << g * 8, groups.helper |= (active & helper_) << g * 8;
    }
    groups.place = place, groups.offset = offset[0], groups.color = color.data();
    const abi::FragmentPlanes planes{0.25f, 0.01f, -0.03f, 0.5f, 7, 3.5f, 0.125f};
    groups.planes = &planes;
    if (executable.fragments) {
      EXPECT_EQ(executable.fragments(executable.code, &warp, &groups), abi::WarpStatus::Done);
    } else {
      for (uint32_t g = 0; g < kGroups; ++g) {
        if (!(groups.groups >> g & 1)) continue;
        for (uint32_t axis = 0; axis < 2; ++axis)
          for (uint32_t l = 0; l < kWarpLanes; ++l)
            position(axis)[l] = std::bit_cast<uint32_t>(std::bit_cast<float>(place[axis].lane[l]) +
                                                        std::bit_cast<float>(offset[g][axis].lane[l]));
        sys[static_cast<uint32_t>(abi::SysValue::FragCoordX)] = position(0);
        sys[static_cast<uint32_t>(abi::SysValue::FragCoordY)] = position(1);
        planeValues(sys, planes);
        std::fill(registers.begin(), registers.end(), LaneWords{});
        std::fill(std::begin(out), std::end(out), LaneWords{});
        warp.active = groups.active >> g * 8 & 255, warp.helper = groups.helper >> g * 8 & 255;
        warp.killed = warp.resume = 0;
        EXPECT_EQ(executable.entry(executable.code, &warp), abi::WarpStatus::Done);
        groups.killed |= uint64_t{warp.killed} << g * 8;
        std::copy(out + first, out + first + words, &color[g * words]);
      }
    }
    Traces t;
    t.buffer = buffer_;
    t.calls = std::move(calls_);
    t.masks = {static_cast<uint32_t>(groups.killed), static_cast<uint32_t>(groups.killed >> 32)};
    for (uint32_t g = 0; g < kGroups; ++g)
      for (uint32_t c = 0; c < words; ++c)
        for (uint32_t l = 0; l < kWarpLanes; ++l)
          if (groups.groups >> g & 1 && groups.active >> (g * 8 + l) & 1 &&
              kernel_.info.outputLocations >> ((first + c - abi::kFragOutColor) / 4) & 1)
            t.out.push_back(color[g * words + c].lane[l]);
    return t;
  }

 private:
  static void takeTurns(const abi::Executable& executable, abi::Warp* warp, uint32_t warps) {
    bool done[2] = {};
    for (bool again = true; again;) {
      again = false;
      for (uint32_t w = 0; w < warps; ++w) {
        if (done[w]) continue;
        done[w] = executable.entry(executable.code, &warp[w]) != abi::WarpStatus::AtBarrier;
        again |= !done[w];
      }
    }
  }
  struct Aborts final : abi::AbortListener {
    explicit Aborts(std::vector<uint32_t>& to) : calls(to) {}
    void say(const abi::Warp&, LaneMask lanes, uint32_t first, std::span<const LaneWords> words) override {
      calls.push_back(first), calls.push_back(lanes);
      for (const LaneWords& w : words)
        for (uint32_t l = 0; l < kWarpLanes; ++l)
          if (lanes >> l & 1) calls.push_back(w.lane[l]);
    }
    void abort(const abi::Warp&, LaneMask lanes, const abi::AbortMessage& message) override {
      calls.push_back(message.words()), calls.push_back(lanes);
    }
    std::vector<uint32_t>& calls;
  };
  static void logPrint(const abi::Warp* w, const abi::PrintFormat& format, uint32_t first, LaneMask lanes,
                       const LaneWords* words, uint32_t count) {
    auto& calls = static_cast<Machine*>(w->user)->calls_;
    calls.push_back(static_cast<uint32_t>(format.values.size())), calls.push_back(first), calls.push_back(lanes);
    for (uint32_t i = 0; i < count; ++i)
      for (uint32_t l = 0; l < kWarpLanes; ++l)
        if (lanes >> l & 1) calls.push_back(words[i].lane[l]);
  }
  /// Words that say what was asked for.
  static void readAttachment(abi::Warp*, abi::AttachmentAspect aspect, LaneMask lanes, const LaneWords* location,
                             const LaneWords* sample, LaneWords* result) {
    for (uint32_t c = 0; c < 4; ++c)
      for (uint32_t l = 0; l < kWarpLanes; ++l)
        if (lanes >> l & 1)
          result[c].lane[l] = 31 * location->lane[l] + 7 * sample->lane[l] + 3 * c + static_cast<uint32_t>(aspect);
  }
  static void log(abi::Warp& w, uint32_t what, LaneMask lanes) {
    auto& calls = static_cast<Machine*>(w.user)->calls_;
    calls.push_back(what), calls.push_back(lanes);
    for (uint32_t i = 0; i < 32; ++i)
      for (uint32_t l = 0; l < kWarpLanes; ++l)
        if (lanes >> l & 1) calls.push_back(w.out[i].lane[l]);
  }
  uint32_t invocations() const {
    const uint32_t* size = kernel_.info.localSize;
    return size[0] * size[1] * size[2];
  }
  LaneMask active(uint32_t w) const {
    static constexpr LaneMask kMasks[] = {kAllLanes, kAllLanes, 0xB5, 0x0F},
                              kQuads[] = {kAllLanes, kAllLanes, 0x0F, 0xF0};
    if (kernel_.info.stage == abi::Stage::Fragment) return kQuads[seed_ % 4];
    if (kernel_.info.stage != abi::Stage::Compute) return kMasks[seed_ % 4];
    return invocations() >= (w + 1) * kWarpLanes ? kAllLanes : (1u << invocations() % kWarpLanes) - 1;
  }
  void systemValues(LaneWords* sys, uint32_t w) const {
    using S = abi::SysValue;
    const auto row = [&](S v) -> LaneWords& { return sys[static_cast<uint32_t>(v)]; };
    for (uint32_t l = 0; l < kWarpLanes; ++l) {
      const uint32_t i = std::min(w * kWarpLanes + l, invocations() - 1);
      const float x = static_cast<float>(l % 2 + l / 4 * 2), y = static_cast<float>(l / 2 % 2);
      const auto bits = [](float v) { return std::bit_cast<uint32_t>(v); };
      row(S::PosX)[l] = row(S::FragCoordX)[l] = bits(x + 0.5f);
      row(S::PosY)[l] = row(S::FragCoordY)[l] = bits(y + 0.5f);
      row(S::CentroidX)[l] = bits(x + 0.375f), row(S::CentroidY)[l] = bits(y + 0.875f);
      row(S::SamplePixelX)[l] = bits(x + 0.125f), row(S::SamplePixelY)[l] = bits(y + 0.625f);
      row(S::SampleMaskIn)[l] = 0x9D >> (l % 4);
      row(S::LaneId)[l] = l, row(S::LocalIndex)[l] = w * kWarpLanes + l, row(S::WorkgroupIdX)[l] = 7;
      if (kernel_.info.stage != abi::Stage::Compute) continue;
      row(S::LocalIdX)[l] = i % kernel_.info.localSize[0], row(S::LocalIdY)[l] = i / kernel_.info.localSize[0];
    }
  }

  /// The same contents at the same addresses every time.
  void fill() {
    std::mt19937 random(seed_);
    const auto value = [&] {
      const uint32_t kind = random() % 6;
      return static_cast<uint32_t>(kind < 3    ? random()
                                   : kind == 3 ? random() % 16
                                   : kind == 4 ? 0x40490FDB + random() % 64
                                               : 0x3C003C00 + random() % 0x20000);
    };
    for (auto* words : {&buffer_, &records_, &outRecords_, &patches_})
      for (uint32_t& v : *words) v = value();
    for (LaneWords& w : in_)
      for (uint32_t& v : w.lane) v = value();
    for (uint32_t& v : push_) v = value();
    for (uint32_t i = 0; i < 3 * abi::kRecordWords; ++i)
      corners_[i] = std::bit_cast<uint32_t>(static_cast<float>(random() % 64) * 0.25f);
    std::memset(shared_, 0, sizeof shared_);
    calls_.clear();
    helper_ = random();
    primitive_ = {};
    primitive_.l1dx = 0.25f, primitive_.l2dy = 0.125f, primitive_.l1dy = -0.0625f;
    for (uint32_t v = 0; v < 3; ++v)
      primitive_.record[v] = &corners_[v * abi::kRecordWords], primitive_.w[v] = 1.0f + 0.25f * static_cast<float>(v);
    primitive_.flatRecord = primitive_.record[0];
    descriptor_ = {reinterpret_cast<uint64_t>(buffer_.data()), buffer_.size() * 4, {}};
    context_.table[0] = reinterpret_cast<const std::byte*>(&descriptor_), context_.tableBytes[0] = sizeof descriptor_;
    context_.table[abi::kNullTable] = zeros_, context_.tableBytes[abi::kNullTable] = 32;
    context_.pushConstants = reinterpret_cast<const std::byte*>(push_);
    context_.sampleCount = 1u << seed_ % 5;
    context_.functions = &kPrinting;
    context_.aborts = &aborts_;
  }

  const abi::Kernel& kernel_;
  const uint32_t seed_;
  std::vector<uint32_t> buffer_ = std::vector<uint32_t>(Generator::kBufferWords + 16 * Generator::kVariables);
  std::vector<uint32_t> records_ = std::vector<uint32_t>(abi::kRecordWords * (Generator::kRecords + 1));
  std::vector<uint32_t> outRecords_ = std::vector<uint32_t>(abi::kRecordWords * Generator::kRecords * 2);
  std::vector<uint32_t> patches_ = std::vector<uint32_t>(abi::kRecordWords * 2);
  std::vector<LaneWords> in_{abi::kAttributeWords};
  std::vector<uint32_t> calls_;
  Aborts aborts_{calls_};
  alignas(64) uint32_t shared_[Generator::kSharedBytes / 4];
  uint32_t push_[64], corners_[3 * abi::kRecordWords];
  const std::byte zeros_[abi::kNullBytes] = {};
  uint32_t helper_ = 0;
  abi::PrimitiveSetup primitive_;
  abi::BufferDescriptor descriptor_;
  static constexpr abi::FunctionTable kPrinting{nullptr, logPrint};
  abi::DispatchContext context_;
};

/// ETZEL_TEST_PROGRAMS asks for more than the usual 2,000, ETZEL_TEST_FIRST for others: seeds from there on;
/// ETZEL_TEST_SHARE: one in so many is optimized too.
uint32_t setting(const char* name, uint32_t usual) {
  const char* wanted = std::getenv(name);
  return wanted ? static_cast<uint32_t>(std::atoi(wanted)) : usual;
}
uint32_t programsOfEachStage() { return std::max(1u, setting("ETZEL_TEST_PROGRAMS", 2000) / 5); }

/// Empty, or the first place that is not the same.
std::string difference(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
  if (a.size() != b.size()) return std::to_string(a.size()) + " words against " + std::to_string(b.size());
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i])
      return "word " + std::to_string(i) + ": " + std::to_string(a[i]) + " against " + std::to_string(b[i]);
  return {};
}

/// Every program as quick code, some optimized too.
void compare(abi::Stage stage) {
  if (!quick::available() && !exec::test::optimizer()) GTEST_SKIP() << "the interpreter is alone";
  const uint32_t first = setting("ETZEL_TEST_FIRST", 0), share = setting("ETZEL_TEST_SHARE", 20);
  for (uint32_t seed = first; seed < first + programsOfEachStage(); ++seed) {
    const isa::Program program = Generator(seed * 8 + static_cast<uint32_t>(stage), stage, 8 + seed % 24).make();
    ASSERT_LE(program.tempWords, isa::kMaxTempWords);
    auto kernel = compiler::makeKernel(program);
    ASSERT_TRUE(kernel.ok()) << kernel.error().message << "\n" << isa::disassemble(program);
    auto machine = std::make_unique<Machine>(**kernel, seed);
    const Traces expected = machine->run(*(*kernel)->executable.load());
    for (const auto& [title, code] : exec::test::machineCodes(compiler::programOf(**kernel), seed % share == 0)) {
      const Traces actual = machine->run(*code->executable());
      const auto where = [&, title = title] {
        return "seed " + std::to_string(seed) + ", " + title + "\n" + isa::disassemble(program);
      };
      ASSERT_EQ(difference(expected.out, actual.out), "") << "out words, " << where();
      ASSERT_EQ(difference(expected.buffer, actual.buffer), "") << "buffer, " << where();
      ASSERT_EQ(difference(expected.shared, actual.shared), "") << "workgroup memory, " << where();
      ASSERT_EQ(difference(expected.records, actual.records), "") << "records, " << where();
      ASSERT_EQ(difference(expected.masks, actual.masks), "") << "killed and helper lanes, " << where();
      ASSERT_EQ(difference(expected.calls, actual.calls), "") << "emitted vertices, prints and aborts, " << where();
    }
  }
}

TEST(SameBytes, RandomVertexProgramsGiveTheInterpretersBytes) { compare(abi::Stage::Vertex); }
TEST(SameBytes, RandomControlProgramsGiveTheInterpretersBytes) { compare(abi::Stage::TessControl); }
TEST(SameBytes, RandomGeometryProgramsGiveTheInterpretersBytes) { compare(abi::Stage::Geometry); }
TEST(SameBytes, RandomFragmentProgramsGiveTheInterpretersBytes) { compare(abi::Stage::Fragment); }
TEST(SameBytes, SeveralGroupsOfFragmentsGiveWhatEachGives) {
  native::Compiler* compiler = exec::test::optimizer();
  if (!compiler) GTEST_SKIP() << "no native executor on this host";
  constexpr uint32_t share = 2;  // one in so many: not all can run so
  const uint32_t first = setting("ETZEL_TEST_FIRST", 0);
  // Locations that programs write: one, neighbours, with gaps, as many as there is room for, and one too many.
  constexpr uint64_t kLocations[] = {1, 2, 3, 0b101, 0b1110, 0b10000001, 0b111111110, 0b100000001};
  uint32_t together[std::size(kLocations)] = {};
  // Where few programs are asked for, as in emulators, more are made until each kind has run.
  const auto isMissing = [&] { return std::count(together, std::end(together) - 1, 0u) > 0; };
  for (uint32_t seed = first; seed < first + (isMissing() ? 400 : programsOfEachStage()); seed += share) {
    isa::Program program = Generator(seed * 8 + 6, abi::Stage::Fragment, 8 + seed % 24).make();
    const uint32_t kind = seed / share % std::size(kLocations);
    program.info.outputLocations = kLocations[kind];
    program.info.sysValues = abi::kGroupSysValues;  // the others are the same for all groups here
    std::vector<uint32_t> locations;
    for (uint32_t l = 0; l < 16; ++l)
      if (kLocations[kind] >> l & 1) locations.push_back(l);
    for (uint32_t i = 0; i < program.code.size(); ++i) {
      isa::Inst& inst = program.code[i];
      if (inst.dst.bank == isa::Bank::Out) {
        const uint32_t component = std::min(inst.dst.word % 4, 4 - std::min(4u, isa::dstWords(inst)));
        inst.dst.word = abi::kFragOutColor + 4 * locations[inst.dst.word / 4 % locations.size()] + component;
      }
      using abi::SysValue;
      constexpr SysValue kOfGroups[] = {SysValue::FragCoordX, SysValue::FragCoordY,  SysValue::FragCoordZ,
                                        SysValue::FragCoordW, SysValue::PointCoordX, SysValue::PointCoordY};
      if (inst.op == isa::Opcode::Sys && i % 2)
        inst.imm = static_cast<uint32_t>(kOfGroups[i / 2 % std::size(kOfGroups)]);
    }
    auto kernel = compiler::makeKernel(program);
    ASSERT_TRUE(kernel.ok()) << kernel.error().message << "\n" << isa::disassemble(program);
    auto machine = std::make_unique<Machine>(**kernel, seed);
    const Traces expected = machine->runGroups(*(*kernel)->executable.load());
    auto native = compiler->compile(compiler::programOf(**kernel));
    ASSERT_TRUE(native.ok()) << native.error().message;
    together[kind] += (*native)->executable()->fragments != nullptr;
    const Traces actual = machine->runGroups(*(*native)->executable());
    const auto where = [&] { return "seed " + std::to_string(seed) + "\n" + isa::disassemble(program); };
    ASSERT_EQ(difference(expected.out, actual.out), "") << "colours, " << where();
    ASSERT_EQ(difference(expected.masks, actual.masks), "") << "killed lanes, " << where();
    ASSERT_EQ(difference(expected.buffer, actual.buffer), "") << "buffer, " << where();
  }
  for (uint32_t kind = 0; kind + 1 < std::size(kLocations); ++kind) EXPECT_GT(together[kind], 0u) << kLocations[kind];
  EXPECT_EQ(together[std::size(kLocations) - 1], 0u);
}
TEST(SameBytes, RandomWorkgroupsGiveTheInterpretersBytes) { compare(abi::Stage::Compute); }

}  // namespace
}  // namespace etzel::tiers
