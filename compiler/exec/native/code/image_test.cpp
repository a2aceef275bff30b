// Machine code as bytes: the same after a way through a file, refused when damaged. That saved code computes the same
// is same_bytes_test's, for random programs of every stage.
#include "compiler/exec/native/code/image.h"

#include <gtest/gtest.h>

#include "compiler/exec/native/native.h"
#include "compiler/exec/test/program_generator.h"

namespace etzel::native {
namespace {

using Generator = exec::test::ProgramGenerator;

std::vector<std::byte> savedProgram(const isa::Program& program) {
  static const std::unique_ptr<Compiler> compiler = Compiler::create();
  if (!compiler) return {};
  const auto code = compiler->compile(program);
  EXPECT_TRUE(code.ok());
  return (*code)->save();
}

TEST(Image, CodeIsTheSameInEveryProcess) {
  const isa::Program program = Generator(3, abi::Stage::Compute, 40).make();
  const std::vector<std::byte> saved = savedProgram(program);
  if (saved.empty()) GTEST_SKIP() << "no native executor on this host";
  EXPECT_EQ(savedProgram(program), saved);  // at another address
  const auto loaded = load(program, saved);
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ((*loaded)->save(), saved);
  const auto image = readImage(saved);
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(writeImage(*image), saved);
}

TEST(Image, OtherBytesAreRefused) {
  const isa::Program program = Generator(4, abi::Stage::Fragment, 40).make();
  const std::vector<std::byte> saved = savedProgram(program);
  if (saved.empty()) GTEST_SKIP() << "no native executor on this host";
  for (const size_t bytes : {size_t(0), size_t(3), size_t(28), saved.size() / 2, saved.size() - 1})
    EXPECT_FALSE(load(program, std::span(saved).first(bytes)).ok()) << bytes;
  std::vector<std::byte> longer = saved;
  longer.push_back({});
  EXPECT_FALSE(load(program, longer).ok());

  Image image = *readImage(saved);
  image.entry = static_cast<uint32_t>(image.text.size());
  EXPECT_FALSE(load(program, writeImage(image)).ok());
  image = *readImage(saved);
  image.imports.assign(1, static_cast<uint32_t>(importNames().size()));
  EXPECT_FALSE(load(program, writeImage(image)).ok());
  image = *readImage(saved);
  image.steps.push_back(static_cast<uint32_t>(program.code.size()));
  EXPECT_FALSE(load(program, writeImage(image)).ok());
}

// Sizes that a damaged file may ask for are more than it has.
TEST(Image, AHeaderThatAsksForTooMuchIsRefused) {
  std::vector<std::byte> bytes(64, std::byte{0xFF});
  EXPECT_FALSE(readImage(bytes).ok());
}

}  // namespace
}  // namespace etzel::native
