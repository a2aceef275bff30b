#include <gtest/gtest.h>

#include "compiler/opt/pass_test.h"

namespace etzel::opt {
namespace {

/// Text does not say which instructions may be fused.
void allowAll(isa::Program& program) {
  for (isa::Inst& inst : program.code)
    inst.contract = inst.op == isa::Opcode::FMul || inst.op == isa::Opcode::FAdd || inst.op == isa::Opcode::FSub;
}

TEST(ContractPass, AProductThatOneSumReadsIsFusedWithIt) {
  expectPass("contract",
             "fmul.f32 r0.x, r1.x, r1.y\n"
             "fadd.f32 r0.y, r0.x, r1.z\n",
             "fmul.f32 r0.x, r1.x, r1.y\n"  // dead now
             "ffma.f32 r0.y, r1.x, r1.y, r1.z\n",
             allowAll);
}

TEST(ContractPass, DifferencesNegateAFactorOrTheOtherOperand) {
  expectPass("contract",
             "fmul.f32 r0.x, r1.x, r1.y\n"
             "fsub.f32 r0.y, r1.z, r0.x\n"
             "fmul.f32 r2.x, r1.x, r1.y\n"
             "fsub.f32 r2.y, r2.x, r1.z\n",
             "fmul.f32 r0.x, r1.x, r1.y\n"
             "fneg.f32 r3.x, r1.x\n"
             "ffma.f32 r0.y, r3.x, r1.y, r1.z\n"
             "fmul.f32 r2.x, r1.x, r1.y\n"
             "fneg.f32 r3.y, r1.z\n"
             "ffma.f32 r2.y, r1.x, r1.y, r3.y\n",
             allowAll);
}

TEST(ContractPass, AProductThatTwoReadStays) {
  const std::string text = "fmul.f32 r0.x, r1.x, r1.y\nfadd.f32 r0.y, r0.x, r1.z\nfadd.f32 r0.z, r0.x, r1.w\n";
  expectPass("contract", text, text, allowAll);
}

TEST(ContractPass, NothingIsFusedWhereTheShaderDoesNotAllowIt) {
  const std::string text = "fmul.f32 r0.x, r1.x, r1.y\nfadd.f32 r0.y, r0.x, r1.z\n";
  expectPass("contract", text, text);
}

}  // namespace
}  // namespace etzel::opt
