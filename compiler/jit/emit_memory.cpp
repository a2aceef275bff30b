// Loads, stores, descriptors. A checked space is a base and a size; the bounds rule is the interpreter's: each element
// of each lane for itself. Uniform addresses load once; neighbouring lanes at neighbouring addresses load vectors.
#include <cstddef>

#include "compiler/jit/emitter.h"
#include "runtime/abi/kernel.h"

namespace etzel::jit {

using isa::Inst;
using isa::Opcode;
using isa::Space;
using isa::Type;

namespace {
/// Elements of 4 or 8 bytes are moved as words.
bool wordSized(const Inst& inst) { return inst.type == Type::I32 || inst.type == Type::I64; }
}  // namespace

Emitter::Range Emitter::bufferRange(V handle) {
  using abi::DispatchContext;
  V table = ir_.CreateLShr(handle, 27);
  V at = ir_.CreateShl(ir_.CreateZExt(ir_.CreateAnd(handle, 0x7ffffff), ir_.getInt64Ty()), 4);
  const auto invariant = [&](llvm::LoadInst* load) {
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
    return load;
  };
  V tables = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), dispatch_, offsetof(DispatchContext, table));
  V sizes = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), dispatch_, offsetof(DispatchContext, tableBytes));
  V index = ir_.CreateZExt(table, ir_.getInt64Ty());
  V base = invariant(ir_.CreateLoad(ir_.getPtrTy(), ir_.CreateInBoundsGEP(ir_.getPtrTy(), tables, index)));
  V size = invariant(ir_.CreateLoad(ir_.getInt32Ty(), ir_.CreateInBoundsGEP(ir_.getInt32Ty(), sizes, index)));
  V inside = ir_.CreateICmpULE(ir_.CreateAdd(at, constant64(abi::kDescriptorBytes)),
                               ir_.CreateZExt(size, ir_.getInt64Ty()));
  // Past the end acts as the null table's zeros.
  V nulls = invariant(ir_.CreateLoad(
      ir_.getPtrTy(), ir_.CreateConstInBoundsGEP1_64(ir_.getPtrTy(), tables, abi::kNullTable)));
  V slot = ir_.CreateSelect(inside, ir_.CreateGEP(ir_.getInt8Ty(), base, at), nulls);
  return {field(slot, offsetof(abi::BufferDescriptor, address), ir_.getPtrTy()),
          field(slot, offsetof(abi::BufferDescriptor, size), ir_.getInt64Ty())};
}

bool Emitter::rangeOf(const Inst& inst, Range& range) {
  switch (static_cast<Space>(inst.sub)) {
    case Space::Buffer:
      if (!isUniform(divergence_, inst.src[0])) return false;
      range = bufferRange(word(inst.src[0]));
      return true;
    case Space::Shared:
      range = {field(warp_, offsetof(abi::Warp, shared), ir_.getPtrTy()), constant64(program_.info.sharedBytes)};
      return true;
    case Space::Push:
      range = {field(dispatch_, offsetof(abi::DispatchContext, pushConstants), ir_.getPtrTy()), constant64(256)};
      return true;
    default: return false;
  }
}

llvm::Value* Emitter::offsetOf(const Inst& inst) { return word(inst.src[1]); }

bool Emitter::memory(const Inst& inst, uint32_t) {
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
      if (!isUniform(divergence_, inst.src[0])) return false;
      const Range range = bufferRange(word(inst.src[0]));
      if (inst.op == Opcode::BufSize) {
        V most = constant64(0xFFFFFFFF);
        V size = ir_.CreateSelect(ir_.CreateICmpULT(range.size, most), range.size, most);
        setWord(inst, 0, ir_.CreateTrunc(size, ir_.getInt32Ty()));
      } else {
        V address = ir_.CreatePtrToInt(range.base, ir_.getInt64Ty());
        setWord(inst, 0, ir_.CreateTrunc(address, ir_.getInt32Ty()));
        setWord(inst, 1, ir_.CreateTrunc(ir_.CreateLShr(address, 32), ir_.getInt32Ty()));
      }
      return true;
    }
    case Opcode::Ld:
    case Opcode::St: break;
    default: return false;
  }
  if (!wordSized(inst)) return false;
  if (static_cast<Space>(inst.sub) == Space::Scratch) return scratch(inst);
  Range range;
  if (!rangeOf(inst, range)) return false;
  V offset = offsetOf(inst);
  if (inst.op == Opcode::St) return storeLanes(inst, range.base, range.size, offset);
  return isVector(offset) ? loadLanes(inst, range.base, range.size, offset)
                          : loadUniform(inst, range.base, range.size, offset);
}

