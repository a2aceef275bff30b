#include "runtime/task/delayed_atomics.h"

#include <gtest/gtest.h>

#include <vector>

namespace etzel::task {
namespace {

using abi::AtomicOp;
using Place = abi::DelayedAtomics::Place;

constexpr uint32_t kPlaces = abi::DelayedAtomics::kPlaces;

/// As machine code does it for a lane.
template <class T>
void add(DelayedAtomics& later, T& to, T value) {
  abi::DelayedAtomics* all = later.slots();
  const Place& known = all->places[reinterpret_cast<uintptr_t>(&to) / sizeof(T) % kPlaces];
  Place* own =
      known.address == &to ? const_cast<Place*>(&known) : all->replace(all, &to, AtomicOp::Add, uint32_t{sizeof(T)});
  own->value = T(own->value + value);
}

template <class T>
class DelayedPlaces : public ::testing::Test {};
using Words = ::testing::Types<uint32_t, uint64_t>;
TYPED_TEST_SUITE(DelayedPlaces, Words);

TYPED_TEST(DelayedPlaces, AreSummedUpUntilTheyAreDone) {
  std::vector<TypeParam> words(256, 5);
  DelayedAtomics later;
  later.allowPlaces(true);
  for (uint32_t round = 0; round < 3; ++round)
    for (TypeParam& w : words) add(later, w, TypeParam(&w - words.data()));
  EXPECT_EQ(words, std::vector<TypeParam>(256, 5));
  for (uint32_t twice = 0; twice < 2; ++twice) {
    later.flush();
    for (uint32_t i = 0; i < 256; ++i) EXPECT_EQ(words[i], 5 + 3 * i);
  }
}

TYPED_TEST(DelayedPlaces, ThatShareAnEntryTakeTurns) {
  std::vector<TypeParam> words(2 * kPlaces);
  DelayedAtomics later;
  later.allowPlaces(true);
  add<TypeParam>(later, words[7], 1);
  add<TypeParam>(later, words[7 + kPlaces], 2);
  EXPECT_EQ(words[7], 1u);
  EXPECT_EQ(words[7 + kPlaces], 0u);
  add<TypeParam>(later, words[7], 4);
  EXPECT_EQ(words[7 + kPlaces], 2u);
  later.flush();
  EXPECT_EQ(words[7], 5u);
}

/// So many additions to places one behind the other, of which each warp does eight. \returns whether it goes on
bool goesOn(uint32_t places, uint32_t additions) {
  std::vector<uint32_t> words(places);
  DelayedAtomics later;
  later.allowPlaces(true);
  uint32_t done = 0;
  for (; done < additions && later.slots()->places; ++done) {
    if (done % 8 == 0) ++later.slots()->warps;
    add(later, words[done % places], 1u);
  }
  later.flush();
  for (uint32_t i = 0; i < places; ++i) EXPECT_EQ(words[i], done / places + (i < done % places));
  return later.slots()->places;
}

TEST(DelayedPlaces, AreGivenUpWhereFewMeetAgain) {
  EXPECT_TRUE(goesOn(256, 100'000));
  EXPECT_TRUE(goesOn(kPlaces, 100'000));
  EXPECT_FALSE(goesOn(50'000, 100'000));
}

TEST(DelayedPlaces, AreNotAllowedToBeginWith) {
  DelayedAtomics later;
  EXPECT_FALSE(later.slots()->places);
  later.allowPlaces(true);
  EXPECT_TRUE(later.slots()->places);
  later.allowPlaces(false);
  EXPECT_FALSE(later.slots()->places);
}

}  // namespace
}  // namespace etzel::task
