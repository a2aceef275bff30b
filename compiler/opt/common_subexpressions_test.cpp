#include <gtest/gtest.h>

#include "compiler/opt/pass_test.h"
#include "runtime/abi/tex_inst.h"

namespace etzel::opt {
namespace {

TEST(MergeCommonPass, ARepetitionIsACopy) {
  expectPass("merge-common",
             "sys r0.x, #0xf\n"
             "fadd.f32 r1.x, r0.x, c0.y\n"
             "fadd.f32 r2.x, r0.x, c0.y\n"
             "fadd.f32 r3.x, r0.x, c0.x\n",
             "sys r0.x, #0xf\n"
             "fadd.f32 r1.x, r0.x, c0.y\n"
             "xmov r2.x, r1.x\n"
             "fadd.f32 r3.x, r0.x, c0.x\n");
}

TEST(MergeCommonPass, OnlyTheScopeThatComputedItKnowsIt) {
  const std::string text =
      "sys r0.x, #0xf\n"
      "if c0.y\n"
      "fadd.f32 r1.x, r0.x, c0.y\n"
      "else\n"
      "fadd.f32 r2.x, r0.x, c0.y\n"
      "endif\n";
  expectPass("merge-common", text, text);
}

TEST(MergeCommonPass, MemoryIsReadOnceWhileNothingOrdersIt) {
  expectPass("merge-common",
             "ld.buffer.i32 r0.x, c0.x, -, #0\n"
             "ld.buffer.i32 r0.y, c0.x, -, #0\n"
             "ld.buffer.i32 r0.z, c0.x, -, #4\n"
             "ld.push.i32 r1.x, -, -, #0\n"
             "ld.push.i32 r1.y, -, -, #0\n",
             "ld.buffer.i32 r0.x, c0.x, -, #0\n"
             "xmov r0.y, r0.x\n"
             "ld.buffer.i32 r0.z, c0.x, -, #4\n"
             "ld.push.i32 r1.x, -, -, #0\n"
             "xmov r1.y, r1.x\n");
}

TEST(MergeCommonPass, WorkgroupMemoryIsReadOnceBetweenBarriers) {
  expectPass("merge-common",
             "ld.shared.i32.x4 r0.x, -, -, #0\n"
             "ld.shared.i32.x4 r1.x, -, -, #0\n"
             "barrier\n"
             "ld.shared.i32.x4 r2.x, -, -, #0\n",
             "ld.shared.i32.x4 r0.x, -, -, #0\n"
             "xmov.x4 r1.x, r0.x\n"
             "barrier\n"
             "ld.shared.i32.x4 r2.x, -, -, #0\n",
             [](isa::Program& p) { p.info.stage = abi::Stage::Compute; });
}

TEST(MergeCommonPass, MemoryIsReadAgainBehindWhatOrdersIt) {
  for (const char* between : {"membar\n", "st.buffer.i32 c0.x, -, c0.y, #8\n", "st.shared.i32 -, -, c0.y, #0\n"}) {
    const std::string text =
        std::string("ld.buffer.i32 r0.x, c0.x, -, #0\n") + between + "ld.buffer.i32 r0.y, c0.x, -, #0\n";
    expectPass("merge-common", text, text);
  }
}

TEST(MergeCommonPass, EveryRoundOfALoopReadsMemory) {
  const std::string text =
      "ld.buffer.i32 r0.x, c0.x, -, #0\n"
      "block\n"
      "loop\n"
      "ld.buffer.i32 r0.y, c0.x, -, #0\n"
      "brc r0.y, #0\n"
      "endloop\n"
      "endblock\n"
      "ld.buffer.i32 r0.z, c0.x, -, #0\n";
  expectPass("merge-common", text, text);
}

/// Two samples of one place, whose arguments are copied for each, with something between them. #16: a 2D image.
std::string twoSamples(const std::string& between, const std::string& second = "texture r4.x, c0.x, r3.x, c0.x, #16") {
  return "sys r0.x, #0xf\nsys r0.y, #0xd\nxmov r1.x, r0.x\nxmov r1.y, r0.y\ntexture r2.x, c0.x, r1.x, c0.x, #16\n"
         "fadd.f32 r5.x, r2.y, c0.y\n" +
         between + "xmov r3.x, r0.x\nxmov r3.y, r0.y\n" + second + "\nfadd.f32 r6.x, r4.y, c0.y\n";
}

TEST(MergeCommonPass, APlaceIsSampledOnceAndWhatIsMadeOfItIsComputedOnce) {
  std::string merged = twoSamples("", "xmov.x4 r4.x, r2.x");
  merged.replace(merged.find("fadd.f32 r6.x, r4.y, c0.y"), 25, "xmov r6.x, r5.x");
  expectPass("merge-common", twoSamples(""), merged);
}

TEST(MergeCommonPass, LoopsReadSampledImagesOnceWhereTheProgramOrdersNoMemory) {
  const std::string before = twoSamples("block\nloop\nbrc c0.y, #0\n") + "endloop\nendblock\n";
  std::string merged = twoSamples("block\nloop\nbrc c0.y, #0\n", "xmov.x4 r4.x, r2.x") + "endloop\nendblock\n";
  merged.replace(merged.find("fadd.f32 r6.x, r4.y, c0.y"), 25, "xmov r6.x, r5.x");
  expectPass("merge-common", before, merged);
  const std::string ordered = before + "membar\n";
  expectPass("merge-common", ordered, ordered);
}

TEST(MergeCommonPass, ImagesAreReadAgainBehindWhatOrdersMemory) {
  const std::string text = twoSamples("st.buffer.i32 c0.x, -, c0.y, #8\n");
  expectPass("merge-common", text, text);
}

TEST(MergeCommonPass, OtherPlacesImagesAndInstructionsAreOtherSamples) {
  for (const char* second : {"texture r4.x, c0.y, r3.x, c0.x, #16", "texture r4.x, c0.x, r3.x, c0.y, #16",
                             "texture r4.x, c0.x, r3.x, c0.x, #17"}) {
    const std::string text = twoSamples("", second);
    expectPass("merge-common", text, text);
  }
  std::string text = twoSamples("");
  text.replace(text.find("xmov r3.y, r0.y"), 15, "xmov r3.y, r0.x");
  expectPass("merge-common", text, text);
}

TEST(MergeCommonPass, FetchesOfSamplesAndAttachmentsAndStorageImagesAreReadEachTime) {
  abi::TexInst samples, attachment, storage;
  samples.kind = abi::TexKind::Fetch, samples.multisampled = true, samples.lod = abi::LodMode::Zero;
  attachment.kind = abi::TexKind::Fetch, attachment.dim = abi::TexDim::Subpass, attachment.lod = abi::LodMode::Zero;
  storage.kind = abi::TexKind::ImageRead, storage.lod = abi::LodMode::Zero;
  for (const abi::TexInst& inst : {samples, attachment, storage}) {
    const std::string fetch = ", c0.x, r0.x, -, #" + std::to_string(inst.pack()) + "\n";
    const std::string text =
        "sys r0.x, #0xf\nsys r0.y, #0xd\nsys r0.z, #0x7\ntexture r1.x" + fetch + "texture r2.x" + fetch;
    expectPass("merge-common", text, text);
  }
}

TEST(MergeCommonPass, WhatDependsOnTheActiveLanesIsAskedAgain) {
  const std::string text = "sys r0.x, #0xf\nsgballot r1.x, r0.x\nsgballot r1.y, r0.x\nhelper r2.x\nhelper r2.y\n";
  expectPass("merge-common", text, text);
}

}  // namespace
}  // namespace etzel::opt
