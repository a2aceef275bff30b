// The vector handlers for any x86-64.
#include "compiler/exec/interp/vector/handlers_prelude.h"

#define ETZEL_SIMD baseline
#include "compiler/exec/interp/vector/handlers.inc"

namespace etzel::interp {
HandlerGroups baselineHandlers() { return baseline::kGroups; }
}  // namespace etzel::interp
