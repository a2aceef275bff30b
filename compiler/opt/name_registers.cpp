#include <optional>

#include "compiler/isa/info.h"
#include "compiler/isa/shadow.h"
#include "compiler/isa/verify.h"
#include "compiler/opt/passes.h"
#include "compiler/opt/values.h"

namespace etzel::opt {
namespace {

using isa::Bank;
using isa::Inst;
using isa::Opcode;
using isa::Space;

/// The bank that an access by index reaches into.
std::optional<Bank> bankOf(const Inst& inst) {
  if ((inst.op != Opcode::Ld && inst.op != Opcode::St) || isa::isShadow(inst) || inst.src[0].present()) return {};
  switch (static_cast<Space>(inst.sub)) {
    case Space::InRegister: return Bank::In;
    case Space::OutRegister: return Bank::Out;
    default: return {};
  }
}

}  // namespace

bool nameRegisters(isa::Program& program) {
  std::vector<Inst> code;
  code.reserve(program.code.size());
  bool any = false;
  for (const Inst& inst : program.code) {
    const std::optional<Bank> bank = bankOf(inst);
    const std::optional<uint64_t> place = bank ? placeOf(program, inst) : std::nullopt;
    const uint32_t words = inst.count * isa::typeWords(inst.type);
    const uint32_t limit = bank == Bank::In ? abi::kAttributeWords : isa::outWords(program);
    if (!place || *place + words > limit || isa::typeBytes(inst.type) < 4) {
      code.push_back(inst);
      continue;
    }
    any = true;
    for (uint32_t w = 0; w < words; ++w)
      code.push_back(copyOfWord(inst, w, {*bank, static_cast<uint32_t>(*place) + w}));
  }
  if (any) program.code = std::move(code);
  return any;
}

}  // namespace etzel::opt
