// Worker threads that share loops. A loop's iterations run on the calling thread too, so a pool of size 1 has no
// threads at all, and work that is smaller than a wake-up (about 40 us) should simply not be split by the caller.
#pragma once

#include <functional>
#include <memory>

#include "runtime/base/types.h"

namespace etzel::task {

class Pool {
 public:
  /// `threads` counts the calling thread; 0 asks for $ETZEL_THREADS, or one per CPU that this process may use
  /// (cpus.h). The
  /// threads are started by the first loop that needs them.
  explicit Pool(uint32_t threads = 0);
  ~Pool();  ///< joins the workers
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  uint32_t threads() const;

  /// Runs body(i, worker) for every i in [0, count), in any order, and returns when all are done. `worker` is a
  /// number below threads(), different for bodies that run at the same time, those of other loops included. May be
  /// called from several threads at once (one loop per queue): the first caller takes part as worker 0, the others
  /// leave their loops to the workers. Inside a body it runs on the body's own thread. A body that throws ends the
  /// loop: nothing else of it begins, and the caller gets the exception when all that runs has ended.
  void parallelFor(uint32_t count, const std::function<void(uint32_t index, uint32_t worker)>& body);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace etzel::task
