// PIXLD, TLD4, LD_RAW and ST_RAW, assembled from text, on one warp with a texture unit that shows what it was asked.
#include <bit>
#include <cstdio>

#include "compiler/exec/interp/test/test_machine.h"
#include "compiler/isa/assemble.h"

namespace etzel::interp {
namespace {

/// What the texture unit was asked last; it answers (10, 11, 12, 13, residency = lane 3 unmapped).
struct Asked {
  abi::TexInst inst;
  LaneMask active = 0;
  LaneWords handle, sampler, args[16];
} asked;

void fakeTexture(abi::Warp*, uint32_t inst, LaneMask active, const LaneWords* handle, const LaneWords* sampler,
                 const LaneWords* args, LaneWords* result) {
  asked.inst = abi::TexInst::unpack(inst);
  asked.active = active, asked.handle = *handle, asked.sampler = *sampler;
  for (uint32_t w = 0; w < asked.inst.argWords(); ++w) asked.args[w] = args[w];
  for (uint32_t k = 0; k < asked.inst.resultWords(); ++k)
    for (uint32_t l = 0; l < kWarpLanes; ++l) result[k].lane[l] = k < 4 ? 10 + k : l == 3;
}

struct Fragment {
  isa::Program program;
  abi::DispatchContext context;
  abi::FunctionTable functions{fakeTexture};
  std::vector<LaneWords> sys{abi::kSysValueCount}, out{abi::kFragmentOutWords};
  std::vector<uint32_t> buffer{100, 101, 102, 103, 104, 105};
  std::vector<uint32_t> shared = std::vector<uint32_t>(8, 7);
  abi::BufferDescriptor descriptor{};
  abi::Warp warp;

  explicit Fragment(const std::string& text) {
    auto assembled =
        isa::assemble(".stage fragment\n.shared 24\n.resource 0 0 0 32 1\n.resource 0 1 0x20 32 1\n" + text);
    EXPECT_TRUE(assembled.ok()) << assembled.error().message;
    if (assembled.ok()) program = std::move(*assembled);
  }
  void setSys(abi::SysValue v, uint32_t lane, float f) {
    sys[static_cast<uint32_t>(v)].lane[lane] = std::bit_cast<uint32_t>(f);
  }
  uint32_t at(uint32_t word, uint32_t lane) const { return out[word].lane[lane]; }

  void run() {
    const auto verified = isa::verify(program, isa::VerifyMode::RealRegisters);
    ASSERT_TRUE(verified.ok()) << verified.error().message;
    auto code = decode(program);
    ASSERT_TRUE(code.ok()) << code.error().message;
    descriptor = {reinterpret_cast<uint64_t>(buffer.data()), buffer.size() * 4, {}};
    static const std::byte zeros[abi::kNullBytes] = {};
    context.table[0] = reinterpret_cast<const std::byte*>(&descriptor), context.tableBytes[0] = sizeof descriptor;
    context.table[abi::kNullTable] = zeros, context.tableBytes[abi::kNullTable] = sizeof zeros;
    context.functions = &functions;
    std::vector<LaneWords> registers(program.tempWords + 1);
    warp.context = &context, warp.active = kAllLanes;
    warp.sys = sys.data(), warp.out = out.data(), warp.registers = registers.data();
    warp.shared = reinterpret_cast<std::byte*>(shared.data());
    ASSERT_EQ(interp::run(code->get(), &warp), abi::WarpStatus::Done);
  }
};

TEST(PixelQuery, CountsMasksAndCoverage) {
  Fragment f(
      ".const 1 0 0 0\n"
      "pixld.mscount o1.x\npixld.covmask o1.y\npixld.covered o1.z, p3, [2]\npixld.covered o1.w, [c0.x - 2]\n"
      "pixld.covered o2.x, [c0.x + 2]\npixld.covered o2.y, p4, [4]\n"
      "(p3) add o3, c0.y, 1.0\n(!p4) add o4, c0.y, 1.0\npixld.covered o2.z\n");
  f.context.sampleCount = 4;
  for (uint32_t l = 0; l < kWarpLanes; ++l) f.sys[size_t(abi::SysValue::SampleMaskIn)].lane[l] = 0xF0 | l;
  f.run();
  EXPECT_NE(f.program.info.sysValues >> uint32_t(abi::SysValue::SampleMaskIn) & 1, 0u);
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    EXPECT_EQ(f.at(4, l), 4u);
    EXPECT_EQ(f.at(5, l), l);  // only bits of samples that exist
    EXPECT_EQ(f.at(6, l), l & 4 ? ~0u : 0u);
    EXPECT_EQ(f.at(7, l), 0u);  // sample -1
    EXPECT_EQ(f.at(8, l), l & 8 ? ~0u : 0u);
    EXPECT_EQ(f.at(9, l), 0u);  // sample 4 of 4
    EXPECT_EQ(f.at(10, l), l & 1 ? ~0u : 0u);
    EXPECT_EQ(f.at(12, l) != 0, (l & 4) != 0);
    EXPECT_NE(f.at(16, l), 0u);
  }
}

TEST(PixelQuery, OffsetsAreSixteenthsFromTheCentre) {
  Fragment f("pixld.offset o1.x, [1]\npixld.offset o1.y, [4]\npixld.centroid_offset o1.z\npixld.offset o1.w\n");
  f.context.sampleCount = 4;
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    f.setSys(abi::SysValue::PosX, l, 10.5f), f.setSys(abi::SysValue::PosY, l, 20.5f);
    f.setSys(abi::SysValue::CentroidX, l, l ? 10.125f : 10.5f),
        f.setSys(abi::SysValue::CentroidY, l, l ? 20.625f : 20.5f);
  }
  f.run();
  EXPECT_EQ(f.at(4, 0), 0xFFFE0006u);  // (14, 6) / 16: dx = 6, dy = -2
  EXPECT_EQ(f.at(5, 0), 0u);
  EXPECT_EQ(f.at(6, 0), 0u);           // fully covered: the centre
  EXPECT_EQ(f.at(6, 1), 0x0002FFFAu);  // dx = -6, dy = 2
  EXPECT_EQ(f.at(7, 0), 0xFFFAFFFEu);  // (6, 2) / 16
}

