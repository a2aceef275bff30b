// vkCmdDispatch* ("Dispatching Commands").
#include <cstring>

#include "icd/cmd/entry/record.h"

namespace etzel::icd {

void CmdDispatchBase(VkCommandBuffer c, uint32_t baseX, uint32_t baseY, uint32_t baseZ, uint32_t countX,
                     uint32_t countY, uint32_t countZ) {
  record(c, [=](Replay& r) {
    const uint32_t base[3] = {baseX, baseY, baseZ}, count[3] = {countX, countY, countZ};
    r.dispatch(base, count);
  });
}

void CmdDispatchIndirect(VkCommandBuffer c, VkBuffer buffer, VkDeviceSize offset) {
  const Buffer* b = cast<Buffer>(buffer);
  record(c, [=](Replay& r) {
    const uint32_t base[3] = {0, 0, 0};
    uint32_t count[3];
    if (bytesFrom(b, offset) < sizeof(count)) return;
    std::memcpy(count, b->data + offset, sizeof(count));
    r.dispatch(base, count);
  });
}

}  // namespace etzel::icd
