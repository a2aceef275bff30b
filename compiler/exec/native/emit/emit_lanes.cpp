// Inputs, interpolation, derivatives, subgroup operations, and calls of the interpreter.
#include <algorithm>
#include <cstddef>
#include <span>
#include <tuple>

#include "compiler/exec/native/code/header.h"
#include "compiler/exec/native/emit/emitter.h"
#include "runtime/abi/kernel.h"

namespace etzel::native {

using isa::BaryMode;
using isa::Inst;
using isa::Opcode;
using isa::Type;

/// Where a system value is: one that warps of several rows have in common, in the first of them.
llvm::Value* Emitter::sysRow(abi::SysValue v) {
  const uint32_t own = strand_;
  if (strands_.size() > 1 && abi::sysValueInfo(v).lanes == abi::SysLanes::Row &&
      !native::shapeOf(program_.info, v).varying())
    use(own % (program_.info.localSize[0] / kWarpLanes));
  V row = ir_.CreateConstInBoundsGEP1_64(words8(), warpField(offsetof(abi::Warp, sys)), static_cast<uint32_t>(v));
  use(own);
  return row;
}
/// A system value of all lanes.
llvm::Value* Emitter::sysWords(abi::SysValue v) {
  using abi::SysValue;
  const auto ofGroups = [&](V value) { return pairs_ && !ofPair() ? halfOf(value) : value; };
  constexpr SysValue kPlaces[][2] = {{SysValue::PosX, SysValue::PosY},
                                     {SysValue::FragCoordX, SysValue::FragCoordY},
                                     {SysValue::SamplePixelX, SysValue::SamplePixelY}};
  // The last are elsewhere in programs that do not run once a sample.
  for (const auto& place : std::span(kPlaces).first(program_.info.sampleRate ? 3 : 2))
    for (uint32_t axis = 0; fragments_ && axis < 2; ++axis)
      if (v == place[axis]) return ofGroups(position_[axis]);
  if (const auto at = planeValues_.find(v); at != planeValues_.end()) return ofGroups(at->second);
  return both([&] { return ir_.CreateAlignedLoad(words8(), sysRow(v), llvm::Align(32)); });
}

/// A system value; lane 0's alone when it does not vary freely.
llvm::Value* Emitter::sysValue(abi::SysValue v) {
  if (!native::shapeOf(program_.info, v).varying()) return field(sysRow(v), 0, ir_.getInt32Ty());
  return sysWords(v);
}

bool Emitter::lanesAndInputs(const Inst& inst) {
  switch (inst.op) {
    case Opcode::Demote: {
      V bits = bitsOf(exec());
      for (size_t offset : {offsetof(abi::Warp, killed), offsetof(abi::Warp, helper)}) {
        V p = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), warp(), offset);
        ir_.CreateStore(ir_.CreateOr(ir_.CreateLoad(ir_.getInt32Ty(), p), bits), p);
      }
      return true;
    }
    // SPIR-V for Vulkan knows acquire and release only, which cost little or nothing.
    case Opcode::MemBar: ir_.CreateFence(llvm::AtomicOrdering::AcquireRelease); return true;
    case Opcode::Emit:
    case Opcode::Cut: geometry(inst); return true;
    default: return input(inst) || derivative(inst) || subgroup(inst);
  }
}

/// The warp's primitive (kernel.h, PrimitiveSetup).
llvm::Value* Emitter::primitive() { return warpField(offsetof(abi::Warp, primitive)); }

bool Emitter::input(const Inst& inst) {
  switch (inst.op) {
    case Opcode::Sys: {
      if (inst.dst.bank == isa::Bank::Temp && readAgain(webs_.webOf(inst.dst))) return true;
      const auto which = static_cast<abi::SysValue>(inst.imm);
      setWord(inst, 0, base_ ? sysValue(which) : sysWords(which));
      return true;
    }
    case Opcode::Helper:
      setWord(inst, 0, toMask(lanesOf(field(warp(), offsetof(abi::Warp, helper), ir_.getInt32Ty(), false))));
      return true;
    case Opcode::Flat: {
      V record = field(primitive(), offsetof(abi::PrimitiveSetup, flatRecord), ir_.getPtrTy());
      setWord(inst, 0, field(record, size_t(inst.imm) * 4, ir_.getInt32Ty()));
      return true;
    }
    case Opcode::Intrp: interpolate(inst); return true;
    case Opcode::Bary: barycentric(inst); return true;
    case Opcode::SmpPos: return samplePosition(inst);
    default: return false;
  }
}

