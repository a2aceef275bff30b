#include "compiler/isa/verify.h"

#include "compiler/isa/disassemble.h"
#include "compiler/isa/encode.h"
#include "compiler/isa/immediates.h"
#include "runtime/abi/limits.h"

namespace etzel::isa {
namespace {

// Whether a source may be absent: as the table says, and where two instructions have it in some forms only.
bool mayBeAbsent(const Inst& inst, const OpInfo& info, uint32_t i) {
  if (info.optional[i]) return true;
  if (inst.op == Opcode::LdRaw) return i == 2 && RawImm::unpack(inst.imm).mask == 0xF;
  return inst.op == Opcode::Bary && !baryInfo(inst).offset;
}

class Verifier {
 public:
  Verifier(const Program& program, VerifyMode mode) : program_(program), mode_(mode) {}

  Result<void> run() {
    if (mode_ == VerifyMode::RealRegisters && program_.tempWords > kMaxTempWords)
      return Error{ErrorCode::InvalidShader, "the program uses more than 1024 temporary words"};
    for (at_ = 0; at_ < program_.code.size(); ++at_) {
      const Inst& inst = program_.code[at_];
      const OpInfo& info = opInfo(inst);
      if (!info.name) return fail("no such opcode");
      ETZEL_TRY(info.extension ? extension(inst, info) : base(inst, info));
    }
    ETZEL_TRY(formats());
    ETZEL_TRY(messages());
    if (!scopes_.empty()) return Error{ErrorCode::InvalidShader, "the program ends inside an if, block or loop"};
    return {};
  }

 private:
  Error fail(const std::string& why) const {
    return Error{ErrorCode::InvalidShader,
                 "instruction " + std::to_string(at_) + " (" + toText(program_.code[at_]) + "): " + why};
  }

  uint32_t bankWords(Bank bank) const {
    switch (bank) {
      case Bank::In: return inWords(program_);
      case Bank::Out: return outWords(program_);
      case Bank::Param: return static_cast<uint32_t>(program_.constants.size() * 4);
      case Bank::Temp: return program_.tempWords;
      default: return 0;
    }
  }

  Result<void> range(const Operand& o, uint32_t words) const {
    const bool encodable = mode_ == VerifyMode::VirtualRegisters || o.word < kMaxTempWords;
    const uint32_t limit = encodable ? bankWords(o.bank) : 0;
    if (o.word > limit || words > limit - o.word)
      return fail(std::string("operand ") + bankName(o.bank) + " word " + std::to_string(o.word) + " is out of range");
    return {};
  }

  Result<void> extension(const Inst& inst, const OpInfo& info) {
    if (static_cast<uint32_t>(inst.type) >= kTypeCount || !(info.typeMask >> static_cast<uint32_t>(inst.type) & 1))
      return fail("illegal type");
    if (inst.predicated || inst.end || inst.wait) return fail("extension instructions have no guard, end or wait bit");
    if (inst.sub >= subCount(info.sub)) return fail("illegal sub-operation");
    if (inst.count < 1 || inst.count > 8) return fail("count must be 1 to 8");
    if (inst.count != 1 && !countsElements(info)) return fail("the instruction has no element count");
    if (inst.atomic && !info.atomic) return fail("the instruction has no atomic operation");
    if (inst.imm && !info.immediate) return fail("the instruction has no immediate");
    if (info.atomic && inst.atomic >= abi::kAtomicOpCount) return fail("illegal atomic operation");
    ETZEL_TRY(operands(inst, info));
    ETZEL_TRY(details(inst, info));
    return control(inst);
  }

  Result<void> operands(const Inst& inst, const OpInfo& info) {
    const uint32_t words = dstWords(inst);
    if (inst.dst.present()) {
      if (info.dst == OperandShape::None) return fail("the instruction has no destination");
      if (inst.dst.bank != Bank::Temp && inst.dst.bank != Bank::Out) return fail("destinations are r or o words");
      ETZEL_TRY(range(inst.dst, words));
    } else if (words && inst.op != Opcode::Atom) {
      return fail("the destination is missing");
    }
    for (uint32_t i = 0; i < 3; ++i) {
      const uint32_t need = srcWords(inst, i);
      const Operand& o = inst.src[i];
      if (!o.present()) {
        if (need && !mayBeAbsent(inst, info, i)) return fail("source " + std::to_string(i + 1) + " is missing");
        continue;
      }
      if (i >= info.srcCount) return fail("too many sources");
      if (!need) return fail("source " + std::to_string(i + 1) + " says nothing here");
      if (o.bank != Bank::Temp && o.bank != Bank::In && o.bank != Bank::Out && o.bank != Bank::Param)
        return fail("sources are r, i, o or c words");
      ETZEL_TRY(range(o, need));
    }
    return {};
  }

