// The table of isa.def, parsed by the compiler (the C++ one): strings of the rows become OpInfo at build time.
#include "compiler/isa/info.h"

#include <algorithm>

#include "compiler/isa/immediates.h"

namespace etzel::isa {
namespace {

constexpr bool has(std::string_view text, std::string_view word) {
  for (size_t at = 0; at + word.size() <= text.size(); ++at) {
    if (text.substr(at, word.size()) != word) continue;
    const bool left = at == 0 || text[at - 1] == ' ';
    const bool right = at + word.size() == text.size() || text[at + word.size()] == ' ';
    if (left && right) return true;
  }
  return false;
}

/// Not constexpr: a row that comes here fails the build, with this name in the message.
inline void rowHasAnUnknownWord() {}

constexpr OperandShape shapeOf(char c, bool result) {
  switch (c) {
    case '1': return OperandShape::One;
    case '2': return OperandShape::Two;
    case '4': return OperandShape::Four;
    case '8': return OperandShape::Eight;
    case 'G': return OperandShape::Gather;
    case 'T': return OperandShape::Element;
    case 'C': return OperandShape::Count;
    case 'A': return OperandShape::Address;
    case 'X': return result ? OperandShape::TexResult : OperandShape::TexArgs;
    default: rowHasAnUnknownWord(); return OperandShape::None;
  }
}

constexpr uint8_t bit(Type t) { return static_cast<uint8_t>(1u << static_cast<uint32_t>(t)); }

constexpr bool isControl(Effect e) { return e == Effect::Flow || e == Effect::Kill || e == Effect::Barrier; }
constexpr bool isSideEffect(Effect e) { return e != Effect::None && e != Effect::ByImm && e != Effect::Flow; }

constexpr std::pair<std::string_view, SubKind> kSubWords[] = {
    {"CMP_F", SubKind::CmpF},    {"CMP_I", SubKind::CmpI},        {"SPACE", SubKind::Space},
    {"REDUCE", SubKind::Reduce}, {"FROM_F", SubKind::SourceType}, {"FROM_I", SubKind::SourceType},
    {"BARY", SubKind::Bary},     {"PIXLD", SubKind::PixLd},       {"SAMPLER", SubKind::Sampler},
};
constexpr std::pair<std::string_view, bool OpInfo::*> kFlagWords[] = {
    {"IMM", &OpInfo::immediate},     {"ATOMIC", &OpInfo::atomic}, {"MEM", &OpInfo::memory},
    {"QUAD", &OpInfo::quad},         {"BOOL", &OpInfo::boolean},  {"FROM_F", &OpInfo::fromFloat},
    {"FRAGMENT", &OpInfo::fragment}, {"SLOW", &OpInfo::slow},
};

/// The words of a column, one after the other.
template <class F>
constexpr void forEachWord(std::string_view text, F&& f) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end) f(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

constexpr void setFlag(OpInfo& o, std::string_view word) {
  bool known = false;
  for (auto [name, kind] : kSubWords)
    if (name == word) o.sub = kind, known = true;
  for (auto [name, flag] : kFlagWords)
    if (name == word) o.*flag = true, known = true;
  if (!known) rowHasAnUnknownWord();
}

constexpr std::string_view kTypeNames[] = {
#define ETZEL_TYPE(Name, text, bytes, isFloat) #Name,
#include "compiler/isa/tables/types.def"
#undef ETZEL_TYPE
};

constexpr uint8_t typesOf(std::string_view word) {
  if (word == "N") return bit(Type::I32);
  if (word == "W") return bit(Type::I32) | bit(Type::I64);
  uint8_t mask = 0;
  for (uint32_t t = 0; t < kTypeCount; ++t)
    if (word == kTypeNames[t] || (word.size() == 1 && word[0] == kTypeNames[t][0])) mask |= 1u << t;
  if (!mask) rowHasAnUnknownWord();
  return mask;
}

struct Properties {
  Effect effect;
  Lanes lanes;
  Merge merge;
  Samples samples;
  Native native;
};

constexpr OpInfo extensionRow(const char* name, const char* mnemonic, std::string_view dst, std::string_view srcs,
                              std::string_view types, std::string_view flags, Properties p, const char* semantics) {
  OpInfo o;
  o.name = name, o.mnemonic = mnemonic, o.semantics = semantics, o.extension = true;
  if (!dst.empty()) o.dst = shapeOf(dst[0], true);
  forEachWord(srcs, [&](std::string_view word) {
    o.optional[o.srcCount] = word.ends_with('?');
    o.src[o.srcCount++] = shapeOf(word[0], false);
  });
  forEachWord(types, [&](std::string_view word) { o.typeMask |= typesOf(word); });
  forEachWord(flags, [&](std::string_view word) { setFlag(o, word); });
  o.effect = p.effect, o.control = isControl(p.effect), o.sideEffect = isSideEffect(p.effect);
  o.lanes = p.lanes, o.merge = p.merge, o.samples = p.samples, o.native = p.native;
  return o;
}

constexpr OpInfo baseRow(const char* name, const char* mnemonic, std::string_view shape, Effect effect,
                         const char* semantics) {
  OpInfo o;
  o.name = name, o.mnemonic = mnemonic, o.semantics = semantics, o.effect = effect;
  o.baseOperands = static_cast<uint8_t>(shape[0] - '0');
  if (shape.size() > 1) o.baseKind = shape[1];
  if (has(shape, "R")) o.baseResult = 'R';
  if (has(shape, "P")) o.baseResult = 'P';
  if (has(shape, "A")) o.baseResult = 'A';
  o.baseInteger = has(shape, "int");
  o.quad = has(shape, "quad");
  return o;
}

constexpr std::array<OpInfo, 256> makeTable() {
  std::array<OpInfo, 256> t{};
#define ETZEL_BASE(number, Name, mnemonic, shape, effect, semantics) \
  t[number] = baseRow(#Name, mnemonic, shape, Effect::effect, semantics);
#define ETZEL_EXT(number, Name, mnemonic, dst, srcs, types, flags, effect, lanes, merge, samples, native, semantics) \
  t[number] = extensionRow(#Name, mnemonic, dst, srcs, types, flags,                                                 \
                           {Effect::effect, Lanes::lanes, Merge::merge, Samples::samples, Native::native}, semantics);
#include "compiler/isa/isa.def"
  return t;
}
constexpr std::array<OpInfo, 256> kTable = makeTable();

uint32_t shapeWords(OperandShape shape, const Inst& inst) {
  switch (shape) {
    case OperandShape::None: return 0;
    case OperandShape::One: return 1;
    case OperandShape::Two: return 2;
    case OperandShape::Four: return 4;
    case OperandShape::Eight: return 8;
    case OperandShape::Gather: return Tld4Imm::unpack(inst.imm).resultWords();
    case OperandShape::Element: return typeWords(inst.type);
    case OperandShape::Count: return inst.count * typeWords(inst.type);
    case OperandShape::Address: return spaceOf(inst).addressWords;
    case OperandShape::TexArgs: return abi::TexInst::unpack(inst.imm).argWords();
    case OperandShape::TexResult: return abi::TexInst::unpack(inst.imm).resultWords();
  }
  return 0;
}

}  // namespace

const OpInfo& opInfo(Opcode op) { return kTable[static_cast<uint8_t>(op)]; }

const char* typeName(Type t) { return subNameOf(SubKind::SourceType, static_cast<uint32_t>(t)); }

const char* stageName(abi::Stage s) {
  switch (s) {
    case abi::Stage::Vertex: return "vertex";
    case abi::Stage::TessControl: return "control";
    case abi::Stage::TessEvaluation: return "evaluation";
    case abi::Stage::Geometry: return "geometry";
    case abi::Stage::Fragment: return "fragment";
    case abi::Stage::Compute: return "compute";
  }
  return "?";
}

const char* bankName(Bank b) {
  constexpr const char* names[] = {"i", "o", "c", "r", "a", "c", "#", "-"};
  return names[static_cast<uint32_t>(b) & 7];
}

const char* subName(const Inst& inst) { return subNameOf(opInfo(inst).sub, inst.sub); }

const char* atomicName(abi::AtomicOp op) {
  constexpr const char* names[] = {
#define ETZEL_ATOMIC_OP(Name, text, operands, result) text,
#include "runtime/abi/atomic_ops.def"
#undef ETZEL_ATOMIC_OP
  };
  return static_cast<uint32_t>(op) < std::size(names) ? names[static_cast<uint32_t>(op)] : "?";
}

const char* sysValueName(abi::SysValue v) {
  return static_cast<uint32_t>(v) < abi::kSysValueCount ? abi::sysValueInfo(v).name : "?";
}

uint32_t dstWords(const Inst& inst) {
  const OpInfo& info = opInfo(inst);
  if (info.atomic && !abi::atomicHasResult(static_cast<abi::AtomicOp>(inst.atomic))) return 0;
  return shapeWords(info.dst, inst);
}

uint32_t srcWords(const Inst& inst, uint32_t i) {
  const OpInfo& info = opInfo(inst);
  if (i == 0 && info.sub == SubKind::SourceType) return typeWords(static_cast<Type>(inst.sub));
  if (info.atomic && i == 2) return abi::atomicOperands(static_cast<abi::AtomicOp>(inst.atomic)) * typeWords(inst.type);
  if (info.src[i] == OperandShape::Gather) {
    const Tld4Imm gather = Tld4Imm::unpack(inst.imm);
    return i == 0 ? gather.coordinateWords() : gather.otherWords();
  }
  return shapeWords(info.src[i], inst);
}

bool isPure(const Inst& inst) {
  const OpInfo& info = opInfo(inst);
  if (!info.extension || info.control || info.sideEffect || !inst.dst.present()) return false;
  if (info.effect == Effect::None) return true;
  switch (inst.op) {
    case Opcode::PixLd: return !PixLdImm::unpack(inst.imm, false).hasPredicate;
    case Opcode::Tld4: return !Tld4Imm::unpack(inst.imm).hasPredicate;
    case Opcode::Tex2: {
      const abi::TexKind kind = abi::TexInst::unpack(inst.imm).kind;
      return kind != abi::TexKind::ImageWrite && kind != abi::TexKind::ImageAtomic;
    }
    default: return false;
  }
}

bool isMergeable(const Inst& inst) {
  if (!isPure(inst)) return false;
  switch (opInfo(inst).merge) {
    case Merge::No: return false;
    case Merge::Yes: return true;
    case Merge::BySpace: return spaceOf(inst).constant;
  }
  return false;
}

bool isArithmetic(Opcode op) {
  switch (opInfo(op).native) {
    case Native::Float:
    case Native::Scale:
    case Native::Math:
    case Native::Integer:
    case Native::Convert: return true;
    case Native::Flow:
    case Native::Move:
    case Native::Lanes:
    case Native::Memory:
    case Native::Texture:
    case Native::Call: return false;
  }
  return false;
}

}  // namespace etzel::isa
