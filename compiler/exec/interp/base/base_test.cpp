// ATTILA programs, assembled from text, against what the simulator's documentation says they compute.
#include <bit>
#include <cmath>

#include "compiler/exec/interp/test/test_machine.h"
#include "compiler/isa/assemble.h"

namespace etzel::interp {
namespace {

struct Attila : test::Machine {
  explicit Attila(const std::string& text) {
    auto assembled = isa::assemble(".stage vertex\n" + text);
    EXPECT_TRUE(assembled.ok()) << assembled.error().message;
    if (!assembled.ok()) return;
    program = std::move(*assembled);
    for (uint32_t l = 0; l < kWarpLanes; ++l) set(0, l, float(l), -float(l), 0.5f, 2.0f);
  }
  void set(uint32_t reg, uint32_t lane, float x, float y, float z, float w) {
    const float v[] = {x, y, z, w};
    for (uint32_t c = 0; c < 4; ++c) in[4 * reg + c].lane[lane] = std::bit_cast<uint32_t>(v[c]);
  }
  float at(uint32_t reg, char component, uint32_t lane) {
    return std::bit_cast<float>(out[4 * reg + std::string_view("xyzw").find(component)].lane[lane]);
  }
};

TEST(Base, ModifiersSwizzlesMasksAndSaturation) {
  Attila m("mov o0.xz, -|i0.yyzw|\nadd_sat o1, i0.x, -2.5\nmul o2.w, i0.w, i0.wzyx\n");
  m.run();
  EXPECT_EQ(m.at(0, 'x', 3), -3.0f);
  EXPECT_EQ(m.at(0, 'y', 3), 0.0f);  // not written; o registers start cleared
  EXPECT_EQ(m.at(0, 'z', 3), -0.5f);
  EXPECT_EQ(m.at(1, 'y', 3), 0.5f);
  EXPECT_EQ(m.at(1, 'y', 0), 0.0f);
  EXPECT_EQ(m.at(1, 'y', 7), 1.0f);
  EXPECT_EQ(m.at(2, 'w', 5), 10.0f);
}

TEST(Base, DotProductsAndSpecialVectors) {
  Attila m("dp3 o0, i0, i0\ndp4 o1, i0, i0\ndph o2, i0, i0\ndst o3, i0, i0\nlit o4, i0\nexp o5, i0.z\nlog o6, i0.w\n");
  m.run();
  EXPECT_EQ(m.at(0, 'w', 2), 8.25f);
  EXPECT_EQ(m.at(1, 'x', 2), 12.25f);
  EXPECT_EQ(m.at(2, 'x', 2), 10.25f);
  EXPECT_EQ(m.at(3, 'x', 2), 1.0f);
  EXPECT_EQ(m.at(3, 'y', 2), 4.0f);
  EXPECT_EQ(m.at(3, 'w', 2), 2.0f);
  EXPECT_EQ(m.at(4, 'y', 3), 3.0f);
  EXPECT_EQ(m.at(5, 'x', 0), 1.0f);
  EXPECT_EQ(m.at(5, 'y', 0), 0.5f);
  EXPECT_NEAR(m.at(5, 'z', 0), std::sqrt(2.0f), 1e-6);
  EXPECT_EQ(m.at(6, 'x', 0), 1.0f);
  EXPECT_EQ(m.at(6, 'y', 0), 1.0f);
}

TEST(Base, RelativeConstantsAndTheirBounds) {
  Attila m(
      ".const 10 20 30 40\n.const 11.0 21 31 41\n.const 12.0 22 32 42\narl a0.x, i0.x\nmov o0, c0[a0.x + 1]\nmov o1, "
      "c1[a0.x - 3]\n");
  m.run();
  EXPECT_EQ(m.at(0, 'x', 0), 11.0f);
  EXPECT_EQ(m.at(0, 'x', 1), 12.0f);
  EXPECT_EQ(m.at(0, 'x', 2), 0.0f);
  EXPECT_EQ(m.at(1, 'x', 1), 0.0f);
  EXPECT_EQ(m.at(1, 'x', 3), 11.0f);
}

TEST(Base, PredicatesGuardAndJumpsNeedEveryLane) {
  Attila m(
      "setpgt p1, i0.x, 3.0\n"
      "(p1) mov o0, i0\n"
      "andp !p2, p1, true\n"
      "(p2) mov o1, i0\n"
      "addi r0, r0, 1\n"
      "stplti p3, r0.x, 5\n"
      "jmp p3, -2\n"
      "mov o2, r0\n"
      "jmp p1, 2\n"  // true in four lanes only: not taken
      "mov o3, i0\n"
      "end\n");
  m.run();
  EXPECT_EQ(m.at(0, 'x', 4), 4.0f);
  EXPECT_EQ(m.at(0, 'x', 3), 0.0f);
  EXPECT_EQ(m.at(1, 'x', 3), 3.0f);
  EXPECT_EQ(m.at(1, 'x', 4), 0.0f);
  EXPECT_EQ(m.out[8].lane[6], 5u);
  EXPECT_EQ(m.at(3, 'x', 7), 7.0f);
}

TEST(Base, MinMaxSgeAndCmpKeepTheirNanRules) {
  Attila m(
      "max o0, i0.x, i0.y\nmin o1, i0.x, i0.y\nsge o2, i0.x, i0.y\nslt o3, i0.x, i0.y\ncmp o4, i0.x, i0.z, i0.w\n");
  const float nan = std::nanf("");
  m.set(0, 0, nan, 5, 1, 2), m.set(0, 1, 5, nan, 1, 2), m.set(0, 2, -0.0f, 0.0f, 1, 2), m.set(0, 3, -1, 0, 1, 2);
  m.run();
  EXPECT_EQ(m.at(0, 'x', 0), 5.0f);
  EXPECT_TRUE(std::isnan(m.at(0, 'x', 1)));
  EXPECT_FALSE(std::signbit(m.at(0, 'x', 2)));
  EXPECT_EQ(m.at(2, 'x', 0), 1.0f);
  EXPECT_EQ(m.at(3, 'x', 0), 0.0f);
  EXPECT_EQ(m.at(4, 'x', 2), 2.0f);
  EXPECT_EQ(m.at(4, 'x', 3), 1.0f);
}

TEST(Base, FixedPointAccumulates) {
  Attila m(
      "fxmul r0, i1.x, i1.y\nfxmad o0, i1.y, i1.y, i1.y\nfxmad2 r0, i1.x, i1.x, i1.y\nfxmad o1, i1.x, i1.y, i1.y\n");
  for (uint32_t l = 0; l < kWarpLanes; ++l) m.set(1, l, 1.5f, 2.0f, 0, 0);
  m.run();
  EXPECT_EQ(m.at(0, 'x', 0), 7.0f);   // 1.5 * 2 + 2 * 2
  EXPECT_EQ(m.at(1, 'w', 0), 7.25f);  // 1.5 * 1.5 + 2, + 1.5 * 2
}

TEST(Base, KilDemotesAndEndFlagEnds) {
  Attila m("kil -i0.x !wait\nmov o0, i0 !end\nmov o1, i0\n");
  m.run();
  EXPECT_EQ(m.after.killed, 0xFEu);
  EXPECT_EQ(m.after.helper, 0xFEu);
  EXPECT_EQ(m.at(0, 'x', 4), 4.0f);
  EXPECT_EQ(m.at(1, 'x', 4), 0.0f);
}

TEST(Base, LdaReadsAnyElementOfAnAttribute) {
  Attila m("addi r0, r0, 5\nsetpgt p0, i0.x, 2.5\n(p0) lda_sat o0.xyw, -r0.x, t7\nlda o1, i0.x, t31\n");
  m.fetchAttribute = [](abi::Warp*, uint32_t location, LaneMask lanes, const LaneWords* element, LaneWords* result) {
    for (uint32_t c = 0; c < 4; ++c)
      for (uint32_t l = 0; l < kWarpLanes; ++l)
        if (lanes >> l & 1) {
          EXPECT_EQ(element->lane[l], location == 7 ? uint32_t(-5) : std::bit_cast<uint32_t>(float(l)));
          EXPECT_TRUE(location != 7 || l > 2);  // guarded lanes fetch nothing
          result[c].lane[l] = std::bit_cast<uint32_t>(float(c) - 0.5f);
        }
  };
  m.run();
  EXPECT_TRUE(m.program.info.inputLocations >> 7 & 1);
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    EXPECT_EQ(m.at(0, 'x', l), 0.0f);
    EXPECT_EQ(m.at(0, 'y', l), l > 2 ? 0.5f : 0.0f);
    EXPECT_EQ(m.at(0, 'z', l), 0.0f);
    EXPECT_EQ(m.at(0, 'w', l), l > 2 ? 1.0f : 0.0f);
    EXPECT_EQ(m.at(1, 'w', l), 2.5f);
  }
  m.fetchAttribute = nullptr;  // no vertex input: zeros
  m.run();
  EXPECT_EQ(m.at(1, 'w', 7), 0.0f);
  EXPECT_FALSE(isa::verify(*isa::assemble(".stage compute\nlda r0,r0.x,t7"), isa::VerifyMode::RealRegisters).ok());
  EXPECT_FALSE(isa::verify(*isa::assemble(".stage vertex\nlda r0,i0.x,t32"), isa::VerifyMode::RealRegisters).ok());
}

}  // namespace
}  // namespace etzel::interp
