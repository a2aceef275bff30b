// Several groups of fragments in one call (abi::Executable::fragments): the program in a loop, so that what the groups
// of a primitive have in common (planes of barycentrics, differences of its vertices' attributes, descriptors) is read
// and computed once. The ordinary entry runs one group. Where registers hold sixteen words a round of the loop runs two
// groups as one, elsewhere two in turns where that is worth it (analysis/strands.h); of an odd number of groups the
// last one has a twin without lanes, whose colours nobody reads.
#include <cstddef>

#include "compiler/exec/native/emit/emitter.h"
#include "runtime/abi/fragment_groups.h"

namespace etzel::native {

using abi::FragmentGroups;
using abi::Warp;
using isa::Bank;
using isa::Inst;
using isa::Opcode;

namespace {

/// Calls visit(group's word, output's word) for all words that a program writes.
template <class Visit>
void forGroupWords(const abi::ProgramInfo& info, Visit&& visit) {
  const auto color = [&](uint32_t first) {
    for (uint32_t word = first; word < first + 4; ++word) visit(abi::groupWord(info, word), word);
  };
  for (uint64_t left = info.outputLocations; left; left &= left - 1)
    color(abi::kFragOutColor + 4 * static_cast<uint32_t>(std::countr_zero(left)));
  if (info.writesColorIndex1) color(abi::kFragOutColorIndex1);
  if (info.writesDepth) visit(abi::groupWord(info, abi::kFragOutDepth), uint32_t{abi::kFragOutDepth});
}

}  // namespace

/// Where an output is.
llvm::Value* Emitter::outRow(uint32_t word) {
  if (fragments_) return ir_.CreateConstInBoundsGEP1_64(words8(), color_, abi::groupWord(program_.info, word));
  return ir_.CreateConstInBoundsGEP1_64(words8(), warpField(offsetof(Warp, out)), word);
}

/// The entry for one warp: one group.
void Emitter::emitFragmentsEntry(llvm::Function* entry) {
  llvm::Type *i8 = ir_.getInt8Ty(), *i32 = ir_.getInt32Ty(), *i64 = ir_.getInt64Ty(), *ptr = ir_.getPtrTy();
  V code = entry->getArg(0), warp = entry->getArg(1);
  ir_.SetInsertPoint(block("", entry));
  const auto room = [&](size_t bytes) {
    llvm::AllocaInst* a = ir_.CreateAlloca(llvm::ArrayType::get(i8, bytes));
    a->setAlignment(llvm::Align(32));
    return a;
  };
  const auto at = [&](V base, size_t offset) { return ir_.CreateConstInBoundsGEP1_64(i8, base, offset); };
  V groups = room(sizeof(FragmentGroups)), offset = room(2 * sizeof(LaneWords));
  const auto set = [&](size_t member, V value) { ir_.CreateStore(value, at(groups, member)); };
  const auto lanes = [&](size_t member) { return ir_.CreateZExt(ir_.CreateLoad(i32, at(warp, member)), i64); };
  V sys = ir_.CreateLoad(ptr, at(warp, offsetof(Warp, sys))), out = ir_.CreateLoad(ptr, at(warp, offsetof(Warp, out)));
  for (size_t w = 0; w < 2; ++w)
    ir_.CreateAlignedStore(llvm::Constant::getNullValue(words8()), at(offset, w * sizeof(LaneWords)), llvm::Align(32));
  set(offsetof(FragmentGroups, groups), ir_.getInt32(1));
  set(offsetof(FragmentGroups, active), lanes(offsetof(Warp, active)));
  set(offsetof(FragmentGroups, helper), lanes(offsetof(Warp, helper)));
  set(offsetof(FragmentGroups, place), at(sys, static_cast<size_t>(abi::SysValue::PosX) * sizeof(LaneWords)));
  set(offsetof(FragmentGroups, offset), offset);
  set(offsetof(FragmentGroups, planes), llvm::ConstantPointerNull::get(ir_.getPtrTy()));
  // A second source and a depth do not follow the other colours there.
  const abi::ProgramInfo& info = program_.info;
  const bool apart = info.writesColorIndex1 || info.writesDepth;
  const uint32_t first = abi::kFragOutColor + 4 * abi::firstGroupLocation(info);
  V colors = apart ? room(abi::groupWords(info) * sizeof(LaneWords)) : at(out, first * sizeof(LaneWords));
  set(offsetof(FragmentGroups, color), colors);
  V status = ir_.CreateCall(function_, {code, warp, groups});
  if (apart) {
    forGroupWords(info, [&](uint32_t ofGroup, uint32_t word) {
      V color = ir_.CreateAlignedLoad(words8(), at(colors, ofGroup * sizeof(LaneWords)), llvm::Align(32));
      ir_.CreateAlignedStore(color, at(out, word * sizeof(LaneWords)), llvm::Align(32));
    });
  }
  ir_.CreateRet(status);
}

/// Output words that every group writes for all its lanes, whatever happens.
std::bitset<abi::kMaxGroupWords> Emitter::surelyWritten() const {
  std::bitset<abi::kMaxGroupWords> written;
  uint32_t depth = 0;
  for (uint32_t i = 0; i < program_.code.size(); ++i) {
    const Inst& inst = program_.code[i];
    switch (inst.op) {
      case Opcode::If: ++depth; continue;
      case Opcode::EndIf: --depth; continue;
      case Opcode::Else: continue;
      default: break;
    }
    if (isa::opInfo(inst).control) break;  // what follows may be left out
    if (depth || inst.dst.bank != Bank::Out || (inst.masked && divergence_.partial[i])) continue;
    for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w)
      written.set(abi::groupWord(program_.info, inst.dst.word + w));
  }
  return written;
}

