// Program -> Code: picks a handler per instruction, resolves operands to locations and control flow to jumps.
#include <algorithm>
#include <bit>

#include "compiler/exec/interp/frame.h"
#include "compiler/exec/interp/interp.h"
#include "compiler/isa/disassemble.h"
#include "compiler/isa/verify.h"

namespace etzel::interp {
namespace {

using isa::Inst;
using isa::Opcode;

class Decoder {
 public:
  Decoder(const isa::Program& program, simd::Target target) : program_(program), vector_(vectorHandlers(target)) {}

  static Handler returnHandler() {
    Inst ret;
    ret.op = Opcode::Ret;
    return controlHandler(ret);
  }

  Result<CodePtr> run() {
    CodePtr code(new Code);
    code_ = code.get();
    collect();
    code_->ops.reserve(program_.code.size() + 1);
    opOf_.reserve(program_.code.size() + 1);
    for (const Inst& inst : program_.code) {
      opOf_.push_back(static_cast<uint32_t>(code_->ops.size()));
      const Handler handler = find(inst);
      if (!handler) return Error{ErrorCode::Unsupported, "the interpreter can't run: " + isa::toText(inst)};
      add(inst, handler);
      code_->instOf.resize(code_->ops.size(), static_cast<uint32_t>(opOf_.size() - 1));
    }
    code_->instCount = static_cast<uint32_t>(program_.code.size());
    code_->instOf.push_back(code_->instCount);
    opOf_.push_back(static_cast<uint32_t>(code_->ops.size()));
    for (uint32_t op : outside_) code_->ops[op].jump = static_cast<int32_t>(code_->ops.size() - op);
    Op end{};
    end.handler = doneHandler();
    code_->ops.push_back(end);
    resolveJumps();
    return code;
  }

 private:
  struct Scope {
    Opcode opener;
    uint16_t slot;
    uint32_t op;
    std::vector<uint32_t> waiting;  ///< ops that jump to this scope's next meeting point
  };

  void collect() {
    code_->resources = program_.resources;
    code_->prints = program_.prints;
    code_->aborts = program_.aborts;
    code_->table = program_.table;
    code_->sharedBytes = program_.info.sharedBytes;
    code_->scratchBytes = program_.scratchBytes;
    code_->tempWords = program_.tempWords;
    code_->outWords = isa::outWords(program_);
    code_->outputVertices = program_.info.outputVertices;
    code_->stage = program_.info.stage;
    code_->inRecordWords = abi::kWordGeneric + 4 * static_cast<uint32_t>(std::bit_width(program_.info.inputLocations));
    for (const auto& c : program_.constants)
      for (uint32_t v : c) code_->constants.push_back(LaneWords{{v, v, v, v, v, v, v, v}});
    code_->paramWords = static_cast<uint32_t>(code_->constants.size());
    code_->constants.push_back(LaneWords{});
    code_->constants.push_back(LaneWords{});
    for (const Inst& inst : program_.code) {
      code_->hasBarrier |= inst.op == Opcode::Barrier;
      code_->usesBase |= !isa::isExtension(inst.op);
    }
    if (code_->usesBase) code_->insts = program_.code;
  }

  Handler find(const Inst& inst) const {
    if (inst.op == Opcode::End) return controlHandler(inst);
    if (!isa::isExtension(inst.op)) return baseHandler(inst);
    for (const auto find : {vector_.find, controlHandler, mathHandler, queryHandler})
      if (Handler h = find(inst)) return h;
    return nullptr;
  }

  Location locate(const isa::Operand& o) const {
    switch (o.bank) {
      case isa::Bank::Temp: return location(Home::Temp, o.word);
      case isa::Bank::In: return location(Home::In, o.word);
      case isa::Bank::Out: return location(Home::Out, o.word);
      case isa::Bank::Param: return location(Home::Constant, o.word);
      default: return location(Home::Constant, code_->paramWords);  // absent: zero
    }
  }

  // Handlers of many words may write a destination before they read the last source word. Where the two overlap other
  // than word for word, the instruction takes the detour through Frame::result that masked ones take anyway.
  static bool overlaps(const Inst& inst, uint32_t words) {
    const bool elementwise = isa::opInfo(inst).dst == isa::OperandShape::Count && !isa::opInfo(inst).memory;
    if (!elementwise && inst.op != Opcode::Tex2) return false;
    for (uint32_t i = 0; i < 3; ++i) {
      const isa::Operand& s = inst.src[i];
      const uint32_t n = isa::srcWords(inst, i);
      if (!s.present() || s.bank != inst.dst.bank || n == 0) continue;
      if (s.word >= inst.dst.word + words || inst.dst.word >= s.word + n) continue;
      const bool single = elementwise && n == 1 && words > 1;  // condition or index: read before anything is written
      if (single || (elementwise && s.word == inst.dst.word)) continue;
      return true;
    }
    return false;
  }

