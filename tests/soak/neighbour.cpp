// Memory that two processes share: one exports it, the other imports and changes it on a device of its own.
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "testing/vk/commands.h"
#include "tests/soak/world.h"

namespace etzel::soak {
namespace {

bool sendFile(int socket, int file, uint32_t words) {
  iovec data{&words, sizeof words};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof file)]{};
  msghdr message{};
  message.msg_iov = &data, message.msg_iovlen = 1;
  message.msg_control = room, message.msg_controllen = sizeof room;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET, header->cmsg_type = SCM_RIGHTS, header->cmsg_len = CMSG_LEN(sizeof file);
  std::memcpy(CMSG_DATA(header), &file, sizeof file);
  return sendmsg(socket, &message, MSG_NOSIGNAL) == ssize_t(sizeof words);
}

bool receiveFile(int socket, int* file, uint32_t* words) {
  iovec data{words, sizeof *words};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof *file)]{};
  msghdr message{};
  message.msg_iov = &data, message.msg_iovlen = 1;
  message.msg_control = room, message.msg_controllen = sizeof room;
  if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != ssize_t(sizeof *words)) return false;
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (!header || header->cmsg_type != SCM_RIGHTS) return false;
  std::memcpy(file, CMSG_DATA(header), sizeof *file);
  return true;
}

constexpr VkExternalMemoryHandleTypeFlagBits kType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;

/// A storage buffer in memory that is exported, or imported where `next` says so.
Scope::Words sharedWords(Scope& scope, uint32_t count, const void* next, vktest::Device::Bound* bound) {
  const VkExternalMemoryBufferCreateInfo shared{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, nullptr, kType};
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, &shared};
  info.size = count * sizeof(uint32_t);
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  const VkBuffer buffer =
      scope.make(info, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, bound, next);
  return {buffer, static_cast<uint32_t*>(bound->data), count};
}

}  // namespace

Neighbour::Neighbour(const std::string& program) {
  int ends[2];
  expect(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "no socket");
  child_ = fork();
  if (child_ == 0) {
    const int kept = dup(ends[1]);  // without FD_CLOEXEC
    const std::string number = std::to_string(kept);
    execl(program.c_str(), program.c_str(), "--neighbour", number.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  ::close(ends[1]);
  socket_ = ends[0];
}

Neighbour::~Neighbour() {
  ::close(socket_);
  if (child_ > 0) waitpid(child_, nullptr, 0);
}

void Neighbour::exchange(World& world, Random& random) {
  std::lock_guard lock(mutex_);
  Scope scope(world);
  const VkExportMemoryAllocateInfo exported{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, nullptr, kType};
  vktest::Device::Bound bound;
  const Scope::Words words = sharedWords(scope, 1 + pick(random, 3000), &exported, &bound);
  for (uint32_t i = 0; i < words.count; ++i) words.word[i] = i;
  VkMemoryGetFdInfoKHR info{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, nullptr, bound.memory, kType};
  int file = -1;
  const auto getFd = reinterpret_cast<PFN_vkGetMemoryFdKHR>(vkGetDeviceProcAddr(world.device, "vkGetMemoryFdKHR"));
  VKTEST_CHECK(getFd(world.device, &info, &file));
  const bool sent = sendFile(socket_, file, words.count);
  ::close(file);
  char done = 0;
  expect(sent && read(socket_, &done, 1) == 1, "the neighbour is gone");
  for (uint32_t i = 0; i < words.count; ++i)
    expect(words.word[i] == i * 3 + i + 1, "the neighbour's work is not in shared memory");
}

int neighbourMain(int socket) {
  World world;
  Random random(3);
  int file = -1;
  uint32_t count = 0;
  while (receiveFile(socket, &file, &count)) {
    Scope scope(world);
    // The import takes the file over.
    const VkImportMemoryFdInfoKHR imported{VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, nullptr, kType, file};
    vktest::Device::Bound bound;
    const Scope::Words words = sharedWords(scope, count, &imported, &bound);
    const Mixer mixer(scope, words);
    const VkCommandBuffer commands = scope.begin();
    mixer.record(commands, 3, 1);
    VKTEST_CHECK(vkEndCommandBuffer(commands));
    world.run(pick(random, World::kQueues), commands);
    const char done = 1;
    if (write(socket, &done, 1) != 1) return 1;
  }
  return 0;
}

}  // namespace etzel::soak