/// One of abi::kPlaneSysValues at the group's place, in the order of operations of abi::FragmentPlanes, or its
/// centroid.
llvm::Value* Emitter::planeValue(abi::SysValue v, V planes) {
  using abi::FragmentPlanes, abi::PrimitiveSetup, abi::SysValue;
  const auto at = [&](uint32_t axis) { return ir_.CreateBitCast(position_[axis], lanes(ir_.getFloatTy())); };
  const auto of = [&](V base, size_t member) { return splat(field(base, member, ir_.getFloatTy())); };
  const auto from = [&](uint32_t axis, V base, size_t origin, size_t factor) {
    return ir_.CreateFMul(ir_.CreateFSub(at(axis), of(base, origin)), of(planes, factor));
  };
  const auto point = [&](uint32_t axis, size_t origin) {
    return ir_.CreateFAdd(of(planes, offsetof(FragmentPlanes, half)),
                          from(axis, planes, origin, offsetof(FragmentPlanes, pointInvSize)));
  };
  switch (v) {
    case SysValue::CentroidX: return at(0);
    case SysValue::CentroidY: return at(1);
    case SysValue::FragCoordZ: {
      V z = from(0, primitive(), offsetof(PrimitiveSetup, x0), offsetof(FragmentPlanes, dzdx));
      z = ir_.CreateFAdd(z, of(planes, offsetof(FragmentPlanes, z0)));
      return ir_.CreateFAdd(z, from(1, primitive(), offsetof(PrimitiveSetup, y0), offsetof(FragmentPlanes, dzdy)));
    }
    case SysValue::PointCoordX: return point(0, offsetof(FragmentPlanes, pointX));
    case SysValue::PointCoordY: return point(1, offsetof(FragmentPlanes, pointY));
    default: {
      const auto [l1, l2] = linearAt(at(0), at(1));
      return inverseWAt(l1, l2);
    }
  }
}

