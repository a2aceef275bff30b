// Instructions that assemblers of Debian 12 do not know, written as numbers: cooperative matrices, vectors of any
// length, replicated composites, fused multiply-adds. One workgroup of one subgroup, floats in two buffers. An OpNop
// stands before such an instruction where the one before it could have more operands.
#include <bit>
#include <cmath>

#include "cts-subset/cases/groups.h"
#include "cts-subset/cases/shader/aborts.h"
#include "cts-subset/cases/shader/brain_float.h"
#include "cts-subset/cases/shader/cooperative_matrix.h"
#include "cts-subset/cases/shader/cooperative_vector.h"
#include "cts-subset/cases/shader/float8.h"
#include "cts-subset/cases/shader/pointers.h"
#include "cts-subset/cases/shader/wide_indices.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

constexpr uint32_t kSize = 8;

/// A compute shader around `body`: `capability` is a number, `types` further types and constants. %in and %out are
/// the buffers, %f32 and %u32 types, %u0 to %u63 constants, %lane gl_LocalInvocationIndex, %at(name) pointers.
std::string module(uint32_t capability, const std::string& extension, const std::string& types,
                   const std::string& body) {
  std::string text = cts::text("OpCapability Shader\nOpCapability !%u\n", capability) + "OpExtension \"" + extension +
                     "\"\nOpExtension \"SPV_KHR_storage_buffer_storage_class\"\nOpMemoryModel Logical GLSL450\n"
                     "OpEntryPoint GLCompute %main \"main\" %laneVar %in %out\nOpExecutionMode %main LocalSize 8 1 1\n"
                     "OpDecorate %laneVar BuiltIn LocalInvocationIndex\nOpDecorate %floats ArrayStride 4\n"
                     "OpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\n"
                     "OpDecorate %in DescriptorSet 0\nOpDecorate %in Binding 0\n"
                     "OpDecorate %out DescriptorSet 0\nOpDecorate %out Binding 1\n"
                     "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%u32 = OpTypeInt 32 0\n%f32 = OpTypeFloat 32\n"
                     "%floats = OpTypeRuntimeArray %f32\n%block = OpTypeStruct %floats\n"
                     "%blockPtr = OpTypePointer StorageBuffer %block\n%floatPtr = OpTypePointer StorageBuffer %f32\n"
                     "%in = OpVariable %blockPtr StorageBuffer\n%out = OpVariable %blockPtr StorageBuffer\n"
                     "%lanePtr = OpTypePointer Input %u32\n%laneVar = OpVariable %lanePtr Input\n";
  for (uint32_t i : {0, 1, 2, 3, 8, 11, 64, 128}) text += cts::text("%%u%u = OpConstant %%u32 %u\n", i, i);
  return text + types + "%main = OpFunction %void None %fn\n%entry = OpLabel\n%lane = OpLoad %u32 %laneVar\n" + body +
         "OpReturn\nOpFunctionEnd\n";
}

Buffer run(Gpu& gpu, const std::string& text, const std::vector<float>& in, size_t results) {
  Buffer input = gpu.buffer(in), out = gpu.buffer(std::vector<float>(results, -1.0f));
  Dispatch d;
  d.module = gpu.assemble(text, false);
  d.bindings = {storage(input), storage(out)};
  gpu.dispatch(d);
  return out;
}

