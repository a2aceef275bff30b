// Values, types and operands: the part of the Lowerer that every family of instructions stands on.
#include <algorithm>
#include <bit>

#include "compiler/lower/lower.h"

namespace etzel::lower {

Lowerer::Lowerer(const spirv::Module& m, const ShaderSource& s, isa::Program& p, DebugRecord* d)
    : module(m), source(s), program(p), b(p), debug(d) {
  for (const spirv::Variable& v : m.variables) moduleVariables_[v.id] = &v;
}

void Lowerer::error(ErrorCode code, std::string message) {
  if (!error_) error_ = Error{code, std::move(message)};
}
void Lowerer::unsupported(const spirv::Instruction& inst, const char* why) {
  error(ErrorCode::Unsupported, "SPIR-V opcode " + std::to_string(static_cast<uint32_t>(inst.op)) + " (result %" +
                                    std::to_string(inst.result) + ") is not supported " + why);
}

// --- Types

uint32_t Lowerer::typeOf(uint32_t id) const {
  if (const spirv::Constant* c = module.constant(id)) return c->type;
  if (auto v = moduleVariables_.find(id); v != moduleVariables_.end()) return v->second->pointerType;
  auto it = typeOfId_.find(id);
  return it == typeOfId_.end() ? 0 : it->second;
}

uint32_t Lowerer::scalarTypeOf(uint32_t typeId) const {
  for (uint32_t depth = 0; depth < 8; ++depth) {
    const spirv::Type& t = type(typeId);
    if (t.kind != TypeKind::Vector && t.kind != TypeKind::Matrix && t.kind != TypeKind::Array) return typeId;
    typeId = t.element;
  }
  return typeId;
}

isa::Type Lowerer::isaType(uint32_t typeId) const {
  const spirv::Type& t = type(scalarTypeOf(typeId));
  switch (t.kind) {
    case TypeKind::Int:
      return t.width == 64   ? isa::Type::I64
             : t.width == 16 ? isa::Type::I16
             : t.width == 8  ? isa::Type::I8
                             : isa::Type::I32;
    case TypeKind::Float:
      if (t.encoding != format::FloatEncoding::Ieee)  // bits: nothing computes on them (encoded_float.h)
        return t.width == 8 ? isa::Type::I8 : isa::Type::I16;
      return t.width == 64 ? isa::Type::F64 : t.width == 16 ? isa::Type::F16 : isa::Type::F32;
    case TypeKind::Pointer:
      return t.storage == spv::StorageClass::PhysicalStorageBuffer ? isa::Type::I64 : isa::Type::I32;
    default: return isa::Type::I32;
  }
}

uint32_t Lowerer::widthOf(uint32_t typeId) const {
  const spirv::Type& t = type(scalarTypeOf(typeId));
  if (t.kind == TypeKind::Pointer && t.storage == spv::StorageClass::PhysicalStorageBuffer) return 64;
  return t.width ? t.width : 32;
}

const std::vector<uint32_t>& Lowerer::scalarsOf(uint32_t typeId) {
  auto it = scalars_.find(typeId);
  if (it != scalars_.end()) return it->second;
  const spirv::Type& t = type(typeId);
  std::vector<uint32_t> out;
  if (t.components > 1u << 16) {
    error(ErrorCode::Unsupported, "a value has more than 65536 components");
    return scalars_[typeId];
  }
  if (t.kind == TypeKind::Struct) {
    for (uint32_t member : t.members) {
      const std::vector<uint32_t> part = scalarsOf(member);
      out.insert(out.end(), part.begin(), part.end());
    }
  } else if (t.kind == TypeKind::Vector || t.kind == TypeKind::Matrix || t.kind == TypeKind::Array) {
    const std::vector<uint32_t> part = scalarsOf(t.element);
    for (uint32_t i = 0; i < t.count && !part.empty(); ++i) out.insert(out.end(), part.begin(), part.end());
  } else {
    out.assign(t.components, typeId);
  }
  return scalars_[typeId] = std::move(out);
}

// --- Constants. They live in the PARAM bank, one word once; programs with very many constants fall back to
// immediates at the place of use.

namespace {
constexpr uint32_t kMaxConstantWords = 960;
}

Operand Lowerer::imm(uint32_t bits) {
  auto it = constantWords_.find(bits);
  if (it != constantWords_.end()) return {isa::Bank::Param, it->second};
  if (constantCount_ >= kMaxConstantWords) return b.imm(bits);
  const uint32_t word = constantCount_++;
  if (word % 4 == 0) program.constants.push_back({});
  program.constants[word / 4][word % 4] = bits;
  constantWords_[bits] = word;
  return {isa::Bank::Param, word};
}

Operand Lowerer::imm64(uint64_t bits) {
  auto it = constantPairs_.find(bits);
  if (it != constantPairs_.end()) return {isa::Bank::Param, it->second};
  if (constantCount_ + 2 > kMaxConstantWords) return b.imm64(bits);
  const uint32_t first = constantCount_;
  for (uint32_t half : {static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)}) {
    const uint32_t word = constantCount_++;
    if (word % 4 == 0) program.constants.push_back({});
    program.constants[word / 4][word % 4] = half;
    constantWords_.emplace(half, word);
  }
  constantPairs_[bits] = first;
  return {isa::Bank::Param, first};
}

