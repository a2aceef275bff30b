// What the compiler is given: a module, which of its entry points, and what the pipeline says of it. Plain data.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "runtime/abi/kernel.h"
#include "runtime/base/types.h"

namespace etzel::compiler {

/// Where a pipeline layout puts a binding in descriptor memory.
/// What the descriptors of a slot are, where the layout says it: a variable of another kind reads the null descriptor.
enum class SlotHolds : uint8_t {
  Anything,
  Buffers,  ///< abi::BufferDescriptor
  Images    ///< abi::ImageDescriptor: samplers and texel buffers too
};

struct BindingSlot {
  uint32_t table = 0;       ///< set number, or abi::kDynamicTable
  uint32_t byteOffset = 0;  ///< of element 0 in the table
  uint32_t strideBytes = 32;
  uint32_t count = 1;
  bool inlineUniform = false;  ///< VK_EXT_inline_uniform_block: slot holds a BufferDescriptor of the block
  SlotHolds holds = SlotHolds::Anything;
};

struct ShaderSource {
  std::span<const uint32_t> spirv;
  std::string entryPoint = "main";
  abi::Stage stage = abi::Stage::Compute;
  std::map<uint32_t, std::vector<uint8_t>> specialization;        ///< SpecId -> value bytes
  std::map<std::pair<uint32_t, uint32_t>, BindingSlot> bindings;  ///< (set, binding)
  bool validate = true;                                           ///< run spirv-val first
  bool robust = true;
  bool prints = false;                         ///< keep what the shader prints (NonSemantic.DebugPrintf)
  uint32_t requiredSubgroupSize = kWarpLanes;  ///< or abi::kMinSubgroupSize
  /// What the device lacks that modules with a capability (spv::Capability) need, null where it lacks nothing. Absent:
  /// everything that lowers is allowed.
  const char* (*missingFor)(uint32_t capability) = nullptr;
};

}  // namespace etzel::compiler
