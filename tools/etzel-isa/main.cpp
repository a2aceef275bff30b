// etzel-isa: looks at programs from the command line.
//
//   etzel-isa asm FILE             128-bit words of a listing, one instruction a line: hi lo
//   etzel-isa dis FILE             the listing of such words
//   etzel-isa verify FILE          checks a listing
//   etzel-isa compile FILE [STAGE [ENTRY]]   SPIR-V to a listing; stages: vertex control evaluation geometry fragment
//   compute etzel-isa run FILE [IN...]     runs a listing of a vertex program on one warp: i words are the numbers
//   given (the same in
//                                  every lane), i31.w is the lane; prints o words that are not zero
//   etzel-isa table                the opcode tables of docs/isa.md
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "compiler/compiler.h"
#include "compiler/isa/assemble.h"
#include "compiler/isa/disassemble.h"
#include "compiler/isa/encode.h"
#include "compiler/isa/verify.h"

namespace {

using namespace etzel;

int fail(const std::string& message) {
  std::fprintf(stderr, "etzel-isa: %s\n", message.c_str());
  return 1;
}

bool read(const char* path, std::string& bytes) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return false;
  bytes.assign(std::istreambuf_iterator<char>(file), {});
  return true;
}

int assembleFile(const std::string& text) {
  auto program = isa::assemble(text);
  if (!program) return fail(program.error().message);
  for (const isa::EncodedInst& word : isa::encode(program->code))
    std::printf("%016" PRIx64 " %016" PRIx64 "\n", word.hi, word.lo);
  return 0;
}

int disassembleFile(const std::string& text) {
  std::istringstream lines(text);
  isa::EncodedInst word;
  isa::Program program;
  lines >> std::hex;
  while (lines >> word.hi >> word.lo) {
    auto inst = isa::decode(word);
    if (!inst) return fail(inst.error().message);
    program.code.push_back(*inst);
  }
  std::fputs(isa::disassemble(program).c_str(), stdout);
  return 0;
}

int verifyFile(const std::string& text) {
  auto program = isa::assemble(text);
  if (!program) return fail(program.error().message);
  const auto verified = isa::verify(*program, isa::VerifyMode::RealRegisters);
  if (!verified.ok()) return fail(verified.error().message);
  std::printf("%zu instructions, %u temporary words: fine\n", program->code.size(), program->tempWords);
  return 0;
}

int compileFile(const std::string& bytes, const char* stageName, const char* entry) {
  constexpr std::string_view stages[] = {"vertex", "control", "evaluation", "geometry", "fragment", "compute"};
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  compiler::ShaderSource source;
  source.spirv = words;
  if (entry) source.entryPoint = entry;
  for (size_t i = 0; stageName && i < std::size(stages); ++i)
    if (stages[i] == stageName) source.stage = static_cast<abi::Stage>(i);
  // Bindings lie side by side, as a layout with one of each would put them.
  for (uint32_t set = 0; set < 4; ++set)
    for (uint32_t binding = 0; binding < 32; ++binding)
      source.bindings[{set, binding}] = {set, 32 * binding, 32, 1, false};
  auto program = compiler::compileProgram(source);
  if (!program) return fail(program.error().message);
  std::fputs(isa::disassemble(*program).c_str(), stdout);
  return 0;
}

