// VK_EXT_descriptor_buffer: sets that lie in buffers of the application.
#include "icd/cmd/entry/layouts.h"
#include "icd/cmd/entry/record.h"
#include "runtime/mutant/mutant.h"

namespace etzel::icd {
namespace {

void setOffsets(VkCommandBuffer c, VkPipelineBindPoint point, const std::shared_ptr<PipelineLayoutData>& data,
                const VkSetDescriptorBufferOffsetsInfoEXT& info) {
  const PipelineLayoutData* layout = keepLayout(c, data);
  const uint32_t first = info.firstSet, count = info.setCount;
  const uint32_t* buffers = keep(c, info.pBufferIndices, count);
  const VkDeviceSize* offsets = keep(c, info.pOffsets, count);
  record(c, [=](Replay& r) {
    for (uint32_t i = 0; i < count; ++i) {
      if (buffers[i] >= kMaxDescriptorBuffers) continue;
      const VkDeviceAddress buffer = r.descriptorBuffers[buffers[i]];
      const VkDeviceAddress at = buffer + (mutated(Mutant::DescriptorBufferOffset) ? 0 : offsets[i]);
      r.bindings(point).place(*layout, first + i, buffer ? reinterpret_cast<const std::byte*>(at) : nullptr);
    }
  });
}

void bindEmbedded(VkCommandBuffer c, VkPipelineBindPoint point, const std::shared_ptr<PipelineLayoutData>& data,
                  uint32_t set) {
  const PipelineLayoutData* layout = keepLayout(c, data);
  record(c, [=](Replay& r) { r.bindings(point).embed(*layout, set); });
}

}  // namespace

void CmdBindDescriptorBuffers(VkCommandBuffer c, uint32_t count, const VkDescriptorBufferBindingInfoEXT* pInfos) {
  count = std::min(count, kMaxDescriptorBuffers);
  VkDeviceAddress* addresses = buf(c).arena.make<VkDeviceAddress>(count);
  for (uint32_t i = 0; i < count; ++i) addresses[i] = pInfos[i].address;
  record(c, [=](Replay& r) { std::copy_n(addresses, count, r.descriptorBuffers); });
}

void CmdSetDescriptorBufferOffsets(VkCommandBuffer c, VkPipelineBindPoint point, VkPipelineLayout layout,
                                   uint32_t firstSet, uint32_t setCount, const uint32_t* pBufferIndices,
                                   const VkDeviceSize* pOffsets) {
  VkSetDescriptorBufferOffsetsInfoEXT info{};
  info.firstSet = firstSet;
  info.setCount = setCount;
  info.pBufferIndices = pBufferIndices;
  info.pOffsets = pOffsets;
  setOffsets(c, point, layoutOf(layout, nullptr), info);
}

void CmdSetDescriptorBufferOffsets2(VkCommandBuffer c, const VkSetDescriptorBufferOffsetsInfoEXT* i) {
  const std::shared_ptr<PipelineLayoutData> layout = layoutOf(i->layout, i->pNext);
  forBindPoints(i->stageFlags, [&](VkPipelineBindPoint point) { setOffsets(c, point, layout, *i); });
}

void CmdBindDescriptorBufferEmbeddedSamplers(VkCommandBuffer c, VkPipelineBindPoint point, VkPipelineLayout layout,
                                             uint32_t set) {
  bindEmbedded(c, point, layoutOf(layout, nullptr), set);
}

void CmdBindDescriptorBufferEmbeddedSamplers2(VkCommandBuffer c,
                                              const VkBindDescriptorBufferEmbeddedSamplersInfoEXT* i) {
  const std::shared_ptr<PipelineLayoutData> layout = layoutOf(i->layout, i->pNext);
  forBindPoints(i->stageFlags, [&](VkPipelineBindPoint point) { bindEmbedded(c, point, layout, i->set); });
}

}  // namespace etzel::icd
