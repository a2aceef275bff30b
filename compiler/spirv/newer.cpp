#define SPV_ENABLE_UTILITY_CODE
#include "compiler/spirv/newer.h"

#include <algorithm>

namespace etzel::spirv {

void hasResultAndType(spv::Op op, bool* hasResult, bool* hasType) {
  constexpr spv::Op kValues[] = {kOpUntypedVariable,
                                 kOpUntypedAccessChain,
                                 kOpUntypedInBoundsAccessChain,
                                 kOpUntypedPtrAccessChain,
                                 kOpUntypedInBoundsPtrAccessChain,
                                 kOpUntypedArrayLength,
                                 kOpRawAccessChain,
                                 kOpGroupNonUniformQuadAll,
                                 kOpGroupNonUniformQuadAny,
                                 kOpFma,
                                 kOpCooperativeMatrixLoad,
                                 kOpCooperativeMatrixMulAdd,
                                 kOpCooperativeMatrixLength,
                                 kOpConstantCompositeReplicate,
                                 kOpSpecConstantCompositeReplicate,
                                 kOpCompositeConstructReplicate};
  const bool isValue = std::find(std::begin(kValues), std::end(kValues), op) != std::end(kValues);
  const bool isType = op == kOpTypeUntypedPointer || op == kOpTypeVectorId || op == kOpTypeCooperativeMatrix;
  const bool isEffect = op == kOpUntypedPrefetch || op == kOpCooperativeMatrixStore;
  *hasResult = isValue || isType, *hasType = isValue;
  if (!*hasResult && !isEffect) spv::HasResultAndType(op, hasResult, hasType);
}

bool isBeyondValidator(spv::Capability capability) {
  constexpr spv::Capability kBeyond[] = {kQuadControl,          kBrainFloat, kBrainFloatDot,    kLongVector,
                                         kReplicatedComposites, kFma,        kCooperativeMatrix};
  return std::find(std::begin(kBeyond), std::end(kBeyond), capability) != std::end(kBeyond);
}

}  // namespace etzel::spirv
