// Which function lowers an instruction: one table for all of SPIR-V, of the tables at the ends of the families' files.
#pragma once

#include <initializer_list>
#include <unordered_map>

#include "compiler/lower/lower.h"

namespace etzel::lower {

/// Lowers one instruction; errors are reported through Lowerer::error().
using Lowering = void (*)(Lowerer& l, const spirv::Instruction& inst);

class LoweringTable {
 public:
  void add(spv::Op op, Lowering lowering) { isUnique_ &= table_.try_emplace(op, lowering).second; }
  void add(std::initializer_list<std::pair<spv::Op, Lowering>> rows) {
    for (const auto& [op, lowering] : rows) add(op, lowering);
  }
  /// Null where nothing lowers the instruction.
  Lowering find(spv::Op op) const {
    const auto at = table_.find(op);
    return at == table_.end() ? nullptr : at->second;
  }
  bool isUnique() const { return isUnique_; }  ///< no instruction was added twice

 private:
  std::unordered_map<spv::Op, Lowering> table_;
  bool isUnique_ = true;
};

/// The table of all families. Instructions of control flow are not in it: cfg.cpp walks them.
const LoweringTable& loweringTable();

// The families.
void addArithmetic(LoweringTable& table);       ///< OpFAdd ... conversions, comparisons, derivatives (arithmetic.cpp)
void addComposites(LoweringTable& table);       ///< OpComposite*, OpVector*, matrices (composite.cpp)
void addMemory(LoweringTable& table);           ///< OpLoad, OpStore, OpAccessChain ... (memory.cpp)
void addUntypedPointers(LoweringTable& table);  ///< OpUntyped*, OpRawAccessChainNV, OpCopyMemorySized (untyped.cpp)
void addHeaps(LoweringTable& table);            ///< OpBufferPointerEXT, OpUntypedImageTexelPointerEXT (heap.cpp)
void addImages(LoweringTable& table);           ///< OpImage*, OpSampledImage, fragment masks (image.cpp)
void addTileImages(LoweringTable& table);       ///< Op{Color,Depth,Stencil}AttachmentReadEXT (tile_image.cpp)
void addAtomics(LoweringTable& table);          ///< OpAtomic*, texel pointers included (atomic.cpp)
void addSubgroups(LoweringTable& table);        ///< OpGroupNonUniform*, OpSubgroup*KHR (subgroup.cpp)
void addEffects(LoweringTable& table);          ///< barriers, emitted vertices, discards, clocks (effects.cpp)
void addDotProducts(LoweringTable& table);      ///< OpSDot and friends (integer_dot.cpp)
void addCooperativeMatrices(LoweringTable& table);  ///< OpCooperativeMatrix* (cooperative_matrix.cpp)
void addMatrixProducts(LoweringTable& table);       ///< of those: products (cooperative_multiply.cpp)
void addMatrixFunctions(LoweringTable& table);      ///< reductions, per-element functions (cooperative_functions.cpp)
void addTensors(LoweringTable& table);              ///< tensor layouts, views, accesses (cooperative_tensor.cpp)
void addCooperativeVectors(LoweringTable& table);   ///< OpCooperativeVector* (cooperative_vector.cpp)
void addExtended(LoweringTable& table);             ///< OpExtInst of GLSL.std.450 (ext_glsl.cpp)
/// OpExtInst of NonSemantic.DebugPrintf (print.cpp).
void lowerPrint(Lowerer& l, const spirv::Instruction& inst);
/// OpAbortKHR, which ends the invocations that come here (abort.cpp).
void lowerAbort(Lowerer& l, const spirv::Instruction& inst);

}  // namespace etzel::lower