/// One address for all lanes: each element once, 0 when outside.
bool Emitter::loadUniform(const Inst& inst, V base, V size, V offset) {
  const uint32_t bytes = isa::typeBytes(inst.type), wordsEach = bytes / 4;
  llvm::AllocaInst* zeros = slot(ir_.getInt64Ty(), "zeros");
  ir_.CreateStore(constant64(0), zeros);
  V at = ir_.CreateAdd(ir_.CreateZExt(offset, ir_.getInt64Ty()), constant64(inst.imm));
  std::vector<V> values;
  for (uint32_t e = 0; e < inst.count; ++e) {
    V first = ir_.CreateAdd(at, constant64(uint64_t(e) * bytes));
    V inside = ir_.CreateICmpULE(ir_.CreateAdd(first, constant64(bytes)), size);
    V p = ir_.CreateSelect(inside, ir_.CreateGEP(ir_.getInt8Ty(), base, first), zeros);
    for (uint32_t w = 0; w < wordsEach; ++w)
      values.push_back(ir_.CreateAlignedLoad(
          ir_.getInt32Ty(), ir_.CreateConstInBoundsGEP1_64(ir_.getInt32Ty(), p, w), llvm::Align(1)));
  }
  for (uint32_t w = 0; w < values.size(); ++w) setWord(inst, w, values[w]);
  return true;
}

bool Emitter::loadLanes(const Inst& inst, V base, V size, V offset) {
  const uint32_t bytes = isa::typeBytes(inst.type), wordsEach = bytes / 4, total = inst.count * wordsEach;
  llvm::Type* wide = lanes(ir_.getInt64Ty());
  V now = nonzero(exec());
  V at = ir_.CreateAdd(ir_.CreateZExt(offset, wide), llvm::ConstantInt::get(wide, inst.imm));
  std::vector<llvm::AllocaInst*> results;
  for (uint32_t w = 0; w < total; ++w) results.push_back(slot(words8(), "ld"));

  llvm::BasicBlock* done = block("loaded");
  llvm::BasicBlock* gather = block("gather");
  if (total == 1 || total == 2 || total == 4) {
    // Lanes next to each other, all inside, all active: plain vector loads.
    llvm::BasicBlock* rows = block("rows");
    std::vector<llvm::Constant*> steps;
    for (uint32_t i = 0; i < kWarpLanes; ++i) steps.push_back(ir_.getInt32(i * total * 4));
    V first = ir_.CreateExtractElement(offset, uint64_t(0));
    V inOrder = ir_.CreateICmpEQ(ir_.CreateSub(offset, splat(first)), llvm::ConstantVector::get(steps));
    V ordered = ir_.CreateICmpEQ(ir_.CreateBitCast(ir_.CreateAnd(inOrder, now), ir_.getInt8Ty()), ir_.getInt8(0xFF));
    V start = ir_.CreateAdd(ir_.CreateZExt(first, ir_.getInt64Ty()), constant64(inst.imm));
    V inside = ir_.CreateICmpULE(ir_.CreateAdd(start, constant64(uint64_t(total) * 4 * kWarpLanes)), size);
    ir_.CreateCondBr(ir_.CreateAnd(ordered, inside), rows, gather);
    enter(rows);
    V p = ir_.CreateGEP(ir_.getInt8Ty(), base, start);
    std::vector<V> row;
    for (uint32_t w = 0; w < total; ++w)
      row.push_back(ir_.CreateAlignedLoad(words8(), ir_.CreateConstInBoundsGEP1_64(words8(), p, w), llvm::Align(1)));
    // Word w of lane i is the element i * total + w of the rows laid end to end.
    for (uint32_t w = 0; w < total; ++w) {
      V r = row[0];
      if (total == 2) {
        int mask[8];
        for (int i = 0; i < 8; ++i) mask[i] = static_cast<int>(i * 2 + w);
        r = ir_.CreateShuffleVector(row[0], row[1], llvm::ArrayRef<int>(mask, 8));
      } else if (total == 4) {
        int low[4], high[4], join[8] = {0, 1, 2, 3, 4, 5, 6, 7};
        for (int i = 0; i < 4; ++i) low[i] = static_cast<int>(i * 4 + w), high[i] = low[i];
        V a = ir_.CreateShuffleVector(row[0], row[1], llvm::ArrayRef<int>(low, 4));
        V b = ir_.CreateShuffleVector(row[2], row[3], llvm::ArrayRef<int>(high, 4));
        r = ir_.CreateShuffleVector(a, b, llvm::ArrayRef<int>(join, 8));
      }
      ir_.CreateStore(r, results[w]);
    }
    ir_.CreateBr(done);
  } else {
    ir_.CreateBr(gather);
  }
  enter(gather);
  for (uint32_t e = 0; e < inst.count; ++e) {
    V first = ir_.CreateAdd(at, llvm::ConstantInt::get(wide, uint64_t(e) * bytes));
    V end = ir_.CreateAdd(first, llvm::ConstantInt::get(wide, bytes));
    V inside = ir_.CreateAnd(now, ir_.CreateICmpULE(end, splat(size)));
    for (uint32_t w = 0; w < wordsEach; ++w) {
      V pointers = ir_.CreateGEP(ir_.getInt8Ty(), base, ir_.CreateAdd(first, llvm::ConstantInt::get(wide, w * 4)));
      V r = ir_.CreateMaskedGather(words8(), pointers, llvm::Align(1), inside, llvm::Constant::getNullValue(words8()));
      ir_.CreateStore(r, results[e * wordsEach + w]);
    }
  }
  ir_.CreateBr(done);
  enter(done);
  for (uint32_t w = 0; w < total; ++w) setWord(inst, w, ir_.CreateLoad(words8(), results[w]));
  return true;
}

