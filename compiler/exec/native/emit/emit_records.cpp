// What is indexed at run time besides buffers: the in and out words of a warp, private memory, vertex and patch
// records. Accesses outside read 0 and write nothing, word by word. Also what geometry programs call.
#include <cstddef>

#include "compiler/exec/interp/sample_location.h"
#include "compiler/exec/native/emit/emitter.h"
#include "compiler/isa/verify.h"

namespace etzel::native {

using isa::Inst;
using isa::Opcode;
using isa::Space;

/// Memory where the words of 8 lanes lie side by side: whole vectors at a uniform index, else lane by lane.
bool Emitter::interleaved(const Inst& inst) {
  V base = nullptr;
  uint32_t limit = 0, unit = 1;
  switch (static_cast<Space>(inst.sub)) {
    case Space::Scratch:
      base = warpField(offsetof(abi::Warp, scratch)), limit = program_.scratchBytes / 4, unit = 4;
      break;
    case Space::InRegister: base = warpField(offsetof(abi::Warp, in)), limit = abi::kAttributeWords; break;
    case Space::OutRegister: base = warpField(offsetof(abi::Warp, out)), limit = isa::outWords(program_); break;
    default: return false;
  }
  const uint32_t total = inst.count * isa::typeWords(inst.type);
  const bool load = inst.op == Opcode::Ld;
  std::vector<V> values;
  const auto finish = [&] {
    for (uint32_t w = 0; w < values.size(); ++w) setWord(inst, w, values[w]);
    return true;
  };
  if (limit == 0) {
    if (load) values.assign(total, ir_.getInt32(0));
    return finish();
  }
  // Only scratch is there for certain.
  V there = static_cast<Space>(inst.sub) == Space::Scratch ? ir_.getTrue() : ir_.CreateIsNotNull(base);
  if (!isUniform(inst.src[1])) {
    // Word `index` of lane i is at (index * 8 + i) * 4.
    llvm::Type* wide = lanes(ir_.getInt64Ty());
    const auto number = [&](uint64_t v) { return llvm::ConstantInt::get(wide, v); };
    V now = ir_.CreateAnd(nonzero(exec()), splat(there));
    V first = ir_.CreateAdd(ir_.CreateZExt(splat(word(inst.src[1])), wide), number(inst.imm));
    if (unit == 4) first = ir_.CreateLShr(first, number(2));
    std::vector<llvm::Constant*> own;
    for (uint32_t i = 0; i < kWarpLanes; ++i) own.push_back(ir_.getInt64(i));
    for (uint32_t w = 0; w < total; ++w) {
      V index = ir_.CreateAdd(first, number(w));
      V inside = ir_.CreateAnd(now, ir_.CreateICmpULT(index, number(limit)));
      V cell = ir_.CreateAdd(ir_.CreateShl(index, number(3)), llvm::ConstantVector::get(own));
      V pointers = ir_.CreateGEP(ir_.getInt32Ty(), base, cell);
      if (load)
        values.push_back(
            ir_.CreateMaskedGather(words8(), pointers, llvm::Align(4), inside, llvm::Constant::getNullValue(words8())));
      else
        ir_.CreateMaskedScatter(splat(word(inst.src[2], w)), pointers, llvm::Align(4), inside);
    }
    return finish();
  }
  V first = ir_.CreateAdd(ir_.CreateZExt(baseOf(inst.src[1]), ir_.getInt64Ty()), constant64(inst.imm));
  if (unit == 4) first = ir_.CreateLShr(first, 2);
  llvm::AllocaInst* none = slot(words8(), "none");
  for (uint32_t w = 0; w < total; ++w) {
    V index = ir_.CreateAdd(first, constant64(w));
    V inside = ir_.CreateAnd(there, ir_.CreateICmpULT(index, constant64(limit)));
    V p = ir_.CreateSelect(inside, ir_.CreateGEP(words8(), base, index), none);
    V old = ir_.CreateAlignedLoad(words8(), p, llvm::Align(4));
    if (load) {
      values.push_back(ir_.CreateSelect(inside, old, llvm::Constant::getNullValue(words8())));
      continue;
    }
    ir_.CreateAlignedStore(ir_.CreateSelect(nonzero(exec()), splat(word(inst.src[2], w)), old), p, llvm::Align(4));
  }
  return finish();
}

/// Records of vertices and patches, which each lane has a pointer to.
bool Emitter::record(const Inst& inst) {
  llvm::Type* wide = lanes(ir_.getInt64Ty());
  llvm::Type* pointers = lanes(ir_.getPtrTy());
  const auto number = [&](uint64_t v) { return llvm::ConstantInt::get(wide, v); };
  const auto own = [&](size_t offset) {
    return ir_.CreateAlignedLoad(pointers, ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), warp(), offset),
                                 llvm::Align(8));
  };
  V vertex = ir_.CreateZExt(splat(word(inst.src[0])), wide);
  V now = nonzero(exec()), base = nullptr, stride = nullptr, count = nullptr;
  switch (static_cast<Space>(inst.sub)) {
    case Space::InRecord:
      if (program_.info.stage == abi::Stage::Fragment) return false;
      base = own(offsetof(abi::Warp, inRecords));
      stride = field(warp(), offsetof(abi::Warp, inRecordStride), ir_.getInt32Ty());
      count = field(warp(), offsetof(abi::Warp, inRecordCount), ir_.getInt32Ty());
      break;
    case Space::OutRecord:
      base = own(offsetof(abi::Warp, outRecords));
      stride = field(warp(), offsetof(abi::Warp, outRecordStride), ir_.getInt32Ty());
      count = ir_.getInt32(program_.info.outputVertices);
      break;
    case Space::Patch: base = own(offsetof(abi::Warp, patchRecord)); break;
    default: return false;
  }
  now = ir_.CreateAnd(now, ir_.CreateICmpNE(base, llvm::Constant::getNullValue(pointers)));
  V first = ir_.CreateAdd(ir_.CreateZExt(splat(word(inst.src[1])), wide), number(inst.imm)), at = first;
  V limit = constant64(abi::kRecordWords);
  if (stride) {
    limit = ir_.CreateZExt(stride, ir_.getInt64Ty());
    now = ir_.CreateAnd(now, ir_.CreateICmpULT(vertex, splat(ir_.CreateZExt(count, ir_.getInt64Ty()))));
    at = ir_.CreateAdd(at, ir_.CreateMul(vertex, splat(limit)));
  }
  const uint32_t total = inst.count * isa::typeWords(inst.type);
  std::vector<V> values;
  for (uint32_t w = 0; w < total; ++w) {
    V inside = ir_.CreateAnd(now, ir_.CreateICmpULT(ir_.CreateAdd(first, number(w)), splat(limit)));
    V cells = ir_.CreateGEP(ir_.getInt32Ty(), base, ir_.CreateAdd(at, number(w)));
    if (inst.op == Opcode::Ld)
      values.push_back(
          ir_.CreateMaskedGather(words8(), cells, llvm::Align(4), inside, llvm::Constant::getNullValue(words8())));
    else if (total == 1)
      ir_.CreateMaskedScatter(splat(word(inst.src[2], w)), cells, llvm::Align(4), inside);
  }
  if (inst.op == Opcode::St && total > 1) {
    // Lane after lane, so that where they collide the highest wins with all of its words.
    std::vector<V> data;
    for (uint32_t w = 0; w < total; ++w) data.push_back(splat(word(inst.src[2], w)));
    forEachLane(toMask(now), [&](V lane) {
      V own = ir_.CreateExtractElement(first, lane),
        to = ir_.CreateExtractElement(ir_.CreateGEP(ir_.getInt32Ty(), base, at), lane);
      for (uint32_t w = 0; w < total; ++w) {
        llvm::BasicBlock* write = block("write");
        llvm::BasicBlock* next = block("next");
        ir_.CreateCondBr(ir_.CreateICmpULT(ir_.CreateAdd(own, constant64(w)), limit), write, next);
        enter(write);
        ir_.CreateStore(ir_.CreateExtractElement(data[w], lane),
                        ir_.CreateConstInBoundsGEP1_64(ir_.getInt32Ty(), to, w));
        ir_.CreateBr(next);
        enter(next);
      }
    });
  }
  for (uint32_t w = 0; w < values.size(); ++w) setWord(inst, w, values[w]);
  return true;
}

