#include "icd/sync/word.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <new>

#include "icd/object/shared_memory.h"
#include "icd/sync/wait.h"

namespace etzel::icd {
namespace {

constexpr size_t kPageBytes = 4096;

/// Whether the sync file has signalled; -1 is one that has.
bool fileSignaled(int file) {
  pollfd p{file, POLLIN, 0};
  return file < 0 || poll(&p, 1, 0) > 0;
}

}  // namespace

struct TemporaryPayload {
  SyncWord::Page page;
  bool isFile = false;  ///< a sync file instead of a page
  int file = -1;
  SyncPayload unused;  ///< takes the signals that a sync file cannot

  TemporaryPayload() = default;
  TemporaryPayload(const TemporaryPayload&) = delete;
  TemporaryPayload& operator=(const TemporaryPayload&) = delete;
  ~TemporaryPayload() {
    if (file >= 0) {
      close(file);
      pollWhileWaiting(-1);
    }
    page.reset();
  }
  SyncPayload* payload() { return isFile ? &unused : page.payload; }
};

bool BoundSync::reached() const {
  if (temporary_ && temporary_->isFile) return fileSignaled(temporary_->file);
  return payload_->value.load(std::memory_order_seq_cst) >= value_;
}

bool SyncWord::Page::map(int descriptor) {
  if (!isSharedMemory(descriptor, kPageBytes)) return false;
  std::byte* const page = mapSharedMemory(descriptor, kPageBytes);
  if (!page) throw std::bad_alloc();
  payload = reinterpret_cast<SyncPayload*>(page);
  fd = descriptor;
  pollWhileWaiting(+1);  // another process can't wake our waiters
  return true;
}

void SyncWord::Page::reset() {
  if (!payload) return;
  pollWhileWaiting(-1);
  munmap(payload, kPageBytes);
  close(fd);
  payload = nullptr;
  fd = -1;
}

SyncWord::~SyncWord() { page_.reset(); }

SyncPayload* SyncWord::payload() {
  if (temporary_) return temporary_->payload();
  return page_.payload ? page_.payload : &own_;
}

uint64_t SyncWord::load() const {
  if (temporary_ && temporary_->isFile) return fileSignaled(temporary_->file);
  return payload()->value.load(std::memory_order_seq_cst);
}

BoundSync SyncWord::bindSignal() {
  BoundSync bound;
  bound.payload_ = payload();
  bound.temporary_ = temporary_;
  bound.value_ = bound.payload_->promised.fetch_add(1, std::memory_order_seq_cst) + 1;
  return bound;
}

BoundSync SyncWord::bindWait() {
  BoundSync bound;
  bound.payload_ = payload();
  bound.value_ = bound.payload_->promised.load(std::memory_order_seq_cst);
  bound.temporary_ = temporary_;
  return bound;
}

BoundSync SyncWord::bindValue(uint64_t value) {
  BoundSync bound;
  bound.payload_ = payload();
  bound.temporary_ = temporary_;
  bound.value_ = value;
  return bound;
}

void SyncWord::signal(const BoundSync& bound) {
  // Queues may come to their signals in another order than they were submitted in.
  std::atomic<uint64_t>& happened = bound.payload_->value;
  uint64_t before = happened.load(std::memory_order_seq_cst);
  while (before < bound.value_ && !happened.compare_exchange_weak(before, bound.value_)) {
  }
}

bool SyncWord::share() {
  if (page_.payload) return true;
  Fd fd = createSharedMemory("etzel-sync", kPageBytes);
  if (!fd || !page_.map(fd.get())) return false;
  (void)fd.release();  // the page's
  page_.payload->value.store(own_.value.load());
  page_.payload->promised.store(own_.promised.load());
  return true;
}

int SyncWord::exportPage() const {
  const Page& p = temporary_ && temporary_->page.payload ? temporary_->page : page_;
  return p.payload ? fcntl(p.fd, F_DUPFD_CLOEXEC, 0) : -1;
}

bool SyncWord::importPage(int fd, bool temporary) {
  if (temporary) {
    auto fresh = std::make_shared<TemporaryPayload>();
    if (!fresh->page.map(fd)) return false;
    temporary_ = std::move(fresh);
    return true;
  }
  Page fresh;
  if (!fresh.map(fd)) return false;
  dropTemporary();
  page_.reset();
  page_ = fresh;
  return true;
}

void SyncWord::importSyncFile(int fd) {
  auto fresh = std::make_shared<TemporaryPayload>();
  fresh->isFile = true;
  fresh->file = fd;
  if (fd >= 0) pollWhileWaiting(+1);
  temporary_ = std::move(fresh);
}

bool SyncWord::dropTemporary() {
  const bool had = temporary_ != nullptr;
  temporary_.reset();
  return had;
}

}  // namespace etzel::icd
