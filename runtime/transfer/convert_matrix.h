// Matrices in memory that change their layout and the format of their numbers (VK_NV_cooperative_vector).
#pragma once

#include <cstddef>

#include "runtime/base/types.h"

namespace etzel::transfer {

enum class MatrixNumber : uint8_t {
  Raw8,  ///< becomes the same bytes only
  Float16,
  Float32,
  E4M3,
  E5M2,
};
uint32_t bytesOf(MatrixNumber number);

/// How the elements of a matrix lie in memory.
struct MatrixPlace {
  MatrixNumber number;
  uint64_t rowPitch, columnPitch;  ///< bytes from one row to the next, from one column to the next
};

/// Rounds to the nearest even number. Neither side needs any alignment; they do not overlap.
/// \pre both sides have the same kind of number, or floats
void convertMatrix(const std::byte* from, const MatrixPlace& fromPlace, std::byte* to, const MatrixPlace& toPlace,
                   uint32_t rows, uint32_t columns);

}  // namespace etzel::transfer
