// Operands name words that a program has, in every instruction and every form of it: executors look at the first word
// of what is present, so nothing may be where a form takes none.
#include <gtest/gtest.h>

#include "compiler/isa/info.h"
#include "compiler/isa/verify.h"

namespace etzel::isa {
namespace {

constexpr uint32_t kWords = 64, kSubOperations = 32;

/// A program of one instruction, whose operand `which` (3: the destination) is as given, and the others are registers.
Program programOf(Opcode op, Type type, uint32_t sub, abi::Stage stage, uint32_t which, Operand operand) {
  Program p;
  p.info.stage = stage;
  p.tempWords = kWords;
  Inst inst;
  inst.op = op, inst.type = type, inst.sub = uint8_t(sub);
  const OpInfo& info = opInfo(inst);
  for (uint32_t i = 0; i < info.srcCount; ++i) inst.src[i] = temp(8 * i);
  if (info.dst != OperandShape::None) inst.dst = temp(24);
  (which == 3 ? inst.dst : inst.src[which]) = operand;
  Inst end;
  end.op = Opcode::Ret;
  p.code = {inst, end};
  return p;
}

TEST(VerifyOperands, LieInsideOfTheirBank) {
  uint32_t accepted = 0;
  for (uint32_t code = 0; code < 256; ++code) {
    const Opcode op = Opcode(code);
    Inst any;
    any.op = op;
    if (!isExtension(op) || !opInfo(any).extension) continue;
    for (uint32_t type = 0; type < kTypeCount; ++type)
      for (uint32_t sub = 0; sub < kSubOperations; ++sub)
        for (const abi::Stage stage : {abi::Stage::Compute, abi::Stage::Fragment, abi::Stage::TessControl})
          for (uint32_t which = 0; which < 4; ++which) {
            const auto verified = [&](Operand o) {
              return verify(programOf(op, Type(type), sub, stage, which, o), VerifyMode::RealRegisters).ok();
            };
            accepted += verified(temp(0));
            EXPECT_FALSE(verified(temp(kWords))) << code << " type " << type << " sub " << sub << " operand " << which;
          }
  }
  EXPECT_GT(accepted, 1000u);  // or the operands would not be what is refused
}

}  // namespace
}  // namespace etzel::isa
