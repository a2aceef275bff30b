// What cases of cooperative matrices have in common: who has a matrix, and a shader as it is written.
#pragma once

#include <functional>

#include "cts-subset/cases/shader/spirv_words.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts::matrices {

inline constexpr uint32_t kSubgroup = 3, kWorkgroup = 2;         // scopes
inline constexpr uint32_t kFactorA = 0, kFactorB = 1, kSum = 2;  // uses
inline constexpr uint32_t kWorkgroupSize = 64;                   // of matrices of a workgroup
inline constexpr uint32_t kRowMajor = 0, kColumnMajor = 1;       // layouts

/// Who has the matrices. Of several subgroups each has the same ones, and stores them.
struct Owner {
  uint32_t scope = kSubgroup;
  uint32_t invocations = 8;   ///< of the workgroup
  uint32_t subgroupSize = 8;  ///< required where it is not 8
};

/// A compute shader as it is written: one workgroup that reads the buffer %in and writes %out. Both are arrays of an
/// element, a type's name; components of matrices are of that type or of another one that fits.
class Shader : public WrittenModule {
 public:
  explicit Shader(const std::string& element = "%f32", const Owner& owner = {}) : element_(element), owner_(owner) {}

  /// A cooperative matrix's type.
  std::string matrix(uint32_t rows, uint32_t columns, uint32_t use, std::string component = "") {
    if (component.empty()) component = element_;
    const std::string name = text("%%m%ux%ux%u_", rows, columns, use) + component.substr(1);
    if (newTypes_.find(name + " ") == std::string::npos)
      newTypes_ += unknownInstruction(4456, name + " " + component + numbers({owner_.scope, rows, columns, use}));
    return name;
  }
  void type(uint32_t opcode, const std::string& operands) { newTypes_ += unknownInstruction(opcode, operands); }
  void function(const std::string& whole) { functions_ += whole; }
  void declare(const std::string& types) { types_ += types; }
  void annotate(const std::string& decorations) { decorations_ += decorations; }
  /// A variable of the function.
  void variable(const std::string& name, const std::string& pointerType) {
    variables_ += name + " = OpVariable " + pointerType + " Function\n";
  }
  /// Further capabilities, as they are named or numbered.
  void needs(const std::string& capabilities) { capabilities_ += capabilities; }
  /// Gives the function the subgroup's number, %subgroup.
  void numberSubgroups() {
    needs("OpCapability GroupNonUniform\n");
    interface_ += " %subgroupInput";
    annotate("OpDecorate %subgroupInput BuiltIn SubgroupId\n");
    declare("%inputPtr = OpTypePointer Input %u32\n%subgroupInput = OpVariable %inputPtr Input\n");
    line("%subgroup = OpLoad %u32 %subgroupInput");
  }
  /// Gives the module the type %bf and matrices of it.
  void useBrains() {
    usesBrains_ = true;
    needs("OpCapability !5118\nOpCapability StorageBuffer16BitAccess\n");
  }

  /// Gives the module the types %e4m3 and %e5m2 and matrices of them.
  void useFloat8() {
    usesFloat8_ = true;
    needs("OpCapability !4213\nOpCapability StorageBuffer8BitAccess\n");
  }

  std::string element(const std::string& buffer, uint32_t first) {
    const std::string name = "%" + buffer + "At" + std::to_string(first);
    line(name + " = OpAccessChain %elemPtr %" + buffer + " " + u(0) + " " + u(first));
    return name;
  }
  /// `first`: elements of the buffer, of which a row of components of another size takes more or fewer.
  std::string load(uint32_t rows, uint32_t columns, uint32_t use, uint32_t first, const std::string& component = "",
                   uint32_t layout = kRowMajor) {
    const std::string name = "%loaded" + std::to_string(first), place = element("in", first);
    op(4457, matrix(rows, columns, use, component) + " " + name + " " + place +
                 numbers({layout, stride(layout == kRowMajor ? columns : rows, component)}));
    return name;
  }
  void store(const std::string& value, uint32_t columns, const std::string& component = "", uint32_t first = 0) {
    op(4458, element("out", first) + " " + value + numbers({kRowMajor, stride(columns, component)}));
  }

  /// What the shader makes of `in`.
  template <class T>
  std::vector<T> run(Gpu& gpu, const std::vector<T>& in, size_t results) {
    gpu.requireFeatures("VK_NV_cooperative_matrix2", 7);  // the module has the capability of each
    if (usesBrains_) gpu.requireFeatures("VK_KHR_shader_bfloat16", 3);
    if (usesFloat8_) gpu.requireFeatures("VK_EXT_shader_float8", 2);
    const bool isDefault = owner_.subgroupSize == 8;
    if (!isDefault) gpu.requireSubgroupSize(owner_.subgroupSize, VK_SHADER_STAGE_COMPUTE_BIT);
    gpu.require(!isDefault || gpu.properties11.subgroupSize == 8, "subgroups of 8");
    Buffer input = gpu.buffer(in), out = gpu.buffer(std::vector<T>(results, T(-1)));
    Dispatch d;
    d.module = gpu.assemble(assembly(), false);
    d.bindings = {storage(input), storage(out)};
    if (!isDefault) d.subgroupSize = owner_.subgroupSize;
    gpu.dispatch(d);
    return {out.as<T>(), out.as<T>() + results};
  }

