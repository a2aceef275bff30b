// Scalars and vectors of floats of 8 bits (VK_EXT_shader_float8): conversions from and to all other numbers, memory,
// constants, composites. Results are compared by their bits; which NaN it is does not matter.
#include "cts-subset/cases/shader/float8.h"

#include <bit>

#include "cts-subset/cases/shader/brain_float.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

constexpr uint32_t kLanes = 64;

/// Words to words: the body makes %r of %x, the number of the invocation is %i.
struct Shader {
  std::string body, variables, types, capabilities, decorations, interface;
  std::vector<Binding> further;  ///< from binding 2 on

  std::string text() const {
    return "OpCapability Shader\nOpCapability Int8\nOpCapability !4212\n" + capabilities +
           "OpExtension \"SPV_EXT_float8\"\nOpExtension \"SPV_KHR_storage_buffer_storage_class\"\n"
           "OpExtension \"SPV_KHR_8bit_storage\"\nOpExtension \"SPV_KHR_16bit_storage\"\n"
           "OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" %id %in %out" +
           interface +
           "\n"
           "OpExecutionMode %main LocalSize 64 1 1\nOpDecorate %id BuiltIn GlobalInvocationId\n"
           "OpDecorate %words ArrayStride 4\nOpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\n"
           "OpDecorate %in DescriptorSet 0\nOpDecorate %in Binding 0\n"
           "OpDecorate %out DescriptorSet 0\nOpDecorate %out Binding 1\n" +
           decorations +
           "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%bool = OpTypeBool\n%u32 = OpTypeInt 32 0\n"
           "%s32 = OpTypeInt 32 1\n%f32 = OpTypeFloat 32\n%u8 = OpTypeInt 8 0\n%v3u = OpTypeVector %u32 3\n"
           "%words = OpTypeRuntimeArray %u32\n%block = OpTypeStruct %words\n"
           "%blockPtr = OpTypePointer StorageBuffer %block\n%wordPtr = OpTypePointer StorageBuffer %u32\n"
           "%in = OpVariable %blockPtr StorageBuffer\n%out = OpVariable %blockPtr StorageBuffer\n"
           "%idPtr = OpTypePointer Input %v3u\n%id = OpVariable %idPtr Input\n%c0 = OpConstant %u32 0\n"
           "%true = OpConstantTrue %bool\n!0x00040016 %e4m3 8 4214\n!0x00040016 %e5m2 8 4215\n" +
           types + "%main = OpFunction %void None %fn\n%entry = OpLabel\n" + variables +
           "%all = OpLoad %v3u %id\n"
           "%i = OpCompositeExtract %u32 %all 0\n%from = OpAccessChain %wordPtr %in %c0 %i\n%x = OpLoad %u32 %from\n" +
           body + "%to = OpAccessChain %wordPtr %out %c0 %i\nOpStore %to %r\nOpReturn\nOpFunctionEnd\n";
  }
  std::vector<uint32_t> run(Gpu& gpu, std::vector<uint32_t> in, const VkSpecializationInfo* specialization = nullptr) {
    gpu.requireFeatures("VK_EXT_shader_float8", 2);
    gpu.require(gpu.features12.shaderInt8, "shaderInt8");
    const size_t count = in.size();
    in.resize((count + kLanes - 1) / kLanes * kLanes);
    Buffer input = gpu.buffer(in), out = gpu.buffer(std::vector<uint32_t>(in.size(), 0xdeadbeef));
    Dispatch d;
    d.module = gpu.assemble(text(), false);
    d.bindings = {storage(input), storage(out)};
    d.bindings.insert(d.bindings.end(), further.begin(), further.end());
    d.x = uint32_t(in.size() / kLanes);
    d.specialization = specialization;
    gpu.dispatch(d);
    return {out.as<uint32_t>(), out.as<uint32_t>() + count};
  }
};

/// %small, the float of 8 bits in the low bits of %x, and %r, the bits of one.
std::string smallOfWord(const Float8& f) {
  return "%byte = OpUConvert %u8 %x\n%small = OpBitcast " + std::string(f.type) + " %byte\n";
}
const char* const kWordOfResult = "%resultByte = OpBitcast %u8 %result\n%r = OpUConvert %u32 %resultByte\n";

std::vector<uint32_t> allCodes() {
  std::vector<uint32_t> all(256);
  for (uint32_t i = 0; i < 256; ++i) all[i] = i;
  return all;
}

