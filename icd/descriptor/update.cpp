// Writing and copying descriptors ("Descriptor Set Updates"). A slot is 32 bytes whatever its type, so mutable types
// and copies need no cases beyond dynamic buffers and inline blocks.
#include <algorithm>
#include <cstring>
#include <new>

#include "icd/descriptor/descriptors.h"
#include "icd/entry_points.h"
#include "icd/object/error.h"
#include "runtime/mutant/mutant.h"

namespace etzel::icd {
namespace {

/// Written in place, word by word: a copy of a fresh local would wait for its stores.
/// \returns the bytes from the slot's address to the buffer's end.
[[gnu::always_inline]] inline uint64_t setBuffer(abi::BufferDescriptor& d, const VkDescriptorBufferInfo& info) {
  const Buffer* buffer = cast<Buffer>(info.buffer);
  const bool valid = buffer && buffer->data && info.offset < buffer->size;
  const uint64_t left = valid ? buffer->size - info.offset : 0;
  d.address = valid ? reinterpret_cast<uintptr_t>(buffer->data) + info.offset : 0;
  d.size = std::min(info.range, left);  // VK_WHOLE_SIZE is the largest number
  if (mutated(Mutant::OutOfBounds) && valid) d.size += 64;
  d.nothing[0] = 0;
  d.nothing[1] = 0;
  return left;
}

/// Bytes of an inline block, behind its slot.
std::byte* inlineBytes(const DescriptorSet& set, const LayoutBinding& b) {
  return set.memory + b.byteOffset + abi::kDescriptorBytes;
}

/// Elements that set `set` has of binding `b`.
uint32_t countIn(const DescriptorSet& set, const LayoutBinding& b) {
  return b.flags & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT ? set.variableCount : b.count;
}

/// Where an element's source lies; its type says which of them is valid.
struct Source {
  const VkDescriptorBufferInfo* buffer;
  const VkDescriptorImageInfo* image;
  const VkBufferView* texel;
};

/// An element of an array of sources that is null where the write's type has none of these.
template <class T>
const T* nth(const T* array, uint32_t i) {
  return array ? array + i : nullptr;
}

/// Inline, as are its callers: most updates are of one element, and sources and closures on the stack would cost more
/// than it. `immutable`: the slot keeps its sampler.
[[gnu::always_inline]] inline void writeSlot(std::byte* slot, VkDescriptorType type, const Source& from,
                                             bool immutable) {
  auto& image = *reinterpret_cast<abi::ImageDescriptor*>(slot);
  const auto setView = [&](const tex::ImageView* view) {
    image.view = view;
    image.bytes = 0;
    markSlot(image, type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT);
  };
  switch (type) {
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
      setBuffer(*reinterpret_cast<abi::BufferDescriptor*>(slot), *from.buffer);
      break;
    case VK_DESCRIPTOR_TYPE_SAMPLER:
      if (!immutable) setView(nullptr), image.sampler = &cast<Sampler>(from.image->sampler)->sampler;
      break;
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER: {
      const ImageView* view = cast<ImageView>(from.image->imageView);
      setView(view ? &view->sampled : nullptr);
      if (!immutable) {
        const Sampler* sampler = cast<Sampler>(from.image->sampler);
        image.sampler = sampler ? &sampler->sampler : nullptr;
      }
      break;
    }
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE: {
      const ImageView* view = cast<ImageView>(from.image->imageView);
      setView(view ? &view->sampled : nullptr);
      image.sampler = nullptr;
      break;
    }
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT: {
      const ImageView* view = cast<ImageView>(from.image->imageView);
      setView(view ? &view->storage : nullptr);
      image.sampler = nullptr;
      break;
    }
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER: {
      const BufferView* view = cast<BufferView>(*from.texel);
      setView(view ? &view->view : nullptr);
      image.sampler = nullptr;
      break;
    }
    default: break;  // a type of an extension that is not offered
  }
}

std::byte* slotOf(const DescriptorSet& set, const LayoutBinding& b, uint32_t element) {
  return set.memory + b.byteOffset + element * abi::kDescriptorBytes;
}

[[gnu::always_inline]] inline void writeElement(DescriptorSet& set, const LayoutBinding& b, uint32_t element,
                                                VkDescriptorType type, const Source& from) {
  if (b.dynamicIndex != ~0u) {
    DynamicBuffer& d = set.dynamic[b.dynamicIndex + element];
    d.bytesLeft = setBuffer(d.slot, *from.buffer);
  } else {
    writeSlot(slotOf(set, b, element), type, from, !b.immutableSamplers.empty());
  }
}

/// What most writes are: one element of a binding without anything special. \returns false for others.
[[gnu::always_inline]] inline bool writePlain(const VkWriteDescriptorSet& write) {
  const DescriptorSet& set = *cast<DescriptorSet>(write.dstSet);
  const SetLayoutData& layout = *set.layout;
  if (write.descriptorCount != 1 || write.dstBinding >= layout.withoutGaps) return false;
  const LayoutBinding& b = layout.bindings[write.dstBinding];
  if (write.dstArrayElement >= b.plainCount) return false;
  writeSlot(slotOf(set, b, write.dstArrayElement), write.descriptorType,
            {write.pBufferInfo, write.pImageInfo, write.pTexelBufferView}, false);
  return true;
}

/// Visits `count` elements from (binding, element) on, running over into the next bindings as "Descriptor Set Updates"
/// allows. `visit(binding, element, index)`.
template <class Visit>
[[gnu::always_inline]] inline void forElements(const DescriptorSet& set, uint32_t binding, uint32_t element,
                                               uint32_t count, const Visit& visit) {
  const LayoutBinding* b = set.layout->find(binding);
  const LayoutBinding* end = set.layout->bindings.data() + set.layout->bindings.size();
  for (uint32_t i = 0; i < count && b && b < end;) {
    if (element >= countIn(set, *b)) {
      element -= countIn(set, *b);
      ++b;
      continue;
    }
    visit(*b, element++, i++);
  }
}

void writeInline(DescriptorSet& set, uint32_t binding, uint32_t offset, uint32_t bytes, const void* data) {
  const LayoutBinding* b = set.layout->find(binding);
  if (!b || b->type != VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK || offset >= countIn(set, *b)) return;
  std::memcpy(inlineBytes(set, *b) + offset, data, std::min(bytes, countIn(set, *b) - offset));
}

/// From the first write that is not plain on. Out of line, so that the others save no registers. Copies need memory;
/// the call has no way to say that there is none, and nothing is copied then.
[[gnu::noinline]] void updateRest(const VkWriteDescriptorSet* write, const VkWriteDescriptorSet* end,
                                  const VkCopyDescriptorSet* copies, uint32_t copyCount) {
  for (; write != end; ++write) writeDescriptor(*cast<DescriptorSet>(write->dstSet), *write);
  try {
    for (uint32_t i = 0; i < copyCount; ++i) copyDescriptor(copies[i]);
  } catch (const std::bad_alloc&) {
    ETZEL_FAIL(VK_ERROR_OUT_OF_HOST_MEMORY, "no memory to copy descriptors");
  }
}

}  // namespace

void writeImageSlot(std::byte* slot, VkDescriptorType type, const VkDescriptorImageInfo& info) {
  const VkDescriptorBufferInfo noBuffer{};
  const VkBufferView noTexels = VK_NULL_HANDLE;
  writeSlot(slot, type, {&noBuffer, &info, &noTexels}, false);
}

void initializeSetMemory(const SetLayoutData& layout, std::byte* memory, uint32_t variableCount) {
  for (const LayoutBinding& b : layout.bindings) {
    const bool variable = b.flags & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT;
    if (b.type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
      auto* slot = reinterpret_cast<abi::BufferDescriptor*>(memory + b.byteOffset);
      slot->address = reinterpret_cast<uintptr_t>(slot + 1);
      slot->size = variable ? variableCount : b.count;
    }
    const size_t samplers =
        variable ? std::min<size_t>(variableCount, b.immutableSamplers.size()) : b.immutableSamplers.size();
    for (size_t i = 0; i < samplers; ++i)
      reinterpret_cast<abi::ImageDescriptor*>(memory + b.byteOffset)[i].sampler = b.immutableSamplers[i];
  }
}

void writeDescriptor(DescriptorSet& set, const VkWriteDescriptorSet& write) {
  if (write.descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
    if (const auto* block = findNext<VkWriteDescriptorSetInlineUniformBlock>(
            write.pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK))
      writeInline(set, write.dstBinding, write.dstArrayElement, block->dataSize, block->pData);
    return;
  }
  forElements(set, write.dstBinding, write.dstArrayElement, write.descriptorCount,
              [&](const LayoutBinding& b, uint32_t element, uint32_t i) {
                writeElement(set, b, element, write.descriptorType,
                             {nth(write.pBufferInfo, i), nth(write.pImageInfo, i), nth(write.pTexelBufferView, i)});
              });
}

void copyDescriptor(const VkCopyDescriptorSet& copy) {
  const DescriptorSet& source = *cast<DescriptorSet>(copy.srcSet);
  DescriptorSet& target = *cast<DescriptorSet>(copy.dstSet);
  const LayoutBinding* from = source.layout->find(copy.srcBinding);
  if (from && from->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
    if (copy.srcArrayElement < countIn(source, *from))
      writeInline(target, copy.dstBinding, copy.dstArrayElement,
                  std::min(copy.descriptorCount, countIn(source, *from) - copy.srcArrayElement),
                  inlineBytes(source, *from) + copy.srcArrayElement);
    return;
  }
  // Both sides may run over into further bindings, each in its own way: collect the source first.
  std::vector<DynamicBuffer> copied(copy.descriptorCount);
  forElements(source, copy.srcBinding, copy.srcArrayElement, copy.descriptorCount,
              [&](const LayoutBinding& b, uint32_t element, uint32_t i) {
                if (b.dynamicIndex != ~0u)
                  copied[i] = source.dynamic[b.dynamicIndex + element];
                else
                  std::memcpy(&copied[i].slot, slotOf(source, b, element), abi::kDescriptorBytes);
              });
  forElements(target, copy.dstBinding, copy.dstArrayElement, copy.descriptorCount,
              [&](const LayoutBinding& b, uint32_t element, uint32_t i) {
                if (b.dynamicIndex != ~0u) {
                  target.dynamic[b.dynamicIndex + element] = copied[i];
                  return;
                }
                std::byte* slot = slotOf(target, b, element);
                std::memcpy(slot, &copied[i].slot, abi::kDescriptorBytes);
                if (!b.immutableSamplers.empty())
                  reinterpret_cast<abi::ImageDescriptor*>(slot)->sampler = b.immutableSamplers[element];
              });
}

void updateWithTemplate(DescriptorSet& set, const DescriptorUpdateTemplate& tmpl, const void* data) {
  const auto* bytes = static_cast<const std::byte*>(data);
  for (const VkDescriptorUpdateTemplateEntry& e : tmpl.entries) {
    const std::byte* from = bytes + e.offset;
    if (e.descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
      writeInline(set, e.dstBinding, e.dstArrayElement, e.descriptorCount, from);
      continue;
    }
    forElements(set, e.dstBinding, e.dstArrayElement, e.descriptorCount,
                [&](const LayoutBinding& b, uint32_t element, uint32_t i) {
                  const std::byte* at = from + i * e.stride;
                  const Source source{reinterpret_cast<const VkDescriptorBufferInfo*>(at),
                                      reinterpret_cast<const VkDescriptorImageInfo*>(at),
                                      reinterpret_cast<const VkBufferView*>(at)};
                  writeElement(set, b, element, e.descriptorType, source);
                });
  }
}

VKAPI_ATTR void VKAPI_CALL UpdateDescriptorSets(VkDevice, uint32_t writeCount, const VkWriteDescriptorSet* pWrites,
                                                uint32_t copyCount, const VkCopyDescriptorSet* pCopies) {
  const VkWriteDescriptorSet* const end = pWrites + writeCount;
  while (pWrites != end && writePlain(*pWrites)) ++pWrites;
  if (pWrites != end || copyCount) updateRest(pWrites, end, pCopies, copyCount);
}

VKAPI_ATTR void VKAPI_CALL UpdateDescriptorSetWithTemplate(VkDevice, VkDescriptorSet set,
                                                           VkDescriptorUpdateTemplate tmpl, const void* pData) {
  updateWithTemplate(*cast<DescriptorSet>(set), *cast<DescriptorUpdateTemplate>(tmpl), pData);
}

}  // namespace etzel::icd
