// etzel-isa table: the tables of docs/isa.md, from isa.def, the tables of sub-operations and passes.def.
#include <cstdio>

#include "compiler/isa/info.h"
#include "compiler/opt/pipeline.h"
#include "tools/etzel-isa/text.h"

namespace etzel::tool {
namespace {

const char* shapeText(isa::OperandShape shape) {
  switch (shape) {
    case isa::OperandShape::One: return "word";
    case isa::OperandShape::Two: return "2 words";
    case isa::OperandShape::Four: return "4 words";
    case isa::OperandShape::Eight: return "8 words";
    case isa::OperandShape::Gather: return "texels, coordinates or rest";
    case isa::OperandShape::Element: return "element";
    case isa::OperandShape::Count: return "count";
    case isa::OperandShape::Address: return "address";
    case isa::OperandShape::TexArgs: return "arguments";
    case isa::OperandShape::TexResult: return "texel";
    default: return "";
  }
}

/// Text of a table's cell, where a bar would end it.
std::string cell(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

/// The optimizer's passes and their order.
void printPasses() {
  std::printf(
      "\n## Passes\n\nThe optimizer works on virtual registers, between the lowering of SPIR-V (`lower`) and the "
      "choice of "
      "registers\n(`allocate`). `ETZEL_DEBUG=print-after=STEP` prints what one of these steps leaves, `all` what each "
      "does.\n\n| pass | what it does |\n|---|---|\n");
  for (const opt::Pass& pass : opt::passes()) std::printf("| `%s` | %s |\n", pass.name, cell(pass.what).c_str());
  std::printf("\nTheir order:");
  const char* separator = " ";
  for (const opt::Step& step : opt::steps()) {
    std::printf("%s`%s`", separator, step.pass->name);
    if (step.reason) std::printf(" (after work of `%s`)", step.reason->name);
    separator = ", ";
  }
  std::printf(".\n");
}

}  // namespace

int printTables() {
  std::printf("| code | mnemonic | operands | result | semantics |\n|---|---|---|---|---|\n");
  for (uint32_t n = 0; n < 0x38; ++n) {
    const isa::OpInfo& info = isa::opInfo(static_cast<isa::Opcode>(n));
    if (!info.name) continue;
    const char* result = info.baseResult == 'R'   ? "register"
                         : info.baseResult == 'P' ? "predicate"
                         : info.baseResult == 'A' ? "accumulator"
                                                  : "";
    const char* kind = info.baseKind == 'S'   ? " scalar"
                       : info.baseKind == 'P' ? " predicate"
                       : info.baseKind == 'T' ? " (coordinates, unit)"
                       : info.baseKind == 'L' ? " (vector, sample)"
                       : info.baseKind == 'A' ? " (index, attribute)"
                       : info.baseKind        ? " vector"
                                              : "";
    std::printf("| %02X | `%s` | %u%s%s | %s | %s |\n", n, info.mnemonic, info.baseOperands, kind,
                info.baseInteger ? " int" : "", result, cell(info.semantics).c_str());
  }
  std::printf("\n| code | mnemonic | destination | sources | types | semantics |\n|---|---|---|---|---|---|\n");
  for (uint32_t n = 0x38; n < 256; ++n) {
    const isa::OpInfo& info = isa::opInfo(static_cast<isa::Opcode>(n));
    if (!info.name) continue;
    std::string sources, types;
    for (uint32_t i = 0; i < info.srcCount; ++i) sources += (i ? ", " : "") + std::string(shapeText(info.src[i]));
    for (uint32_t t = 0; t < isa::kTypeCount && info.typeMask != 1; ++t)
      if (info.typeMask >> t & 1)
        types += (types.empty() ? "" : " ") + std::string(isa::typeName(static_cast<isa::Type>(t)));
    const std::string semantics = cell(info.semantics);
    std::printf("| %02X | `%s` | %s | %s | %s | %s |\n", n, info.mnemonic, shapeText(info.dst), sources.c_str(),
                types.c_str(), semantics.c_str());
  }
  std::printf("\n| numbers of | from 0 on |\n|---|---|\n");
  constexpr std::pair<const char*, isa::SubKind> kinds[] = {
      {"`fcmp`", isa::SubKind::CmpF},
      {"`icmp`", isa::SubKind::CmpI},
      {"`ld`, `st`, `atom`, `ld_raw`, `st_raw`", isa::SubKind::Space},
      {"`sgreduce`, `sgscani`, `sgscane`", isa::SubKind::Reduce},
      {"conversions: the source's type; the type field", isa::SubKind::SourceType},
      {"`bary`", isa::SubKind::Bary},
      {"`pixld`", isa::SubKind::PixLd}};
  for (auto [what, kind] : kinds) {
    std::printf("| %s |", what);
    for (uint32_t n = 0; n < isa::subCount(kind); ++n) std::printf(" `%s`", isa::subNameOf(kind, n));
    std::printf(" |\n");
  }
  std::printf("| `atom`, atomic operation |");
  for (uint32_t n = 0; n < abi::kAtomicOpCount; ++n)
    std::printf(" `%s`", isa::atomicName(static_cast<abi::AtomicOp>(n)));
  std::printf(" |\n| `sys` |");
  for (uint32_t n = 0; n < abi::kSysValueCount; ++n)
    std::printf(" %s", isa::sysValueName(static_cast<abi::SysValue>(n)));
  std::printf(" |\n");
  printPasses();
  return 0;
}

}  // namespace etzel::tool
