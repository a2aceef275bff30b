#include "icd/debug/command_number.h"

#include "icd/debug/print_log.h"
#include "runtime/tex/unit/texture_unit.h"

namespace etzel::icd {
namespace {

/// What shaders call, with the number of their draw or dispatch.
struct NumberedFunctions {
  abi::FunctionTable functions;  ///< first: contexts point to it
  uint32_t number;
  PrintLog* prints;
};

const NumberedFunctions& numberedOf(const abi::DispatchContext& context) {
  return *reinterpret_cast<const NumberedFunctions*>(context.functions);
}

/// abi::FunctionTable::print
void takePrint(const abi::Warp* warp, const abi::PrintFormat& format, uint32_t first, LaneMask lanes,
               const LaneWords* words, uint32_t count) {
  const NumberedFunctions& command = numberedOf(*warp->context);
  command.prints->add(command.number, *warp, format, first, lanes, {words, count});
}

}  // namespace

void numberCommand(abi::DispatchContext& context, Arena& arena, PrintLog* prints) {
  static std::atomic<uint32_t> next{0};
  auto* numbered = arena.make<NumberedFunctions>();
  numbered->functions = tex::functionTable();  // the context's own may be of an arena that is gone
  numbered->number = next.fetch_add(1, std::memory_order_relaxed);
  numbered->prints = prints;
  if (prints) numbered->functions.print = takePrint;
  context.functions = &numbered->functions;
}

uint32_t commandNumber(const abi::DispatchContext& context) { return numberedOf(context).number; }

}  // namespace etzel::icd
