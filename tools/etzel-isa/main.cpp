// etzel-isa: looks at programs from the command line.
//
//   etzel-isa asm FILE|-             128-bit words of a listing, one instruction a line: hi lo
//   etzel-isa dis FILE|-             the listing of such words
//       with "-" both are filters of standard input, and words are raw: 16 bytes each, little-endian
//   etzel-isa verify FILE            checks a listing
//   etzel-isa compile FILE [STAGE [ENTRY]]   SPIR-V, or GLSL through glslangValidator, to a listing with source
//       lines; stages: vertex control evaluation geometry fragment compute
//   etzel-isa run [--trace] FILE [IN...]     runs a listing of a vertex program on one warp: i words are the numbers
//       given (the same in every lane), i31.w is the lane; prints o words that are not zero. --trace prints every
//       instruction with its active lanes and results
//   etzel-isa table                  the opcode tables of docs/isa.md
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "compiler/compiler.h"
#include "compiler/interp/interp.h"
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

/// An assembler's error with the line it is about and a mark under the column.
int failIn(const std::string& text, const std::string& message) {
  unsigned line = 0, column = 0;
  fail(message);
  if (std::sscanf(message.c_str(), "line %u, column %u", &line, &column) != 2) return 1;
  std::istringstream lines(text);
  std::string source;
  for (unsigned i = 0; i < line; ++i) std::getline(lines, source);
  std::string mark = source.substr(0, column - 1);
  for (char& c : mark) c = c == '\t' ? '\t' : ' ';
  std::fprintf(stderr, "  %s\n  %s^\n", source.c_str(), mark.c_str());
  return 1;
}