void Emitter::interpolate(const Inst& inst) {
  using abi::PrimitiveSetup;
  llvm::Type* f32 = ir_.getFloatTy();
  V p = primitive();
  V a[3];
  if (inst.imm < abi::kRecordWords) {
    for (size_t v = 0; v < 3; ++v) {
      V record = field(p, offsetof(PrimitiveSetup, record) + v * sizeof(void*), ir_.getPtrTy());
      a[v] = field(record, size_t(inst.imm) * 4, f32);
    }
  } else {
    V vertices = field(p, offsetof(PrimitiveSetup, vertices), ir_.getPtrTy());
    const size_t first = offsetof(abi::PrimitiveVertices, barycentric) + 4 * (inst.imm - abi::kWordBarycentric);
    for (size_t v = 0; v < 3; ++v) a[v] = field(vertices, first + 4 * v * abi::kBarycentricWords, f32);
  }
  V i = splat(element(inst.src[0], Type::F32)), j = splat(element(inst.src[1], Type::F32));
  V r = ir_.CreateFAdd(splat(a[0]), ir_.CreateFMul(i, splat(ir_.CreateFSub(a[1], a[0]))));
  setElement(inst, ir_.CreateFAdd(r, ir_.CreateFMul(j, splat(ir_.CreateFSub(a[2], a[0])))));
}

/// Where in the window a fragment's inputs are wanted.
std::pair<llvm::Value*, llvm::Value*> Emitter::interpolationPlace(const Inst& inst) {
  using abi::SysValue;
  const auto at = [&](SysValue v) {
    V words = sysWords(v);
    return ir_.CreateBitCast(words, like(words, ir_.getFloatTy()));
  };
  V x, y;
  switch (static_cast<BaryMode>(inst.sub & 3)) {
    case BaryMode::Centroid: x = at(SysValue::CentroidX), y = at(SysValue::CentroidY); break;
    case BaryMode::Sample: x = at(SysValue::SamplePixelX), y = at(SysValue::SamplePixelY); break;
    case BaryMode::Offset: {
      const auto centre = [&](SysValue v) {
        V whole = ir_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, at(v));
        return ir_.CreateFAdd(whole, llvm::ConstantFP::get(whole->getType(), 0.5));
      };
      x = ir_.CreateFAdd(centre(SysValue::PosX), splat(element(inst.src[0], Type::F32)));
      y = ir_.CreateFAdd(centre(SysValue::PosY), splat(element(inst.src[1], Type::F32)));
      break;
    }
    default: x = at(SysValue::PosX), y = at(SysValue::PosY); break;
  }
  return {x, y};
}

/// PrimitiveSetup's l1 and l2 at (x, y).
std::pair<llvm::Value*, llvm::Value*> Emitter::linearAt(V x, V y) {
  using abi::PrimitiveSetup;
  V p = primitive();
  const auto get = [&](size_t offset) { return splat(field(p, offset, ir_.getFloatTy())); };
  x = ir_.CreateFSub(x, get(offsetof(PrimitiveSetup, x0)));
  y = ir_.CreateFSub(y, get(offsetof(PrimitiveSetup, y0)));
  const auto plane = [&](size_t dx, size_t dy) {
    return ir_.CreateFAdd(ir_.CreateFMul(x, get(dx)), ir_.CreateFMul(y, get(dy)));
  };
  V l1 = plane(offsetof(PrimitiveSetup, l1dx), offsetof(PrimitiveSetup, l1dy));
  return {l1, plane(offsetof(PrimitiveSetup, l2dx), offsetof(PrimitiveSetup, l2dy))};
}

