// Subgroup operations, with all lanes active and with some, of the usual size and of 4.
#include <algorithm>
#include <map>
#include <spirv-tools/libspirv.hpp>

#include "cts-subset/cases/groups.h"
#include "cts-subset/cases/shader/subgroup_sizes.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

using Lanes = std::vector<uint32_t>;
struct SubgroupOp {
  const char* name;
  const char* call;
  VkSubgroupFeatureFlags needs;
  /// Result of lane `i` of `n` active lanes with values v.
  uint64_t (*want)(const Lanes& v, uint32_t i, uint32_t n);
};

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
constexpr auto kBasic = VK_SUBGROUP_FEATURE_BASIC_BIT, kVote = VK_SUBGROUP_FEATURE_VOTE_BIT,
               kArithmetic = VK_SUBGROUP_FEATURE_ARITHMETIC_BIT, kBallot = VK_SUBGROUP_FEATURE_BALLOT_BIT,
               kShuffle = VK_SUBGROUP_FEATURE_SHUFFLE_BIT, kRelative = VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT,
               kQuad = VK_SUBGROUP_FEATURE_QUAD_BIT, kClustered = VK_SUBGROUP_FEATURE_CLUSTERED_BIT,
               kPartitioned = VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV;

/// Lanes before `end` that are in the partition of lane `i`: those with the same lowest two bits.
uint32_t partition(const Lanes& v, uint32_t i, uint32_t end) {
  uint32_t members = 0;
  for (uint32_t k = 0; k < end; ++k) members |= uint32_t((v[k] & 3) == (v[i] & 3)) << k;
  return members;
}
template <class F>
uint32_t foldPartition(const Lanes& v, uint32_t i, uint32_t end, uint32_t start, F f) {
  const uint32_t members = partition(v, i, end);
  for (uint32_t k = 0; k < end; ++k)
    if (members >> k & 1) start = f(start, v[k]);
  return start;
}

