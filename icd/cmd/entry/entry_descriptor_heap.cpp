// VK_EXT_descriptor_heap: heaps and push data. Secondary command buffers run with what is bound where they are executed
// (VkCommandBufferInheritanceDescriptorHeapInfoEXT says no more than that).
#include "icd/cmd/entry/record.h"
#include "runtime/mutant/mutant.h"

namespace etzel::icd {

void CmdBindSamplerHeap(VkCommandBuffer c, const VkBindHeapInfoEXT* info) {
  const VkDeviceAddressRangeKHR range = info->heapRange;
  record(c, [=](Replay& r) { r.heaps().bindSamplers(range.address, range.size); });
}

void CmdBindResourceHeap(VkCommandBuffer c, const VkBindHeapInfoEXT* info) {
  const VkDeviceAddressRangeKHR range = info->heapRange;
  record(c, [=](Replay& r) { r.heaps().bindResources(range.address, range.size); });
}

void CmdPushData(VkCommandBuffer c, const VkPushDataInfoEXT* info) {
  const uint32_t offset = mutated(Mutant::PushDataOffset) ? 0 : info->offset, size = uint32_t(info->data.size);
  const std::byte* kept = keep(c, static_cast<const std::byte*>(info->data.address), size);
  record(c, [=](Replay& r) { r.setPushConstants(offset, size, kept); });
}

}  // namespace etzel::icd