TEST(PixelQuery, IndexIsZeroUnlessInvocationsRunPerSample) {
  for (bool perSample : {false, true}) {
    Fragment f("pixld.my_index o1.x, p1\n(p1) add o2, c0, 1.0\n");
    f.context.sampleCount = 4, f.context.perSample = perSample;
    for (uint32_t& l : f.sys[size_t(abi::SysValue::SampleId)].lane) l = 2;
    f.run();
    EXPECT_EQ(f.at(4, 5), perSample ? 2u : 0u);
    EXPECT_EQ(f.at(8, 5) != 0, perSample);
  }
}

TEST(PixelQuery, WrongFormsAreRefused) {
  for (const char* text : {"pixld.mscount r0.x, p1", "pixld.covmask r0.x, [1]", "pixld.offset r0.x, p1, [1]",
                           "pixld.my_index r0.x, [1]", ".stage vertex\npixld.mscount r0.x"}) {
    auto program = isa::assemble(std::string(".stage fragment\n") + text);
    ASSERT_TRUE(program.ok()) << text;
    EXPECT_FALSE(isa::verify(*program, isa::VerifyMode::RealRegisters).ok()) << text;
  }
}

TEST(RawMemory, SwizzleThenMaskAndEachWordChecked) {
  Fragment f(
      "desc r9.x, -, #0\n"
      "ldimm r0.x, #1\nldimm r0.y, #2\nldimm r0.z, #3\nldimm r0.w, #4\nldimm r8.x, #8\n"
      "ld_raw.buffer r0.xz, r9.x, [r8.x + 4].wzyx\nxmov.x4 o1.x, r0.x\n"
      "ld_raw.buffer r1, r9.x, [r8.x + 8].xyzw\nxmov.x4 o2.x, r1.x\n"
      "ld_raw.shared r2, -, [12]\nxmov.x4 o3.x, r2.x\n"
      "ldimm r8.y, #0xFFFFFFFC\nld_raw.buffer r3, r9.x, [r8.y + 8]\nxmov.x4 o4.x, r3.x\n");
  f.run();
  // Bytes 12 to 27: 103 104 105 (outside).
  EXPECT_EQ(f.at(4, 0), 0u);
  EXPECT_EQ(f.at(5, 0), 2u);
  EXPECT_EQ(f.at(6, 0), 104u);
  EXPECT_EQ(f.at(7, 0), 4u);
  const uint32_t want[8] = {104, 105, 0, 0, 7, 7, 7, 0};
  for (uint32_t k = 0; k < 8; ++k) EXPECT_EQ(f.at(8 + k, 6), want[k]) << k;
  for (uint32_t k = 0; k < 4; ++k) EXPECT_EQ(f.at(16 + k, 6), 0u);  // offsets don't wrap
}

TEST(RawMemory, StoresMaskAndDropOutsideWords) {
  Fragment f(
      "desc r9.x, -, #0\nldimm r0.x, #1\nldimm r0.y, #2\nldimm r0.z, #3\nldimm r0.w, #4\n"
      "st_raw.buffer r9.x, [4].xw, r0.wzyx\nst_raw.buffer r9.x, [20], r0\n"
      "st_raw.shared -, [16], r0.z\n");
  f.run();
  EXPECT_EQ(f.buffer, (std::vector<uint32_t>{100, 4, 102, 103, 1, 1}));
  EXPECT_EQ(f.shared, (std::vector<uint32_t>{7, 7, 7, 7, 3, 3, 7, 7}));  // 24 bytes are the program's
}

