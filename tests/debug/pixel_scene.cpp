// A program for tests of what a debugger sees of a pixel: who writes its attachments, and the invocations of its
// samples. 16x16, RGBA8 with four samples; pixel (5, 5) is the one that tests look at, and a line at x = 5.5 parts its
// samples 0 and 2 from 1 and 3. Places that tests name have a comment "@name". Prints what the pictures hold.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "cts-subset/support/compute.h"
#include "tests/debug/scene_main.h"
#include "tests/scene.h"

namespace {

using namespace etzel::cts;
using namespace etzel::tests;

const char* const kSamples = R"(#version 450
layout(location = 0) out vec4 color;
float weight(float x) {
  float w = x * 0.5;
  return w + 0.25;  // @weight
}
void main() {
  int own = gl_SampleID;
  float sum = 0.0;
  for (int i = 0; i <= own; ++i) {
    sum += weight(float(i));  // @loop
  }
  vec2 place = gl_FragCoord.xy;
  if (own == 2) sum += 1.0;  // @branch
  color = vec4(sum / 8.0, fract(place), 1.0);  // @color
}
)";

const char* const kServed = R"(#version 450
layout(location = 0) out vec4 color;
void main() {
  int mask = gl_SampleMaskIn[0];
  color = vec4(float(mask) / 15.0);  // @color
}
)";

const char* const kGreen = R"(#version 450
layout(location = 0) out vec4 color;
void main() {
  vec3 green = vec3(0, 1, 0);
  color = vec4(green, 1.0);
}
)";

const char* const kStoring = R"(#version 450
layout(binding = 0) buffer Sums { uint sums[4]; };
layout(location = 0) out vec4 color;
void main() {
  uint own = uint(gl_SampleID);
  uint twice = own * 2u;  // @twice
  atomicAdd(sums[own], twice + 1u);  // @store
  color = vec4(float(twice) / 8.0);
}
)";

const char* const kWords = R"(#version 450
layout(local_size_x = 4) in;
layout(binding = 0) buffer Result { uint b[]; } result;
void main() {
  result.b[gl_LocalInvocationIndex] = gl_LocalInvocationIndex + 1u;  // @word
}
)";

const char* const kTwoColors = R"(#version 450
layout(location = 0) out vec4 first;
layout(location = 1) out vec4 second;
void main() {
  first = vec4(1, 0, 0, 1);
  second = vec4(0, 1, 0, 1);
}
)";

