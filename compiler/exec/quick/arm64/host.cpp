// Quick code for AArch64.
#include "compiler/exec/quick/host.h"

#include "compiler/exec/quick/arm64/generator.h"

namespace etzel::quick {

Generate hostGenerator() { return arm64::generate; }

}  // namespace etzel::quick
