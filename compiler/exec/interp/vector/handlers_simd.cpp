// All vector handlers of a target.
#include "compiler/exec/interp/vector/finders.h"

namespace etzel::interp::ETZEL_TARGET {
namespace {

Handler find(const isa::Inst& inst) {
  for (const auto finder : {laneHandler, arithmeticHandler, integerHandler, memoryHandler, convertHandler,
                            descriptorHandler, subgroupHandler, productHandler, atomicHandler})
    if (const Handler handler = finder(inst)) return handler;
  return nullptr;
}

}  // namespace

const VectorHandlers kHandlers = {find, blend, moveMany};

}  // namespace etzel::interp::ETZEL_TARGET
