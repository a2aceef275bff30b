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

bool isBeyondValidator(std::span<const uint32_t> words) {
  constexpr size_t kHeaderWords = 5;
  constexpr spv::Capability kBeyond[] = {kLongVector, kReplicatedComposites, kFma, kCooperativeMatrix};
  const bool swapped = !words.empty() && words[0] == __builtin_bswap32(spv::MagicNumber);
  const auto word = [&](size_t i) { return swapped ? __builtin_bswap32(words[i]) : words[i]; };
  // Capabilities come first.
  constexpr uint32_t kCapability = 2u << 16 | static_cast<uint32_t>(spv::Op::OpCapability);
  for (size_t at = kHeaderWords; at + 1 < words.size() && word(at) == kCapability; at += 2) {
    const auto c = static_cast<spv::Capability>(word(at + 1));
    if (std::find(std::begin(kBeyond), std::end(kBeyond), c) != std::end(kBeyond)) return true;
  }
  return false;
}

}  // namespace etzel::spirv
