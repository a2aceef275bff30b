#include "icd/object/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace etzel::icd {

Fd createSharedMemory(const char* name, size_t bytes) {
  constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  Fd fd(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (fd && ftruncate(fd.get(), static_cast<off_t>(bytes)) == 0 && fcntl(fd.get(), F_ADD_SEALS, kSeals) == 0) return fd;
  return Fd();
}

bool systemSharesMemory() {
  static const bool shares = static_cast<bool>(createSharedMemory("etzel-question", 1));
  return shares;
}

bool isSharedMemory(int fd, uint64_t bytes) {
  struct stat info {};
  if (fstat(fd, &info) != 0 || static_cast<uint64_t>(info.st_size) < bytes) return false;
  const int seals = fcntl(fd, F_GET_SEALS);
  return seals >= 0 && seals & F_SEAL_SHRINK;
}

std::byte* mapSharedMemory(int fd, size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return p == MAP_FAILED ? nullptr : static_cast<std::byte*>(p);
}

}  // namespace etzel::icd
