// Inputs, interpolation, derivatives, subgroup operations, and what is called: texture units and the interpreter.
#include <cstddef>

#include "compiler/jit/emitter.h"
#include "runtime/abi/kernel.h"

namespace etzel::jit {

using isa::BaryMode;
using isa::Inst;
using isa::Opcode;
using isa::Type;

bool Emitter::lanesAndInputs(const Inst& inst) {
  using abi::PrimitiveSetup;
  using abi::SysValue;
  llvm::Type* f32 = ir_.getFloatTy();
  const auto sys = [&](SysValue v) -> V {
    V p = ir_.CreateConstInBoundsGEP1_64(words8(), sys_, static_cast<uint32_t>(v));
    return ir_.CreateAlignedLoad(words8(), p, llvm::Align(32));
  };
  const auto asFloat = [&](V v) { return ir_.CreateBitCast(v, like(v, f32)); };
  const auto primitive = [&] { return field(warp_, offsetof(abi::Warp, primitive), ir_.getPtrTy()); };
  const auto shuffled = [&](V v, std::initializer_list<int> order) {
    return ir_.CreateShuffleVector(v, llvm::ArrayRef<int>(order.begin(), order.size()));
  };
  const auto derivative = [&](std::initializer_list<int> to, std::initializer_list<int> from) {
    V v = splat(element(inst.src[0], Type::F32));
    setElement(inst, ir_.CreateFSub(shuffled(v, to), shuffled(v, from)));
    return true;
  };
  switch (inst.op) {
    case Opcode::Sys: {
      const bool scalar = !jit::shapeOf(program_.info, static_cast<SysValue>(inst.imm)).varying() && base_;
      setWord(inst, 0, scalar ? field(sys_, inst.imm * sizeof(LaneWords), ir_.getInt32Ty()) : sys(static_cast<SysValue>(inst.imm)));
      return true;
    }
    case Opcode::Helper:
      setWord(inst, 0, maskOf(field(warp_, offsetof(abi::Warp, helper), ir_.getInt32Ty(), false)));
      return true;
    case Opcode::Demote: {
      V bits = bitsOf(exec());
      for (size_t offset : {offsetof(abi::Warp, killed), offsetof(abi::Warp, helper)}) {
        V p = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), warp_, offset);
        ir_.CreateStore(ir_.CreateOr(ir_.CreateLoad(ir_.getInt32Ty(), p), bits), p);
      }
      return true;
    }
    case Opcode::MemBar: ir_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent); return true;
    case Opcode::Flat: {
      V record = field(primitive(), offsetof(PrimitiveSetup, flatRecord), ir_.getPtrTy());
      setWord(inst, 0, field(record, size_t(inst.imm) * 4, ir_.getInt32Ty()));
      return true;
    }
    case Opcode::Intrp: {
      V p = primitive();
      V a[3];
      for (size_t v = 0; v < 3; ++v) {
        V record = field(p, offsetof(PrimitiveSetup, record) + v * sizeof(void*), ir_.getPtrTy());
        a[v] = field(record, size_t(inst.imm) * 4, f32);
      }
      V i = splat(element(inst.src[0], Type::F32)), j = splat(element(inst.src[1], Type::F32));
      V r = ir_.CreateFAdd(splat(a[0]), ir_.CreateFMul(i, splat(ir_.CreateFSub(a[1], a[0]))));
      setElement(inst, ir_.CreateFAdd(r, ir_.CreateFMul(j, splat(ir_.CreateFSub(a[2], a[0])))));
      return true;
    }
    case Opcode::Bary: {
      V p = primitive();
      const auto get = [&](size_t offset) { return field(p, offset, f32); };
      V x, y;
      switch (static_cast<BaryMode>(inst.sub & 3)) {
        case BaryMode::Centroid:
          x = asFloat(sys(SysValue::CentroidX)), y = asFloat(sys(SysValue::CentroidY));
          break;
        case BaryMode::Sample:
          x = asFloat(sys(SysValue::SamplePixelX)), y = asFloat(sys(SysValue::SamplePixelY));
          break;
        case BaryMode::Offset: {
          const auto centre = [&](SysValue v) {
            V whole = ir_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, asFloat(sys(v)));
            return ir_.CreateFAdd(whole, llvm::ConstantFP::get(whole->getType(), 0.5));
          };
          x = ir_.CreateFAdd(centre(SysValue::PosX), splat(element(inst.src[0], Type::F32)));
          y = ir_.CreateFAdd(centre(SysValue::PosY), splat(element(inst.src[1], Type::F32)));
          break;
        }
        default: x = asFloat(sys(SysValue::PosX)), y = asFloat(sys(SysValue::PosY)); break;
      }
      x = ir_.CreateFSub(x, splat(get(offsetof(PrimitiveSetup, x0))));
      y = ir_.CreateFSub(y, splat(get(offsetof(PrimitiveSetup, y0))));
      const auto plane = [&](size_t dx, size_t dy) {
        return ir_.CreateFAdd(ir_.CreateFMul(x, splat(get(dx))), ir_.CreateFMul(y, splat(get(dy))));
      };
      V l1 = plane(offsetof(PrimitiveSetup, l1dx), offsetof(PrimitiveSetup, l1dy));
      V l2 = plane(offsetof(PrimitiveSetup, l2dx), offsetof(PrimitiveSetup, l2dy));
      if (!(inst.sub & static_cast<uint8_t>(BaryMode::Linear))) {
        V w[3];
        for (size_t k = 0; k < 3; ++k) w[k] = get(offsetof(PrimitiveSetup, w) + k * sizeof(float));
        V whole = ir_.CreateFAdd(splat(w[0]), ir_.CreateFMul(l1, splat(ir_.CreateFSub(w[1], w[0]))));
        whole = ir_.CreateFAdd(whole, ir_.CreateFMul(l2, splat(ir_.CreateFSub(w[2], w[0]))));
        l1 = ir_.CreateFDiv(ir_.CreateFMul(l1, splat(w[1])), whole);
        l2 = ir_.CreateFDiv(ir_.CreateFMul(l2, splat(w[2])), whole);
      }
      setWord(inst, 0, ir_.CreateBitCast(l1, words8()));
      setWord(inst, 1, ir_.CreateBitCast(l2, words8()));
      return true;
    }
    case Opcode::DdxC: return derivative({1, 1, 1, 1, 5, 5, 5, 5}, {0, 0, 0, 0, 4, 4, 4, 4});
    case Opcode::DdyC: return derivative({2, 2, 2, 2, 6, 6, 6, 6}, {0, 0, 0, 0, 4, 4, 4, 4});
    case Opcode::DdxF: return derivative({1, 1, 3, 3, 5, 5, 7, 7}, {0, 0, 2, 2, 4, 4, 6, 6});
    case Opcode::DdyF: return derivative({2, 3, 2, 3, 6, 7, 6, 7}, {0, 1, 0, 1, 4, 5, 4, 5});
    case Opcode::SgBallot: {
      V set = ir_.CreateAnd(toMask(nonzero(splat(word(inst.src[0])))), exec());
      setWord(inst, 0, bitsOf(set));
      return true;
    }
    case Opcode::SgFirst: {
      V lane = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bitsOf(exec()), ir_.getInt1(false));
      lane = ir_.CreateAnd(lane, ir_.getInt32(kWarpLanes - 1));  // nobody active: any lane will do
      std::vector<V> values;
      for (uint32_t w = 0; w < inst.count; ++w) {
        V v = word(inst.src[0], w);
        values.push_back(isVector(v) ? ir_.CreateExtractElement(v, lane) : v);
      }
      for (uint32_t w = 0; w < inst.count; ++w) setWord(inst, w, values[w]);
      return true;
    }
    default: return false;
  }
}

