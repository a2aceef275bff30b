#include "compiler/lower/instructions.h"

#include <memory>

namespace etzel::lower {

const LoweringTable& loweringTable() {
  static const LoweringTable& table = *[] {
    auto t = std::make_unique<LoweringTable>();
    for (auto add :
         {addArithmetic, addComposites, addMemory, addUntypedPointers, addHeaps, addImages, addTileImages, addAtomics,
          addSubgroups, addEffects, addDotProducts, addCooperativeMatrices, addCooperativeVectors, addExtended})
      add(*t);
    return t.release();
  }();
  return table;
}

}  // namespace etzel::lower
