#include "compiler/exec/native/analysis/regions.h"

#include <set>

#include "compiler/isa/info.h"

namespace etzel::native {

using isa::Inst;
using isa::Opcode;

namespace {

class Search {
 public:
  Search(const isa::Program& program, const Divergence& divergence) : program_(program), divergence_(divergence) {}

  std::vector<uint32_t> run() {
    end_ = make(), now_ = make();
    std::vector<uint32_t> of;
    for (uint32_t i = 0; i < program_.code.size(); ++i) {
      of.push_back(now_);
      step(i);
    }
    join(now_, end_);
    for (uint32_t& region : of) region = find(region);
    return of;
  }

 private:
  struct Scope {
    Opcode op;
    uint32_t begin, end;  ///< regions of its first instruction, and of what comes behind it
    bool elseSeen = false;
  };

  uint32_t make() {
    parent_.push_back(static_cast<uint32_t>(parent_.size()));
    return parent_.back();
  }
  uint32_t find(uint32_t region) {
    while (parent_[region] != region) region = parent_[region] = parent_[parent_[region]];
    return region;
  }
  void join(uint32_t a, uint32_t b) { parent_[find(a)] = find(b); }

  void step(uint32_t i) {
    const Inst& inst = program_.code[i];
    switch (inst.op) {
      case Opcode::Barrier: now_ = make(); return;
      case Opcode::If:
      case Opcode::Block:
      case Opcode::Loop: scopes_.push_back({inst.op, now_, make()}); return;
      case Opcode::Else:
        join(now_, scopes_.back().end);
        now_ = scopes_.back().begin, scopes_.back().elseSeen = true;
        return;
      case Opcode::EndIf:
      case Opcode::EndBlock:
      case Opcode::EndLoop: close(); return;
      case Opcode::Br:
      case Opcode::BrC: join(now_, targetOf(inst.imm)); break;
      case Opcode::Ret:
      case Opcode::Kill: join(now_, end_); break;
      default: return;
    }
    // With no lane left control goes to where lanes may come back, from there to the next such place, and so on.
    if (divergence_.direct[i]) return;
    for (const Scope& s : scopes_) join(now_, s.end);
    join(now_, end_);
  }

  void close() {
    const Scope s = scopes_.back();
    scopes_.pop_back();
    join(now_, s.end);
    if (s.op == Opcode::Loop || (s.op == Opcode::If && !s.elseSeen)) join(s.begin, s.end);
    now_ = s.end;
  }

  /// What is behind the block that a branch leaves.
  uint32_t targetOf(uint32_t depth) const {
    for (size_t s = scopes_.size(); s-- > 0;)
      if (scopes_[s].op == Opcode::Block && depth-- == 0) return scopes_[s].end;
    return end_;
  }

  const isa::Program& program_;
  const Divergence& divergence_;
  std::vector<uint32_t> parent_;
  std::vector<Scope> scopes_;
  uint32_t end_ = 0, now_ = 0;
};

}  // namespace

std::vector<uint32_t> findRegions(const isa::Program& program, const Divergence& divergence) {
  return Search(program, divergence).run();
}

std::vector<bool> findSteadyLoads(const isa::Program& program, const std::vector<uint32_t>& regions) {
  using isa::Space;
  std::set<uint32_t> shared, others;  // regions that write workgroup memory, or something else
  const auto spaceOf = [](const Inst& inst) {
    return isa::opInfo(inst).sub == isa::SubKind::Space ? std::optional(static_cast<Space>(inst.sub)) : std::nullopt;
  };
  for (uint32_t i = 0; i < program.code.size(); ++i) {
    const Inst& inst = program.code[i];
    if (isa::opInfo(inst).memory && !isa::isPure(inst) && inst.op != Opcode::MemBar)
      (spaceOf(inst) == Space::Shared ? shared : others).insert(regions[i]);
  }
  std::vector<bool> steady(program.code.size());
  for (uint32_t i = 0; i < program.code.size(); ++i) {
    const Inst& inst = program.code[i];
    if (inst.op != Opcode::Ld) continue;
    const Space space = *spaceOf(inst);
    steady[i] = isa::spaceOf(inst).constant || (space == Space::Shared && !shared.count(regions[i])) ||
                (space == Space::Buffer && !others.count(regions[i]));
  }
  return steady;
}

std::vector<bool> findQuiet(const isa::Program& program, const std::vector<uint32_t>& regions) {
  std::set<uint32_t> written;
  for (uint32_t i = 0; i < program.code.size(); ++i) {
    const Inst& inst = program.code[i];
    if ((inst.op == Opcode::St || inst.op == Opcode::Atom) && static_cast<isa::Space>(inst.sub) == isa::Space::Shared)
      written.insert(regions[i]);
  }
  std::vector<bool> quiet(regions.size());
  for (size_t i = 0; i < regions.size(); ++i) quiet[i] = !written.count(regions[i]);
  return quiet;
}

}  // namespace etzel::native
