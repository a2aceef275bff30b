#include "cts-subset/cases/shader/cooperative_vector_tools.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "cts-subset/support/half.h"

namespace etzel::cts::vectors {

bool isFloat(Kind k) { return k == kF16 || k == kF32 || k == kE4M3 || k == kE5M2; }
uint32_t bytesOf(Kind k) { return k == kF16 ? 2 : k == kF32 || k == kS32 || k == kU32 ? 4 : 1; }

namespace {

const char* typeName(Kind k) {
  switch (k) {
    case kF16: return "%f16";
    case kF32: return "%f32";
    case kS8: return "%s8";
    case kU8: return "%u8";
    case kS32: return "%s32";
    default: return "%u32";
  }
}

/// A float of few bits by the formula: sign, exponent with a bias, mantissa.
double smallFloat(uint32_t code, uint32_t exponentBits, uint32_t mantissaBits) {
  const int exponent = int(code >> mantissaBits & ((1u << exponentBits) - 1)), bias = (1 << (exponentBits - 1)) - 1;
  const double fraction = double(code & ((1u << mantissaBits) - 1)) / double(1u << mantissaBits);
  const double sign = code >> (exponentBits + mantissaBits) & 1 ? -1 : 1;
  const bool hasInfinity = exponentBits == 5;
  if (hasInfinity && exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  if (!hasInfinity && (code & 0x7f) == 0x7f) return NAN;
  return sign * std::ldexp(exponent ? 1 + fraction : fraction, std::max(exponent, 1) - bias);
}

}  // namespace

double decode(Kind k, uint32_t code) {
  switch (k) {
    case kF16: return smallFloat(code, 5, 10);
    case kE4M3: return smallFloat(code, 4, 3);
    case kE5M2: return smallFloat(code, 5, 2);
    case kF32: {
      float f = 0;
      std::memcpy(&f, &code, 4);
      return f;
    }
    case kS8: return int8_t(code);
    case kS32: return int32_t(code);
    default: return code;
  }
}
uint32_t encode(Kind k, double value) {
  if (k == kF32) {
    const float f = float(value);
    uint32_t code = 0;
    std::memcpy(&code, &f, 4);
    return code;
  }
  if (k == kF16) return std::bit_cast<uint16_t>(Half(value));
  if (!isFloat(k)) return uint32_t(int64_t(value)) & (bytesOf(k) == 1 ? 0xffu : ~0u);
  if (value == 0) return 0;
  const uint32_t mantissaBits = k == kE4M3 ? 3 : 2, exponentBits = k == kE4M3 ? 4 : 5;
  const int exponent = std::ilogb(value), biased = exponent + (1 << (exponentBits - 1)) - 1;
  const uint32_t digits = uint32_t(std::ldexp(std::abs(value), int(mantissaBits) - exponent));
  return (value < 0 ? 1u << (exponentBits + mantissaBits) : 0) + (uint32_t(biased - 1) << mantissaBits) + digits;
}

// --- The API

ConvertInfo infoOf(uint32_t rows, uint32_t columns, const Placed& from, const Placed& to, size_t* size) {
  return {.sourceSize = 1 << 20,
          .source = {},
          .targetSize = size,
          .target = {},
          .sourceKind = from.kind,
          .targetKind = to.kind,
          .rows = rows,
          .columns = columns,
          .sourceLayout = from.layout,
          .sourceStride = from.stride,
          .targetLayout = to.layout,
          .targetStride = to.stride};
}

size_t convertedSize(Gpu& gpu, uint32_t rows, uint32_t columns, const Placed& from, const Placed& to) {
  size_t size = 0;
  const ConvertInfo info = infoOf(rows, columns, from, to, &size);
  CTS_VK(gpu.proc<ConvertFn>("vkConvertCooperativeVectorMatrixNV")(gpu.device, &info));
  return size;
}
void convertOnHost(Gpu& gpu, uint32_t rows, uint32_t columns, const Placed& from, const void* source, const Placed& to,
                   void* target) {
  size_t size = convertedSize(gpu, rows, columns, from, to);
  ConvertInfo info = infoOf(rows, columns, from, to, &size);
  info.source.hostAddress = source, info.target.hostAddress = target;
  CTS_VK(gpu.proc<ConvertFn>("vkConvertCooperativeVectorMatrixNV")(gpu.device, &info));
}

// --- Shaders

std::string Shader::vector(Kind k, uint32_t count) {
  const std::string name = text("%%v%ux%u", k, count);
  if (types_.find(name + " ") == std::string::npos)
    types_ += unknownInstruction(5288, name + " " + typeName(k) + " " + u(count));
  return name;
}

namespace {

bool canTrain(Gpu& gpu) {
  struct {
    VkStructureType sType = VkStructureType(1000491000);
    void* pNext = nullptr;
    VkBool32 cooperativeVector = VK_FALSE, cooperativeVectorTraining = VK_FALSE;
  } vectors;
  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &vectors, {}};
  vkGetPhysicalDeviceFeatures2(gpu.physical, &features);
  return vectors.cooperativeVectorTraining;
}

}  // namespace

Buffer Shader::run(Gpu& gpu, const Bytes& a, const Bytes& b, const Bytes& r, uint32_t groups) {
  gpu.requireExtension("VK_NV_cooperative_vector");
  if (trains_) gpu.require(canTrain(gpu), "cooperativeVectorTraining");
  Buffer inA = gpu.buffer(a.words()), inB = gpu.buffer(b.words()), out = gpu.buffer(r.words());
  Dispatch d;
  d.module = gpu.assemble(assembly(), false);
  d.bindings = {storage(inA), storage(inB), storage(out)};
  d.x = groups;
  gpu.dispatch(d);
  return out;
}

std::string Shader::assembly() {
  std::string all;
  for (const char* capability : {"Shader", "Float16", "Int8", "StorageBuffer8BitAccess", "StorageBuffer16BitAccess",
                                 "VulkanMemoryModel", "!5394"})
    all += std::string("OpCapability ") + capability + "\n";
  if (trains_) all += "OpCapability !5435\n";
  all +=
      "OpExtension \"SPV_NV_cooperative_vector\"\nOpExtension \"SPV_KHR_vulkan_memory_model\"\nOpMemoryModel Logical "
      "Vulkan\n"
      "OpEntryPoint GLCompute %main \"main\" %id %a %b %r %shared\n" +
      text("OpExecutionMode %%main LocalSize %u 1 1\n", kLanes) +
      "OpDecorate %id BuiltIn GlobalInvocationId\nOpDecorate %words ArrayStride 4\nOpDecorate %block Block\n"
      "OpMemberDecorate %block 0 Offset 0\n";
  const char* const buffers[] = {"%a", "%b", "%r"};
  for (int i = 0; i < 3; ++i)
    all += text("OpDecorate %s DescriptorSet 0\nOpDecorate %s Binding %d\n", buffers[i], buffers[i], i);
  all +=
      "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%bool = OpTypeBool\n%u32 = OpTypeInt 32 0\n"
      "%s32 = OpTypeInt 32 1\n%u8 = OpTypeInt 8 0\n%s8 = OpTypeInt 8 1\n%f32 = OpTypeFloat 32\n"
      "%f16 = OpTypeFloat 16\n%uvec3 = OpTypeVector %u32 3\n";
  u(0);
  const std::string shared = u(kLanes * 16);
  all += constants() + "%words = OpTypeRuntimeArray %u32\n%block = OpTypeStruct %words\n%many = OpTypeArray %u32 " +
         shared +
         "\n%pblock = OpTypePointer StorageBuffer %block\n%pwords = OpTypePointer StorageBuffer %words\n"
         "%pmany = OpTypePointer Workgroup %many\n%pid = OpTypePointer Input %uvec3\n%id = OpVariable %pid Input\n"
         "%shared = OpVariable %pmany Workgroup\n";
  for (const char* buffer : buffers) all += std::string(buffer) + " = OpVariable %pblock StorageBuffer\n";
  all += "%true = OpConstantTrue %bool\n%false = OpConstantFalse %bool\n" + types_ +
         "%main = OpFunction %void None %fn\n%entry = OpLabel\n%ids = OpLoad %uvec3 %id\n"
         "%lane = OpCompositeExtract %u32 %ids 0\n";
  for (const char* buffer : buffers) all += std::string(buffer) + "w = OpAccessChain %pwords " + buffer + " %n0\n";
  return all + body() + "OpReturn\nOpFunctionEnd\n";
}

}  // namespace etzel::cts::vectors
