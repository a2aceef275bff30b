// The payload of a fence or semaphore: one 64-bit word, in the object itself or, when it is shared by file descriptor,
// in a page of a memfd that other processes map too (VK_KHR_external_semaphore_fd, VK_KHR_external_fence_fd). A
// temporarily imported payload hides the permanent one until it is dropped ("Importing Semaphore Payloads").
#pragma once

#include <atomic>
#include <cstdint>

namespace etzel::icd {

class SyncWord {
 public:
  SyncWord() = default;
  ~SyncWord();
  SyncWord(const SyncWord&) = delete;
  SyncWord& operator=(const SyncWord&) = delete;

  uint64_t load() const;
  void store(uint64_t value) { word()->store(value, std::memory_order_seq_cst); }

  /// Moves the payload to a page that can be exported. \returns false when the system refuses.
  bool share();
  /// A new descriptor of the shared page, or -1.
  int exportPage() const;
  /// Takes over `fd`, a page that exportPage gave (in this process or another). \returns false if it is none.
  bool importPage(int fd, bool temporary);
  /// Imports a sync file as temporary payload and takes over `fd`; -1 is one that has signalled.
  void importSyncFile(int fd);
  /// Back to the permanent payload. \returns whether there was a temporary one.
  bool dropTemporary();

 private:
  struct Page {
    std::atomic<uint64_t>* word = nullptr;
    int fd = -1;
    bool map(int descriptor);
    void reset();
  };
  std::atomic<uint64_t>* word() { return temporaryPage_.word ? temporaryPage_.word : page_.word ? page_.word : &own_; }
  const std::atomic<uint64_t>* word() const { return const_cast<SyncWord*>(this)->word(); }

  std::atomic<uint64_t> own_{0};
  Page page_, temporaryPage_;
  bool temporarySync_ = false;  ///< the temporary payload is a sync file
  int syncFile_ = -1;           ///< -1: it has signalled
};

}  // namespace etzel::icd
