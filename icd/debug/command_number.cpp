#include "icd/debug/command_number.h"

#include "runtime/tex/unit/texture_unit.h"

namespace etzel::icd {
namespace {

/// What shaders call, with the number of their draw or dispatch.
struct NumberedFunctions {
  abi::FunctionTable functions;  ///< first: contexts point to it
  uint32_t number;
};

}  // namespace

uint32_t numberCommand(abi::DispatchContext& context, Arena& arena) {
  static std::atomic<uint32_t> next{0};
  auto* numbered = arena.make<NumberedFunctions>();
  numbered->functions = tex::functionTable();  // the context's own may be of an arena that is gone
  numbered->number = next.fetch_add(1, std::memory_order_relaxed);
  context.functions = &numbered->functions;
  return numbered->number;
}

uint32_t commandNumber(const abi::DispatchContext& context) {
  return reinterpret_cast<const NumberedFunctions*>(context.functions)->number;
}

}  // namespace etzel::icd
