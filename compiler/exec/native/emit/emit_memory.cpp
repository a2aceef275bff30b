// Descriptors and loads. A checked space is a base and a size; the bounds rule is the interpreter's: each element of
// each lane for itself. Uniform addresses load once; lanes in a row load whole vectors; everything else gathers.
#include <algorithm>
#include <cstddef>

#include "compiler/exec/native/emit/emitter.h"
#include "runtime/abi/kernel.h"
#include "runtime/base/live_memory.h"

namespace etzel::native {

using isa::Inst;
using isa::Opcode;
using isa::Space;
using isa::Type;

namespace {
constexpr uint64_t kFirstAddress = 65536;  // no mapping below, so null pointers are harmless
constexpr size_t kHoistedDescriptors = 8;
constexpr uint32_t kMostApart = 1 << 19;  // bytes from the first lane
}  // namespace

/// The handle when it is the same in every invocation that runs.
std::optional<uint32_t> Emitter::constantHandle(isa::Operand o) const { return constantOf(webs_, constants_, o); }

/// What `read` makes of the slot of a constant handle, once for each, at the top, so that loops and branches find it
/// done. Null: the handle is none, or there are enough of them.
template <class T, class Read>
const T* Emitter::hoisted(isa::Operand handle, std::map<uint32_t, T>& all, Read read) {
  const std::optional<uint32_t> constant = constantHandle(handle);
  if (!constant) return nullptr;
  const auto known = all.find(*constant);
  if (known != all.end()) return &known->second;
  if (ranges_.size() + views_.size() >= kHoistedDescriptors) return nullptr;
  IR::InsertPointGuard guard(ir_);
  ir_.SetInsertPoint(entry_->getTerminator());
  return &(all[*constant] = read(ir_.getInt32(*constant)));
}

Emitter::Range Emitter::bufferRange(isa::Operand handle) {
  if (const Range* range = hoisted(handle, ranges_, [&](V constant) { return uniformRange(constant); })) return *range;
  // The word may not have been made yet where a loop's loads are looked at before it.
  if (const std::optional<uint32_t> constant = constantHandle(handle)) return uniformRange(ir_.getInt32(*constant));
  return isUniform(handle) ? uniformRange(word(handle)) : varyingRange(word(handle));
}

llvm::Value* Emitter::viewOf(isa::Operand handle) {
  const auto read = [&](V uniform) {
    return field(slotOf(uniform), offsetof(abi::ImageDescriptor, view), ir_.getPtrTy());
  };
  if (const V* view = hoisted(handle, views_, read)) return *view;
  return read(word(handle));
}

llvm::Value* Emitter::samplerOf(isa::Operand handle) {
  return field(imageSlot(handle), offsetof(abi::ImageDescriptor, sampler), ir_.getPtrTy());
}

llvm::Value* Emitter::imageSlot(isa::Operand handle) {
  if (const V* slot = hoisted(handle, slots_, [&](V uniform) { return slotOf(uniform); })) return *slot;
  return slotOf(word(handle));
}

llvm::Value* Emitter::slotOf(V handle) {
  using abi::DispatchContext;
  V table = ir_.CreateLShr(handle, abi::kTableShift);
  V at = ir_.CreateShl(ir_.CreateZExt(ir_.CreateAnd(handle, abi::kSlotMask), ir_.getInt64Ty()), 4);
  V tables = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), dispatch_, offsetof(DispatchContext, table));
  V sizes = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), dispatch_, offsetof(DispatchContext, tableBytes));
  V index = ir_.CreateZExt(table, ir_.getInt64Ty());
  V base = invariant(ir_.CreateLoad(ir_.getPtrTy(), ir_.CreateInBoundsGEP(ir_.getPtrTy(), tables, index)));
  V size = invariant(ir_.CreateLoad(ir_.getInt32Ty(), ir_.CreateInBoundsGEP(ir_.getInt32Ty(), sizes, index)));
  V inside =
      ir_.CreateICmpULE(ir_.CreateAdd(at, constant64(abi::kDescriptorBytes)), ir_.CreateZExt(size, ir_.getInt64Ty()));
  // Past the end acts as the null table's zeros.
  V nulls = invariant(
      ir_.CreateLoad(ir_.getPtrTy(), ir_.CreateConstInBoundsGEP1_64(ir_.getPtrTy(), tables, abi::kNullTable)));
  return ir_.CreateSelect(inside, ir_.CreateGEP(ir_.getInt8Ty(), base, at), nulls);
}

