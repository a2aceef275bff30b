#include "compiler/exec/interp/evaluate.h"

#include "compiler/exec/interp/frame.h"
#include "compiler/exec/interp/interp.h"

namespace etzel::interp {
namespace {

Handler findHandler(const isa::Inst& inst) {
  if (!canEvaluate(inst.op)) return nullptr;
  const Handler handler = vectorHandlers(simd::target()).find(inst);
  return handler ? handler : mathHandler(inst);
}

}  // namespace

bool canEvaluate(isa::Opcode op) { return op == isa::Opcode::Sel || isa::isArithmetic(op); }

bool evaluate(const isa::Inst& inst, const uint32_t (*sources)[kEvaluateWords], uint32_t* result) {
  const Handler handler = findHandler(inst);
  const uint32_t words = isa::dstWords(inst);
  if (!handler || words > kEvaluateWords) return false;
  Frame f;
  LaneWords constants[3 * kEvaluateWords] = {};
  Op op{};
  for (uint32_t i = 0; i < 3; ++i) {
    op.src[i] = location(Home::Constant, i * kEvaluateWords);
    if (!inst.src[i].present()) continue;
    for (uint32_t w = 0; w < isa::srcWords(inst, i); ++w)
      for (uint32_t& lane : constants[i * kEvaluateWords + w].lane) lane = sources[i][w];
  }
  f.base[static_cast<uint32_t>(Home::Constant)] = reinterpret_cast<std::byte*>(constants);
  f.base[static_cast<uint32_t>(Home::Result)] = reinterpret_cast<std::byte*>(f.result);
  f.exec = kAllLanes;
  op.dst = location(Home::Result, 0);
  op.imm = inst.imm, op.sub = inst.sub, op.type = inst.type, op.count = inst.count;
  handler(&op, f);
  for (uint32_t w = 0; w < words; ++w) result[w] = f.result[w].lane[0];
  return true;
}

}  // namespace etzel::interp
