// Random valid programs for comparing executors: every row of isa.def that computes, moves or asks, over random types,
// sub-operations and operands, between random control flow, memory accesses in every space, atomics, subgroup
// operations, barriers, prints, aborts and discards. Test code.
//
// Programs have kVariables variables, written in the active lanes only, so that what they hold is defined in every lane
// that started. NaNs are made equal after every instruction that may make one: their payload is not specified.
#pragma once

#include <random>

#include "compiler/isa/builder.h"
#include "compiler/isa/immediates.h"

namespace etzel::exec::test {

class ProgramGenerator {
 public:
  static constexpr uint32_t kVariables = 20, kBufferWords = 64, kSharedBytes = 256, kScratchBytes = 64;
  static constexpr uint32_t kTableWords = 40, kMostPrinted = 8;
  static constexpr uint32_t kRecords = 3, kResultWords = kBufferWords;  ///< results follow the buffer's own words

  ProgramGenerator(uint32_t seed, abi::Stage stage, uint32_t statements)
      : random_(seed), stage_(stage), budget_(statements), b_(program_) {}

  isa::Program make() {
    abi::ProgramInfo& info = program_.info;
    info.stage = stage_;
    program_.scratchBytes = kScratchBytes;
    program_.resources.push_back({0, 0, abi::makeHandle(0, 0), 32, 1});
    program_.constants.push_back({1, 7, 0x3F800000, 0xBF000000});
    for (uint32_t i = 0; i < kTableWords; ++i) program_.table.push_back(static_cast<uint32_t>(random_()));
    for (uint32_t n = 0; n <= kMostPrinted; ++n) {
      program_.prints.push_back({std::to_string(n), std::vector<abi::PrintValue>(n)});
      program_.aborts.push_back(std::make_shared<const abi::AbortMessage>(abi::AbortMessage{std::string(4 * n, 'x')}));
    }
    info.hasSideEffects = true;
    if (compute()) {
      info.usesBarrier = pick(3) > 0;
      info.sharedBytes = kSharedBytes;
      if (pick(3))
        info.localSize[0] = 16;  // warps are whole rows, so native code may follow values that grow by lane
      else
        info.localSize[0] = 5, info.localSize[1] = 3;
    }
    if (stage_ == abi::Stage::TessControl) info.outputVertices = kRecords;
    handle_ = b_.descriptor(0);
    for (uint32_t i = 0; i < kVariables; ++i) {
      variables_.push_back(program_.newTemp());
      b_.move(variables_[i], i < 4 ? Operand{isa::Bank::Param, i} : start(i));
    }
    const uint32_t all = budget_;
    statements(all, 0);
    if (info.usesBarrier) {
      b_.control(Opcode::Barrier);
      budget_ = all / 2;
      statements(budget_, 0);
      Operand counter = b_.imm(0u);
      b_.blockBegin();
      b_.loopBegin();
      b_.control(Opcode::Barrier);
      budget_ = all / 4;
      statements(budget_, 1);
      if (pick(2)) b_.control(Opcode::Barrier);
      b_.moveMasked(counter, b_.value(Opcode::IAdd, Type::I32, counter, b_.imm(1u)));
      b_.brIf(b_.icmp(isa::CmpI::UGt, Type::I32, counter, b_.imm(pick(3))), 0);
      b_.loopEnd();
      b_.blockEnd();
    }
    finish();
    program_.tempWords = std::max(program_.tempWords, 1u);
    return std::move(program_);
  }

 private:
  using Opcode = isa::Opcode;
  using Operand = isa::Operand;
  using Type = isa::Type;
  using Space = isa::Space;
  using B = isa::Builder;