bool Emitter::storeLanes(const Inst& inst, V base, V size, V offset) {
  const uint32_t bytes = isa::typeBytes(inst.type), wordsEach = bytes / 4, total = inst.count * wordsEach;
  llvm::Type* wide = lanes(ir_.getInt64Ty());
  offset = splat(offset);
  V now = nonzero(sideEffectMask());
  V at = ir_.CreateAdd(ir_.CreateZExt(offset, wide), llvm::ConstantInt::get(wide, inst.imm));
  std::vector<V> values;
  for (uint32_t w = 0; w < total; ++w) values.push_back(splat(word(inst.src[2], w)));

  llvm::BasicBlock* done = block("stored");
  llvm::BasicBlock* scatter = block("scatter");
  if (total == 1) {
    llvm::BasicBlock* row = block("row");
    std::vector<llvm::Constant*> steps;
    for (uint32_t i = 0; i < kWarpLanes; ++i) steps.push_back(ir_.getInt32(i * 4));
    V first = ir_.CreateExtractElement(offset, uint64_t(0));
    V inOrder = ir_.CreateICmpEQ(ir_.CreateSub(offset, splat(first)), llvm::ConstantVector::get(steps));
    V ordered = ir_.CreateICmpEQ(ir_.CreateBitCast(ir_.CreateAnd(inOrder, now), ir_.getInt8Ty()), ir_.getInt8(0xFF));
    V start = ir_.CreateAdd(ir_.CreateZExt(first, ir_.getInt64Ty()), constant64(inst.imm));
    V inside = ir_.CreateICmpULE(ir_.CreateAdd(start, constant64(4 * kWarpLanes)), size);
    ir_.CreateCondBr(ir_.CreateAnd(ordered, inside), row, scatter);
    enter(row);
    ir_.CreateAlignedStore(values[0], ir_.CreateGEP(ir_.getInt8Ty(), base, start), llvm::Align(1));
    ir_.CreateBr(done);
  } else {
    ir_.CreateBr(scatter);
  }
  enter(scatter);
  // Where lanes collide, the interpreter lets the highest win with all of its elements; scatters, one element at a
  // time in lane order, end the same way unless ranges of different lanes overlap partly.
  for (uint32_t e = 0; e < inst.count; ++e) {
    V first = ir_.CreateAdd(at, llvm::ConstantInt::get(wide, uint64_t(e) * bytes));
    V end = ir_.CreateAdd(first, llvm::ConstantInt::get(wide, bytes));
    V inside = ir_.CreateAnd(now, ir_.CreateICmpULE(end, splat(size)));
    for (uint32_t w = 0; w < wordsEach; ++w) {
      V pointers = ir_.CreateGEP(ir_.getInt8Ty(), base, ir_.CreateAdd(first, llvm::ConstantInt::get(wide, w * 4)));
      ir_.CreateMaskedScatter(values[e * wordsEach + w], pointers, llvm::Align(1), inside);
    }
  }
  ir_.CreateBr(done);
  enter(done);
  return true;
}

/// Private memory at a uniform offset: whole vectors. Other offsets are the interpreter's.
bool Emitter::scratch(const Inst& inst) {
  V offset = offsetOf(inst);
  if (isVector(offset)) return false;
  const uint32_t total = inst.count * isa::typeWords(inst.type), limit = program_.scratchBytes / 4;
  if (limit == 0) return false;
  V base = field(warp_, offsetof(abi::Warp, scratch), ir_.getPtrTy());
  V first = ir_.CreateLShr(ir_.CreateAdd(ir_.CreateZExt(offset, ir_.getInt64Ty()), constant64(inst.imm)), 2);
  std::vector<V> values;
  for (uint32_t w = 0; w < total; ++w) {
    V index = ir_.CreateAdd(first, constant64(w));
    V inside = ir_.CreateICmpULT(index, constant64(limit));
    V p = ir_.CreateGEP(words8(), base, ir_.CreateSelect(inside, index, constant64(0)));
    V old = ir_.CreateAlignedLoad(words8(), p, llvm::Align(4));
    if (inst.op == Opcode::Ld) {
      values.push_back(ir_.CreateSelect(inside, old, llvm::Constant::getNullValue(words8())));
      continue;
    }
    V write = ir_.CreateAnd(nonzero(exec()), splat(inside));
    ir_.CreateAlignedStore(ir_.CreateSelect(write, splat(word(inst.src[2], w)), old), p, llvm::Align(4));
  }
  for (uint32_t w = 0; w < values.size(); ++w) setWord(inst, w, values[w]);
  return true;
}

}  // namespace etzel::jit
