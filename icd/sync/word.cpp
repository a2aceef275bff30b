#include "icd/sync/word.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "icd/sync/wait.h"

namespace etzel::icd {
namespace {

constexpr size_t kPageBytes = 4096;

}  // namespace

bool SyncWord::Page::map(int descriptor) {
  struct stat info {};
  if (fstat(descriptor, &info) != 0 || info.st_size < off_t(kPageBytes)) return false;
  void* p = mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (p == MAP_FAILED) return false;
  word = static_cast<std::atomic<uint64_t>*>(p);
  fd = descriptor;
  pollWhileWaiting(+1);  // another process can't wake our waiters
  return true;
}

void SyncWord::Page::reset() {
  if (!word) return;
  pollWhileWaiting(-1);
  munmap(word, kPageBytes);
  close(fd);
  word = nullptr;
  fd = -1;
}

SyncWord::~SyncWord() {
  dropTemporary();
  page_.reset();
}

uint64_t SyncWord::load() const {
  if (temporarySync_) {
    pollfd p{syncFile_, POLLIN, 0};
    return syncFile_ < 0 || poll(&p, 1, 0) > 0 ? 1 : 0;
  }
  return word()->load(std::memory_order_seq_cst);
}

bool SyncWord::share() {
  if (page_.word) return true;
  const int fd = memfd_create("etzel-sync", MFD_CLOEXEC);
  if (fd < 0) return false;
  if (ftruncate(fd, kPageBytes) != 0 || !page_.map(fd)) {
    close(fd);
    return false;
  }
  page_.word->store(own_.load());
  return true;
}

int SyncWord::exportPage() const {
  const Page& p = temporaryPage_.word ? temporaryPage_ : page_;
  return p.word ? dup(p.fd) : -1;
}

bool SyncWord::importPage(int fd, bool temporary) {
  Page fresh;
  if (!fresh.map(fd)) return false;
  Page& target = temporary ? temporaryPage_ : page_;
  dropTemporary();
  target.reset();
  target = fresh;
  return true;
}

void SyncWord::importSyncFile(int fd) {
  dropTemporary();
  temporarySync_ = true;
  syncFile_ = fd;
  if (fd >= 0) pollWhileWaiting(+1);
}

bool SyncWord::dropTemporary() {
  const bool had = temporarySync_ || temporaryPage_.word;
  if (syncFile_ >= 0) {
    close(syncFile_);
    pollWhileWaiting(-1);
  }
  temporarySync_ = false;
  syncFile_ = -1;
  temporaryPage_.reset();
  return had;
}

}  // namespace etzel::icd
