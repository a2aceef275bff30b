#define SPV_ENABLE_UTILITY_CODE
#include "compiler/spirv/newer.h"

#include <algorithm>
#include <bit>

namespace etzel::spirv {

void hasResultAndType(spv::Op op, bool* hasResult, bool* hasType) {
  // Asked for each instruction of each module: nearly all are old ones.
  if (op < kOpColorAttachmentRead) return spv::HasResultAndType(op, hasResult, hasType);
  constexpr spv::Op kValues[] = {kOpColorAttachmentRead,
                                 kOpDepthAttachmentRead,
                                 kOpStencilAttachmentRead,
                                 kOpUntypedVariable,
                                 kOpUntypedAccessChain,
                                 kOpUntypedInBoundsAccessChain,
                                 kOpUntypedPtrAccessChain,
                                 kOpUntypedInBoundsPtrAccessChain,
                                 kOpUntypedArrayLength,
                                 kOpRawAccessChain,
                                 kOpBufferPointer,
                                 kOpUntypedImageTexelPointer,
                                 kOpConstantSizeOf,
                                 kOpGroupNonUniformQuadAll,
                                 kOpGroupNonUniformQuadAny,
                                 kOpFma,
                                 kOpCooperativeMatrixLoad,
                                 kOpCooperativeMatrixMulAdd,
                                 kOpCooperativeMatrixLength,
                                 kOpCooperativeVectorMatrixMul,
                                 kOpCooperativeVectorMatrixMulAdd,
                                 kOpCooperativeVectorLoad,
                                 kOpCooperativeMatrixConvert,
                                 kOpCooperativeMatrixReduce,
                                 kOpCooperativeMatrixLoadTensor,
                                 kOpCooperativeMatrixPerElement,
                                 kOpCooperativeMatrixTranspose,
                                 kOpCreateTensorLayout,
                                 kOpTensorLayoutSetDimension,
                                 kOpTensorLayoutSetStride,
                                 kOpTensorLayoutSlice,
                                 kOpTensorLayoutSetClampValue,
                                 kOpTensorLayoutSetBlockSize,
                                 kOpCreateTensorView,
                                 kOpTensorViewSetDimension,
                                 kOpTensorViewSetStride,
                                 kOpTensorViewSetClip,
                                 kOpConstantData,
                                 kOpSpecConstantData,
                                 kOpConstantCompositeReplicate,
                                 kOpSpecConstantCompositeReplicate,
                                 kOpCompositeConstructReplicate};
  const bool isValue = std::find(std::begin(kValues), std::end(kValues), op) != std::end(kValues);
  const bool isType = op == kOpTypeUntypedPointer || op == kOpTypeVectorId || op == kOpTypeCooperativeMatrix ||
                      op == kOpTypeTensorLayout || op == kOpTypeTensorView || op == kOpTypeBuffer;
  constexpr spv::Op kEffects[] = {kOpUntypedPrefetch,
                                  kOpMemberDecorateId,
                                  kOpAbort,
                                  kOpCooperativeMatrixStore,
                                  kOpCooperativeMatrixStoreTensor,
                                  kOpCooperativeVectorStore,
                                  kOpCooperativeVectorOuterProductAccumulate,
                                  kOpCooperativeVectorReduceSumAccumulate};
  const bool isEffect = std::find(std::begin(kEffects), std::end(kEffects), op) != std::end(kEffects);
  *hasResult = isValue || isType, *hasType = isValue;
  if (!*hasResult && !isEffect) spv::HasResultAndType(op, hasResult, hasType);
}

size_t behindMemoryOperands(std::span<const uint32_t> words, size_t at) {
  if (at >= words.size()) return at;
  // Aligned, MakePointerAvailable, MakePointerVisible, AliasScopeINTEL, NoAliasINTEL have an operand each.
  constexpr uint32_t kWithOperand = 0x2 | 0x8 | 0x10 | 0x10000 | 0x20000;
  return at + 1 + size_t(std::popcount(words[at] & kWithOperand));
}

TensorOperands tensorOperands(std::span<const uint32_t> words, size_t at) {
  constexpr uint32_t kView = 1, kDecode = 2;
  TensorOperands t;
  at = behindMemoryOperands(words, at);
  if (at >= words.size()) return t;
  const uint32_t mask = words[at++];
  t.isWhole = (mask & ~(kView | kDecode)) == 0 && at + size_t(std::popcount(mask)) <= words.size();
  if (!t.isWhole) return t;
  if (mask & kView) t.view = words[at++];
  if (mask & kDecode) t.decodeFunction = words[at];
  return t;
}

std::optional<format::FloatEncoding> floatEncoding(uint32_t width, uint32_t encoding) {
  constexpr uint32_t kBrain = 0, kE4M3 = 4214, kE5M2 = 4215;
  if (width == 16 && encoding == kBrain) return format::FloatEncoding::Brain;
  if (width == 8 && encoding == kE4M3) return format::FloatEncoding::E4M3;
  if (width == 8 && encoding == kE5M2) return format::FloatEncoding::E5M2;
  return std::nullopt;
}

bool isBeyondValidator(spv::Capability capability) {
  constexpr spv::Capability kBeyond[] = {kTileImageColor,
                                         kTileImageDepth,
                                         kTileImageStencil,
                                         kQuadControl,
                                         kAbort,
                                         kConstantData,
                                         kBrainFloat,
                                         kBrainFloatDot,
                                         kBrainFloatMatrix,
                                         kFloat8,
                                         kFloat8Matrix,
                                         kLongVector,
                                         kReplicatedComposites,
                                         kFma,
                                         kCooperativeMatrix,
                                         kCooperativeMatrixReductions,
                                         kCooperativeMatrixConversions,
                                         kCooperativeMatrixPerElement,
                                         kCooperativeMatrixTensors,
                                         kCooperativeMatrixBlockLoads,
                                         kTensorAddressing,
                                         kCooperativeVector,
                                         kCooperativeVectorTraining};
  return std::find(std::begin(kBeyond), std::end(kBeyond), capability) != std::end(kBeyond);
}

}  // namespace etzel::spirv
