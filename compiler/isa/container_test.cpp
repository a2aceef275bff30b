// Containers read back to the same program, and damaged ones are refused.
#include "compiler/isa/container.h"

#include <gtest/gtest.h>

#include "compiler/isa/assemble.h"
#include "compiler/isa/disassemble.h"

namespace etzel::isa {
namespace {

Program sample() {
  Program p = *assemble(
      ".name sample\n.stage compute\n.temps 12\n.scratch 16\n.shared 64\n.local 8 2 1\n.resource 0 3 0x10 32 4\n"
      ".const 1.0 0 0x7F 2\n.table 1 2.0 0xFFFFFFFF\n.table 7\n.print f32x3 i64 \"at %v3f\\3b %ld\\0a\"\n"
      ".abort 4 3 12 \"\\00\\01\\3b\\ff text\" \"a.comp\"\nabort r0.x, #0\nabort -, #0\n"
      "desc r0.x, -, #0\nld_raw.buffer r1.xy, r0.x, [4].yxzw\nadd_sat r2,|r1|,c0.x\nst.buffer.i32.x2 r0.x, r2.x, r1.x, "
      "#0\n");
  p.locations = {{"a.comp", 3, 1}, {"b.comp", 9, 4}};
  p.code[1].line = 2, p.code[2].line = 1;
  p.info.inputLocations = 5, p.info.xfbStride[2] = 48, p.info.xfbOutputs = {{16, 1, 0, 12}};
  return p;
}

TEST(Container, ReadsBack) {
  const Program p = sample();
  const auto back = readContainer(writeContainer(p));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(disassemble(*back), disassemble(p));
  EXPECT_EQ(back->code, p.code);
  EXPECT_EQ(back->constants, p.constants);
  EXPECT_EQ(back->table, (std::vector<uint32_t>{1, 0x40000000, 0xFFFFFFFF, 7}));
  EXPECT_EQ(back->resources, p.resources);
  EXPECT_EQ(back->prints, p.prints);
  ASSERT_EQ(back->aborts.size(), 1u);
  EXPECT_EQ(*back->aborts[0], *p.aborts[0]);
  EXPECT_EQ(back->locations, p.locations);
  EXPECT_EQ(back->info.xfbOutputs.size(), 1u);
  EXPECT_EQ(back->info.xfbStride[2], 48u);
  EXPECT_EQ(back->info.inputLocations, 5u);
  EXPECT_EQ(back->info.sysValues, p.info.sysValues);
  EXPECT_EQ(writeContainer(*back), writeContainer(p));
}

TEST(Container, DamageIsRefusedOrHarmless) {
  const std::vector<std::byte> good = writeContainer(sample());
  for (size_t n = 0; n < good.size(); ++n) {
    // A container that ends between sections is a smaller program; anywhere else it is an error.
    const auto cut = readContainer(std::span(good).first(n));
    if (cut.ok()) {
      EXPECT_LE(cut->code.size(), 6u);
    }
    for (uint32_t bit = 0; bit < 8; ++bit) {
      std::vector<std::byte> bent = good;
      bent[n] ^= std::byte(1u << bit);
      const auto read = readContainer(bent);
      if (n < 8) {
        EXPECT_FALSE(read.ok()) << n;
      } else if (read.ok()) {
        EXPECT_EQ(writeContainer(*read).size(), good.size()) << n;
      }
    }
  }
}

}  // namespace
}  // namespace etzel::isa