/// C + A * B of small whole numbers, with B and C in either layout (0: rows, 1: columns).
void multiply(Gpu& gpu, uint32_t layoutB, uint32_t layoutC) {
  gpu.requireExtension("VK_KHR_cooperative_matrix");
  gpu.require(gpu.properties11.subgroupSize == kSize, "subgroups of 8");
  std::vector<float> in(3 * 64);
  Random random(layoutB * 2 + layoutC);
  for (float& f : in) f = float(int(random.next() >> 8 & 31)) - 16;
  const std::string types =
      "!0x00071168 %matA %f32 %u3 %u8 %u8 %u0\n!0x00071168 %matB %f32 %u3 %u8 %u8 %u1\n"
      "!0x00071168 %matC %f32 %u3 %u8 %u8 %u2\n";
  const std::string body =
      "%pa = OpAccessChain %floatPtr %in %u0 %u0\n%pb = OpAccessChain %floatPtr %in %u0 %u64\n"
      "%pc = OpAccessChain %floatPtr %in %u0 %u128\n%po = OpAccessChain %floatPtr %out %u0 %u0\n"
      "OpNop\n!0x00061169 %matA %a %pa %u0 %u8\n!0x00061169 %matB %b %pb %u" +
      std::to_string(layoutB) + " %u8\n!0x00061169 %matC %c %pc %u" + std::to_string(layoutC) +
      " %u8\n!0x0006116B %matC %r %a %b %c\n!0x0005116A %po %r %u0 %u8\n";
  Buffer out = run(gpu, module(6022, "SPV_KHR_cooperative_matrix", types, body), in, 64);
  for (uint32_t row = 0; row < kSize; ++row)
    for (uint32_t column = 0; column < kSize; ++column) {
      double want = in[128 + (layoutC ? column * kSize + row : row * kSize + column)];
      for (uint32_t k = 0; k < kSize; ++k)
        want += double(in[row * kSize + k]) * in[64 + (layoutB ? column * kSize + k : k * kSize + column)];
      EXPECT_EQ(out.as<float>()[row * kSize + column], want) << row << "," << column;
    }
}

/// The same of bfloat16, two of them in each float of the buffer, with sums of floats. The capability declares those of
/// the type and of matrices.
void multiplyBrains(Gpu& gpu) {
  gpu.requireExtension("VK_KHR_cooperative_matrix");
  gpu.requireFeatures("VK_KHR_shader_bfloat16", 3);
  gpu.require(gpu.properties11.subgroupSize == kSize, "subgroups of 8");
  std::vector<float> in(3 * 64), factors(128);
  Random random(9);
  for (float& f : factors) f = float(int(random.next() >> 8 & 255)) / 4 - 32;
  for (size_t i = 128; i < in.size(); ++i) in[i] = float(i) / 8;
  for (size_t i = 0; i < factors.size(); i += 2)  // rows begin 8 floats apart
    in[i / 8 * 8 + i % 8 / 2] = std::bit_cast<float>(brainOf(factors[i]) | brainOf(factors[i + 1]) << 16);
  const std::string types =
      "!0x00040016 %bf 16 0\n!0x00071168 %matA %bf %u3 %u8 %u8 %u0\n!0x00071168 %matB %bf %u3 %u8 %u8 %u1\n"
      "!0x00071168 %matC %f32 %u3 %u8 %u8 %u2\n";
  const std::string body =
      "%pa = OpAccessChain %floatPtr %in %u0 %u0\n%pb = OpAccessChain %floatPtr %in %u0 %u64\n"
      "%pc = OpAccessChain %floatPtr %in %u0 %u128\n%po = OpAccessChain %floatPtr %out %u0 %u0\n"
      "OpNop\n!0x00061169 %matA %a %pa %u0 %u8\n!0x00061169 %matB %b %pb %u0 %u8\n!0x00061169 %matC %c %pc %u0 %u8\n"
      "!0x0006116B %matC %r %a %b %c\n!0x0005116A %po %r %u0 %u8\n";
  Buffer out = run(gpu, module(5118, "SPV_KHR_bfloat16", types, body), in, 64);
  for (uint32_t row = 0; row < kSize; ++row)
    for (uint32_t column = 0; column < kSize; ++column) {
      double want = in[128 + row * kSize + column];
      for (uint32_t k = 0; k < kSize; ++k) want += double(factors[row * kSize + k]) * factors[64 + k * kSize + column];
      EXPECT_EQ(out.as<float>()[row * kSize + column], want) << row << "," << column;
    }
}

std::vector<float> inputs() {
  std::vector<float> in(64);
  for (size_t i = 0; i < in.size(); ++i) in[i] = float(i) * 1.25f - 7;
  return in;
}

