#include "compiler/spirv/constants.h"

#include <bit>
#include <cmath>

#include "runtime/abi/descriptor.h"
#include "runtime/format/small_float.h"

namespace etzel::spirv {
namespace {

uint64_t maskOf(uint32_t width) { return width >= 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1; }
int64_t signExtend(uint64_t v, uint32_t width) {
  if (width == 0 || width >= 64) return static_cast<int64_t>(v);
  return static_cast<int64_t>(v << (64 - width)) >> (64 - width);
}

double toDouble(uint64_t v, const Type& t) {
  if (t.encoding != format::FloatEncoding::Ieee) return format::encodedToFloat(t.encoding, static_cast<uint32_t>(v));
  if (t.width == 16) return simd::halfToFloat(static_cast<uint16_t>(v));
  if (t.width == 64) return std::bit_cast<double>(v);
  return std::bit_cast<float>(static_cast<uint32_t>(v));
}
uint64_t fromDouble(double d, const Type& t) {
  if (t.encoding != format::FloatEncoding::Ieee) return format::doubleToEncoded(t.encoding, d);
  if (t.width == 16) return simd::doubleToHalf(d);
  if (t.width == 64) return std::bit_cast<uint64_t>(d);
  return std::bit_cast<uint32_t>(static_cast<float>(d));
}

/// Scalar type (id) at the bottom of a scalar or vector type.
const Type& scalarType(const Module& m, uint32_t id) {
  const Type& t = m.type(id);
  return t.kind == TypeKind::Vector ? m.type(t.element) : t;
}

/// First component and type of the part of a composite that literal indices name.
bool locate(const Module& m, uint32_t type, std::span<const uint32_t> indices, uint32_t* first, uint32_t* partType) {
  *first = 0;
  for (uint32_t index : indices) {
    const Type& t = m.type(type);
    if (t.kind == TypeKind::Struct) {
      if (index >= t.members.size()) return false;
      for (uint32_t i = 0; i < index; ++i) *first += m.type(t.members[i]).components;
      type = t.members[index];
    } else {
      if (!t.element || index >= t.count) return false;
      *first += index * m.type(t.element).components;
      type = t.element;
    }
  }
  *partType = type;
  return true;
}

struct Folder {
  const Type& result;
  const Type& source;  ///< scalar type of the first operand
  spv::Op op;