/// Numbers of both signs, and what lies in the middle between two of them, a little less and a little more.
std::vector<uint32_t> floatsAround(const Float8& f) {
  std::vector<uint32_t> all;
  for (uint32_t code = 0; code <= f.greatest; ++code) {
    const float low = float(f.magnitudeOf(code)), middle = (low + float(f.magnitudeOf(code + 1))) / 2;
    for (float x : {low, middle, std::nextafter(middle, 0.0f), std::nextafter(middle, 1e9f)})
      for (float y : {x, -x}) all.push_back(std::bit_cast<uint32_t>(y));
  }
  for (float x : {float(INFINITY), 1e30f, 70000.0f, 500.0f, 1e-30f, 1e-42f})
    for (float y : {x, -x}) all.push_back(std::bit_cast<uint32_t>(y));
  all.push_back(0x7fc00000), all.push_back(0xff800001);
  Random random(8);
  while (all.size() % kLanes) all.push_back(random.next());
  return all;
}

void expectCodes(const Float8& f, const std::vector<uint32_t>& got, const std::vector<double>& numbers,
                 bool saturates = false) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    const uint32_t want = f.codeOf(numbers[i], saturates);
    if (f.isNan(want))
      EXPECT_TRUE(f.isNan(got[i]) && got[i] < 256) << numbers[i] << ": " << got[i];
    else
      EXPECT_EQ(got[i], want) << numbers[i];
  }
}

// --- Conversions

/// SPV_EXT_float8, "Conversion Instructions".
void convertFloats(Gpu& gpu, const Float8& f, bool saturates) {
  Shader s;
  s.body = "%f = OpBitcast %f32 %x\n%result = OpFConvert " + std::string(f.type) + " %f\n" + kWordOfResult;
  if (saturates) s.decorations = "OpDecorate %result !4216\n";
  const std::vector<uint32_t> in = floatsAround(f);
  std::vector<double> numbers;
  for (uint32_t x : in) numbers.push_back(std::bit_cast<float>(x));
  expectCodes(f, s.run(gpu, in), numbers, saturates);
}

/// Doubles that floats cannot tell from what is in the middle between two numbers.
void convertDoubles(Gpu& gpu, const Float8& f) {
  gpu.require(gpu.features.features.shaderFloat64, "shaderFloat64");
  for (const double scale : {1 + 0x1p-40, 1 - 0x1p-40}) {
    Shader s;
    s.capabilities = "OpCapability Float64\n";
    s.types = "%f64 = OpTypeFloat 64\n" + cts::text("%%scale = OpConstant %%f64 %.20g\n", scale);
    s.body = "%f = OpBitcast %f32 %x\n%d = OpFConvert %f64 %f\n%e = OpFMul %f64 %d %scale\n%result = OpFConvert " +
             std::string(f.type) + " %e\n" + kWordOfResult;
    const std::vector<uint32_t> in = floatsAround(f);
    std::vector<double> numbers;
    for (uint32_t x : in) numbers.push_back(double(std::bit_cast<float>(x)) * scale);
    expectCodes(f, s.run(gpu, in), numbers);
  }
}

/// All codes to floats, by bits.
void widen(Gpu& gpu, const Float8& f) {
  Shader s;
  s.body = smallOfWord(f) + "%f = OpFConvert %f32 %small\n%r = OpBitcast %u32 %f\n";
  const std::vector<uint32_t> got = s.run(gpu, allCodes());
  for (uint32_t code = 0; code < 256; ++code) {
    const float number = std::bit_cast<float>(got[code]);
    if (f.isNan(code))
      EXPECT_TRUE(std::isnan(number)) << code;
    else
      EXPECT_EQ(got[code], std::bit_cast<uint32_t>(float(f.numberOf(code)))) << code;
  }
}

/// "Denormalized floating-point values ... must be preserved during conversions to IEEE 754 binary 16", and back.
void throughHalves(Gpu& gpu, const Float8& f) {
  gpu.require(gpu.features12.shaderFloat16, "shaderFloat16");
  Shader s;
  s.capabilities = "OpCapability Float16\n";
  s.types = "%f16 = OpTypeFloat 16\n%half = OpConstant %f16 0.5\n%two = OpConstant %f16 2\n";
  s.body = smallOfWord(f) +
           "%h = OpFConvert %f16 %small\n%lower = OpFMul %f16 %h %half\n%again = OpFMul %f16 %lower %two\n"
           "%result = OpFConvert " +
           std::string(f.type) + " %again\n" + kWordOfResult;
  std::vector<double> numbers;
  for (uint32_t code = 0; code < 256; ++code) numbers.push_back(f.numberOf(code));
  expectCodes(f, s.run(gpu, allCodes()), numbers);
}

