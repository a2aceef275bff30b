#include "compiler/debug/type_table.h"

namespace etzel::debugger {
namespace {

using format::FloatEncoding;

/// GLSL's prefix of vectors and matrices of a scalar.
std::string prefixOf(const Type& scalar) {
  switch (scalar.kind) {
    case Type::Kind::Bool: return "b";
    case Type::Kind::Int: return scalar.bits == 32 ? "i" : "i" + std::to_string(scalar.bits);
    case Type::Kind::Uint: return scalar.bits == 32 ? "u" : "u" + std::to_string(scalar.bits);
    default: break;
  }
  switch (scalar.encoding) {
    case FloatEncoding::Brain: return "bf16";
    case FloatEncoding::E4M3: return "fe4m3";
    case FloatEncoding::E5M2: return "fe5m2";
    default: return scalar.bits == 64 ? "d" : scalar.bits == 16 ? "f16" : "";
  }
}

std::string floatName(const spirv::Type& t) {
  switch (t.encoding) {
    case FloatEncoding::Brain: return "bfloat16_t";
    case FloatEncoding::E4M3: return "floate4m3_t";
    case FloatEncoding::E5M2: return "floate5m2_t";
    default: return t.width == 64 ? "double" : t.width == 16 ? "float16_t" : "float";
  }
}

}  // namespace

uint32_t TypeTable::of(uint32_t id, uint32_t debugType) {
  if (auto it = known_.find(id); it != known_.end()) return it->second;
  Type type = make(id, debugType);
  const uint32_t index = static_cast<uint32_t>(types_.size());
  types_.push_back(std::move(type));
  return known_[id] = index;
}

Type TypeTable::make(uint32_t id, uint32_t debugType) {
  using Kind = Type::Kind;
  using spirv::TypeKind;
  const spirv::Type& t = module_.type(id);
  Type out;
  out.count = t.count;
  const auto scalar = [&](Kind kind, std::string name) {
    out.kind = kind, out.bits = t.width ? t.width : 32;
    if (t.kind != TypeKind::Float && out.bits != 32) name += std::to_string(out.bits) + "_t";
    out.name = std::move(name);
  };
  const auto element = [&](Kind kind) -> const Type& {
    out.kind = kind, out.element = of(t.element);
    return types_[out.element];
  };
  switch (t.kind) {
    case TypeKind::Void: out.name = "void"; break;
    case TypeKind::Bool: scalar(Kind::Bool, "bool"); break;
    case TypeKind::Int: scalar(t.isSigned ? Kind::Int : Kind::Uint, t.isSigned ? "int" : "uint"); break;
    case TypeKind::Float: scalar(Kind::Float, floatName(t)), out.encoding = t.encoding; break;
    case TypeKind::Vector: out.name = prefixOf(element(Kind::Vector)) + "vec" + std::to_string(t.count); break;
    case TypeKind::Matrix: {
      const Type& column = element(Kind::Matrix);
      out.name = prefixOf(types_[column.element]) + "mat" + std::to_string(t.count);
      if (column.count != t.count) out.name += "x" + std::to_string(column.count);
      break;
    }
    case TypeKind::Array:
    case TypeKind::RuntimeArray: {
      const bool sized = t.kind == TypeKind::Array;
      const Type& of = element(sized ? Kind::Array : Kind::RuntimeArray);
      const size_t brackets = of.kind == Kind::Array ? of.name.find('[') : of.name.size();
      out.name = of.name.substr(0, brackets) + "[" + (sized ? std::to_string(t.count) : "") + "]" +
                 of.name.substr(std::min(brackets, of.name.size()));
      out.stride = module_.decorationsOf(id).get(spv::Decoration::ArrayStride);
      break;
    }
    case TypeKind::Struct: {
      out.kind = Kind::Struct;
      const auto debugMembers = info_.members.find(debugType);
      auto name = module_.names.find(id);
      if (name != module_.names.end()) out.name = name->second;
      if (auto known = info_.typeNames.find(debugType); out.name.empty() && known != info_.typeNames.end())
        out.name = known->second;
      if (out.name.empty()) out.name = "%" + std::to_string(id);
      for (uint32_t i = 0; i < t.members.size(); ++i) {
        Type::Member member;
        const spirv::Decorations& d = module_.memberDecorationsOf(id, i);
        if (auto known = info_.memberNames.find({id, i}); known != info_.memberNames.end())
          member.name = known->second;
        else if (debugMembers != info_.members.end() && i < debugMembers->second.size())
          member.name = debugMembers->second[i];
        else
          member.name = "_" + std::to_string(i);
        member.type = of(t.members[i]);
        member.offset = d.get(spv::Decoration::Offset);
        member.matrixStride = d.get(spv::Decoration::MatrixStride);
        member.rowMajor = d.has(spv::Decoration::RowMajor);
        out.members.push_back(std::move(member));
      }
      break;
    }
    case TypeKind::Pointer:
      out.kind = Kind::Pointer, out.name = "pointer", out.bits = t.components == 1 ? 64 : 32;
      out.count = std::max(t.components, 2u);
      break;
    case TypeKind::Image: out.kind = Kind::Opaque, out.name = t.sampled == 2 ? "image" : "texture"; break;
    case TypeKind::SampledImage: out.kind = Kind::Opaque, out.name = "sampler with texture"; break;
    case TypeKind::Sampler: out.kind = Kind::Opaque, out.name = "sampler"; break;
    default: out.kind = Kind::Opaque, out.name = "%" + std::to_string(id); break;
  }
  return out;
}

}  // namespace etzel::debugger
