// Commands, submission, and timing by fence.
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <vector>

#include "clock.h"
#include "gpu.h"
#include "testing/vk/commands.h"

namespace vkbench {
namespace {

double processSeconds() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return double(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * double(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

constexpr int kSettledCalls = 4;         // a call that takes long is no time for a compiler that shares its processors
constexpr double kGiveUpSettling = 2.5;  // seconds: slower peers are measured as they are then

}  // namespace

VkCommandBuffer Gpu::record(const std::function<void(VkCommandBuffer)>& body) {
  const VkCommandBuffer c = makeCommands(pool);
  const VkCommandBufferBeginInfo bi{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  VK_CHECK(vkBeginCommandBuffer(c, &bi));
  body(c);
  VK_CHECK(vkEndCommandBuffer(c));
  return c;
}

void Gpu::submit(VkCommandBuffer commands) {
  VkSubmitInfo si{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  si.commandBufferCount = commands ? 1 : 0;
  si.pCommandBuffers = &commands;
  VK_CHECK(vkQueueSubmit(queue, 1, &si, fence_));
  VK_CHECK(vkWaitForFences(device, 1, &fence_, VK_TRUE, UINT64_MAX));
  VK_CHECK(vkResetFences(device, 1, &fence_));
}

Timing Gpu::time(VkCommandBuffer commands) {
  return time([this, commands] { submit(commands); });
}

Timing Gpu::time(const std::function<void()>& call) {
  // Settled: nothing got faster by a tenth for `settleSeconds` and kSettledCalls. Drivers that compile in the
  // background, or swap in better code after a while, get the time they need, and no other driver waits longer than
  // that.
  const double start = now();
  double best = 1e30, bestAt = start;
  int callsSince = 0;
  do {
    const double t0 = now();
    call();
    const double t1 = now();
    ++callsSince;
    if (t1 - t0 < 0.9 * best) {
      best = t1 - t0;
      bestAt = t1;
      callsSince = 0;
    }
  } while ((now() - bestAt < settleSeconds || callsSince < kSettledCalls) && now() - start < kGiveUpSettling);

  std::vector<double> times;
  const double cpu0 = processSeconds(), begin = now();
  do {
    const double t0 = now();
    call();
    times.push_back(now() - t0);
  } while (times.size() < 3 || (now() - begin < measureSeconds && times.size() < 20000));
  Timing t;
  t.cpu = (processSeconds() - cpu0) / double(times.size());
  std::sort(times.begin(), times.end());
  t.median = times[times.size() / 2];
  t.best = times[0];
  t.repetitions = int(times.size());
  return t;
}

void Gpu::begin(VkCommandBuffer commands, const Target& target) {
  std::vector<VkClearValue> values(target.desc.colors);
  if (!values.empty()) values[0] = {.color = {{0.1f, 0.2f, 0.3f, 1}}};
  if (target.desc.depth) values.push_back({.depthStencil = {1, 0}});
  VkRenderPassBeginInfo bi{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
  bi.renderPass = target.pass;
  bi.framebuffer = target.framebuffer;
  bi.renderArea = {{0, 0}, {target.desc.width, target.desc.height}};
  bi.clearValueCount = uint32_t(values.size());
  bi.pClearValues = values.data();
  vkCmdBeginRenderPass(commands, &bi, VK_SUBPASS_CONTENTS_INLINE);
}

void Gpu::goOn(VkCommandBuffer commands, const Target& target) {
  VkRenderPassBeginInfo bi{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
  bi.renderPass = target.goOn;
  bi.framebuffer = target.framebuffer;
  bi.renderArea = {{0, 0}, {target.desc.width, target.desc.height}};
  vkCmdBeginRenderPass(commands, &bi, VK_SUBPASS_CONTENTS_INLINE);
}

void Gpu::barrier(VkCommandBuffer commands) {
  VkMemoryBarrier b{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  b.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  b.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
                       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &b, 0, nullptr, 0,
                       nullptr);
}

void Gpu::toGeneral(VkCommandBuffer commands, const Image& image) {
  const VkImageMemoryBarrier b =
      vktest::discard(image.image, {image.aspect, 0, image.desc.mips, 0, image.desc.layers()}, VK_IMAGE_LAYOUT_GENERAL,
                      VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr,
                       0, nullptr, 1, &b);
}

}  // namespace vkbench
