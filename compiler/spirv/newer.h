// SPIR-V that the headers of Debian 12 lack: numbers, and what a parser must know of the instructions. Their spirv-val
// lacks it too.
#pragma once

#include <spirv/unified1/spirv.hpp11>

#include "runtime/base/types.h"

namespace etzel::spirv {

inline constexpr auto kLongVector = static_cast<spv::Capability>(5425);            // SPV_EXT_long_vector
inline constexpr auto kReplicatedComposites = static_cast<spv::Capability>(6024);  // SPV_EXT_replicated_composites
inline constexpr auto kFma = static_cast<spv::Capability>(6030);                   // SPV_KHR_fma
inline constexpr auto kUntypedPointers = static_cast<spv::Capability>(4473);       // SPV_KHR_untyped_pointers
inline constexpr auto kRawAccessChains = static_cast<spv::Capability>(5414);       // SPV_NV_raw_access_chains

inline constexpr auto kCooperativeMatrix = static_cast<spv::Capability>(6022);  // SPV_KHR_cooperative_matrix

inline constexpr auto kQuadControl = static_cast<spv::Capability>(5087);  // SPV_KHR_quad_control
inline constexpr auto kQuadDerivatives = static_cast<spv::ExecutionMode>(5088);
inline constexpr auto kRequireFullQuads = static_cast<spv::ExecutionMode>(5089);

inline constexpr auto kBrainFloat = static_cast<spv::Capability>(5116);     // SPV_KHR_bfloat16
inline constexpr auto kBrainFloatDot = static_cast<spv::Capability>(5117);  // SPV_KHR_bfloat16

inline constexpr uint32_t kCooperativeMatrixSize = 8;  ///< rows and columns of every one that is offered

inline constexpr auto kOpTypeUntypedPointer = static_cast<spv::Op>(4417);
inline constexpr auto kOpUntypedVariable = static_cast<spv::Op>(4418);
inline constexpr auto kOpUntypedAccessChain = static_cast<spv::Op>(4419);
inline constexpr auto kOpUntypedInBoundsAccessChain = static_cast<spv::Op>(4420);
inline constexpr auto kOpUntypedPtrAccessChain = static_cast<spv::Op>(4423);
inline constexpr auto kOpUntypedInBoundsPtrAccessChain = static_cast<spv::Op>(4424);
inline constexpr auto kOpUntypedArrayLength = static_cast<spv::Op>(4425);
inline constexpr auto kOpUntypedPrefetch = static_cast<spv::Op>(4426);
inline constexpr auto kOpFma = static_cast<spv::Op>(4427);
inline constexpr auto kOpTypeCooperativeMatrix = static_cast<spv::Op>(4456);
inline constexpr auto kOpCooperativeMatrixLoad = static_cast<spv::Op>(4457);
inline constexpr auto kOpCooperativeMatrixStore = static_cast<spv::Op>(4458);
inline constexpr auto kOpCooperativeMatrixMulAdd = static_cast<spv::Op>(4459);
inline constexpr auto kOpCooperativeMatrixLength = static_cast<spv::Op>(4460);
inline constexpr auto kOpConstantCompositeReplicate = static_cast<spv::Op>(4461);
inline constexpr auto kOpSpecConstantCompositeReplicate = static_cast<spv::Op>(4462);
inline constexpr auto kOpCompositeConstructReplicate = static_cast<spv::Op>(4463);
inline constexpr auto kOpGroupNonUniformQuadAll = static_cast<spv::Op>(5110);
inline constexpr auto kOpGroupNonUniformQuadAny = static_cast<spv::Op>(5111);
inline constexpr auto kOpTypeVectorId = static_cast<spv::Op>(5288);
inline constexpr auto kOpRawAccessChain = static_cast<spv::Op>(5398);

/// spv::HasResultAndType() that knows these too.
void hasResultAndType(spv::Op op, bool* hasResult, bool* hasType);

/// Whether the instructions that come with a capability are these, which spirv-val cannot read (older.h).
bool isBeyondValidator(spv::Capability capability);

}  // namespace etzel::spirv