/// What the program reads of those: computed, or as the caller has them.
void Emitter::findPlaneValues(V input) {
  std::vector<abi::SysValue> read;
  for (uint32_t v = 0; v < abi::kSysValueCount; ++v)
    if (program_.info.sysValues & (abi::kPlaneSysValues | abi::kCentroidSysValues) & uint64_t{1} << v)
      read.push_back(static_cast<abi::SysValue>(v));
  if (read.empty()) return;
  V planes = field(input, offsetof(FragmentGroups, planes), ir_.getPtrTy());
  llvm::BasicBlock *given = block("given"), *computed = block("computed"), *known = block("known");
  ir_.CreateCondBr(ir_.CreateIsNull(planes), given, computed);
  std::vector<V> values[2];
  enter(given);
  for (const abi::SysValue v : read) values[0].push_back(sysWords(v));
  ir_.CreateBr(known);
  enter(computed);
  for (const abi::SysValue v : read)
    values[1].push_back(ir_.CreateBitCast(planeValue(v, planes), lanes(ir_.getInt32Ty())));
  ir_.CreateBr(known);
  enter(known);
  for (size_t i = 0; i < read.size(); ++i) {
    llvm::PHINode* value = ir_.CreatePHI(lanes(ir_.getInt32Ty()), 2);
    value->addIncoming(values[0][i], given), value->addIncoming(values[1][i], computed);
    planeValues_[read[i]] = value;
  }
}

/// The numbers of the groups that a round runs.
std::vector<llvm::Value*> Emitter::groupsOfRound() {
  V left = ir_.CreateLoad(ir_.getInt32Ty(), groupsLeft_);
  const auto lowest = [&](V bits) {
    return ir_.CreateZExt(ir_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, ir_.getInt1(true)), ir_.getInt64Ty());
  };
  std::vector<V> groups = {lowest(left)};
  if (strands_.size() > 1) {
    V others = withoutLowest(left);
    second_ = nonzero(others);
    groups.push_back(lowest(ir_.CreateSelect(second_, others, left)));
  }
  return groups;
}
llvm::Value* Emitter::withoutLowest(V bits) {
  return ir_.CreateAnd(bits, ir_.CreateSub(bits, llvm::ConstantInt::get(bits->getType(), 1)));
}

/// A group's part of rows that FragmentGroups points to.
llvm::Value* Emitter::rowsOfGroup(size_t member, V group, uint64_t rows) {
  V all = field(function_->getArg(2), member, ir_.getPtrTy());
  return ir_.CreateInBoundsGEP(words8(), all, ir_.CreateMul(group, ir_.getInt64(rows)));
}

void Emitter::placeGroups(const std::vector<V>& groups) {
  V place = field(function_->getArg(2), offsetof(FragmentGroups, place), ir_.getPtrTy());
  for (uint32_t i = 0; i < 2; ++i) {
    const auto load = [&](V row) {
      llvm::Type* floats = llvm::FixedVectorType::get(ir_.getFloatTy(), kWarpLanes);
      V at = ir_.CreateConstInBoundsGEP1_64(words8(), row, i);
      return invariant(ir_.CreateAlignedLoad(floats, at, llvm::Align(32)));
    };
    const auto from = [&] { return load(place); };
    const auto offset = [&] { return load(rowsOfGroup(offsetof(FragmentGroups, offset), groups[strand_], 2)); };
    V at = ir_.CreateFAdd(both(from), both(offset));
    position_[i] = ir_.CreateBitCast(at, lanes(ir_.getInt32Ty()));
  }
}

