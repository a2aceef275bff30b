#include "icd/descriptor/sealed.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "icd/descriptor/descriptors.h"

namespace etzel::icd {
namespace {

union Slot {
  std::byte bytes[abi::kDescriptorBytes];
  abi::BufferDescriptor buffer;
  abi::ImageDescriptor image;
};

Slot unsealed(const SealedDescriptor& sealed) {
  Slot slot{};
  std::memset(slot.bytes, 0xAB, sizeof slot.bytes);
  unseal(sealed, slot.bytes);
  return slot;
}

bool isNull(const SealedDescriptor& sealed) {
  static constexpr std::byte kZeros[abi::kDescriptorBytes] = {};
  return std::memcmp(unsealed(sealed).bytes, kZeros, sizeof kZeros) == 0;
}

TEST(Sealed, DescriptorsComeOutAsTheyWere) {
  const Slot buffer = unsealed(seal(abi::BufferDescriptor{0x1000, 64, {}}));
  EXPECT_EQ(buffer.buffer.address, 0x1000u);
  EXPECT_EQ(buffer.buffer.size, 64u);
  EXPECT_EQ(buffer.image.view, nullptr);
  tex::ImageView view;
  tex::Sampler sampler;
  for (const bool input : {false, true}) {
    abi::ImageDescriptor from{.view = &view, .sampler = input ? nullptr : &sampler};
    markSlot(from, input);
    const Slot image = unsealed(seal(from));
    EXPECT_EQ(image.image.view, from.view);
    EXPECT_EQ(image.image.sampler, from.sampler);
    EXPECT_EQ(isInputSlot(image.image), input);
    EXPECT_EQ(image.buffer.size, 0u);
  }
}

TEST(Sealed, NullDescriptorsAreZeros) {
  const SealedDescriptor null = seal(abi::ImageDescriptor{}), zeros{};
  EXPECT_EQ(std::memcmp(&null, &zeros, sizeof null), 0);
  EXPECT_TRUE(isNull(null));
}

TEST(Sealed, AnyOtherBitMakesItNull) {
  const SealedDescriptor good = seal(abi::BufferDescriptor{0x7F0012345678, 4096, {}});
  for (size_t bit = 0; bit < sizeof good * 8; ++bit) {
    SealedDescriptor bad = good;
    reinterpret_cast<uint8_t*>(&bad)[bit / 8] ^= uint8_t(1u << bit % 8);
    EXPECT_TRUE(isNull(bad)) << bit;
  }
}

TEST(Sealed, BytesThatNobodySealedAreNull) {
  std::mt19937_64 random(1);
  SealedDescriptor d;
  for (int i = 0; i < 100'000; ++i) {
    for (uint64_t& word : d.word) word = random();
    d.word[2] %= 5;  // the kinds
    d.seal = i % 3 ? random() : i % 2 ? d.word[0] : 0;
    ASSERT_TRUE(isNull(d));
  }
  // What the driver keeps itself, and gives nobody.
  const abi::BufferDescriptor raw{0x7F0012345678, 4096, {}};
  std::memcpy(&d, &raw, sizeof d);
  EXPECT_TRUE(isNull(d));
}

}  // namespace
}  // namespace etzel::icd
