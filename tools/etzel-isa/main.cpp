// etzel-isa: looks at programs from the command line.
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <vector>

#include "compiler/isa/disassemble.h"
#include "compiler/isa/encode.h"
#include "compiler/isa/verify.h"
#include "tools/etzel-isa/text.h"

namespace etzel::tool {
namespace {

constexpr char kUsage[] =
    "usage: etzel-isa asm FILE|-      128-bit words of a listing, one instruction a line: hi lo\n"
    "       etzel-isa dis FILE|-      the listing of such words\n"
    "  With - both are filters of standard input, and words are raw: 16 bytes each, little-endian.\n"
    "       etzel-isa verify FILE     checks a listing\n"
    "       etzel-isa compile FILE [STAGE [ENTRY]]\n"
    "  SPIR-V, or GLSL through glslangValidator, to a listing with source lines. Stages: vertex control evaluation\n"
    "  geometry fragment compute.\n"
    "       etzel-isa run [--jit|--both|--trace] [--with FILE] FILE [SETTING...]\n"
    "  Runs a listing of any stage and prints what the program wrote. Settings, also one a line in the file after "
    "--with:\n"
    "  i words, system values, buffers, images and more (docs/isa.md, The tool).\n"
    "    --jit     as native code instead of interpreted\n"
    "    --both    both, and they must agree\n"
    "    --trace   with every instruction's active lanes and results\n"
    "       etzel-isa table           the opcode tables of docs/isa.md\n";

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

int run(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "table") return printTables();
  if (argc < 3) {
    const bool asked = command == "--help";
    std::fputs(kUsage, asked ? stdout : stderr);
    return asked ? 0 : 1;
  }
  if (command == "run") return runFile(argc - 2, argv + 2);
  const char* path = argv[2];
  const bool filter = std::string_view(path) == "-";
  std::string bytes;
  if (!read(path, bytes)) return fail(std::string("can't read ") + path);
  if (command == "asm") return assembleFile(bytes, filter);
  if (command == "dis") return disassembleFile(bytes, filter);
  if (command == "verify") return verifyFile(bytes);
  if (command == "compile")
    return compileFile(std::move(bytes), path, argc > 3 ? argv[3] : nullptr, argc > 4 ? argv[4] : nullptr);
  return fail("unknown command: " + std::string(command));
}

}  // namespace
}  // namespace etzel::tool

int main(int argc, char** argv) { return etzel::tool::run(argc, argv); }
