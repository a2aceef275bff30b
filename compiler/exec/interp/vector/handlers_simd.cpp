// All groups of vector handlers, once per target.
#include "compiler/exec/interp/vector/groups.h"

namespace etzel::interp::ETZEL_TARGET {
namespace {

Handler find(const isa::Inst& inst) {
  for (const auto group : {laneHandler, arithmeticHandler, integerHandler, memoryHandler, convertHandler,
                           descriptorHandler, subgroupHandler, atomicHandler})
    if (const Handler handler = group(inst)) return handler;
  return nullptr;
}

}  // namespace

const VectorHandlers kHandlers = {find, blend, moveMany};

}  // namespace etzel::interp::ETZEL_TARGET
