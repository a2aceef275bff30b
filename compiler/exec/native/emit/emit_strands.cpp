// Warps of a workgroup side by side (analysis/strands.h): each instruction once for those that share its
// result, and branches for all of them together.
#include "compiler/exec/native/emit/emitter.h"
#include "compiler/isa/info.h"

namespace etzel::native {

using isa::Inst;
using isa::Opcode;

void Emitter::use(uint32_t strand) {
  if (strand == strand_) return;
  const auto exchange = [&](Strand& s) {
    std::swap(s.warp, warp_);
    std::swap(s.exec, exec_);
    std::swap(s.lanes, lanes_);
    std::swap(s.color, color_);
    if (!pairs_) std::swap(s.position, position_), std::swap(s.planeValues, planeValues_);
    std::swap(s.temps, temps_);
    std::swap(s.wideResults, wideResults_);
  };
  exchange(strands_[strand_]);
  exchange(strands_[strand]);
  strand_ = strand;
}

uint32_t Emitter::sharing(const Inst& inst) const {
  if (strands_.size() == 1 || inst.dst.bank != isa::Bank::Temp) return 1;
  return found_.shared[webs_.webOf(inst.dst)];
}

/// One instruction, or the few that are translated together with it: index_ is the last one's then.
void Emitter::emit(const Inst& inst) {
  const uint32_t at = index_;
  if (early_[at]) return void(early_[at] = false);
  if (widenPair()) return;
  const auto translateOne = [&] {
    index_ = at;
    if (!translate(inst)) forEachHalf([&] { fallback(inst, at); });
  };
  if (isa::opInfo(inst).native == isa::Native::Flow)
    translateOne();
  else if (isCrowd())
    emitInCrowd(inst, translateOne);
  else if (goesInPairs(inst))
    forEachPair(translateOne);
  else if (!readGroups(inst))
    forEachStrand([&] { inGroup(inst, translateOne); }, sharing(inst));
}

/// What is long is left out where a pair has one group alone.
void Emitter::inGroup(const Inst& inst, const std::function<void()>& translateOne) {
  if (!second_ || strand_ == 0 || isa::opInfo(inst).native != isa::Native::Texture) return translateOne();
  llvm::BasicBlock *twin = block("twin"), *after = block("aftertwin");
  ir_.CreateCondBr(second_, twin, after);
  enter(twin);
  translateOne();
  ir_.CreateBr(after);
  enter(after);
}

/// Whether an instruction works on each lane by itself, or on quads, and its result and operands fit registers of
/// sixteen words.
bool Emitter::goesInPairs(const Inst& inst) const {
  if (!pairs_ || isa::typeWords(inst.type) > 1) return false;
  switch (isa::opInfo(inst).native) {
    case isa::Native::Move:
    case isa::Native::Float:
    case isa::Native::Integer:
    case isa::Native::Math: break;
    case isa::Native::Scale:
    case isa::Native::Convert:
      if (inst.op != Opcode::FLdexp && isa::typeWords(static_cast<isa::Type>(inst.sub)) > 1) return false;
      break;
    case isa::Native::Lanes:
      if (inst.op != Opcode::Sys && inst.op != Opcode::Intrp && inst.op != Opcode::Bary && !isa::opInfo(inst).quad)
        return false;
      break;
    default: return false;
  }
  for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w)
    if (inst.dst.bank == isa::Bank::Temp && !shapeOf(inst.dst, w).varying()) return false;
  return inst.dst.bank == isa::Bank::Temp || inst.dst.bank == isa::Bank::Out;
}

/// A strand's half of what a pair has.
llvm::Value* Emitter::halfOf(V pair) { return halfOf(pair, strand_ % 2); }
llvm::Value* Emitter::halfOf(V pair, uint32_t half) {
  int order[kWarpLanes];
  for (uint32_t i = 0; i < kWarpLanes; ++i) order[i] = static_cast<int>(half * kWarpLanes + i);
  return ir_.CreateShuffleVector(pair, order);
}

llvm::Value* Emitter::joined(V first, V second) {
  int order[2 * kWarpLanes];
  for (int i = 0; i < int(2 * kWarpLanes); ++i) order[i] = i;
  return ir_.CreateShuffleVector(first, second, order);
}

llvm::Value* Emitter::read(const Slot& a) {
  V v = ir_.CreateLoad(a.type, a.at);
  return isOfPair(a) && !ofPair() ? halfOf(v) : v;
}

void Emitter::write(const Slot& a, V value) {
  if (isOfPair(a) && !ofPair()) {
    V whole = ir_.CreateLoad(a.type, a.at);
    const uint32_t own = strand_;
    use(own ^ 1);
    V other = halfOf(whole);
    use(own);
    value = own % 2 ? joined(other, value) : joined(value, other);
  }
  ir_.CreateStore(value, a.at);
}

/// Finds the strands' warps. Where a buffer that is written lies in another one that the program uses, the warps run
/// one after the other.
void Emitter::beginStrands() {
  V first = warp_;
  const auto warpAt = [&](uint32_t s) {
    return ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), first, s * sizeof(abi::Warp));
  };
  for (uint32_t s = 1; s < strands_.size(); ++s) {
    llvm::AllocaInst* ofPair = exec_;
    use(s);
    warp_ = warpAt(s);
    exec_ = firstOfPair() == s ? maskSlot("exec") : ofPair;
  }
  use(0);
  llvm::Type* i64 = ir_.getInt64Ty();
  V overlap = ir_.getFalse();
  const auto begin = [&](isa::Operand o) { return ir_.CreatePtrToInt(bufferRange(o).base, i64); };
  const auto meet = [&](isa::Operand a, isa::Operand b) {
    V firstOfA = begin(a), firstOfB = begin(b);
    V endOfA = ir_.CreateAdd(firstOfA, bufferRange(a).size), endOfB = ir_.CreateAdd(firstOfB, bufferRange(b).size);
    V both = ir_.CreateAnd(ir_.CreateICmpULT(firstOfA, endOfB), ir_.CreateICmpULT(firstOfB, endOfA));
    overlap = ir_.CreateOr(overlap, both);
  };
  for (size_t i = 0; i < found_.stored.size(); ++i) {
    for (size_t k = 0; k < i; ++k) meet(found_.stored[i], found_.stored[k]);
    for (isa::Operand o : found_.loaded) meet(found_.stored[i], o);
  }
  llvm::BasicBlock* turns = block("onebyone");
  llvm::BasicBlock* abreast = block("abreast");
  ir_.CreateCondBr(overlap, turns, abreast);
  enter(turns);
  V status = nullptr;
  for (uint32_t s = 0; s < strands_.size(); ++s) {
    V one = ir_.CreateCall(oneByOne_, {code_, warpAt(s)});
    status = status ? ir_.CreateOr(status, one) : one;  // Done is 0, and there is one other
  }
  ir_.CreateRet(status);
  enter(abreast);
}

}  // namespace etzel::native