bool read(const char* path, std::string& bytes) {
  if (std::string_view(path) == "-") {
    char chunk[4096];
    while (const size_t n = std::fread(chunk, 1, sizeof chunk, stdin)) bytes.append(chunk, n);
    return !std::ferror(stdin);
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return false;
  bytes.assign(std::istreambuf_iterator<char>(file), {});
  return true;
}

/// Assembles and verifies, or says why not.
bool readProgram(const std::string& text, isa::Program& program) {
  auto assembled = isa::assemble(text);
  if (!assembled) return failIn(text, assembled.error().message), false;
  program = std::move(*assembled);
  return true;
}

int assembleFile(const std::string& text, bool raw) {
  isa::Program program;
  if (!readProgram(text, program)) return 1;
  for (const isa::EncodedInst& word : isa::encode(program.code))
    if (raw)
      std::fwrite(&word, 1, sizeof word, stdout);  // lo, then hi, on a little-endian host
    else
      std::printf("%016" PRIx64 " %016" PRIx64 "\n", word.hi, word.lo);
  return 0;
}

int disassembleFile(const std::string& text, bool raw) {
  std::vector<isa::EncodedInst> words;
  if (raw) {
    if (text.size() % sizeof(isa::EncodedInst)) return fail("the input is no whole number of 16-byte instructions");
    words.resize(text.size() / sizeof(isa::EncodedInst));
    std::memcpy(static_cast<void*>(words.data()), text.data(), text.size());
  } else {
    std::istringstream lines(text);
    lines >> std::hex;
    for (isa::EncodedInst word; lines >> word.hi >> word.lo;) words.push_back(word);
    if (!lines.eof()) return fail("instruction " + std::to_string(words.size()) + ": expected two hexadecimal numbers");
  }
  isa::Program program;
  for (const isa::EncodedInst& word : words) {
    auto inst = isa::decode(word);
    if (!inst) return fail("instruction " + std::to_string(program.code.size()) + ": " + inst.error().message);
    program.code.push_back(*inst);
  }
  if (raw) {  // instructions only, so that the text assembles to the same bytes
    for (const isa::Inst& inst : program.code) std::printf("%s\n", isa::toText(inst).c_str());
    return 0;
  }
  std::fputs(isa::disassemble(program).c_str(), stdout);
  return 0;
}

int verifyFile(const std::string& text) {
  isa::Program program;
  if (!readProgram(text, program)) return 1;
  const auto verified = isa::verify(program, isa::VerifyMode::RealRegisters);
  if (!verified.ok()) return fail(verified.error().message);
  std::printf("%zu instructions, %u temporary words: fine\n", program.code.size(), program.tempWords);
  return 0;
}

/// SPIR-V of a GLSL file, by glslangValidator. \returns false when it failed; it has said why.
bool compileGlsl(const char* path, std::string& bytes) {
  char output[] = "/tmp/etzel-isa-XXXXXX";
  const int file = mkstemp(output);
  if (file < 0) return false;
  close(file);
  const char* argv[] = {"glslangValidator", "--quiet", "-g", "--target-env", "vulkan1.3", "-o", output, path, nullptr};
  pid_t child = 0;
  int status = 1;
  const bool started = posix_spawnp(&child, argv[0], nullptr, nullptr, const_cast<char**>(argv), environ) == 0;
  const bool done = started && waitpid(child, &status, 0) == child && status == 0;
  bytes.clear();
  const bool ok = done && read(output, bytes);
  unlink(output);
  return ok;
}

/// The listing, each source line's text behind its number.
void printListing(const std::string& listing, const std::string& source) {
  std::vector<std::string> lines;
  std::istringstream sourceLines(source), listingLines(listing);
  for (std::string line; std::getline(sourceLines, line);) lines.push_back(line);
  for (std::string line; std::getline(listingLines, line);) {
    std::fputs(line.c_str(), stdout);
    const size_t second = line.rfind(':'), first = second ? line.rfind(':', second - 1) : second;
    if (line.starts_with("; ") && first != std::string::npos) {
      const unsigned long n = std::strtoul(line.c_str() + first + 1, nullptr, 10);
      if (n >= 1 && n <= lines.size()) std::printf("  %s", lines[n - 1].c_str());
    }
    std::fputs("\n", stdout);
  }
}

int compileFile(std::string bytes, const char* path, const char* stageName, const char* entry) {
  constexpr std::string_view stages[] = {"vertex", "control", "evaluation", "geometry", "fragment", "compute"};
  std::string glsl;
  uint32_t magic = 0;
  if (bytes.size() >= 4) std::memcpy(&magic, bytes.data(), 4);
  if (magic != 0x07230203) {
    glsl = bytes;
    if (!compileGlsl(path, bytes)) return fail(std::string("glslangValidator can't compile ") + path);
    constexpr const char* endings[] = {".vert", ".tesc", ".tese", ".geom", ".frag", ".comp"};
    for (size_t i = 0; !stageName && i < std::size(endings); ++i)
      if (std::string_view(path).ends_with(endings[i])) stageName = stages[i].data();
  }
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
  printListing(isa::disassemble(*program), glsl);
  return 0;
}

/// Prints one executed instruction: lanes, text, what its destination holds now.
void traceStep(void* user, uint32_t index, LaneMask lanes, const abi::Warp* warp) {
  const isa::Inst& inst = static_cast<const isa::Program*>(user)->code[index];
  char active[kWarpLanes + 1] = {};
  for (uint32_t l = 0; l < kWarpLanes; ++l) active[l] = lanes >> l & 1 ? static_cast<char>('0' + l) : '.';
  std::printf("%s %5u  %s\n", active, index, isa::toText(inst).c_str());
  const bool base = !isa::isExtension(inst.op);
  const isa::Bank bank = base ? inst.base.resultBank : inst.dst.bank;
  const LaneWords* from = bank == isa::Bank::Temp ? warp->registers : bank == isa::Bank::Out ? warp->out : nullptr;
  if (!from) return;
  const uint32_t first = base ? 4u * inst.base.resultReg : inst.dst.word, words = base ? 4 : isa::dstWords(inst);
  for (uint32_t w = first; w < first + words; ++w) {
    if (base && !(inst.base.mask & (8u >> w % 4))) continue;
    std::printf("                 %s%u.%c =", isa::bankName(bank), w / 4, "xyzw"[w % 4]);
    for (uint32_t l = 0; l < kWarpLanes; ++l)
      if (lanes >> l & 1) std::printf(" %08x", from[w].lane[l]);
    std::printf("\n");
  }
}

int runFile(const std::string& text, bool trace, int count, char** values) {
  isa::Program program;
  if (!readProgram(text, program)) return 1;
  program.info.stage = abi::Stage::Vertex;
  const auto verified = isa::verify(program, isa::VerifyMode::RealRegisters);
  if (!verified.ok()) return fail(verified.error().message);
  auto code = interp::decode(program);
  if (!code) return fail(code.error().message);
  auto kernel = compiler::makeKernel(isa::Program(program));
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
  const auto run = [&] { return trace ? interp::runTraced(code->get(), &warp, traceStep, &program) : k.run(&warp); };
  while (run() == abi::WarpStatus::AtBarrier) {
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
    case isa::OperandShape::Four:
      return "4 words";
    case isa::OperandShape::Gather:
      return "texels, coordinates or rest";
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

/// Text of a table's cell, where a bar would end it.
std::string cell(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
  return text;
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
                info.baseInteger ? " int" : "", result, cell(info.semantics).c_str());
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
    const std::string semantics = cell(info.semantics);
    std::printf("| %02X | `%s` | %s | %s | %s | %s |\n", n, info.mnemonic, shapeText(info.dst), sources.c_str(),
                types.c_str(), semantics.c_str());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "table") return table();
  const bool trace = command == "run" && argc > 2 && std::string_view(argv[2]) == "--trace";
  if (trace) --argc, ++argv;
  if (argc < 3) return fail("usage: etzel-isa asm|dis|verify|compile|run FILE, or etzel-isa table");
  const char* path = argv[2];
  const bool filter = std::string_view(path) == "-";
  std::string bytes;
  if (!read(path, bytes)) return fail(std::string("can't read ") + path);
  if (command == "asm") return assembleFile(bytes, filter);
  if (command == "dis") return disassembleFile(bytes, filter);
  if (command == "verify") return verifyFile(bytes);
  if (command == "compile")
    return compileFile(std::move(bytes), path, argc > 3 ? argv[3] : nullptr, argc > 4 ? argv[4] : nullptr);
  if (command == "run" || trace) return runFile(bytes, trace, argc - 3, argv + 3);
  return fail("unknown command: " + std::string(command));
}