void Emitter::texture(const Inst& inst) {
  const abi::TexInst tex = abi::TexInst::unpack(inst.imm);
  const auto array = [&](llvm::AllocaInst*& a, uint32_t words) {
    if (!a) a = slot(llvm::ArrayType::get(words8(), words), "tex"), a->setAlignment(llvm::Align(32));
    return a;
  };
  const auto put = [&](llvm::AllocaInst* a, uint32_t at, V v) {
    ir_.CreateAlignedStore(splat(v), ir_.CreateConstInBoundsGEP1_64(words8(), a, at), llvm::Align(32));
  };
  array(handleBlock_, 1), array(samplerBlock_, 1), array(argumentBlock_, 40), array(resultBlock_, 12);
  put(handleBlock_, 0, word(inst.src[0]));
  put(samplerBlock_, 0, inst.src[2].present() ? word(inst.src[2]) : ir_.getInt32(abi::kNullHandle));
  for (uint32_t w = 0; w < tex.argWords(); ++w) put(argumentBlock_, w, word(inst.src[1], w));

  const bool writes = tex.kind == abi::TexKind::ImageWrite ||
                      (tex.kind == abi::TexKind::ImageAtomic && tex.atomic != abi::AtomicOp::Load);
  V active = bitsOf(writes ? sideEffectMask() : exec());
  llvm::BasicBlock* call = block("tex");
  llvm::BasicBlock* done = block("texdone");
  ir_.CreateCondBr(nonzero(active), call, done);
  enter(call);
  llvm::Type* ptr = ir_.getPtrTy();
  llvm::Type* i32 = ir_.getInt32Ty();
  auto* type = llvm::FunctionType::get(ir_.getVoidTy(), {ptr, i32, i32, ptr, ptr, ptr, ptr}, false);
  V function = field(functions_, offsetof(abi::FunctionTable, texture), ptr);
  ir_.CreateCall(type, function,
                 {warp_, ir_.getInt32(inst.imm), active, handleBlock_, samplerBlock_, argumentBlock_, resultBlock_});
  ir_.CreateBr(done);
  enter(done);
  for (uint32_t w = 0; w < isa::dstWords(inst); ++w)
    setWord(inst, w,
            ir_.CreateAlignedLoad(words8(), ir_.CreateConstInBoundsGEP1_64(words8(), resultBlock_, w), llvm::Align(32)));
}