/// PrimitiveSetup's W there.
llvm::Value* Emitter::inverseWAt(V l1, V l2) {
  V w[3];
  for (size_t k = 0; k < 3; ++k)
    w[k] = field(primitive(), offsetof(abi::PrimitiveSetup, w) + k * sizeof(float), ir_.getFloatTy());
  V whole = ir_.CreateFAdd(splat(w[0]), ir_.CreateFMul(l1, splat(ir_.CreateFSub(w[1], w[0]))));
  return ir_.CreateFAdd(whole, ir_.CreateFMul(l2, splat(ir_.CreateFSub(w[2], w[0]))));
}

/// Barycentrics of a primitive in perspective, where it has some: with 1 for all of its W the quotients are what they
/// were.
std::pair<llvm::Value*, llvm::Value*> Emitter::inPerspective(V l1, V l2) {
  const auto vertex = [&](size_t k) {
    return field(primitive(), offsetof(abi::PrimitiveSetup, w) + k * sizeof(float), ir_.getFloatTy());
  };
  V flat = ir_.getTrue();
  for (size_t k = 0; k < 3; ++k)
    flat = ir_.CreateAnd(flat, ir_.CreateFCmpOEQ(vertex(k), llvm::ConstantFP::get(ir_.getFloatTy(), 1)));
  llvm::BasicBlock *before = ir_.GetInsertBlock(), *divide = block("perspective"), *done = block("barycentric");
  ir_.CreateCondBr(flat, done, divide);
  enter(divide);
  V whole = inverseWAt(l1, l2);
  V quotients[2] = {ir_.CreateFDiv(ir_.CreateFMul(l1, splat(vertex(1))), whole),
                    ir_.CreateFDiv(ir_.CreateFMul(l2, splat(vertex(2))), whole)};
  ir_.CreateBr(done);
  enter(done);
  const auto either = [&](V linear, V quotient) {
    llvm::PHINode* phi = ir_.CreatePHI(linear->getType(), 2);
    phi->addIncoming(linear, before), phi->addIncoming(quotient, divide);
    return phi;
  };
  return {either(l1, quotients[0]), either(l2, quotients[1])};
}

void Emitter::barycentric(const Inst& inst) {
  const auto [x, y] = interpolationPlace(inst);
  auto [l1, l2] = linearAt(x, y);
  if (!(inst.sub & static_cast<uint8_t>(BaryMode::Linear))) std::tie(l1, l2) = inPerspective(l1, l2);
  setWord(inst, 0, ir_.CreateBitCast(l1, like(l1, ir_.getInt32Ty())));
  setWord(inst, 1, ir_.CreateBitCast(l2, like(l2, ir_.getInt32Ty())));
}

/// Differences within quads: lanes 4q..4q+3, 1 right of 0, 2 below.
bool Emitter::derivative(const Inst& inst) {
  struct Row {
    Opcode op;
    int to[kWarpLanes], from[kWarpLanes];
  };
  static constexpr Row rows[] = {{Opcode::DdxC, {1, 1, 1, 1, 5, 5, 5, 5}, {0, 0, 0, 0, 4, 4, 4, 4}},
                                 {Opcode::DdyC, {2, 2, 2, 2, 6, 6, 6, 6}, {0, 0, 0, 0, 4, 4, 4, 4}},
                                 {Opcode::DdxF, {1, 1, 3, 3, 5, 5, 7, 7}, {0, 0, 2, 2, 4, 4, 6, 6}},
                                 {Opcode::DdyF, {2, 3, 2, 3, 6, 7, 6, 7}, {0, 1, 0, 1, 4, 5, 4, 5}}};
  for (const Row& row : rows) {
    if (row.op != inst.op) continue;
    V v = splat(element(inst.src[0], Type::F32));
    const auto at = [&](const int(&from)[kWarpLanes]) {
      std::vector<int> order(width_);
      for (uint32_t i = 0; i < width_; ++i)
        order[i] = from[i % kWarpLanes] + static_cast<int>(i / kWarpLanes * kWarpLanes);
      return ir_.CreateShuffleVector(v, order);
    };
    setElement(inst, ir_.CreateFSub(at(row.to), at(row.from)));
    return true;
  }
  return false;
}

