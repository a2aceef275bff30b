// What shaders may ask for, by the limits that the driver reports and by what its own memory can bear. The compiler
// refuses modules, and the verifier programs, that ask for more.
#pragma once

#include "runtime/base/types.h"

namespace etzel::abi {

inline constexpr uint32_t kMaxWorkgroupInvocations = 1024;  ///< maxComputeWorkGroupInvocations
inline constexpr uint32_t kMaxWorkgroupSize = 1024;         ///< maxComputeWorkGroupSize, each axis
inline constexpr uint32_t kMinSubgroupSize = 4;             ///< minSubgroupSize, half a warp; else it is a warp
inline constexpr uint32_t kMaxSharedBytes = 64 * 1024;      ///< maxComputeSharedMemorySize
/// Variables of workgroup memory are 16 bytes apart: so much for the smallest ones.
inline constexpr uint32_t kMaxPaddedSharedBytes = 16 * kMaxSharedBytes;
inline constexpr uint32_t kMaxScratchBytes = 16 * 1024 * 1024;  ///< private memory of an invocation
inline constexpr uint32_t kMaxVectorComponents = 1024;          ///< maxVectorComponents (VK_EXT_shader_long_vector)
inline constexpr uint32_t kMaxPatchVertices = 32;               ///< maxTessellationPatchSize
inline constexpr uint32_t kMaxGeometryInvocations = 32;         ///< maxGeometryShaderInvocations
inline constexpr uint32_t kMaxXfbStrideBytes = 512 * 4;         ///< maxTransformFeedbackBufferDataStride
inline constexpr uint32_t kMaxStreams = 16;                     ///< maxTransformFeedbackStreams
inline constexpr uint32_t kMaxGeometryVertices = 1024;          ///< maxGeometryOutputVertices
inline constexpr uint32_t kMaxAbortBytes = 64 * 1024;           ///< maxShaderAbortMessageSize

/// Rows and columns of a cooperative matrix are multiples of the first and at most the second; invocations of a
/// workgroup that has matrices of its own (VK_NV_cooperative_matrix2).
inline constexpr uint32_t kCooperativeMatrixSize = 8, kMaxCooperativeMatrixSize = 256, kMaxCooperativeWorkgroup = 256;

}  // namespace etzel::abi
