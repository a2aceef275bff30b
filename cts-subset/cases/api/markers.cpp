// What tools follow a program's work by: VK_AMD_buffer_marker, 32 bits that are written in order when a stage has done
// what came before, and VK_EXT_frame_boundary, words about frames that change nothing.
#include "cts-subset/cases/api/markers.h"

#include <chrono>

#include "cts-subset/support/compute.h"

namespace etzel::cts {
namespace {

/// The command of the first version, that of synchronization2, or the one that takes an address.
enum class Form { First, Second, Address };

// What not all headers have: VkMemoryMarkerInfoAMD and VkFrameBoundaryEXT.
struct MarkerInfo {
  VkStructureType sType = VkStructureType(1000318014);
  const void* next = nullptr;
  VkPipelineStageFlags2 stage = 0;
  VkDeviceAddress address = 0;
  VkDeviceSize size = 4;
  VkFlags flags = 0;
  uint32_t marker = 0;
};
struct FrameBoundary {
  VkStructureType sType = VkStructureType(1000375001);
  const void* next = nullptr;
  VkFlags flags = 0;
  uint64_t frame = 0;
  uint32_t imageCount = 0;
  const VkImage* images = nullptr;
  uint32_t bufferCount = 0;
  const VkBuffer* buffers = nullptr;
  uint64_t tagName = 0;
  size_t tagSize = 0;
  const void* tag = nullptr;
};

void require(Gpu& gpu, Form form) {
  gpu.requireExtension(VK_AMD_BUFFER_MARKER_EXTENSION_NAME);
  if (form == Form::Second) gpu.require(gpu.features13.synchronization2, "synchronization2");
  if (form != Form::Address) return;
  gpu.requireExtension("VK_KHR_device_address_commands");
  gpu.require(gpu.features12.bufferDeviceAddress, "bufferDeviceAddress");
}

void mark(Gpu& gpu, VkCommandBuffer cmd, Form form, VkPipelineStageFlagBits stage, const Buffer& to, uint32_t word,
          uint32_t value) {
  using Address = void(VKAPI_PTR*)(VkCommandBuffer, const MarkerInfo*);
  if (form == Form::First)
    return gpu.proc<PFN_vkCmdWriteBufferMarkerAMD>("vkCmdWriteBufferMarkerAMD")(cmd, stage, to.handle, word * 4, value);
  if (form == Form::Second)
    return gpu.proc<PFN_vkCmdWriteBufferMarker2AMD>("vkCmdWriteBufferMarker2AMD")(cmd, VkPipelineStageFlags2(stage),
                                                                                  to.handle, word * 4, value);
  MarkerInfo info;
  info.stage = VkPipelineStageFlags2(stage), info.address = to.address + word * 4, info.marker = value;
  gpu.proc<Address>("vkCmdWriteMarkerToMemoryAMD")(cmd, &info);
}

/// Many markers, several to one word: the last one stays. Words beside them keep what they had.
void inOrder(Gpu& gpu, Form form) {
  require(gpu, form);
  Buffer out = gpu.buffer(std::vector<uint32_t>(64, 7));
  gpu.submit([&](VkCommandBuffer cmd) {
    for (uint32_t i = 0; i < 96; ++i)
      mark(gpu, cmd, form, i % 2 ? VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT : VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, out,
           i % 32 * 2, 1000 + i);
  });
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out.as<uint32_t>()[i], i % 2 ? 7u : 1064 + i / 2) << i;
}

/// Dispatches that add to a counter, with a marker behind each; the counter is copied where the marker lies. A marker
/// that the host sees means that what came before it has ended.
void behindDispatches(Gpu& gpu, Form form) {
  require(gpu, form);
  constexpr uint32_t kSteps = 24, kGroups = 64;
  Buffer count = gpu.buffer(std::vector<uint32_t>(1)), marks = gpu.buffer(std::vector<uint32_t>(1));
  Kernel kernel(gpu,
                "#version 450\nlayout(local_size_x=64) in;\nlayout(binding=0) buffer C { uint n; };\n"
                "void main() { atomicAdd(n, 1u); }\n",
                {storage(count)}, 0);
  const VkCommandBuffer cmd = commands(gpu, gpu.family, [&](VkCommandBuffer cmd) {
    kernel.bind(cmd);
    for (uint32_t i = 1; i <= kSteps; ++i) {
      vkCmdDispatch(cmd, kGroups, 1, 1);
      mark(gpu, cmd, form, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, marks, 0, i);
      fullBarrier(cmd);
    }
  });
  VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  submit.commandBufferCount = 1, submit.pCommandBuffers = &cmd;
  CTS_VK(vkQueueSubmit(gpu.queue, 1, &submit, VK_NULL_HANDLE));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (uint32_t seen = 0; seen < kSteps;) {
    const uint32_t step = __atomic_load_n(marks.as<uint32_t>(), __ATOMIC_ACQUIRE);
    const uint32_t done = __atomic_load_n(count.as<uint32_t>(), __ATOMIC_RELAXED);
    EXPECT_GE(step, seen) << "markers come in order";
    if (step < seen) break;
    seen = step;
    EXPECT_GE(done, step * kGroups * 64) << "behind step " << step;
    if (std::chrono::steady_clock::now() > end) break;
  }
  CTS_VK(vkQueueWaitIdle(gpu.queue));
  EXPECT_EQ(marks.as<uint32_t>()[0], kSteps);
  EXPECT_EQ(count.as<uint32_t>()[0], kSteps * kGroups * 64);
}

/// Between the draws of a rendering.
void betweenDraws(Gpu& gpu, Form form) {
  require(gpu, form);
  constexpr uint32_t kSize = 32;
  Image color = gpu.image({.width = kSize, .height = kSize, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  Buffer marks = gpu.buffer(std::vector<uint32_t>(4, 7));
  DrawState s;
  s.vert = coverAll();
  s.frag = writes("vec4(0.2, 0.4, 0.6, 1.0)");
  s.colors = {color};
  s.clearColors = VkClearValue{};
  s.commands = [&](VkCommandBuffer cmd) {
    mark(gpu, cmd, form, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, marks, 0, 11);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    mark(gpu, cmd, form, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, marks, 1, 12);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    mark(gpu, cmd, form, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, marks, 2, 13);
  };
  draw(gpu, s);
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(marks.as<uint32_t>()[i], i < 3 ? 11 + i : 7u) << i;
  std::vector<uint8_t> expected;
  for (uint32_t i = 0; i < kSize * kSize; ++i) expected.insert(expected.end(), {51, 102, 153, 255});
  expectPicture(gpu.download(color, 4), expected, kSize, kSize, 0);
}

/// Submissions of both forms that name frames, results and tags of tools.
void frames(Gpu& gpu) {
  gpu.requireFeatures("VK_EXT_frame_boundary", 1);
  Buffer out = gpu.buffer(std::vector<uint32_t>(4, 7));
  Image image = gpu.image({.width = 4, .height = 4});
  gpu.clear(image, {});
  const char tag[] = "what a tool knows";
  for (uint32_t i = 0; i < 4; ++i) {
    const VkCommandBuffer cmd =
        commands(gpu, gpu.family, [&](VkCommandBuffer cmd) { vkCmdFillBuffer(cmd, out.handle, i * 4, 4, 100 + i); });
    FrameBoundary boundary;
    boundary.flags = i % 2, boundary.frame = i / 2;
    boundary.imageCount = 1, boundary.images = &image.handle;
    boundary.bufferCount = 1, boundary.buffers = &out.handle;
    boundary.tagName = 5, boundary.tagSize = sizeof tag, boundary.tag = tag;
    if (i < 2) {
      VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO, &boundary};
      submit.commandBufferCount = 1, submit.pCommandBuffers = &cmd;
      CTS_VK(vkQueueSubmit(gpu.queue, 1, &submit, VK_NULL_HANDLE));
    } else {
      VkCommandBufferSubmitInfo buffer{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO};
      buffer.commandBuffer = cmd;
      VkSubmitInfo2 submit{VK_STRUCTURE_TYPE_SUBMIT_INFO_2, &boundary};
      submit.commandBufferInfoCount = 1, submit.pCommandBufferInfos = &buffer;
      CTS_VK(vkQueueSubmit2(gpu.queue, 1, &submit, VK_NULL_HANDLE));
    }
  }
  CTS_VK(vkQueueWaitIdle(gpu.queue));
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(out.as<uint32_t>()[i], 100 + i) << i;
}

}  // namespace

void addMarkers() {
  static const std::pair<Form, const char*> forms[] = {
      {Form::First, "first"}, {Form::Second, "second"}, {Form::Address, "address"}};
  for (const auto& [form, name] : forms) {
    add(text("sync.marker.order.%s", name), [form = form](Gpu& gpu) { inOrder(gpu, form); });
    add(text("sync.marker.dispatches.%s", name), [form = form](Gpu& gpu) { behindDispatches(gpu, form); });
    add(text("sync.marker.draws.%s", name), [form = form](Gpu& gpu) { betweenDraws(gpu, form); });
  }
  add("sync.frame_boundary", frames);
}

}  // namespace etzel::cts
