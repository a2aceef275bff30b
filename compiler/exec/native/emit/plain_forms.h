// Forms of host.h for hosts that have no instruction for them: the same bits from what every host has (runtime/simd has
// the same for C++). For the folders of hosts.
#pragma once

#include "compiler/exec/native/emit/host.h"

namespace etzel::native::plain {

llvm::Value* wordsOfLanes(IR& ir, llvm::Value* words, llvm::Value* index);
llvm::Value* floatsOfHalves(IR& ir, llvm::Value* halves);
llvm::Value* halvesTowardZero(IR& ir, llvm::Value* floats);
/// Of floats only.
llvm::Value* fused(IR& ir, llvm::Value* a, llvm::Value* b, llvm::Value* c);

}  // namespace etzel::native::plain