Emitter::Range Emitter::uniformRange(V handle) {
  V slot = slotOf(handle);
  return {field(slot, offsetof(abi::BufferDescriptor, address), ir_.getPtrTy()),
          field(slot, offsetof(abi::BufferDescriptor, size), ir_.getInt64Ty())};
}

/// A handle per lane: the same by gathers. Lanes that are not active, whose handles may be anything, get size 0.
Emitter::Range Emitter::varyingRange(V handle) {
  using abi::DispatchContext;
  llvm::Type* wide = lanes(ir_.getInt64Ty());
  llvm::Type* pointers = lanes(ir_.getPtrTy());
  V now = nonzero(exec());
  const auto gather = [&](llvm::Type* type, V from, unsigned align, V mask) {
    return ir_.CreateMaskedGather(type, from, llvm::Align(align), mask, llvm::Constant::getNullValue(type));
  };
  V index = ir_.CreateZExt(ir_.CreateLShr(handle, splat(ir_.getInt32(abi::kTableShift))), wide);
  V at = ir_.CreateShl(ir_.CreateZExt(ir_.CreateAnd(handle, splat(ir_.getInt32(abi::kSlotMask))), wide),
                       splat(constant64(4)));
  V tables = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), dispatch_, offsetof(DispatchContext, table));
  V sizes = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), dispatch_, offsetof(DispatchContext, tableBytes));
  V base = gather(pointers, ir_.CreateGEP(ir_.getPtrTy(), tables, index), 8, now);
  V size = gather(words8(), ir_.CreateGEP(ir_.getInt32Ty(), sizes, index), 4, now);
  V end = ir_.CreateAdd(at, splat(constant64(abi::kDescriptorBytes)));
  V inside = ir_.CreateAnd(now, ir_.CreateICmpULE(end, ir_.CreateZExt(size, wide)));
  V slot = ir_.CreateGEP(ir_.getInt8Ty(), base, at);
  V address = gather(wide, ir_.CreateGEP(ir_.getInt8Ty(), slot, constant64(offsetof(abi::BufferDescriptor, address))),
                     8, inside);
  V bytes =
      gather(wide, ir_.CreateGEP(ir_.getInt8Ty(), slot, constant64(offsetof(abi::BufferDescriptor, size))), 8, inside);
  return {address, bytes};
}

/// The bytes of a buffer from the 64 bits behind its handle on.
Emitter::Range Emitter::wideBufferRange(isa::Operand address) {
  Range range = bufferRange(address);
  V first = element({address.bank, address.word + 1}, Type::I64);
  const bool each = isVector(range.base) || isVector(first);
  if (each && !isVector(range.base)) range.base = splat(ir_.CreatePtrToInt(range.base, ir_.getInt64Ty()));
  if (each) range.size = splat(range.size), first = splat(first);
  V inside = ir_.CreateICmpULE(first, range.size);
  V size = ir_.CreateSelect(inside, ir_.CreateSub(range.size, first), llvm::Constant::getNullValue(first->getType()));
  return {each ? ir_.CreateAdd(range.base, first) : ir_.CreateGEP(ir_.getInt8Ty(), range.base, first), size};
}

