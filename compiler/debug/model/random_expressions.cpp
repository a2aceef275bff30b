// Expressions of random programs, with what they give. Products are exact where the program promises it: their factors
// are whole numbers from -8 to 8.
#include <algorithm>
#include <bit>
#include <cmath>

#include "compiler/debug/model/random_program.h"

namespace etzel::debugger::model {
namespace {

using Kind = Type::Kind;

float real(uint32_t bits) { return std::bit_cast<float>(bits); }
uint32_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }

uint32_t floating(const std::string& op, float a, float b) {
  if (op == "+") return bitsOf(a + b);
  if (op == "-") return bitsOf(a - b);
  if (op == "*") return bitsOf(a * b);
  if (op == "/") return bitsOf(a / b);
  if (op == "<") return a < b;
  if (op == ">=") return a >= b;
  if (op == "==") return a == b;
  return a != b;
}

uint32_t whole(const std::string& op, Kind kind, uint32_t a, uint32_t b) {
  const auto less = [&] { return kind == Kind::Int ? static_cast<int32_t>(a) < static_cast<int32_t>(b) : a < b; };
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "/") return a / b;
  if (op == "%") return a % b;
  if (op == "&") return a & b;
  if (op == "|") return a | b;
  if (op == "^") return a ^ b;
  if (op == "<<") return a << b;
  if (op == ">>") return kind == Kind::Int ? static_cast<uint32_t>(static_cast<int32_t>(a) >> b) : a >> b;
  if (op == "<") return less();
  if (op == ">=") return !less();
  if (op == "==") return a == b;
  return a != b;
}

std::string floatText(float value) {
  std::string text = std::to_string(std::fabs(value));
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text += '0';
  return value < 0 ? "(-" + text + ")" : text;
}

}  // namespace

Expression RandomProgram::binary(const Type* type, const std::string& op, const Expression& a,
                                 const Expression& b) const {
  // Scalars go with every component of the other side.
  const Kind kind = a.type->scalar();
  return {type, "(" + a.text + " " + op + " " + b.text + ")", [=](Run& run) {
            const Words x = a.value(run), y = b.value(run);
            Words out;
            for (size_t i = 0; i < std::max(x.size(), y.size()); ++i) {
              const uint32_t l = x[i % x.size()], r = y[i % y.size()];
              out.push_back(kind == Kind::Float ? floating(op, real(l), real(r)) : model::whole(op, kind, l, r));
            }
            return out;
          }};
}

Expression RandomProgram::literal(const Type* type) {
  uint32_t bits = below(12);
  std::string text = std::to_string(bits);
  switch (type->kind) {
    case Kind::Bool: bits &= 1, text = bits ? "true" : "false"; break;
    case Kind::Uint: text += "u"; break;
    case Kind::Float: {
      const float value = (static_cast<float>(bits) - 4.0f) * 0.75f;
      text = floatText(value), bits = bitsOf(value);
      break;
    }
    default: break;
  }
  return {type, text, [bits](Run&) { return Words{bits}; }};
}

Expression RandomProgram::constructor(const Type* type, uint32_t depth) {
  std::vector<Expression> parts;
  if (type->kind == Kind::Struct)
    for (const Type::Member& m : type->members) parts.push_back(expression(m.type, depth));
  else
    for (uint32_t i = 0; i < type->count; ++i) parts.push_back(expression(type->element, depth));
  std::string text = type->name + "(";
  for (size_t i = 0; i < parts.size(); ++i) text += (i ? ", " : "") + parts[i].text;
  return {type, text + ")", [parts](Run& run) {
            Words all;
            for (const Expression& part : parts)
              for (const uint32_t word : part.value(run)) all.push_back(word);
            return all;
          }};
}

// --- Parts of variables

Target RandomProgram::whole(uint32_t variable, bool global) const {
  const Variable& v = global ? globals_[variable] : function_->variables[variable];
  Place place{variable, global, {}};
  for (uint32_t i = 0; i < v.type->words; ++i) place.words.push_back(i);
  return {v.type, v.name, [place](Run&) { return place; }};
}

Target RandomProgram::partOf(const Target& whole, uint32_t member) const {
  uint32_t first = 0;
  for (uint32_t m = 0; m < member; ++m) first += whole.type->members[m].type->words;
  const Type::Member& m = whole.type->members[member];
  return {m.type, whole.text + "." + m.name, [of = whole.place, first, count = m.type->words](Run& run) {
            Place place = of(run);
            place.words = {place.words.begin() + first, place.words.begin() + first + count};
            return place;
          }};
}

