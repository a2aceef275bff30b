#include "tests/fuzz/targets/garbled_set.h"

#include <cstring>

namespace etzel::fuzz {
namespace {

constexpr uint32_t kSlotBytes = 32;  // what Etzel says of every kind

template <class F>
F proc(const Rig& rig, const char* name) {
  const auto f = reinterpret_cast<F>(vkGetDeviceProcAddr(rig.device, name));
  if (!f) throw vktest::Failure(name);
  return f;
}

}  // namespace

GarbledSet::GarbledSet(Rig& rig, VkDescriptorSetLayout layout, uint32_t slots)
    : rig_(rig), layout_(layout), slots_(slots) {
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = slots * kSlotBytes;
  info.usage = VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT | VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT |
               VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  Rig::Bound bound;
  const VkBuffer buffer = rig.makeAddressed(info, &bound);
  bytes_ = static_cast<uint8_t*>(bound.data);
  address_ = rig.addressOf(buffer);
  std::memset(bytes_, 0, info.size);
}

void GarbledSet::put(uint32_t binding, uint32_t element, VkDescriptorType type, const VkDescriptorDataEXT& data) {
  VkDeviceSize offset = 0;
  proc<PFN_vkGetDescriptorSetLayoutBindingOffsetEXT>(rig_, "vkGetDescriptorSetLayoutBindingOffsetEXT")(
      rig_.device, layout_, binding, &offset);
  const VkDescriptorGetInfoEXT info{VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT, nullptr, type, data};
  proc<PFN_vkGetDescriptorEXT>(rig_, "vkGetDescriptorEXT")(rig_.device, &info, kSlotBytes,
                                                           bytes_ + offset + element * kSlotBytes);
}

void GarbledSet::garble(uint32_t word) {
  if (!word) return;
  uint8_t* slot = bytes_ + (word & 63) % slots_ * kSlotBytes;
  const uint32_t what = word >> 8;
  switch (word >> 6 & 3) {  // bits that the slot does not depend on
    case 0:
      for (uint32_t i = 0, x = what; i < kSlotBytes; ++i) slot[i] = uint8_t((x = x * 1664525 + 1013904223) >> 24);
      break;
    case 1: {
      // Pointers where slots have them, to what is there or not.
      const uint64_t pointer = what & 1 ? address_ + what % 4096 : uint64_t{what} << 20;
      uint64_t words[4] = {pointer, 4096, pointer, pointer};
      if (what & 2) words[0] = words[1] = 0;
      std::memcpy(slot, words, sizeof words);
      break;
    }
    case 2: slot[what / 8 % kSlotBytes] ^= uint8_t(1u << what % 8); break;
    default: std::memcpy(slot, bytes_ + what % slots_ * kSlotBytes, kSlotBytes); break;
  }
}

void GarbledSet::bind(VkCommandBuffer commands, VkPipelineLayout layout) const {
  const VkDescriptorBufferBindingInfoEXT info{
      VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT, nullptr, address_,
      VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT | VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT};
  proc<PFN_vkCmdBindDescriptorBuffersEXT>(rig_, "vkCmdBindDescriptorBuffersEXT")(commands, 1, &info);
  const uint32_t first = 0;
  const VkDeviceSize offset = 0;
  proc<PFN_vkCmdSetDescriptorBufferOffsetsEXT>(rig_, "vkCmdSetDescriptorBufferOffsetsEXT")(
      commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &first, &offset);
}

}  // namespace etzel::fuzz
