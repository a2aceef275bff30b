#include "compiler/exec/native/emit/emitter.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "runtime/abi/fragment_groups.h"

namespace etzel::native {

using isa::Bank;
using isa::Inst;
using isa::Opcode;
using isa::Operand;
using isa::Type;

namespace {

/// Whether a program fits abi::Executable::fragments.
bool isForFragments(const isa::Program& p) {
  const abi::ProgramInfo& i = p.info;
  if (i.stage != abi::Stage::Fragment || abi::groupLocations(i) > abi::kMaxGroupLocations ||
      !abi::readsGroupValues(i) || i.writesSampleDepth || i.writesSampleMask || i.writesStencilRef || i.usesBarrier)
    return false;
  const auto isOutput = [&](uint32_t word) {
    if (word == abi::kFragOutDepth) return i.writesDepth;
    if (word >= abi::kFragOutColorIndex1) return i.writesColorIndex1 && word < abi::kFragOutSampleDepth;
    return word >= abi::kFragOutColor && i.outputLocations >> ((word - abi::kFragOutColor) / 4) & 1;
  };
  return std::all_of(p.code.begin(), p.code.end(), [&](const Inst& inst) {
    // Outputs by index would be found in Warp::out.
    const bool isMemory = inst.op == Opcode::Ld || inst.op == Opcode::St || inst.op == Opcode::Atom;
    if (isMemory && static_cast<isa::Space>(inst.sub) == isa::Space::OutRegister) return false;
    // Nor are there words for outputs that are read but never written.
    const auto fits = [&](Operand o, uint32_t words) {
      bool all = true;
      for (uint32_t w = 0; w < words; ++w) all &= o.bank != Bank::Out || isOutput(o.word + w);
      return all;
    };
    bool all = fits(inst.dst, isa::dstWords(inst));
    isa::forEachSource(inst, [&](Operand o, uint32_t words) { all &= fits(o, words); });
    return all;
  });
}

/// Where a pair's values are two registers each, sums go through their loop in as many more groups, whose code takes
/// LLVM so much longer: a second for the 64 sums of a block of 8 times 8, of 556 instructions.
bool mayHaveCrowds(const Host& host, const isa::Program& program) {
  constexpr size_t kMostInstructions = 400;
  return hasPairs(host) || (hasCrowds(host) && program.code.size() <= kMostInstructions);
}

/// Loads that are emitted where they stand: others are made with them.
std::vector<bool> joinedLoads(const std::vector<WideLoad>& all, size_t instructions) {
  std::vector<bool> parts(instructions);
  for (const WideLoad& wide : all)
    for (const uint32_t load : wide.loads) parts[load] = true;
  return parts;
}

}  // namespace

Emitter::Emitter(llvm::Module& module, const isa::Program& program, const std::string& name, const Host& host,
                 const BoundKinds& bound, Warps warps, const Multiples& taken)
    : module_(module),
      context_(module.getContext()),
      webs_(findWebs(program)),
      program_(webs_.program),
      bound_(bound),
      constants_(findConstants(webs_)),
      copies_(webs_, constants_),
      uses_(findUses(webs_, constants_)),
      divergence_(analyzeDivergence(webs_, zerosOf(webs_, constants_, taken))),
      turned_(turnMatrices(webs_, divergence_)),
      bounds_(webs_),
      regions_(findRegions(program_, divergence_)),
      quiet_(findQuiet(program_, regions_)),
      fragments_(isForFragments(program)),
      crowd_(mayHaveCrowds(host, program_) ? findCrowd(webs_, divergence_, bounds_, regions_) : Crowd{}),
      someSums_(sumsInGroups(host)),
      found_(strandsOf(host)),
      countedLoops_(findCountedLoops(webs_, divergence_, bounds_, constants_)),
      streams_(findStreams(webs_, divergence_, bounds_, constants_)),
      nextRounds_(findNextRounds(webs_, divergence_, bounds_, multipliesInTiles(host))),
      delayedAtomics_(findDelayedAtomics(webs_, divergence_)),
      manySums_(sumsOfRegions()),
      staying_(turns() ? findStaying(webs_, divergence_, regions_, manySums_) : Staying{}),
      sampleGroups_(findSampleGroups(webs_, divergence_, constants_)),
      sampleLoops_(findSampleLoops(webs_, divergence_, constants_)),
      wideLoads_(findWideLoads(
          webs_, divergence_, bounds_, [&](uint32_t load) { return hasPairs(host) && readsOnly(load); },
          joinsProducts(host) ? turned_ : std::vector<bool>{})),
      wideStores_(findWideStores(webs_, divergence_, bounds_)),
      products_(findProducts(webs_, joinsProducts(host) ? 4 : 2, joinedLoads(wideLoads_, program_.code.size()))),
      saved_(valuesToSave(webs_)),
      ir_(context_),
      host_(host) {
  wordsTy_ = lanes(ir_.getInt32Ty());
  maskTy_ = host.maskRegisters ? lanes(ir_.getInt1Ty()) : wordsTy_;
  llvm::Type* ptr = ir_.getPtrTy();
  llvm::Type* i32 = ir_.getInt32Ty();
  const auto make = [&](const std::string& symbol, llvm::ArrayRef<llvm::Type*> parameters) {
    auto* type = llvm::FunctionType::get(i32, parameters, false);
    auto* f = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, module);
    f->addFnAttr(llvm::Attribute::NoUnwind);
    for (unsigned i = 0; i < 2; ++i) f->addParamAttr(i, llvm::Attribute::NoAlias);
    return f;
  };
  strands_.resize(warps == Warps::Abreast || fragments_ ? found_.count : 1);
  pairs_ = strands_.size() > 1 && hasPairs(host) && !found_.inTurns;
  if (warps == Warps::Abreast) oneByOne_ = module.getFunction(name);
  if (warps == Warps::Pairs) {
    oneByOne_ = module.getFunction(name + kGroupSuffix);
    oneByOne_->setName(name + kTurnsSuffix);
    oneByOne_->setLinkage(llvm::GlobalValue::InternalLinkage);
    for (const uint8_t warps : found_.together)
      if (warps > 1) idle_[warps].resize(warps);
    function_ = make(name + kGroupSuffix, {ptr, ptr, i32});
  } else {
    function_ = make(warps == Warps::Abreast ? name + kAbreastSuffix : name, {ptr, ptr});
  }
  if (turns() && warps == Warps::One) {  // the entry runs one warp up to the next barrier
    llvm::Function* entry = function_;
    function_ = make(name + kGroupSuffix, {ptr, ptr, i32});
    ir_.SetInsertPoint(block("", entry));
    ir_.CreateRet(ir_.CreateCall(function_, {entry->getArg(0), entry->getArg(1), ir_.getInt32(0)}));
  }
  if (fragments_) {
    llvm::Function* entry = function_;
    function_ = make(name + kFragmentsSuffix, {ptr, ptr, ptr});
    emitFragmentsEntry(entry);
  }
  code_ = function_->getArg(0);
  warp_ = function_->getArg(1);
  entry_ = block("entry");
  early_.resize(program_.code.size());
  temps_.assign(webs_.count, nullptr);
  for (Strand& s : strands_) s.temps = temps_;
  for (auto& [count, idle] : idle_)
    for (Strand& s : idle) s.temps = temps_;
  for (uint32_t l = 0; l < wideLoads_.size(); ++l)
    for (uint32_t w = 0; w < wideLoads_[l].loads.size(); ++w) wideWords_[wideLoads_[l].loads[w]] = {l, w};
  for (uint32_t s = 0; s < wideStores_.size(); ++s)
    for (const uint32_t store : wideStores_[s].stores) wideStored_[store] = s;
  keepSums();
  layRows();
  findPairsOfRows();
}

