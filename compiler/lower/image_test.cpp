// What the texture units are handed for image instructions: the operation and every argument word in its place.
#include "compiler/lower/test_kernel.h"

namespace etzel::lower {
namespace {

using abi::LodMode;
using abi::TexInst;
using abi::TexKind;
using test::bits;
using test::Words;

/// What the last texture instruction got; lane 0's argument words. The result is word n = n + 1.
struct Call {
  TexInst inst;
  uint32_t handle = 0, sampler = 0;
  std::vector<uint32_t> args;
};
Call last;

void record(abi::Warp*, uint32_t inst, LaneMask, const LaneWords* handle, const LaneWords* sampler,
            const LaneWords* args, LaneWords* result) {
  last.inst = TexInst::unpack(inst);
  last.handle = (*handle)[0];
  last.sampler = sampler ? (*sampler)[0] : 0;
  last.args.clear();
  for (uint32_t n = 0; n < last.inst.argWords(); ++n) last.args.push_back(args[n][0]);
  for (uint32_t n = 0; n < last.inst.resultWords(); ++n)
    for (uint32_t l = 0; l < kWarpLanes; ++l) result[n][l] = n + 1;
}
const abi::FunctionTable kRecorder{record};

const char* const kHead =
    "OpCapability ImageGatherExtended\nOpCapability StorageImageExtendedFormats\nOpCapability Int64\nOpCapability "
    "Int64Atomics\n"
    "OpCapability SampledCubeArray\nOpCapability ImageCubeArray\nOpCapability Sampled1D\nOpCapability MinLod\n"
    "OpCapability ImageQuery\nOpCapability StorageImageMultisample\nOpCapability SparseResidency\n"
    "OpCapability Int64ImageEXT\nOpExtension \"SPV_EXT_shader_image_int64\"\n";
const char* const kDecorations =
    "OpDecorate %tex DescriptorSet 0\nOpDecorate %tex Binding 2\nOpDecorate %arr DescriptorSet 0\n"
    "OpDecorate %arr Binding 3\nOpDecorate %img DescriptorSet 0\nOpDecorate %img Binding 4\n"
    "OpDecorate %wide DescriptorSet 0\nOpDecorate %wide Binding 5\n";
const char* const kTypes =
    "%v2i = OpTypeVector %i32 2\n%v3i = OpTypeVector %i32 3\n%u64 = OpTypeInt 64 0\n%v4u64 = OpTypeVector %u64 4\n"
    "%t2 = OpTypeImage %f32 2D 0 0 0 1 Unknown\n%s2 = OpTypeSampledImage %t2\n%ps2 = OpTypePointer UniformConstant "
    "%s2\n"
    "%tc = OpTypeImage %f32 2D 1 1 0 1 Unknown\n%sc = OpTypeSampledImage %tc\n%psc = OpTypePointer UniformConstant "
    "%sc\n"
    "%si = OpTypeImage %u32 2D 0 1 0 2 R32ui\n%psi = OpTypePointer UniformConstant %si\n"
    "%sw = OpTypeImage %u64 2D 0 0 0 2 R64ui\n%psw = OpTypePointer UniformConstant %sw\n"
    "%tex = OpVariable %ps2 UniformConstant\n%arr = OpVariable %psc UniformConstant\n"
    "%img = OpVariable %psi UniformConstant\n%wide = OpVariable %psw UniformConstant\n"
    "%texelPtr = OpTypePointer Image %u32\n%wideTexelPtr = OpTypePointer Image %u64\n"
    "%pone = OpConstant %i32 1\n%ptwo = OpConstant %i32 2\n%minus3 = OpConstant %i32 -3\n%off = OpConstantComposite "
    "%v2i %pone %minus3\n"
    "%a2 = OpTypeArray %v2i %c4\n%offs = OpConstantComposite %a2 %off %off %off %off\n"
    "%l64 = OpConstant %u64 0x100000002\n%m64 = OpConstant %u64 0x300000004\n%two = OpConstant %f32 2\n%none = "
    "OpConstant %f32 0\n"
    "%residentTexel = OpTypeStruct %u32 %v4f\n";

Words run(const std::string& body, const std::string& decorations = "") {
  Words in{};
  for (uint32_t l = 0; l < kWarpLanes; ++l)
    for (uint32_t n = 0; n < 16; ++n) in[l][n] = bits(float(n + 1));
  last = {};
  return test::run(body, in, kHead, kTypes, kAllLanes, nullptr, kDecorations + decorations, &kRecorder);
}
std::vector<uint32_t> words(std::initializer_list<float> f) {
  std::vector<uint32_t> w;
  for (float x : f) w.push_back(bits(x));
  return w;
}
std::vector<uint32_t> operator+(std::vector<uint32_t> a, const std::vector<uint32_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(Image, GradientOffsetAndMinLodFollowTheCoordinates) {
  const Words out =
      run("%s = OpLoad %s2 %tex\n%at = OpCompositeConstruct %v2f %f0 %f1\n%dx = OpCompositeConstruct %v2f %f2 %f3\n"
          "%dy = OpCompositeConstruct %v2f %f4 %f5\n"
          "%t = OpImageSampleExplicitLod %v4f %s %at Grad|ConstOffset|MinLod %dx %dy %off %f6\n"
          "%w = OpCompositeExtract %f32 %t 3\n%o = OpBitcast %u32 %w\nOUT(0, %o)");
  EXPECT_EQ(last.inst.kind, TexKind::Sample);
  EXPECT_EQ(last.inst.lod, LodMode::Grad);
  EXPECT_EQ(last.args, (words({1, 2, 3, 4, 5, 6}) + std::vector<uint32_t>{1, uint32_t(-3)} + words({7})));
  EXPECT_EQ(last.handle, abi::makeHandle(0, 64));
  EXPECT_EQ(last.sampler, last.handle);
  EXPECT_EQ(out[3][0], 4u);
}

TEST(Image, ProjectionDividesCoordinatesAndReference) {
  run("%s = OpLoad %s2 %tex\n%at = OpCompositeConstruct %v3f %f3 %f5 %two\n"
      "%t = OpImageSampleProjExplicitLod %v4f %s %at Lod %f0\n%w = OpCompositeExtract %f32 %t 0\n%o = OpBitcast %u32 "
      "%w\nOUT(0, %o)");
  EXPECT_EQ(last.args, words({2, 3, 1}));
  EXPECT_EQ(last.inst.lod, LodMode::Explicit);
}

TEST(Image, SizeQueriesPassTheLevel) {
  run("%s = OpLoad %s2 %tex\n%im = OpImage %t2 %s\n%n = OpImageQueryLevels %u32 %im\n%z = OpImageQuerySizeLod %v2u %im "
      "%ptwo\n"
      "%y = OpCompositeExtract %u32 %z 1\nOUT(0, %y)");
  EXPECT_EQ(last.inst.kind, TexKind::QuerySize);
  EXPECT_EQ(last.args, std::vector<uint32_t>{2});
}

TEST(Image, GathersCarryReferenceAndFourOffsets) {
  run("%s = OpLoad %sc %arr\n%at = OpCompositeConstruct %v3f %f0 %f1 %f2\n"
      "%t = OpImageDrefGather %v4f %s %at %f3 ConstOffsets %offs\n%w = OpCompositeExtract %f32 %t 0\n%o = OpBitcast "
      "%u32 %w\nOUT(0, %o)");
  EXPECT_TRUE(last.inst.dref && last.inst.offsets4 && last.inst.arrayed);
  std::vector<uint32_t> want = words({1, 2, 3, 4});
  for (int i = 0; i < 4; ++i) want.push_back(1), want.push_back(uint32_t(-3));
  EXPECT_EQ(last.args, want);
  run("%s = OpLoad %s2 %tex\n%at = OpCompositeConstruct %v2f %f0 %f1\n%t = OpImageGather %v4f %s %at %c2\n%w = "
      "OpCompositeExtract %f32 %t 0\n%o = OpBitcast %u32 %w\nOUT(0, %o)");
  EXPECT_EQ(last.inst.component, 2);
}

TEST(Image, SparseResultsPutTheResidencyCodeFirst) {
  const Words out =
      run("%s = OpLoad %s2 %tex\n%at = OpCompositeConstruct %v2f %f0 %f1\n"
          "%t = OpImageSparseSampleExplicitLod %residentTexel %s %at Lod %two\n"
          "%code = OpCompositeExtract %u32 %t 0\n%x = OpCompositeExtract %f32 %t 1 0\n%o = OpBitcast %u32 %x\n"
          "%res = OpImageSparseTexelsResident %bool %code\n%r = OpSelect %u32 %res %c1 %c0\n"
          "OUT(0, %code)\nOUT(1, %o)\nOUT(2, %r)");
  EXPECT_TRUE(last.inst.sparse);
  EXPECT_EQ(out[0][0], 5u);
  EXPECT_EQ(out[0][1], 1u);
  EXPECT_EQ(out[0][2], 0u);
}

TEST(Image, WhatIsSampledForAWeightOfZeroIsNotSampled) {
  const std::string sum =
      "%s = OpLoad %s2 %tex\n%at = OpCompositeConstruct %v2f %f0 %f1\n%t = OpImageSampleExplicitLod %v4f %s %at Lod "
      "%f0\n"
      "%p = OpVectorTimesScalar %v4f %t %none\n%x = OpCompositeExtract %f32 %p 1\n%w = OpFAdd %f32 %x %f4\n"
      "%o = OpBitcast %u32 %w\nOUT(0, %o)";
  EXPECT_EQ(run(sum)[3][0], bits(5));
  EXPECT_TRUE(last.args.empty());
  EXPECT_EQ(run(sum, "OpDecorate %p NoContraction\n")[3][0], bits(5));  // NaN would be one
  EXPECT_EQ(last.args, words({1, 2, 1}));
}

TEST(Image, TexelAtomicsPassValueThenComparator) {
  const Words out =
      run("%at = OpCompositeConstruct %v3u %c7 %c8 %c9\n%p = OpImageTexelPointer %texelPtr %img %at %c0\n"
          "%a = OpAtomicCompareExchange %u32 %p %c1 %c0 %c0 %c11 %c12\nOUT(0, %a)");
  EXPECT_EQ(last.inst.kind, TexKind::ImageAtomic);
  EXPECT_EQ(last.args, (std::vector<uint32_t>{7, 8, 9, 11, 12}));
  EXPECT_EQ(out[5][0], 1u);
  run("%at = OpCompositeConstruct %v2u %c7 %c8\n%p = OpImageTexelPointer %wideTexelPtr %wide %at %c0\n"
      "%a = OpAtomicCompareExchange %u64 %p %c1 %c0 %c0 %l64 %m64");
  EXPECT_EQ(last.args, (std::vector<uint32_t>{7, 8, 2, 1, 4, 3}));
}

TEST(Image, WritesPassFourComponents) {
  run("%i = OpLoad %si %img\n%at = OpCompositeConstruct %v3u %c1 %c2 %c3\n%v = OpCompositeConstruct %v2u %c4 %c5\n"
      "OpImageWrite %i %at %v");
  EXPECT_EQ(last.inst.kind, TexKind::ImageWrite);
  EXPECT_EQ(last.args, (std::vector<uint32_t>{1, 2, 3, 4, 5, 0, 0}));
  run("%i = OpLoad %sw %wide\n%at = OpCompositeConstruct %v2u %c1 %c2\n"
      "%v = OpCompositeConstruct %v4u64 %l64 %m64 %l64 %m64\nOpImageWrite %i %at %v");
  EXPECT_EQ(last.args, (std::vector<uint32_t>{1, 2, 2, 1, 4, 3, 2, 1, 4, 3}));
}

}  // namespace
}  // namespace etzel::lower
