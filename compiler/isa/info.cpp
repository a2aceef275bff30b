// The table of isa.def, parsed by the compiler (the C++ one): strings of the rows become OpInfo at build time.
#include "compiler/isa/info.h"

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

constexpr OperandShape shapeOf(char c, bool result) {
  switch (c) {
    case '1': return OperandShape::One;
    case '2': return OperandShape::Two;
    case '4': return OperandShape::Four;
    case 'G': return OperandShape::Gather;
    case 'T': return OperandShape::Element;
    case 'C': return OperandShape::Count;
    case 'A': return OperandShape::Address;
    case 'X': return result ? OperandShape::TexResult : OperandShape::TexArgs;
    default: return OperandShape::None;
  }
}

constexpr uint8_t bit(Type t) { return static_cast<uint8_t>(1u << static_cast<uint32_t>(t)); }

constexpr OpInfo extensionRow(const char* name, const char* mnemonic, std::string_view dst, std::string_view srcs,
                              std::string_view types, std::string_view flags, const char* semantics) {
  OpInfo o;
  o.name = name, o.mnemonic = mnemonic, o.semantics = semantics, o.extension = true;
  if (!dst.empty()) o.dst = shapeOf(dst[0], true);
  for (char c : srcs)
    if (c != ' ') o.src[o.srcCount++] = shapeOf(c, false);
  if (has(types, "F")) o.typeMask |= bit(Type::F16) | bit(Type::F32) | bit(Type::F64);
  if (has(types, "I")) o.typeMask |= bit(Type::I8) | bit(Type::I16) | bit(Type::I32) | bit(Type::I64);
  if (has(types, "W")) o.typeMask |= bit(Type::I32) | bit(Type::I64);
  if (has(types, "N") || has(types, "I32")) o.typeMask |= bit(Type::I32);
  if (has(types, "F16")) o.typeMask |= bit(Type::F16);
  if (has(types, "F32")) o.typeMask |= bit(Type::F32);
  if (has(types, "F64")) o.typeMask |= bit(Type::F64);
  o.control = has(flags, "CTL"), o.memory = has(flags, "MEM"), o.sideEffect = has(flags, "SIDE");
  o.quad = has(flags, "QUAD"), o.immediate = has(flags, "IMM"), o.atomic = has(flags, "ATOMIC");
  o.sub = has(flags, "CMP_F")     ? SubKind::CmpF
          : has(flags, "CMP_I")   ? SubKind::CmpI
          : has(flags, "SPACE")   ? SubKind::Space
          : has(flags, "REDUCE")  ? SubKind::Reduce
          : has(flags, "SRCTYPE") ? SubKind::SourceType
          : has(flags, "BARY")    ? SubKind::Bary
          : has(flags, "PIXLD")   ? SubKind::PixLd
          : has(flags, "SAMPLER") ? SubKind::Sampler
                                  : SubKind::None;
  return o;
}

constexpr OpInfo baseRow(const char* name, const char* mnemonic, std::string_view shape, const char* semantics) {
  OpInfo o;
  o.name = name, o.mnemonic = mnemonic, o.semantics = semantics;
  o.baseOperands = static_cast<uint8_t>(shape[0] - '0');
  if (shape.size() > 1) o.baseKind = shape[1];
  if (has(shape, "R")) o.baseResult = 'R';
  if (has(shape, "P")) o.baseResult = 'P';
  if (has(shape, "A")) o.baseResult = 'A';
  o.baseInteger = has(shape, "int");
  return o;
}

