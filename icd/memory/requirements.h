// Answers that buffers and images share.
#pragma once

namespace etzel::icd {

/// Fills VkMemoryDedicatedRequirements in a chain: dedicated memory never helps.
void fillDedicatedRequirements(void* pNext);

}  // namespace etzel::icd
