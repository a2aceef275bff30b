#include "compiler/lower/instructions.h"

namespace etzel::lower {

const LoweringTable& loweringTable() {
  static const LoweringTable& table = *[] {
    auto* t = new LoweringTable;
    for (auto add : {addArithmetic, addComposites, addMemory, addImages, addAtomics, addSubgroups, addEffects,
                     addDotProducts, addExtended})
      add(*t);
    return t;
  }();
  return table;
}

}  // namespace etzel::lower
