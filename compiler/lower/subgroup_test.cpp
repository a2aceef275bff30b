// Subgroup and atomic instructions on one warp, all lanes and some lanes active.
#include "compiler/lower/test_kernel.h"

namespace etzel::lower {
namespace {

using test::Words;

const char* const kHead =
    "OpCapability GroupNonUniform\nOpCapability GroupNonUniformVote\nOpCapability GroupNonUniformBallot\n"
    "OpCapability GroupNonUniformShuffle\nOpCapability GroupNonUniformShuffleRelative\n"
    "OpCapability GroupNonUniformArithmetic\nOpCapability GroupNonUniformClustered\nOpCapability GroupNonUniformQuad\n";

Words values() {
  Words w{};
  for (uint32_t l = 0; l < kWarpLanes; ++l) w[l][0] = 10 + 7 * l, w[l][1] = l % 3, w[l][2] = (l * 5 + 2) % 8;
  return w;
}

TEST(Subgroup, ReductionsAndScansIgnoreInactiveLanes) {
  const std::string body =
      "%a = OpGroupNonUniformIAdd %u32 %c3 Reduce %u0\n%b = OpGroupNonUniformIAdd %u32 %c3 InclusiveScan %u0\n"
      "%c = OpGroupNonUniformUMin %u32 %c3 ExclusiveScan %u0\n%d = OpGroupNonUniformUMax %u32 %c3 ClusteredReduce %u0 "
      "%c4\n"
      "OUT(0, %a)\nOUT(1, %b)\nOUT(2, %c)\nOUT(3, %d)";
  const Words in = values();
  for (LaneMask active : {kAllLanes, 0x2Du}) {
    const Words out = test::run(body, in, kHead, "", active);
    uint32_t sum = 0, least = ~0u;
    for (uint32_t l = 0; l < kWarpLanes; ++l) sum += active >> l & 1 ? in[l][0] : 0;
    uint32_t running = 0;
    for (uint32_t l = 0; l < kWarpLanes; ++l) {
      if (!(active >> l & 1)) continue;
      running += in[l][0];
      uint32_t most = 0;
      for (uint32_t k = l & ~3u; k < (l & ~3u) + 4; ++k) most = std::max(most, active >> k & 1 ? in[k][0] : 0);
      EXPECT_EQ(out[l][0], sum);
      EXPECT_EQ(out[l][1], running);
      EXPECT_EQ(out[l][2], least);
      EXPECT_EQ(out[l][3], most);
      least = std::min(least, in[l][0]);
    }
  }
}

// values() has u1 = lane % 3: the partitions are lanes 0 3 6, 1 4 7 and 2 5.
TEST(Subgroup, PartitionsReduceTheirOwnLanes) {
  const std::string head =
      std::string(kHead) +
      "OpCapability GroupNonUniformPartitionedNV\nOpExtension \"SPV_NV_shader_subgroup_partitioned\"\n";
  const std::string body =
      "%p = OpGroupNonUniformPartitionNV %v4u %u1\n%m = OpCompositeExtract %u32 %p 0\n"
      "%h = OpCompositeExtract %u32 %p 1\n"
      "%a = OpGroupNonUniformIAdd %u32 %c3 PartitionedReduceNV %u0 %p\n"
      "%b = OpGroupNonUniformIAdd %u32 %c3 PartitionedInclusiveScanNV %u0 %p\n"
      "%c = OpGroupNonUniformUMin %u32 %c3 PartitionedExclusiveScanNV %u0 %p\n"
      "%d = OpGroupNonUniformSMax %u32 %c3 PartitionedReduceNV %u2 %p\n"
      "OUT(0, %m)\nOUT(1, %h)\nOUT(2, %a)\nOUT(3, %b)\nOUT(4, %c)\nOUT(5, %d)";
  const Words in = values();
  for (LaneMask active : {kAllLanes, 0x2Du}) {
    const Words out = test::run(body, in, head, "", active);
    for (uint32_t l = 0; l < kWarpLanes; ++l) {
      if (!(active >> l & 1)) continue;
      uint32_t members = 0, sum = 0, running = 0, least = ~0u, most = 0;
      for (uint32_t k = 0; k < kWarpLanes; ++k) {
        if (!(active >> k & 1) || in[k][1] != in[l][1]) continue;
        members |= 1u << k, sum += in[k][0], most = std::max(most, in[k][2]);
        if (k <= l) running += in[k][0];
        if (k < l) least = std::min(least, in[k][0]);
      }
      EXPECT_EQ(out[l][0], members) << l;
      EXPECT_EQ(out[l][1], 0u);
      EXPECT_EQ(out[l][2], sum) << l;
      EXPECT_EQ(out[l][3], running) << l;
      EXPECT_EQ(out[l][4], least) << l;
      EXPECT_EQ(out[l][5], most) << l;
    }
  }
}

TEST(Subgroup, ShufflesMoveWholeVectors) {
  const std::string body =
      "%v = OpCompositeConstruct %v4u %u0 %u1 %u2 %lane\n%s = OpGroupNonUniformShuffle %v4u %c3 %v %u2\n"
      "%s3 = OpCompositeExtract %u32 %s 3\n%s0 = OpCompositeExtract %u32 %s 0\n"
      "%x = OpGroupNonUniformShuffleXor %u32 %c3 %lane %c5\n%up = OpGroupNonUniformShuffleUp %u32 %c3 %lane %c1\n"
      "%q = OpGroupNonUniformQuadSwap %u32 %c3 %lane %c1\n%qb = OpGroupNonUniformQuadBroadcast %u32 %c3 %lane %c2\n"
      "%f = OpGroupNonUniformBroadcastFirst %u32 %c3 %u0\n"
      "OUT(0, %s0)\nOUT(1, %s3)\nOUT(2, %x)\nOUT(3, %up)\nOUT(4, %q)\nOUT(5, %qb)\nOUT(6, %f)";
  const Words in = values(), out = test::run(body, in, kHead);
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    EXPECT_EQ(out[l][0], in[in[l][2]][0]);
    EXPECT_EQ(out[l][1], in[l][2]);
    EXPECT_EQ(out[l][2], l ^ 5);
    if (l) {
      EXPECT_EQ(out[l][3], l - 1);
    }
    EXPECT_EQ(out[l][4], l ^ 2);
    EXPECT_EQ(out[l][5], (l & 4) + 2);
    EXPECT_EQ(out[l][6], in[0][0]);
  }
}

TEST(Subgroup, BallotsAndVotes) {
  const std::string body =
      "%p = OpIEqual %bool %u1 %c1\n%b = OpGroupNonUniformBallot %v4u %c3 %p\n%b0 = OpCompositeExtract %u32 %b 0\n"
      "%b1 = OpCompositeExtract %u32 %b 1\n%n = OpGroupNonUniformBallotBitCount %u32 %c3 ExclusiveScan %b\n"
      "%low = OpGroupNonUniformBallotFindLSB %u32 %c3 %b\n%high = OpGroupNonUniformBallotFindMSB %u32 %c3 %b\n"
      "%inv = OpGroupNonUniformInverseBallot %bool %c3 %b\n%ii = OpSelect %u32 %inv %c1 %c0\n"
      "%any = OpGroupNonUniformAny %bool %c3 %p\n%ia = OpSelect %u32 %any %c1 %c0\n"
      "%all = OpGroupNonUniformAll %bool %c3 %p\n%il = OpSelect %u32 %all %c1 %c0\n"
      "%el = OpGroupNonUniformElect %bool %c3\n%ie = OpSelect %u32 %el %c1 %c0\n"
      "%eq = OpGroupNonUniformAllEqual %bool %c3 %p\n%iq = OpSelect %u32 %eq %c1 %c0\n"
      "OUT(0, %b0)\nOUT(1, %b1)\nOUT(2, %n)\nOUT(3, %low)\nOUT(4, %high)\nOUT(5, %ii)\nOUT(6, %ia)\nOUT(7, %il)\n"
      "OUT(8, %ie)\nOUT(9, %iq)";
  const Words in = values();
  for (LaneMask active : {kAllLanes, 0x92u}) {
    const Words out = test::run(body, in, kHead, "", active);
    uint32_t mask = 0;
    for (uint32_t l = 0; l < kWarpLanes; ++l) mask |= uint32_t((active >> l & 1) && in[l][1] == 1) << l;
    for (uint32_t l = 0; l < kWarpLanes; ++l) {
      if (!(active >> l & 1)) continue;
      EXPECT_EQ(out[l][0], mask);
      EXPECT_EQ(out[l][1], 0u);
      EXPECT_EQ(out[l][2], uint32_t(std::popcount(mask & ((1u << l) - 1))));
      EXPECT_EQ(out[l][3], uint32_t(std::countr_zero(mask)));
      EXPECT_EQ(out[l][4], 31u - std::countl_zero(mask));
      EXPECT_EQ(out[l][5], mask >> l & 1);
      EXPECT_EQ(out[l][6], uint32_t(mask != 0));
      EXPECT_EQ(out[l][7], uint32_t(mask == active));
      EXPECT_EQ(out[l][8], uint32_t(l == uint32_t(std::countr_zero(active))));
      EXPECT_EQ(out[l][9], uint32_t(mask == active || mask == 0));
    }
  }
}

TEST(Atomic, LanesGoInOrderAndSeeTheOldValue) {
  const std::string body =
      "%p = OpAccessChain %outPtr %in %c0 %c15\n%a = OpAtomicIAdd %u32 %p %c1 %c0 %u0\n"
      "%q = OpAccessChain %outPtr %in %c0 %c14\n%b = OpAtomicCompareExchange %u32 %q %c1 %c0 %c0 %u0 %c0\n"
      "%r = OpAccessChain %outPtr %in %c0 %c13\n%c = OpAtomicUMax %u32 %r %c1 %c0 %u2\n"
      "%d = OpAtomicIDecrement %u32 %sp %c2 %c0\n%e = OpAtomicLoad %u32 %sp %c2 %c0\n"
      "OUT(0, %a)\nOUT(1, %b)\nOUT(2, %c)\nOUT(3, %d)\nOUT(4, %e)";
  const Words in = values();
  Words after;
  const Words out =
      test::run("OpAtomicStore %sp %c2 %c0 %c20\n" + body, in, "",
                "%spt = OpTypePointer Workgroup %u32\n%sp = OpVariable %spt Workgroup\n", kAllLanes, &after);
  uint32_t sum = 0, most = 0;
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    EXPECT_EQ(out[l][0], sum);
    EXPECT_EQ(out[l][1], l == 0 ? 0 : in[0][0]);
    EXPECT_EQ(out[l][2], most);
    EXPECT_EQ(out[l][3], 20 - l);
    EXPECT_EQ(out[l][4], 12u);
    sum += in[l][0], most = std::max(most, in[l][2]);
  }
  EXPECT_EQ(after[0][15], sum);
  EXPECT_EQ(after[0][14], in[0][0]);
  EXPECT_EQ(after[0][13], most);
}

}  // namespace
}  // namespace etzel::lower