Target RandomProgram::element(const Target& whole) {
  const Type* const type = whole.type->element;
  const uint32_t count = whole.type->count;
  Expression index = literal(scalar(Kind::Int));
  const uint32_t fixed = below(count);
  index.text = std::to_string(fixed);
  index.value = [fixed](Run&) { return Words{fixed}; };
  if (in(2))
    for (const uint32_t v : visible_)
      if (const Type* t = function_->variables[v].type; (t->kind == Kind::Uint || t->kind == Kind::Int) && in(2)) {
        const std::string& name = function_->variables[v].name;
        index.text = (t->kind == Kind::Int ? "uint(" + name + ")" : name) + " % " + std::to_string(count) + "u";
        index.value = [v, count](Run& run) { return Words{(*run.value(v))[0] % count}; };
      }
  return {type, whole.text + "[" + index.text + "]",
          [of = whole.place, at = index.value, words = type->words](Run& run) {
            Place place = of(run);
            const uint32_t first = at(run)[0] * words;
            place.words = {place.words.begin() + first, place.words.begin() + first + words};
            return place;
          }};
}

Target RandomProgram::swizzle(const Target& whole, uint32_t count, bool distinct) {
  std::vector<uint32_t> components;
  while (components.size() < count) {
    const uint32_t c = below(whole.type->count);
    if (!distinct || std::find(components.begin(), components.end(), c) == components.end()) components.push_back(c);
  }
  std::string text = whole.text + ".";
  for (const uint32_t c : components) text += "xyzw"[c];
  const Kind kind = whole.type->scalar();
  return {count == 1 ? scalar(kind) : vector(kind, count), text, [of = whole.place, components](Run& run) {
            const Place place = of(run);
            Place out{place.variable, place.global, {}};
            for (const uint32_t c : components) out.words.push_back(place.words[c]);
            return out;
          }};
}

std::optional<Target> RandomProgram::part(const Type* type, bool forWriting) {
  for (uint32_t attempt = 0; attempt < 12; ++attempt) {
    const auto locals = static_cast<uint32_t>(visible_.size());
    // Only functions that are not called in the middle of expressions know global variables.
    const uint32_t all = locals + (function_->pure ? 0 : static_cast<uint32_t>(globals_.size()));
    if (all == 0) return {};
    const uint32_t which = below(all);
    const bool global = which >= locals;
    const uint32_t variable = global ? which - locals : visible_[which];
    if (!global && forWriting && std::find(fixed_.begin(), fixed_.end(), variable) != fixed_.end()) continue;
    Target target = whole(variable, global);
    while (target.type != type && !target.type->isScalar()) {
      if (target.type->kind == Kind::Struct) {
        target = partOf(target, below(static_cast<uint32_t>(target.type->members.size())));
      } else if (target.type->kind == Kind::Vector && type->kind == Kind::Vector &&
                 type->scalar() == target.type->scalar() && (!forWriting || type->count <= target.type->count)) {
        target = swizzle(target, type->count, forWriting);
      } else {
        target = target.type->kind == Kind::Vector && in(2) ? swizzle(target, 1, true) : element(target);
      }
    }
    if (target.type == type) return target;
  }
  return {};
}

Expression RandomProgram::loaded(const Target& target) const {
  return {target.type, target.text, [place = target.place](Run& run) { return run.load(place(run)); }};
}

Expression RandomProgram::leaf(const Type* type) {
  if (!in(6))
    if (const auto known = part(type, false)) return loaded(*known);
  return type->isScalar() ? literal(type) : constructor(type, 0);
}

// --- Operations

Expression RandomProgram::factor(const Type* type, uint32_t depth) {
  const Expression e = expression(type, depth);
  if (!exact_) return e;
  return {type, "clamp(floor(" + e.text + "), -8.0, 8.0)", [e](Run& run) {
            Words words = e.value(run);
            for (uint32_t& w : words) w = bitsOf(std::fmin(std::fmax(std::floor(real(w)), -8.0f), 8.0f));
            return words;
          }};
}

