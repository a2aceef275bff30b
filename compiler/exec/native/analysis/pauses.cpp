#include "compiler/exec/native/analysis/pauses.h"

#include <algorithm>

#include "compiler/exec/native/analysis/agreement.h"
#include "compiler/isa/info.h"

namespace etzel::native {

using isa::Inst;
using isa::Opcode;

namespace {

/// Blocks of the outermost level that a loop fills.
class Search {
 public:
  explicit Search(const isa::Program& program)
      : webs_(findWebs(program)),
        code_(webs_.program.code),
        bounds_(webs_),
        all_(webs_, bounds_, [this](uint32_t i) { return isOfGroup(code_[i]); }) {}

  /// The ends of blocks behind which there may be a barrier.
  std::vector<uint32_t> run() {
    std::vector<uint32_t> ends;
    uint32_t from = 0;  // behind the last barrier of the outermost level
    for (uint32_t i = 0; i < code_.size(); ++i) {
      if (bounds_.opener(i) != kNoScope) continue;
      if (code_[i].op == Opcode::Barrier) from = i + 1;
      if (code_[i].op == Opcode::Block && isLeftTogether(i, from) && storesFrom(end_))
        ends.push_back(end_), from = end_;
    }
    return ends;
  }

 private:
  bool isLeftTogether(uint32_t block, uint32_t from) {
    loop_ = block + 1;
    if (code_[loop_].op != Opcode::Loop || !isQuiet(from, block)) return false;
    uint32_t leave = 0, last = 0, at = loop_ + 1;
    for (uint32_t scopes = 0, blocks = 0;; ++at) {
      const Inst& inst = code_[at];
      if (isa::closesScope(inst.op) && scopes-- == 0) break;
      scopes += isa::opensScope(inst.op);
      blocks += inst.op == Opcode::Block, blocks -= inst.op == Opcode::EndBlock;
      if (inst.op == Opcode::Ret || inst.op == Opcode::Kill) return false;
      if (inst.op == Opcode::Br && inst.imm >= blocks) return false;
      if (inst.op == Opcode::BrC && inst.imm >= blocks) {
        if (leave || last || bounds_.opener(at) != loop_) return false;
        leave = at;
      }
      if (inst.op == Opcode::Barrier && bounds_.opener(at) == loop_) last = at;
    }
    if (!leave || !last || code_[at + 1].op != Opcode::EndBlock) return false;
    end_ = at + 1;
    return isQuiet(loop_ + 1, leave) && isQuiet(last + 1, at) && all_.isAlike(code_[leave].src[0]) &&
           all_.comesBy(leave);
  }

  /// Whether all invocations of a workgroup get the same.
  static bool isOfGroup(const Inst& inst) {
    if (inst.op == Opcode::Ld) return isa::spaceOf(inst).constant;
    return inst.op == Opcode::Sys &&
           abi::sysValueInfo(static_cast<abi::SysValue>(inst.imm)).lanes == abi::SysLanes::Group;
  }

  /// Whether instructions are of no scope of their own and look at no memory that anybody writes.
  bool isQuiet(uint32_t from, uint32_t to) const {
    return std::all_of(code_.begin() + from, code_.begin() + to, [](const Inst& inst) {
      const isa::OpInfo& info = isa::opInfo(inst);
      const bool constant = info.sub == isa::SubKind::Space && isa::spaceOf(inst).constant;
      return inst.op == Opcode::MemBar || (isa::isPure(inst) && !info.control && (!info.memory || constant));
    });
  }

  /// Whether something is written for others from an instruction on.
  bool storesFrom(uint32_t at) const {
    return std::any_of(code_.begin() + at, code_.end(), [](const Inst& inst) { return inst.op == Opcode::St; });
  }

  const Webs webs_;
  const std::vector<Inst>& code_;
  const Bounds bounds_;
  const Agreement all_;  ///< of all invocations of a workgroup
  uint32_t loop_ = 0, end_ = 0;
};

}  // namespace

std::optional<isa::Program> withPauses(const isa::Program& program) {
  const auto barrier = std::find_if(program.code.begin(), program.code.end(),
                                    [](const Inst& inst) { return inst.op == Opcode::Barrier; });
  if (program.info.stage != abi::Stage::Compute || barrier == program.code.end()) return {};
  const std::vector<uint32_t> ends = Search(program).run();
  if (ends.empty()) return {};
  isa::Program paused = program;
  const Inst pause = *barrier;
  for (auto end = ends.rbegin(); end != ends.rend(); ++end) paused.code.insert(paused.code.begin() + *end + 1, pause);
  return paused;
}

}  // namespace etzel::native
