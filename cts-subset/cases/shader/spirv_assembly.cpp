// Assembled modules: instructions that GLSL cannot make.
#include <algorithm>
#include <cmath>

#include "cts-subset/cases/groups.h"
#include "cts-subset/cases/shader/spirv_words.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

using U = uint32_t;
struct Instruction {
  const char* name;
  const char* body;  ///< from %x and %y (uints), %fx and %fy (the same bits as floats) to %r, a uint
  U (*want)(U, U);
  bool floats;  ///< operands are floats, with NaN and infinities
};
float asFloat(U u) {
  float f;
  memcpy(&f, &u, 4);
  return f;
}
#define I(...)             \
  [](U x, U y) -> U {      \
    (void)x, (void)y;      \
    return U(__VA_ARGS__); \
  }
#define ORDERED(op) I(asFloat(x) op asFloat(y))
#define UNORDERED(op) I(std::isnan(asFloat(x)) || std::isnan(asFloat(y)) || asFloat(x) op asFloat(y))
#define COMPARE(name) "%b = " name " %bool %fx %fy\n%r = OpSelect %uint %b %c1 %c0\n"
const Instruction instructions[] = {
    {"srem", "%a = OpBitcast %int %x\n%q = OpSRem %int %a %c7\n%r = OpBitcast %uint %q\n", I(int32_t(x) % 7), false},
    {"smod", "%a = OpBitcast %int %x\n%q = OpSMod %int %a %c7\n%r = OpBitcast %uint %q\n",
     I(((int32_t(x) % 7) + 7) % 7), false},
    {"smod_negative", "%a = OpBitcast %int %x\n%q = OpSMod %int %a %cm7\n%r = OpBitcast %uint %q\n", I(([](int32_t a) {
       int32_t m = a % -7;
       return m > 0 ? m - 7 : m;
     })(int32_t(x))),
     false},
    {"signed_add_of_unsigned", "%q = OpIAdd %int %x %y\n%r = OpBitcast %uint %q\n", I(x + y), false},
    {"arithmetic_shift_of_unsigned", "%r = OpShiftRightArithmetic %uint %x %c3\n", I(int32_t(x) >> 3), false},
    {"logical_shift_of_signed",
     "%a = OpBitcast %int %x\n%q = OpShiftRightLogical %int %a %c3\n%r = OpBitcast %uint %q\n", I(x >> 3), false},
    {"copy_object", "%q = OpCopyObject %uint %x\n%r = OpIAdd %uint %q %y\n", I(x + y), false},
    {"vector_shuffle",
     "%v = OpCompositeConstruct %uvec2 %x %y\n%w = OpVectorShuffle %uvec4 %v %v 3 0 2 1\n%e = OpCompositeExtract %uint "
     "%w 0\n%f = OpCompositeExtract %uint %w 2\n%r = OpISub %uint %e %f\n",
     I(y - x), false},
    {"vector_shuffle_undefined",
     "%v = OpCompositeConstruct %uvec2 %x %y\n%w = OpVectorShuffle %uvec4 %v %v 0xFFFFFFFF 1 0xFFFFFFFF 2\n%e = "
     "OpCompositeExtract %uint %w 1\n%f = OpCompositeExtract %uint %w 3\n%r = OpBitwiseXor %uint %e %f\n",
     I(x ^ y), false},
    {"composite_insert",
     "%v = OpCompositeConstruct %uvec4 %x %x %x %x\n%w = OpCompositeInsert %uvec4 %y %v 2\n%e = OpCompositeExtract "
     "%uint %w 2\n%f = OpCompositeExtract %uint %w 3\n%r = OpIAdd %uint %e %f\n",
     I(x + y), false},
    {"vector_insert_dynamic",
     "%v = OpCompositeConstruct %uvec4 %x %x %x %x\n%k = OpBitwiseAnd %uint %y %c3\n%w = OpVectorInsertDynamic %uvec4 "
     "%v %y %k\n%r = OpVectorExtractDynamic %uint %w %k\n",
     I(y), false},
    {"mul_extended_struct", "%q = OpUMulExtended %pair %x %y\n%r = OpCompositeExtract %uint %q 1\n",
     I(uint64_t(x) * y >> 32), false},
    {"bitwise_select", "%b = OpULessThan %bool %x %y\n%nb = OpLogicalNot %bool %b\n%r = OpSelect %uint %nb %x %y\n",
     I(x < y ? y : x), false},
    {"logical_equal",
     "%p = OpULessThan %bool %x %y\n%q = OpSLessThan %bool %x %y\n%b = OpLogicalEqual %bool %p %q\n%r = OpSelect %uint "
     "%b %c1 %c0\n",
     I((x < y) == (int32_t(x) < int32_t(y))), false},
    {"ford_equal", COMPARE("OpFOrdEqual"), ORDERED(==), true},
    {"ford_not_equal", COMPARE("OpFOrdNotEqual"),
     I(!std::isnan(asFloat(x)) && !std::isnan(asFloat(y)) && asFloat(x) != asFloat(y)), true},
    {"ford_less", COMPARE("OpFOrdLessThan"), ORDERED(<), true},
    {"ford_less_equal", COMPARE("OpFOrdLessThanEqual"), ORDERED(<=), true},
    {"ford_greater", COMPARE("OpFOrdGreaterThan"), ORDERED(>), true},
    {"ford_greater_equal", COMPARE("OpFOrdGreaterThanEqual"), ORDERED(>=), true},
    {"funord_equal", COMPARE("OpFUnordEqual"), UNORDERED(==), true},
    {"funord_not_equal", COMPARE("OpFUnordNotEqual"), UNORDERED(!=), true},
    {"funord_less", COMPARE("OpFUnordLessThan"), UNORDERED(<), true},
    {"funord_less_equal", COMPARE("OpFUnordLessThanEqual"), UNORDERED(<=), true},
    {"funord_greater", COMPARE("OpFUnordGreaterThan"), UNORDERED(>), true},
    {"funord_greater_equal", COMPARE("OpFUnordGreaterThanEqual"), UNORDERED(>=), true},
    // Which NaN comes of infinities is the host's choice: 0 stands for all of them.
    {"frem",
     "%q = OpFRem %float %fx %cf4\n%nan = OpIsNan %bool %q\n%bits = OpBitcast %uint %q\n"
     "%r = OpSelect %uint %nan %c0 %bits\n",
     nullptr, true},
    {"phi_loop",
     "OpBranch %head\n%head = OpLabel\n%i = OpPhi %uint %c0 %begin %i2 %more\n%s = OpPhi %uint %x %begin %s2 "
     "%more\nOpLoopMerge %end %more None\nOpBranch %test\n%test = OpLabel\n%go = OpULessThan %bool %i "
     "%c7u\nOpBranchConditional %go %more %end\n%more = OpLabel\n%t = OpIMul %uint %s %c3\n%s2 = OpIAdd %uint %t "
     "%y\n%i2 = OpIAdd %uint %i %c1\nOpBranch %head\n%end = OpLabel\n%r = OpCopyObject %uint %s\n",
     I(([](U s, U b) {
       for (int i = 0; i < 7; ++i) s = s * 3 + b;
       return s;
     })(x, y)),
     false},
    {"phi_swap",
     "OpBranch %head\n%head = OpLabel\n%i = OpPhi %uint %c0 %begin %i2 %more\n%p = OpPhi %uint %x %begin %q %more\n%q "
     "= OpPhi %uint %y %begin %p %more\nOpLoopMerge %end %more None\nOpBranch %test\n%test = OpLabel\n%go = "
     "OpULessThan %bool %i %c7u\nOpBranchConditional %go %more %end\n%more = OpLabel\n%i2 = OpIAdd %uint %i "
     "%c1\nOpBranch %head\n%end = OpLabel\n%r = OpISub %uint %p %q\n",
     I(y - x), false},
};
#undef I

