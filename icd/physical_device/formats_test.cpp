// The table of formats against the versions and extensions that are offered.
#include <gtest/gtest.h>

#include <set>

#include "icd/vulkan_newer.h"
#include "runtime/format/format.h"

namespace etzel::icd {
namespace {

#include "icd/formats.inc"

/// Formats of textureCompressionASTC_HDR, a feature that is not offered.
bool isHdrBlock(VkFormat f) { return f >= VK_FORMAT_ASTC_4x4_SFLOAT_BLOCK && f <= VK_FORMAT_ASTC_12x12_SFLOAT_BLOCK; }

TEST(Formats, EveryOfferedFormatHasARow) {
  std::set<VkFormat> missing;
  for (VkFormat f : kOfferedFormat)
    if (f != VK_FORMAT_UNDEFINED && !isHdrBlock(f) && !format::find(f)) missing.insert(f);
  EXPECT_EQ(missing, std::set<VkFormat>{}) << "no row in runtime/format/format.def";
}

}  // namespace
}  // namespace etzel::icd
