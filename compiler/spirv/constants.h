// Evaluates OpSpecConstantOp and OpConstantNull: flattened constants. Used by the parser only.
#pragma once

#include "compiler/spirv/module.h"

namespace etzel::spirv {

/// Value of `op` (OpSpecConstantOp's inner opcode) applied to `operands`, ids of earlier constants (literals where
/// the opcode takes literals). Error: Unsupported for opcodes that Shader modules cannot use here.
Result<Constant> foldConstant(const Module& module, uint32_t resultType, spv::Op op,
                              std::span<const uint32_t> operands);

/// What OpConstantNull is, flattened: zeros, and pointers that are no variable's.
std::vector<uint64_t> nullOf(const Module& module, uint32_t type);

}  // namespace etzel::spirv