Expression RandomProgram::arithmetic(const Type* type, uint32_t depth) {
  const Kind kind = type->scalar();
  const Type* const one = scalar(kind);
  const auto any = [&](const Type* t) { return expression(t, depth - 1); };
  if (kind == Kind::Float) {
    switch (below(type->isScalar() && exact_ ? 6 : 5)) {
      case 0: return binary(type, "-", any(type), any(type));
      case 1:
        return type->kind == Kind::Matrix ? any(type)
                                          : binary(type, "*", factor(type, depth - 1), factor(one, depth - 1));
      case 2: {
        const Expression e = any(type);
        return {type, "(-" + e.text + ")", [e](Run& run) {
                  Words words = e.value(run);
                  for (uint32_t& w : words) w ^= 0x80000000u;
                  return words;
                }};
      }
      case 3:
        // glslang divides matrices by multiplying with a reciprocal.
        return binary(type, exact_ || type->kind == Kind::Matrix ? "+" : "/", any(type), any(type));
      case 4: return binary(type, "+", any(type), any(type));
      default: {
        const Expression e = any(scalar(Kind::Int));
        return {type, "float(" + e.text + " & 15)",
                [e](Run& run) { return Words{bitsOf(static_cast<float>(e.value(run)[0] & 15))}; }};
      }
    }
  }
  const Expression a = any(type);
  switch (below(6)) {
    case 0: {
      Expression shift = literal(one);
      return binary(type, in(2) ? "<<" : ">>", a, shift);
    }
    case 1:
      if (kind == Kind::Uint) {
        Expression divisor = literal(one);
        divisor.text = "7u", divisor.value = [](Run&) { return Words{7}; };
        return binary(type, in(2) ? "/" : "%", a, divisor);
      }
      return binary(type, "*", a, any(one));
    case 2: return binary(type, in(2) ? "&" : "^", a, any(type));
    case 3: return binary(type, "|", a, any(type));
    case 4: return binary(type, "-", any(one), a);
    default: return binary(type, "+", a, any(type));
  }
}

Expression RandomProgram::logical(uint32_t depth) {
  const Type* const type = scalar(Kind::Bool);
  const auto compared = [&](Kind kind) {
    static constexpr const char* kComparisons[] = {"<", ">=", "==", "!="};
    return binary(type, kComparisons[below(4)], expression(scalar(kind), depth - 1),
                  expression(scalar(kind), depth - 1));
  };
  switch (below(5)) {
    case 0: return compared(Kind::Int);
    case 1: return compared(Kind::Uint);
    case 2: {
      const Expression a = logical(depth > 1 ? depth - 1 : 1), b = compared(Kind::Float);
      const bool both = in(2);
      return {type, "(" + a.text + (both ? " && " : " || ") + b.text + ")", [=](Run& run) {
                const bool x = a.value(run)[0], y = b.value(run)[0];
                return Words{both ? x && y : x || y};
              }};
    }
    case 3: {
      const Type* const v = vector(Kind::Float, 2 + below(3));
      const Expression a = expression(v, depth - 1), b = expression(v, depth - 1);
      const bool all = in(2);
      return {type, std::string(all ? "all" : "any") + "(lessThan(" + a.text + ", " + b.text + "))", [=](Run& run) {
                const Words x = a.value(run), y = b.value(run);
                uint32_t met = 0;
                for (size_t i = 0; i < x.size(); ++i) met += real(x[i]) < real(y[i]);
                return Words{all ? met == x.size() : met > 0};
              }};
    }
    default: return compared(Kind::Float);
  }
}

Expression RandomProgram::expression(const Type* type, uint32_t depth) {
  if (depth == 0 || in(4)) return leaf(type);
  if (type->kind == Kind::Array || type->kind == Kind::Struct) return in(2) ? leaf(type) : constructor(type, depth - 1);
  if (type->scalar() == Kind::Bool) return type->isScalar() ? logical(depth) : constructor(type, depth - 1);
  if (!type->isScalar() && in(4)) return constructor(type, depth - 1);
  if (type->isScalar() && in(8)) {
    const Expression c = logical(1), a = expression(type, depth - 1), b = expression(type, depth - 1);
    return {type, "(" + c.text + " ? " + a.text + " : " + b.text + ")",
            [=](Run& run) { return c.value(run)[0] ? a.value(run) : b.value(run); }};
  }
  return arithmetic(type, depth);
}

}  // namespace etzel::debugger::model