/// What may run side by side; groups of fragments where two of them share registers.
Strands Emitter::strandsOf(const Host& host) const {
  // Of sixteen registers some more count, since operands of additions and products may be in memory: eight sums, each
  // of a column and a row that strands share, do not get in each other's way.
  constexpr uint32_t kFew = 22, kMany = 32;
  const bool pairs = hasPairs(host);
  const uint32_t vectors = pairs ? 2 * kMany : host.maskRegisters ? kMany : kFew;
  if (fragments_) {
    if (!native::hasCrowds(host) || program_.info.readsAttachments) return {};
    return findGroupStrands(webs_, divergence_, bounds_, constants_, {pairs, readsOneLevel(), vectors});
  }
  if (program_.info.usesBarrier) {
    if (!native::hasCrowds(host)) return {};
    Strands s = findPairsBetweenBarriers(webs_, divergence_, bounds_, constants_, crowd_, someSums_);
    return pairs || s.count == kCrowd ? s : Strands{};
  }
  return findStrands(webs_, divergence_, bounds_, constants_, vectors);
}

void Emitter::run() {
  using abi::DispatchContext;
  using abi::Warp;
  enter(entry_);
  llvm::Type* ptr = ir_.getPtrTy();
  exec_ = maskSlot("exec");
  status_ = slot(ir_.getInt32Ty(), "status");
  dispatch_ = field(warp_, offsetof(Warp, context), ptr);
  functions_ = field(dispatch_, offsetof(DispatchContext, functions), ptr);
  // No watchdog: a zero of our own.
  llvm::AllocaInst* never = slot(ir_.getInt32Ty(), "never");
  ir_.CreateStore(ir_.getInt32(0), never);
  cancel_ = field(dispatch_, offsetof(DispatchContext, cancel), ptr);
  cancel_ = ir_.CreateSelect(ir_.CreateIsNull(cancel_), never, cancel_);
  ir_.CreateStore(ir_.getInt32(0), status_);
  finish_ = block("finish");
  llvm::BasicBlock* start = block("start");
  if (turns()) {
    beginTurns();
    resumeSwitch_->setDefaultDest(start);
  } else {
    ir_.CreateBr(start);
  }
  enter(start);
  if (fragments_) startFragments();
  if (turns()) beginRegion(0, 0);
  if (oneByOne_ && !turns()) beginStrands();
  forEachPair([&] { startTurn(); });

  for (index_ = 0; index_ < program_.code.size(); ++index_) {
    if (manySums_.count(index_))
      emitInGroups();
    else if (goesTwice(index_))
      emitTwice();
    else
      emitNext();
  }
  jump(finish_);
  enter(finish_);
  if (turns())
    endTurn();
  else if (fragments_)
    endFragments();
  else
    ir_.CreateRet(ir_.CreateLoad(ir_.getInt32Ty(), status_));
}

