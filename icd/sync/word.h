// The payload of a fence or semaphore: in the object itself or, when it is shared by file descriptor, in a page of a
// memfd that other processes map too (VK_KHR_external_semaphore_fd, VK_KHR_external_fence_fd). A temporarily imported
// payload hides the permanent one until it is dropped ("Importing Semaphore Payloads").
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace etzel::icd {

/// What a shared page begins with: zeros are a payload that has not signalled.
struct SyncPayload {
  std::atomic<uint64_t> value{0};     ///< fence: 0 or 1; timeline: the counter; binary: signals that have happened
  std::atomic<uint64_t> promised{0};  ///< binary: signals that were submitted
};

/// A payload that was imported as temporary, and lives on in what was submitted with it.
struct TemporaryPayload;

/// A wait or a signal that was submitted: of the payload that the object had then, whatever is imported or submitted
/// afterwards. The object must outlive it, as the specification asks of everything that is submitted.
class BoundSync {
 public:
  /// Whether a wait for it is over.
  bool reached() const;

 private:
  friend class SyncWord;
  SyncPayload* payload_ = nullptr;
  uint64_t value_ = 0;
  std::shared_ptr<TemporaryPayload> temporary_;
};

class SyncWord {
 public:
  SyncWord() = default;
  ~SyncWord();
  SyncWord(const SyncWord&) = delete;
  SyncWord& operator=(const SyncWord&) = delete;

  uint64_t load() const;
  void store(uint64_t value) { payload()->value.store(value, std::memory_order_seq_cst); }

  // Binary semaphores count their signals, so that one more before an earlier one was consumed is not lost: a wait is
  // bound to the last signal that was submitted when it was submitted itself. A wait that no signal precedes, which
  // the specification forbids, is bound to one that has happened, and nobody waits for what cannot come.

  /// A signal that is now submitted.
  BoundSync bindSignal();
  /// A wait that is to be submitted. Once it is, the temporary payload goes (dropTemporary); the wait keeps it.
  BoundSync bindWait();
  /// Lets a bound signal happen.
  static void signal(const BoundSync& bound);

  // Timeline semaphores: waits for a value, and signals of one.
  BoundSync bindValue(uint64_t value);
  static void setValue(const BoundSync& bound) { bound.payload_->value.store(bound.value_, std::memory_order_seq_cst); }

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
    SyncPayload* payload = nullptr;
    int fd = -1;
    bool map(int descriptor);
    void reset();
  };
  friend struct TemporaryPayload;
  friend class BoundSync;
  SyncPayload* payload();
  const SyncPayload* payload() const { return const_cast<SyncWord*>(this)->payload(); }

  SyncPayload own_;
  Page page_;
  std::shared_ptr<TemporaryPayload> temporary_;
};

}  // namespace etzel::icd