void throughBrains(Gpu& gpu, const Float8& f) {
  gpu.requireExtension("VK_KHR_shader_bfloat16");
  Shader s;
  s.capabilities = "OpCapability !5116\n";
  s.types = "!0x00040016 %bf 16 0\n";
  s.body = smallOfWord(f) + "%b = OpFConvert %bf %small\n%result = OpFConvert " + f.type + " %b\n" + kWordOfResult;
  std::vector<double> numbers;
  for (uint32_t code = 0; code < 256; ++code) numbers.push_back(f.numberOf(code));
  expectCodes(f, s.run(gpu, allCodes()), numbers);
}

/// From one format to the other.
void between(Gpu& gpu, const Float8& from, const Float8& to, bool saturates) {
  Shader s;
  s.body = smallOfWord(from) + "%result = OpFConvert " + to.type + " %small\n" + kWordOfResult;
  if (saturates) s.decorations = "OpDecorate %result !4216\n";
  std::vector<double> numbers;
  for (uint32_t code = 0; code < 256; ++code) numbers.push_back(from.numberOf(code));
  expectCodes(to, s.run(gpu, allCodes()), numbers, saturates);
}

void fromIntegers(Gpu& gpu, const Float8& f, bool isSigned, bool saturates) {
  Shader s;
  s.body = isSigned ? "%n = OpBitcast %s32 %x\n%result = OpConvertSToF " : "%result = OpConvertUToF ";
  s.body += f.type + std::string(isSigned ? " %n\n" : " %x\n") + kWordOfResult;
  if (saturates) s.decorations = "OpDecorate %result !4216\n";
  std::vector<uint32_t> in;
  for (uint32_t i = 0; i < 600; ++i) in.push_back(i), in.push_back(0u - i);
  for (uint32_t i = 40000; i < 70000; i += 100) in.push_back(i + 1), in.push_back(i - 40960);
  for (uint32_t i = 8; i < 32; ++i) in.push_back(1u << i), in.push_back((1u << i) - 1), in.push_back(0u - (1u << i));
  std::vector<double> numbers;
  for (uint32_t x : in) numbers.push_back(isSigned ? double(int32_t(x)) : double(x));
  expectCodes(f, s.run(gpu, in), numbers, saturates);
}

/// Numbers that integers hold, cut off.
void toIntegers(Gpu& gpu, const Float8& f) {
  Shader s;
  s.body = smallOfWord(f) + "%n = OpConvertFToS %s32 %small\n%r = OpBitcast %u32 %n\n";
  const std::vector<uint32_t> got = s.run(gpu, allCodes());
  for (uint32_t code = 0; code < 256; ++code)
    if (std::isfinite(f.numberOf(code))) {
      EXPECT_EQ(int32_t(got[code]), int32_t(f.numberOf(code))) << code;
    }
}

// --- Memory, constants, composites

/// Elements of a storage buffer of such floats, which the invocations read the other way round and write through memory
/// of a function.
void memory(Gpu& gpu, const Float8& f) {
  gpu.require(gpu.features12.storageBuffer8BitAccess, "storageBuffer8BitAccess");
  Shader s;
  const std::string type = f.type;
  s.capabilities = "OpCapability StorageBuffer8BitAccess\n";
  s.decorations =
      "OpDecorate %array ArrayStride 1\nOpDecorate %bytes Block\nOpMemberDecorate %bytes 0 Offset 0\n"
      "OpDecorate %smalls DescriptorSet 0\nOpDecorate %smalls Binding 2\n";
  s.types =
      "%array = OpTypeRuntimeArray " + type +
      "\n%bytes = OpTypeStruct %array\n%bytesPtr = OpTypePointer StorageBuffer %bytes\n"
      "%smallPtr = OpTypePointer StorageBuffer " +
      type + "\n%ownPtr = OpTypePointer Function " + type +
      "\n%smalls = OpVariable %bytesPtr StorageBuffer\n%c256 = OpConstant %u32 256\n%c255 = OpConstant %u32 255\n";
  s.interface = " %smalls";
  s.variables = "%own = OpVariable %ownPtr Function\n";
  s.body = "%back = OpISub %u32 %c255 %i\n%source = OpAccessChain %smallPtr %smalls %c0 %back\n%loaded = OpLoad " +
           type + " %source\nOpStore %own %loaded\n%kept = OpLoad " + type +
           " %own\n%place = OpIAdd %u32 %i %c256\n%target = OpAccessChain %smallPtr %smalls %c0 %place\n"
           "OpStore %target %kept\n%wide = OpFConvert %f32 %kept\n%r = OpBitcast %u32 %wide\n";
  std::vector<uint8_t> bytes(512, 0xcc);
  for (uint32_t i = 0; i < 256; ++i) bytes[i] = uint8_t(i);
  Buffer smalls = gpu.buffer(bytes);
  s.further = {storage(smalls)};
  const std::vector<uint32_t> got = s.run(gpu, allCodes());
  for (uint32_t i = 0; i < 256; ++i) {
    EXPECT_EQ(smalls.as<uint8_t>()[256 + i], 255 - i);
    if (f.isNan(255 - i)) continue;
    EXPECT_EQ(got[i], std::bit_cast<uint32_t>(float(f.numberOf(255 - i)))) << i;
  }
}