bool Emitter::rangeOf(const Inst& inst, Range& range) {
  switch (static_cast<Space>(inst.sub)) {
    case Space::Buffer: range = bufferRange(inst.src[0]); return true;
    case Space::WideBuffer: range = wideBufferRange(inst.src[0]); return true;
    case Space::Shared:
      range.size = constant64(program_.info.sharedBytes);
      range.base = inStrand(isCrowd() ? 0 : strand_, [&] { return warpField(offsetof(abi::Warp, shared)); });
      return true;
    case Space::Push:
      range = {field(dispatch_, offsetof(abi::DispatchContext, pushConstants), ir_.getPtrTy()), constant64(kPushBytes)};
      return true;
    case Space::Table: range = {table(), constant64(program_.table.size() * 4)}; return true;
    case Space::Global: {
      V address = element(inst.src[0], Type::I64);
      const auto number = [&](uint64_t v) -> V { return llvm::ConstantInt::get(address->getType(), v); };
      V mapped = ir_.CreateICmpUGE(address, number(kFirstAddress));
      V size = ir_.CreateSelect(mapped, number(uint64_t(1) << 62), number(0));
      range = {isVector(address) ? address : ir_.CreateIntToPtr(address, ir_.getPtrTy()), size};
      return true;
    }
    default: return false;
  }
}

/// The program's constant words: known to LLVM, which folds loads from places that it finds out.
llvm::Value* Emitter::table() {
  if (!table_) {
    llvm::Constant* words = llvm::ConstantDataArray::get(context_, llvm::ArrayRef<uint32_t>(program_.table));
    auto* global = new llvm::GlobalVariable(module_, words->getType(), /*isConstant=*/true,
                                            llvm::GlobalValue::PrivateLinkage, words, "table");
    global->setAlignment(llvm::Align(4));
    table_ = global;
  }
  return table_;
}

llvm::LoadInst* Emitter::invariant(llvm::LoadInst* load) {
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
  return load;
}

bool Emitter::memory(const Inst& inst, uint32_t) {
  const bool isGlobal = isa::opInfo(inst).sub == isa::SubKind::Space && static_cast<Space>(inst.sub) == Space::Global;
  if (isGlobal && checksAddresses()) return false;  // the interpreter does
  switch (inst.op) {
    case Opcode::Desc: {
      const isa::Resource& r = program_.resources[inst.imm];
      if (!inst.src[0].present()) {
        setWord(inst, 0, ir_.getInt32(r.count ? r.baseHandle : abi::kNullHandle));
        return true;
      }
      V index = word(inst.src[0]);
      const auto number = [&](uint32_t v) -> V { return llvm::ConstantInt::get(index->getType(), v); };
      V handle = ir_.CreateAdd(ir_.CreateMul(index, number(r.strideBytes / 16)), number(r.baseHandle));
      setWord(inst, 0, ir_.CreateSelect(ir_.CreateICmpULT(index, number(r.count)), handle, number(abi::kNullHandle)));
      return true;
    }
    case Opcode::BufSize:
    case Opcode::BufAddr: {
      const Range range = bufferRange(inst.src[0]);
      if (inst.op == Opcode::BufSize && inst.type == Type::I64) {
        setElement64(inst, range.size);
      } else if (inst.op == Opcode::BufSize) {
        V most = llvm::ConstantInt::get(range.size->getType(), 0xFFFFFFFF);
        V size = ir_.CreateSelect(ir_.CreateICmpULT(range.size, most), range.size, most);
        setWord(inst, 0, ir_.CreateTrunc(size, like(size, ir_.getInt32Ty())));
      } else {
        V address = isVector(range.base) ? range.base : ir_.CreatePtrToInt(range.base, ir_.getInt64Ty());
        setElement64(inst, address);
      }
      return true;
    }
    case Opcode::Ld:
    case Opcode::St:
    case Opcode::Atom: break;
    default: return false;
  }
  const auto space = static_cast<Space>(inst.sub);
  if (inst.op == Opcode::Atom) return atomic(inst);
  if (space == Space::Scratch || space == Space::InRegister || space == Space::OutRegister) return interleaved(inst);
  if (space == Space::InRecord || space == Space::OutRecord || space == Space::Patch) return record(inst);
  Access a;
  a.bytes = isa::typeBytes(inst.type), a.total = inst.count * a.bytes, a.words = isa::typeWords(inst.type);
  a.count = inst.count;
  a.checked = space != Space::Global;
  a.element = ir_.getIntNTy(std::min(a.bytes, 4u) * 8);
  a.offset = inst.src[1];
  a.imm = inst.imm;
  if (pushConstant(inst)) return true;
  if (!rangeOf(inst, a.range)) return false;
  a.readOnly = inst.op == Opcode::Ld && readsOnly(index_);
  a.anyLane = isKnownInside(index_);
  a.inside = a.anyLane || isInside(inst, a.total);
  a.turned = !turned_.empty() && turned_[index_];
  a.near = a.inside && space == Space::Shared;
  if (inst.op == Opcode::St) {
    if (wideStore(inst, a)) return true;
    std::vector<V> values;
    for (uint32_t w = 0; w < inst.count * a.words; ++w) values.push_back(splat(word(inst.src[2], w)));
    store(inst, a, values);
    return true;
  }
  const bool oneAddress = isUniform(a.offset) && !isVector(a.range.base);
  if (oneAddress) {
    loadUniform(inst, a);
  } else if (!wideLoad(inst, a)) {
    a.halves = givesHalves(inst), a.streams = streams_.count(index_);
    const std::vector<V> words = loadLanes(a);
    for (uint32_t w = 0; w < words.size(); ++w) setWord(inst, w, words[w]);
  }
  return true;
}