  bool compute() const { return stage_ == abi::Stage::Compute; }
  bool hasOutWords() const { return !compute() && stage_ != abi::Stage::TessControl; }
  bool fragment() const { return stage_ == abi::Stage::Fragment; }
  uint32_t pick(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  template <class T, size_t N>
  T pick(const T (&table)[N]) {
    return table[pick(static_cast<uint32_t>(N))];
  }

  Operand start(uint32_t i) {
    if (compute())
      return b_.sys(i % 2 ? abi::SysValue::LocalIdX : i % 4 ? abi::SysValue::LaneId : abi::SysValue::WorkgroupIdX);
    if (stage_ == abi::Stage::Vertex) return {isa::Bank::In, i};
    if (!fragment()) return b_.imm(static_cast<uint32_t>(random_()));
    if (i % 3 == 0) return b_.value(Opcode::Flat, Type::I32, {}, {}, {}, 0, i);
    const uint8_t mode = static_cast<uint8_t>(pick(8));
    const bool offset = (mode & 3) == 3;
    const Operand at = b_.value(Opcode::Bary, Type::I32, offset ? b_.imm(0.25f) : Operand{},
                                offset ? b_.imm(-0.125f) : Operand{}, {}, mode);
    return canonical(Type::F32, b_.value(Opcode::Intrp, Type::I32, at, B::word(at, 1), {}, 0, i));
  }
  /// Leaves the variables where the test looks.
  void finish() {
    for (uint32_t i = 0; i < kVariables; ++i) {
      if (hasOutWords()) {
        b_.moveMasked({isa::Bank::Out, i}, variables_[i]);
        continue;
      }
      const Operand row = b_.value(Opcode::IMul, Type::I32, b_.sys(abi::SysValue::LocalIndex), b_.imm(4 * kVariables));
      const Operand at = b_.value(Opcode::IAdd, Type::I32, row, b_.imm(kBufferWords * 4 + i * 4));
      b_.store(Space::Buffer, Type::I32, handle_, at, variables_[i]);
    }
    if (stage_ == abi::Stage::Geometry && pick(2)) b_.control(Opcode::Emit), b_.control(Opcode::Cut);
  }

  // --- Operands
  Operand any() {
    if (pick(12) == 0) return {isa::Bank::Param, pick(4)};
    return variables_[pick(kVariables)];
  }
  Operand words(uint32_t n) {
    if (n == 1) return any();
    const Operand p = program_.newTemp(n);
    for (uint32_t w = 0; w < n; ++w) b_.move(B::word(p, w), any());
    return p;
  }
  Operand low(uint32_t mask) { return b_.value(Opcode::And, Type::I32, any(), b_.imm(mask)); }
  /// An element as the instruction set keeps it: short ones have zeros above, or by times what executors must ignore.
  Operand element(Type t) {
    if (isa::typeWords(t) == 2) return words(2);
    if (pick(4) == 0) return any();
    if (t == Type::I8) return low(0xFF);
    return t == Type::I16 || t == Type::F16 ? low(0xFFFF) : any();
  }
  Operand canonical(Type t, Operand v) {
    const Operand isNan = b_.value(Opcode::FIsNan, t, v);
    if (t == Type::F64) return b_.select(isNan, b_.imm64(0x7FF8000000000000), v, 2);
    return b_.select(isNan, b_.imm(t == Type::F16 ? 0x7E00u : 0x7FC00000u), v);
  }
  void assign(Operand v, uint32_t n = 1) {
    for (uint32_t w = 0; w < n; ++w) b_.moveMasked(variables_[pick(kVariables)], B::word(v, w));
  }
  Operand condition() {
    return pick(2) ? b_.icmp(static_cast<isa::CmpI>(pick(10)), Type::I32, any(), any())
                   : b_.fcmp(static_cast<isa::CmpF>(pick(14)), Type::F32, any(), any());
  }

  // --- Statements
  void statements(uint32_t n, uint32_t depth) {
    for (uint32_t i = 0; i < n && budget_ > 0 && program_.tempWords < 900; ++i) {
      --budget_;
      statement(depth);
    }
  }
  void statement(uint32_t depth) {
    depth_ = depth;
    const uint32_t kind = pick(depth < 4 ? 24 : 18);
    if (kind < 10) return fromTable();
    if (kind < 13) return compute() && pick(4) == 0 ? neighbours() : access();
    if (kind == 13) return atomic();
    if (kind == 14) return lanes();
    if (kind == 15) return asks();
    if (kind < 18) return masked();
    if (kind < 21) {
      b_.ifBegin(condition());
      statements(3, depth + 1);
      if (pick(2)) {
        b_.elseBegin();
        statements(3, depth + 1);
      }
      b_.ifEnd();
    } else if (kind < 23) {
      loop(depth);
    } else if (!program_.info.usesBarrier && depth > 0) {
      if (fragment() && pick(2)) {
        const Opcode op = pick(2) ? Opcode::Demote : Opcode::Kill;
        ended_ |= op == Opcode::Kill;
        b_.ifBegin(condition());
        b_.control(op);
        b_.ifEnd();
        return;
      }
      if (pick(3)) return;
      ended_ = true;
      b_.ifBegin(condition());
      b_.ret();
      b_.ifEnd();
    }
  }
  /// A few rounds with breaks and continues at random places.
  void loop(uint32_t depth) {
    Operand counter = b_.imm(0u);
    b_.blockBegin();
    b_.loopBegin();
    b_.blockBegin();
    statements(2, depth + 1);
    b_.brIf(condition(), pick(2));
    statements(2, depth + 1);
    b_.blockEnd();
    b_.moveMasked(counter, b_.value(Opcode::IAdd, Type::I32, counter, b_.imm(1u)));
    b_.brIf(b_.icmp(isa::CmpI::UGt, Type::I32, counter, b_.imm(pick(4))), 0);
    b_.loopEnd();
    b_.blockEnd();
  }

  /// Rows that make a value of their operands.
  static const std::vector<Opcode>& rows() {
    static const std::vector<Opcode> all = [] {
      std::vector<Opcode> v;
      for (uint32_t n = 0x38; n < 256; ++n) {
        const auto op = static_cast<Opcode>(n);
        const isa::OpInfo& i = isa::opInfo(op);
        if (!i.name || i.control || i.memory || i.sideEffect || i.quad || i.immediate) continue;
        if (i.sub == isa::SubKind::Reduce || i.sub == isa::SubKind::Bary || i.sub == isa::SubKind::PixLd) continue;
        if (op == Opcode::SgShuffle || op == Opcode::SgProduct) continue;  // lanes() has them
        if (op == Opcode::BufAddr || op == Opcode::BufSize || op == Opcode::SmpPos) continue;
        v.push_back(op);
      }
      return v;
    }();
    return all;
  }
  static bool isFloat(Type t) { return t == Type::F16 || t == Type::F32 || t == Type::F64; }
  /// One operation of the table, with the operands that its row asks for.
  void fromTable() {
    const Opcode op = rows()[pick(static_cast<uint32_t>(rows().size()))];
    const isa::OpInfo& info = isa::opInfo(op);
    isa::Inst inst;
    inst.op = op;
    do inst.type = static_cast<Type>(pick(7));
    while (!(info.typeMask >> static_cast<uint32_t>(inst.type) & 1));
    Type from = inst.type;
    if (info.sub == isa::SubKind::SourceType) {
      do from = static_cast<Type>(pick(isa::kTypeCount));
      while (isa::isFloatType(from) != info.fromFloat);
      inst.sub = static_cast<uint8_t>(from);
    } else if (info.sub != isa::SubKind::None) {
      inst.sub = static_cast<uint8_t>(pick(isa::subCount(info.sub)));
    }
    const bool counted = info.dst == isa::OperandShape::Count;
    if (counted) inst.count = static_cast<uint8_t>(1 + pick(pick(3) ? 2 : 8));
    for (uint32_t s = 0; s < info.srcCount; ++s) {
      if (info.sub == isa::SubKind::SourceType)
        inst.src[s] = element(from);
      else if (info.src[s] == isa::OperandShape::Element)
        inst.src[s] = element(inst.type);
      else
        inst.src[s] = words(isa::srcWords(inst, s));
    }
    const uint32_t n = isa::dstWords(inst);
    inst.dst = program_.newTemp(n);
    program_.code.push_back(inst);
    Operand r = inst.dst;
    const bool transcendental = op >= Opcode::FSin && op <= Opcode::FPow;
    if (isFloat(inst.type) && (info.dst == isa::OperandShape::Element || transcendental)) r = canonical(inst.type, r);
    assign(r, n);
  }
  /// Written into a variable or an out word at once, masked.
  void masked() {
    static constexpr Opcode kOps[] = {Opcode::IAdd, Opcode::Xor, Opcode::UMax, Opcode::Shl, Opcode::ISub};
    const Operand a = any(), b = any(),
                  to = pick(4) || !hasOutWords() ? variables_[pick(kVariables)]
                                                 : Operand{isa::Bank::Out, pick(kVariables)};
    b_.setMasked(true);
    b_.into(to, pick(kOps), Type::I32, a, b);
    b_.setMasked(false);
  }

  Space space() {
    static constexpr Space kCompute[] = {Space::Buffer, Space::Shared, Space::Shared, Space::Scratch,
                                         Space::Push,   Space::Global, Space::Table,  Space::WideBuffer};
    static constexpr Space kControl[] = {Space::Buffer, Space::InRecord,    Space::OutRecord,
                                         Space::Patch,  Space::OutRegister, Space::WideBuffer};
    static constexpr Space kGeometry[] = {Space::Buffer, Space::InRecord, Space::OutRegister, Space::Scratch};
    static constexpr Space kOther[] = {Space::Buffer,     Space::Scratch,     Space::Push,  Space::Global,
                                       Space::InRegister, Space::OutRegister, Space::Table, Space::WideBuffer};
    static constexpr Space kFragment[] = {Space::Buffer,   Space::Scratch,     Space::Push,  Space::Global,
                                          Space::InRecord, Space::OutRegister, Space::Table, Space::WideBuffer};
    switch (stage_) {
      case abi::Stage::Compute: return pick(kCompute);
      case abi::Stage::TessControl: return pick(kControl);
      case abi::Stage::Geometry: return pick(kGeometry);
      case abi::Stage::Fragment: return pick(kFragment);
      default: return pick(kOther);
    }
  }
  Operand address(Space s) {
    switch (s) {
      case Space::Buffer:
        if (pick(6)) return handle_;
        if (pick(2)) return b_.descriptor(0, low(1));
        return b_.select(condition(), handle_, b_.imm(abi::kNullHandle));
      case Space::Global: return b_.value(Opcode::BufAddr, Type::I32, handle_);
      case Space::WideBuffer: return wideAddress();
      case Space::InRecord:
      case Space::OutRecord: return pick(2) ? b_.imm(pick(kRecords + 1)) : low(3);
      default: return {};
    }
  }
  /// Mostly inside of the buffer, the same for all lanes or not; anywhere else too.
  Operand wideAddress() {
    const Operand wide = program_.newTemp(3);
    b_.move(wide, address(Space::Buffer));
    b_.move(B::word(wide, 1), pick(8) == 0 ? any() : pick(2) ? low(0x78) : b_.imm(8 * pick(8)));
    b_.move(B::word(wide, 2), pick(8) == 0 ? any() : b_.imm(0u));
    return wide;
  }
  /// Offsets count words, not bytes.
  static bool isIndexed(Space s) {
    return s != Space::Scratch && isa::spaceInfo(s).element == isa::SpaceInfo::Element::Words;
  }
  Operand offset(Space s, uint32_t bytes) {
    const bool indexed = isIndexed(s);
    const uint32_t limit = indexed               ? 31
                           : s == Space::Scratch ? kScratchBytes - 1
                           : s == Space::Global  ? kBufferWords * 2
                                                 : 255;
    const uint32_t mask = indexed ? limit : (limit | (s == Space::Global ? 0 : 256)) & ~(bytes - 1);
    switch (pick(4)) {
      case 0: return b_.imm(pick(limit) & mask);
      case 1:
        return compute() ? b_.value(Opcode::IMul, Type::I32, b_.sys(abi::SysValue::LaneId), b_.imm(bytes)) : low(mask);
      default: return low(mask & limit);
    }
  }
  /// Loads and stores of one or several elements, at random places and in rows of lanes.
  void access() {
    const Space s = space();
    const bool anyType = isa::spaceInfo(s).element == isa::SpaceInfo::Element::Any;
    const Type t = anyType ? static_cast<Type>(pick(4)) : pick(4) ? Type::I32 : Type::I64;
    const uint32_t count = 1 + pick(4), imm = pick(3) * (isIndexed(s) ? 1 : isa::typeBytes(t));
    const bool readOnly = s == Space::Push || s == Space::Table || s == Space::InRegister || s == Space::InRecord;
    const bool writes = pick(2) && !readOnly;
    // Addresses of programs are the program's own business: only known ones are written through.
    const Operand where = address(s), at = offset(s, isa::typeBytes(t));
    if ((s == Space::Buffer || s == Space::Shared) && pick(8) == 0) return raw(s, where, at);
    if (!writes) return assign(b_.load(s, t, where, at, imm, count), count * isa::typeWords(t));
    b_.store(s, t, where, at, words(count * isa::typeWords(t)), imm, count);
  }
  /// Words side by side in each lane, where lanes are apart: at places that grow by lane, have only some bits of that,
  /// or are below a limit that some or all of the lanes have left at.
  void neighbours() {
    static constexpr abi::SysValue kIndices[] = {abi::SysValue::LocalIndex, abi::SysValue::LocalIdX,
                                                 abi::SysValue::LaneId};
    static constexpr Opcode kBits[] = {Opcode::And, Opcode::UMod, Opcode::Shr, Opcode::UDiv};
    static constexpr uint32_t kConstants[] = {1, 2, 3, 4, 7, 8, 15, 16, 24};
    const Space s = pick(2) ? Space::Shared : Space::Buffer;
    const Operand where = address(s);
    Operand index = b_.sys(pick(kIndices));
    if (pick(3) == 0) index = b_.value(Opcode::IAdd, Type::I32, index, pick(2) ? b_.imm(pick(3) * 8) : any());
    if (pick(2)) index = b_.value(pick(kBits), Type::I32, index, b_.imm(pick(kConstants)));
    const bool guarded = pick(2);
    if (guarded) {
      b_.blockBegin();
      const bool isSigned = pick(2);
      b_.brIf(b_.icmp(isSigned ? isa::CmpI::SGe : isa::CmpI::UGe, Type::I32, index, b_.imm(pick(kConstants))), 0);
    }
    const Operand base = b_.value(Opcode::IMul, Type::I32, index, b_.imm(4 * pick(kConstants)));
    const uint32_t count = 1 + pick(5), imm = 4 * pick(4);
    const bool writes = pick(3) == 0;
    std::vector<Operand> loaded;
    for (uint32_t i = 0; i < count; ++i) {
      const Operand at = b_.value(Opcode::IAdd, Type::I32, base, b_.imm(4 * i));
      if (writes)
        b_.store(s, Type::I32, where, at, any(), imm);
      else
        loaded.push_back(b_.load(s, Type::I32, where, at, imm));
    }
    for (const Operand v : loaded) assign(v);
    if (guarded) b_.blockEnd();
  }
  void raw(Space s, Operand where, Operand at) {
    isa::RawImm imm;
    imm.offset = static_cast<uint16_t>(pick(4) * 4), imm.swizzle = static_cast<uint8_t>(pick(256));
    imm.mask = static_cast<uint8_t>(1 + pick(15));
    const auto whole = [&] {  // a register, not any four words
      program_.tempWords = (program_.tempWords + 3) / 4 * 4;
      return program_.newTemp(4);
    };
    const Operand data = whole(), result = whole();
    for (uint32_t w = 0; w < 4; ++w) b_.move(B::word(data, w), any());
    if (pick(2)) {
      b_.emit(Opcode::LdRaw, Type::I32, result, {where, at, data}, static_cast<uint8_t>(s), imm.pack());
      return assign(result, 4);
    }
    b_.emit(Opcode::StRaw, Type::I32, {}, {where, at, data}, static_cast<uint8_t>(s), imm.pack());
  }
  void atomic() {
    using abi::AtomicOp;
    static constexpr AtomicOp kIntegers[] = {
        AtomicOp::Load, AtomicOp::Store, AtomicOp::Exchange, AtomicOp::CompareExchange,
        AtomicOp::Add,  AtomicOp::Sub,   AtomicOp::SMin,     AtomicOp::UMin,
        AtomicOp::SMax, AtomicOp::UMax,  AtomicOp::And,      AtomicOp::Or,
        AtomicOp::Xor};
    static constexpr AtomicOp kFloats[] = {AtomicOp::Load, AtomicOp::Store, AtomicOp::Exchange, AtomicOp::FMin,
                                           AtomicOp::FMax};
    static constexpr Type kTypes[] = {Type::I32, Type::I32, Type::I64, Type::F16, Type::F32, Type::F64};
    const Type t = pick(kTypes);
    const AtomicOp op = isFloat(t) ? pick(kFloats) : pick(kIntegers);
    const Space s = compute() && pick(2) ? Space::Shared : pick(2) ? Space::Buffer : Space::WideBuffer;
    Operand data;
    if (op == AtomicOp::CompareExchange)
      data = words(2 * isa::typeWords(t));
    else if (op != AtomicOp::Load)
      data = isFloat(t) ? canonical(t, element(t)) : element(t);
    Operand r = b_.atomic(s, op, t, address(s), offset(s, isa::typeBytes(t)), data, 0);
    if (r.present()) assign(r, isa::typeWords(t));
  }
  /// Operations across lanes.
  void lanes() {
    using isa::ReduceOp;
    static constexpr Opcode kOps[] = {Opcode::SgReduce, Opcode::SgScanI, Opcode::SgScanE};
    static constexpr ReduceOp kIntegers[] = {ReduceOp::Add,  ReduceOp::Mul,  ReduceOp::SMin,
                                             ReduceOp::UMin, ReduceOp::SMax, ReduceOp::UMax,
                                             ReduceOp::And,  ReduceOp::Or,   ReduceOp::Xor};
    static constexpr ReduceOp kFloats[] = {ReduceOp::Add, ReduceOp::Mul, ReduceOp::FMin, ReduceOp::FMax};
    if (pick(3) == 0) {  // a lane that is certain to run here
      const Operand lane = b_.value(Opcode::Flsb, Type::I32, b_.value(Opcode::SgBallot, Type::I32, b_.imm(~0u)));
      const uint32_t count = 1 + pick(3);
      return assign(b_.value(Opcode::SgShuffle, Type::I32, words(count), lane, {}, 0, 0, static_cast<uint8_t>(count)),
                    count);
    }
    if (pick(6) == 0) {  // lanes that do not run have of the second factor what the others have
      const auto count = static_cast<uint8_t>(pick(2) ? 8 : 1 + pick(8));
      const Type t = pick(2) ? Type::F32 : Type::I32;
      const Operand rows = b_.value(Opcode::SgFirst, Type::I32, words(count), {}, {}, 0, 0, count);
      Operand r = b_.value(Opcode::SgProduct, t, words(8), rows, words(count), 0, 0, count);
      for (uint32_t w = 0; isFloat(t) && w < count; ++w)
        b_.move(isa::Builder::word(r, w), canonical(t, isa::Builder::word(r, w)));
      return assign(r, count);
    }
    const Type t = static_cast<Type>(pick(7));
    const auto sub = static_cast<uint8_t>(isFloat(t) ? pick(kFloats) : pick(kIntegers));
    const Opcode op = pick(kOps);
    const uint32_t cluster = pick(2) ? 1u << pick(4) : 0;
    const Operand r = b_.value(op, t, element(t), {}, {}, sub, cluster);
    assign(isFloat(t) ? canonical(t, r) : r, isa::typeWords(t));
  }
  /// Some words, with the format or message that has so many.
  void prints() {
    const uint32_t n = pick(kMostPrinted + 1);
    const Operand what = n ? words(n) : Operand{};
    b_.emit(pick(3) ? Opcode::Print : Opcode::Abort, Type::I32, {}, {what}, 0, n,
            static_cast<uint8_t>(std::max(n, 1u)));
  }

  /// Queries of the warp and of pixels.
  void asks() {
    if (pick(4) == 0) return prints();
    if (pick(4) == 0) {
      const bool isLong = pick(2);
      return assign(b_.value(Opcode::BufSize, isLong ? Type::I64 : Type::I32, address(Space::Buffer)), isLong ? 2 : 1);
    }
    if (stage_ == abi::Stage::Geometry) return b_.control(pick(3) ? Opcode::Emit : Opcode::Cut), void();
    if (!fragment())
      return assign(compute() ? b_.sys(static_cast<abi::SysValue>(pick(3) + uint32_t(abi::SysValue::LocalIdX)))
                              : any());
    switch (pick(5)) {
      case 0: return assign(b_.value(Opcode::Helper, Type::I32));
      case 4: return assign(b_.value(Opcode::AttRd, Type::I32, any(), any(), {}, 0, pick(3)), 4);
      case 1: return assign(b_.value(Opcode::SmpPos, Type::I32, pick(2) ? b_.imm(pick(5)) : low(7)), 2);
      case 2: return assign(b_.value(Opcode::PixLd, Type::I32, {}, {}, {}, static_cast<uint8_t>(pick(2)), 0));
      default: {
        static constexpr Opcode kOps[] = {Opcode::DdxC, Opcode::DdyC, Opcode::DdxF, Opcode::DdyF};
        if (depth_ > 0 || ended_) return;  // lanes that are not here would bring what nobody defined
        const Operand v = any(), r = program_.newTemp();
        b_.into(r, pick(kOps), Type::F32, v);
        return assign(canonical(Type::F32, r));
      }
    }
  }

  std::mt19937 random_;
  abi::Stage stage_;
  uint32_t budget_, depth_ = 0;
  bool ended_ = false;  ///< lanes may be gone
  isa::Program program_;
  isa::Builder b_;
  std::vector<Operand> variables_;
  Operand handle_;
};

}  // namespace etzel::exec::test
