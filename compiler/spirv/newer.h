// SPIR-V that the headers of Debian 12 lack: numbers, and what a parser must know of the instructions. Their spirv-val
// lacks it too.
#pragma once

#include <optional>
#include <span>
#include <spirv/unified1/spirv.hpp11>

#include "runtime/base/types.h"
#include "runtime/format/float_encoding.h"

namespace etzel::spirv {

inline constexpr auto kLongVector = static_cast<spv::Capability>(5425);            // SPV_EXT_long_vector
inline constexpr auto kReplicatedComposites = static_cast<spv::Capability>(6024);  // SPV_EXT_replicated_composites
inline constexpr auto kFma = static_cast<spv::Capability>(6030);                   // SPV_KHR_fma
inline constexpr auto kUntypedPointers = static_cast<spv::Capability>(4473);       // SPV_KHR_untyped_pointers
inline constexpr auto kRawAccessChains = static_cast<spv::Capability>(5414);       // SPV_NV_raw_access_chains

// SPV_EXT_shader_64bit_indexing
inline constexpr auto kWideIndices = static_cast<spv::Capability>(5426);
inline constexpr auto kWideIndicesMode = static_cast<spv::ExecutionMode>(5427);

inline constexpr auto kCooperativeMatrix = static_cast<spv::Capability>(6022);  // SPV_KHR_cooperative_matrix

// SPV_EXT_descriptor_heap
inline constexpr auto kDescriptorHeap = static_cast<spv::Capability>(5128);
inline constexpr auto kSamplerHeap = static_cast<spv::BuiltIn>(5122);
inline constexpr auto kResourceHeap = static_cast<spv::BuiltIn>(5123);
inline constexpr auto kArrayStrideId = static_cast<spv::Decoration>(5124);
inline constexpr auto kOffsetId = static_cast<spv::Decoration>(5125);

inline constexpr auto kQuadControl = static_cast<spv::Capability>(5087);  // SPV_KHR_quad_control
inline constexpr auto kQuadDerivatives = static_cast<spv::ExecutionMode>(5088);
inline constexpr auto kRequireFullQuads = static_cast<spv::ExecutionMode>(5089);

inline constexpr auto kCooperativeVector = static_cast<spv::Capability>(5394);  // SPV_NV_cooperative_vector
inline constexpr auto kCooperativeVectorTraining = static_cast<spv::Capability>(5435);

inline constexpr auto kAbort = static_cast<spv::Capability>(5120);         // SPV_KHR_abort
inline constexpr auto kConstantData = static_cast<spv::Capability>(5146);  // SPV_KHR_constant_data
inline constexpr auto kUtfEncoded = static_cast<spv::Decoration>(5145);    // SPV_KHR_constant_data

// SPV_KHR_bfloat16; the other two declare the first
inline constexpr auto kBrainFloat = static_cast<spv::Capability>(5116);
inline constexpr auto kBrainFloatDot = static_cast<spv::Capability>(5117);
inline constexpr auto kBrainFloatMatrix = static_cast<spv::Capability>(5118);

// SPV_EXT_float8; the second declares the first
inline constexpr auto kFloat8 = static_cast<spv::Capability>(4212);
inline constexpr auto kFloat8Matrix = static_cast<spv::Capability>(4213);
inline constexpr auto kSaturatedToLargestFloat8 = static_cast<spv::Decoration>(4216);

/// The encoding of floats of `width` bits that OpTypeFloat's last operand names ("FP Encoding"); none that is known
/// besides.
std::optional<format::FloatEncoding> floatEncoding(uint32_t width, uint32_t encoding);

// SPV_EXT_shader_tile_image: what fragments read of the attachments that they are drawn to
inline constexpr auto kTileImageColor = static_cast<spv::Capability>(4166);
inline constexpr auto kTileImageDepth = static_cast<spv::Capability>(4167);
inline constexpr auto kTileImageStencil = static_cast<spv::Capability>(4168);
inline constexpr auto kNonCoherentColorRead = static_cast<spv::ExecutionMode>(4169);
inline constexpr auto kNonCoherentDepthRead = static_cast<spv::ExecutionMode>(4170);
inline constexpr auto kNonCoherentStencilRead = static_cast<spv::ExecutionMode>(4171);
inline constexpr auto kTileImage = static_cast<spv::StorageClass>(4172);
inline constexpr auto kTileImageData = static_cast<spv::Dim>(4173);
/// Whether a capability is one of them.
constexpr bool isTileImage(spv::Capability c) {
  return c == kTileImageColor || c == kTileImageDepth || c == kTileImageStencil;
}

// SPV_NV_cooperative_matrix2 and SPV_NV_tensor_addressing
inline constexpr auto kCooperativeMatrixReductions = static_cast<spv::Capability>(5430);
inline constexpr auto kCooperativeMatrixConversions = static_cast<spv::Capability>(5431);
inline constexpr auto kCooperativeMatrixPerElement = static_cast<spv::Capability>(5432);
inline constexpr auto kCooperativeMatrixTensors = static_cast<spv::Capability>(5433);
inline constexpr auto kCooperativeMatrixBlockLoads = static_cast<spv::Capability>(5434);
inline constexpr auto kTensorAddressing = static_cast<spv::Capability>(5439);

inline constexpr uint32_t kMaxTensorDimensions = 5;

/// What happens to coordinates outside of a tensor ("Tensor Clamp Mode").
enum class TensorClamp : uint32_t { Undefined, Constant, ToEdge, Repeat, Mirror };

inline constexpr auto kOpColorAttachmentRead = static_cast<spv::Op>(4160);
inline constexpr auto kOpDepthAttachmentRead = static_cast<spv::Op>(4161);
inline constexpr auto kOpStencilAttachmentRead = static_cast<spv::Op>(4162);
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
inline constexpr auto kOpTypeBuffer = static_cast<spv::Op>(5115);
inline constexpr auto kOpBufferPointer = static_cast<spv::Op>(5119);
inline constexpr auto kOpUntypedImageTexelPointer = static_cast<spv::Op>(5126);
inline constexpr auto kOpMemberDecorateId = static_cast<spv::Op>(5127);
inline constexpr auto kOpConstantSizeOf = static_cast<spv::Op>(5129);
inline constexpr auto kOpAbort = static_cast<spv::Op>(5121);
inline constexpr auto kOpConstantData = static_cast<spv::Op>(5147);
inline constexpr auto kOpSpecConstantData = static_cast<spv::Op>(5148);
inline constexpr auto kOpCooperativeVectorMatrixMul = static_cast<spv::Op>(5289);
inline constexpr auto kOpCooperativeVectorOuterProductAccumulate = static_cast<spv::Op>(5290);
inline constexpr auto kOpCooperativeVectorReduceSumAccumulate = static_cast<spv::Op>(5291);
inline constexpr auto kOpCooperativeVectorMatrixMulAdd = static_cast<spv::Op>(5292);
inline constexpr auto kOpCooperativeMatrixConvert = static_cast<spv::Op>(5293);
inline constexpr auto kOpCooperativeVectorLoad = static_cast<spv::Op>(5302);
inline constexpr auto kOpCooperativeVectorStore = static_cast<spv::Op>(5303);
inline constexpr auto kOpCooperativeMatrixReduce = static_cast<spv::Op>(5366);
inline constexpr auto kOpCooperativeMatrixLoadTensor = static_cast<spv::Op>(5367);
inline constexpr auto kOpCooperativeMatrixStoreTensor = static_cast<spv::Op>(5368);
inline constexpr auto kOpCooperativeMatrixPerElement = static_cast<spv::Op>(5369);
inline constexpr auto kOpTypeTensorLayout = static_cast<spv::Op>(5370);
inline constexpr auto kOpTypeTensorView = static_cast<spv::Op>(5371);
inline constexpr auto kOpCreateTensorLayout = static_cast<spv::Op>(5372);
inline constexpr auto kOpTensorLayoutSetDimension = static_cast<spv::Op>(5373);
inline constexpr auto kOpTensorLayoutSetStride = static_cast<spv::Op>(5374);
inline constexpr auto kOpTensorLayoutSlice = static_cast<spv::Op>(5375);
inline constexpr auto kOpTensorLayoutSetClampValue = static_cast<spv::Op>(5376);
inline constexpr auto kOpCreateTensorView = static_cast<spv::Op>(5377);
inline constexpr auto kOpTensorViewSetDimension = static_cast<spv::Op>(5378);
inline constexpr auto kOpTensorViewSetStride = static_cast<spv::Op>(5379);
inline constexpr auto kOpTensorViewSetClip = static_cast<spv::Op>(5382);
inline constexpr auto kOpTensorLayoutSetBlockSize = static_cast<spv::Op>(5384);
inline constexpr auto kOpCooperativeMatrixTranspose = static_cast<spv::Op>(5390);
/// OpTypeVectorIdEXT and OpTypeCooperativeVectorNV: one instruction.
inline constexpr auto kOpTypeVectorId = static_cast<spv::Op>(5288);
inline constexpr auto kOpRawAccessChain = static_cast<spv::Op>(5398);

/// spv::HasResultAndType() that knows these too.
void hasResultAndType(spv::Op op, bool* hasResult, bool* hasType);

/// The place behind the memory operands that begin at `at`.
size_t behindMemoryOperands(std::span<const uint32_t> words, size_t at);

/// What follows the memory operands of an instruction that addresses tensors ("Tensor Addressing Operands").
struct TensorOperands {
  uint32_t view = 0, decodeFunction = 0;  ///< ids, 0 without one
  bool isWhole = false;                   ///< all words are there, and nothing else is asked for
};
/// `at`: where the memory operands begin.
TensorOperands tensorOperands(std::span<const uint32_t> words, size_t at);

/// Words that the data of so many integers of `width` bits take in OpConstantDataKHR.
constexpr uint64_t constantDataWords(uint64_t count, uint32_t width) { return (count * width + 31) / 32; }

/// Whether the instructions that come with a capability are these, which spirv-val cannot read (older.h).
bool isBeyondValidator(spv::Capability capability);

}  // namespace etzel::spirv