/// Lane 0 when nobody is active: any will do.
llvm::Value* Emitter::firstActiveLane() {
  V lane = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bitsOf(exec()), ir_.getInt1(false));
  return ir_.CreateAnd(lane, ir_.getInt32(kWarpLanes - 1));
}

bool Emitter::subgroup(const Inst& inst) {
  // All words are read first: source and destination may overlap.
  const auto eachWord = [&](auto valueOf) {
    std::vector<V> values;
    for (uint32_t w = 0; w < inst.count; ++w) values.push_back(valueOf(word(inst.src[0], w)));
    for (uint32_t w = 0; w < inst.count; ++w) setWord(inst, w, values[w]);
  };
  switch (inst.op) {
    case Opcode::SgBallot: {
      V set = ir_.CreateAnd(asMask(nonzero(splat(word(inst.src[0])))), exec());
      setWord(inst, 0, bitsOf(set));
      return true;
    }
    case Opcode::SgFirst: {
      V lane = firstActiveLane();
      eachWord([&](V v) { return isVector(v) ? ir_.CreateExtractElement(v, lane) : v; });
      return true;
    }
    case Opcode::SgShuffle: {
      const auto* lane = llvm::dyn_cast<llvm::ConstantInt>(word(inst.src[1]));
      const bool ofTemps = inst.src[0].bank == isa::Bank::Temp && strands_.size() == 1;
      if (lane && lane->getZExtValue() < kWarpLanes && inst.count == kWarpLanes && ofTemps) {
        V row = opaque(rowsInMemory(inst.src[0], {}, inst.count));
        for (uint32_t w = 0; w < inst.count; ++w) {
          const uint64_t at = (w * kWarpLanes + lane->getZExtValue()) * sizeof(uint32_t);
          V from = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), row, at);
          setWord(inst, w, ir_.CreateAlignedLoad(ir_.getInt32Ty(), from, llvm::Align(4)));
        }
        return true;
      }
      V index = splat(word(inst.src[1]));
      V inside = ir_.CreateICmpULT(index, splat(ir_.getInt32(kWarpLanes)));
      eachWord([&](V v) {
        return ir_.CreateSelect(inside, wordsOfLanes(ir_, splat(v), index), llvm::Constant::getNullValue(words8()));
      });
      return true;
    }
    case Opcode::SgProduct: multiply(); return true;
    case Opcode::SgAllEq: {
      V v = splat(element(inst.src[0], inst.type));
      V first = splat(ir_.CreateExtractElement(v, firstActiveLane()));
      V same =
          v->getType()->getScalarType()->isFloatingPointTy() ? ir_.CreateFCmpOEQ(v, first) : ir_.CreateICmpEQ(v, first);
      V differs = ir_.CreateAnd(nonzero(exec()), ir_.CreateNot(same));
      setWord(inst, 0, toMask(ir_.CreateICmpEQ(ir_.CreateBitCast(differs, ir_.getInt8Ty()), ir_.getInt8(0))));
      return true;
    }
    case Opcode::SgReduce:
    case Opcode::SgScanI:
    case Opcode::SgScanE: return reduce(inst);
    default: return false;
  }
}