TEST(Gather, ArgumentsFollowTheOriginalsLayout) {
  Fragment f(
      "ldimm r0.x, #0x12345\nldimm r0.y, #0.25\nldimm r0.z, #0.75\n"
      "ldimm r1.x, #0x3F0001\nldimm r1.y, #0.5\n"
      "tld4.g.aoffi.dc.ndv.t o1.x, r0.x, r1.x, t0, s1, array_2d, #0x9\n");
  f.run();
  EXPECT_EQ(asked.inst.kind, abi::TexKind::Gather);
  EXPECT_EQ(asked.inst.rule, abi::DimRule::Match);
  EXPECT_EQ(asked.inst.component, 1);
  EXPECT_TRUE(asked.inst.arrayed && asked.inst.dref && asked.inst.offset && !asked.inst.sparse);
  EXPECT_EQ(asked.handle.lane[0], 0u);
  EXPECT_EQ(asked.sampler.lane[0], 0x20u);
  const float want[4] = {0.25f, 0.75f, 0x2345, 0.5f};
  for (uint32_t k = 0; k < 4; ++k) EXPECT_EQ(std::bit_cast<float>(asked.args[k].lane[7]), want[k]) << k;
  EXPECT_EQ(asked.args[4].lane[0], 1u);
  EXPECT_EQ(asked.args[5].lane[0], 0u);
  EXPECT_EQ(f.at(4, 0), 10u);  // samples 0 and 3, side by side
  EXPECT_EQ(f.at(5, 0), 13u);
  EXPECT_EQ(f.at(6, 0), 0u);
}

TEST(Gather, FourOffsetsBindlessAndResidency) {
  Fragment f(
      "ldimm r0.x, #0.25\nldimm r0.y, #0.75\n"
      "ldimm r1.x, #0x40\nldimm r1.y, #0x3F1F2001\nldimm r1.z, #0x04030205\n"
      "tld4.b.b.ptp.uint p2, o1.x, r0.x, r1.x, 2d\n(p2) add o2, c0, 1.0\n");
  f.run();
  EXPECT_TRUE(asked.inst.offsets4 && asked.inst.sparse);
  EXPECT_EQ(asked.inst.type, abi::TexType::Uint);
  EXPECT_EQ(asked.handle.lane[4], 0x40u);
  EXPECT_EQ(asked.sampler.lane[4], 0x40u);
  const int32_t want[8] = {1, -32, 31, -1, 5, 2, 3, 4};
  for (uint32_t k = 0; k < 8; ++k) EXPECT_EQ(static_cast<int32_t>(asked.args[2 + k].lane[0]), want[k]) << k;
  for (uint32_t k = 0; k < 4; ++k) EXPECT_EQ(f.at(4 + k, 1), 10 + k);
  for (uint32_t l = 0; l < kWarpLanes; ++l) EXPECT_EQ(f.at(8, l) != 0, l == 3);
}

TEST(BaseTexture, TheViewDecidesAndCoordinatesAreDivided) {
  Fragment f(".const 0.5 1.0 2.0 4.0\ntxp o1, c0, t1\n");
  f.run();
  EXPECT_EQ(asked.inst.rule, abi::DimRule::View);
  EXPECT_EQ(asked.inst.lod, abi::LodMode::Implicit);
  EXPECT_EQ(asked.handle.lane[0], 0x20u);
  EXPECT_EQ(std::bit_cast<float>(asked.args[0].lane[3]), 0.125f);
  EXPECT_EQ(std::bit_cast<float>(asked.args[1].lane[3]), 0.25f);
  EXPECT_EQ(f.at(7, 5), 13u);
}

TEST(DepthExport, PixelsSamplesAndTheSampleCounter) {
  Fragment f(
      ".const 0.5 0.25 0.75 1.0\n.const -1.0 0 0 0\n"
      "zxp c0.x\nzxs c0, s2\nchs\nsetplt p1, c0.x, c0.y\n(p1) zxs c1, s0\nzxs c0.wwww, s14\nkls c1, s3\n");
  EXPECT_TRUE(f.program.info.writesDepth && f.program.info.writesSampleDepth && f.program.info.writesSampleMask);
  f.run();
  const float want[16] = {0.5f, 0.5f, 0.5f, 0.25f, 0.75f, 1.0f, 0.5f, 0.5f,
                          0.5f, 0.5f, 0.5f, 0.5f,  0.5f,  0.5f, 0.5f, 1.0f};
  EXPECT_EQ(std::bit_cast<float>(f.at(abi::kFragOutDepth, 2)), 0.5f);
  for (uint32_t s = 0; s < 16; ++s)
    EXPECT_EQ(std::bit_cast<float>(f.at(abi::kFragOutSampleDepth + s, 2)), want[s]) << "sample " << s;
  EXPECT_EQ(f.at(abi::kFragOutSampleMask, 2), ~0x8u);
}

}  // namespace
}  // namespace etzel::interp