 private:
  static uint32_t bytesOf(const std::string& component) {
    if (component == "%e4m3" || component == "%e5m2") return 1;
    return component == "%bf" || component == "%f16" ? 2 : 4;
  }
  uint32_t stride(uint32_t components, const std::string& component) const {
    return component.empty() ? components : components * bytesOf(component) / bytesOf(element_);
  }

  std::string assembly() {
    std::string all = "OpCapability Shader\nOpCapability Int64\nOpCapability PhysicalStorageBufferAddresses\n";
    for (uint32_t capability : {6022, 5430, 5431, 5432, 5433, 5434, 5439})
      all += text("OpCapability !%u\n", capability);
    all += capabilities_;
    if (usesBrains_) all += "OpExtension \"SPV_KHR_bfloat16\"\nOpExtension \"SPV_KHR_16bit_storage\"\n";
    if (usesFloat8_) all += "OpExtension \"SPV_EXT_float8\"\nOpExtension \"SPV_KHR_8bit_storage\"\n";
    all +=
        "OpExtension \"SPV_KHR_cooperative_matrix\"\nOpExtension \"SPV_NV_cooperative_matrix2\"\n"
        "OpExtension \"SPV_NV_tensor_addressing\"\nOpExtension \"SPV_KHR_physical_storage_buffer\"\n"
        "OpExtension \"SPV_KHR_storage_buffer_storage_class\"\nOpMemoryModel PhysicalStorageBuffer64 GLSL450\n"
        "OpEntryPoint GLCompute %main \"main\" %in %out" +
        interface_ + "\n";
    all += text("OpExecutionMode %%main LocalSize %u 1 1\nOpDecorate %%elems ArrayStride %u\n", owner_.invocations,
                bytesOf(element_));
    all +=
        "OpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\n"
        "OpDecorate %in DescriptorSet 0\nOpDecorate %in Binding 0\nOpDecorate %out DescriptorSet 0\n"
        "OpDecorate %out Binding 1\n" +
        decorations_ +
        "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%u32 = OpTypeInt 32 0\n%i32 = OpTypeInt 32 1\n"
        "%f32 = OpTypeFloat 32\n%bool = OpTypeBool\n";
    all += constants() + (usesBrains_ ? unknownInstruction(22, "%bf 16 0") : "") +
           (usesFloat8_ ? unknownInstruction(22, "%e4m3 8 4214") + unknownInstruction(22, "%e5m2 8 4215") : "") +
           "%elems = OpTypeRuntimeArray " + element_ + "\n%block = OpTypeStruct %elems\n" +
           "%blockPtr = OpTypePointer StorageBuffer %block\n%elemPtr = OpTypePointer StorageBuffer " + element_ +
           "\n%in = OpVariable %blockPtr StorageBuffer\n%out = OpVariable %blockPtr StorageBuffer\n";
    // Instructions by number stand behind those that have as many operands as they can.
    all += "%true = OpConstantTrue %bool\n%false = OpConstantFalse %bool\n";
    return all + newTypes_ + types_ + "%main = OpFunction %void None %fn\n%entry = OpLabel\n" + variables_ + body() +
           "OpReturn\nOpFunctionEnd\n" + functions_;
  }

  std::string element_;
  Owner owner_;
  std::string interface_, capabilities_, decorations_, newTypes_, types_, variables_, functions_;
  bool usesBrains_ = false, usesFloat8_ = false;
};

template <class T>
std::vector<T> wholeNumbers(size_t count, uint32_t seed) {
  std::vector<T> all(count);
  Random random(seed);
  for (T& n : all) n = T(int(random.next() >> 8 & 31) - 16);
  return all;
}

template <class T>
void expectMatrix(const std::vector<T>& got, uint32_t rows, uint32_t columns,
                  const std::function<double(uint32_t row, uint32_t column)>& want) {
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t column = 0; column < columns; ++column)
      EXPECT_EQ(double(got[row * columns + column]), want(row, column)) << row << "," << column;
}

/// Cases of matrices of bfloat16 (VK_KHR_shader_bfloat16).
void registerBrains();
/// Cases of matrices of floats of 8 bits (VK_EXT_shader_float8).
void registerFloat8s();

/// VkCooperativeMatrixPropertiesKHR
struct Properties {
  VkStructureType sType;
  void* pNext;
  uint32_t m, n, k, a, b, c, result;
  VkBool32 saturates;
  uint32_t scope;
};
/// What the device lists for VK_KHR_cooperative_matrix.
inline void listProducts(Gpu& gpu, std::vector<Properties>& all) {
  using Query = VkResult(VKAPI_PTR*)(VkPhysicalDevice, uint32_t*, Properties*);
  const auto query =
      reinterpret_cast<Query>(vkGetInstanceProcAddr(gpu.instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
  uint32_t count = 0;
  ASSERT_EQ(query(gpu.physical, &count, nullptr), VK_SUCCESS);
  all.assign(count, {VkStructureType(1000506001), nullptr});
  ASSERT_EQ(query(gpu.physical, &count, all.data()), VK_SUCCESS);
}

}  // namespace etzel::cts::matrices
