// The table of formats against the versions and extensions that are offered.
#include <gtest/gtest.h>

#include <set>

#include "icd/vulkan_newer.h"
#include "runtime/format/format.h"

namespace etzel::icd {
namespace {

#include "icd/formats.inc"

TEST(Formats, EveryOfferedFormatHasARow) {
  std::set<VkFormat> missing;
  for (VkFormat f : kOfferedFormat)
    if (f != VK_FORMAT_UNDEFINED && !format::find(f)) missing.insert(f);
  EXPECT_EQ(missing, std::set<VkFormat>{}) << "no row in runtime/format/format.def";
}

}  // namespace
}  // namespace etzel::icd
