// Which fragment programs let one invocation stand for several samples.
#include <gtest/gtest.h>

#include "compiler/isa/assemble.h"
#include "compiler/isa/info.h"
#include "compiler/opt/passes.h"

namespace etzel::opt {
namespace {

bool shares(const std::string& text) {
  auto program = isa::assemble(".stage fragment\n.temps 40\n.resource 0 0 0 32 1\n.const 1 2 0x3f000000 0\n" + text);
  EXPECT_TRUE(program.ok()) << program.error().message << "\n" << text;
  if (!program.ok()) return false;
  isa::deriveInfo(*program);
  findSampleSharing(*program);
  return program->info.sharesSamples;
}

// Words 4 and 5 are the pixel, word 6 the sample; the fetch is 2D, multisampled, of level 0.
const std::string kPixel =
    "sys r0.x, #0xf\nsys r0.y, #0x10\ncvtfs.f32.i32 r1.x, r0.x\ncvtfs.f32.i32 r1.y, r0.y\nsys r1.z, #0x16\n";
const std::string kFetch = "texture r2.x, c0.w, r1.x, -, #0x911\nxmov o1.x, r2.x\n";
const std::string kInput = "bary.center r8.x, -, -\nintrp r9.x, r8.x, r8.y, #0x10\nxmov o1.y, r9.x\n";

TEST(ShareSamplesPass, FetchesOfTheOwnSampleShare) {
  EXPECT_TRUE(shares(kPixel + kFetch + "ret\n"));
  EXPECT_TRUE(shares(kPixel + kFetch + kInput + "ret\n"));
  EXPECT_TRUE(shares(kPixel + "xmov r7.x, r1.x\nxmov r7.y, r1.y\nxmov r7.z, r1.z\n"
                              "texture r2.x, c0.w, r7.x, -, #0x911\nxmov o1.x, r2.x\nret\n"));
  EXPECT_TRUE(
      shares("sys r0.x, #0xf\nsys r0.y, #0x10\nffloor.f32 r1.x, r0.x\nftrunc.f32 r1.y, r0.y\n"
             "fmul.f32 o1.x, r1.x, r1.y\nret\n"));
}

TEST(ShareSamplesPass, ControlFlowAndDiscardsFollowTheTexels) {
  EXPECT_TRUE(shares(kPixel + "texture r2.x, c0.w, r1.x, -, #0x911\nif r2.x\nkill\nendif\nblock\nloop\nbrc r2.y, #0\n"
                              "texture r2.x, c0.w, r1.x, -, #0x911\nendloop\nendblock\nxmov o1.x, r2.x\nret\n"));
}

TEST(ShareSamplesPass, InputsAloneAskForEverySample) {
  EXPECT_FALSE(shares(kInput + "ret\n"));
  EXPECT_TRUE(shares("flat r0.x, #0x10\nxmov o1.x, r0.x\nret\n"));  // but these don't differ
}

TEST(ShareSamplesPass, TheNumberOfTheSampleMustNotShow) {
  EXPECT_FALSE(shares(kPixel + kFetch + "xmov o1.y, r1.z\nret\n"));
  EXPECT_FALSE(shares(kPixel + "iadd.i32 r1.z, r1.z, c0.x\n" + kFetch + "ret\n"));
  EXPECT_FALSE(shares(kPixel + "xmov r1.x, r1.z\n" + kFetch + "ret\n"));  // as a coordinate
  EXPECT_FALSE(shares(kPixel + kFetch + "cvtsf.i32.f32 r3.x, r1.z\nxmov o1.x, r3.x\nret\n"));
  EXPECT_FALSE(shares(kPixel + kFetch + "if r1.z\nxmov o1.x, c0.x\nendif\nret\n"));
  EXPECT_FALSE(shares(kPixel + "texture r2.x, c0.w, r1.x, -, #0x81b\nxmov o1.x, r2.x\nret\n"));  // of a fragment
}

TEST(ShareSamplesPass, AWordThatALoopCarriesIsFollowed) {
  EXPECT_FALSE(shares(kPixel +
                      "xmov r5.x, c0.x\nblock\nloop\nbrc r5.x, #0\nxmov o1.y, r6.x\nxmov r6.x, r1.z\nendloop\n"
                      "endblock\n" +
                      kFetch + "ret\n"));
}

TEST(ShareSamplesPass, PlacesWithinThePixelDiffer) {
  EXPECT_FALSE(shares(kPixel + kFetch + "xmov o1.y, r0.x\nret\n"));
  EXPECT_FALSE(shares(kPixel + kFetch + "fadd.f32 o1.y, r0.x, r0.y\nret\n"));
  EXPECT_FALSE(shares(kPixel + kFetch + "fceil.f32 o1.y, r0.x\nret\n"));
  for (const char* value : {"0x11", "0x12", "0x17", "0x18", "0x19", "0x1a"})  // FragCoordZ to FullyCovered
    EXPECT_FALSE(shares(kPixel + kFetch + "sys r3.x, #" + value + "\nxmov o1.y, r3.x\nret\n")) << value;
  for (const char* mode : {"centroid", "sample"})
    EXPECT_FALSE(shares(kPixel + kFetch + "bary." + mode + " r8.x, -, -\nintrp o1.y, r8.x, r8.y, #0x10\nret\n"))
        << mode;
}

TEST(ShareSamplesPass, NothingIsStoredAndNobodyLooksAround) {
  EXPECT_FALSE(shares(kPixel + kFetch + "st.buffer.i32 c0.w, c0.w, r2.x, #0\nret\n"));
  EXPECT_FALSE(shares(kPixel + kFetch + "ddxc r3.x, r2.x\nxmov o1.y, r3.x\nret\n"));
  EXPECT_FALSE(shares(kPixel + kFetch + "sgballot r3.x, r2.x\nxmov o1.y, r3.x\nret\n"));
  EXPECT_FALSE(shares(kPixel + kFetch + "clock r3.x\nxmov o1.y, r3.x\nret\n"));
  EXPECT_FALSE(
      shares(kPixel + kFetch + "texture r3.x, c0.w, r2.x, c0.w, #0x10\nxmov o1.y, r3.x\nret\n"));  // implicit level
  EXPECT_TRUE(shares(kPixel + kFetch + "texture r4.x, c0.w, r2.x, c0.w, #0x810\nxmov o1.y, r4.x\nret\n"));  // level 0
}

}  // namespace
}  // namespace etzel::opt
