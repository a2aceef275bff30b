// Reads and writes of stage inputs and outputs, at the places that interface.cpp gave them; interpolation.
#include <algorithm>

#include "compiler/lower/lower.h"

namespace etzel::lower {

using spv::BuiltIn;

Operand Lowerer::barycentrics(isa::BaryMode mode, bool linear) {
  auto it = barycentrics_.find({static_cast<int>(mode), linear});
  if (it != barycentrics_.end()) return it->second;
  const Operand ij = inPrologue([&] {
    return b.value(Opcode::Bary, isa::Type::I32, {}, {}, {},
                   static_cast<uint8_t>(static_cast<uint32_t>(mode) | (linear ? 4 : 0)));
  });
  barycentrics_[{static_cast<int>(mode), linear}] = ij;
  return ij;
}

/// One component of an interface variable in a register: fragment inputs, banks, builtins.
Operand Lowerer::readIo(const Variable& v, uint32_t component, uint32_t words) {
  const IoComponent& c = v.io[component];
  switch (c.kind) {
    case IoComponent::Kind::System: return sys(c.system);
    case IoComponent::Kind::Special: return specialBuiltin(c);
    case IoComponent::Kind::Interpolated: {
      const Operand ij = barycentrics(c.bary, c.linear);
      return b.value(Opcode::Intrp, isa::Type::I32, ij, word(ij, 1), {}, 0, c.word);
    }
    case IoComponent::Kind::Flat: {
      const Operand out = newTemp(words);
      for (uint32_t k = 0; k < words; ++k) b.emit(Opcode::Flat, isa::Type::I32, word(out, k), {}, 0, c.word + k);
      return out;
    }
    default: break;
  }
  if (v.storage == spv::StorageClass::Input) return {isa::Bank::In, c.word};
  const Operand out = newTemp(words);  // outputs may change after the load
  b.move(out, {isa::Bank::Out, c.word}, words);
  return out;
}

/// Inputs that have no memory of their own (interpolated values, builtins) but are indexed dynamically.
uint32_t Lowerer::scratchCopyOf(Variable& v) {
  if (v.hasScratchCopy) return v.scratchCopy;
  v.hasScratchCopy = true;
  v.scratchCopy = program.scratchBytes;
  uint32_t last = v.io[0].word;
  const std::vector<uint32_t>& scalars = scalarsOf(v.type);
  for (size_t i = 0; i < v.io.size(); ++i) last = std::max(last, v.io[i].word + wordsOfScalar(scalars[i]));
  program.scratchBytes += 4 * (last - v.io[0].word);
  inPrologue([&] {
    for (uint32_t i = 0; i < v.io.size(); ++i) {
      const uint32_t words = wordsOfScalar(scalars[i]);
      b.store(isa::Space::Scratch, isa::Type::I32, {}, {},
              consecutive(std::vector<Operand>{readIo(v, i, words)}, words),
              v.scratchCopy + 4 * (v.io[i].word - v.io[0].word), words);
    }
    return 0;
  });
  return v.scratchCopy;
}

namespace {
/// Interface words hold 32-bit values; 8- and 16-bit components are converted at the border.
bool isNarrow(Lowerer& l, uint32_t scalarType) {
  const spirv::Type& t = l.type(scalarType);
  return (t.kind == TypeKind::Float || t.kind == TypeKind::Int) && t.width < 32;
}
Operand narrow(Lowerer& l, uint32_t scalarType, Operand o) {
  const spirv::Type& t = l.type(scalarType);
  if (!isNarrow(l, scalarType)) return o;
  if (t.kind == TypeKind::Float) return l.b.convert(Opcode::CvtFF, isa::Type::F16, isa::Type::F32, o);
  return l.b.convert(Opcode::CvtUU, l.isaType(scalarType), isa::Type::I32, o);
}
Operand widen(Lowerer& l, uint32_t scalarType, Operand o) {
  const spirv::Type& t = l.type(scalarType);
  if (!isNarrow(l, scalarType)) return o;
  if (t.kind == TypeKind::Float) return l.b.convert(Opcode::CvtFF, isa::Type::F32, isa::Type::F16, o);
  return l.b.convert(t.isSigned ? Opcode::CvtSS : Opcode::CvtUU, isa::Type::I32, l.isaType(scalarType), o);
}
}  // namespace

std::vector<Operand> Lowerer::loadInterface(const Pointer& p) {
  Variable& v = *p.variable;
  std::vector<Operand> out;
  if (p.perVertex) {  // every vertex of the array
    for (uint32_t i = 0; i < v.vertices && !failed(); ++i) {
      Pointer one = p;
      one.perVertex = false, one.type = type(p.type).element, one.address = imm(i);
      const std::vector<Operand> part = loadInterface(one);
      out.insert(out.end(), part.begin(), part.end());
    }
    return out;
  }
  const std::vector<uint32_t> scalars = scalarsOf(p.type);
  if (p.first + scalars.size() > v.io.size()) {
    error(ErrorCode::InvalidShader, "a load reads past its variable");
    out.assign(scalars.size(), imm64(0));
    return out;
  }
  for (size_t i = 0; i < scalars.size();) {
    const IoComponent& c = v.io[p.first + i];
    const uint32_t words = wordsOfScalar(scalars[i]);
    const bool plain = c.kind == IoComponent::Kind::Word;
    if ((plain && v.banked && !p.offset.present()) || (!plain && !p.offset.present())) {
      out.push_back(narrow(*this, scalars[i], readIo(v, p.first + static_cast<uint32_t>(i), words)));
      ++i;
      continue;
    }
    // Memory: neighbouring words in one load.
    size_t n = 1;
    uint32_t total = words;
    while (i + n < scalars.size() && v.io[p.first + i + n].kind == c.kind &&
           v.io[p.first + i + n].word == c.word + total && total + wordsOfScalar(scalars[i + n]) <= 8)
      total += wordsOfScalar(scalars[i + n++]);
    Operand data;
    if (plain) {
      const isa::Space space = !v.banked                               ? v.space
                               : v.storage == spv::StorageClass::Input ? isa::Space::InRegister
                                                                       : isa::Space::OutRegister;
      data = b.load(space, isa::Type::I32, p.address, p.offset, c.word, total);
    } else {
      const uint32_t base = scratchCopyOf(v);
      const Operand bytes = b.value(Opcode::Shl, isa::Type::I32, p.offset, imm(2));
      data = b.load(isa::Space::Scratch, isa::Type::I32, {}, bytes, base + 4 * (c.word - v.io[0].word), total);
    }
    for (size_t k = 0; k < n; ++k) {
      out.push_back(narrow(*this, scalars[i + k], data));
      data.word += wordsOfScalar(scalars[i + k]);
    }
    i += n;
  }
  return out;
}

void Lowerer::storeInterface(const Pointer& p, const std::vector<Operand>& value) {
  Variable& v = *p.variable;
  if (v.storage == spv::StorageClass::Input) return error(ErrorCode::InvalidShader, "a store to an input");
  if (p.perVertex) {
    const uint32_t n = type(type(p.type).element).components;
    for (uint32_t i = 0; i < v.vertices && (i + 1) * n <= value.size(); ++i) {
      Pointer one = p;
      one.perVertex = false, one.type = type(p.type).element, one.address = imm(i);
      storeInterface(one, std::vector<Operand>(value.begin() + i * n, value.begin() + (i + 1) * n));
    }
    return;
  }
  const std::vector<uint32_t> scalars = scalarsOf(p.type);
  if (p.first + scalars.size() > v.io.size())
    return error(ErrorCode::InvalidShader, "a store writes past its variable");
  for (size_t i = 0; i < scalars.size();) {
    const IoComponent& c = v.io[p.first + i];
    switch (c.builtin) {
      case BuiltIn::PointSize: info().writesPointSize = true; break;
      case BuiltIn::Layer: info().writesLayer = true; break;
      case BuiltIn::ViewportIndex: info().writesViewportIndex = true; break;
      case BuiltIn::PrimitiveId: info().writesPrimitiveId = true; break;
      case BuiltIn::PrimitiveShadingRateKHR: info().writesShadingRate = true; break;
      case BuiltIn::FragDepth: info().writesDepth = true; break;
      case BuiltIn::SampleMask: info().writesSampleMask = true; break;
      case BuiltIn::FragStencilRefEXT: info().writesStencilRef = true; break;
      case BuiltIn::ClipDistance: info().clipDistances = outputClips_; break;
      case BuiltIn::CullDistance: {
        uint32_t n = 0;
        for (const IoComponent& other : v.io) n += other.builtin == BuiltIn::CullDistance;
        info().clipDistances = outputClips_, info().cullDistances = n;
        break;
      }
      default: break;
    }
    const uint32_t words = wordsOfScalar(scalars[i]);
    if (isNarrow(*this, scalars[i])) {
      const Operand wide = widen(*this, scalars[i], value[i]);
      if (v.banked && !p.offset.present())
        b.moveMasked({isa::Bank::Out, c.word}, wide);
      else
        b.store(v.banked ? isa::Space::OutRegister : v.space, isa::Type::I32, p.address, p.offset, wide, c.word);
      ++i;
      continue;
    }
    size_t n = 1;
    uint32_t total = words;
    while (i + n < scalars.size() && v.io[p.first + i + n].word == c.word + total &&
           v.io[p.first + i + n].builtin == c.builtin && total + wordsOfScalar(scalars[i + n]) <= 8 &&
           wordsOfScalar(scalars[i + n]) == words && !isNarrow(*this, scalars[i + n]))
      total += wordsOfScalar(scalars[i + n++]);
    if (v.banked && !p.offset.present()) {
      for (size_t k = 0; k < n;) {  // joined where the sources are neighbours already
        size_t run = 1;
        while (k + run < n && value[i + k + run].bank == value[i + k].bank && value[i + k].bank != isa::Bank::Temp &&
               value[i + k + run].word == value[i + k].word + run * words)
          ++run;
        if (run == 1 && k == 0 && n > 1 && value[i].bank == isa::Bank::Temp) {
          bool together = true;
          for (size_t j = 1; j < n; ++j)
            together &= value[i + j].bank == isa::Bank::Temp && value[i + j].word == value[i].word + j * words;
          if (together) {
            b.moveMasked({isa::Bank::Out, c.word}, consecutive(std::span(value).subspan(i, n), words), total);
            break;
          }
        }
        b.moveMasked({isa::Bank::Out, c.word + static_cast<uint32_t>(k) * words}, value[i + k],
                     static_cast<uint32_t>(run) * words);
        k += run;
      }
    } else {
      b.store(v.banked ? isa::Space::OutRegister : v.space, isa::Type::I32, p.address, p.offset,
              consecutive(std::span(value).subspan(i, n), words), c.word, total);
    }
    i += n;
  }
}

std::vector<Operand> Lowerer::interpolateWith(const Pointer& p, const std::function<Operand(bool)>& barycentricsFor) {
  if (p.kind != Pointer::Kind::Register || !p.variable || p.variable->io.empty() || p.perVertex || p.address.present())
    return load(p);
  const std::vector<uint32_t> scalars = scalarsOf(p.type);
  if (p.first + scalars.size() > p.variable->io.size()) return load(p);
  std::vector<Operand> out;
  for (uint32_t i = 0; i < scalars.size(); ++i) {
    const IoComponent& c = p.variable->io[p.first + i];
    if (c.kind != IoComponent::Kind::Interpolated) return load(p);
    const Operand ij = barycentricsFor(c.linear);
    Operand value;
    if (!p.offset.present()) {
      value = b.value(Opcode::Intrp, isa::Type::I32, ij, word(ij, 1), {}, 0, c.word);
    } else {  // kernel.h: a0 + i * (a1 - a0) + j * (a2 - a0)
      Operand a[3];
      for (uint32_t k = 0; k < 3; ++k) a[k] = b.load(isa::Space::InRecord, isa::Type::I32, imm(k), p.offset, c.word);
      auto f = [&](Opcode op, Operand x, Operand y) { return b.value(op, isa::Type::F32, x, y); };
      const Operand di = f(Opcode::FMul, ij, f(Opcode::FSub, a[1], a[0]));
      const Operand dj = f(Opcode::FMul, word(ij, 1), f(Opcode::FSub, a[2], a[0]));
      value = f(Opcode::FAdd, f(Opcode::FAdd, a[0], di), dj);
    }
    out.push_back(narrow(*this, scalars[i], value));
  }
  return out;
}

}  // namespace etzel::lower
