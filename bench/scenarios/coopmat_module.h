// Shaders that multiply square matrices by cooperative ones, as SPIR-V text: glslang of Debian 12 does not know them,
// and their sizes are the device's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vkbench {

/// A device's cooperative matrices: A is rows x inner, B inner x columns; sums are floats of 32 bits.
struct MatrixSizes {
  uint32_t rows, columns, inner;
  uint32_t subgroup;  ///< invocations
};

/// What factors are made of.
enum class Factor { Float, Half, Brain };

/// Rows and columns of the result that a subgroup computes, and a workgroup of four subgroups.
inline constexpr uint32_t kSubgroupTile = 32, kWorkgroupTile = 64;

/// Bindings 0 to 2 are A and B, rows one after the other, and the result. A workgroup is one subgroup, which loads
/// factors from where they are. `n`: rows and columns of all three.
std::vector<uint32_t> directProduct(const MatrixSizes& sizes, Factor factor, uint32_t n);

/// The same of halves, with columns of B one after the other: four subgroups share tiles of A and B in workgroup
/// memory.
std::vector<uint32_t> sharedProduct(const MatrixSizes& sizes, uint32_t n);

}  // namespace vkbench