/// A word as a vector of four, shuffled, a component of it replaced by a constant, one chosen.
void composites(Gpu& gpu, const Float8& f) {
  const std::string type = f.type;
  Shader s;
  s.types = "%v4 = OpTypeVector " + type + " 4\n%v2 = OpTypeVector " + type +
            " 2\n%odd = OpConstant %u32 1\n!0x0004002B " + type + " %k 0x35\n!0x0005002C %v2 %pair %k %k\n";
  s.body = "%v = OpBitcast %v4 %x\n%swapped = OpVectorShuffle %v4 %v %pair 3 2 4 0\n%last = OpCompositeExtract " +
           type + " %v 1\n%bit = OpBitwiseAnd %u32 %i %odd\n%isOdd = OpIEqual %bool %bit %odd\n%chosen = OpSelect " +
           type + " %isOdd %last %k\n%whole = OpCompositeInsert %v4 %chosen %swapped 1\n%r = OpBitcast %u32 %whole\n";
  std::vector<uint32_t> in(kLanes);
  Random random(9);
  for (uint32_t& w : in) w = random.next();
  const std::vector<uint32_t> got = s.run(gpu, in);
  for (uint32_t i = 0; i < kLanes; ++i) {
    const uint32_t chosen = i % 2 ? in[i] >> 8 & 255 : 0x35;
    EXPECT_EQ(got[i], in[i] >> 24 | chosen << 8 | 0x35 << 16 | in[i] << 24) << i;
  }
}

/// A specialization constant of one byte, and its number converted when the pipeline is made.
void specialized(Gpu& gpu, const Float8& f) {
  Shader s;
  s.decorations = "OpDecorate %k SpecId 7\n";
  s.types = "!0x00040032 " + std::string(f.type) + " %k 0x30\n%wide = OpSpecConstantOp %f32 FConvert %k\n";
  s.body =
      "%kByte = OpBitcast %u8 %k\n%kWord = OpUConvert %u32 %kByte\n%bits = OpBitcast %u32 %wide\n"
      "%r = OpBitwiseXor %u32 %bits %kWord\n";
  const uint8_t given = 0x9b;
  const VkSpecializationMapEntry entry{7, 0, 1};
  const VkSpecializationInfo info{1, &entry, 1, &given};
  const auto want = [&](uint32_t code) { return std::bit_cast<uint32_t>(float(f.numberOf(code))) ^ code; };
  EXPECT_EQ(s.run(gpu, {0})[0], want(0x30));
  EXPECT_EQ(s.run(gpu, {0}, &info)[0], want(given));
}

}  // namespace

void registerFloat8() {
  for (const Float8& f : kFloat8s) {
    const Float8& other = kFloat8s[&f == kFloat8s ? 1 : 0];
    const auto add = [&](const std::string& what, auto run) { cts::add("spirv.float8." + what + "." + f.name, run); };
    for (const bool saturates : {false, true}) {
      const std::string how = saturates ? "saturate" : "convert";
      add(how, [&f, saturates](Gpu& gpu) { convertFloats(gpu, f, saturates); });
      add(how + ".other", [&f, &other, saturates](Gpu& gpu) { between(gpu, other, f, saturates); });
      add(how + ".signed", [&f, saturates](Gpu& gpu) { fromIntegers(gpu, f, true, saturates); });
      add(how + ".unsigned", [&f, saturates](Gpu& gpu) { fromIntegers(gpu, f, false, saturates); });
    }
    add("convert.doubles", [&f](Gpu& gpu) { convertDoubles(gpu, f); });
    add("widen", [&f](Gpu& gpu) { widen(gpu, f); });
    add("halves", [&f](Gpu& gpu) { throughHalves(gpu, f); });
    add("bfloat16", [&f](Gpu& gpu) { throughBrains(gpu, f); });
    add("integers", [&f](Gpu& gpu) { toIntegers(gpu, f); });
    add("memory", [&f](Gpu& gpu) { memory(gpu, f); });
    add("composites", [&f](Gpu& gpu) { composites(gpu, f); });
    add("specialized", [&f](Gpu& gpu) { specialized(gpu, f); });
  }
}

}  // namespace etzel::cts
