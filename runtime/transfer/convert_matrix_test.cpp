#include "runtime/transfer/convert_matrix.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace etzel::transfer {
namespace {

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> all;
  for (int v : values) all.push_back(std::byte(v));
  return all;
}

TEST(ConvertMatrix, TransposesAndLeavesGapsAlone) {
  // 2 rows and 3 columns, rows 4 bytes apart, to columns 3 bytes apart.
  const auto from = bytes({1, 2, 3, 99, 4, 5, 6, 99});
  auto to = bytes({0, 0, 7, 0, 0, 7, 0, 0, 7});
  convertMatrix(from.data(), {MatrixNumber::Raw8, 4, 1}, to.data(), {MatrixNumber::Raw8, 1, 3}, 2, 3);
  EXPECT_EQ(to, bytes({1, 4, 7, 2, 5, 7, 3, 6, 7}));
}

TEST(ConvertMatrix, CopiesRowsOfEqualNumbersWhole) {
  const auto from = bytes({1, 2, 3, 4, 9, 9, 5, 6, 7, 8, 9, 9});
  auto to = bytes({0, 0, 0, 0, 0, 0, 0, 0});
  convertMatrix(from.data(), {MatrixNumber::Float16, 6, 2}, to.data(), {MatrixNumber::Float16, 4, 2}, 2, 2);
  EXPECT_EQ(to, bytes({1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(ConvertMatrix, RoundsFloats) {
  const float from[3] = {1.0f, -2.25f, 300.0f};
  for (const auto& [number, want] : {std::pair{MatrixNumber::E4M3, bytes({0x38, 0xC1, 0x79})},
                                     std::pair{MatrixNumber::E5M2, bytes({0x3C, 0xC0, 0x5D})}}) {
    std::vector<std::byte> to(3);
    convertMatrix(reinterpret_cast<const std::byte*>(from), {MatrixNumber::Float32, 12, 4}, to.data(), {number, 3, 1},
                  1, 3);
    EXPECT_EQ(to, want);
    uint16_t back[3] = {};
    convertMatrix(to.data(), {number, 3, 1}, reinterpret_cast<std::byte*>(back), {MatrixNumber::Float16, 6, 2}, 1, 3);
    EXPECT_EQ(back[0], 0x3C00);
  }
}

}  // namespace
}  // namespace etzel::transfer
