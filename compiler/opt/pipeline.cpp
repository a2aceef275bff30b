#include "compiler/opt/pipeline.h"

#include <cstdio>
#include <type_traits>

#include "compiler/isa/disassemble.h"
#include "compiler/isa/info.h"
#include "compiler/isa/verify.h"
#include "compiler/opt/passes.h"
#include "runtime/base/debug_flags.h"
#include "runtime/base/log.h"

namespace etzel::opt {
namespace {

enum PassIndex : uint8_t {
#define ETZEL_PASS(Name, name, function, what) Name,
#include "compiler/opt/passes.def"
  Always
};

/// Every pass as one that says whether it found something to do; those that need not know say yes.
template <auto Function>
bool run(isa::Program& program) {
  if constexpr (std::is_void_v<decltype(Function(program))>) {
    Function(program);
    return true;
  } else {
    return Function(program);
  }
}

constexpr Pass kPasses[] = {
#define ETZEL_PASS(Name, name, function, what) {#Name, name, what, run<function>},
#include "compiler/opt/passes.def"
};
constexpr const Pass* passAt(PassIndex i) { return i == Always ? nullptr : &kPasses[i]; }
constexpr Step kSteps[] = {
#define ETZEL_STEP(Name, Reason) {passAt(Name), passAt(Reason)},
#include "compiler/opt/passes.def"
};

bool verifiesPasses() {
#ifdef ETZEL_ASSERTIONS
  return true;
#else
  return debug(DebugFlag::VerifyPasses);
#endif
}

/// ETZEL_DEBUG=print-after=NAME, checked.
std::string_view stepAskedFor() {
  const std::string_view asked = debugOption(DebugOption::PrintAfter);
  std::string known = "all, lower";
  bool found = asked.empty() || asked == "all" || asked == "lower" || asked == "allocate";
  for (const Pass& pass : kPasses) known += std::string(", ") + pass.name, found |= asked == pass.name;
  if (!found)
    logMessage(LogLevel::Warning, "ETZEL_DEBUG: no step is called '%.*s'; there are %s, allocate", int(asked.size()),
               asked.data(), known.c_str());
  return asked;
}

Result<void> verifyAfter(const Pass& pass, const isa::Program& program) {
  auto valid = isa::verify(program, isa::VerifyMode::VirtualRegisters);
  if (valid) return valid;
  return Error{ErrorCode::InvalidShader, "after the pass " + std::string(pass.name) + ": " + valid.error().message};
}

}  // namespace

std::span<const Pass> passes() { return kPasses; }
std::span<const Step> steps() { return kSteps; }

void printAfter(std::string_view step, const isa::Program& program) {
  static const std::string_view asked = stepAskedFor();
  if (asked.empty() || (asked != step && asked != "all")) return;
  std::fprintf(stderr, "; after %.*s\n%s\n", int(step.size()), step.data(), isa::disassemble(program).c_str());
}

Result<void> optimize(isa::Program& program) {
  for (const isa::Inst& inst : program.code)
    if (!isa::isExtension(inst.op)) return {};
  if (program.groups.empty()) return {};
  bool found[std::size(kPasses)] = {};
  for (const Step& step : kSteps) {
    if (step.reason && !found[step.reason - kPasses]) continue;
    found[step.pass - kPasses] = step.pass->run(program);
    printAfter(step.pass->name, program);
    if (verifiesPasses()) ETZEL_TRY(verifyAfter(*step.pass, program));
  }
  return {};
}

}  // namespace etzel::opt
