#include "compiler/debug/spirv_listing.h"

#include <spirv/unified1/spirv.hpp11>

#include "compiler/debug/test_shader.h"
#include "compiler/isa/shadow.h"

namespace etzel::debugger {
namespace {

TEST(SpirvListing, LinesKnowTheirInstructions) {
  const std::vector<uint32_t> words = test::compileGlsl(
      "#version 450\nlayout(local_size_x = 8) in;\nlayout(binding = 0) buffer B { uint b[]; };\n"
      "void main() {\n  b[gl_LocalInvocationIndex] = 7u;\n}\n",
      "comp");
  const SpirvListing listing = listSpirv(words);
  ASSERT_FALSE(listing.text.empty());
  uint32_t line = 0, stores = 0, named = 0;
  for (size_t at = 0, end; (end = listing.text.find('\n', at)) != std::string::npos; at = end + 1) {
    const std::string text = listing.text.substr(at, end - at);
    ++line;
    EXPECT_EQ(text.find("; 0x"), std::string::npos) << text;
    const uint32_t word = listing.wordOfLine[line];
    if (!word) continue;
    ++named;
    EXPECT_EQ(listing.lineOf(word), line);
    if (text.find("OpStore") == std::string::npos) continue;
    ++stores;
    EXPECT_EQ(static_cast<spv::Op>(words[word] & 0xFFFF), spv::Op::OpStore);
  }
  EXPECT_EQ(line + 1, listing.wordOfLine.size());
  EXPECT_GT(named, 20u);
  EXPECT_EQ(stores, 1u);
  EXPECT_EQ(listing.lineOf(0), 0u);
  EXPECT_EQ(listing.lineOf(3), 0u) << "the header is no instruction";
}

TEST(SpirvListing, WhatCannotBeReadIsEmpty) {
  const uint32_t words[] = {1, 2, 3};
  EXPECT_TRUE(listSpirv(words).text.empty());
  EXPECT_TRUE(listSpirv({}).text.empty());
}

TEST(SpirvListing, CodeOfTheDebugCompileKnowsItsInstruction) {
  const std::vector<uint32_t> words = test::compileGlsl(
      "#version 450\nlayout(local_size_x = 8) in;\nlayout(binding = 1) buffer B { float b[]; };\n"
      "void main() {\n  b[gl_LocalInvocationIndex] = sqrt(b[3]);\n}\n",
      "comp");
  const auto program = compileForDebugging(test::sourceOf(words, abi::Stage::Compute));
  ASSERT_TRUE(program) << program.error().message;
  const DebugProgram& p = **program;
  uint32_t roots = 0, stores = 0;
  for (uint32_t i = 0; i < p.program.code.size(); ++i) {
    const uint32_t site = p.siteOf(i);
    if (site == kNone || isa::isShadow(p.program.code[i])) continue;
    const auto op = static_cast<spv::Op>(words[p.record.sites[site].word] & 0xFFFF);
    const bool isRoot = p.program.code[i].op == isa::Opcode::FSqrt;
    const bool isStore =
        p.program.code[i].op == isa::Opcode::St && static_cast<isa::Space>(p.program.code[i].sub) == isa::Space::Buffer;
    if (isRoot || isStore) {
      EXPECT_EQ(op, isRoot ? spv::Op::OpExtInst : spv::Op::OpStore);
    }
    roots += isRoot, stores += isStore;
  }
  EXPECT_EQ(roots, 1u);
  EXPECT_EQ(stores, 1u);
}

}  // namespace
}  // namespace etzel::debugger