namespace {
uint16_t halfOf(float f) {
  const uint32_t x = std::bit_cast<uint32_t>(f);
  const uint32_t sign = x >> 16 & 0x8000, magnitude = x & 0x7fffffff;
  if (magnitude >= 0x7f800000) return static_cast<uint16_t>(sign | 0x7c00 | (magnitude > 0x7f800000 ? 0x200 : 0));
  if (magnitude >= 0x477ff000) return static_cast<uint16_t>(sign | 0x7c00);
  if (magnitude < 0x38800000) {  // subnormal halves: let a float addition round
    const float rounded = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(rounded) - 0x3f000000));
  }
  const uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000) >> 13));
}
}  // namespace

Operand Lowerer::immFloat(uint32_t scalarType, double value) {
  switch (isaType(scalarType)) {
    case isa::Type::F64: return imm64(std::bit_cast<uint64_t>(value));
    case isa::Type::F16: return imm(halfOf(static_cast<float>(value)));
    default: return immF(static_cast<float>(value));
  }
}

bool Lowerer::constantU32(uint32_t id, uint32_t* value) const {
  const spirv::Constant* c = module.constant(id);
  if (!c || c->scalars.size() != 1) return false;
  *value = static_cast<uint32_t>(c->scalars[0]);
  return true;
}

// --- Values

const Value& Lowerer::valueOf(uint32_t id) {
  auto it = values_.find(id);
  if (it != values_.end() && it->second.present) return it->second;
  Value& v = values_[id];
  v.type = typeOf(id);
  v.components.clear();
  if (const spirv::Constant* c = module.constant(id)) {
    const std::vector<uint32_t>& scalars = scalarsOf(c->type);
    bool shared = true;
    for (size_t i = 0; i < c->scalars.size() && i < scalars.size(); ++i) {
      const bool isBool = type(scalars[i]).kind == TypeKind::Bool;
      const Operand o = immOf(scalars[i], isBool && c->scalars[i] ? 0xffffffffu : c->scalars[i]);
      shared &= o.bank == isa::Bank::Param;
      v.components.push_back(o);
    }
    v.present = shared;  // immediates are valid only where they were made
    return v;
  }
  if (type(v.type).kind == TypeKind::Pointer && (pointers_.count(id) || moduleVariables_.count(id))) {
    std::vector<Operand> words = pointerWords(pointer(id));
    Value& again = values_[id];
    again.components = std::move(words);
    return again;
  }
  // Only code that nothing reaches may use what was never made.
  if (!v.type) error(ErrorCode::InvalidShader, "%" + std::to_string(id) + " is used but has no value");
  v.components.assign(std::max<size_t>(scalarsOf(v.type).size(), 1), imm64(0));
  return v;
}