  Result<void> details(const Inst& inst, const OpInfo& info) {
    if (info.sub == SubKind::SourceType && info.fromFloat != isFloatType(static_cast<Type>(inst.sub)))
      return fail("illegal source type");
    if (const char* why = immediateProblem(inst)) return fail(why);
    if (info.sub == SubKind::Space) ETZEL_TRY(memory(inst));
    if (inst.op == Opcode::PixLd) ETZEL_TRY(pixelQuery(inst));
    if (inst.op == Opcode::Tld4) ETZEL_TRY(gather(inst));
    if (inst.op == Opcode::Sys && inst.imm >= abi::kSysValueCount) return fail("no such system value");
    if (inst.op == Opcode::Desc && inst.imm >= program_.resources.size()) return fail("no such resource");
    const uint32_t words = abi::kRecordWords + (inst.op == Opcode::Intrp ? abi::kBarycentricWords : 0);
    if ((inst.op == Opcode::Intrp || inst.op == Opcode::Flat) && inst.imm >= words) return fail("no such record word");
    if (inst.op == Opcode::Intrp && inst.imm >= abi::kRecordWords && !program_.info.readsVertices)
      return fail("the program does not say that it reads barycentric coordinates");
    if ((inst.op == Opcode::Emit || inst.op == Opcode::Cut) && inst.imm >= abi::kMaxStreams)
      return fail("streams are 0 to 15");
    if (inst.op == Opcode::AttRd && inst.imm >= static_cast<uint32_t>(abi::AttachmentAspect::kCount))
      return fail("attachments have colour, depth and stencil");
    if (info.fragment && program_.info.stage != abi::Stage::Fragment)
      return fail("only fragment programs have this instruction");
    if (inst.op == Opcode::Tex2) {
      const abi::TexInst t = abi::TexInst::unpack(inst.imm);
      if (t.kind > abi::TexKind::FragmentFetch || t.dim > abi::TexDim::Subpass || t.lod > abi::LodMode::Zero ||
          t.type > abi::TexType::Uint64 || inst.imm >> 27)
        return fail("no such texture operation");
    }
    if (inst.op == Opcode::Print) ETZEL_TRY(print(inst));
    if (inst.op == Opcode::Abort) ETZEL_TRY(abort(inst));
    if (info.sub == SubKind::Reduce && inst.imm != 0 && inst.imm != 1 && inst.imm != 2 && inst.imm != 4 &&
        inst.imm != 8)
      return fail("clusters have 1, 2, 4 or 8 lanes");
    return {};
  }

  Result<void> print(const Inst& inst) {
    const uint32_t format = inst.imm & 0xFFFF, first = inst.imm >> 16;
    if (format >= program_.prints.size()) return fail("no such format");
    const uint32_t count = inst.src[0].present() ? inst.count : 0, words = program_.prints[format].words();
    if (first > words || count > words - first) return fail("the format has fewer words");
    return {};
  }

  Result<void> abort(const Inst& inst) {
    const uint32_t message = inst.imm & 0xFFFF, first = inst.imm >> 16;
    if (message >= program_.aborts.size()) return fail("no such message");
    const uint32_t count = inst.src[0].present() ? inst.count : 0, words = program_.aborts[message]->words();
    if (first > words || count > words - first) return fail("the message has fewer words");
    return {};
  }

  Result<void> messages() const {
    const auto bad = [](const char* why) { return Error{ErrorCode::InvalidShader, why}; };
    if (program_.aborts.size() > kMaxAborts) return bad("the program has more than 65536 messages to abort with");
    for (const abi::AbortMessagePtr& m : program_.aborts) {
      if (m->bytes.size() > abi::kMaxAbortBytes) return bad("a message to abort with is too long");
      if (m->textAt > m->bytes.size() || m->textBytes > m->bytes.size() - m->textAt)
        return bad("a message's text is not in it");
    }
    return {};
  }