/// A vector of 11 components that repeats the lane's number, doubled; its sum by extraction.
void longVector(Gpu& gpu) {
  gpu.requireExtension("VK_EXT_shader_long_vector");
  const std::vector<float> in = inputs();
  std::string body = "%p = OpAccessChain %floatPtr %in %u0 %lane\n%x = OpLoad %f32 %p\n%v = OpCompositeConstruct %v11";
  for (int i = 0; i < 11; ++i) body += i % 2 ? " %one" : " %x";
  body += "\n%w = OpFAdd %v11 %v %v\n%s0 = OpCompositeExtract %f32 %w 0\n";
  for (int i = 1; i < 11; ++i)
    body += text("%%e%d = OpCompositeExtract %%f32 %%w %d\n%%s%d = OpFAdd %%f32 %%s%d %%e%d\n", i, i, i, i - 1, i);
  body += "%q = OpAccessChain %floatPtr %out %u0 %lane\nOpStore %q %s10\n";
  Buffer out = run(
      gpu, module(5425, "SPV_EXT_long_vector", "!0x000414A8 %v11 %f32 %u11\n%one = OpConstant %f32 1\n", body), in, 8);
  for (uint32_t i = 0; i < 8; ++i) {
    float want = 2 * in[i];
    for (int k = 1; k < 11; ++k) want += k % 2 ? 2.0f : 2 * in[i];
    EXPECT_EQ(out.as<float>()[i], want) << i;
  }
}

void replicated(Gpu& gpu) {
  gpu.requireExtension("VK_EXT_shader_replicated_composites");
  const std::vector<float> in = inputs();
  const std::string body =
      "%p = OpAccessChain %floatPtr %in %u0 %lane\n%x = OpLoad %f32 %p\nOpNop\n!0x0004116F %v3 %v %x\n"
      "%s = OpFAdd %v3 %v %threes\n%d = OpDot %f32 %s %threes\n"
      "%q = OpAccessChain %floatPtr %out %u0 %lane\nOpStore %q %d\n";
  const std::string types = "%v3 = OpTypeVector %f32 3\n%three = OpConstant %f32 3\n!0x0004116D %v3 %threes %three\n";
  Buffer out = run(gpu, module(6024, "SPV_EXT_replicated_composites", types, body), in, 8);
  for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(out.as<float>()[i], 9 * (in[i] + 3)) << i;
}

/// x * x - 1 near 1, where one rounding and two differ.
void fusedMultiplyAdd(Gpu& gpu) {
  gpu.requireExtension("VK_KHR_shader_fma");
  std::vector<float> in(8);
  for (uint32_t i = 0; i < 8; ++i) in[i] = 1 + std::ldexp(float(i + 1), -14);
  const std::string body =
      "%p = OpAccessChain %floatPtr %in %u0 %lane\n%x = OpLoad %f32 %p\nOpNop\n!0x0006114B %f32 %r %x %x %minus\n"
      "%q = OpAccessChain %floatPtr %out %u0 %lane\nOpStore %q %r\n";
  Buffer out = run(gpu, module(6030, "SPV_KHR_fma", "%minus = OpConstant %f32 -1\n", body), in, 8);
  for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(out.as<float>()[i], std::fma(in[i], in[i], -1.0f)) << i;
}

/// 3 x is a tie of halves, a little less is not: floats do not hold what it is less by.
void fusedHalves(Gpu& gpu) {
  gpu.requireExtension("VK_KHR_shader_fma");
  std::vector<float> in(8);
  for (uint32_t i = 0; i < 8; ++i) in[i] = float(16384 + 16 * (2 * i + 1));
  const std::string types =
      "%f16 = OpTypeFloat 16\n%three = OpConstant %f16 3\n%tiny = OpConstant %f16 -0.0009765625\n";
  const std::string body =
      "%p = OpAccessChain %floatPtr %in %u0 %lane\n%x = OpLoad %f32 %p\n%h = OpFConvert %f16 %x\nOpNop\n"
      "!0x0006114B %f16 %r %h %three %tiny\n%y = OpFConvert %f32 %r\n"
      "%q = OpAccessChain %floatPtr %out %u0 %lane\nOpStore %q %y\n";
  std::string text = module(6030, "SPV_KHR_fma", types, body);
  text.insert(text.find("OpExtension"), "OpCapability Float16\n");
  Buffer out = run(gpu, text, in, 8);
  for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(out.as<float>()[i], 3 * in[i] - 16) << i;
}

