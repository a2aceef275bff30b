#include "compiler/debug/value.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "compiler/debug/layout.h"
#include "compiler/exec/interp/stepper.h"
#include "runtime/base/float_text.h"
#include "runtime/format/small_float.h"

namespace etzel::debugger {
namespace {

using Kind = Type::Kind;

/// What a variable's type consists of, in the order of its components or from its layout in memory.
class Reader {
 public:
  Reader(const DebugProgram& program, const abi::Warp& warp, uint32_t lane, const WrittenWords* written)
      : program_(program), warp_(warp), lane_(lane), written_(written) {}

  Value read(const Variable& v) {
    using Place = lower::DebugPlace::Kind;
    place_ = &v.place;
    at_ = v.place.at / 4;
    switch (v.place.kind) {
      case Place::Home:
        home_ = true;
        at_ += program_.record.homeBase / 4;
        return components(v.type);
      case Place::Scratch:
      case Place::Table:
      case Place::Output:
      case Place::Record: return components(v.type);
      case Place::Push: return memory({v.type, v.place.at}, {warp_.context->pushConstants, 256}, true);
      case Place::Shared: {
        const std::span bytes(static_cast<const std::byte*>(warp_.shared), program_.program.info.sharedBytes);
        return memory({v.type, v.place.at}, bytes, v.place.decorated);
      }
      case Place::Buffer: {
        const isa::Resource& r = program_.program.resources[v.place.at];
        if (v.place.element >= r.count) return nowhere(v.type);
        const auto bytes = interp::bufferBytes(*warp_.context, r.baseHandle + v.place.element * (r.strideBytes / 16));
        if (bytes.empty()) return nowhere(v.type);
        return memory({v.type, 0}, bytes, true);
      }
      default: return nowhere(v.type);
    }
  }

 private:
  const Type& type(uint32_t index) const { return program_.types[index]; }

  static Value nowhere(uint32_t type) {
    Value v;
    v.state = Value::State::Nowhere, v.type = type;
    return v;
  }

  // --- Components, one word or two each, one after the other

  /// The next word of the place.
  uint32_t word(Value& v) {
    using Place = lower::DebugPlace::Kind;
    if (place_->kind == Place::Table) return program_.program.table[at_++];
    if (isOutput(*place_)) {
      const uint32_t* const at = outputWord(program_, warp_, lane_, *place_, component_, half_);
      if (!at) v.state = Value::State::Nowhere;
      return at ? *at : 0;
    }
    const uint32_t w = at_++;
    if (home_ && written_) {
      const size_t index = w - program_.record.homeBase / 4;
      if (index >= written_->lanes.size() || !(written_->lanes[index] >> lane_ & 1)) v.state = Value::State::Unset;
    }
    uint32_t bits;
    std::memcpy(&bits, warp_.scratch + (size_t(w) * kWarpLanes + lane_) * 4, 4);
    return bits;
  }

  /// A value whose parts are all unset is unset.
  static Value whole(Value v) {
    const auto unset = [](const Value& part) { return part.state == Value::State::Unset; };
    if (!v.parts.empty() && std::all_of(v.parts.begin(), v.parts.end(), unset)) v.state = Value::State::Unset;
    return v;
  }

  Value components(uint32_t index) {
    const Type& t = type(index);
    Value v;
    v.type = index;
    switch (t.kind) {
      case Kind::Vector:
      case Kind::Matrix:
      case Kind::Array:
        for (uint32_t i = 0; i < t.count; ++i) v.parts.push_back(components(t.element));
        return whole(std::move(v));
      case Kind::Struct:
        for (const Type::Member& m : t.members) v.parts.push_back(components(m.type));
        return whole(std::move(v));
      case Kind::Void:
      case Kind::RuntimeArray:
      case Kind::Opaque: return nowhere(index);
      default: break;
    }
    half_ = 0;
    v.bits = word(v);
    if (t.bits == 64) {
      half_ = 1;
      v.bits |= uint64_t(word(v)) << 32;
    }
    ++component_;
    // The interface widens what has fewer than 32 bits.
    if (isOutput(*place_) && t.bits < 32)
      v.bits = t.kind == Kind::Float ? simd::floatToHalf(std::bit_cast<float>(uint32_t(v.bits)))
                                     : v.bits & ((1u << t.bits) - 1);
    return v;
  }

  // --- Memory

  Value memory(const Laid& part, std::span<const std::byte> bytes, bool decorated) const {
    const Type& t = type(part.type);
    if (t.kind == Kind::Void || t.kind == Kind::Opaque) return nowhere(part.type);
    Value v;
    v.type = part.type;
    if (isScalar(t) || t.kind == Kind::Pointer) {
      const uint32_t size = t.kind == Kind::Bool ? 4 : t.bits / 8;
      if (part.at + size > bytes.size()) return nowhere(part.type);
      std::memcpy(&v.bits, bytes.data() + part.at, size);
      return v;
    }
    const uint64_t count = std::min<uint64_t>(laidParts(program_, part, bytes.size()), kMaxElements);
    for (uint32_t i = 0; i < count; ++i)
      v.parts.push_back(memory(laidPart(program_, part, i, decorated), bytes, decorated));
    return v;
  }

