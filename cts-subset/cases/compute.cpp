// Workgroups, shared memory, barriers, atomics and subgroup operations.
#include <algorithm>
#include <array>
#include <numeric>

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

struct SubgroupOp {
  const char* name;
  const char* call;
  VkSubgroupFeatureFlags needs;
  /// Result of lane `i` of `n` active lanes with values v.
  uint64_t (*want)(const std::vector<uint32_t>& v, uint32_t i, uint32_t n);
};
using Lanes = std::vector<uint32_t>;
#define LANES [](const Lanes& v, uint32_t i, uint32_t n) -> uint64_t
template <class F>
uint32_t fold(const Lanes& v, uint32_t end, uint32_t start, F f) {
  for (uint32_t k = 0; k < end; ++k) start = f(start, v[k]);
  return start;
}
auto plus = [](uint32_t a, uint32_t b) { return a + b; };
auto times = [](uint32_t a, uint32_t b) { return a * b; };
auto least = [](uint32_t a, uint32_t b) { return std::min(a, b); };
auto most = [](uint32_t a, uint32_t b) { return std::max(a, b); };
auto both = [](uint32_t a, uint32_t b) { return a & b; };
auto either = [](uint32_t a, uint32_t b) { return a | b; };
auto exclusive = [](uint32_t a, uint32_t b) { return a ^ b; };
constexpr auto A = VK_SUBGROUP_FEATURE_ARITHMETIC_BIT;
const SubgroupOp subgroupOps[] = {{"add", "subgroupAdd(v)", A, LANES{return fold(v, n, 0, plus);
}  // namespace
}  // namespace etzel::cts
, {"mul", "subgroupMul(v)", A, LANES{return fold(v, n, 1, times);
}
}
, {"min", "subgroupMin(v)", A, LANES{return fold(v, n, ~0u, least);
}
}
, {"max", "subgroupMax(v)", A, LANES{return fold(v, n, 0, most);
}
}
, {"and", "subgroupAnd(v)", A, LANES{return fold(v, n, ~0u, both);
}
}
, {"or", "subgroupOr(v)", A, LANES{return fold(v, n, 0, either);
}
}
, {"xor", "subgroupXor(v)", A, LANES{return fold(v, n, 0, exclusive);
}
}
, {"inclusive_add", "subgroupInclusiveAdd(v)", A, LANES{return fold(v, i + 1, 0, plus);
}
}
, {"inclusive_mul", "subgroupInclusiveMul(v)", A, LANES{return fold(v, i + 1, 1, times);
}
}
, {"inclusive_min", "subgroupInclusiveMin(v)", A, LANES{return fold(v, i + 1, ~0u, least);
}
}
, {"inclusive_max", "subgroupInclusiveMax(v)", A, LANES{return fold(v, i + 1, 0, most);
}
}
, {"inclusive_and", "subgroupInclusiveAnd(v)", A, LANES{return fold(v, i + 1, ~0u, both);
}
}
, {"inclusive_or", "subgroupInclusiveOr(v)", A, LANES{return fold(v, i + 1, 0, either);
}
}
, {"inclusive_xor", "subgroupInclusiveXor(v)", A, LANES{return fold(v, i + 1, 0, exclusive);
}
}
, {"exclusive_add", "subgroupExclusiveAdd(v)", A, LANES{return fold(v, i, 0, plus);
}
}
, {"exclusive_mul", "subgroupExclusiveMul(v)", A, LANES{return fold(v, i, 1, times);
}
}
, {"exclusive_min", "subgroupExclusiveMin(v)", A, LANES{return fold(v, i, ~0u, least);
}
}
, {"exclusive_max", "subgroupExclusiveMax(v)", A, LANES{return fold(v, i, 0, most);
}
}
, {"exclusive_and", "subgroupExclusiveAnd(v)", A, LANES{return fold(v, i, ~0u, both);
}
}
, {"exclusive_or", "subgroupExclusiveOr(v)", A, LANES{return fold(v, i, 0, either);
}
}
, {"exclusive_xor", "subgroupExclusiveXor(v)", A, LANES{return fold(v, i, 0, exclusive);
}
}
, {"all", "uint(subgroupAll(v > 10u))", VK_SUBGROUP_FEATURE_VOTE_BIT,
   LANES{return std::all_of(v.begin(), v.begin() + n, [](uint32_t x) { return x > 10; });
}
}
, {"any", "uint(subgroupAny(v > 4000000000u))", VK_SUBGROUP_FEATURE_VOTE_BIT,
   LANES{return std::any_of(v.begin(), v.begin() + n, [](uint32_t x) { return x > 4000000000u; });
}
}
, {"all_equal", "uint(subgroupAllEqual(v & 0u)) + 2u * uint(subgroupAllEqual(v))", VK_SUBGROUP_FEATURE_VOTE_BIT,
   LANES{return n == 1 ? 3 : 1;
}
}
, {"ballot", "subgroupBallot((v & 1u) != 0u).x", VK_SUBGROUP_FEATURE_BALLOT_BIT, LANES{uint64_t m = 0;
for (uint32_t k = 0; k < n; ++k) m |= uint64_t(v[k] & 1) << k;
return m & 0xffffffffu;
}
}
, {"ballot_count", "subgroupBallotBitCount(subgroupBallot((v & 1u) != 0u))", VK_SUBGROUP_FEATURE_BALLOT_BIT,
   LANES{uint32_t m = 0;
for (uint32_t k = 0; k < n; ++k) m += v[k] & 1;
return m;
}
}
, {"ballot_inclusive", "subgroupBallotInclusiveBitCount(subgroupBallot((v & 1u) != 0u))",
   VK_SUBGROUP_FEATURE_BALLOT_BIT, LANES{uint32_t m = 0;
for (uint32_t k = 0; k <= i; ++k) m += v[k] & 1;
return m;
}
}
, {"ballot_exclusive", "subgroupBallotExclusiveBitCount(subgroupBallot((v & 1u) != 0u))",
   VK_SUBGROUP_FEATURE_BALLOT_BIT, LANES{uint32_t m = 0;
for (uint32_t k = 0; k < i; ++k) m += v[k] & 1;
return m;
}
}
, {"ballot_lsb", "subgroupBallotFindLSB(subgroupBallot(true))", VK_SUBGROUP_FEATURE_BALLOT_BIT, LANES{return 0;
}
}
, {"ballot_msb", "subgroupBallotFindMSB(subgroupBallot(true))", VK_SUBGROUP_FEATURE_BALLOT_BIT, LANES{return n - 1;
}
}
, {"broadcast", "subgroupBroadcast(v, 2)", VK_SUBGROUP_FEATURE_BALLOT_BIT, LANES{return v[2];
}
}
, {"broadcast_first", "subgroupBroadcastFirst(v)", VK_SUBGROUP_FEATURE_BALLOT_BIT, LANES{return v[0];
}
}
, {"elect", "uint(subgroupElect())", VK_SUBGROUP_FEATURE_BASIC_BIT, LANES{return i == 0;
}
}
, {"shuffle", "subgroupShuffle(v, gl_SubgroupSize - 1u - gl_SubgroupInvocationID)", VK_SUBGROUP_FEATURE_SHUFFLE_BIT,
   LANES{return v[n - 1 - i];
}
}
, {"shuffle_xor", "subgroupShuffleXor(v, 3)", VK_SUBGROUP_FEATURE_SHUFFLE_BIT, LANES{return v[i ^ 3];
}
}
, {"shuffle_up", "gl_SubgroupInvocationID < 2u ? 0u : subgroupShuffleUp(v, 2) * 0u + t",
   VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT, LANES{return i < 2 ? 0 : v[i - 2];
}
}
, {"shuffle_down", "gl_SubgroupInvocationID + 1u >= gl_SubgroupSize ? 0u : u", VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT,
   LANES{return i + 1 >= n ? 0 : v[i + 1];
}
}
, {"quad_broadcast", "subgroupQuadBroadcast(v, 3)", VK_SUBGROUP_FEATURE_QUAD_BIT, LANES{return v[i | 3];
}
}
, {"quad_horizontal", "subgroupQuadSwapHorizontal(v)", VK_SUBGROUP_FEATURE_QUAD_BIT, LANES{return v[i ^ 1];
}
}
, {"quad_vertical", "subgroupQuadSwapVertical(v)", VK_SUBGROUP_FEATURE_QUAD_BIT, LANES{return v[i ^ 2];
}
}
, {"quad_diagonal", "subgroupQuadSwapDiagonal(v)", VK_SUBGROUP_FEATURE_QUAD_BIT, LANES{return v[i ^ 3];
}
}
,
}
;
#undef LANES

