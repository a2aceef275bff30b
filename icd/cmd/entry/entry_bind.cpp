// vkCmdBind*, push constants and push descriptors.
#include <cstring>

#include "icd/cmd/entry/layouts.h"
#include "icd/cmd/entry/record.h"
#include "icd/pipeline/shader_object.h"

namespace etzel::icd {
namespace {

/// Copies the array that a descriptor type reads; the others stay null.
VkWriteDescriptorSet keepWrite(VkCommandBuffer c, const VkWriteDescriptorSet& w) {
  VkWriteDescriptorSet k = w;
  k.pNext = nullptr;  // inline uniform blocks and acceleration structures can't be pushed
  k.pImageInfo = nullptr;
  k.pBufferInfo = nullptr;
  k.pTexelBufferView = nullptr;
  switch (w.descriptorType) {
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC: k.pBufferInfo = keep(c, w.pBufferInfo, w.descriptorCount); break;
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
      k.pTexelBufferView = keep(c, w.pTexelBufferView, w.descriptorCount);
      break;
    default: k.pImageInfo = keep(c, w.pImageInfo, w.descriptorCount); break;
  }
  return k;
}

void recordPush(VkCommandBuffer c, VkPipelineBindPoint point, const std::shared_ptr<PipelineLayoutData>& data,
                uint32_t set, const VkWriteDescriptorSet* writes, uint32_t count) {
  const PipelineLayoutData* layout = keepLayout(c, data);
  record(c, [=](Replay& r) { r.bindings(point).push(*layout, set, writes, count); });
}

/// One template entry as a write whose infos lie next to each other in the command buffer.
template <class T>
const T* gather(VkCommandBuffer c, const VkDescriptorUpdateTemplateEntry& e, const void* data) {
  T* all = buf(c).arena.make<T>(e.descriptorCount);
  for (uint32_t i = 0; i < e.descriptorCount; ++i)
    std::memcpy(static_cast<void*>(&all[i]), static_cast<const std::byte*>(data) + e.offset + i * e.stride, sizeof(T));
  return all;
}

VkWriteDescriptorSet writeOf(VkCommandBuffer c, const VkDescriptorUpdateTemplateEntry& e, const void* data) {
  VkWriteDescriptorSet w{};
  w.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  w.dstBinding = e.dstBinding;
  w.dstArrayElement = e.dstArrayElement;
  w.descriptorCount = e.descriptorCount;
  w.descriptorType = e.descriptorType;
  switch (e.descriptorType) {
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC: w.pBufferInfo = gather<VkDescriptorBufferInfo>(c, e, data); break;
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER: w.pTexelBufferView = gather<VkBufferView>(c, e, data); break;
    default: w.pImageInfo = gather<VkDescriptorImageInfo>(c, e, data); break;
  }
  return w;
}

void pushWithTemplate(VkCommandBuffer c, VkDescriptorUpdateTemplate descriptorUpdateTemplate,
                      const std::shared_ptr<PipelineLayoutData>& layout, uint32_t set, const void* data) {
  const DescriptorUpdateTemplate& t = *cast<DescriptorUpdateTemplate>(descriptorUpdateTemplate);
  uint32_t count = uint32_t(t.entries.size());
  VkWriteDescriptorSet* writes = buf(c).arena.make<VkWriteDescriptorSet>(count);
  for (uint32_t i = 0; i < count; ++i) writes[i] = writeOf(c, t.entries[i], data);
  recordPush(c, t.bindPoint, layout, set, writes, count);
}

}  // namespace

void CmdBindPipeline(VkCommandBuffer c, VkPipelineBindPoint, VkPipeline pipeline) {
  const Pipeline* p = cast<Pipeline>(pipeline);
  record(c, [=](Replay& r) { r.bindPipeline(p); });
}

void CmdBindShaders(VkCommandBuffer c, uint32_t count, const VkShaderStageFlagBits* pStages,
                    const VkShaderEXT* pShaders) {
  for (uint32_t i = 0; i < count; ++i) {
    const VkShaderStageFlagBits stage = pStages[i];
    const Shader* shader = pShaders ? cast<Shader>(pShaders[i]) : nullptr;
    record(c, [=](Replay& r) { r.bindShader(stage, shader); });
  }
}

void CmdBindDescriptorSets(VkCommandBuffer c, VkPipelineBindPoint point, VkPipelineLayout, uint32_t firstSet,
                           uint32_t setCount, const VkDescriptorSet* pSets, uint32_t offsetCount,
                           const uint32_t* pOffsets) {
  DescriptorSet* const* sets = keepObjects<DescriptorSet>(c, pSets, setCount);
  const uint32_t* offsets = keep(c, pOffsets, offsetCount);
  record(c, [=](Replay& r) { r.bindings(point).bind(firstSet, sets, setCount, offsets, offsetCount); });
}

void CmdPushConstants(VkCommandBuffer c, VkPipelineLayout, VkShaderStageFlags, uint32_t offset, uint32_t size,
                      const void* values) {
  const std::byte* kept = keep(c, static_cast<const std::byte*>(values), size);
  record(c, [=](Replay& r) { r.setPushConstants(offset, size, kept); });
}

void CmdPushDescriptorSet(VkCommandBuffer c, VkPipelineBindPoint point, VkPipelineLayout layout, uint32_t set,
                          uint32_t writeCount, const VkWriteDescriptorSet* pWrites) {
  VkWriteDescriptorSet* writes = buf(c).arena.make<VkWriteDescriptorSet>(writeCount);
  for (uint32_t i = 0; i < writeCount; ++i) writes[i] = keepWrite(c, pWrites[i]);
  recordPush(c, point, layoutOf(layout, nullptr), set, writes, writeCount);
}

void CmdPushDescriptorSetWithTemplate(VkCommandBuffer c, VkDescriptorUpdateTemplate descriptorUpdateTemplate,
                                      VkPipelineLayout layout, uint32_t set, const void* data) {
  pushWithTemplate(c, descriptorUpdateTemplate, layoutOf(layout, nullptr), set, data);
}

// VK_KHR_maintenance6: the same with all in a structure, for several bind points at once.

void CmdBindDescriptorSets2(VkCommandBuffer c, const VkBindDescriptorSetsInfo* i) {
  forBindPoints(i->stageFlags, [&](VkPipelineBindPoint point) {
    CmdBindDescriptorSets(c, point, i->layout, i->firstSet, i->descriptorSetCount, i->pDescriptorSets,
                          i->dynamicOffsetCount, i->pDynamicOffsets);
  });
}

void CmdPushDescriptorSet2(VkCommandBuffer c, const VkPushDescriptorSetInfo* i) {
  VkWriteDescriptorSet* writes = buf(c).arena.make<VkWriteDescriptorSet>(i->descriptorWriteCount);
  for (uint32_t k = 0; k < i->descriptorWriteCount; ++k) writes[k] = keepWrite(c, i->pDescriptorWrites[k]);
  forBindPoints(i->stageFlags, [&](VkPipelineBindPoint point) {
    recordPush(c, point, layoutOf(i->layout, i->pNext), i->set, writes, i->descriptorWriteCount);
  });
}

void CmdPushDescriptorSetWithTemplate2(VkCommandBuffer c, const VkPushDescriptorSetWithTemplateInfo* i) {
  pushWithTemplate(c, i->descriptorUpdateTemplate, layoutOf(i->layout, i->pNext), i->set, i->pData);
}

void CmdBindIndexBuffer2(VkCommandBuffer c, VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size, VkIndexType type) {
  const Buffer* b = cast<Buffer>(buffer);
  record(c, [=](Replay& r) { r.bindIndexBuffer(b, offset, type, size); });
}

void CmdBindVertexBuffers2(VkCommandBuffer c, uint32_t first, uint32_t count, const VkBuffer* pBuffers,
                           const VkDeviceSize* pOffsets, const VkDeviceSize* pSizes, const VkDeviceSize* pStrides) {
  Buffer* const* buffers = keepObjects<Buffer>(c, pBuffers, count);
  const VkDeviceSize* offsets = keep(c, pOffsets, count);
  const VkDeviceSize* sizes = keep(c, pSizes, count);
  const VkDeviceSize* strides = keep(c, pStrides, count);
  record(c, [=](Replay& r) {
    for (uint32_t i = 0; i < count; ++i) {
      r.bindVertexBuffer(first + i, buffers[i], offsets[i], sizes ? sizes[i] : VK_WHOLE_SIZE);
      if (strides) r.setVertexStride(first + i, uint32_t(strides[i]));
    }
  });
}

}  // namespace etzel::icd
