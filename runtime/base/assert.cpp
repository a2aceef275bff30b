#include "runtime/base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace etzel {

void contractBroken(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: broken contract: %s\n", file, line, condition);
  std::abort();
}

}  // namespace etzel
