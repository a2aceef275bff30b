// Answers that buffers and images share.
#pragma once

namespace etzel::icd {

/// Fills VkMemoryDedicatedRequirements in a chain: dedicated memory never helps.
void fillDedicatedRequirements(void* pNext);

/// Says VK_SUCCESS in the VkBindMemoryStatus of a bind's chain (VK_KHR_maintenance6).
void reportBound(const void* pNext);

}  // namespace etzel::icd
