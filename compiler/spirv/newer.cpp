#define SPV_ENABLE_UTILITY_CODE
#include "compiler/spirv/newer.h"

#include <algorithm>

namespace etzel::spirv {

void hasResultAndType(spv::Op op, bool* hasResult, bool* hasType) {
  constexpr spv::Op kValues[] = {kOpFma,
                                 kOpCooperativeMatrixLoad,
                                 kOpCooperativeMatrixMulAdd,
                                 kOpCooperativeMatrixLength,
                                 kOpConstantCompositeReplicate,
                                 kOpSpecConstantCompositeReplicate,
                                 kOpCompositeConstructReplicate};
  const bool isValue = std::find(std::begin(kValues), std::end(kValues), op) != std::end(kValues);
  const bool isType = op == kOpTypeVectorId || op == kOpTypeCooperativeMatrix;
  *hasResult = isValue || isType, *hasType = isValue;
  if (!*hasResult && op != kOpCooperativeMatrixStore) spv::HasResultAndType(op, hasResult, hasType);
}

bool isBeyondValidator(spv::Capability capability) {
  constexpr spv::Capability kBeyond[] = {kLongVector, kReplicatedComposites, kFma, kCooperativeMatrix};
  return std::find(std::begin(kBeyond), std::end(kBeyond), capability) != std::end(kBeyond);
}

}  // namespace etzel::spirv