  Result<void> formats() const {
    using Kind = abi::PrintValue::Kind;
    const auto bad = [](const char* why) { return Error{ErrorCode::InvalidShader, why}; };
    if (program_.prints.size() > kMaxPrints) return bad("the program has more than 65536 formats to print");
    for (const abi::PrintFormat& format : program_.prints) {
      for (const abi::PrintValue& v : format.values) {
        const bool is = v.kind <= Kind::Float && v.components >= 1 && v.components <= 4 &&
                        (v.bits == 8 || v.bits == 16 || v.bits == 32 || v.bits == 64);
        if (!is) return bad("a format prints values of a kind that does not exist");
      }
      if (format.words() > abi::kMaxPrintWords) return bad("a format prints too many values");
    }
    return {};
  }

  Result<void> pixelQuery(const Inst& inst) {
    const PixelQueryInfo& query = pixelQueryInfo(static_cast<PixLdMode>(inst.sub));
    const PixLdImm imm = PixLdImm::unpack(inst.imm, inst.src[0].present());
    if (imm.hasPredicate && !query.predicate) return fail("this query gives no predicate");
    if ((inst.src[0].present() || imm.offset) && !query.sample) return fail("this query takes no sample index");
    return {};
  }

  Result<void> gather(const Inst& inst) {
    const Tld4Imm imm = Tld4Imm::unpack(inst.imm);
    if (imm.bindless) return {};
    if (imm.texture >= program_.resources.size() ||
        (inst.sub != Tld4Imm::kSamplerOfTexture && inst.sub >= program_.resources.size()))
      return fail("no such resource");
    return {};
  }

  Result<void> memory(const Inst& inst) {
    const Space space = static_cast<Space>(inst.sub);
    const SpaceInfo& info = spaceInfo(space);
    const bool raw = inst.op == Opcode::LdRaw || inst.op == Opcode::StRaw;
    if (raw && space != Space::Buffer && space != Space::Shared)
      return fail("raw accesses are to buffers and shared memory");
    if (inst.op == Opcode::Atom) {
      if (info.access != SpaceInfo::Access::Atomic) return fail("no atomics in this space");
      return {};
    }
    if (opInfo(inst).effect == Effect::Store && info.access == SpaceInfo::Access::Load)
      return fail("this space is read only");
    if (info.element == SpaceInfo::Element::Words && inst.type != Type::I32 && inst.type != Type::I64)
      return fail("this space holds 32-bit words");
    if (space == Space::Vertex && program_.info.stage != abi::Stage::Fragment)
      return fail("only fragment programs read vertices");
    return {};
  }

  Result<void> control(const Inst& inst) {
    switch (inst.op) {
      case Opcode::If:
      case Opcode::Block:
      case Opcode::Loop:
        if (scopes_.size() >= kMaxControlDepth) return fail("control flow nests too deep");
        scopes_.push_back(inst.op);
        blocks_ += inst.op == Opcode::Block;
        return {};
      case Opcode::Else:
        if (scopes_.empty() || scopes_.back() != Opcode::If) return fail("else without if");
        scopes_.back() = Opcode::Else;
        return {};
      case Opcode::EndIf:
        if (scopes_.empty() || (scopes_.back() != Opcode::If && scopes_.back() != Opcode::Else))
          return fail("endif without if");
        scopes_.pop_back();
        return {};
      case Opcode::EndBlock:
        if (scopes_.empty() || scopes_.back() != Opcode::Block) return fail("endblock without block");
        scopes_.pop_back();
        --blocks_;
        return {};
      case Opcode::EndLoop:
        if (scopes_.empty() || scopes_.back() != Opcode::Loop) return fail("endloop without loop");
        scopes_.pop_back();
        return {};
      case Opcode::Br:
      case Opcode::BrC:
        if (inst.imm >= blocks_) return fail("br leaves more blocks than there are");
        return {};
      default: return {};
    }
  }

