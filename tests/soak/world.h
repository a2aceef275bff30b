// What the soak's threads share: a device with four queues, and what each thread does with them, over and over. Each
// piece of work makes what it needs, checks what came out, and destroys it all; a wrong result throws vktest::Failure.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <random>
#include <shared_mutex>

#include "testing/vk/device.h"

namespace etzel::soak {

using Random = std::mt19937;
inline uint32_t pick(Random& random, uint32_t below) { return uint32_t(random() % below); }
/// Throws vktest::Failure.
void expect(bool holds, const char* what);

class World : public vktest::Device {
 public:
  static constexpr uint32_t kQueues = 4;
  World();

  /// Queues are synchronized by who submits ("Threading Behavior").
  VkResult submit(uint32_t queue, const VkSubmitInfo& info, VkFence fence);
  VkResult present(uint32_t queue, const VkPresentInfoKHR& info);
  /// Submits, and waits for a fence.
  void run(uint32_t queue, VkCommandBuffer commands);

 private:
  VkQueue queues_[kQueues]{};
  std::mutex mutex_[kQueues];
};

/// Held while instances and devices come and go, and shared where the loader looks for a device. Loaders of Debian 12
/// (1.3.239) walk the lists of all instances and their devices for vkCreateSwapchainKHR without a lock, and crash in
/// what another thread frees.
extern std::shared_mutex loadersDevices;

/// What one piece of work makes on a world's device: gone when it ends.
class Scope : public vktest::Device {
 public:
  explicit Scope(World& world);
  ~Scope();
  World& world;
  VkCommandPool pool;

  struct Words {
    VkBuffer buffer = VK_NULL_HANDLE;
    uint32_t* word = nullptr;
    uint32_t count = 0;
  };
  Words words(uint32_t count);
  VkCommandBuffer begin();
};

/// One dispatch of shaders/mix.comp over `words`.
class Mixer {
 public:
  Mixer(Scope& scope, const Scope::Words& words);
  void record(VkCommandBuffer commands, uint32_t factor, uint32_t term) const;

 private:
  VkPipeline pipeline_;
  VkPipelineLayout layout_;
  VkDescriptorSet set_;
  uint32_t groups_;
};

/// The other process, which shares memory with this one. One thread at a time.
class Neighbour {
 public:
  explicit Neighbour(const std::string& program);
  ~Neighbour();
  /// Gives it a buffer; shaders/mix.comp changes them on a device of its own.
  void exchange(World& world, Random& random);

 private:
  std::mutex mutex_;
  int socket_ = -1, child_ = -1;
};
/// What that process does, until its socket closes. \returns the exit status
int neighbourMain(int socket);

// Pieces of work.
void compute(World& world, Random& random);  ///< dispatches, copies and fills in one command buffer, secondary ones too
void draw(World& world, Random& random);     ///< any size, any samples, resolved and read
void chain(World& world, Random& random);    ///< timeline semaphores through all queues
void present(World& world, Random& random);  ///< a swapchain that changes its size, its window too if it has one
void objects(World& world, Random& random);  ///< made and destroyed without use, events and queries among them
void instance(World& world, Random& random);  ///< another instance and device for a moment

}  // namespace etzel::soak
