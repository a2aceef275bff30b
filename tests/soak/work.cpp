// Dispatches, chains of semaphores, objects that nobody uses.
#include <array>
#include <optional>
#include <vector>

#include "testing/vk/commands.h"
#include "tests/soak/world.h"

namespace etzel::soak {

void compute(World& world, Random& random) {
  Scope scope(world);
  const Scope::Words from = scope.words(1 + pick(random, 5000)), to = scope.words(from.count);
  for (uint32_t i = 0; i < from.count; ++i) from.word[i] = i * 7;
  const Mixer mixer(scope, from);
  const VkCommandBuffer commands = scope.begin();
  VkCommandBuffer inner = VK_NULL_HANDLE;
  if (pick(random, 2)) {
    inner = scope.makeCommands(scope.pool, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    const VkCommandBufferInheritanceInfo nothing{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    const VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                        VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, &nothing};
    VKTEST_CHECK(vkBeginCommandBuffer(inner, &info));
    mixer.record(inner, 5, 11);
    VKTEST_CHECK(vkEndCommandBuffer(inner));
  }
  const uint32_t rounds = 1 + pick(random, 8);
  for (uint32_t i = 0; i < rounds; ++i)
    if (inner)
      vkCmdExecuteCommands(commands, 1, &inner);
    else
      mixer.record(commands, 5, 11);
  const VkBufferCopy copy{0, 0, from.count * sizeof(uint32_t)};
  vkCmdFillBuffer(commands, to.buffer, 0, VK_WHOLE_SIZE, 0xABCD);
  vktest::fullBarrier(commands);
  vkCmdCopyBuffer(commands, from.buffer, to.buffer, 1, &copy);
  vktest::fullBarrier(commands);
  VKTEST_CHECK(vkEndCommandBuffer(commands));
  world.run(pick(random, World::kQueues), commands);
  for (uint32_t i = 0; i < from.count; ++i) {
    uint32_t want = i * 7;
    for (uint32_t round = 0; round < rounds; ++round) want = want * 5 + i + 11;
    expect(to.word[i] == want, "a dispatch computed something else");
  }
}

void chain(World& world, Random& random) {
  Scope scope(world);
  const Scope::Words words = scope.words(64);
  for (uint32_t i = 0; i < words.count; ++i) words.word[i] = i;
  const Mixer mixer(scope, words);
  const VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
                                       VK_SEMAPHORE_TYPE_TIMELINE, 0};
  const VkSemaphore semaphore = scope.make(VkSemaphoreCreateInfo{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type});
  const uint32_t links = 2 + pick(random, World::kQueues - 1);
  std::vector<VkCommandBuffer> commands;
  for (uint32_t i = 0; i < links; ++i) {
    commands.push_back(scope.begin());
    mixer.record(commands.back(), 3, i);
    VKTEST_CHECK(vkEndCommandBuffer(commands.back()));
  }
  // The last link first, so that all wait for what is submitted later. Each goes to the next queue: waits lead to lower
  // queues only, and chains of several threads never wait in a circle.
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  for (uint32_t n = links; n--;) {
    const uint64_t wait = n + 1, signal = n + 2;
    const VkTimelineSemaphoreSubmitInfo values{
        VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, nullptr, 1, &wait, 1, &signal};
    const VkSubmitInfo info{
        VK_STRUCTURE_TYPE_SUBMIT_INFO, &values, 1, &semaphore, &stage, 1, &commands[n], 1, &semaphore};
    VKTEST_CHECK(world.submit(n, info, VK_NULL_HANDLE));
  }
  const VkSemaphoreSignalInfo go{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, semaphore, 1};
  VKTEST_CHECK(vkSignalSemaphore(world.device, &go));
  const uint64_t last = links + 1;
  const VkSemaphoreWaitInfo wait{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &semaphore, &last};
  VKTEST_CHECK(vkWaitSemaphores(world.device, &wait, UINT64_MAX));
  for (uint32_t i = 0; i < words.count; ++i) {
    uint32_t want = i;
    for (uint32_t n = 0; n < links; ++n) want = want * 3 + i + n;
    expect(words.word[i] == want, "a chain ran in another order");
  }
}

void objects(World& world, Random& random) {
  Scope scope(world);
  for (uint32_t i = 1 + pick(random, 20); i; --i) {
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = pick(random, 2) ? VK_FORMAT_R8G8B8A8_UNORM : VK_FORMAT_R16_SFLOAT;
    info.extent = {1 + pick(random, 300), 1 + pick(random, 300), 1};
    info.mipLevels = 1;
    info.arrayLayers = 1 + pick(random, 3);
    info.samples = pick(random, 3) ? VK_SAMPLE_COUNT_1_BIT : VK_SAMPLE_COUNT_4_BIT;
    info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    vktest::Device::Bound bound;
    const VkImage image = scope.make(info, 0, &bound);
    VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = image;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = info.format;
    view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    scope.make(view);
    scope.make(VkSamplerCreateInfo{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO});
  }
  const VkEvent event = scope.make(VkEventCreateInfo{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO});
  VkQueryPoolCreateInfo queries{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
  queries.queryCount = 2;
  const VkQueryPool pool = scope.make(queries);
  const VkCommandBuffer commands = scope.begin();
  vkCmdResetQueryPool(commands, pool, 0, 2);
  vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pool, 0);
  vkCmdSetEvent(commands, event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 1);
  VKTEST_CHECK(vkEndCommandBuffer(commands));
  world.run(pick(random, World::kQueues), commands);
  std::array<uint64_t, 2> times{};
  VKTEST_CHECK(vkGetQueryPoolResults(world.device, pool, 0, 2, sizeof times, times.data(), 8, VK_QUERY_RESULT_64_BIT));
  expect(times[0] <= times[1], "time ran backwards");
  expect(vkGetEventStatus(world.device, event) == VK_EVENT_SET, "an event is not set");
}

void instance(World&, Random& random) {
  std::optional<World> other;
  {
    std::lock_guard lock(loadersDevices);
    other.emplace();
  }
  compute(*other, random);
  std::lock_guard lock(loadersDevices);
  other.reset();
}

}  // namespace etzel::soak