/// \returns false where there is no native form: the interpreter's handler is called.
bool Emitter::translate(const Inst& inst) {
  const isa::OpInfo& info = isa::opInfo(inst);
  const bool acrossLanes = info.lanes == isa::Lanes::Alike && info.srcCount;
  const auto inScalars = [&](auto emit) {
    base_ = isScalar(inst) && !acrossLanes;
    const bool native = emit();
    base_ = false;
    return native;
  };
  switch (info.native) {
    case isa::Native::Flow: control(inst, index_); return true;
    case isa::Native::Texture: texture(inst); return true;
    case isa::Native::Move:
    case isa::Native::Float: return inScalars([&] { return arithmetic(inst); });
    case isa::Native::Integer: return inScalars([&] { return integer(inst); });
    case isa::Native::Scale: return inScalars([&] { return scale(inst); });
    case isa::Native::Math: return inScalars([&] { return transcendental(inst); });
    case isa::Native::Convert: return inScalars([&] { return scale(inst) || convert(inst); });
    case isa::Native::Memory: return inScalars([&] { return memory(inst, index_); });
    case isa::Native::Lanes: return inScalars([&] { return lanesAndInputs(inst); });
    case isa::Native::Call: return false;
  }
  return false;
}

llvm::AllocaInst* Emitter::slot(llvm::Type* type, const char* name) {
  // All allocas stand at the top of the entry block, where LLVM promotes them.
  IR at(entry_, entry_->begin());
  auto* a = at.CreateAlloca(type, nullptr, name);
  if (type == words8()) a->setAlignment(llvm::Align(32));
  return a;
}

llvm::Value* Emitter::field(V base, size_t offset, llvm::Type* type, bool invariant) {
  const auto known = known_.find(base);
  if (known != known_.end() && offset < known->second.size()) {
    uint32_t bits;
    std::memcpy(&bits, &known->second[offset], sizeof bits);
    return ir_.CreateBitCast(ir_.getInt32(bits), type);
  }
  V p = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), base, offset);
  llvm::LoadInst* load = ir_.CreateLoad(type, p);
  if (invariant) load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
  return load;
}

Emitter::Slot Emitter::webSlot(uint32_t web) {
  const bool varies = divergence_.shape[web].varying();
  llvm::Type* type = !varies ? static_cast<llvm::Type*>(ir_.getInt32Ty()) : pairs_ ? words16() : words8();
  const auto place = places_.find(web);
  if (place != places_.end()) return {inRun(place->second), type};
  const auto kept = kept_.find(web);
  if (kept != kept_.end())
    return {ir_.CreateConstInBoundsGEP1_64(type, warpField(offsetof(abi::Warp, registers)), kept->second), type};
  if (stays(web)) {
    V registers = warpField(offsetof(abi::Warp, registers));
    return {ir_.CreateConstInBoundsGEP1_64(words8(), registers, staying_.at({regions_[index_], web})), words8()};
  }
  // The first of the strands that share it has it.
  const uint32_t sharing = strands_.size() == 1 ? 1 : varies && pairs_ ? 2 : found_.shared[web];
  const uint32_t owner = isCrowd() ? ownerOf(web) : strand_;
  const uint32_t first = (varies && pairs_) || !isCrowd() ? owner - owner % sharing : owner;
  llvm::AllocaInst*& a = first == strand_ ? temps_[web] : strands_[first].temps[web];
  if (!a) a = registerSlot(type, webs_.undefined[web]);
  return {a, type};
}

