// Hosts without a generator: kernels are interpreted until LLVM has compiled them.
#include "compiler/exec/quick/host.h"

namespace etzel::quick {

Generate hostGenerator() { return nullptr; }

}  // namespace etzel::quick