// clang-format off
/// The body of a SubgroupOp::want.
#define LANES(...) [](const Lanes& v, uint32_t i, uint32_t n) -> uint64_t { __VA_ARGS__; }
const SubgroupOp subgroupOps[] = {
    {"add", "subgroupAdd(v)", kArithmetic, LANES(return fold(v, n, 0, plus))},
    {"mul", "subgroupMul(v)", kArithmetic, LANES(return fold(v, n, 1, times))},
    {"min", "subgroupMin(v)", kArithmetic, LANES(return fold(v, n, ~0u, least))},
    {"max", "subgroupMax(v)", kArithmetic, LANES(return fold(v, n, 0, most))},
    {"and", "subgroupAnd(v)", kArithmetic, LANES(return fold(v, n, ~0u, both))},
    {"or", "subgroupOr(v)", kArithmetic, LANES(return fold(v, n, 0, either))},
    {"xor", "subgroupXor(v)", kArithmetic, LANES(return fold(v, n, 0, exclusive))},
    {"inclusive_add", "subgroupInclusiveAdd(v)", kArithmetic, LANES(return fold(v, i + 1, 0, plus))},
    {"inclusive_mul", "subgroupInclusiveMul(v)", kArithmetic, LANES(return fold(v, i + 1, 1, times))},
    {"inclusive_min", "subgroupInclusiveMin(v)", kArithmetic, LANES(return fold(v, i + 1, ~0u, least))},
    {"inclusive_max", "subgroupInclusiveMax(v)", kArithmetic, LANES(return fold(v, i + 1, 0, most))},
    {"inclusive_and", "subgroupInclusiveAnd(v)", kArithmetic, LANES(return fold(v, i + 1, ~0u, both))},
    {"inclusive_or", "subgroupInclusiveOr(v)", kArithmetic, LANES(return fold(v, i + 1, 0, either))},
    {"inclusive_xor", "subgroupInclusiveXor(v)", kArithmetic, LANES(return fold(v, i + 1, 0, exclusive))},
    {"exclusive_add", "subgroupExclusiveAdd(v)", kArithmetic, LANES(return fold(v, i, 0, plus))},
    {"exclusive_mul", "subgroupExclusiveMul(v)", kArithmetic, LANES(return fold(v, i, 1, times))},
    {"exclusive_min", "subgroupExclusiveMin(v)", kArithmetic, LANES(return fold(v, i, ~0u, least))},
    {"exclusive_max", "subgroupExclusiveMax(v)", kArithmetic, LANES(return fold(v, i, 0, most))},
    {"exclusive_and", "subgroupExclusiveAnd(v)", kArithmetic, LANES(return fold(v, i, ~0u, both))},
    {"exclusive_or", "subgroupExclusiveOr(v)", kArithmetic, LANES(return fold(v, i, 0, either))},
    {"exclusive_xor", "subgroupExclusiveXor(v)", kArithmetic, LANES(return fold(v, i, 0, exclusive))},
    {"all", "uint(subgroupAll(v > 10u))", kVote,
     LANES(return std::all_of(v.begin(), v.begin() + n, [](uint32_t x) { return x > 10; }))},
    {"any", "uint(subgroupAny(v > 4000000000u))", kVote,
     LANES(return std::any_of(v.begin(), v.begin() + n, [](uint32_t x) { return x > 4000000000u; }))},
    {"all_equal", "uint(subgroupAllEqual(v & 0u)) + 2u * uint(subgroupAllEqual(v))", kVote,
     LANES(return n == 1 ? 3 : 1)},
    {"ballot", "subgroupBallot((v & 1u) != 0u).x", kBallot,
     LANES(uint64_t m = 0; for (uint32_t k = 0; k < n; ++k) m |= uint64_t(v[k] & 1) << k; return m & 0xffffffffu)},
    {"ballot_count", "subgroupBallotBitCount(subgroupBallot((v & 1u) != 0u))", kBallot,
     LANES(uint32_t m = 0; for (uint32_t k = 0; k < n; ++k) m += v[k] & 1; return m)},
    {"ballot_inclusive", "subgroupBallotInclusiveBitCount(subgroupBallot((v & 1u) != 0u))", kBallot,
     LANES(uint32_t m = 0; for (uint32_t k = 0; k <= i; ++k) m += v[k] & 1; return m)},
    {"ballot_exclusive", "subgroupBallotExclusiveBitCount(subgroupBallot((v & 1u) != 0u))", kBallot,
     LANES(uint32_t m = 0; for (uint32_t k = 0; k < i; ++k) m += v[k] & 1; return m)},
    {"ballot_lsb", "subgroupBallotFindLSB(subgroupBallot(true))", kBallot, LANES(return 0)},
    {"ballot_msb", "subgroupBallotFindMSB(subgroupBallot(true))", kBallot, LANES(return n - 1)},
    {"broadcast", "subgroupBroadcast(v, 2)", kBallot, LANES(return v[2])},
    {"broadcast_first", "subgroupBroadcastFirst(v)", kBallot, LANES(return v[0])},
    {"elect", "uint(subgroupElect())", kBasic, LANES(return i == 0)},
    {"shuffle", "subgroupShuffle(v, gl_SubgroupSize - 1u - gl_SubgroupInvocationID)", kShuffle,
     LANES(return v[n - 1 - i])},
    {"shuffle_xor", "subgroupShuffleXor(v, 3)", kShuffle, LANES(return v[i ^ 3])},
    {"shuffle_up", "gl_SubgroupInvocationID < 2u ? 0u : subgroupShuffleUp(v, 2) * 0u + t", kRelative,
     LANES(return i < 2 ? 0 : v[i - 2])},
    {"shuffle_down", "gl_SubgroupInvocationID + 1u >= gl_SubgroupSize ? 0u : u", kRelative,
     LANES(return i + 1 >= n ? 0 : v[i + 1])},
    {"quad_broadcast", "subgroupQuadBroadcast(v, 3)", kQuad, LANES(return v[i | 3])},
    {"quad_horizontal", "subgroupQuadSwapHorizontal(v)", kQuad, LANES(return v[i ^ 1])},
    {"quad_vertical", "subgroupQuadSwapVertical(v)", kQuad, LANES(return v[i ^ 2])},
    {"clustered_add", "subgroupClusteredAdd(v, 2)", kClustered,
     LANES(return i + 1 - (i & 1) < n ? v[i] + v[i ^ 1] : v[i])},
    {"partition", "subgroupPartitionNV(v & 3u).x", kPartitioned, LANES(return partition(v, i, n))},
    {"partitioned_add", "subgroupPartitionedAddNV(v, subgroupPartitionNV(v & 3u))", kPartitioned,
     LANES(return foldPartition(v, i, n, 0, plus))},
    {"partitioned_min", "subgroupPartitionedMinNV(v, subgroupPartitionNV(v & 3u))", kPartitioned,
     LANES(return foldPartition(v, i, n, ~0u, least))},
    {"partitioned_inclusive_mul", "subgroupPartitionedInclusiveMulNV(v, subgroupPartitionNV(v & 3u))", kPartitioned,
     LANES(return foldPartition(v, i, i + 1, 1, times))},
    {"partitioned_inclusive_xor", "subgroupPartitionedInclusiveXorNV(v, subgroupPartitionNV(v & 3u))", kPartitioned,
     LANES(return foldPartition(v, i, i + 1, 0, exclusive))},
    {"partitioned_exclusive_add", "subgroupPartitionedExclusiveAddNV(v, subgroupPartitionNV(v & 3u))", kPartitioned,
     LANES(return foldPartition(v, i, i, 0, plus))},
    {"partitioned_exclusive_and", "subgroupPartitionedExclusiveAndNV(v, subgroupPartitionNV(v & 3u))", kPartitioned,
     LANES(return foldPartition(v, i, i, ~0u, both))},
    {"quad_diagonal", "subgroupQuadSwapDiagonal(v)", kQuad, LANES(return v[i ^ 3])},
};
// clang-format on
#undef LANES

