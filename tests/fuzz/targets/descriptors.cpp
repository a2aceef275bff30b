// Descriptors, dynamic offsets and push constants of any value, against one shader that uses every kind of descriptor
// with indices, offsets and coordinates from push constants. An input is words: push constants, dynamic offsets, one
// for each descriptor that says what is written there, and those of a descriptor buffer: whether the set lies in one,
// and what it is garbled with.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "descriptors.comp.h"
#include "testing/vk/commands.h"
#include "tests/fuzz/targets/garbled_set.h"
#include "tests/fuzz/targets/rig_target.h"
#include "tests/fuzz/targets/targets.h"

namespace etzel::fuzz {
namespace {

constexpr uint32_t kPushWords = 20, kOffsets = 2, kGarblings = 8;

struct Row {
  VkDescriptorType type;
  uint32_t count;
};
constexpr Row kRows[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4},         {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 4},
                         {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 4}, {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 4},
                         {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 2},   {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 2},
                         {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1}, {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1},
                         {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 2}, {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 2},
                         {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}};
constexpr uint32_t descriptors() {
  uint32_t n = 0;
  for (const Row& row : kRows) n += row.count;
  return n;
}
constexpr uint32_t kOfBuffer = kPushWords + kOffsets + descriptors();  ///< not 0: the set lies in a buffer
constexpr uint32_t kWords = kOfBuffer + 1 + kGarblings;

/// There are no dynamic buffers in descriptor buffers.
VkDescriptorType typeOf(const Row& row, bool inBuffer) {
  if (inBuffer && row.type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC) return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  if (inBuffer && row.type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC) return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
  return row.type;
}

/// What a word says of a descriptor.
struct Choice {
  bool written = false;
  VkDescriptorBufferInfo buffer{};  ///< the texels' too; the buffer null: the null descriptor
  VkDescriptorImageInfo image{};
};

bool isBuffer(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER || type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER ||
         type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC || type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
}

bool isTexels(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
}

class Descriptors final : public RigTarget {
 public:
  std::vector<Bytes> seeds() override {
    std::vector<Bytes> all;
    for (const bool inBuffer : {false, true})
      for (const uint32_t kind : {1u, 2u, 0u}) {
        std::vector<uint32_t> words(kWords, kind);
        for (uint32_t i = 0; i < kPushWords; ++i) words[i] = i < 8 ? i % 4 : 0x3E000000 + (i << 20);
        words[kPushWords] = words[kPushWords + 1] = 0;
        words[kOfBuffer] = inBuffer;
        for (uint32_t i = 1; i <= kGarblings; ++i) words[kOfBuffer + i] = inBuffer ? i * 0x012345F7u : 0;
        all.push_back(bytesOf(words));
      }
    return all;
  }

  void mutate(Bytes& input, const Bytes& other, Random& random) override {
    input.resize(kWords * 4);
    for (uint32_t i = 1 + pick(random, 6); i; --i) {
      const size_t at = pick(random, kWords) * size_t{4};
      uint32_t word;
      std::memcpy(&word, input.data() + at, 4);
      switch (pick(random, 4)) {
        case 0: word += pick(random, 9) - 4; break;
        case 1:
          if (at + 4 <= other.size()) std::memcpy(&word, other.data() + at, 4);
          break;
        default: word = interesting(random);
      }
      std::memcpy(input.data() + at, &word, 4);
    }
  }