/// Whether `total` bytes are inside of a space whose size the program says, wherever lanes that run access it.
bool Emitter::isInside(const Inst& inst, uint32_t total) const {
  // A strand may come here without any lane, and what is known is known of lanes that run.
  if (strands_.size() > 1 && divergence_.partial[index_]) return false;
  uint64_t size = 0;
  switch (static_cast<Space>(inst.sub)) {
    case Space::Shared: size = program_.info.sharedBytes; break;
    case Space::Table: size = program_.table.size() * 4; break;
    default: return false;
  }
  const uint32_t most = bounds_.most(inst.src[1], index_);
  return most != Bounds::kNone && uint64_t(most) + inst.imm + total <= size;
}

/// How lanes lie, where that is known and not too much to look at once.
std::optional<Shape> Emitter::placesOf(const Access& a) const {
  const Shape shape = shapeOf(a.offset);
  if (shape.varying() || shape.uniform() || shape.farthest() > kMostApart) return {};
  return shape;
}

/// Lane 0's first byte. `known`: lanes do not vary freely.
llvm::Value* Emitter::startOf(const Access& a, bool known) {
  V place = nullptr;
  if (known)
    place = firstPlace(a);
  else
    place = ir_.CreateZExt(ir_.CreateExtractElement(word(a.offset), uint64_t(0)), ir_.getInt64Ty());
  return ir_.CreateAdd(place, constant64(a.imm));
}

/// Lane 0's place, of lanes that do not vary freely; from that of a crowd's first warp on, where that is known.
llvm::Value* Emitter::firstPlace(const Access& a) {
  const auto place = [&]() -> V { return ir_.CreateZExt(baseOf(a.offset), ir_.getInt64Ty()); };
  if (!isCrowd() || !a.near || a.offset.bank != isa::Bank::Temp) return place();
  const std::optional<uint32_t> apart = crowd_.apart(webs_.webOf(a.offset), strand_);
  if (!apart || *apart >= program_.info.sharedBytes) return place();
  return ir_.CreateAdd(inStrand(0, place), constant64(*apart));
}

/// True for loads inside of the push constants at a place that is known now: done at the top.
bool Emitter::pushConstant(const Inst& inst) {
  const std::optional<uint32_t> at = pushedAt(webs_, constants_, inst);
  for (uint32_t w = 0; at && w < isa::dstWords(inst); ++w) setWord(inst, w, pushed(*at + w * 4));
  return at.has_value();
}