int runFile(const std::string& text, int count, char** values) {
  auto program = isa::assemble(text);
  if (!program) return fail(program.error().message);
  program->info.stage = abi::Stage::Vertex;
  auto kernel = compiler::makeKernel(std::move(*program));
  if (!kernel) return fail(kernel.error().message);
  const abi::Kernel& k = **kernel;
  std::vector<LaneWords> in(abi::kAttributeWords), out(abi::kRecordWords), registers(k.registerWords + 1),
      sys(abi::kSysValueCount), scratch(k.scratchBytes / 4 + 1), state(k.stateBytes / 32 + 1),
      shared(k.sharedBytes / 32 + 1);
  for (int i = 0; i < count && i < 124; ++i) {
    const std::string v = values[i];
    const bool isFloat = v.find('.') != std::string::npos;
    const uint32_t bits = isFloat ? std::bit_cast<uint32_t>(std::strtof(v.c_str(), nullptr))
                                  : static_cast<uint32_t>(std::strtoll(v.c_str(), nullptr, 0));
    for (uint32_t& lane : in[i].lane) lane = bits;
  }
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    in[abi::kAttributeWords - 1].lane[l] = l;
    sys[static_cast<uint32_t>(abi::SysValue::LaneId)].lane[l] = l;
  }
  static const std::byte zeros[256] = {};
  abi::DispatchContext context;
  context.pushConstants = zeros;
  context.table[abi::kNullTable] = zeros, context.tableBytes[abi::kNullTable] = 64;
  abi::Warp warp;
  warp.context = &context, warp.kernel = &k, warp.active = kAllLanes;
  warp.in = in.data(), warp.out = out.data(), warp.registers = registers.data(), warp.sys = sys.data();
  warp.scratch = reinterpret_cast<std::byte*>(scratch.data()),
  warp.shared = reinterpret_cast<std::byte*>(shared.data());
  warp.executorState = state.data();
  while (k.run(&warp) == abi::WarpStatus::AtBarrier) {
  }
  for (uint32_t w = 0; w < abi::kRecordWords; ++w) {
    bool any = false;
    for (uint32_t lane : out[w].lane) any |= lane != 0;
    if (!any) continue;
    std::printf("o%u.%c", w / 4, "xyzw"[w % 4]);
    for (uint32_t lane : out[w].lane) std::printf("  0x%08x (%g)", lane, std::bit_cast<float>(lane));
    std::printf("\n");
  }
  return 0;
}

const char* shapeText(isa::OperandShape shape) {
  switch (shape) {
    case isa::OperandShape::One:
      return "word";
    case isa::OperandShape::Two:
      return "2 words";
    case isa::OperandShape::Element:
      return "element";
    case isa::OperandShape::Count:
      return "count";
    case isa::OperandShape::Address:
      return "address";
    case isa::OperandShape::TexArgs:
      return "arguments";
    case isa::OperandShape::TexResult:
      return "texel";
    default:
      return "";
  }
}

// The tables of docs/isa.md.
int table() {
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
                info.baseInteger ? " int" : "", result, info.semantics);
  }
  std::printf("\n| code | mnemonic | destination | sources | types | semantics |\n|---|---|---|---|---|---|\n");
  for (uint32_t n = 0x38; n < 256; ++n) {
    const isa::OpInfo& info = isa::opInfo(static_cast<isa::Opcode>(n));
    if (!info.name) continue;
    std::string sources, types;
    for (uint32_t i = 0; i < info.srcCount; ++i) sources += (i ? ", " : "") + std::string(shapeText(info.src[i]));
    for (uint32_t t = 0; t < 7 && info.typeMask != 1; ++t)
      if (info.typeMask >> t & 1)
        types += (types.empty() ? "" : " ") + std::string(isa::typeName(static_cast<isa::Type>(t)));
    std::string semantics = info.semantics;  // a bar would end the cell
    for (size_t at = 0; (at = semantics.find('|', at)) != std::string::npos; at += 2) semantics.insert(at, 1, '\\');
    std::printf("| %02X | `%s` | %s | %s | %s | %s |\n", n, info.mnemonic, shapeText(info.dst), sources.c_str(),
                types.c_str(), semantics.c_str());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "table") return table();
  std::string bytes;
  if (argc < 3) return fail("usage: etzel-isa asm|dis|verify|compile|run FILE, or etzel-isa table");
  if (!read(argv[2], bytes)) return fail(std::string("can't read ") + argv[2]);
  if (command == "asm") return assembleFile(bytes);
  if (command == "dis") return disassembleFile(bytes);
  if (command == "verify") return verifyFile(bytes);
  if (command == "compile") return compileFile(bytes, argc > 3 ? argv[3] : nullptr, argc > 4 ? argv[4] : nullptr);
  if (command == "run") return runFile(bytes, argc - 3, argv + 3);
  return fail("unknown command: " + std::string(command));
}