/// Hands one instruction to the interpreter: its registers travel through Warp::registers.
void Emitter::fallback(const Inst& inst, uint32_t i) {
  interpreted_.push_back(i);
  const auto home = [&](uint32_t w) { return ir_.CreateConstInBoundsGEP1_64(words8(), registers_, w); };
  const auto spill = [&](isa::Operand o, uint32_t words) {
    if (o.bank != isa::Bank::Temp) return;
    for (uint32_t w = 0; w < words; ++w)
      ir_.CreateAlignedStore(splat(word(o, w)), home(webs_.homeOf(o, w)), llvm::Align(32));
  };
  isa::forEachSource(inst, spill);
  llvm::Type* ptr = ir_.getPtrTy();
  llvm::Type* i32 = ir_.getInt32Ty();
  auto* type = llvm::FunctionType::get(ir_.getVoidTy(), {ptr, i32, ptr, i32}, false);
  // NativeCode (jit.cpp) starts with the interpreter's entry and its code.
  V function = field(code_, 0, ptr), code = field(code_, sizeof(void*), ptr);
  ir_.CreateCall(type, function, {code, ir_.getInt32(i), warp_, bitsOf(exec())});
  if (inst.dst.bank != isa::Bank::Temp) return;
  for (uint32_t w = 0; w < isa::dstWords(inst); ++w)
    setWord(inst, w, ir_.CreateAlignedLoad(words8(), home(webs_.homeOf(inst.dst, w)), llvm::Align(32)));
}

}  // namespace etzel::jit
