// Command buffers: recorded commands are closures in an arena, run in order by the queue (icd/cmd/replay/replay.h). A
// closure holds plain data only: everything that a vkCmd* call passes by pointer is copied to the arena first.
#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include "icd/object/object.h"
#include "raster/density_map.h"
#include "runtime/base/arena.h"

namespace etzel::icd {

class Replay;
struct CommandPool;

struct CommandBuffer : DispatchableObject {
  using Handle = VkCommandBuffer;

  static constexpr uint64_t kAnyWork = ~0ull;

  /// Appends `body(Replay&)`. Closures must be trivially copyable. `bytes`: about what it reads and writes, when that
  /// is all that it does: it changes no state but labels, which every run begins without.
  template <class F>
  void record(F body, uint64_t bytes = kAnyWork) {
    static_assert(std::is_trivially_copyable_v<F> && std::is_trivially_destructible_v<F>);
    struct Node : Command {
      F body;
      explicit Node(F f) : body(f) {}
    };
    Node* node = new (arena.allocate(sizeof(Node), alignof(Node))) Node(body);
    node->run = [](const Command* self, Replay& replay) { static_cast<const Node*>(self)->body(replay); };
    *tail = node;
    tail = &node->next;
    workBytes = bytes > kAnyWork - workBytes ? kAnyWork : workBytes + bytes;
  }

  struct Command {
    void (*run)(const Command* self, Replay& replay) = nullptr;
    Command* next = nullptr;
  };

  /// All commands do no more than read and write `workBytes`: they neither look at bound state nor change it.
  bool isBounded() const { return workBytes != kAnyWork; }

  enum class State { Initial, Recording, Executable, Invalid } state = State::Initial;
  Device* device = nullptr;
  CommandPool* pool = nullptr;
  VkCommandBufferLevel level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  VkCommandBufferUsageFlags usage = 0;
  static constexpr size_t kBlockBytes = 16 * 1024;
  Arena arena{kBlockBytes};
  Command* head = nullptr;
  Command** tail = &head;
  uint64_t workBytes = 0;    ///< of all commands
  bool outOfMemory = false;  ///< while it was recorded; vkEndCommandBuffer says so
  VkCommandBufferInheritanceInfo inheritance{};
  raster::DensityOffsets* densityOffsets = nullptr;    ///< of the pass that was begun last: its end says them
  std::vector<std::shared_ptr<const void>> keepAlive;  ///< layouts may be destroyed once recording is over
  void reset() {
    arena.reset();
    keepAlive.clear();
    head = nullptr;
    densityOffsets = nullptr;
    tail = &head;
    workBytes = 0;
    outOfMemory = false;
    state = State::Initial;
  }
};

struct CommandPool : Object {
  using Handle = VkCommandPool;
  uint32_t family = 0;
  VkCommandPoolCreateFlags flags = 0;
  std::vector<CommandBuffer*> buffers;
  VkAllocationCallbacks callbacks{};  ///< those that the pool was created with; its buffers use them too
  bool hasCallbacks = false;
  const VkAllocationCallbacks* allocator() const { return hasCallbacks ? &callbacks : nullptr; }
};

}  // namespace etzel::icd
