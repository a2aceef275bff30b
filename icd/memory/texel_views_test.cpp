// Views of texel buffers by address: one for each question, and residency where the memory is a sparse buffer's.
#include "icd/memory/texel_views.h"

#include <gtest/gtest.h>

#include "icd/memory/sparse_range.h"

namespace etzel::icd {
namespace {

TEST(TexelViews, OneForEachQuestion) {
  TexelViews views;
  std::byte memory[64];
  const tex::ImageView* view = views.find(memory, 30, VK_FORMAT_R32G32_UINT);
  EXPECT_EQ(view->bufferBytes, 24u) << "whole texels";
  EXPECT_EQ(view->memory, memory);
  EXPECT_EQ(view->residency, nullptr);
  EXPECT_EQ(views.find(memory, 30, VK_FORMAT_R32G32_UINT), view);
  EXPECT_NE(views.find(memory, 30, VK_FORMAT_R32G32_SINT), view);
  EXPECT_NE(views.find(memory + 8, 30, VK_FORMAT_R32G32_UINT), view);
}

TEST(TexelViews, OfSparseMemoryKnowWhatIsResident) {
  TexelViews views;
  auto range = SparseRange::reserve(2 << 20, true);
  ASSERT_NE(range, nullptr);
  std::byte* const last = range->data() + range->bytes() - 64;
  EXPECT_EQ(views.find(last, 64, VK_FORMAT_R32_UINT)->residency, range->residency());
  EXPECT_EQ(residencyAt(range->data()), range->residency());
  EXPECT_EQ(residencyAt(range->data() + range->bytes()), nullptr);
  range.reset();
  EXPECT_EQ(views.find(last, 64, VK_FORMAT_R32_UINT)->residency, nullptr) << "of a range that is gone";
}

}  // namespace
}  // namespace etzel::icd