/// To bfloat16 and back: ties, numbers that round up to infinity, subnormals, what is no number.
void brainConversions(Gpu& gpu) {
  gpu.requireExtension("VK_KHR_shader_bfloat16");
  const std::string types = "!0x00040016 %bf 16 0\n";
  const std::string body =
      "%p = OpAccessChain %floatPtr %in %u0 %lane\n%x = OpLoad %f32 %p\n%b = OpFConvert %bf %x\n"
      "%y = OpFConvert %f32 %b\n%q = OpAccessChain %floatPtr %out %u0 %lane\nOpStore %q %y\n";
  const std::string text = module(5116, "SPV_KHR_bfloat16", types, body);
  Random random(16);
  for (uint32_t round = 0; round < 32; ++round) {
    std::vector<float> in(8);
    for (uint32_t i = 0; i < 8; ++i) {
      uint32_t bits = random.next();
      if (i < 3) bits = (bits & 0xffff0000) | (0x7fff + i);
      if (i == 3) bits = (bits & 0x80000000) | (0x7f7f0000 + (bits & 0x1ffff));
      if (i == 4) bits &= 0x807fffff;
      in[i] = std::bit_cast<float>(bits);
    }
    Buffer out = run(gpu, text, in, 8);
    for (uint32_t i = 0; i < 8; ++i) {
      const float want = fromBrain(brainOf(in[i]));
      // Nobody asked for a rounding mode: toward zero does as well.
      const uint32_t got = out.as<uint32_t>()[i], cut = std::bit_cast<uint32_t>(in[i]) & 0xffff0000;
      if (std::isnan(want)) {
        EXPECT_TRUE(std::isnan(out.as<float>()[i])) << in[i];
      } else if (got != cut) {
        EXPECT_EQ(got, std::bit_cast<uint32_t>(want)) << in[i];
      }
    }
  }
}

/// Small whole numbers, of which every sum is exact.
void brainDot(Gpu& gpu) {
  gpu.requireExtension("VK_KHR_shader_bfloat16");
  const std::string types =
      "!0x00040016 %bf 16 0\n%two = OpConstant %f32 2\n%bf3 = OpTypeVector %bf 3\n%f3 = OpTypeVector %f32 3\n";
  const std::string body =
      "%p = OpAccessChain %floatPtr %in %u0 %lane\n%x = OpLoad %f32 %p\n%d = OpFAdd %f32 %x %two\n"
      "%v = OpCompositeConstruct %f3 %x %d %two\n%w = OpCompositeConstruct %f3 %d %two %x\n"
      "%a = OpFConvert %bf3 %v\n%b = OpFConvert %bf3 %w\n%c = OpDot %bf %a %b\n%y = OpFConvert %f32 %c\n"
      "%q = OpAccessChain %floatPtr %out %u0 %lane\nOpStore %q %y\n";
  std::string text = module(5116, "SPV_KHR_bfloat16", types, body);
  text.insert(text.find("OpExtension"), "OpCapability !5117\n");
  std::vector<float> in(8);
  for (uint32_t i = 0; i < 8; ++i) in[i] = float(i) - 3;
  Buffer out = run(gpu, text, in, 8);
  for (uint32_t i = 0; i < 8; ++i)
    EXPECT_EQ(out.as<float>()[i], in[i] * (in[i] + 2) + 2 * (in[i] + 2) + 2 * in[i]) << i;
}