/// One step of a reduction, as the interpreter's Scalar::step.
llvm::Value* Emitter::reduceStep(isa::ReduceOp op, V a, V b) {
  using isa::ReduceOp;
  const bool isFloat = a->getType()->getScalarType()->isFloatingPointTy();
  const auto minMax = [&](bool min) {
    llvm::Type* bits = like(a, ir_.getIntNTy(a->getType()->getScalarSizeInBits()));
    V r = ir_.CreateSelect(min ? ir_.CreateFCmpOLT(a, b) : ir_.CreateFCmpOGT(a, b), a, b);
    // Of equal ones (zeros of either sign) the one with (min) or without (max) the sign.
    V sign = ir_.CreateICmpSLT(ir_.CreateBitCast(a, bits), llvm::Constant::getNullValue(bits));
    V takeA = ir_.CreateAnd(ir_.CreateFCmpOEQ(a, b), min ? sign : ir_.CreateNot(sign));
    r = ir_.CreateSelect(takeA, a, r);
    r = ir_.CreateSelect(ir_.CreateFCmpUNO(b, b), a, r);
    return ir_.CreateSelect(ir_.CreateFCmpUNO(a, a), b, r);
  };
  const auto integer = [&](llvm::Intrinsic::ID id) { return ir_.CreateBinaryIntrinsic(id, a, b); };
  if (isFloat) switch (op) {
      case ReduceOp::Add: return ir_.CreateFAdd(a, b);
      case ReduceOp::Mul: return ir_.CreateFMul(a, b);
      case ReduceOp::FMin:
      case ReduceOp::SMin:
      case ReduceOp::UMin: return minMax(true);
      case ReduceOp::FMax:
      case ReduceOp::SMax:
      case ReduceOp::UMax: return minMax(false);
      default: return a;
    }
  switch (op) {
    case ReduceOp::Add: return ir_.CreateAdd(a, b);
    case ReduceOp::Mul: return ir_.CreateMul(a, b);
    case ReduceOp::SMin: return integer(llvm::Intrinsic::smin);
    case ReduceOp::SMax: return integer(llvm::Intrinsic::smax);
    case ReduceOp::UMin:
    case ReduceOp::FMin: return integer(llvm::Intrinsic::umin);
    case ReduceOp::UMax:
    case ReduceOp::FMax: return integer(llvm::Intrinsic::umax);
    case ReduceOp::And: return ir_.CreateAnd(a, b);
    case ReduceOp::Or: return ir_.CreateOr(a, b);
    case ReduceOp::Xor: return ir_.CreateXor(a, b);
  }
  return a;
}

llvm::Constant* Emitter::reduceIdentity(isa::ReduceOp op, llvm::Type* type) {
  using isa::ReduceOp;
  if (type->isFloatingPointTy()) switch (op) {
      case ReduceOp::Mul: return llvm::ConstantFP::get(type, 1);
      case ReduceOp::FMin:
      case ReduceOp::SMin:
      case ReduceOp::UMin: return llvm::ConstantFP::getInfinity(type);
      case ReduceOp::FMax:
      case ReduceOp::SMax:
      case ReduceOp::UMax: return llvm::ConstantFP::getInfinity(type, true);
      default: return llvm::ConstantFP::get(type, 0);
    }
  const unsigned bits = type->getIntegerBitWidth();
  switch (op) {
    case ReduceOp::Mul: return llvm::ConstantInt::get(type, 1);
    case ReduceOp::SMin: return llvm::ConstantInt::get(type, llvm::APInt::getSignedMaxValue(bits));
    case ReduceOp::SMax: return llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(bits));
    case ReduceOp::UMin:
    case ReduceOp::FMin:
    case ReduceOp::And: return llvm::Constant::getAllOnesValue(type);
    default: return llvm::Constant::getNullValue(type);
  }
}

/// Lanes that do not run have what changes nothing.
llvm::Value* Emitter::orIdentity(V active, V values, isa::ReduceOp op) {
  return ir_.CreateSelect(active, values, splat(reduceIdentity(op, values->getType()->getScalarType())));
}

/// A tree of lane distances 1, 2, 4: in each lane what `step` makes of the `cluster` lanes around it.
template <class Step>
llvm::Value* Emitter::reduceTree(V v, uint32_t cluster, Step step) {
  for (uint32_t distance = 1; distance < cluster; distance *= 2) {
    int low[kWarpLanes], high[kWarpLanes];
    for (uint32_t i = 0; i < kWarpLanes; ++i)
      low[i] = static_cast<int>(i & ~distance), high[i] = static_cast<int>(i | distance);
    V a = ir_.CreateShuffleVector(v, llvm::ArrayRef<int>(low, kWarpLanes));
    v = step(a, ir_.CreateShuffleVector(v, llvm::ArrayRef<int>(high, kWarpLanes)));
  }
  return v;
}

