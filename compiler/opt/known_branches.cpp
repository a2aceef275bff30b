#include "compiler/isa/info.h"
#include "compiler/isa/shadow.h"
#include "compiler/opt/passes.h"
#include "compiler/opt/values.h"

namespace etzel::opt {
namespace {

using isa::Inst;
using isa::Opcode;

class Resolver {
 public:
  explicit Resolver(isa::Program& program) : program_(program), pool_(program) {}

  bool run() {
    std::vector<Inst> kept;
    kept.reserve(program_.code.size());
    for (const Inst& inst : program_.code)
      if (stays(inst)) kept.push_back(inst);
    const bool changed = kept.size() != program_.code.size();
    program_.code = std::move(kept);
    return changed;
  }

 private:
  struct If {
    bool known = false;
    bool runs = true;  ///< known: the side that is looked at
  };

  bool stays(const Inst& inst) {
    const bool runs = everythingRuns();
    switch (inst.op) {
      case Opcode::If: {
        If one;
        if (!isa::isShadow(inst) && inst.src[0].bank == isa::Bank::Param) one = {true, pool_.valueOf(inst.src[0]) != 0};
        open_.push_back(one);
        return runs && !one.known;
      }
      case Opcode::Else:
        if (!open_.back().known) return runs;
        open_.back().runs = !open_.back().runs;
        return false;
      case Opcode::EndIf: {
        const If one = open_.back();
        open_.pop_back();
        return everythingRuns() && !one.known;
      }
      default: return runs;
    }
  }
  bool everythingRuns() const {
    for (const If& one : open_)
      if (!one.runs) return false;
    return true;
  }

  isa::Program& program_;
  ConstantPool pool_;
  std::vector<If> open_;
};

}  // namespace

bool resolveBranches(isa::Program& program) { return Resolver(program).run(); }

}  // namespace etzel::opt