/// Registers need not be initialized; zero makes what reads them all the same the same every time.
llvm::AllocaInst* Emitter::registerSlot(llvm::Type* type, bool isUndefined) {
  llvm::AllocaInst* a = slot(type, "r");
  if (!isUndefined || repeats()) return a;
  IR at(entry_, std::next(a->getIterator()));
  at.CreateStore(llvm::Constant::getNullValue(type), a);
  return a;
}

bool Emitter::isUniform(Operand o, uint32_t words) const { return native::isUniform(webs_, divergence_, o, words); }

bool Emitter::isScalar(const Inst& inst) const {
  if (inst.dst.bank != Bank::Temp) return false;
  for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w)
    if (shapeOf(inst.dst, w).varying()) return false;
  return true;
}

llvm::Value* Emitter::baseOf(Operand o) {
  const bool before = base_;
  base_ = true;
  V v = word(o);
  base_ = before;
  return v;
}

llvm::Constant* Emitter::steps(const Shape& shape) { return llvm::ConstantDataVector::get(context_, shape.apart); }

llvm::Value* Emitter::word(Operand o, uint32_t w) {
  const uint32_t index = o.word + w;
  switch (o.bank) {
    case Bank::Temp: {
      const uint32_t web = webs_.webOf(o, w);
      const Shape shape = shapeOf(o, w);
      if (ofPair() && (shape.varying() ? stays(web) : !isShared(web))) return both([&] { return word(o, w); });
      V v = valueOf(web);
      if (shape.varying() || shape.uniform() || base_) return v;
      return ir_.CreateAdd(splat(v), steps(shape));
    }
    case Bank::In: {
      return both([&] {
        V p = ir_.CreateConstInBoundsGEP1_64(words8(), warpField(offsetof(abi::Warp, in)), index);
        return ir_.CreateAlignedLoad(words8(), p, llvm::Align(32));
      });
    }
    case Bank::Out: return both([&] { return ir_.CreateAlignedLoad(words8(), outRow(index), llvm::Align(32)); });
    case Bank::Param:
    case Bank::Param2: {
      const uint32_t reg = index / 4 + (o.bank == Bank::Param2 ? 256 : 0);
      const bool inside = reg < program_.constants.size();
      return ir_.getInt32(inside ? program_.constants[reg][index % 4] : 0);
    }
    default: return ir_.getInt32(0);
  }
}

void Emitter::setWord(const Inst& inst, uint32_t w, V value) {
  const Operand d = inst.dst;
  if (d.bank == Bank::Temp) {
    // What others have made already, or will.
    if (isCrowd() && ownerOf(webs_.webOf(d, w)) != strand_) return;
    if (ofPair() && stays(webs_.webOf(d, w))) {
      V whole = splat(value);
      return forEachHalf([&] { setWord(inst, w, halfOf(whole)); });
    }
    const Slot a = webSlot(webs_.webOf(d, w));
    if (!shapeOf(d, w).varying()) {
      // The analysis says how the lanes relate; lane 0 says it all.
      if (isVector(value)) value = ir_.CreateExtractElement(value, uint64_t(0));
    } else {
      value = splat(value);
      if (!scopes_.empty() && scopes_.back().straight) {
        if (inst.masked && divergence_.blend[index_]) noteWrite(webs_.webOf(d, w));
      } else if (inst.masked && divergence_.blend[index_])
        value = ir_.CreateSelect(nonzero(exec()), value, read(a));
    }
    write(a, value);
    return;
  }
  const uint32_t index = d.word + w;
  const bool blend = inst.masked && divergence_.partial[index_];
  if (d.bank != Bank::Out) return;
  value = splat(value);
  const bool split = ofPair();
  forEachHalf([&] {
    V p = outRow(index), own = split ? halfOf(value) : value;
    if (blend) own = ir_.CreateSelect(nonzero(exec()), own, ir_.CreateAlignedLoad(words8(), p, llvm::Align(32)));
    ir_.CreateAlignedStore(own, p, llvm::Align(32));
  });
}