const std::vector<Operand>& Lowerer::components(uint32_t id) { return valueOf(id).components; }

Operand Lowerer::componentOf(uint32_t id, uint32_t i) {
  const std::vector<Operand>& c = valueOf(id).components;
  return i < c.size() ? c[i] : imm64(0);
}

void Lowerer::setResult(const spirv::Instruction& inst, std::vector<Operand> components) {
  const std::vector<uint32_t>& scalars = scalarsOf(inst.type);
  if (components.size() != scalars.size()) {
    error(ErrorCode::InvalidShader,
          "%" + std::to_string(inst.result) + " does not have as many components as its type");
    components.resize(scalars.size(), imm64(0));
  }
  // A value that leaves its loop must survive the iterations of the lanes that stay behind.
  if (escapingIds_.count(inst.result))
    for (size_t i = 0; i < components.size(); ++i) {
      const uint32_t words = wordsOfScalar(scalars[i]);
      if (components[i].bank == isa::Bank::Param) continue;
      const Operand copy = newTemp(words);
      b.moveMasked(copy, components[i], words);
      components[i] = copy;
    }
  pointers_.erase(inst.result);
  values_[inst.result] = Value{inst.type, std::move(components), true};
}

// --- Operands

std::vector<Operand> Lowerer::split(Operand first, uint32_t count, uint32_t wordsEach) {
  std::vector<Operand> out(count);
  for (uint32_t i = 0; i < count; ++i) out[i] = word(first, i * wordsEach);
  return out;
}

bool Lowerer::isOneRegister(Operand first, uint32_t words) const {
  if (first.bank != isa::Bank::Temp) return true;
  auto group = std::upper_bound(program.groups.begin(), program.groups.end(), first.word,
                                [](uint32_t w, const isa::TempGroup& g) { return w < g.first; });
  return group != program.groups.begin() && first.word + words <= (group - 1)->first + (group - 1)->words;
}

Operand Lowerer::consecutive(std::span<const Operand> parts, uint32_t wordsEach) {
  if (parts.empty()) return {};
  // How many parts from `i` are one run of words already.
  auto runFrom = [&](size_t i) {
    size_t n = 1;
    while (i + n < parts.size() && parts[i + n].bank == parts[i].bank &&
           parts[i + n].word == parts[i].word + n * wordsEach &&
           isOneRegister(parts[i], static_cast<uint32_t>(n + 1) * wordsEach))
      ++n;
    return n;
  };
  if (runFrom(0) == parts.size()) return parts[0];
  const Operand out = newTemp(static_cast<uint32_t>(parts.size()) * wordsEach);
  for (size_t i = 0; i < parts.size();) {
    const size_t n = runFrom(i);  // one move
    b.move(word(out, static_cast<uint32_t>(i) * wordsEach), parts[i], static_cast<uint32_t>(n) * wordsEach);
    i += n;
  }
  return out;
}

std::vector<Operand> Lowerer::map(Opcode op, isa::Type t, const std::vector<Operand>& x, const std::vector<Operand>& y,
                                  const std::vector<Operand>& z, uint8_t sub) {
  auto at = [](const std::vector<Operand>& v, size_t i) {
    return v.empty() ? Operand{} : v[i < v.size() ? i : v.size() - 1];
  };
  std::vector<Operand> out(std::max({x.size(), y.size(), z.size()}));
  for (size_t i = 0; i < out.size(); ++i) out[i] = b.value(op, t, at(x, i), at(y, i), at(z, i), sub);
  return out;
}

Operand Lowerer::toWord(Operand o, uint32_t typeId) {
  const spirv::Type& t = type(scalarTypeOf(typeId));
  if (t.kind != TypeKind::Int || t.width >= 32) return o;  // the low word comes first
  if (!t.isSigned) return o;
  return b.convert(Opcode::CvtSS, isa::Type::I32, isaType(typeId), o);
}

}  // namespace etzel::lower
