// Fuzz target of everything that reads programs from outside: instruction words, listings, containers. Built with the
// preset "fuzz" (clang); run: build/fuzz/compiler/etzel_isa_fuzz -max_len=2048 -max_total_time=600.
//
// The first byte chooses the reader. Whatever a reader accepts must be stable: words decode to an instruction whose
// own encoding decodes to the same instruction, and prints as text that assembles to it again. Refusals give a reason.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "compiler/isa/assemble.h"
#include "compiler/isa/container.h"
#include "compiler/isa/disassemble.h"
#include "compiler/isa/encode.h"
#include "compiler/isa/verify.h"

namespace {

using namespace etzel;

void require(bool holds, const char* rule, const std::string& about) {
  if (holds) return;
  std::fprintf(stderr, "broken rule: %s: %s\n", rule, about.c_str());
  std::abort();
}

void roundTrip(const isa::Inst& inst) {
  const std::string text = isa::toText(inst);
  const isa::EncodedInst word = isa::encode(inst);
  const auto decoded = isa::decode(word);
  require(decoded.ok(), "an instruction's own encoding decodes", text);
  require(isa::encode(*decoded) == word, "decode, encode gives the same word", text + " / " + isa::toText(*decoded));
  const auto assembled = isa::assemble(text);
  require(assembled.ok() && assembled->code.size() == 1, "text assembles",
          text + ": " + (assembled.ok() ? "" : assembled.error().message));
  require(isa::encode(assembled->code[0]) == word, "text assembles to the same word",
          text + " / " + isa::toText(assembled->code[0]));
}

void verify(const isa::Program& program) {
  const auto verified = isa::verify(program, isa::VerifyMode::RealRegisters);
  require(verified.ok() || !verified.error().message.empty(), "refusals give a reason", "verify");
}

void words(const uint8_t* data, size_t size) {
  isa::Program program;
  if (size < 4) return;
  program.info.stage = static_cast<abi::Stage>(data[0] % 6);
  program.tempWords = data[1] * 4u;
  program.constants.resize(data[2] % 32);
  program.resources.resize(data[3] % 4);
  for (data += 4, size -= 4; size >= sizeof(isa::EncodedInst); data += sizeof(isa::EncodedInst)) {
    isa::EncodedInst word;
    std::memcpy(&word, data, sizeof word);
    size -= sizeof word;
    const auto inst = isa::decode(word);
    if (!inst) {
      require(!inst.error().message.empty(), "refusals give a reason", "decode");
      continue;
    }
    roundTrip(*inst);
    program.code.push_back(*inst);
  }
  verify(program);
}

void listing(std::string_view text) {
  auto program = isa::assemble(text);
  if (!program) return require(program.error().message.starts_with("line "), "errors name a line", std::string(text));
  const auto encodable = [](const isa::Operand& o) { return o.word < isa::kMaxTempWords; };
  for (const isa::Inst& inst : program->code)
    if (encodable(inst.dst) && std::all_of(inst.src.begin(), inst.src.end(), encodable)) roundTrip(inst);
  const auto again = isa::assemble(isa::disassemble(*program));
  require(again.ok(), "listings assemble", again.ok() ? "" : again.error().message + "\n" + isa::disassemble(*program));
  verify(*program);
}

void container(std::span<const std::byte> bytes) {
  auto program = isa::readContainer(bytes);
  if (!program) return require(!program.error().message.empty(), "refusals give a reason", "container");
  const auto again = isa::readContainer(isa::writeContainer(*program));
  require(again.ok() && again->code == program->code, "containers read back", "container");
  verify(*program);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  switch (data[0] % 3) {
    case 0: words(data + 1, size - 1); break;
    case 1: listing({reinterpret_cast<const char*>(data + 1), size - 1}); break;
    default: container(std::as_bytes(std::span(data + 1, size - 1)));
  }
  return 0;
}
