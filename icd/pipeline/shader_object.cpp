#include "icd/pipeline/shader_object.h"

#include <algorithm>
#include <cstring>

#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/object/error.h"
#include "icd/physical_device/host.h"
#include "icd/pipeline/checksum.h"
#include "icd/pipeline/shader_stage.h"

namespace etzel::icd {
namespace {

/// A shader binary: this header, `words` words of SPIR-V, then the specialization as (id, size, bytes padded to 4),
/// what the compiler is told of descriptor heaps, and what the driver makes of it.
struct BinaryHeader {
  std::array<uint8_t, VK_UUID_SIZE> uuid;
  uint32_t version;
  uint32_t stage;
  uint32_t words;
  uint32_t specializations;
  uint32_t mappings, slots;
  uint64_t checksum;  ///< of everything behind the header
  uint64_t bytes;     ///< of everything behind the header
};
constexpr uint32_t kBinaryVersion = 2;

/// What a binary holds, or what a SPIR-V create info says.
struct Code {
  std::vector<uint32_t> words;
  std::map<uint32_t, std::vector<uint8_t>> specialization;
  std::vector<compiler::DescriptorMapping> mappings;
  std::vector<MappedRecord> slots;
};

std::vector<std::byte> encode(const Code& code, VkShaderStageFlagBits stage) {
  std::vector<std::byte> body;
  const auto append = [&](const void* data, size_t bytes) {
    const auto* p = static_cast<const std::byte*>(data);
    body.insert(body.end(), p, p + bytes);
    body.resize(alignUp<size_t>(body.size(), 4));
  };
  append(code.words.data(), code.words.size() * 4);
  for (const auto& [id, value] : code.specialization) {
    const uint32_t head[2] = {id, uint32_t(value.size())};
    append(head, sizeof head);
    append(value.data(), value.size());
  }
  append(code.mappings.data(), code.mappings.size() * sizeof code.mappings[0]);
  append(code.slots.data(), code.slots.size() * sizeof code.slots[0]);
  const BinaryHeader header{host().buildUuid,
                            kBinaryVersion,
                            uint32_t(stage),
                            uint32_t(code.words.size()),
                            uint32_t(code.specialization.size()),
                            uint32_t(code.mappings.size()),
                            uint32_t(code.slots.size()),
                            checksumOf(body),
                            body.size()};
  std::vector<std::byte> all(sizeof header);
  std::memcpy(all.data(), &header, sizeof header);
  all.insert(all.end(), body.begin(), body.end());
  return all;
}

bool decode(const void* data, size_t bytes, VkShaderStageFlagBits stage, Code& code) {
  BinaryHeader header;
  if (bytes < sizeof header) return false;
  std::memcpy(&header, data, sizeof header);
  const std::byte* at = static_cast<const std::byte*>(data) + sizeof header;
  size_t left = bytes - sizeof header;
  if (header.uuid != host().buildUuid || header.version != kBinaryVersion || header.stage != uint32_t(stage) ||
      header.bytes > left || checksumOf({at, header.bytes}) != header.checksum || header.words > header.bytes / 4)
    return false;
  left = header.bytes;
  const auto take = [&](void* out, size_t n) {
    if (n > left) return false;
    std::copy_n(at, n, static_cast<std::byte*>(out));  // nothing to nowhere, too
    const size_t step = std::min(alignUp<size_t>(n, 4), left);
    at += step;
    left -= step;
    return true;
  };
  code.words.resize(header.words);
  if (!take(code.words.data(), code.words.size() * 4)) return false;
  for (uint32_t i = 0; i < header.specializations; ++i) {
    uint32_t head[2];
    if (!take(head, sizeof head) || head[1] > left) return false;
    std::vector<uint8_t>& value = code.specialization[head[0]];
    value.resize(head[1]);
    if (!take(value.data(), value.size())) return false;
  }
  const auto takeAll = [&](auto& list, uint32_t count) {
    if (count > left / sizeof list[0]) return false;
    list.resize(count);
    return take(list.data(), count * sizeof list[0]);
  };
  return takeAll(code.mappings, header.mappings) && takeAll(code.slots, header.slots) &&
         areWhole(code.mappings, code.slots);
}

VkResult build(const VkShaderCreateInfoEXT& info, Shader& shader) {
  Code code;
  if (info.codeType == VK_SHADER_CODE_TYPE_BINARY_EXT) {
    if (!decode(info.pCode, info.codeSize, info.stage, code))
      return ETZEL_FAIL(VK_ERROR_INCOMPATIBLE_SHADER_BINARY_EXT, "a shader binary of another driver, or damaged");
  } else {
    const auto* words = static_cast<const uint32_t*>(info.pCode);
    code.words.assign(words, words + info.codeSize / 4);
    code.specialization = specializationOf(info.pSpecializationInfo);
    code.mappings = mappingsOf(info.pNext);
  }
  shader.stage = info.stage;
  Pipeline& p = shader.pipeline;
  p.bindPoint =
      info.stage == VK_SHADER_STAGE_COMPUTE_BIT ? VK_PIPELINE_BIND_POINT_COMPUTE : VK_PIPELINE_BIND_POINT_GRAPHICS;
  p.stages = info.stage;
  p.layout = makePipelineLayoutData(info.setLayoutCount, info.pSetLayouts, info.pushConstantRangeCount,
                                    info.pPushConstantRanges, false);
  compiler::ShaderSource source;
  source.spirv = code.words;
  source.entryPoint = info.pName;
  source.stage = stageOf(info.stage);
  source.specialization = code.specialization;
  source.bindings = p.layout->bindingSlots();
  source.requiredSubgroupSize = requiredSubgroupSizeOf(info.pNext);
  source.wideIndices = info.flags & VK_SHADER_CREATE_64_BIT_INDEXING_BIT_EXT;
  source.mappings = code.mappings;
  StageResult result;
  const VkResult r = makeKernel(source, nullptr, false, result);
  if (r != VK_SUCCESS) return r;
  p.kernel[static_cast<size_t>(source.stage)] = result.kernel;
  if (info.codeType != VK_SHADER_CODE_TYPE_BINARY_EXT) code.slots = mappedRecords(info.pNext, *result.kernel);
  p.mapped[static_cast<size_t>(source.stage)] = makeSlots(code.slots);
  shader.binary = encode(code, info.stage);
  return VK_SUCCESS;
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL CreateShaders(VkDevice handle, uint32_t count, const VkShaderCreateInfoEXT* pCreateInfos,
                                             const VkAllocationCallbacks* pAllocator, VkShaderEXT* pShaders) {
  Device* device = cast<Device>(handle);
  const VkAllocationCallbacks* callbacks = pick(device, pAllocator);
  std::fill(pShaders, pShaders + count, VkShaderEXT(VK_NULL_HANDLE));
  VkResult result = VK_SUCCESS;
  for (uint32_t i = 0; i < count; ++i) {
    auto* shader = create<Shader>(callbacks, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    const VkResult r =
        withoutThrowing([&] { return shader ? build(pCreateInfos[i], *shader) : VK_ERROR_OUT_OF_HOST_MEMORY; });
    if (r == VK_SUCCESS) {
      pShaders[i] = handleOf(shader);
      continue;
    }
    destroy(callbacks, shader);
    if (result == VK_SUCCESS) result = r;
  }
  return result;
}

ETZEL_DESTROY(Shader)

VKAPI_ATTR VkResult VKAPI_CALL GetShaderBinaryData(VkDevice, VkShaderEXT handle, size_t* pDataSize, void* pData) {
  const std::vector<std::byte>& binary = cast<Shader>(handle)->binary;
  if (!pData) {
    *pDataSize = binary.size();
    return VK_SUCCESS;
  }
  if (*pDataSize < binary.size()) {  // nothing is written, a part would be of no use
    *pDataSize = 0;
    return VK_INCOMPLETE;
  }
  std::memcpy(pData, binary.data(), binary.size());
  *pDataSize = binary.size();
  return VK_SUCCESS;
}

}  // namespace etzel::icd
