#include "tests/fuzz/targets/defined_program.h"

#include <algorithm>

#include "compiler/isa/info.h"
#include "compiler/isa/verify.h"
#include "runtime/abi/groups_abreast.h"

namespace etzel::fuzz {
namespace {

using isa::Inst;
using isa::Opcode;
using isa::Space;

constexpr uint32_t kClearedBytes = 4096;  ///< what is more is not cleared
constexpr uint32_t kStoreWords = 8;       ///< as many as one instruction stores

bool isIn(const Inst& inst, Space space) {
  return isa::opInfo(inst).sub == isa::SubKind::Space && Space(inst.sub) == space;
}

/// Appends to a program what makes another one defined.
class Definer {
 public:
  Definer(const isa::Program& from, bool quietNans) : from_(from), out_(from), quiet_(quietNans) { out_.code.clear(); }

  std::optional<isa::Program> run() {
    const auto has = [&](auto what) { return std::any_of(from_.code.begin(), from_.code.end(), what); };
    if (has([](const Inst& inst) { return inst.op == Opcode::Clock || inst.op == Opcode::Jmp; })) return std::nullopt;
    if (has([](const Inst& inst) { return looksAtOthers(inst); })) return std::nullopt;
    const bool shares = has([](const Inst& inst) { return isIn(inst, Space::Shared); });
    if (out_.scratchBytes > kClearedBytes || (shares && out_.info.sharedBytes > kClearedBytes)) return std::nullopt;
    zero_ = newTemp(kStoreWords);
    if (quiet_) isNan_ = newTemp(1), nan32_ = newTemp(1), nan16_ = newTemp(1), nan64_ = newTemp(2);
    if (out_.tempWords > isa::kMaxTempWords) return std::nullopt;
    for (uint32_t word = 0; word < out_.tempWords; ++word) set(isa::temp(word), 0);
    for (uint32_t word = 0; word < isa::outWords(out_); ++word)
      if (!keepsItsBeginning(word)) set({isa::Bank::Out, word}, 0);
    if (quiet_) set(nan32_, 0x7FC00000), set(nan16_, 0x7E00), set(isa::temp(nan64_.word + 1), 0x7FF80000);
    clear(Space::Scratch, out_.scratchBytes);
    if (shares) clearShared();
    // Attributes and system values that a program does not mention are nothing that anybody wrote.
    isa::Program mentioning = from_;
    isa::deriveInfo(mentioning);
    out_.info.sysValues |= mentioning.info.sysValues;
    if (out_.info.stage == abi::Stage::Vertex) out_.info.inputLocations = (uint64_t{1} << abi::kMaxLocations) - 1;
    for (const Inst& inst : from_.code) copy(inst);
    return out_;
  }

 private:
  /// Lanes that never ran have registers too, in which anything may be.
  static bool looksAtOthers(const Inst& inst) {
    return isa::opInfo(inst).quad || inst.op == Opcode::SgShuffle || inst.op == Opcode::SgProduct;
  }

  /// A fragment's sample mask begins with all samples.
  bool keepsItsBeginning(uint32_t word) const {
    return out_.info.stage == abi::Stage::Fragment && word == abi::kFragOutSampleMask;
  }

  isa::Operand newTemp(uint32_t words) {
    const isa::Operand t = isa::temp(out_.tempWords);
    out_.tempWords += words;
    return t;
  }
  Inst& add(Opcode op, isa::Operand dst) {
    Inst& inst = out_.code.emplace_back();
    inst.op = op, inst.dst = dst, inst.masked = dst.present();
    return inst;
  }
  void set(isa::Operand dst, uint32_t number) { add(Opcode::LdImm, dst).imm = number; }

  void clear(Space space, uint32_t bytes) {
    for (uint32_t at = 0; at < bytes; at += kStoreWords * 4) {
      Inst& inst = add(Opcode::St, {});
      inst.sub = uint8_t(space), inst.imm = at, inst.count = kStoreWords, inst.src[2] = zero_;
    }
  }
  void clearShared() {
    if (abi::groupsLieAbreast(out_.info) || out_.info.stage != abi::Stage::Compute) return;
    clear(Space::Shared, out_.info.sharedBytes);
    add(Opcode::Barrier, {});
    out_.info.usesBarrier = true;
  }

  void copy(const Inst& inst) {
    Inst& own = out_.code.emplace_back(inst);
    const isa::OpInfo& info = isa::opInfo(inst);
    if (!info.extension || !inst.dst.present()) return;
    own.masked = true;
    const bool word = info.dst == isa::OperandShape::One && info.native == isa::Native::Math;
    const bool element = info.dst == isa::OperandShape::Element && isa::isFloatType(inst.type);
    if (!quiet_ || !(word || element || inst.op == Opcode::Intrp)) return;
    const isa::Type type = element ? inst.type : isa::Type::F32;
    Inst& test = add(Opcode::FIsNan, isNan_);
    test.type = type, test.src[0] = inst.dst;
    Inst& select = add(Opcode::Sel, inst.dst);
    select.count = uint8_t(isa::typeWords(type));
    select.src = {isNan_, type == isa::Type::F64 ? nan64_ : type == isa::Type::F16 ? nan16_ : nan32_, inst.dst};
  }

  const isa::Program& from_;
  isa::Program out_;
  const bool quiet_;
  isa::Operand zero_, isNan_, nan32_, nan16_, nan64_;
};

}  // namespace

bool namesMemory(const isa::Program& program) {
  return std::any_of(program.code.begin(), program.code.end(), [](const Inst& inst) {
    return isa::opInfo(inst).baseKind == 'T' || inst.op == Opcode::Tex2 || inst.op == Opcode::Tld4 ||
           inst.op == Opcode::BufAddr || isIn(inst, Space::Global);
  });
}

std::optional<isa::Program> defined(const isa::Program& program, bool quietNans) {
  return Definer(program, quietNans).run();
}

}  // namespace etzel::fuzz