  bool fold(uint64_t a, uint64_t b, uint64_t c, uint64_t* out) const {
    const uint32_t w = result.width ? result.width : 32;
    const uint32_t sw = source.width ? source.width : 32;
    const int64_t sa = signExtend(a, sw), sb = signExtend(b, sw);
    using O = spv::Op;
    uint64_t r = 0;
    switch (op) {
      case O::OpSConvert: r = static_cast<uint64_t>(sa); break;
      case O::OpUConvert: r = a; break;
      case O::OpFConvert: r = fromDouble(toDouble(a, source), result); break;
      case O::OpQuantizeToF16: {
        const uint16_t h = static_cast<uint16_t>(simd::doubleToHalf(toDouble(a, source)));
        r = fromDouble(simd::halfToFloat(h & 0x7c00 ? h : h & 0x8000), result);
        break;
      }
      case O::OpConvertFToS:
      case O::OpConvertFToU: r = static_cast<uint64_t>(static_cast<int64_t>(toDouble(a, source))); break;
      case O::OpConvertSToF: r = fromDouble(static_cast<double>(sa), result); break;
      case O::OpConvertUToF: r = fromDouble(static_cast<double>(a), result); break;
      case O::OpBitcast:
      case O::OpCopyObject: r = a; break;
      case O::OpSNegate: r = 0 - a; break;
      case O::OpNot: r = ~a; break;
      case O::OpIAdd: r = a + b; break;
      case O::OpISub: r = a - b; break;
      case O::OpIMul: r = a * b; break;
      case O::OpUDiv: r = b ? a / b : ~uint64_t(0); break;
      case O::OpUMod: r = b ? a % b : a; break;
      case O::OpSDiv:
        r = sb == 0 ? ~uint64_t(0) : sb == -1 ? 0 - static_cast<uint64_t>(sa) : static_cast<uint64_t>(sa / sb);
        break;
      case O::OpSRem: r = sb == 0 ? a : sb == -1 ? 0 : static_cast<uint64_t>(sa % sb); break;
      case O::OpSMod: {
        if (sb == 0) {
          r = a;
          break;
        }
        int64_t m = sb == -1 ? 0 : sa % sb;
        if (m != 0 && (m < 0) != (sb < 0)) m += sb;
        r = static_cast<uint64_t>(m);
        break;
      }
      case O::OpShiftRightLogical: r = b < sw ? a >> b : 0; break;
      case O::OpShiftRightArithmetic: r = static_cast<uint64_t>(sa >> (b < sw ? b : sw - 1)); break;
      case O::OpShiftLeftLogical: r = b < sw ? a << b : 0; break;
      case O::OpBitwiseOr: r = a | b; break;
      case O::OpBitwiseXor: r = a ^ b; break;
      case O::OpBitwiseAnd: r = a & b; break;
      case O::OpLogicalOr: r = a || b; break;
      case O::OpLogicalAnd: r = a && b; break;
      case O::OpLogicalNot: r = !a; break;
      case O::OpLogicalEqual: r = (a != 0) == (b != 0); break;
      case O::OpLogicalNotEqual: r = (a != 0) != (b != 0); break;
      case O::OpSelect: r = a ? b : c; break;
      case O::OpIEqual: r = a == b; break;
      case O::OpINotEqual: r = a != b; break;
      case O::OpULessThan: r = a < b; break;
      case O::OpSLessThan: r = sa < sb; break;
      case O::OpUGreaterThan: r = a > b; break;
      case O::OpSGreaterThan: r = sa > sb; break;
      case O::OpULessThanEqual: r = a <= b; break;
      case O::OpSLessThanEqual: r = sa <= sb; break;
      case O::OpUGreaterThanEqual: r = a >= b; break;
      case O::OpSGreaterThanEqual: r = sa >= sb; break;
      default: return false;
    }
    *out = result.kind == TypeKind::Bool ? r != 0 : r & maskOf(w);
    return true;
  }
};

}  // namespace

Result<Constant> foldConstant(const Module& m, uint32_t resultType, spv::Op op, std::span<const uint32_t> operands) {
  auto bad = [&](const char* why) { return Error{ErrorCode::InvalidShader, std::string("OpSpecConstantOp: ") + why}; };
  auto operand = [&](size_t i) { return i < operands.size() ? m.constant(operands[i]) : nullptr; };
  Constant out;
  out.type = resultType;
  const Type& rt = m.type(resultType);
  if (op == spv::Op::OpCompositeExtract) {
    const Constant* c = operand(0);
    uint32_t first, part;
    if (!c || !locate(m, c->type, operands.subspan(1), &first, &part)) return bad("bad composite");
    const uint32_t n = m.type(part).components;
    if (first + n > c->scalars.size()) return bad("bad composite");
    out.scalars.assign(c->scalars.begin() + first, c->scalars.begin() + first + n);
    return out;
  }
  if (op == spv::Op::OpCompositeInsert) {
    const Constant* object = operand(0);
    const Constant* c = operand(1);
    uint32_t first, part;
    if (!c || !object || !locate(m, c->type, operands.subspan(2), &first, &part)) return bad("bad composite");
    out.scalars = c->scalars;
    if (first + object->scalars.size() > out.scalars.size()) return bad("bad composite");
    std::copy(object->scalars.begin(), object->scalars.end(), out.scalars.begin() + first);
    return out;
  }
  if (op == spv::Op::OpVectorShuffle) {
    const Constant* a = operand(0);
    const Constant* b = operand(1);
    if (!a || !b) return bad("bad vector");
    for (size_t i = 2; i < operands.size(); ++i) {
      const uint32_t s = operands[i];
      if (s == 0xffffffffu)
        out.scalars.push_back(0);
      else if (s < a->scalars.size())
        out.scalars.push_back(a->scalars[s]);
      else if (s - a->scalars.size() < b->scalars.size())
        out.scalars.push_back(b->scalars[s - a->scalars.size()]);
      else
        return bad("bad shuffle");
    }
    return out;
  }
  const Constant* a = operand(0);
  const Constant* b = operand(1);
  const Constant* c = operand(2);
  if (!a) return bad("an operand is not a constant");
  const Folder folder{scalarType(m, resultType), scalarType(m, a->type), op};
  auto at = [](const Constant* k, size_t i) {
    return !k || k->scalars.empty() ? uint64_t(0) : k->scalars[i < k->scalars.size() ? i : 0];
  };
  for (uint32_t i = 0; i < std::max(rt.components, 1u); ++i) {
    uint64_t v = 0;
    if (!folder.fold(at(a, i), at(b, i), at(c, i), &v))
      return Error{ErrorCode::Unsupported, "OpSpecConstantOp with opcode " + std::to_string(static_cast<uint32_t>(op))};
    out.scalars.push_back(v);
  }
  return out;
}

std::vector<uint64_t> nullOf(const Module& m, uint32_t type) {
  std::vector<uint64_t> out;
  struct Part {
    uint32_t type, next = 0;
  };
  std::vector<Part> open{{type}};  // types may hold each other deeper than a stack is
  while (!open.empty()) {
    Part& part = open.back();
    const Type& t = m.type(part.type);
    const bool isStruct = t.kind == TypeKind::Struct, isArray = t.kind == TypeKind::Array && t.components;
    if (part.next < (isStruct ? t.members.size() : isArray ? t.count : 0)) {
      const uint32_t at = part.next++;
      open.push_back({isStruct ? t.members[at] : t.element});
      continue;
    }
    if (!isStruct && !isArray) {
      const size_t first = out.size();
      out.resize(first + t.components);
      if (t.kind == TypeKind::Pointer && t.components > 1) out[first] = abi::kNullHandle;
      if (t.kind == TypeKind::Pointer && t.storage == spv::StorageClass::Workgroup) out[first] = abi::kNullShared;
    }
    open.pop_back();
  }
  return out;
}

}  // namespace etzel::spirv