/// Where all lanes are active, or so many of each subgroup.
enum class Active { All, LowerHalf, ThreeOrFour };

/// The assembly of a shader whose partitions are those of VK_EXT_shader_subgroup_partitioned.
std::string ofExt(const std::string& glsl) {
  std::string assembly;
  if (!spvtools::SpirvTools(SPV_ENV_VULKAN_1_2).Disassemble(compileGlsl(VK_SHADER_STAGE_COMPUTE_BIT, glsl), &assembly))
    throw Failure("disassembling");
  const size_t at = assembly.find("SPV_NV_shader_subgroup_partitioned");
  if (at == std::string::npos) throw Failure("a shader without partitions");
  return "; SPIR-V\n" + assembly.replace(at, strlen("SPV_NV"), "SPV_EXT");
}

/// \param size  that is required; 0: the usual one
/// \param asExt  the module asks for partitions by the EXT's name
void subgroup(Gpu& gpu, const SubgroupOp& op, Active who, uint32_t size = 0, bool asExt = false) {
  if ((gpu.properties11.subgroupSupportedOperations & op.needs) != op.needs) throw NotSupported("subgroup operation");
  if (size) gpu.requireSubgroupSize(size, VK_SHADER_STAGE_COMPUTE_BIT);
  uint32_t n = size ? size : gpu.properties11.subgroupSize, count = 128;
  gpu.require(n >= 4 && n <= 32, "a subgroup of 4 to 32");
  std::vector<uint32_t> in(count);
  Random random(6);
  for (auto& v : in) v = random.next() | 1;
  for (uint32_t i = 0; i < count; i += 3) in[i] &= ~1u;
  Buffer a = gpu.buffer(in), r = gpu.buffer(count * 12);
  std::string extensions;
  for (const char* e : {"basic", "vote", "arithmetic", "ballot", "shuffle", "shuffle_relative", "clustered", "quad"})
    extensions += std::string("#extension GL_KHR_shader_subgroup_") + e + " : require\n";
  if (op.needs == VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV)
    extensions += "#extension GL_NV_shader_subgroup_partitioned : require\n";
  bool relative = op.needs == VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT;
  std::string body = relative ? "uint t = subgroupShuffleUp(v, 2), u = subgroupShuffleDown(v, 1); q = " : "q = ";
  // In control flow the subgroup's higher lanes are inactive for operations that reduce; the reference sees the lower
  // ones only. Subgroups that differ in how many run may share registers.
  const char* condition = who == Active::All         ? "{"
                          : who == Active::LowerHalf ? "if (gl_SubgroupInvocationID < gl_SubgroupSize / 2u) {"
                                                     : "if (gl_SubgroupInvocationID < 3u + (gl_SubgroupID & 1u)) {";
  std::string glsl =
      "#version 450\n" + extensions +
      "layout(local_size_x=128) in;\nlayout(binding=0) buffer A { uint a[]; };\nlayout(binding=1) buffer R { "
      "uint r[]; };\n"
      "void main() { uint i = gl_LocalInvocationIndex, q = 0u; uint v = a[i]; r[i * 3 + 1] = gl_SubgroupID; r[i "
      "* 3 + 2] = gl_SubgroupInvocationID;\n" +
      condition + body + op.call + "; }\nr[i * 3] = q; }\n";
  Dispatch d{asExt ? ofExt(glsl) : glsl};
  d.bindings = {storage(a), storage(r)};
  d.subgroupSize = size;
  gpu.dispatch(d);
  std::map<uint32_t, std::map<uint32_t, uint32_t>> groups;  // subgroup -> lane -> invocation
  for (uint32_t i = 0; i < count; ++i) groups[r.as<uint32_t>()[i * 3 + 1]][r.as<uint32_t>()[i * 3 + 2]] = i;
  for (auto& [id, lanes] : groups) {
    ASSERT_EQ(lanes.size(), n) << "subgroup " << id << " is not full";
    Lanes v;
    for (auto& [lane, i] : lanes) v.push_back(in[i]);
    uint32_t active = who == Active::All ? n : who == Active::LowerHalf ? n / 2 : 3 + (id & 1);
    for (auto& [lane, i] : lanes) {
      uint64_t want = lane < active ? op.want(v, lane, active) : 0;
      ASSERT_EQ(r.as<uint32_t>()[i * 3], uint32_t(want)) << "subgroup " << id << " lane " << lane;
    }
  }
}

}  // namespace

void registerSubgroups() {
  for (auto& op : subgroupOps) {
    add(text("subgroup.%s.full", op.name), [&op](Gpu& gpu) { subgroup(gpu, op, Active::All); });
    if (op.needs == kPartitioned)
      add(text("subgroup.%s.ext", op.name), [&op](Gpu& gpu) {
        gpu.requireFeatures("VK_EXT_shader_subgroup_partitioned", 1);
        subgroup(gpu, op, Active::All, 0, true);
      });
    add(text("subgroup.%s.size4", op.name), [&op](Gpu& gpu) { subgroup(gpu, op, Active::All, 4); });
    if (op.needs != VK_SUBGROUP_FEATURE_SHUFFLE_BIT && op.needs != VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT &&
        op.needs != VK_SUBGROUP_FEATURE_QUAD_BIT) {
      add(text("subgroup.%s.half_active", op.name), [&op](Gpu& gpu) { subgroup(gpu, op, Active::LowerHalf); });
      add(text("subgroup.%s.size4_some_active", op.name),
          [&op](Gpu& gpu) { subgroup(gpu, op, Active::ThreeOrFour, 4); });
    }
  }
  registerSubgroupSizes();
}

}  // namespace etzel::cts