/// Begins the loop over the groups.
void Emitter::startFragments() {
  llvm::Type *i32 = ir_.getInt32Ty(), *i64 = ir_.getInt64Ty();
  start_ = ir_.GetInsertBlock();
  V input = function_->getArg(2);
  groupsLeft_ = slot(i32, "groups");
  killed_ = slot(i64, "killed");
  IR before(entry_, entry_->getTerminator()->getIterator());
  before.CreateStore(before.CreateLoad(i32, before.CreateConstInBoundsGEP1_64(before.getInt8Ty(), input,
                                                                              offsetof(FragmentGroups, groups))),
                     groupsLeft_);
  before.CreateStore(ir_.getInt64(0), killed_);
  if (strands_.size() > 1) {
    llvm::AllocaInst* exec = exec_;
    use(1);
    warp_ = slot(llvm::ArrayType::get(ir_.getInt8Ty(), sizeof(Warp)), "twin");
    exec_ = pairs_ ? exec : maskSlot("exec");
    before.CreateMemCpy(warp_, llvm::Align(8), function_->getArg(1), llvm::Align(8), sizeof(Warp));
    use(0);
  }

  const std::vector<V> groups = groupsOfRound();
  forEachPair([&] { placeGroups(groups), findPlaneValues(input); });
  // The texture unit reads input attachments at the place that the warp has.
  if (program_.info.readsAttachments)
    for (uint32_t i = 0; i < 2; ++i)
      ir_.CreateAlignedStore(position_[i], sysRow(i ? abi::SysValue::PosY : abi::SysValue::PosX), llvm::Align(32));
  const std::bitset<abi::kMaxGroupWords> written = surelyWritten();
  forEachStrand([&] { startGroup(groups[strand_], written); });
}

void Emitter::startGroup(V group, const std::bitset<abi::kMaxGroupWords>& written) {
  llvm::Type *i32 = ir_.getInt32Ty(), *i64 = ir_.getInt64Ty();
  V input = function_->getArg(2);
  const uint32_t words = abi::groupWords(program_.info);
  color_ = rowsOfGroup(offsetof(FragmentGroups, color), group, words);
  if (strand_) {
    llvm::AllocaInst* unread = slot(llvm::ArrayType::get(words8(), words), "unread");
    unread->setAlignment(llvm::Align(32));
    color_ = ir_.CreateSelect(second_, color_, unread);
  }
  lanes_ = ir_.CreateMul(group, ir_.getInt64(kWarpLanes));
  const auto set = [&](size_t member, V value) {
    ir_.CreateStore(value, ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), warp_, member));
  };
  const auto lanesOfGroup = [&](size_t member) {
    V all = ir_.CreateLShr(field(input, member, i64), lanes_);
    if (strand_) all = ir_.CreateSelect(second_, all, ir_.getInt64(0));
    return ir_.CreateAnd(ir_.CreateTrunc(all, i32), ir_.getInt32(kAllLanes));
  };
  set(offsetof(Warp, active), lanesOfGroup(offsetof(FragmentGroups, active)));
  set(offsetof(Warp, helper), lanesOfGroup(offsetof(FragmentGroups, helper)));
  set(offsetof(Warp, killed), ir_.getInt32(0));
  // Undefined outputs must not depend on what was shaded before.
  forGroupWords(program_.info, [&](uint32_t ofGroup, uint32_t word) {
    if (!written[ofGroup])
      ir_.CreateAlignedStore(llvm::Constant::getNullValue(words8()), outRow(word), llvm::Align(32));
  });
}

/// Ends a round, at the end of the program.
void Emitter::endFragments() {
  llvm::Type *i32 = ir_.getInt32Ty(), *i64 = ir_.getInt64Ty();
  V killed = ir_.CreateLoad(i64, killed_), left = ir_.CreateLoad(i32, groupsLeft_);
  forEachStrand([&] {
    V own = ir_.CreateZExt(field(warp_, offsetof(Warp, killed), i32, false), i64);
    killed = ir_.CreateOr(killed, ir_.CreateShl(own, lanes_));
    left = withoutLowest(left);
  });
  ir_.CreateStore(killed, killed_);
  ir_.CreateStore(left, groupsLeft_);
  V status = ir_.CreateLoad(i32, status_);
  llvm::BasicBlock* leave = block("leave");
  ir_.CreateCondBr(ir_.CreateAnd(nonzero(left), ir_.CreateNot(nonzero(status))), start_, leave);
  enter(leave);
  ir_.CreateStore(
      killed, ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), function_->getArg(2), offsetof(FragmentGroups, killed)));
  ir_.CreateRet(status);
}

}  // namespace etzel::native