/// Emit, Cut: what the warp's owner gave, if anything.
void Emitter::geometry(const Inst& inst) {
  V function = warpField(inst.op == Opcode::Emit ? offsetof(abi::Warp, emitVertex) : offsetof(abi::Warp, endPrimitive));
  llvm::BasicBlock* call = block("call");
  llvm::BasicBlock* done = block("called");
  ir_.CreateCondBr(ir_.CreateIsNotNull(function), call, done);
  enter(call);
  llvm::Type* i32 = ir_.getInt32Ty();
  auto* type = llvm::FunctionType::get(ir_.getVoidTy(), {ir_.getPtrTy(), i32, i32}, false);
  ir_.CreateCall(type, function, {warp(), ir_.getInt32(inst.imm), bitsOf(exec())});
  ir_.CreateBr(done);
  enter(done);
}

/// The position of a sample that is the same for all lanes.
bool Emitter::samplePosition(const Inst& inst) {
  if (!isUniform(inst.src[0])) return false;
  std::vector<uint8_t> pairs;  // of 1, 2, 4, 8 and 16 samples: those of n from pair n - 1 on
  for (uint32_t count : {1u, 2u, 4u, 8u, 16u}) {
    abi::DispatchContext standard;
    standard.sampleCount = count;
    for (uint32_t i = 0; i < count; ++i) {
      const interp::SampleLocation at = interp::sampleLocation(standard, i);
      pairs.push_back(static_cast<uint8_t>(at.x * 16)), pairs.push_back(static_cast<uint8_t>(at.y * 16));
    }
  }
  llvm::Constant* data = llvm::ConstantDataArray::get(context_, pairs);
  auto* table = new llvm::GlobalVariable(module_, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data);
  V count = field(dispatch_, offsetof(abi::DispatchContext, sampleCount), ir_.getInt32Ty());
  V set = field(dispatch_, offsetof(abi::DispatchContext, sampleLocations), ir_.getPtrTy());
  V standard =
      ir_.CreateGEP(ir_.getInt16Ty(), table, ir_.CreateZExt(ir_.CreateSub(count, ir_.getInt32(1)), ir_.getInt64Ty()));
  V index = word(inst.src[0]);
  V inside = ir_.CreateICmpULT(index, count);
  V pair = ir_.CreateGEP(ir_.getInt16Ty(), ir_.CreateSelect(ir_.CreateIsNull(set), standard, set),
                         ir_.CreateZExt(ir_.CreateSelect(inside, index, ir_.getInt32(0)), ir_.getInt64Ty()));
  V at[2];
  for (uint32_t i = 0; i < 2; ++i) {
    V v = ir_.CreateLoad(ir_.getInt8Ty(), ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), pair, i));
    v = ir_.CreateFMul(ir_.CreateUIToFP(v, ir_.getFloatTy()), llvm::ConstantFP::get(ir_.getFloatTy(), 1.0 / 16));
    v = ir_.CreateSelect(inside, v, llvm::ConstantFP::get(ir_.getFloatTy(), 0.5));
    at[i] = ir_.CreateBitCast(v, ir_.getInt32Ty());
  }
  setWord(inst, 0, at[0]), setWord(inst, 1, at[1]);
  return true;
}

}  // namespace etzel::native