  const DebugProgram& program_;
  const abi::Warp& warp_;
  uint32_t lane_;
  const WrittenWords* written_;
  const lower::DebugPlace* place_ = nullptr;
  uint32_t at_ = 0, component_ = 0, half_ = 0;
  bool home_ = false;
};

std::string number(float value) { return shortestText(value); }
std::string number(double value) { return shortestText(value); }
std::string number(int64_t value) { return std::to_string(value); }
std::string number(uint64_t value) { return std::to_string(value); }

std::string scalarText(const Type& t, uint64_t bits) {
  switch (t.kind) {
    case Kind::Bool: return bits ? "true" : "false";
    case Kind::Int: {
      const uint32_t unused = 64 - t.bits;
      return number(static_cast<int64_t>(bits << unused) >> unused);
    }
    case Kind::Float:
      if (t.bits == 64) return number(std::bit_cast<double>(bits));
      if (t.isEncoded()) return number(format::encodedToFloat(t.encoding, uint32_t(bits)));
      if (t.bits == 16) return number(simd::halfToFloat(uint32_t(bits)));
      return number(std::bit_cast<float>(uint32_t(bits)));
    case Kind::Pointer: {
      char text[64];
      return "0x" + std::string(text, std::to_chars(text, text + sizeof text, bits, 16).ptr);
    }
    default: return number(t.bits == 64 ? bits : bits & ((uint64_t(1) << t.bits) - 1));
  }
}

/// Longer arrays end in "...".
constexpr size_t kShownElements = 32;

}  // namespace

uint32_t* outputWord(const DebugProgram& program, const abi::Warp& warp, uint32_t lane, const lower::DebugPlace& place,
                     uint32_t component, uint32_t half) {
  const auto count = static_cast<uint32_t>(place.words.size());
  if (count == 0) return nullptr;
  const uint32_t word = place.words[component % count] + half, vertex = component / count;
  if (place.kind == lower::DebugPlace::Kind::Output)
    return vertex == 0 && warp.out ? &warp.out[word].lane[lane] : nullptr;
  if (word >= abi::kRecordWords) return nullptr;
  if (place.element == 0) return vertex == 0 && warp.patchRecord[lane] ? warp.patchRecord[lane] + word : nullptr;
  if (vertex >= std::min(place.element, program.program.info.outputVertices) || !warp.outRecords[lane]) return nullptr;
  return warp.outRecords[lane] + size_t(vertex) * warp.outRecordStride + word;
}

Value readVariable(const DebugProgram& program, const abi::Warp& warp, uint32_t lane, uint32_t index,
                   const WrittenWords* written) {
  return Reader(program, warp, lane, written).read(program.variables[index]);
}

std::string toText(const DebugProgram& program, const Value& value) {
  if (value.state == Value::State::Unset) return "unset";
  if (value.state == Value::State::Nowhere) return "nowhere";
  const Type& t = program.types[value.type];
  const bool array = t.kind == Kind::Array || t.kind == Kind::RuntimeArray, structure = t.kind == Kind::Struct;
  if (!array && !structure && t.kind != Kind::Vector && t.kind != Kind::Matrix) return scalarText(t, value.bits);
  std::string out(1, structure ? '{' : array ? '[' : '(');
  for (size_t i = 0; i < value.parts.size(); ++i) {
    if (i) out += ", ";
    if (array && i == kShownElements) {
      out += "...";
      break;
    }
    if (structure) out += t.members[i].name + " = ";
    out += toText(program, value.parts[i]);
  }
  return out + (structure ? '}' : array ? ']' : ')');
}

std::string toJson(const DebugProgram& program, const Value& value) {
  if (value.state != Value::State::Known) return "null";
  const Type& t = program.types[value.type];
  const bool structure = t.kind == Kind::Struct;
  switch (t.kind) {
    case Kind::Struct:
    case Kind::Array:
    case Kind::RuntimeArray:
    case Kind::Vector:
    case Kind::Matrix: break;
    case Kind::Float: {
      const std::string text = scalarText(t, value.bits);
      return text.find_first_of("ni") == std::string::npos ? text : quoted(text);
    }
    case Kind::Pointer: return quoted(scalarText(t, value.bits));
    default: return scalarText(t, value.bits);
  }
  std::string out(1, structure ? '{' : '[');
  for (size_t i = 0; i < value.parts.size(); ++i) {
    if (i) out += ',';
    if (structure) out += quoted(t.members[i].name) + ':';
    out += toJson(program, value.parts[i]);
  }
  return out + (structure ? '}' : ']');
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      (out += '\\') += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      constexpr char digits[] = "0123456789abcdef";
      ((out += "\\u00") += digits[c >> 4 & 15]) += digits[c & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace etzel::debugger