llvm::Value* Emitter::pushed(uint32_t at) {
  V& v = pushed_[at];
  if (!v) {
    IR::InsertPointGuard guard(ir_);
    ir_.SetInsertPoint(entry_->getTerminator());
    v = field(field(dispatch_, offsetof(abi::DispatchContext, pushConstants), ir_.getPtrTy()), at, ir_.getInt32Ty());
  }
  return v;
}

/// What loads read that are outside of their memory.
llvm::Value* Emitter::zerosInMemory() {
  if (!zeros_) {
    zeros_ = slot(ir_.getInt64Ty(), "zeros");
    IR at(entry_, std::next(zeros_->getIterator()));
    at.CreateStore(at.getInt64(0), zeros_);
  }
  return zeros_;
}

/// One address for all lanes: each element once, 0 when outside.
void Emitter::loadUniform(const Inst& inst, const Access& a) {
  V start = startOf(a), zeros = zerosInMemory();
  std::vector<V> values;
  for (uint32_t e = 0; e < inst.count; ++e) {
    V first = ir_.CreateAdd(start, constant64(uint64_t(e) * a.bytes));
    V p = ir_.CreateGEP(ir_.getInt8Ty(), a.range.base, first);
    if (!a.inside) {
      V inside = ir_.CreateICmpULE(ir_.CreateAdd(first, constant64(a.bytes)), a.range.size);
      p = ir_.CreateSelect(inside, p, zeros);
    }
    for (uint32_t w = 0; w < a.words; ++w) {
      V v = ir_.CreateAlignedLoad(a.element, ir_.CreateConstInBoundsGEP1_64(a.element, p, w), llvm::Align(1));
      values.push_back(ir_.CreateZExt(v, ir_.getInt32Ty()));
    }
  }
  for (uint32_t w = 0; w < values.size(); ++w) setWord(inst, w, values[w]);
}

/// Whether it is known how lanes lie (returns a constant), or they lie in a row, element after element, which is found
/// out at run time. Null: they do not.
llvm::Value* Emitter::inRow(const Access& a, V mask) {
  if (!shapeOf(a.offset).varying()) return placesOf(a) ? ir_.getTrue() : nullptr;
  V offset = word(a.offset);
  V inOrder =
      ir_.CreateICmpEQ(ir_.CreateSub(offset, splat(ir_.CreateExtractElement(offset, uint64_t(0)))), steps(a.total));
  return ir_.CreateICmpEQ(ir_.CreateBitCast(ir_.CreateAnd(inOrder, mask), ir_.getInt8Ty()), ir_.getInt8(0xFF));
}

/// Where the lanes' element `e` lies, and which of the lanes `now` may touch it.
Emitter::Cells Emitter::cellsOf(const Access& a, uint32_t e, V now) {
  const uint32_t before = e * a.bytes;
  const uint64_t first = a.imm + uint64_t(a.turns ? 0 : before);
  V offset = splat(word(a.offset));
  if (a.turns) offset = ir_.CreateAdd(offset, splat(ir_.getInt32(before)));
  llvm::Type* wide = lanes(ir_.getInt64Ty());
  if (isVector(a.range.base)) {
    V at = ir_.CreateAdd(ir_.CreateZExt(offset, wide), llvm::ConstantInt::get(wide, first));
    V inside = ir_.CreateICmpULE(ir_.CreateAdd(at, llvm::ConstantInt::get(wide, a.bytes)), splat(a.range.size));
    return {ir_.CreateIntToPtr(a.range.base, lanes(ir_.getPtrTy())), at, ir_.CreateAnd(now, inside)};
  }
  // One range for all lanes: 32 bits are enough to check, and to gather with, whose indices are signed: the base is
  // moved to the middle.
  V end = constant64(first + a.bytes);
  V room = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, ir_.CreateSub(a.range.size, end), constant64(0xFFFFFFFF));
  V inside = ir_.CreateICmpULE(offset, splat(ir_.CreateTrunc(room, ir_.getInt32Ty())));
  inside = ir_.CreateAnd(ir_.CreateAnd(now, inside), splat(ir_.CreateICmpUGE(a.range.size, end)));
  V base = ir_.CreateGEP(ir_.getInt8Ty(), a.range.base, constant64(first + (uint64_t(1) << 31)));
  return {base, ir_.CreateXor(offset, splat(ir_.getInt32(1u << 31))), inside};
}

