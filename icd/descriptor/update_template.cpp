// Descriptor update templates ("Descriptor Update Templates").
#include "icd/descriptor/descriptors.h"
#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/object/error.h"

namespace etzel::icd {

VKAPI_ATTR VkResult VKAPI_CALL CreateDescriptorUpdateTemplate(VkDevice handle,
                                                              const VkDescriptorUpdateTemplateCreateInfo* pCreateInfo,
                                                              const VkAllocationCallbacks* pAllocator,
                                                              VkDescriptorUpdateTemplate* pTemplate) {
  return createObject<DescriptorUpdateTemplate>(
      handle, pAllocator, pTemplate, "a descriptor update template", [&](DescriptorUpdateTemplate& tmpl) {
        tmpl.entries.assign(pCreateInfo->pDescriptorUpdateEntries,
                            pCreateInfo->pDescriptorUpdateEntries + pCreateInfo->descriptorUpdateEntryCount);
        tmpl.type = pCreateInfo->templateType;
        tmpl.set = pCreateInfo->set;
        tmpl.bindPoint = pCreateInfo->pipelineBindPoint;
        // The set layout or the pipeline layout is ignored by the type that does not use it, and may be garbage then.
        if (tmpl.type == VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET) {
          tmpl.layout = cast<DescriptorSetLayout>(pCreateInfo->descriptorSetLayout)->data;
        } else {
          tmpl.pipelineLayout = cast<PipelineLayout>(pCreateInfo->pipelineLayout)->data;
          if (tmpl.set < tmpl.pipelineLayout->sets.size()) tmpl.layout = tmpl.pipelineLayout->sets[tmpl.set];
        }
      });
}

ETZEL_DESTROY(DescriptorUpdateTemplate)

}  // namespace etzel::icd