  Result<void> base(const Inst& inst, const OpInfo& info) {
    const BaseFields& b = inst.base;
    if (inst.predicate > 31) return fail("predicates are p0 to p31");
    if (info.baseResult == 'R') {
      if (b.resultBank != Bank::Temp && b.resultBank != Bank::Out && b.resultBank != Bank::Addr)
        return fail("results go to r, o or a");
      if (b.resultBank == Bank::Addr && b.resultReg > 3) return fail("address registers are a0 to a3");
      if (b.resultBank != Bank::Addr && (b.resultReg + 1u) * 4 > bankWords(b.resultBank))
        return fail("the result register is out of range");
    }
    if (info.baseResult == 'P' && b.resultReg > 31) return fail("predicates are p0 to p31");
    const uint32_t numeric =
        info.baseKind == 'T' || info.baseKind == 'A' || info.baseKind == 'L' ? 1 : info.baseOperands;
    for (uint32_t i = 0; i < numeric; ++i) {
      if (info.baseKind == 'P' && (b.absolute[i] || (b.bank[i] != Bank::Param && b.bank[i] != Bank::Param2))) {
        if (!b.absolute[i] && b.reg[i] > 31) return fail("predicates are p0 to p31");
        continue;
      }
      switch (b.bank[i]) {
        case Bank::Param:
        case Bank::Param2: continue;  // out of range reads 0
        case Bank::Imm:
          if (i != 1 || info.baseOperands > 2) return fail("immediates are second operands of two");
          continue;
        case Bank::Addr:
          if (b.reg[i] > 3) return fail("address registers are a0 to a3");
          continue;
        case Bank::In:
        case Bank::Temp:
          // Fragments: i0 is the window position, i1 and on the interpolated locations.
          if (b.bank[i] == Bank::In && program_.info.stage == abi::Stage::Fragment && b.reg[i] <= abi::kMaxLocations)
            continue;
          if ((b.reg[i] + 1u) * 4 > bankWords(b.bank[i])) return fail("an operand register is out of range");
          continue;
        default: return fail("operands are i, c, r or a registers, or an immediate");
      }
    }
    if (inst.op == Opcode::Lda) {
      if (program_.info.stage != abi::Stage::Vertex) return fail("only vertex programs load attributes");
      if (b.reg[1] >= abi::kMaxLocations) return fail("no such attribute");
    }
    if (inst.op == Opcode::Zxs && !program_.info.writesSampleDepth)
      return fail("the program does not say that it writes the depth of samples");
    if (inst.op == Opcode::Jmp) {
      if (inst.end) return fail("a jump can't end the thread");
      if (!scopes_.empty()) return fail("jumps don't mix with structured control flow");
      const int64_t target = static_cast<int64_t>(at_) + static_cast<int32_t>(inst.imm);
      if (target < 0 || target > static_cast<int64_t>(program_.code.size())) return fail("jump out of the program");
      // A target inside a structure would skip its opening instruction.
      if (depthAt_.empty()) {
        int32_t depth = 0;
        for (const Inst& other : program_.code) {
          depthAt_.push_back(depth);
          depth += opensScope(other.op) ? 1 : closesScope(other.op) ? -1 : 0;
        }
        depthAt_.push_back(depth);
      }
      if (depthAt_[static_cast<size_t>(target)] != 0) return fail("jumps don't mix with structured control flow");
    }
    return {};
  }

  const Program& program_;
  VerifyMode mode_;
  size_t at_ = 0;
  std::vector<Opcode> scopes_;
  uint32_t blocks_ = 0;
  std::vector<int32_t> depthAt_;  ///< structures open before each instruction; made for the first jump
};

}  // namespace

uint32_t inWords(const Program& program) { return program.info.stage == abi::Stage::Vertex ? abi::kAttributeWords : 0; }

uint32_t outWords(const Program& program) {
  switch (program.info.stage) {
    case abi::Stage::Vertex:
    case abi::Stage::TessEvaluation:
    case abi::Stage::Geometry: return abi::kRecordWords;
    case abi::Stage::Fragment: return abi::kFragmentOutWords;
    default: return 0;
  }
}

Result<void> verify(const Program& program, VerifyMode mode) {
  if (mode == VerifyMode::RealRegisters) ETZEL_TRY(verifyInfo(program));
  return Verifier(program, mode).run();
}

}  // namespace etzel::isa