 protected:
  Outcome runOn(Rig& rig, std::span<const uint8_t> input) override {
    std::vector<uint32_t> words(kWords);
    std::copy_n(input.data(), std::min(input.size(), words.size() * 4), reinterpret_cast<uint8_t*>(words.data()));
    // The images exist before what this run makes.
    Interface wanted;
    for (const ImageShape& shape : {kPlain, kSamples, kImage, kCounters})
      wanted.bindings.push_back(
          {0, 0, 1, shape.storage ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, shape});
    wanted.bindings.push_back({1, 0, 1, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, kPlain});
    Rig::Bindings bindings = rig.bind(wanted);
    const bool inBuffer = words[kOfBuffer] != 0;
    const VkDescriptorSetLayout setLayout = makeLayout(rig, inBuffer);
    const VkPipeline pipeline = makePipeline(rig, inBuffer);
    const VkCommandBuffer commands = rig.begin();
    rig.reset(commands, bindings);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    if (inBuffer) {
      putIntoBuffer(rig, setLayout, words).bind(commands, layout_);
    } else {
      const VkDescriptorSet set = makeSet(rig, setLayout, words);
      vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set, kOffsets,
                              words.data() + kPushWords);
    }
    vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_ALL, 0, kPushWords * 4, words.data());
    vkCmdDispatch(commands, 1, 1, 1);
    rig.readBack(commands, bindings);
    const Outcome outcome = rig.finish(commands);
    rig.endRun();
    return outcome;
  }

 private:
  static constexpr uint32_t kEnd = uint32_t(Rig::kBufferBytes * Rig::kBuffers);
  static constexpr ImageShape kPlain{1, false, false, false, VK_FORMAT_R32G32B32A32_SFLOAT};
  static constexpr ImageShape kSamples{1, false, true, false, VK_FORMAT_R32G32B32A32_SFLOAT};
  static constexpr ImageShape kImage{1, false, false, true, VK_FORMAT_R32G32B32A32_SFLOAT};
  static constexpr ImageShape kCounters{1, false, false, true, VK_FORMAT_R32_UINT};

  VkDescriptorSetLayout makeLayout(Rig& rig, bool inBuffer) {
    std::vector<VkDescriptorSetLayoutBinding> list;
    std::vector<VkDescriptorBindingFlags> flags(std::size(kRows), VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT);
    for (uint32_t i = 0; i < std::size(kRows); ++i)
      list.push_back({i, typeOf(kRows[i], inBuffer), kRows[i].count, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    const VkDescriptorSetLayoutBindingFlagsCreateInfo partly{
        VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO, nullptr, uint32_t(flags.size()),
        flags.data()};
    VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, &partly};
    info.flags = inBuffer ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT : 0;
    info.bindingCount = uint32_t(list.size());
    info.pBindings = list.data();
    const VkDescriptorSetLayout setLayout = rig.make(info);
    layout_ = rig.makePipelineLayout(setLayout, kPushWords * 4);
    return setLayout;
  }

  VkPipeline makePipeline(Rig& rig, bool inBuffer) const {
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.flags = inBuffer ? VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT : 0;
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = rig.makeModule(descriptors_comp);
    info.stage.pName = "main";
    info.layout = layout_;
    return rig.make(info);
  }

  static VkDescriptorSet makeSet(Rig& rig, VkDescriptorSetLayout layout, std::span<const uint32_t> words) {
    std::vector<VkDescriptorPoolSize> sizes;
    for (const Row& row : kRows) sizes.push_back({row.type, row.count});
    const VkDescriptorSet set = rig.makeSets(layout, 1, sizes)[0];
    uint32_t next = kPushWords + kOffsets;
    for (uint32_t row = 0; row < std::size(kRows); ++row)
      for (uint32_t i = 0; i < kRows[row].count; ++i) writeOne(rig, set, row, i, choose(rig, row, words[next++]));
    return set;
  }

  static GarbledSet putIntoBuffer(Rig& rig, VkDescriptorSetLayout layout, std::span<const uint32_t> words) {
    GarbledSet set(rig, layout, descriptors());
    uint32_t next = kPushWords + kOffsets;
    for (uint32_t row = 0; row < std::size(kRows); ++row)
      for (uint32_t i = 0; i < kRows[row].count; ++i) putOne(rig, set, row, i, choose(rig, row, words[next++]));
    for (uint32_t i = 1; i <= kGarblings; ++i) set.garble(words[kOfBuffer + i]);
    return set;
  }

  /// The low bits: never written, null, the whole buffer, or any part of it, which the upper bits choose.
  static Choice choose(Rig& rig, uint32_t row, uint32_t word) {
    const VkDescriptorType type = kRows[row].type;
    Choice c;
    c.written = word % 4 != 0;
    c.image = {rig.sampler(), VK_NULL_HANDLE, VK_IMAGE_LAYOUT_GENERAL};
    c.buffer.range = VK_WHOLE_SIZE;
    if (word % 4 < 2) return c;
    const bool writes = type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER ||
                        type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC ||
                        type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
    c.buffer.buffer = writes ? rig.outputs() : rig.inputs();
    if (isTexels(type)) c.buffer.range = 16 * (1 + (word >> 8) % 256);
    if (isBuffer(type) && word % 4 == 3) {
      c.buffer.offset = (word >> 4) % (kEnd / 256) * 256;
      c.buffer.range = std::min<uint32_t>(1 + (word >> 16), kEnd - uint32_t(c.buffer.offset));
    }
    const ImageShape& shape = row == 8 ? kSamples : row == 3 ? kImage : row == 9 ? kCounters : kPlain;
    if (!isBuffer(type) && !isTexels(type)) c.image.imageView = rig.picture(shape).view;
    return c;
  }

  static void writeOne(Rig& rig, VkDescriptorSet set, uint32_t row, uint32_t element, const Choice& c) {
    if (!c.written) return;
    const VkDescriptorType type = kRows[row].type;
    VkBufferView view = VK_NULL_HANDLE;
    if (isTexels(type) && c.buffer.buffer) {
      VkBufferViewCreateInfo texels{VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
      texels.buffer = c.buffer.buffer;
      texels.format = VK_FORMAT_R32G32B32A32_SFLOAT;
      texels.range = c.buffer.range;
      view = rig.make(texels);
    }
    VkWriteDescriptorSet w = vktest::write(set, row, type, isBuffer(type) ? &c.buffer : nullptr, &c.image, &view);
    w.dstArrayElement = element;
    vkUpdateDescriptorSets(rig.device, 1, &w, 0, nullptr);
  }

  static void putOne(Rig& rig, GarbledSet& set, uint32_t row, uint32_t element, const Choice& c) {
    if (!c.written) return;
    VkDescriptorAddressInfoEXT bytes{VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT};
    if (c.buffer.buffer) {
      bytes.address = rig.addressOf(c.buffer.buffer) + c.buffer.offset;
      bytes.range = c.buffer.range == VK_WHOLE_SIZE ? kEnd - c.buffer.offset : c.buffer.range;
    }
    VkDescriptorDataEXT data;
    const VkDescriptorType type = typeOf(kRows[row], true);
    if (isBuffer(type) || isTexels(type)) {
      bytes.format = isTexels(type) ? VK_FORMAT_R32G32B32A32_SFLOAT : VK_FORMAT_UNDEFINED;
      data.pStorageBuffer = c.buffer.buffer ? &bytes : nullptr;
    } else {
      data.pCombinedImageSampler = &c.image;
    }
    set.put(row, element, type, data);
  }

  VkPipelineLayout layout_ = VK_NULL_HANDLE;
};

}  // namespace

std::unique_ptr<Target> makeDescriptors() { return std::make_unique<Descriptors>(); }

}  // namespace etzel::fuzz