llvm::Value* Emitter::element(Operand o, Type type, uint32_t e) {
  switch (type) {
    case Type::I32: return word(o, e);
    case Type::F32: {
      V v = word(o, e);
      return ir_.CreateBitCast(v, like(v, ir_.getFloatTy()));
    }
    case Type::I8: {
      V v = word(o, e);
      return ir_.CreateTrunc(v, like(v, ir_.getInt8Ty()));
    }
    case Type::I16: {
      V v = word(o, e);
      return ir_.CreateTrunc(v, like(v, ir_.getInt16Ty()));
    }
    case Type::F16: {
      V v = word(o, e);
      v = ir_.CreateTrunc(v, like(v, ir_.getInt16Ty()));
      return ir_.CreateBitCast(v, like(v, ir_.getHalfTy()));
    }
    case Type::I64:
    case Type::F64: {
      V low = word(o, 2 * e), high = word(o, 2 * e + 1);
      unify(ir_, low, high);
      llvm::Type* wide = like(low, ir_.getInt64Ty());
      V v = ir_.CreateOr(ir_.CreateZExt(low, wide), ir_.CreateShl(ir_.CreateZExt(high, wide), 32));
      return type == Type::F64 ? ir_.CreateBitCast(v, like(v, ir_.getDoubleTy())) : v;
    }
  }
  return nullptr;
}

void Emitter::setElement(const Inst& inst, V value, uint32_t e) {
  llvm::Type* scalar = value->getType()->getScalarType();
  llvm::Type* i32 = ir_.getInt32Ty();
  if (scalar->isFloatTy()) value = ir_.CreateBitCast(value, like(value, i32));
  if (scalar->isHalfTy()) value = ir_.CreateBitCast(value, like(value, ir_.getInt16Ty()));
  if (scalar->isDoubleTy()) value = ir_.CreateBitCast(value, like(value, ir_.getInt64Ty()));
  scalar = value->getType()->getScalarType();
  if (scalar->isIntegerTy(64)) {
    setWord(inst, 2 * e, ir_.CreateTrunc(value, like(value, i32)));
    setWord(inst, 2 * e + 1, ir_.CreateTrunc(ir_.CreateLShr(value, 32), like(value, i32)));
    return;
  }
  if (!scalar->isIntegerTy(32)) value = ir_.CreateZExt(value, like(value, i32));
  setWord(inst, e, value);
}

void Emitter::setElement64(const Inst& inst, V value) {
  setWord(inst, 0, ir_.CreateTrunc(value, like(value, ir_.getInt32Ty())));
  setWord(inst, 1, ir_.CreateTrunc(ir_.CreateLShr(value, 32), like(value, ir_.getInt32Ty())));
}

void Emitter::unify(IR& ir, V& a, V& b) {
  if (isVector(a) == isVector(b)) return;
  V &scalar = isVector(a) ? b : a, vector = isVector(a) ? a : b;
  scalar = ir.CreateVectorSplat(lanesIn(vector), scalar);
}

llvm::Value* Emitter::bitsOf(V mask) {
  const bool isWords = mask->getType()->getScalarType()->isIntegerTy(32);
  V i1 = isWords ? ir_.CreateICmpSLT(mask, llvm::Constant::getNullValue(mask->getType())) : mask;
  return ir_.CreateZExt(ir_.CreateBitCast(i1, ir_.getIntNTy(lanesIn(i1))), ir_.getInt32Ty());
}

llvm::Value* Emitter::lanesOf(V bits) {
  return ir_.CreateBitCast(ir_.CreateTrunc(bits, ir_.getInt8Ty()), lanes(ir_.getInt1Ty()));
}

llvm::Value* Emitter::anyExec() {
  std::vector<V> each;
  forEachPair([&] { each.push_back(exec()); });
  V lanes = each[0];
  for (size_t s = 1; s < each.size(); ++s) lanes = ir_.CreateOr(lanes, each[s]);
  return any(lanes);
}

llvm::Value* Emitter::any(V mask) { return ir_.CreateICmpNE(bitsOf(mask), ir_.getInt32(0)); }

llvm::Value* Emitter::sideEffectMask() {
  V lanesNow = exec();
  if (program_.info.stage != abi::Stage::Fragment) return lanesNow;
  V helper = asMask(lanesOf(field(warp(), offsetof(abi::Warp, helper), ir_.getInt32Ty(), false)));
  return ir_.CreateAnd(lanesNow, ir_.CreateNot(helper));
}

}  // namespace etzel::native