constexpr std::array<OpInfo, 256> makeTable() {
  std::array<OpInfo, 256> t{};
#define ETZEL_BASE(number, Name, mnemonic, shape, semantics) t[number] = baseRow(#Name, mnemonic, shape, semantics);
#define ETZEL_EXT(number, Name, mnemonic, dst, srcs, types, flags, semantics) \
  t[number] = extensionRow(#Name, mnemonic, dst, srcs, types, flags, semantics);
#include "compiler/isa/isa.def"
  return t;
}
constexpr std::array<OpInfo, 256> kTable = makeTable();

constexpr const char* kTypeNames[] = {"i32", "i64", "i16", "i8", "f32", "f64", "f16"};
constexpr const char* kCmpF[] = {"oeq", "one", "olt", "ole", "ogt", "oge", "ueq",
                                 "une", "ult", "ule", "ugt", "uge", "ord", "uno"};
constexpr const char* kCmpI[] = {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
constexpr const char* kSpace[] = {"buffer", "global", "shared", "scratch", "push",   "in",
                                  "out",    "inrec",  "outrec", "patch",   "vertex", "table"};
constexpr const char* kReduce[] = {"add", "mul", "smin", "umin", "fmin", "smax", "umax", "fmax", "and", "or", "xor"};
constexpr const char* kBary[] = {"center",        "centroid",        "sample",        "offset",
                                 "center_linear", "centroid_linear", "sample_linear", "offset_linear"};
constexpr const char* kPixLd[] = {"mscount", "covmask", "covered", "offset", "centroid_offset", "my_index"};
constexpr const char* kAtomic[] = {"load", "store", "xchg", "cmpxchg", "add", "sub",  "smin", "umin",
                                   "smax", "umax",  "and",  "or",      "xor", "fadd", "fmin", "fmax"};
constexpr const char* kSys[] = {"VertexIndex",    "InstanceIndex", "BaseVertex",   "BaseInstance",   "DrawIndex",
                                "ViewIndex",      "DeviceIndex",   "PrimitiveId",  "InvocationId",   "PatchVertices",
                                "TessCoordX",     "TessCoordY",    "TessCoordZ",   "Layer",          "ViewportIndex",
                                "FragCoordX",     "FragCoordY",    "FragCoordZ",   "FragCoordW",     "FrontFacing",
                                "PointCoordX",    "PointCoordY",   "SampleId",     "SamplePosX",     "SamplePosY",
                                "SampleMaskIn",   "FullyCovered",  "PosX",         "PosY",           "CentroidX",
                                "CentroidY",      "SamplePixelX",  "SamplePixelY", "GlobalIdX",      "GlobalIdY",
                                "GlobalIdZ",      "LocalIdX",      "LocalIdY",     "LocalIdZ",       "LocalIndex",
                                "WorkgroupIdX",   "WorkgroupIdY",  "WorkgroupIdZ", "NumWorkgroupsX", "NumWorkgroupsY",
                                "NumWorkgroupsZ", "SubgroupId",    "NumSubgroups", "LaneId"};
static_assert(std::size(kSys) == abi::kSysValueCount);

uint32_t addressWords(const Inst& inst) {
  switch (static_cast<Space>(inst.sub)) {
    case Space::Buffer:
    case Space::InRecord:
    case Space::OutRecord:
    case Space::Vertex: return 1;
    case Space::Global: return 2;
    default: return 0;
  }
}

uint32_t shapeWords(OperandShape shape, const Inst& inst) {
  switch (shape) {
    case OperandShape::None: return 0;
    case OperandShape::One: return 1;
    case OperandShape::Two: return 2;
    case OperandShape::Four: return 4;
    case OperandShape::Gather: return Tld4Imm::unpack(inst.imm).resultWords();
    case OperandShape::Element: return typeWords(inst.type);
    case OperandShape::Count: return inst.count * typeWords(inst.type);
    case OperandShape::Address: return addressWords(inst);
    case OperandShape::TexArgs: return abi::TexInst::unpack(inst.imm).argWords();
    case OperandShape::TexResult: return abi::TexInst::unpack(inst.imm).resultWords();
  }
  return 0;
}

}  // namespace

const OpInfo& opInfo(Opcode op) { return kTable[static_cast<uint8_t>(op)]; }

const char* typeName(Type t) { return static_cast<size_t>(t) < std::size(kTypeNames) ? kTypeNames[size_t(t)] : "?"; }

const char* bankName(Bank b) {
  constexpr const char* names[] = {"i", "o", "c", "r", "a", "c", "#", "-"};
  return names[static_cast<uint32_t>(b) & 7];
}

uint32_t subCount(SubKind kind) {
  switch (kind) {
    case SubKind::CmpF: return std::size(kCmpF);
    case SubKind::CmpI: return std::size(kCmpI);
    case SubKind::Space: return std::size(kSpace);
    case SubKind::Reduce: return std::size(kReduce);
    case SubKind::SourceType: return std::size(kTypeNames);
    case SubKind::Bary: return std::size(kBary);
    case SubKind::PixLd: return std::size(kPixLd);
    case SubKind::Sampler: return Tld4Imm::kSamplerOfTexture + 1;
    case SubKind::None: return 1;
  }
  return 1;
}

const char* subNameOf(SubKind kind, uint32_t sub) {
  if (sub >= subCount(kind)) return "?";
  switch (kind) {
    case SubKind::CmpF: return kCmpF[sub];
    case SubKind::CmpI: return kCmpI[sub];
    case SubKind::Space: return kSpace[sub];
    case SubKind::Reduce: return kReduce[sub];
    case SubKind::SourceType: return kTypeNames[sub];
    case SubKind::Bary: return kBary[sub];
    case SubKind::PixLd: return kPixLd[sub];
    case SubKind::Sampler:
    case SubKind::None: return "";
  }
  return "";
}

const char* subName(const Inst& inst) { return subNameOf(opInfo(inst).sub, inst.sub); }

const char* atomicName(abi::AtomicOp op) { return size_t(op) < std::size(kAtomic) ? kAtomic[size_t(op)] : "?"; }

const char* sysValueName(abi::SysValue v) { return size_t(v) < std::size(kSys) ? kSys[size_t(v)] : "?"; }

uint32_t dstWords(const Inst& inst) {
  const OpInfo& info = opInfo(inst);
  if (inst.op == Opcode::Atom && abi::AtomicOp(inst.atomic) == abi::AtomicOp::Store) return 0;
  return shapeWords(info.dst, inst);
}

uint32_t srcWords(const Inst& inst, uint32_t i) {
  const OpInfo& info = opInfo(inst);
  if (i == 0 && info.sub == SubKind::SourceType) return typeWords(static_cast<Type>(inst.sub));
  if (inst.op == Opcode::Atom && i == 2) {
    const abi::AtomicOp op = static_cast<abi::AtomicOp>(inst.atomic);
    const uint32_t values = op == abi::AtomicOp::Load ? 0 : op == abi::AtomicOp::CompareExchange ? 2 : 1;
    return values * typeWords(inst.type);
  }
  if (info.src[i] == OperandShape::Gather) {
    const Tld4Imm gather = Tld4Imm::unpack(inst.imm);
    return i == 0 ? gather.coordinateWords() : gather.otherWords();
  }
  return shapeWords(info.src[i], inst);
}

bool isPure(const Inst& inst) {
  const OpInfo& info = opInfo(inst);
  if (!info.extension || info.control || info.sideEffect || !inst.dst.present()) return false;
  if (inst.op == Opcode::PixLd) return !PixLdImm::unpack(inst.imm, false).hasPredicate;
  if (inst.op == Opcode::Tld4) return !Tld4Imm::unpack(inst.imm).hasPredicate;
  if (inst.op == Opcode::Tex2) {
    const abi::TexKind kind = abi::TexInst::unpack(inst.imm).kind;
    return kind != abi::TexKind::ImageWrite && kind != abi::TexKind::ImageAtomic;
  }
  return true;
}

}  // namespace etzel::isa
