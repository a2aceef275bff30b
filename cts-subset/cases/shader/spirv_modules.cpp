// More assembled modules: control flow, functions, constants, structures and words of SPIR-V that GLSL has no way to
// say. Each computes r from x and y (uints) in 256 invocations.
#include <cmath>

#include "cts-subset/cases/groups.h"
#include "cts-subset/cases/shader/hlsl_strings.h"
#include "cts-subset/cases/shader/spirv_words.h"
#include "cts-subset/support/draw.h"
#include "cts-subset/support/half.h"

namespace etzel::cts {
namespace {

using U = uint32_t;

/// What a module needs beside words of 32 bits.
struct Needs {
  const char* capabilities = "";  ///< and extensions
  const char* variables = "";     ///< further ones of its interface
  const char* modes = "";         ///< further ones of its entry point
  bool (*has)(const Gpu&) = nullptr;
  const char* what = "";  ///< that is
};
Needs pointersTo(const char* variables) {
  return {"OpCapability VariablePointers\n", variables, "",
          [](const Gpu& gpu) { return gpu.features11.variablePointers != 0; }, "variablePointers"};
}
const Needs kNan = {"OpCapability SignedZeroInfNanPreserve\nOpExtension \"SPV_KHR_float_controls\"\n", "",
                    "OpExecutionMode %main SignedZeroInfNanPreserve 32\n",
                    [](const Gpu& gpu) { return gpu.properties12.shaderSignedZeroInfNanPreserveFloat32 != 0; },
                    "NaN is kept"};
const Needs kPrivate = {"", " %pv"};

/// Results that are not exact: how far off they may be, infinity where they may be anything.
double exact(U, U) { return 0; }
/// "x - y * floor(x / y)", whose quotient is not exact: multiples of 7 may be on either side of a whole number.
double remainderOfSeven(U x, U) { return (int32_t(x & 0xffff) - 0x8000) % 7 == 0 ? INFINITY : 1; }
/// Quantizing may round or cut.
double quantized(U, U want) { return want / 1024.0; }

struct Module {
  const char* name;
  const char* types;      ///< declarations
  const char* body;       ///< from %x and %y to %r, beginning in the block %begin
  const char* functions;  ///< further ones
  U (*want)(U, U);
  Needs needs = {};
  double (*slack)(U x, U want) = exact;
};
#define WANT(...)          \
  [](U x, U y) -> U {      \
    (void)x, (void)y;      \
    return U(__VA_ARGS__); \
  }

const Module modules[] = {
    {"switch_fallthrough", "",
     "%k = OpBitwiseAnd %uint %x %c3\nOpSelectionMerge %end None\nOpSwitch %k %other 0 %zero 1 %one 2 %two\n"
     "%zero = OpLabel\n%z = OpIAdd %uint %y %c1\nOpBranch %one\n%one = OpLabel\n%o = OpPhi %uint %z %zero %y "
     "%begin\n%o2 = OpIMul %uint %o %c3\nOpBranch %two\n"
     "%two = OpLabel\n%t = OpPhi %uint %o2 %one %x %begin\n%t2 = OpBitwiseXor %uint %t %c7\nOpBranch %end\n"
     "%other = OpLabel\nOpBranch %end\n%end = OpLabel\n%r = OpPhi %uint %t2 %two %y %other\n",
     "", WANT([](U a, U b) {
       switch (a & 3) {
         case 0: return ((b + 1) * 3) ^ 7;
         case 1: return (b * 3) ^ 7;
         case 2: return a ^ 7;
         default: return b;
       }
     }(x, y))},
    {"switch_negative_literal", "",
     "%a = OpBitcast %int %x\n%q = OpSRem %int %a %ci2\nOpSelectionMerge %end None\nOpSwitch %q %other -1 %minus 1 "
     "%plus\n"
     "%minus = OpLabel\nOpBranch %end\n%plus = OpLabel\nOpBranch %end\n%other = OpLabel\nOpBranch %end\n%end = "
     "OpLabel\n%r = OpPhi %uint %c1 %minus %c3 %plus %c7 %other\n",
     "",
     WANT(int32_t(x) % 2 == -1  ? 1
          : int32_t(x) % 2 == 1 ? 3
                                : 7)},
    {"unreachable_default", "",
     "%k = OpBitwiseAnd %uint %x %c1\nOpSelectionMerge %end None\nOpSwitch %k %never 0 %even 1 %odd\n%even = "
     "OpLabel\nOpBranch %end\n%odd = OpLabel\nOpBranch %end\n"
     "%never = OpLabel\nOpUnreachable\n%end = OpLabel\n%r = OpPhi %uint %y %even %x %odd\n",
     "", WANT(x & 1 ? x : y)},
    {"nested_loops_break_outer", "",
     "OpBranch %oh\n%oh = OpLabel\n%i = OpPhi %uint %c0 %begin %i2 %oc\n%s = OpPhi %uint %y %begin %s3 "
     "%oc\nOpLoopMerge %oe %oc DontUnroll\nOpBranch %ot\n"
     "%ot = OpLabel\n%og = OpULessThan %bool %i %c7\nOpBranchConditional %og %ob %oe\n%ob = OpLabel\nOpBranch %ih\n"
     "%ih = OpLabel\n%j = OpPhi %uint %c0 %ob %j2 %ic\n%u = OpPhi %uint %s %ob %u2 %ic\nOpLoopMerge %ie %ic "
     "None\nOpBranch %it\n"
     "%it = OpLabel\n%ig = OpULessThan %bool %j %c3\nOpBranchConditional %ig %ic %ie\n%ic = OpLabel\n%m = OpIMul %uint "
     "%u %c3\n%u2 = OpIAdd %uint %m %j\n%j2 = OpIAdd %uint %j %c1\nOpBranch %ih\n"
     "%ie = OpLabel\n%bit = OpBitwiseAnd %uint %u %c7\n%stop = OpIEqual %bool %bit %c3\nOpSelectionMerge %go "
     "None\nOpBranchConditional %stop %leave %go\n%leave = OpLabel\nOpBranch %oe\n"
     "%go = OpLabel\nOpBranch %oc\n%oc = OpLabel\n%s3 = OpBitwiseXor %uint %u %x\n%i2 = OpIAdd %uint %i %c1\nOpBranch "
     "%oh\n%oe = OpLabel\n%r = OpPhi %uint %s %ot %u %leave\n",
     "", WANT([](U a, U b) {
       U s = b;
       for (U i = 0; i < 7; ++i) {
         U u = s;
         for (U j = 0; j < 3; ++j) u = u * 3 + j;
         if ((u & 7) == 3) return u;
         s = u ^ a;
       }
       return s;
     }(x, y))},
    {"early_return_of_function", "%ufn = OpTypeFunction %uint %uint %uint\n",
     "%r = OpFunctionCall %uint %helper %x %y\n",
     "%helper = OpFunction %uint Pure %ufn\n%p = OpFunctionParameter %uint\n%q = OpFunctionParameter %uint\n%hb = "
     "OpLabel\n%less = OpULessThan %bool %p %q\nOpSelectionMerge %he None\n"
     "OpBranchConditional %less %hl %he\n%hl = OpLabel\n%d = OpISub %uint %q %p\nOpReturnValue %d\n%he = OpLabel\n%d2 "
     "= OpIAdd %uint %q %p\nOpReturnValue %d2\nOpFunctionEnd\n",
     WANT(x < y ? y - x : x + y)},
    {"pointer_parameters", "%sfn = OpTypeFunction %void %pfun %pfun\n",
     "OpStore %va %x\nOpStore %vb %y\n%none = OpFunctionCall %void %swap %va %vb\n%la = OpLoad %uint %va\n%lb = OpLoad "
     "%uint %vb\n%r = OpISub %uint %la %lb\n",
     "%swap = OpFunction %void None %sfn\n%p = OpFunctionParameter %pfun\n%q = OpFunctionParameter %pfun\n%sb = "
     "OpLabel\n%pv = OpLoad %uint %p\n%qv = OpLoad %uint %q\nOpStore %p %qv\nOpStore %q %pv\nOpReturn\nOpFunctionEnd\n",
     WANT(y - x)},
    {"spec_constant_op",
     "%sc = OpSpecConstant %uint 12\n%sum = OpSpecConstantOp %uint IAdd %sc %c7\n%neg = OpSpecConstantOp %uint Not "
     "%sum\n%sel = OpSpecConstantTrue %bool\n%pick = OpSpecConstantOp %uint Select %sel %sum %neg\n",
     "%a = OpIMul %uint %x %pick\n%r = OpBitwiseXor %uint %a %neg\n", "", WANT((x * 19) ^ ~19u)},
    {"spec_composite",
     "%sa = OpSpecConstant %uint 5\n%sb = OpSpecConstant %uint 9\n%svec = OpSpecConstantComposite %uvec2 %sa %sb\n%sx "
     "= OpSpecConstantOp %uint CompositeExtract %svec 1\n",
     "%a = OpCompositeConstruct %uvec2 %x %y\n%b = OpIMul %uvec2 %a %svec\n%e = OpCompositeExtract %uint %b 0\n%f = "
     "OpCompositeExtract %uint %b 1\n%g = OpIAdd %uint %e %f\n%r = OpIAdd %uint %g %sx\n",
     "", WANT(x * 5 + y * 9 + 9)},
    {"copy_logical", "%sta = OpTypeStruct %uint %uvec2\n%stb = OpTypeStruct %uint %uvec2\n",
     "%v = OpCompositeConstruct %uvec2 %y %x\n%s = OpCompositeConstruct %sta %x %v\n%t = OpCopyLogical %stb %s\n%e = "
     "OpCompositeExtract %uint %t 1 0\n%f = OpCompositeExtract %uint %t 0\n%r = OpISub %uint %e %f\n",
     "", WANT(y - x)},
    {"select_of_composites", "%stc = OpTypeStruct %uint %uint\n",
     "%p = OpCompositeConstruct %stc %x %y\n%q = OpCompositeConstruct %stc %y %c7\n%less = OpULessThan %bool %x %y\n%s "
     "= OpSelect %stc %less %p %q\n%e = OpCompositeExtract %uint %s 0\n%f = OpCompositeExtract %uint %s 1\n%r = OpIAdd "
     "%uint %e %f\n",
     "", WANT(x < y ? x + y : y + 7)},
    {"select_by_vector", "%bvec2 = OpTypeVector %bool 2\n",
     "%p = OpCompositeConstruct %uvec2 %x %y\n%q = OpCompositeConstruct %uvec2 %y %x\n%less = OpULessThan %bvec2 %p "
     "%q\n%s = OpSelect %uvec2 %less %p %q\n%e = OpCompositeExtract %uint %s 0\n%r = OpISub %uint %e %c1\n",
     "", WANT((x < y ? x : y) - 1)},
    {"carry_and_borrow", "",
     "%p = OpIAddCarry %pair %x %y\n%q = OpISubBorrow %pair %x %y\n%c = OpCompositeExtract %uint %p 1\n%b = "
     "OpCompositeExtract %uint %q 1\n%b2 = OpShiftLeftLogical %uint %b %c1\n%r = OpBitwiseOr %uint %c %b2\n",
     "", WANT((uint64_t(x) + y > 0xffffffffull ? 1 : 0) | (x < y ? 2 : 0))},
    {"signed_mul_extended", "%ipair = OpTypeStruct %int %int\n",
     "%a = OpBitcast %int %x\n%b = OpBitcast %int %y\n%p = OpSMulExtended %ipair %a %b\n%h = OpCompositeExtract %int "
     "%p 1\n%r = OpBitcast %uint %h\n",
     "", WANT(uint64_t(int64_t(int32_t(x)) * int32_t(y)) >> 32)},
    {"bit_fields", "",
     "%a = OpBitFieldInsert %uint %x %y %c3 %c7\n%b = OpBitFieldUExtract %uint %a %c1 %c7\n%s = OpBitcast %int %a\n%e "
     "= OpBitFieldSExtract %int %s %c3 %c7\n%f = OpBitcast %uint %e\n%g = OpBitReverse %uint %b\n%h = OpBitCount %uint "
     "%f\n%i = OpIAdd %uint %g %h\n%r = OpBitwiseXor %uint %i %f\n",
     "", WANT([](U a, U b) {
       U v = (a & ~(127u << 3)) | (b & 127) << 3, e = v >> 1 & 127, rev = 0;
       int32_t f = int32_t(v << 22) >> 25;
       for (int i = 0; i < 32; ++i) rev |= (e >> i & 1) << (31 - i);
       return (rev + U(__builtin_popcount(U(f)))) ^ U(f);
     }(x, y))},
    {"quantize_to_f16",
     "",
     "%fx0 = OpConvertUToF %float %xs\n%fd = OpFDiv %float %fx0 %f16384\n%q = OpQuantizeToF16 %float %fd\n%m = OpFMul "
     "%float %q %f16384\n%r = OpConvertFToU %uint %m\n",
     "",
     WANT(float(Half(float(x & 0xffff) / 16384)) * 16384),
     {},
     quantized},
    {"matrix_outer_product", "%vec2 = OpTypeVector %float 2\n%mat2 = OpTypeMatrix %vec2 2\n",
     "%fa = OpConvertUToF %float %xl\n%fb = OpConvertUToF %float %yl\n%u = OpCompositeConstruct %vec2 %fa %fb\n%o = "
     "OpOuterProduct %mat2 %u %u\n%t = OpTranspose %mat2 %o\n%mv = OpMatrixTimesVector %vec2 %t %u\n%vm = "
     "OpVectorTimesMatrix %vec2 %u %o\n%sum = OpFAdd %vec2 %mv %vm\n%e = OpCompositeExtract %float %sum 1\n%r = "
     "OpConvertFToU %uint %e\n",
     "", WANT(2 * (y & 15) * ((x & 15) * (x & 15) + (y & 15) * (y & 15)))},
    {"private_with_initializer",
     "%ppu = OpTypePointer Private %uint\n%arr = OpTypeArray %uint %c3\n%init = OpConstantComposite %arr %c7 %c3 "
     "%c1\n%ppa = OpTypePointer Private %arr\n%pv = OpVariable %ppa Private %init\n",
     "%k = OpUMod %uint %x %c3\n%p = OpAccessChain %ppu %pv %k\n%l = OpLoad %uint %p\n%n2 = OpIAdd %uint %l "
     "%y\nOpStore %p %n2\n%w = OpLoad %arr %pv\n%e = OpCompositeExtract %uint %w 0\n%f = OpCompositeExtract %uint %w "
     "2\n%r = OpIAdd %uint %e %f\n",
     "", WANT(7 + 1 + (x % 3 != 1 ? y : 0)), kPrivate},
    {"undef_is_any_value", "%un = OpUndef %uint\n", "%a = OpBitwiseAnd %uint %un %c0\n%r = OpIAdd %uint %a %x\n", "",
     WANT(x)},
    {"nop_line_and_nothing", "", "OpNop\nOpLine %file 3 4\n%r = OpIAdd %uint %x %y\nOpNoLine\nOpNop\n", "",
     WANT(x + y)},
    {"fmod_of_negative",
     "",
     "%a = OpConvertSToF %float %xi\n%m = OpFMod %float %a %f7\n%q = OpFRem %float %a %f7\n%d = OpFSub %float %m "
     "%q\n%r = OpConvertFToU %uint %d\n",
     "",
     WANT([](int32_t a) {
       int m = ((a % 7) + 7) % 7, q = a % 7;
       return m - q;
     }(int32_t(x & 0xffff) - 0x8000)),
     {},
     remainderOfSeven},
    {"vector_extract_dynamic", "",
     "%v = OpCompositeConstruct %uvec4 %x %y %c7 %c3\n%k = OpBitwiseAnd %uint %y %c3\n%r = OpVectorExtractDynamic "
     "%uint %v %k\n",
     "",
     WANT((y & 3) == 0   ? x
          : (y & 3) == 1 ? y
          : (y & 3) == 2 ? 7
                         : 3)},
    {"null_of_workgroup",
     "%pw = OpTypePointer Workgroup %uint\n%wv = OpVariable %pw Workgroup\n%null = OpConstantNull %pw\n",
     "%same = OpPtrEqual %bool %wv %null\n%isNull = OpPtrEqual %bool %null %null\n%s = OpSelect %uint %same %c3 %x\n"
     "%r = OpSelect %uint %isNull %s %c7\n",
     "", WANT(x), pointersTo(" %wv")},
    {"null_in_structure",
     "%pw = OpTypePointer Workgroup %uint\n%wv = OpVariable %pw Workgroup\n%holder = OpTypeStruct %uint %pw\n"
     "%ppw = OpTypePointer Private %pw\n%pholder = OpTypePointer Private %holder\n%nothing = OpConstantNull %holder\n"
     "%pv = OpVariable %pholder Private %nothing\n",
     "%at = OpAccessChain %ppw %pv %c1\n%p = OpLoad %pw %at\n%same = OpPtrEqual %bool %wv %p\n"
     "%r = OpSelect %uint %same %c3 %x\n",
     "", WANT(x), pointersTo(" %wv %pv")},
    {"any_all_of_nan", "",
     "%nan = OpFDiv %float %f0 %f0\n%p = OpIsNan %bool %nan\n%q = OpFOrdEqual %bool %nan %nan\n%nq = OpLogicalNot "
     "%bool %q\n%b = OpLogicalAnd %bool %p %nq\n%r = OpSelect %uint %b %x %y\n",
     "", WANT(x), kNan},
};
#undef WANT

void run(Gpu& gpu, const Module& m) {
  requireSignedRemainders(gpu, m.body);
  if (m.needs.has) gpu.require(m.needs.has(gpu), m.needs.what);
  const std::string source = std::string("OpCapability Shader\n") + m.needs.capabilities +
                             "OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" %id %A %B %R" +
                             m.needs.variables + "\nOpExecutionMode %main LocalSize 64 1 1\n" + m.needs.modes +
                             R"(%file = OpString "module"
)" + kStorageOfWords + R"(%c7 = OpConstant %uint 7
%c15 = OpConstant %uint 15
%clow = OpConstant %uint 65535
%chalf = OpConstant %int 32768
%ci2 = OpConstant %int 2
%f0 = OpConstant %float 0
%f7 = OpConstant %float 7
%f16384 = OpConstant %float 16384
)" + m.types + R"(%main = OpFunction %void None %fn
%begin0 = OpLabel
%va = OpVariable %pfun Function
%vb = OpVariable %pfun Function
OpBranch %begin
%begin = OpLabel
%ids = OpLoad %uvec3 %id
%n = OpCompositeExtract %uint %ids 0
%pa = OpAccessChain %puint %A %c0 %n
%x = OpLoad %uint %pa
%pb = OpAccessChain %puint %B %c0 %n
%y = OpLoad %uint %pb
%xs = OpBitwiseAnd %uint %x %clow
%xl = OpBitwiseAnd %uint %x %c15
%yl = OpBitwiseAnd %uint %y %c15
%xsi = OpBitcast %int %xs
%xi = OpISub %int %xsi %chalf
)" + m.body + "%pr = OpAccessChain %puint %R %c0 %n\nOpStore %pr %r\nOpReturn\nOpFunctionEnd\n" +
                             m.functions;
  const U n = 256;
  std::vector<U> a(n), b(n);
  Random random(43);
  for (U i = 0; i < n; ++i) a[i] = random.next(), b[i] = i % 16 == 0 ? a[i] : random.next();
  Buffer A = gpu.buffer(a), B = gpu.buffer(b), R = gpu.buffer(n * 4);
  Dispatch d;
  d.module = gpu.assemble(source);
  d.bindings = {storage(A), storage(B), storage(R)};
  d.x = n / 64;
  gpu.dispatch(d);
  for (U i = 0; i < n; ++i) {
    U got = R.as<U>()[i], want = m.want(a[i], b[i]);
    ASSERT_NEAR(double(got), double(want), m.slack(a[i], want)) << text("%s of %08x, %08x", m.name, a[i], b[i]);
  }
}

}  // namespace

void registerSpirvModules() {
  for (auto& m : modules) add(text("spirv.module.%s", m.name), [&m](Gpu& gpu) { run(gpu, m); });
  addHlslStrings();
}

}  // namespace etzel::cts
