// NonSemantic.DebugPrintf: a format of the program, and instructions that hand its values over.
#include <algorithm>

#include "compiler/lower/encoded_float.h"
#include "compiler/lower/instructions.h"

namespace etzel::lower {
namespace {

constexpr uint32_t kDebugPrintf = 1;    // the set's only instruction
constexpr uint32_t kPieceWords = 8;     // what one instruction takes
constexpr uint32_t kFirstArgument = 3;  // behind the set, the instruction and the format

using Kind = abi::PrintValue::Kind;

/// How a value of this type is printed; of no components where it is neither scalar nor vector.
abi::PrintValue valueOf(const Lowerer& l, uint32_t typeId) {
  const spirv::Type& t = l.type(typeId);
  abi::PrintValue v;
  const bool isVector = t.kind == TypeKind::Vector;
  const spirv::Type& scalar = isVector ? l.type(t.element) : t;
  v.components = scalar.isScalar() ? static_cast<uint8_t>(isVector ? t.count : 1) : 0;
  v.kind = scalar.kind == TypeKind::Float  ? Kind::Float
           : scalar.kind == TypeKind::Bool ? Kind::Bool
           : scalar.isSigned               ? Kind::Int
                                           : Kind::Uint;
  v.bits = static_cast<uint8_t>(scalar.kind == TypeKind::Bool || isEncoded(l, typeId) ? 32 : scalar.width);
  return v;
}

uint32_t formatIndex(Lowerer& l, abi::PrintFormat format) {
  std::vector<abi::PrintFormat>& all = l.program.prints;
  const auto known = std::find(all.begin(), all.end(), format);  // calls are inlined, so a format comes again
  if (known != all.end()) return static_cast<uint32_t>(known - all.begin());
  all.push_back(std::move(format));
  return static_cast<uint32_t>(all.size() - 1);
}

}  // namespace

void lowerPrint(Lowerer& l, const spirv::Instruction& inst) {
  const auto text = l.module.strings.find(inst.operand(2));
  if (inst.operand(1) != kDebugPrintf || text == l.module.strings.end()) return;  // non-semantic: nothing must follow
  abi::PrintFormat format{text->second, {}};
  std::vector<Operand> words;
  for (size_t i = kFirstArgument; i < inst.size(); ++i) {
    const uint32_t typeId = l.typeOf(inst.operand(i));
    const abi::PrintValue value = typeId ? valueOf(l, typeId) : abi::PrintValue{Kind::Uint, 32, 0};
    if (value.components == 0 || words.size() + value.words() > abi::kMaxPrintWords) break;
    format.values.push_back(value);
    const uint32_t wordsEach = value.words() / value.components;
    std::vector<Operand> components = l.components(inst.operand(i));
    if (isEncoded(l, typeId)) components = widenEncoded(l, encodingOf(l, typeId), components);
    for (const Operand& c : components)
      for (uint32_t w = 0; w < wordsEach; ++w) words.push_back(Lowerer::word(c, w));
  }
  const uint32_t index = formatIndex(l, std::move(format));
  if (index >= isa::kMaxPrints) return l.unsupported(inst, "too many formats");
  if (words.empty()) l.b.emit(Opcode::Print, isa::Type::I32, {}, {}, 0, index);
  for (uint32_t at = 0; at < words.size(); at += kPieceWords) {
    const auto count = std::min(kPieceWords, static_cast<uint32_t>(words.size()) - at);
    const Operand piece = l.consecutive(std::span(words).subspan(at, count));
    l.b.emit(Opcode::Print, isa::Type::I32, {}, {piece}, 0, at << 16 | index, static_cast<uint8_t>(count));
  }
}

}  // namespace etzel::lower
