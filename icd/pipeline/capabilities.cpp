#include "icd/pipeline/capabilities.h"

#include <vulkan/vulkan.h>

#include <spirv/unified1/spirv.hpp11>

#include "icd/physical_device/limits.h"

namespace etzel::icd {
namespace {

struct CapabilityRow {
  spv::Capability capability;
  bool offered;
  const char* needs;
};
#include "icd/capabilities.inc"

}  // namespace

const char* missingFor(uint32_t capability) {
  for (const CapabilityRow& row : kCapabilities)
    if (static_cast<uint32_t>(row.capability) == capability) return row.offered ? nullptr : row.needs;
  return nullptr;
}

}  // namespace etzel::icd
