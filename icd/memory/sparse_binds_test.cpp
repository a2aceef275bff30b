// Which mappings binds become, and what memory shows afterwards.
#include "icd/memory/sparse_binds.h"

#include <gtest/gtest.h>

#include "icd/entry_points.h"
#include "icd/object/aliased_memory.h"
#include "icd/object/device.h"
#include "icd/physical_device/memory_types.h"
#include "icd/physical_device/sparse_images.h"
#include "icd/queue/queue.h"

namespace etzel::icd {
namespace {

constexpr uint64_t kMemoryBytes = 4 << 20;

class SparseBinds : public testing::Test {
 protected:
  SparseBinds() {
    const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, kMemoryBytes, kSparseMemoryType};
    EXPECT_EQ(AllocateMemory(handleOf(&device), &info, nullptr, &memory), VK_SUCCESS);
  }
  ~SparseBinds() override { FreeMemory(handleOf(&device), memory, nullptr); }

  void makeImage(VkExtent3D extent, uint32_t mips, uint32_t samples) {
    image.layout = mem::layoutImage({extent.depth > 1 ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM,
                                     extent, mips, 1, samples, VK_IMAGE_TILING_OPTIMAL, 0, page});
    image.sparse = SparseRange::reserve(image.layout.size, true);
    image.data = image.sparse->data();
  }
  std::vector<SparseBind> bind(VkOffset3D at, VkExtent3D extent, bool nothing = false, uint64_t memoryOffset = 0) {
    const VkSparseImageMemoryBind b{{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0}, at,           extent,
                                    nothing ? VK_NULL_HANDLE : memory, memoryOffset, 0};
    std::vector<SparseBind> out;
    appendBinds(image, {&b, 1}, out);
    return out;
  }

  const uint64_t page = hostPageBytes();
  const uint32_t blockWidth = static_cast<uint32_t>(page / 4);
  Device device;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  Image image;
};

TEST_F(SparseBinds, WholeRowsTakeOneMapping) {
  makeImage({3 * blockWidth - 5, 40, 1}, 1, 1);
  const auto binds = bind({}, {3 * blockWidth - 5, 40, 1});
  ASSERT_EQ(binds.size(), 1u);
  EXPECT_EQ(binds[0].bytes, 3 * 40 * page);
}

TEST_F(SparseBinds, PartsOfRowsTakeOneMappingEach) {
  makeImage({3 * blockWidth, 40, 1}, 1, 1);
  const auto binds = bind({int32_t(blockWidth), 10, 0}, {2 * blockWidth, 20, 1}, false, 7 * page);
  ASSERT_EQ(binds.size(), 20u);
  for (uint32_t y = 0; y < 20; ++y) {
    EXPECT_EQ(binds[y].offset, ((10 + y) * 3 + 1) * page);
    EXPECT_EQ(binds[y].bytes, 2 * page);
    EXPECT_EQ(binds[y].memory, cast<DeviceMemory>(memory)->data + (7 + 2 * y) * page);
  }
}

TEST_F(SparseBinds, SamplesOfABlockFollowEachOther) {
  makeImage({2 * blockWidth, 3, 1}, 1, 4);
  const auto binds = bind({int32_t(blockWidth), 1, 0}, {blockWidth, 1, 1});
  ASSERT_EQ(binds.size(), 4u);
  for (uint32_t s = 0; s < 4; ++s) {
    EXPECT_EQ(binds[s].offset, s * image.layout.plane[0].samplePitch + 3 * page);
    EXPECT_EQ(binds[s].memory, cast<DeviceMemory>(memory)->data + s * page);
  }
}

TEST_F(SparseBinds, WhatIsNotThereIsLeftOut) {
  makeImage({2 * blockWidth, 8, 1}, 1, 1);
  EXPECT_TRUE(bind({0, 4, 0}, {blockWidth, 5, 1}).empty()) << "beyond the level";
  EXPECT_TRUE(bind({-int32_t(blockWidth), 0, 0}, {blockWidth, 1, 1}).empty());
  EXPECT_TRUE(bind({}, {blockWidth, 1, 1}, false, kMemoryBytes).empty()) << "beyond the memory";
  EXPECT_TRUE(bind({}, {blockWidth, 1, 1}, false, 8).empty()) << "within a page";
  EXPECT_TRUE(bind({}, {blockWidth, 0, 1}).empty());
  std::vector<SparseBind> out;
  const VkSparseMemoryBind past{image.sparse->bytes(), page, memory, 0, 0};
  appendBinds(image.sparse.get(), {&past, 1}, out);
  const VkSparseMemoryBind first{0, page, memory, 0, 0};
  appendBinds(nullptr, {&first, 1}, out);
  EXPECT_TRUE(out.empty());
}

TEST_F(SparseBinds, BoundBlocksAreTheMemory) {
  makeImage({2 * blockWidth, 4, 3}, 1, 1);
  for (const SparseBind& b : bind({0, 1, 2}, {2 * blockWidth, 2, 1}, false, 5 * page))
    ASSERT_TRUE(b.range->bind(b.offset, b.bytes, b.memory));
  const uint64_t at = image.layout.texelOffset(image.layout.plane[0], 0, 0, 0, blockWidth + 1, 2, 2);
  image.data[at] = std::byte{42};
  EXPECT_EQ(cast<DeviceMemory>(memory)->data[(5 + 3) * page + 4], std::byte{42});
  EXPECT_TRUE(image.sparse->residency()->resident(image.data + at));
  EXPECT_FALSE(image.sparse->residency()->resident(image.data));
  for (const SparseBind& b : bind({0, 1, 2}, {2 * blockWidth, 2, 1}, true))
    ASSERT_TRUE(b.range->bind(b.offset, b.bytes, b.memory));
  EXPECT_EQ(image.data[at], std::byte{0});
  EXPECT_FALSE(image.sparse->residency()->resident(image.data + at));
}

}  // namespace
}  // namespace etzel::icd