/// Votes of four invocations each: of all, and of those with odd numbers.
void quadVote(Gpu& gpu) {
  gpu.requireExtension("VK_KHR_shader_quad_control");
  gpu.require(gpu.properties11.subgroupSize % 4 == 0, "subgroups of whole quads");
  const std::string types =
      "%bool = OpTypeBool\n%zero = OpConstant %f32 0\n%one = OpConstant %f32 1\n%two = OpConstant %f32 2\n";
  const std::string body =
      "%p = OpAccessChain %floatPtr %in %u0 %lane\n%x = OpLoad %f32 %p\n%b = OpFOrdGreaterThan %bool %x %zero\n"
      "!0x000413F6 %bool %all %b\n!0x000413F7 %bool %any %b\n%q = OpAccessChain %floatPtr %out %u0 %lane\n"
      "%s = OpSelect %f32 %all %one %zero\n%t = OpSelect %f32 %any %two %zero\n%r = OpFAdd %f32 %s %t\nOpStore %q %r\n"
      "%low = OpBitwiseAnd %u32 %lane %u1\n%isOdd = OpIEqual %bool %low %u1\nOpSelectionMerge %end None\n"
      "OpBranchConditional %isOdd %odd %end\n%odd = OpLabel\nOpNop\n!0x000413F6 %bool %oddAll %b\n"
      "!0x000413F7 %bool %oddAny %b\n%os = OpSelect %f32 %oddAll %one %zero\n%ot = OpSelect %f32 %oddAny %two %zero\n"
      "%or = OpFAdd %f32 %os %ot\nOpStore %q %or\nOpBranch %end\n%end = OpLabel\n";
  const std::string text = module(5087, "SPV_KHR_quad_control", types, body);
  for (uint32_t votes = 0; votes < 256; votes += 15) {
    std::vector<float> in(8);
    for (uint32_t i = 0; i < 8; ++i) in[i] = votes >> i & 1 ? 1.0f : -1.0f;
    Buffer out = run(gpu, text, in, 8);
    for (uint32_t i = 0; i < 8; ++i) {
      const uint32_t voters = (i & 1 ? 10u : 15u) << (i & 4), yes = votes & voters;
      EXPECT_EQ(out.as<float>()[i], (yes == voters ? 1.0f : 0.0f) + (yes ? 2.0f : 0.0f)) << votes << " " << i;
    }
  }
}

/// Integers of `width` bits out of constant data, chosen by the lane and by number; `specialized`: other data, and more
/// of them than the module has.
void constantData(Gpu& gpu, uint32_t width, bool specialized) {
  gpu.requireExtension("VK_KHR_shader_constant_data");
  constexpr uint32_t kCount = 11, kFewer = 3;
  std::vector<uint64_t> values;
  std::vector<uint8_t> data;
  for (uint32_t i = 0; i < kCount; ++i) {
    values.push_back((i * 0x1122334455667788ull + 0x9a) & (width == 64 ? ~0ull : (1ull << width) - 1));
    for (uint32_t b = 0; b < width; b += 8) data.push_back(uint8_t(values.back() >> b));
  }
  const auto words = [&](uint32_t count) {
    std::vector<uint32_t> out((count * width + 31) / 32);
    for (uint32_t i = 0; i < count * width / 8; ++i)
      out[i / 4] |= uint32_t(data[i] ^ (specialized ? 0x55 : 0)) << i % 4 * 8;
    return out;
  };
  const std::vector<uint32_t> own = words(specialized ? kFewer : kCount);
  std::string types = width == 32 ? "" : text("%%int = OpTypeInt %u 0\n", width);
  types += specialized ? text("%%count = OpSpecConstant %%u32 %u\n", kFewer) : "%count = OpConstant %u32 11\n";
  types += text("%%data_t = OpTypeArray %%int %%count\n!0x%04x%s %%data_t %%data", unsigned(own.size() + 3),
                specialized ? "141C" : "141B");
  for (uint32_t w : own) types += text(" !%u", w);
  types += "\n%ptr = OpTypePointer Function %data_t\n%element = OpTypePointer Function %int\n";
  const std::string low = width == 32 ? "%w = OpCopyObject %u32 %x\n" : "%w = OpUConvert %u32 %x\n";
  std::string body = "OpStore %all %data\n%p = OpAccessChain %element %all %at\n%x = OpLoad %int %p\n" + low +
                     "%y = OpCompositeExtract %int %data 2\n" +
                     (width == 32 ? "%v = OpCopyObject %u32 %y\n" : "%v = OpUConvert %u32 %y\n") +
                     "%s = OpBitwiseXor %u32 %w %v\n%r = OpBitcast %f32 %s\n"
                     "%q = OpAccessChain %floatPtr %out %u0 %lane\nOpStore %q %r\n";
  body.insert(0, "%at = OpIAdd %u32 %lane %u3\n");
  std::string module = cts::module(5146, "SPV_KHR_constant_data", types, body);
  if (width == 32)
    for (size_t at; (at = module.find("%int")) != std::string::npos;) module.replace(at, 4, "%u32");
  else
    module.insert(module.find("OpExtension"), text("OpCapability Int%u\n", width));
  if (specialized) module.insert(module.find("OpDecorate"), "OpDecorate %count SpecId 4\nOpDecorate %data SpecId 9\n");
  module.insert(module.find("%lane = OpLoad"), "%all = OpVariable %ptr Function\n");

  std::vector<uint8_t> constants(4 + data.size());
  const uint32_t count = kCount;
  std::memcpy(constants.data(), &count, 4), std::memcpy(constants.data() + 4, data.data(), data.size());
  const VkSpecializationMapEntry entries[2] = {{4, 0, 4}, {9, 4, data.size()}};
  const VkSpecializationInfo info{2, entries, constants.size(), constants.data()};
  Buffer input = gpu.buffer(std::vector<float>(8)), out = gpu.buffer(std::vector<float>(8, -1.0f));
  Dispatch d;
  d.module = gpu.assemble(module, false);
  d.bindings = {storage(input), storage(out)};
  if (specialized) d.specialization = &info;
  gpu.dispatch(d);
  for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(out.as<uint32_t>()[i], uint32_t(values[i + 3]) ^ uint32_t(values[2])) << i;
}

