#include <gtest/gtest.h>

#include "compiler/opt/pass_test.h"

namespace etzel::opt {
namespace {

/// Text does not say which products the shader lets be changed.
void allowAll(isa::Program& program) {
  for (isa::Inst& inst : program.code) inst.contract = inst.op == isa::Opcode::FMul || inst.op == isa::Opcode::FAdd;
}

const std::string kSample = "texture r1.x, c0.w, r0.x, c0.w, #0x10\n";

TEST(ZeroProductsPass, ATexelTimesZeroIsTheZero) {
  expectPass("zero-products", kSample + "fmul.f32 r2.x, r1.x, c0.x\nfmul.f32 r2.y, c0.x, r1.w\n",
             kSample + "xmov r2.x, c0.x\nxmov r2.y, c0.x\n", allowAll);
}

TEST(ZeroProductsPass, TheZeroKeepsItsSign) {
  const std::string constants = ".const 0x80000000 0 0 0\n";
  expectPass("zero-products", constants + kSample + "fmul.f32 r2.x, r1.x, c0.x\n",
             constants + kSample + "xmov r2.x, c0.x\n", allowAll);
}

TEST(ZeroProductsPass, FetchedTexelsAreTexels) {
  const std::string fetch = "texture r1.x, c0.w, r0.x, -, #0x811\n";
  expectPass("zero-products", fetch + "fmul.f32 r2.x, r1.z, c0.x\n", fetch + "xmov r2.x, c0.x\n", allowAll);
}

TEST(ZeroProductsPass, OtherFactorsAndOtherConstantsStay) {
  const std::string text = kSample +
                           "fmul.f32 r2.x, r1.x, c0.y\n"
                           "fmul.f32 r2.y, r0.x, c0.x\n"
                           "fmul.f32 r2.z, r2.x, c0.x\n"
                           "fadd.f32 r2.w, r1.x, c0.x\n";
  expectPass("zero-products", text, text, allowAll);
}

TEST(ZeroProductsPass, WordsThatSomethingElseIsWrittenToStay) {
  const std::string text = kSample + "xmov r1.x, r0.x\nfmul.f32 r2.x, r1.x, c0.x\n";
  expectPass("zero-products", text, text, allowAll);
}

TEST(ZeroProductsPass, IntegersThatAreTakenForFloatsStay) {
  const std::string text = "texture r1.x, c0.w, r0.x, -, #0x100811\nfmul.f32 r2.x, r1.x, c0.x\n";
  expectPass("zero-products", text, text, allowAll);
}

TEST(ZeroProductsPass, NaNsOfAShaderThatAsksForThemStay) {
  const std::string text = kSample + "fmul.f32 r2.x, r1.x, c0.x\n";
  expectPass("zero-products", text, text);
}

}  // namespace
}  // namespace etzel::opt
