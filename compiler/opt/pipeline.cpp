#include "compiler/opt/pipeline.h"

#include "compiler/isa/info.h"
#include "compiler/opt/passes.h"

namespace etzel::opt {

void optimize(isa::Program& program) {
  for (const isa::Inst& inst : program.code)
    if (!isa::isExtension(inst.op)) return;
  if (program.groups.empty()) return;
  removeDeadCode(program);
  foldConstants(program);
  propagateCopies(program);
  simplifyInstructions(program);
  if (unrollLoops(program)) {
    removeDeadCode(program);
    foldConstants(program);
    propagateCopies(program);
    simplifyInstructions(program);
  }
  eliminateCommon(program);
  propagateCopies(program);
  removeDeadCode(program);  // products of dead sums must not count as read twice
  contract(program);
  removeDeadCode(program);
  if (removeEmptyScopes(program)) removeDeadCode(program);
  program.info.sharesSamples = sharesSamples(program);
}

}  // namespace etzel::opt