Image image(Gpu& gpu, VkSampleCountFlagBits samples) {
  return gpu.image({.width = kSize, .height = kSize, .samples = samples, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
}

void print(Gpu& gpu, const char* name, const Image& picture) {
  std::printf("%s %u\n", name, hashOf(gpu.download(picture, 4)));
}

/// One draw with four samples onto blue, and its resolve.
struct Drawing {
  DrawState state;
  Image resolved;
  Drawing(Gpu& gpu, const std::string& vert, const std::string& frag) : resolved(image(gpu, VK_SAMPLE_COUNT_1_BIT)) {
    state.vert = vert, state.frag = frag;
    state.colors = {image(gpu, VK_SAMPLE_COUNT_4_BIT)};
    state.resolves = {resolved};
    state.clearColors = VkClearValue{.color = {{0, 0, 1, 1}}};
    state.multisample.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
  }
};

/// VkCopyMemoryToImageIndirectInfoKHR, which old headers do not have.
struct CopyIndirectInfo {
  VkStructureType sType = static_cast<VkStructureType>(1000549003);
  const void* pNext = nullptr;
  VkFlags srcCopyFlags = 0;
  uint32_t copyCount = 0;
  struct {
    VkDeviceAddress address;
    VkDeviceSize size, stride;
  } copyAddressRange{};
  VkImage dstImage = VK_NULL_HANDLE;
  VkImageLayout dstImageLayout = VK_IMAGE_LAYOUT_GENERAL;
  const VkImageSubresourceLayers* pImageSubresources = nullptr;
};

/// vkCmdCopyMemoryToImageIndirectKHR of white to all of a picture.
void copyIndirect(Gpu& gpu, VkCommandBuffer cmd, const Image& to, const Buffer& texels, const Buffer& command) {
  VkCopyMemoryToImageIndirectCommandNV copy{};
  copy.srcAddress = texels.address;
  copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  copy.imageExtent = {kSize, kSize, 1};
  std::memcpy(command.as<uint8_t>(), &copy, sizeof copy);
  CopyIndirectInfo info;
  info.copyCount = 1;
  info.copyAddressRange = {command.address, sizeof copy, sizeof copy};
  info.dstImage = to.handle;
  info.pImageSubresources = &copy.imageSubresource;
  using Copy = void (*)(VkCommandBuffer, const CopyIndirectInfo*);
  if (const auto run = gpu.proc<Copy>("vkCmdCopyMemoryToImageIndirectKHR")) run(cmd, &info);
}

/// Every kind of write: a dispatch; a clear, two draws and a resolve; copies and clears of the resolved picture; and
/// transfers to the dispatch's buffer.
void writesOfAllKinds(Gpu& gpu) {
  const Buffer words = gpu.buffer(64),
               white = gpu.buffer(4 * kSize * kSize, nullptr, VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
  const Buffer command = gpu.buffer(64, nullptr, VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
  std::memset(white.as<uint8_t>(), 255, 4 * kSize * kSize);
  gpu.dispatch({.glsl = kWords, .bindings = {storage(words)}});
  Drawing drawing(gpu, kLeftOfLine, writes("vec4(0, 1, 0, 1)"));
  DrawState all = drawing.state;
  all.vert = coverAll(), all.frag = writes("vec4(1, 0, 0, 1)");
  const VkPipelineLayout layout = gpu.set({}, 0).pipeline;
  const VkPipeline pipelines[] = {makePipeline(gpu, drawing.state, layout, {kSize, kSize}),
                                  makePipeline(gpu, all, layout, {kSize, kSize})};
  drawing.state.commands = [&](VkCommandBuffer cmd) {
    for (const VkPipeline pipeline : pipelines) {
      vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdDraw(cmd, 3, 1, 0, 0);
    }
  };
  draw(gpu, drawing.state);
  print(gpu, "resolved", drawing.resolved);
  const Image copy = image(gpu, VK_SAMPLE_COUNT_1_BIT);
  gpu.submit([&](VkCommandBuffer cmd) {
    const VkImageSubresourceLayers layers{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageSubresourceRange range{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    const VkImageCopy region{layers, {0, 0, 0}, layers, {0, 0, 0}, {kSize, kSize, 1}};
    const VkClearColorValue gray{{0.5f, 0.5f, 0.5f, 1}};
    vkCmdClearColorImage(cmd, copy.handle, VK_IMAGE_LAYOUT_GENERAL, &gray, 1, &range);
    fullBarrier(cmd);
    vkCmdCopyImage(cmd, drawing.resolved.handle, VK_IMAGE_LAYOUT_GENERAL, copy.handle, VK_IMAGE_LAYOUT_GENERAL, 1,
                   &region);
    fullBarrier(cmd);
    copyIndirect(gpu, cmd, copy, white, command);
    fullBarrier(cmd);
    vkCmdFillBuffer(cmd, words.handle, 0, 8, 7);
    fullBarrier(cmd);
    const VkBufferCopy eight{0, 8, 8};
    vkCmdCopyBuffer(cmd, words.handle, words.handle, 1, &eight);
  });
  print(gpu, "copy", copy);
  for (uint32_t i = 0; i < 4; ++i) std::printf("%u\n", words.as<uint32_t>()[i]);
}

/// Location 0 goes to colour attachment 1, and location 1 to attachment 0.
void locations(Gpu& gpu) {
  const uint32_t swapped[] = {1, 0};
  struct {
    VkStructureType sType;
    const void* pNext;
    uint32_t colorAttachmentCount;
    const uint32_t* pColorAttachmentLocations;
  } info{static_cast<VkStructureType>(1000232001), nullptr, 2, swapped};  // VkRenderingAttachmentLocationInfo
  Drawing drawing(gpu, kLeftOfLine, kTwoColors);
  DrawState& s = drawing.state;
  s.colors.push_back(image(gpu, VK_SAMPLE_COUNT_4_BIT));
  s.resolves.clear();
  s.pipelineNext = &info;
  const VkPipeline pipeline = makePipeline(gpu, s, gpu.set({}, 0).pipeline, {kSize, kSize});
  using Set = void (*)(VkCommandBuffer, const void*);
  const auto set = gpu.proc<Set>("vkCmdSetRenderingAttachmentLocationsKHR");
  gpu.require(set != nullptr, "dynamic rendering local read");
  s.commands = [&](VkCommandBuffer cmd) {
    set(cmd, &info);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(cmd, 3, 1, 0, 0);
  };
  draw(gpu, s);
}

void samples(Gpu& gpu, const std::string& vert, const char* frag) {
  Drawing drawing(gpu, vert, frag);
  draw(gpu, drawing.state);
  print(gpu, "resolved", drawing.resolved);
}

void stores(Gpu& gpu) {
  const Buffer sums = gpu.buffer(16);
  Drawing drawing(gpu, coverAll(), kStoring);
  drawing.state.bindings = {storage(sums)};
  draw(gpu, drawing.state);
  print(gpu, "resolved", drawing.resolved);
  for (uint32_t i = 0; i < 4; ++i) std::printf("%u\n", sums.as<uint32_t>()[i]);
}

/// Three draws: all samples of every pixel twice, which leaves the fragment masks as they are, and the left side.
void masks(Gpu& gpu) {
  Drawing drawing(gpu, kLeftOfLine, kGreen);
  DrawState all = drawing.state;
  all.vert = coverAll(), all.frag = writes("vec4(1, 0, 0, 1)");
  const VkPipelineLayout layout = gpu.set({}, 0).pipeline;
  const VkPipeline whole = makePipeline(gpu, all, layout, {kSize, kSize}),
                   left = makePipeline(gpu, drawing.state, layout, {kSize, kSize});
  drawing.state.commands = [&](VkCommandBuffer cmd) {
    for (const VkPipeline pipeline : {whole, whole, left}) {
      vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdDraw(cmd, 3, 1, 0, 0);
    }
  };
  draw(gpu, drawing.state);
  print(gpu, "resolved", drawing.resolved);
}

}  // namespace

/// Devices have two extensions more than cases know. What calls it is linked into this program.
extern "C" VkResult vkCreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                   const VkAllocationCallbacks* allocator, VkDevice* device) {
  static const auto next = reinterpret_cast<PFN_vkCreateDevice>(dlsym(RTLD_NEXT, "vkCreateDevice"));
  std::vector<const char*> names(info->ppEnabledExtensionNames,
                                 info->ppEnabledExtensionNames + info->enabledExtensionCount);
  names.push_back("VK_KHR_dynamic_rendering_local_read");
  names.push_back("VK_KHR_copy_memory_indirect");
  VkDeviceCreateInfo more = *info;
  more.enabledExtensionCount = static_cast<uint32_t>(names.size()), more.ppEnabledExtensionNames = names.data();
  return next(physical, &more, allocator, device);
}

int main(int argc, char** argv) {
  return runScene("etzel-pixel-scene", argc, argv,
                  {{"writes", writesOfAllKinds},
                   {"locations", locations},
                   {"samples", [](Gpu& gpu) { samples(gpu, coverAll(), kSamples); }},
                   {"served", [](Gpu& gpu) { samples(gpu, kLeftOfLine, kServed); }},
                   {"stores", stores},
                   {"masks", masks}});
}
