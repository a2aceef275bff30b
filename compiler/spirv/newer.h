// SPIR-V that the headers of Debian 12 lack: numbers, and what a parser must know of the instructions. Their spirv-val
// lacks it too.
#pragma once

#include <spirv/unified1/spirv.hpp11>

#include "runtime/base/types.h"

namespace etzel::spirv {

inline constexpr auto kLongVector = static_cast<spv::Capability>(5425);            // SPV_EXT_long_vector
inline constexpr auto kReplicatedComposites = static_cast<spv::Capability>(6024);  // SPV_EXT_replicated_composites
inline constexpr auto kFma = static_cast<spv::Capability>(6030);                   // SPV_KHR_fma

inline constexpr auto kCooperativeMatrix = static_cast<spv::Capability>(6022);  // SPV_KHR_cooperative_matrix

inline constexpr uint32_t kCooperativeMatrixSize = 8;  ///< rows and columns of every one that is offered

inline constexpr auto kOpFma = static_cast<spv::Op>(4427);
inline constexpr auto kOpTypeCooperativeMatrix = static_cast<spv::Op>(4456);
inline constexpr auto kOpCooperativeMatrixLoad = static_cast<spv::Op>(4457);
inline constexpr auto kOpCooperativeMatrixStore = static_cast<spv::Op>(4458);
inline constexpr auto kOpCooperativeMatrixMulAdd = static_cast<spv::Op>(4459);
inline constexpr auto kOpCooperativeMatrixLength = static_cast<spv::Op>(4460);
inline constexpr auto kOpConstantCompositeReplicate = static_cast<spv::Op>(4461);
inline constexpr auto kOpSpecConstantCompositeReplicate = static_cast<spv::Op>(4462);
inline constexpr auto kOpCompositeConstructReplicate = static_cast<spv::Op>(4463);
inline constexpr auto kOpTypeVectorId = static_cast<spv::Op>(5288);

/// spv::HasResultAndType() that knows these too.
void hasResultAndType(spv::Op op, bool* hasResult, bool* hasType);

/// Whether the instructions that come with a capability are these, which spirv-val cannot read (older.h).
bool isBeyondValidator(spv::Capability capability);

}  // namespace etzel::spirv
