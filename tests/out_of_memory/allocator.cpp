#include "tests/out_of_memory/allocator.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "tests/out_of_memory/origin.h"

// What glibc's own malloc is called beside its public names.
extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* p, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void* p);
}

namespace oom {
namespace {

// All of this is constant-initialized: memory is asked for before anything else runs.
std::atomic<uintptr_t> codeBegin{0}, codeEnd{0};
std::atomic<bool> armed{false};
Mode mode = Mode::Count;
uint64_t firstFailing = 0;
std::atomic<uint64_t> requests{0}, failures{0};
std::atomic<bool> noSegments{false};

constexpr size_t kMaxRequests = 1 << 20, kMaxFrames = 24;
bool own[kMaxRequests];  // by number, in Mode::Count
void* failedAt[kMaxFrames + 1];

/// A test-and-set lock: a mutex could call back.
class Lock {
 public:
  Lock() {
    while (flag_.test_and_set(std::memory_order_acquire)) sched_yield();
  }
  ~Lock() { flag_.clear(std::memory_order_release); }

 private:
  inline static std::atomic_flag flag_ = ATOMIC_FLAG_INIT;
};

struct Piece {
  void* at;
  size_t bytes;
};
struct Trace {
  void* frames[kMaxFrames];
  int count;
};
/// Open addressing; a piece that is gone leaves a mark, which a new one may take.
constexpr int kSlotBits = 17;
constexpr size_t kSlots = size_t{1} << kSlotBits;
void* const kGone = reinterpret_cast<void*>(1);
Piece pieces[kSlots];
Trace traces[kSlots];
std::atomic<bool> tracing{false};

size_t slotOf(const void* p) {
  return (reinterpret_cast<uintptr_t>(p) >> 4) * 0x9E3779B97F4A7C15ull >> (64 - kSlotBits);
}

void insert(void* p, size_t bytes) {
  Trace trace{};
  const bool traced = tracing.load(std::memory_order_relaxed);
  if (traced) trace.count = backtrace(trace.frames, kMaxFrames);
  Lock lock;
  for (size_t i = slotOf(p), tries = 0; tries < kSlots; i = (i + 1) % kSlots, ++tries)
    if (!pieces[i].at || pieces[i].at == kGone) {
      pieces[i] = {p, bytes};
      if (traced) traces[i] = trace;
      return;
    }
  constexpr char kFull[] = "out_of_memory: the driver holds more pieces than this program has room for\n";
  (void)!write(2, kFull, sizeof kFull - 1);
  _exit(3);
}

/// \returns the size of a piece of the driver's, or -1.
int64_t remove(void* p) {
  if (!p || !codeEnd.load(std::memory_order_relaxed)) return -1;
  Lock lock;
  for (size_t i = slotOf(p), tries = 0; pieces[i].at && tries < kSlots; i = (i + 1) % kSlots, ++tries)
    if (pieces[i].at == p) {
      pieces[i].at = kGone;
      return int64_t(pieces[i].bytes);
    }
  return -1;
}

bool isDriver(const void* caller) {
  const auto at = reinterpret_cast<uintptr_t>(caller);
  return at >= codeBegin.load(std::memory_order_relaxed) && at < codeEnd.load(std::memory_order_relaxed);
}

/// Counts a request of the driver. \returns whether it is to fail.
bool fails() {
  if (!armed.load(std::memory_order_relaxed)) return false;
  const uint64_t n = requests.fetch_add(1);
  if (mode != Mode::Count && n < firstFailing) return false;
  if (mode == Mode::Once && failures.load() > 0) return false;
  void* frames[kMaxFrames];
  const int count = backtrace(frames, kMaxFrames);
  const bool mine = isOwn(frames, count);
  if (mode == Mode::Count) {
    if (n < kMaxRequests) own[n] = mine;
    return false;
  }
  if (!mine || (failures.fetch_add(1) > 0 && mode == Mode::Once)) return false;
  if (failures.load() == 1) std::copy(frames, frames + count, failedAt);
  errno = ENOMEM;
  return true;
}

/// What the driver gets: `make()`'s memory, unless the request fails.
template <class F>
void* give(const void* caller, size_t bytes, F make) {
  const bool watched = isDriver(caller);
  if (watched && fails()) return nullptr;
  void* p = make();
  if (watched && p) insert(p, bytes);
  return p;
}

/// Stands for a segment among the pieces: where nobody's memory is.
void* keyOf(int segment) { return reinterpret_cast<void*>(~uintptr_t(unsigned(segment))); }

}  // namespace

void watch(const void* address) {
  void* warm[4];
  backtrace(warm, 4);  // the first one loads a library
  readSymbols(address);
  struct Search {
    uintptr_t address, begin, end;
  } search{reinterpret_cast<uintptr_t>(address), 0, 0};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* argument) {
        auto& s = *static_cast<Search*>(argument);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& segment = info->dlpi_phdr[i];
          const uintptr_t begin = info->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
          if (segment.p_type == PT_LOAD && segment.p_flags & PF_X && s.address >= begin && s.address < end)
            s.begin = begin, s.end = end;
        }
        return 0;
      },
      &search);
  codeBegin = search.begin, codeEnd = search.end;
}

