#include "icd/memory/descriptor_ranges.h"

#include <gtest/gtest.h>

namespace etzel::icd {
namespace {

std::byte memory[1024];

TEST(DescriptorRanges, AddressesBelongToTheBufferThatReachesFurthest) {
  const int a = 0, b = 0, c = 0;
  addDescriptorRange(&a, memory, 512);
  addDescriptorRange(&b, memory + 64, 128);
  addDescriptorRange(&c, memory + 256, 512);
  EXPECT_EQ(descriptorRangeAt(memory + 100).data(), memory);
  EXPECT_EQ(descriptorRangeAt(memory + 300).data(), memory + 256);
  EXPECT_EQ(descriptorRangeAt(memory + 767).size(), 512u);
  EXPECT_TRUE(descriptorRangeAt(memory + 768).empty());
  removeDescriptorRange(&c, memory + 256);
  EXPECT_EQ(descriptorRangeAt(memory + 300).data(), memory);
  removeDescriptorRangesWithin(memory, sizeof memory);
  EXPECT_TRUE(descriptorRangeAt(memory + 100).empty());
}

TEST(DescriptorRanges, ABufferWithoutMemoryTakesNobodysWithIt) {
  const int old = 0, young = 0;
  addDescriptorRange(&old, memory, 512);
  removeDescriptorRangesWithin(memory, sizeof memory);
  addDescriptorRange(&young, memory, 512);
  removeDescriptorRange(&old, memory);
  EXPECT_EQ(descriptorRangeAt(memory).size(), 512u);
  removeDescriptorRange(&young, memory);
  EXPECT_TRUE(descriptorRangeAt(memory).empty());
}

}  // namespace
}  // namespace etzel::icd
