// OpAbortKHR: a message of the program, instructions that hand over the words of it that are no constants, one that
// gives it, and the end of the invocation.
#include <algorithm>
#include <map>

#include "compiler/lower/instructions.h"
#include "compiler/spirv/newer.h"
#include "runtime/abi/limits.h"
#include "runtime/mutant/mutant.h"

namespace etzel::lower {
namespace {

constexpr uint32_t kPieceWords = 8;  // what one instruction takes

/// A message in the making: bytes that are known, and words that invocations fill in.
class Message {
 public:
  Message(Lowerer& l, uint64_t bytes) : l_(l) { message.bytes.resize(bytes); }

  /// The value of `words` registers, or `bytes` of the last one, at a place that need not be aligned.
  void put(uint32_t at, uint32_t bytes, Operand value) {
    for (uint32_t w = 0; 4 * w < bytes; ++w) {
      const Operand word = Lowerer::word(value, w);
      const uint32_t size = std::min(4u, bytes - 4 * w), place = at + 4 * w, shift = 8 * (place % 4);
      if (place + size > message.bytes.size()) return;
      if (const std::optional<uint32_t> known = constant(word)) {
        for (uint32_t i = 0; i < size; ++i) message.bytes[place + i] = static_cast<char>(*known >> 8 * i);
        continue;
      }
      add(place / 4, shift ? l_.b.value(Opcode::Shl, isa::Type::I32, word, l_.imm(shift)) : word);
      if (place % 4 + size > 4) add(place / 4 + 1, l_.b.value(Opcode::Shr, isa::Type::I32, word, l_.imm(32 - shift)));
    }
  }

  /// Words that invocations fill in, with the known bytes around theirs.
  const std::map<uint32_t, Operand>& finish() {
    for (auto& [word, value] : words_) {
      uint32_t known = 0;
      for (uint32_t i = 0; i < 4 && 4 * word + i < message.bytes.size(); ++i)
        known |= uint32_t(static_cast<uint8_t>(message.bytes[4 * word + i])) << 8 * i;
      if (known) value = l_.b.value(Opcode::Or, isa::Type::I32, value, l_.imm(known));
    }
    return words_;
  }

  abi::AbortMessage message;

 private:
  std::optional<uint32_t> constant(Operand o) const {
    if (o.bank != isa::Bank::Param || o.word / 4 >= l_.program.constants.size()) return {};
    return l_.program.constants[o.word / 4][o.word % 4];
  }
  void add(uint32_t word, Operand value) {
    Operand& at = words_[word];
    at = at.present() ? l_.b.value(Opcode::Or, isa::Type::I32, at, value) : value;
  }

  Lowerer& l_;
  std::map<uint32_t, Operand> words_;
};

/// The first array of the message that is declared to be text.
bool findText(Lowerer& l, uint32_t typeId, uint64_t at, abi::AbortMessage* m) {
  const spirv::Type& t = l.type(typeId);
  if (t.kind == TypeKind::Struct) {
    for (uint32_t i = 0; i < t.members.size(); ++i)
      if (findText(l, t.members[i], at + l.memberOffset(typeId, i, Layout::Explicit), m)) return true;
    return false;
  }
  const bool isText = t.kind == TypeKind::Array && l.module.decorationsOf(typeId).has(spirv::kUtfEncoded) &&
                      l.module.decorationsOf(typeId).get(spv::Decoration::ArrayStride, 1) == 1;
  if (!isText || at + t.count > m->bytes.size()) return false;
  m->textAt = static_cast<uint32_t>(at), m->textBytes = t.count;
  return true;
}

uint32_t messageIndex(Lowerer& l, abi::AbortMessage message) {
  std::vector<abi::AbortMessagePtr>& all = l.program.aborts;  // calls are inlined, so a message comes again
  const auto known = std::find_if(all.begin(), all.end(), [&](const auto& m) { return *m == message; });
  if (known != all.end()) return static_cast<uint32_t>(known - all.begin());
  all.push_back(std::make_shared<const abi::AbortMessage>(std::move(message)));
  return static_cast<uint32_t>(all.size() - 1);
}

}  // namespace

void lowerAbort(Lowerer& l, const spirv::Instruction& inst) {
  const uint32_t typeId = inst.operand(0), valueId = inst.operand(1);
  // Offsets may overlap, so few bytes may have many components.
  if (l.type(typeId).components > abi::kMaxAbortBytes || l.typeBytes(typeId, Layout::Explicit) > abi::kMaxAbortBytes)
    return l.unsupported(inst, "with more than maxShaderAbortMessageSize bytes");
  Pointer like;
  like.layout = Layout::Explicit;
  std::vector<std::pair<uint32_t, uint32_t>> places;
  l.leaves(like, typeId, 0, &places);
  const std::vector<Operand> value = l.components(valueId);
  if (value.size() != places.size())
    return l.error(ErrorCode::InvalidShader, "OpAbortKHR: the message does not fit its type");
  Message made(l, l.typeBytes(typeId, Layout::Explicit));
  for (size_t i = 0; i < places.size(); ++i) {
    const uint32_t bytes = 4 * l.wordsOfScalar(places[i].second);
    made.put(places[i].first, std::min(bytes, l.widthOf(places[i].second) / 8), value[i]);
  }
  std::vector<std::pair<uint32_t, Operand>> words(made.finish().begin(), made.finish().end());
  findText(l, typeId, 0, &made.message);
  if (inst.line) {
    const isa::SourceLocation& place = l.module.locations[inst.line - 1];
    made.message.file = place.file, made.message.line = place.line;
  }
  const uint32_t index = messageIndex(l, std::move(made.message));
  if (index >= isa::kMaxAborts) return l.unsupported(inst, "too many messages");
  if (mutated(Mutant::AbortWords)) words.clear();
  for (size_t i = 0, n; i < words.size(); i += n) {
    std::vector<Operand> piece{words[i].second};
    for (n = 1; n < kPieceWords && i + n < words.size() && words[i + n].first == words[i].first + n; ++n)
      piece.push_back(words[i + n].second);
    l.b.emit(Opcode::Abort, isa::Type::I32, {}, {l.consecutive(piece)}, 0, words[i].first << 16 | index,
             static_cast<uint8_t>(n));
  }
  l.b.emit(Opcode::Abort, isa::Type::I32, {}, {}, 0, index);
  if (l.stage() == abi::Stage::Fragment) {
    l.info().discards = true;
    l.b.control(Opcode::Kill);
  } else {
    l.b.ret();
  }
}

}  // namespace etzel::lower