std::vector<llvm::Value*> Emitter::gatherLanes(const Access& a, V now) {
  std::vector<V> words;
  const uint32_t parts = a.count * a.words;
  if (!a.checked && a.bytes >= 4 && (parts == 2 || parts == 4)) {
    // By address all of a lane is there or nothing: one load for each, of zeros where there is nothing.
    const LaneCells cells = laneCells(a, a.total, now);
    V zeros = ir_.CreatePtrToInt(orZeros(llvm::ConstantPointerNull::get(ir_.getPtrTy())), ir_.getInt64Ty());
    V from = ir_.CreateSelect(cells.inside, cells.address, splat(zeros));
    return joinLanes(ir_.getInt32Ty(), parts, [&](uint32_t lane, llvm::Type* type) -> V {
      V p = ir_.CreateIntToPtr(ir_.CreateExtractElement(from, uint64_t(lane)), ir_.getPtrTy());
      return ir_.CreateAlignedLoad(type, p, llvm::Align(1));
    });
  }
  for (uint32_t e = 0; e < a.count; ++e) {
    const Cells cells = cellsOf(a, e, now);
    for (uint32_t w = 0; w < a.words; ++w) {
      llvm::Type* type = lanes(a.element);
      V base = ir_.CreateGEP(ir_.getInt8Ty(), cells.base, constant64(w * 4));
      V r = gathersAtOnce(host_)
                ? ir_.CreateMaskedGather(type, ir_.CreateGEP(ir_.getInt8Ty(), base, cells.index), llvm::Align(1),
                                         cells.inside, llvm::Constant::getNullValue(type))
                : loadEach(a.element, base, cells);
      words.push_back(a.bytes < 4 ? ir_.CreateZExt(r, words8()) : r);
    }
  }
  return words;
}

/// Rows of turned matrices, element by element in a loop: little code for what hardly ever runs.
std::vector<llvm::Value*> Emitter::loadElements(const Access& a) {
  const uint32_t count = a.count;
  llvm::Type *i32 = ir_.getInt32Ty(), *i64 = ir_.getInt64Ty();
  llvm::AllocaInst* elements = slot(llvm::ArrayType::get(a.element, count * kWarpLanes), "elements");
  elements->setAlignment(llvm::Align(64));
  llvm::AllocaInst* offsets = inMemory(splat(word(a.offset)));
  llvm::BasicBlock *before = ir_.GetInsertBlock(), *again = block("element"), *done = block("elements");
  V zeros = zerosInMemory();
  ir_.CreateBr(again);
  enter(again);
  llvm::PHINode* i = ir_.CreatePHI(i32, 2);
  i->addIncoming(ir_.getInt32(0), before);
  V offset = laneIn(offsets, ir_.CreateUDiv(i, ir_.getInt32(count)));
  V inRow = ir_.CreateMul(ir_.CreateURem(i, ir_.getInt32(count)), ir_.getInt32(a.bytes));
  V at = a.turns ? ir_.CreateZExt(ir_.CreateAdd(offset, inRow), i64)
                 : ir_.CreateAdd(ir_.CreateZExt(offset, i64), ir_.CreateZExt(inRow, i64));
  at = ir_.CreateAdd(at, constant64(a.imm));
  V inside = ir_.CreateICmpULE(ir_.CreateAdd(at, constant64(a.bytes)), a.range.size);
  V p = ir_.CreateSelect(inside, ir_.CreateGEP(ir_.getInt8Ty(), a.range.base, at), zeros);
  V to = ir_.CreateInBoundsGEP(a.element, elements, ir_.CreateZExt(i, i64));
  ir_.CreateStore(ir_.CreateAlignedLoad(a.element, p, llvm::Align(1)), to);
  V following = ir_.CreateAdd(i, ir_.getInt32(1));
  i->addIncoming(following, again);
  staysLoop(ir_.CreateCondBr(ir_.CreateICmpNE(following, ir_.getInt32(count * kWarpLanes)), again, done));
  enter(done);
  std::vector<V> rows;
  llvm::Type* row = llvm::FixedVectorType::get(a.element, count);
  for (uint32_t lane = 0; lane < kWarpLanes; ++lane)
    rows.push_back(ir_.CreateAlignedLoad(row, ir_.CreateConstInBoundsGEP1_64(row, elements, lane), llvm::Align(16)));
  return rows;
}

