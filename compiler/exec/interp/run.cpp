// Runs decoded code for one warp.
#include "compiler/exec/interp/execute.h"

namespace etzel::interp {

abi::WarpStatus run(const void* code, abi::Warp* warp) {
  return execute(code, warp, [](const Op* op, Frame& f) {
    do op = op->handler(op, f);
    while (op);
  });
}

abi::WarpStatus runTraced(const void* code, abi::Warp* warp, TraceStep step, void* user) {
  return execute(code, warp, [&](const Op* op, Frame& f) {
    const Code& c = *f.code;
    while (op) {
      const uint32_t inst = c.instOf[static_cast<size_t>(op - c.ops.data())];
      const LaneMask lanes = f.exec;
      op = op->handler(op, f);
      // A masked instruction is two Ops: it is over when the next one is not the second.
      const size_t next = op ? static_cast<size_t>(op - c.ops.data()) : 0;
      if (next > 0 && c.instOf[next] == inst && c.instOf[next - 1] == inst) continue;
      if (inst < c.instCount) step(user, inst, lanes, warp);
    }
  });
}

}  // namespace etzel::interp