void arm(Mode wanted, uint64_t nth) {
  mode = wanted;
  firstFailing = nth;
  requests = failures = 0;
  std::fill(std::begin(failedAt), std::end(failedAt), nullptr);
  armed = true;
}
void disarm() { armed = false; }
void refuseSegments() { noSegments = true; }
uint64_t requested() { return requests; }
uint64_t refused() { return failures; }
std::vector<bool> ownRequests() { return std::vector<bool>(own, own + std::min<uint64_t>(requests, kMaxRequests)); }
const void* const* refusedAt() { return failedAt; }

std::map<size_t, int64_t> held() {
  std::vector<size_t> sizes(kSlots);  // before the lock: this asks for memory itself
  size_t count = 0;
  {
    Lock lock;
    for (const Piece& piece : pieces)
      if (piece.at && piece.at != kGone) sizes[count++] = piece.bytes;
  }
  std::map<size_t, int64_t> all;
  for (size_t i = 0; i < count; ++i) ++all[sizes[i]];
  return all;
}

void traceHeld() { tracing = true; }
void printHeld(size_t bytes) {
  for (size_t slot = 0; slot < kSlots; ++slot) {
    const Piece& piece = pieces[slot];
    const Trace& trace = traces[slot];
    if (!piece.at || piece.at == kGone || piece.bytes != bytes || !trace.count) continue;
    std::fprintf(stderr, "  %zu bytes held:\n", piece.bytes);
    for (int i = 0; i < trace.count; ++i)
      if (originOf(trace.frames[i]) != Origin::Outside)
        std::fprintf(stderr, "    %s\n", nameOf(trace.frames[i]).c_str());
  }
}

}  // namespace oom

// Here the names that programs know; __builtin_return_address(0) is who asks.
extern "C" {

void* malloc(size_t bytes) {
  return oom::give(__builtin_return_address(0), bytes, [=] { return __libc_malloc(bytes); });
}
void* calloc(size_t count, size_t bytes) {
  return oom::give(__builtin_return_address(0), count * bytes, [=] { return __libc_calloc(count, bytes); });
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  return oom::give(__builtin_return_address(0), bytes, [=] { return __libc_memalign(alignment, bytes); });
}
void* memalign(size_t alignment, size_t bytes) {
  return oom::give(__builtin_return_address(0), bytes, [=] { return __libc_memalign(alignment, bytes); });
}
int posix_memalign(void** out, size_t alignment, size_t bytes) {
  void* p = oom::give(__builtin_return_address(0), bytes, [=] { return __libc_memalign(alignment, bytes); });
  if (!p) return ENOMEM;
  *out = p;
  return 0;
}
void* realloc(void* old, size_t bytes) {
  if (oom::isDriver(__builtin_return_address(0)) && oom::fails()) return nullptr;
  const int64_t before = oom::remove(old);
  void* p = __libc_realloc(old, bytes);
  const bool watched = before >= 0 || (!old && oom::isDriver(__builtin_return_address(0)));
  if (p && watched) oom::insert(p, bytes);
  if (!p && bytes && before >= 0) oom::insert(old, size_t(before));
  return p;
}
void free(void* p) {
  oom::remove(p);
  __libc_free(p);
}

void* mmap(void* wanted, size_t bytes, int protection, int flags, int fd, off_t offset) {
  const bool watched = oom::isDriver(__builtin_return_address(0));
  if (watched && oom::fails()) return MAP_FAILED;
  void* p = reinterpret_cast<void*>(syscall(SYS_mmap, wanted, bytes, protection, flags, fd, offset));
  if (watched && p != MAP_FAILED && !(flags & MAP_FIXED)) oom::insert(p, bytes);
  return p;
}
int munmap(void* p, size_t bytes) {
  oom::remove(p);
  return int(syscall(SYS_munmap, p, bytes));
}
int memfd_create(const char* name, unsigned flags) {
  if (oom::isDriver(__builtin_return_address(0)) && oom::fails()) return -1;
  return int(syscall(SYS_memfd_create, name, flags));
}
// A segment that nobody marks as removed outlives the process.
int shmget(key_t key, size_t bytes, int flags) {
  const bool watched = oom::isDriver(__builtin_return_address(0));
  if (watched && oom::noSegments) return errno = ENOSPC, -1;
  if (watched && oom::fails()) return -1;
  const int segment = int(syscall(SYS_shmget, key, bytes, flags));
  if (watched && segment >= 0) oom::insert(oom::keyOf(segment), bytes);
  return segment;
}
int shmctl(int segment, int command, shmid_ds* out) {
  if (command == IPC_RMID) oom::remove(oom::keyOf(segment));
  return int(syscall(SYS_shmctl, segment, command, out));
}
void* shmat(int segment, const void* wanted, int flags) {
  const bool watched = oom::isDriver(__builtin_return_address(0));
  if (watched && oom::fails()) return MAP_FAILED;
  void* p = reinterpret_cast<void*>(syscall(SYS_shmat, segment, wanted, flags));
  shmid_ds about{};
  if (watched && p != MAP_FAILED) oom::insert(p, shmctl(segment, IPC_STAT, &about) == 0 ? about.shm_segsz : 0);
  return p;
}
int shmdt(const void* p) {
  oom::remove(const_cast<void*>(p));
  return int(syscall(SYS_shmdt, p));
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*main)(void*), void* argument) {
  static const auto real = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  if (oom::isDriver(__builtin_return_address(0)) && oom::fails()) return EAGAIN;
  return real(thread, attributes, main, argument);
}
}
