// What the compiler is given: a module, which of its entry points, and what the pipeline says of it. Plain data.
#pragma once

#include <map>
#include <span>
#include <string>
#include <type_traits>
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
  /// Whenever a shader runs that names them, its descriptors are valid and stay as they are, read or not.
  bool certain = false;
};

/// Where the descriptors of some bindings lie instead (VK_EXT_descriptor_heap). Offsets and strides are bytes. Nothing
/// but words: all of it is part of a kernel's key.
struct DescriptorMapping {
  enum Source : uint32_t {
    Constant,            ///< in a heap at offset + element * arrayStride
    PushIndex,           ///< and the index at pushOffset of the push data * indexStride
    IndirectIndex,       ///< the index at addressOffset of the address at pushOffset
    IndirectIndexArray,  ///< each element's own index, one behind the other
    Made,                ///< the driver makes a buffer's descriptor for each draw
  };
  struct Place {
    uint32_t offset = 0, pushOffset = 0, addressOffset = 0, indexStride = 0, arrayStride = 0;
  };
  static constexpr uint32_t kNone = ~0u;

  uint32_t set = 0, firstBinding = 0, bindingCount = 0;
  uint32_t resources = 0;  ///< VkSpirvResourceTypeFlagsEXT: of which variables
  Source source = Constant;
  Place resource;             ///< in the sampler heap for samplers
  Place sampler;              ///< of combined image samplers
  uint32_t packsIndices = 0;  ///< combined image samplers have one index: 20 bits of the image's, 12 of the sampler's
  uint32_t madeSlot = 0;      ///< Made: the buffer, in the stage's mapped table
  uint32_t embedded = kNone;  ///< the sampler that goes before those in the heap, in the stage's mapped table
};

static_assert(std::has_unique_object_representations_v<DescriptorMapping>);

struct ShaderSource {
  std::span<const uint32_t> spirv;
  std::string entryPoint = "main";
  abi::Stage stage = abi::Stage::Compute;
  std::map<uint32_t, std::vector<uint8_t>> specialization;        ///< SpecId -> value bytes
  std::map<std::pair<uint32_t, uint32_t>, BindingSlot> bindings;  ///< (set, binding)
  std::vector<DescriptorMapping> mappings;                        ///< go before `bindings`
  bool validate = true;                                           ///< run spirv-val first
  bool robust = true;
  bool prints = false;                         ///< keep what the shader prints (NonSemantic.DebugPrintf)
  bool viewIndexFromDevice = false;            ///< VK_PIPELINE_CREATE_VIEW_INDEX_FROM_DEVICE_INDEX_BIT
  bool wideIndices = false;                    ///< VK_PIPELINE_CREATE_2_64_BIT_INDEXING_BIT_EXT
  uint32_t requiredSubgroupSize = kWarpLanes;  ///< or abi::kMinSubgroupSize
  /// What the device lacks that modules with a capability (spv::Capability) need, null where it lacks nothing. Absent:
  /// everything that lowers is allowed.
  const char* (*missingFor)(uint32_t capability) = nullptr;
};

}  // namespace etzel::compiler