/// Numbers as words.
std::vector<llvm::Value*> Emitter::widened(std::vector<V> numbers) {
  for (V& v : numbers) v = ir_.CreateZExt(v, words8());
  return numbers;
}

std::vector<llvm::Value*> Emitter::loadLanes(const Access& a) {
  const uint32_t parts = a.count * a.words;
  V now = nonzero(exec());
  const std::optional<Shape> places = placesOf(a);
  // Looking whether lanes lie in a row costs as much as it saves where a single gather does it.
  const bool single = parts == 1 && a.bytes == 4 && shapeOf(a.offset).varying();
  const bool eight = parts == 8 && a.bytes <= 4 && places;
  const bool shaped = (parts == 1 || parts == 2 || parts == 4 || eight) && !isVector(a.range.base) && !single;
  V ordered = shaped ? inRow(a, now) : nullptr;
  // Lanes that do not run may have any address.
  if (ordered && places && !a.checked && !allActive()) ordered = ir_.CreateICmpEQ(bitsOf(now), ir_.getInt32(0xFF));
  const auto anywhere = [&] {
    if (a.turned && multipliesInTiles(host_) && !isVector(a.range.base)) return loadElements(a);
    std::vector<V> words = loadAnywhere(a, now);
    if (!a.turned) return words;
    words = turned(std::move(words));
    for (V& row : words) row = ir_.CreateTrunc(row, lanes(a.element));
    return words;
  };
  if (!ordered) return widened(anywhere());
  // Inside for all lanes: then it does no harm to load for inactive ones too.
  const Shape lie = places.value_or(Shape::growing(a.total));
  V start = startOf(a, places.has_value());
  V first = ir_.CreateGEP(ir_.getInt8Ty(), a.range.base, start);
  if (a.streams) fetchAhead(first, lie.farthest() + a.total);
  if (places && !isNeighbour(lie.farthest() + a.total)) fetchNextRound(first, a, lie);
  const auto rows = [&] { return loadRows(first, a, lie); };
  if (places && a.inside && (a.anyLane || allActive())) return widened(rows());
  const auto areRows = [&] {
    V end = ir_.CreateAdd(start, constant64(uint64_t(lie.farthest()) + a.total)), size = a.range.size;
    // No offset turns over that ends here.
    if (a.turns) size = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, size, constant64(0xFFFFFFFF));
    return ir_.CreateAnd(ordered, ir_.CreateICmpULE(end, size));
  };
  return widened(firstOf(parts, {{areRows, rows}, {{}, anywhere}}));
}

