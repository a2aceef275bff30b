// Atomics on words of buffers and of shared memory.
#include <algorithm>
#include <set>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

struct Atomic {
  const char* name;
  const char* call;  ///< of memory m and operand v
  bool order;        ///< the final value depends on the order
};
const Atomic atomics[] = {{"add", "atomicAdd(m, v)", false},
                          {"min", "atomicMin(m, v)", false},
                          {"max", "atomicMax(m, v)", false},
                          {"and", "atomicAnd(m, v)", false},
                          {"or", "atomicOr(m, v)", false},
                          {"xor", "atomicXor(m, v)", false},
                          {"exchange", "atomicExchange(m, v)", true},
                          {"comp_swap", "atomicCompSwap(m, v, v + 1)", true}};

template <class T>
T applyAtomic(const std::string& name, T m, T v) {
  if (name == "add") return T(uint64_t(m) + uint64_t(v));
  if (name == "min") return std::min(m, v);
  if (name == "max") return std::max(m, v);
  if (name == "and") return m & v;
  if (name == "or") return m | v;
  if (name == "xor") return m ^ v;
  if (name == "exchange") return v;
  return m == v ? T(v + 1) : m;
}

/// Many invocations on one word; operands derive from the index.
template <class T>
void atomic(Gpu& gpu, const Atomic& a, const char* type, bool shared) {
  bool wide = sizeof(T) == 8;
  if (wide)
    gpu.require(gpu.features.features.shaderInt64 &&
                    (shared ? gpu.features12.shaderSharedInt64Atomics : gpu.features12.shaderBufferInt64Atomics),
                "64-bit atomics");
  Buffer out = gpu.buffer(8 + 256 * sizeof(T));
  std::string op = a.call;
  std::string source = "#version 450\n" +
                       std::string(wide ? "#extension GL_EXT_shader_atomic_int64 : require\n#extension "
                                          "GL_EXT_shader_explicit_arithmetic_types_int64 : require\n"
                                        : "") +
                       "#define T " + type +
                       "\nlayout(local_size_x=64) in;\nlayout(binding=0) buffer R { T total; T pad" +
                       (wide ? "[0+1]" : "") + "; T r[]; };\n";
  if (wide) source.replace(source.find(" T pad[0+1];"), 12, "");
  source += shared ? "shared T m;\n" : "#define m total\n";
  source += "void main() { uint i = gl_LocalInvocationIndex; T v = T(i * 37u % 64u) * T(1234567) - T(9000000);\n";
  if (a.name == std::string("comp_swap")) source += "v = T(i);\n";
  source += shared ? "if (i == 0u) m = T(0); barrier();\n" : "";
  source += "r[i] = " + op + ";\n";
  source += shared ? "barrier(); if (i == 0u) total = m;\n" : "";
  Dispatch d{source + "}\n"};
  d.bindings = {storage(out)};
  gpu.dispatch(d);
  std::vector<T> operands(64), before(out.as<T>() + (wide ? 1 : 2), out.as<T>() + (wide ? 65 : 66));
  for (uint32_t i = 0; i < 64; ++i)
    operands[i] = a.name == std::string("comp_swap") ? T(i) : T(uint64_t(i * 37u % 64u) * 1234567 - 9000000);
  T total = out.as<T>()[0];
  if (!a.order) {
    T want = 0;
    for (T v : operands) want = applyAtomic(a.name, want, v);
    EXPECT_EQ(total, want);
    if (a.name == std::string("add")) {
      // The values seen are the partial sums of some order: each value seen plus its operand is seen next, or is the
      // total.
      std::multiset<T> seen(before.begin(), before.end()), next;
      for (uint32_t i = 0; i < 64; ++i) next.insert(T(uint64_t(before[i]) + uint64_t(operands[i])));
      next.erase(next.find(total));
      next.insert(0);
      EXPECT_TRUE(seen == next) << "the returned values are not one order of additions";
    }
  } else if (a.name == std::string("exchange")) {
    std::multiset<T> seen(before.begin(), before.end()), given(operands.begin(), operands.end());
    given.insert(0);
    seen.insert(total);
    EXPECT_TRUE(seen == given) << "each value is handed on exactly once";
  } else {
    // Invocation i turns i into i + 1: whoever succeeded returned its own index, and these are 0 … total - 1.
    EXPECT_GE(total, T(1));
    for (uint32_t i = 0; i < 64; ++i) {
      EXPECT_LE(before[i], total);
      EXPECT_EQ(before[i] == T(i), T(i) < total) << i;
    }
  }
}

}  // namespace

void registerAtomics() {
  for (auto& a : atomics)
    for (bool shared : {false, true}) {
      const char* place = shared ? "shared" : "buffer";
      add(text("compute.atomic.%s.uint.%s", place, a.name),
          [&a, shared](Gpu& gpu) { atomic<uint32_t>(gpu, a, "uint", shared); });
      add(text("compute.atomic.%s.int.%s", place, a.name),
          [&a, shared](Gpu& gpu) { atomic<int32_t>(gpu, a, "int", shared); });
      add(text("compute.atomic.%s.uint64.%s", place, a.name),
          [&a, shared](Gpu& gpu) { atomic<uint64_t>(gpu, a, "uint64_t", shared); });
      add(text("compute.atomic.%s.int64.%s", place, a.name),
          [&a, shared](Gpu& gpu) { atomic<int64_t>(gpu, a, "int64_t", shared); });
    }
}

}  // namespace etzel::cts