void subgroup(Gpu& gpu, const SubgroupOp& op, bool inControlFlow) {
  if ((gpu.properties11.subgroupSupportedOperations & op.needs) != op.needs) throw NotSupported("subgroup operation");
  uint32_t n = gpu.properties11.subgroupSize, count = 128;
  gpu.require(n >= 4 && n <= 32, "a subgroup of 4 to 32");
  std::vector<uint32_t> in(count);
  Random random(6);
  for (auto& v : in) v = random.next() | 1;
  for (uint32_t i = 0; i < count; i += 3) in[i] &= ~1u;
  Buffer a = gpu.buffer(in), r = gpu.buffer(count * 12);
  std::string extensions;
  for (const char* e : {"basic", "vote", "arithmetic", "ballot", "shuffle", "shuffle_relative", "quad"})
    extensions += std::string("#extension GL_KHR_shader_subgroup_") + e + " : require\n";
  bool relative = op.needs == VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT;
  std::string body = relative ? "uint t = subgroupShuffleUp(v, 2), u = subgroupShuffleDown(v, 1); q = " : "q = ";
  // In control flow the subgroup's higher half is inactive for operations that reduce; the reference sees the lower
  // half only.
  Dispatch d{"#version 450\n" + extensions +
             "layout(local_size_x=128) in;\nlayout(binding=0) buffer A { uint a[]; };\nlayout(binding=1) buffer R { "
             "uint r[]; };\n"
             "void main() { uint i = gl_LocalInvocationIndex, q = 0u; uint v = a[i]; r[i * 3 + 1] = gl_SubgroupID; r[i "
             "* 3 + 2] = gl_SubgroupInvocationID;\n" +
             (inControlFlow ? "if (gl_SubgroupInvocationID < gl_SubgroupSize / 2u) {" : "{") + body + op.call +
             "; }\nr[i * 3] = q; }\n"};
  d.bindings = {storage(a), storage(r)};
  gpu.dispatch(d);
  std::map<uint32_t, std::map<uint32_t, uint32_t>> groups;  // subgroup -> lane -> invocation
  for (uint32_t i = 0; i < count; ++i) groups[r.as<uint32_t>()[i * 3 + 1]][r.as<uint32_t>()[i * 3 + 2]] = i;
  for (auto& [id, lanes] : groups) {
    ASSERT_EQ(lanes.size(), n) << "subgroup " << id << " is not full";
    Lanes v;
    for (auto& [lane, i] : lanes) v.push_back(in[i]);
    uint32_t active = inControlFlow ? n / 2 : n;
    for (auto& [lane, i] : lanes) {
      uint64_t want = lane < active ? op.want(v, lane, active) : 0;
      ASSERT_EQ(r.as<uint32_t>()[i * 3], uint32_t(want)) << "subgroup " << id << " lane " << lane;
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

void registerSubgroups() {
  for (auto& op : subgroupOps) {
    add(text("subgroup.%s.full", op.name), [&op](Gpu& gpu) { subgroup(gpu, op, false); });
    if (op.needs != VK_SUBGROUP_FEATURE_SHUFFLE_BIT && op.needs != VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT &&
        op.needs != VK_SUBGROUP_FEATURE_QUAD_BIT)
      add(text("subgroup.%s.half_active", op.name), [&op](Gpu& gpu) { subgroup(gpu, op, true); });
  }
}

void registerCompute() {
  static const uint32_t shapes[][3] = {{1, 1, 1}, {64, 1, 1}, {1, 64, 1}, {1, 1, 64},  {8, 8, 1},
                                       {4, 4, 4}, {7, 3, 2},  {13, 1, 5}, {128, 1, 1}, {3, 3, 3}};
  for (auto& s : shapes)
    for (uint32_t groups : {1u, 3u})
      add(text("compute.ids.local_%u_%u_%u.groups%u", s[0], s[1], s[2], groups), [&s, groups](Gpu& gpu) {
        uint32_t local = s[0] * s[1] * s[2], total = local * groups * 2 * groups;
        Buffer r = gpu.buffer(total * 16);
        Dispatch d{
            text("#version 450\nlayout(local_size_x=%u, local_size_y=%u, local_size_z=%u) in;\nlayout(binding=0) "
                 "buffer R { uvec4 r[]; };\n"
                 "void main() { uint g = (gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y) * "
                 "gl_NumWorkGroups.x + gl_WorkGroupID.x; r[g * %uu + gl_LocalInvocationIndex] = "
                 "uvec4(gl_GlobalInvocationID, gl_LocalInvocationIndex + 1000u * gl_NumWorkGroups.y); }\n",
                 s[0], s[1], s[2], local)};
        d.bindings = {storage(r)};
        d.x = groups, d.y = 2, d.z = groups;
        gpu.dispatch(d);
        for (uint32_t i = 0; i < total; ++i) {
          uint32_t l = i % local, g = i / local,
                   want[4] = {g % groups * s[0] + l % s[0], g / groups % 2 * s[1] + l / s[0] % s[1],
                              g / groups / 2 * s[2] + l / s[0] / s[1], l + 2000};
          for (int k = 0; k < 4; ++k)
            ASSERT_EQ(r.as<uint32_t>()[i * 4 + uint32_t(k)], want[k]) << i << " component " << k;
        }
      });
  for (uint32_t n : {2u, 8u, 16u, 64u, 100u, 128u})
    for (const char* kind : {"reverse", "scan", "reduce", "transpose"})
      add(text("compute.shared.%s.n%u", kind, n), [=](Gpu& gpu) {
        std::string k = kind;
        std::vector<uint32_t> in(n * 2);
        std::iota(in.begin(), in.end(), 100);
        Buffer a = gpu.buffer(in), r = gpu.buffer(n * 8);
        std::string body =
            k == "reverse" ? "t[i] = a[base + i]; barrier(); r[base + i] = t[N - 1u - i];"
            : k == "scan"  ? "t[i] = a[base + i]; barrier(); for (uint o = 1u; o < N; o *= 2u) { uint x = i >= o ? t[i "
                             "- o] : 0u; barrier(); t[i] += x; barrier(); } r[base + i] = t[i];"
            : k == "reduce" ? "t[i] = a[base + i]; barrier(); for (uint w = N; w > 1u; ) { uint h = (w + 1u) / 2u; if "
                              "(i + h < w) t[i] += t[i + h]; barrier(); w = h; } r[base + i] = t[0] + i;"
                            : "t[(i * 2u + i / ((N + 1u) / 2u)) % (N | 1u)] = a[base + i]; barrier(); r[base + i] = "
                              "t[(i * 2u + i / ((N + 1u) / 2u)) % (N | 1u)];";
        Dispatch d{
            text("#version 450\n#define N %uu\nlayout(local_size_x=%u) in;\nlayout(binding=0) buffer A { uint a[]; "
                 "};\nlayout(binding=1) buffer R { uint r[]; };\nshared uint t[N + 1u];\nvoid main() { uint i = "
                 "gl_LocalInvocationIndex, base = gl_WorkGroupID.x * N;\n%s }\n",
                 n, n, body.c_str())};
        d.bindings = {storage(a), storage(r)};
        d.x = 2;
        gpu.dispatch(d);
        for (uint32_t g = 0; g < 2; ++g)
          for (uint32_t i = 0; i < n; ++i) {
            const uint32_t* p = &in[g * n];
            uint32_t sum = std::accumulate(p, p + n, 0u);
            uint32_t want = k == "reverse"  ? p[n - 1 - i]
                            : k == "scan"   ? std::accumulate(p, p + i + 1, 0u)
                            : k == "reduce" ? sum + i
                                            : p[i];
            if (k == "transpose") {
              // Two invocations may share a place; then either value is right.
              uint32_t got = r.as<uint32_t>()[g * n + i];
              ASSERT_TRUE(std::find(p, p + n, got) != p + n);
            } else {
              ASSERT_EQ(r.as<uint32_t>()[g * n + i], want) << i;
            }
          }
      });
  for (uint32_t n : {1u, 5u, 33u})
    add(text("compute.specialized_size.n%u", n), [=](Gpu& gpu) {
      Buffer r = gpu.buffer(256);
      uint32_t data[2] = {n, 7};
      VkSpecializationMapEntry entries[2] = {{0, 0, 4}, {5, 4, 4}};
      VkSpecializationInfo info{2, entries, 8, data};
      Dispatch d{
          "#version 450\nlayout(local_size_x_id=0) in;\nlayout(constant_id=5) const uint k = 3;\nlayout(binding=0) "
          "buffer R { uint r[]; };\nvoid main() { r[gl_LocalInvocationIndex] = gl_WorkGroupSize.x * k + "
          "gl_LocalInvocationIndex; }\n"};
      d.bindings = {storage(r)};
      d.specialization = &info;
      gpu.dispatch(d);
      for (uint32_t i = 0; i < 64; ++i) ASSERT_EQ(r.as<uint32_t>()[i], i < n ? n * 7 + i : 0) << i;
    });
}

}  // namespace etzel::cts