/// Whether the load is part of a wide one, which is done with the first of its words.
bool Emitter::wideLoad(const Inst& inst, const Access& a) {
  const auto found = wideWords_.find(index_);
  if (found == wideWords_.end()) return false;
  const std::vector<uint32_t>& loads = wideLoads_[found->second.load].loads;
  std::vector<llvm::AllocaInst*>& results = wideResults_[found->second.load];
  if (index_ == loads[0]) {
    Access wide = a;
    wide.count = static_cast<uint32_t>(loads.size()) * inst.count, wide.total = wide.count * wide.bytes;
    wide.turns = wideLoads_[found->second.load].turns;
    wide.anyLane = std::all_of(loads.begin(), loads.end(), [&](uint32_t i) { return isKnownInside(i); });
    wide.inside = wide.anyLane || isInside(inst, wide.total);
    wide.streams = streams_.count(index_);
    wide.halves = std::all_of(loads.begin(), loads.end(), [&](uint32_t i) { return givesHalves(program_.code[i]); });
    results.clear();
    for (V words : a.turned ? loadPairOfRows(wide) : loadLanes(wide)) {
      results.push_back(slot(words->getType(), "wide"));
      ir_.CreateStore(words, results.back());
    }
  }
  if (a.turned) {
    setRowsOfPair(found->second.load, found->second.word);
    return true;
  }
  for (uint32_t w = 0; w < inst.count; ++w)
    setWord(inst, w, ir_.CreateLoad(words8(), results[found->second.word * inst.count + w]));
  return true;
}

/// Where lane `lane`'s access goes: its first byte's number in its range, the range's base and size.
Emitter::LaneAccess Emitter::laneAccess(const Access& a, V lane) {
  const auto of = [&](V v) { return isVector(v) ? ir_.CreateExtractElement(v, lane) : v; };
  V offset = word(a.offset);
  LaneAccess l;
  l.at = ir_.CreateAdd(ir_.CreateZExt(of(offset), ir_.getInt64Ty()), constant64(a.imm));
  l.size = of(a.range.size);
  l.base = isVector(a.range.base) ? ir_.CreateIntToPtr(of(a.range.base), ir_.getPtrTy()) : a.range.base;
  return l;
}

/// Where the accesses of all lanes begin, and which of those `now` are inside, all `bytes` of them.
Emitter::LaneCells Emitter::laneCells(const Access& a, uint32_t bytes, V now) {
  llvm::Type* wide = lanes(ir_.getInt64Ty());
  V at = ir_.CreateAdd(ir_.CreateZExt(splat(word(a.offset)), wide), llvm::ConstantInt::get(wide, a.imm));
  V end = ir_.CreateAdd(at, llvm::ConstantInt::get(wide, bytes));
  V base = isVector(a.range.base) ? a.range.base : splat(ir_.CreatePtrToInt(a.range.base, ir_.getInt64Ty()));
  return {ir_.CreateAdd(base, at), ir_.CreateAnd(now, ir_.CreateICmpULE(end, splat(a.range.size)))};
}

/// A vector in memory, for loops that take its lanes by number: registers would be stored for each of them.
llvm::AllocaInst* Emitter::inMemory(V vector) {
  llvm::AllocaInst* a = slot(vector->getType(), "lanes");
  ir_.CreateStore(vector, a);
  return a;
}

llvm::Value* Emitter::laneIn(llvm::AllocaInst* lanes, V lane) {
  llvm::Type* type = lanes->getAllocatedType()->getScalarType();
  return ir_.CreateLoad(type, ir_.CreateInBoundsGEP(type, lanes, ir_.CreateZExt(lane, ir_.getInt64Ty())));
}

/// Runs `body` for each lane of `mask`, lowest first.
void Emitter::forEachLane(V mask, const std::function<void(V lane)>& body) {
  llvm::BasicBlock* before = ir_.GetInsertBlock();
  llvm::BasicBlock* loop = block("lane");
  llvm::BasicBlock* after = block("lanes");
  V all = bitsOf(mask);
  ir_.CreateCondBr(nonzero(all), loop, after);
  enter(loop);
  llvm::PHINode* left = ir_.CreatePHI(ir_.getInt32Ty(), 2);
  left->addIncoming(all, before);
  body(ir_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, ir_.getInt1(true)));
  V next = ir_.CreateAnd(left, ir_.CreateSub(left, ir_.getInt32(1)));
  left->addIncoming(next, ir_.GetInsertBlock());
  ir_.CreateCondBr(nonzero(next), loop, after);
  enter(after);
}

}  // namespace etzel::native
