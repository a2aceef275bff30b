#include "runtime/transfer/convert_matrix.h"

#include <cstring>

#include "runtime/format/small_float.h"

namespace etzel::transfer {
namespace {

float read(MatrixNumber number, const std::byte* at) {
  uint32_t bits = 0;
  std::memcpy(&bits, at, bytesOf(number));
  switch (number) {
    case MatrixNumber::Float16: return simd::halfToFloat(bits);
    case MatrixNumber::E4M3: return format::e4m3ToFloat(bits);
    case MatrixNumber::E5M2: return format::e5m2ToFloat(bits);
    default: return std::bit_cast<float>(bits);
  }
}

uint32_t encode(MatrixNumber number, float f) {
  switch (number) {
    case MatrixNumber::Float16: return simd::floatToHalf(f);
    case MatrixNumber::E4M3: return format::floatToE4m3(f);
    case MatrixNumber::E5M2: return format::floatToE5m2(f);
    default: return std::bit_cast<uint32_t>(f);
  }
}

}  // namespace

uint32_t bytesOf(MatrixNumber number) {
  switch (number) {
    case MatrixNumber::Float16: return 2;
    case MatrixNumber::Float32: return 4;
    default: return 1;
  }
}

void convertMatrix(const std::byte* from, const MatrixPlace& fromPlace, std::byte* to, const MatrixPlace& toPlace,
                   uint32_t rows, uint32_t columns) {
  const uint32_t bytes = bytesOf(toPlace.number);
  const bool isSame = fromPlace.number == toPlace.number;
  for (uint32_t row = 0; row < rows; ++row) {
    const std::byte* source = from + row * fromPlace.rowPitch;
    std::byte* target = to + row * toPlace.rowPitch;
    if (isSame && fromPlace.columnPitch == bytes && toPlace.columnPitch == bytes) {
      std::memcpy(target, source, size_t(bytes) * columns);
      continue;
    }
    for (uint32_t column = 0; column < columns; ++column) {
      if (isSame) {
        std::memcpy(target, source, bytes);
      } else {
        const uint32_t bits = encode(toPlace.number, read(fromPlace.number, source));
        std::memcpy(target, &bits, bytes);
      }
      source += fromPlace.columnPitch, target += toPlace.columnPitch;
    }
  }
}

}  // namespace etzel::transfer