/// What a reduction of integers, `neutral` ones in lanes that do not run, makes of all lanes.
llvm::Value* Emitter::reduced(isa::ReduceOp op, V values) {
  V all = reduceTree(values, kWarpLanes, [&](V a, V b) { return reduceStep(op, a, b); });
  return ir_.CreateExtractElement(all, uint64_t(0));
}

/// Reductions by such a tree, with the identity in inactive lanes; scans lane after lane, so that
/// floats are added in that order.
bool Emitter::reduce(const Inst& inst) {
  const auto op = static_cast<isa::ReduceOp>(inst.sub);
  const bool half = inst.type == Type::F16;  // in f32, rounded at every step
  V own = splat(element(inst.src[0], inst.type));
  if (half) own = ir_.CreateFPExt(own, lanes(ir_.getFloatTy()));
  const auto step = [&](V a, V b) {
    V r = reduceStep(op, a, b);
    if (half) r = ir_.CreateFPExt(ir_.CreateFPTrunc(r, like(r, ir_.getHalfTy())), r->getType());
    return r;
  };
  const auto store = [&](V v) {
    setElement(inst, half ? ir_.CreateFPTrunc(v, lanes(ir_.getHalfTy())) : v);
    return true;
  };
  llvm::Type* type = own->getType()->getScalarType();
  llvm::Constant* identity = reduceIdentity(op, type);
  const uint32_t cluster = inst.imm ? inst.imm : kWarpLanes;
  if (inst.op == Opcode::SgReduce) return store(reduceTree(orIdentity(nonzero(exec()), own, op), cluster, step));
  V active = nonzero(exec());
  V sum = nullptr, any = nullptr;
  V result = llvm::PoisonValue::get(own->getType());
  for (uint64_t i = 0; i < kWarpLanes; ++i) {
    if (i % cluster == 0) sum = identity, any = ir_.getFalse();
    V here = ir_.CreateExtractElement(active, i), value = ir_.CreateExtractElement(own, i);
    V next = ir_.CreateSelect(any, step(sum, value), value);
    V after = ir_.CreateSelect(here, next, sum);
    result = ir_.CreateInsertElement(result, inst.op == Opcode::SgScanI ? after : sum, i);
    sum = after, any = ir_.CreateOr(any, here);
  }
  return store(result);
}

/// Hands one instruction to the interpreter: its registers travel through Warp::registers.
void Emitter::fallback(const Inst& inst, uint32_t i) {
  if (std::find(interpreted_.begin(), interpreted_.end(), i) == interpreted_.end()) interpreted_.push_back(i);
  V registers = warpField(offsetof(abi::Warp, registers));
  const auto home = [&](uint32_t w) { return ir_.CreateConstInBoundsGEP1_64(words8(), registers, w); };
  const auto spill = [&](isa::Operand o, uint32_t words) {
    if (o.bank != isa::Bank::Temp) return;
    for (uint32_t w = 0; w < words; ++w)
      ir_.CreateAlignedStore(splat(word(o, w)), home(webs_.homeOf(o, w)), llvm::Align(32));
  };
  isa::forEachSource(inst, spill);
  llvm::Type* ptr = ir_.getPtrTy();
  llvm::Type* i32 = ir_.getInt32Ty();
  auto* type = llvm::FunctionType::get(ir_.getVoidTy(), {ptr, i32, ptr, i32}, false);
  V function = field(code_, offsetof(CodeHeader, step), ptr), code = field(code_, offsetof(CodeHeader, self), ptr);
  ir_.CreateCall(type, function, {code, ir_.getInt32(i), warp(), bitsOf(exec())});
  if (inst.dst.bank != isa::Bank::Temp) return;
  for (uint32_t w = 0; w < isa::dstWords(inst); ++w)
    setWord(inst, w, ir_.CreateAlignedLoad(words8(), home(webs_.homeOf(inst.dst, w)), llvm::Align(32)));
}

}  // namespace etzel::native
