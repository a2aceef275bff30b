// Who finds vector handlers, one function per file that is compiled per target: the handler of an instruction, or null
// where the file has none.
#pragma once

#include "compiler/exec/interp/frame.h"
#include "runtime/simd/target.h"

namespace etzel::interp::ETZEL_TARGET {

Handler laneHandler(const isa::Inst& inst);
Handler arithmeticHandler(const isa::Inst& inst);
Handler integerHandler(const isa::Inst& inst);
Handler memoryHandler(const isa::Inst& inst);
Handler convertHandler(const isa::Inst& inst);
Handler descriptorHandler(const isa::Inst& inst);
Handler subgroupHandler(const isa::Inst& inst);
Handler productHandler(const isa::Inst& inst);
Handler atomicHandler(const isa::Inst& inst);

const Op* moveMany(const Op* op, Frame& f);  ///< VectorHandlers::copy
const Op* blend(const Op* op, Frame& f);     ///< VectorHandlers::blend

}  // namespace etzel::interp::ETZEL_TARGET