/// Derivatives of a plane over the workgroup, in squares or along rows (VK_KHR_compute_shader_derivatives).
void computeDerivatives(Gpu& gpu, bool quads) {
  gpu.requireExtension("VK_KHR_compute_shader_derivatives");
  constexpr uint32_t kWidth = 8, kHeight = 4;
  Dispatch d{
      text("#version 450\n#extension GL_NV_compute_shader_derivatives : require\n"
           "layout(local_size_x=%u, local_size_y=%u) in;\nlayout(derivative_group_%sNV) in;\n"
           "layout(binding=0) buffer R { vec3 r[]; };\n"
           "void main() { uvec2 p = gl_GlobalInvocationID.xy;\n"
           "  float f = %s; uint i = p.y * %uu + p.x;\n"
           "  r[i] = vec3(dFdx(f), dFdy(f), gl_LocalInvocationIndex); }\n",
           kWidth, kHeight, quads ? "quads" : "linear",
           quads ? "float(p.x * 3u + p.y * 10u)" : "float(gl_LocalInvocationIndex) * 3.0", kWidth)};
  Buffer out = gpu.buffer(std::vector<float>(kWidth * kHeight * 4, -1.0f));
  d.bindings = {storage(out)};
  gpu.dispatch(d);
  for (uint32_t i = 0; i < kWidth * kHeight; ++i) {
    const float* r = out.as<float>() + i * 4;
    EXPECT_EQ(r[0], 3) << i;
    EXPECT_EQ(r[1], quads ? 10 : 6) << i;
    EXPECT_EQ(r[2], float(i));
  }
}

}  // namespace

void registerNewerSpirv() {
  add("compute_derivatives.quads", [](Gpu& gpu) { computeDerivatives(gpu, true); });
  add("compute_derivatives.linear", [](Gpu& gpu) { computeDerivatives(gpu, false); });
  add("cooperative_matrix.mul_add.f32", [](Gpu& gpu) { multiply(gpu, 0, 0); });
  add("cooperative_matrix.mul_add.columns_of_b", [](Gpu& gpu) { multiply(gpu, 1, 0); });
  add("cooperative_matrix.mul_add.columns_of_c", [](Gpu& gpu) { multiply(gpu, 0, 1); });
  add("cooperative_matrix.mul_add.bfloat16", multiplyBrains);
  add("spirv.newer.long_vector", longVector);
  add("spirv.newer.replicated", replicated);
  add("spirv.newer.fma", fusedMultiplyAdd);
  add("spirv.newer.fma_halves", fusedHalves);
  add("spirv.newer.bfloat16.convert", brainConversions);
  add("spirv.newer.bfloat16.dot", brainDot);
  add("spirv.newer.quad_vote", quadVote);
  for (const uint32_t width : {8, 16, 32, 64}) {
    const std::string name = "spirv.newer.constant_data." + text("int%u", width);
    add(name, [width](Gpu& gpu) { constantData(gpu, width, false); });
    add(name + ".specialized", [width](Gpu& gpu) { constantData(gpu, width, true); });
  }
  addPointerCases();
  addWideIndexCases();
  registerAborts();
  registerFloat8();
  registerCooperativeMatrices();
  registerCooperativeVectors();
}

}  // namespace etzel::cts