void run(Gpu& gpu, const Instruction& instruction) {
  requireSignedRemainders(gpu, instruction.body);
  std::string module = std::string(R"(OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %A %B %R
OpExecutionMode %main LocalSize 64 1 1
)") + kStorageOfWords + R"(%c7u = OpConstant %uint 7
%c7 = OpConstant %int 7
%cm7 = OpConstant %int -7
%cf4 = OpConstant %float 4
%main = OpFunction %void None %fn
%begin = OpLabel
%ids = OpLoad %uvec3 %id
%n = OpCompositeExtract %uint %ids 0
%pa = OpAccessChain %puint %A %c0 %n
%x = OpLoad %uint %pa
%pb = OpAccessChain %puint %B %c0 %n
%y = OpLoad %uint %pb
%fx = OpBitcast %float %x
%fy = OpBitcast %float %y
)" + instruction.body + "%pr = OpAccessChain %puint %R %c0 %n\nOpStore %pr %r\nOpReturn\nOpFunctionEnd\n";
  const uint32_t n = 256;
  std::vector<U> a(n), b(n);
  Random random(41);
  const U special[] = {0, 0x80000000u, 0x3f800000u, 0xbf800000u, 0x7f800000u, 0xff800000u, 0x7fc00000u, 0x40490fdbu};
  for (uint32_t i = 0; i < n; ++i) {
    a[i] = instruction.floats && i < 64 ? special[i % 8] : random.next();
    b[i] = instruction.floats && i < 64 ? special[i / 8] : random.next();
    if (instruction.floats && i >= 64)
      for (U* v : {&a[i], &b[i]}) {
        float f = random.range(-50, 50);
        memcpy(v, &f, 4);
      }
  }
  Buffer A = gpu.buffer(a), B = gpu.buffer(b), R = gpu.buffer(n * 4);
  Dispatch d;
  d.module = gpu.assemble(module);
  d.bindings = {storage(A), storage(B), storage(R)};
  d.x = n / 64;
  gpu.dispatch(d);
  for (uint32_t i = 0; i < n; ++i) {
    U got = R.as<U>()[i];
    if (instruction.want) {
      ASSERT_EQ(got, instruction.want(a[i], b[i])) << text("%s of %08x, %08x", instruction.name, a[i], b[i]);
    } else if (std::isfinite(asFloat(a[i]))) {
      ASSERT_NEAR(asFloat(got), std::fmod(asFloat(a[i]), 4.0f), 1e-5) << asFloat(a[i]);
    }
  }
}

}  // namespace

void registerSpirvAssembly() {
  for (auto& i : instructions) add(text("spirv.assembly.%s", i.name), [&i](Gpu& gpu) { run(gpu, i); });
}

}  // namespace etzel::cts