  void add(const Inst& inst, Handler handler) {
    const uint32_t words = isa::isExtension(inst.op) && inst.dst.present() ? isa::dstWords(inst) : 0;
    const bool selfMasking = inst.op == Opcode::XMov;
    const bool detour = words && ((inst.masked && !selfMasking) || (words > 1 && overlaps(inst, words)));
    Op op{};
    op.handler = handler;
    op.dst = detour ? location(Home::Result, 0) : inst.dst.present() ? locate(inst.dst) : location(Home::Result, 0);
    for (uint32_t i = 0; i < 3; ++i) op.src[i] = locate(inst.src[i]);
    op.imm = inst.imm, op.sub = inst.sub, op.atomic = inst.atomic, op.type = inst.type, op.count = inst.count;
    if (inst.op == Opcode::Sys) op.src[0] = location(Home::Sys, inst.imm);
    if (inst.op == Opcode::PixLd) op.count = inst.src[0].present() ? 2 : 1;  // which offsets the immediate holds
    if ((inst.op == Opcode::Print || inst.op == Opcode::Abort) && !inst.src[0].present()) op.count = 0;
    if (inst.op == Opcode::Atom) op.count = inst.dst.present() && words ? 1 : 0;
    // Combined image samplers: one handle names both.
    if (inst.op == Opcode::Tex2 && !inst.src[2].present()) op.src[2] = op.src[0];
    if (code_->usesBase && !isa::isExtension(inst.op)) op.inst = &code_->insts[&inst - program_.code.data()];
    if (detour && inst.op == Opcode::XMov) op.handler = vector_.copy;
    code_->ops.push_back(op);
    control(inst);
    if (!isa::isExtension(inst.op) && inst.end && inst.op != Opcode::End) {
      Op ret{};
      ret.handler = returnHandler();
      ret.depth = depth_;
      code_->ops.push_back(ret);
      awaitMeeting(static_cast<uint32_t>(code_->ops.size() - 1));
    }
    if (detour) {
      Op blend{};
      blend.handler = inst.masked ? vector_.blend : vector_.copy;
      blend.dst = locate(inst.dst);
      blend.src[0] = location(Home::Result, 0);
      blend.count = static_cast<uint8_t>(words);
      code_->ops.push_back(blend);
    }
  }

  /// The innermost scope where lanes wait; loops don't hold any.
  Scope* meeting() {
    for (size_t i = scopes_.size(); i-- > 0;)
      if (scopes_[i].opener != Opcode::Loop) return &scopes_[i];
    return nullptr;
  }
  void awaitMeeting(uint32_t op) {
    if (Scope* s = meeting())
      s->waiting.push_back(op);
    else
      outside_.push_back(op);
  }
  void meet(Scope& scope, uint32_t at) {
    for (uint32_t op : scope.waiting) code_->ops[op].jump = static_cast<int32_t>(at - op);
    scope.waiting.clear();
  }

  void control(const Inst& inst) {
    const uint32_t at = static_cast<uint32_t>(code_->ops.size() - 1);
    Op& op = code_->ops[at];
    op.depth = depth_;
    switch (inst.op) {
      case Opcode::If:
      case Opcode::Block:
        op.slot = depth_++;
        code_->maxDepth = std::max<uint32_t>(code_->maxDepth, depth_);
        scopes_.push_back({inst.op, op.slot, at, {}});
        if (inst.op == Opcode::If) awaitMeeting(at);
        break;
      case Opcode::Loop: scopes_.push_back({inst.op, 0, at, {}}); break;
      case Opcode::Else:
        op.slot = scopes_.back().slot;
        meet(scopes_.back(), at);
        awaitMeeting(at);
        break;
      case Opcode::EndIf:
      case Opcode::EndBlock:
        op.slot = scopes_.back().slot;
        meet(scopes_.back(), at);
        scopes_.pop_back();
        --depth_;
        awaitMeeting(at);
        break;
      case Opcode::EndLoop:
        op.imm = scopes_.back().op + 1 - at;
        scopes_.pop_back();
        awaitMeeting(at);  // when nobody goes round again
        break;
      case Opcode::Br:
      case Opcode::BrC: {
        uint32_t left = inst.imm;
        for (size_t i = scopes_.size(); i-- > 0;) {
          if (scopes_[i].opener != Opcode::Block) continue;
          if (left-- == 0) {
            op.slot = scopes_[i].slot;
            break;
          }
        }
        awaitMeeting(at);
        break;
      }
      case Opcode::Ret:
      case Opcode::Kill:
      case Opcode::End: awaitMeeting(at); break;
      default: break;
    }
  }

  void resolveJumps() {
    if (!code_->usesBase) return;
    for (size_t i = 0; i < program_.code.size(); ++i) {
      if (program_.code[i].op != Opcode::Jmp) continue;
      const size_t target = i + static_cast<int32_t>(program_.code[i].imm);
      Op& op = code_->ops[opOf_[i]];
      op.jump = static_cast<int32_t>(opOf_[target]) - static_cast<int32_t>(opOf_[i]);
    }
  }

  const isa::Program& program_;
  const VectorHandlers& vector_;
  Code* code_ = nullptr;
  std::vector<uint32_t> opOf_;
  std::vector<Scope> scopes_;
  std::vector<uint32_t> outside_;
  uint16_t depth_ = 0;
};

}  // namespace

const VectorHandlers& vectorHandlers(simd::Target target) {
  static constexpr simd::Variant<const VectorHandlers> all[] = ETZEL_VARIANTS(kHandlers);
  return *all[static_cast<size_t>(target)].of;
}

void CodeDeleter::operator()(Code* code) const { delete code; }

Result<CodePtr> decode(const isa::Program& program, simd::Target target) { return Decoder(program, target).run(); }

uint32_t stateBytes(const Code& code) {
  if (!code.hasBarrier) return 0;
  return static_cast<uint32_t>(alignUp<size_t>(sizeof(SavedState) + code.maxDepth * sizeof(MaskEntry), 64)) +
         (code.usesBase ? static_cast<uint32_t>(sizeof(BaseState)) : 0);
}

}  // namespace etzel::interp
