#include "compiler/debug/expression.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "compiler/debug/number.h"

namespace etzel::debugger {
namespace {

using Kind = Type::Kind;

/// Leaves the parser; caught by evaluate().
struct Complaint {
  std::string text;
};

/// Deeper nesting is refused: the parser calls itself.
constexpr uint32_t kMaxDepth = 100;

bool isNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// What a name constructs: "uvec3" is three rows of Uint.
std::optional<Number> constructed(std::string_view name) {
  static constexpr std::pair<std::string_view, Scalar> kScalarNames[] = {
      {"bool", Scalar::Bool},       {"int", Scalar::Int},         {"uint", Scalar::Uint},
      {"float", Scalar::Float},     {"double", Scalar::Double},   {"int64_t", Scalar::Int64},
      {"uint64_t", Scalar::Uint64}, {"float16_t", Scalar::Float}, {"int32_t", Scalar::Int},
      {"uint32_t", Scalar::Uint},
  };
  Number n;
  for (const auto& [word, scalar] : kScalarNames)
    if (word == name) {
      n.scalar = scalar;
      return n;
    }
  n.scalar = Scalar::Float;
  if (!name.empty() && name[0] != 'v' && name[0] != 'm') {
    static constexpr std::pair<char, Scalar> kPrefixes[] = {
        {'b', Scalar::Bool}, {'i', Scalar::Int}, {'u', Scalar::Uint}, {'d', Scalar::Double}};
    const char prefix = name[0];
    const auto* found =
        std::find_if(std::begin(kPrefixes), std::end(kPrefixes), [&](const auto& p) { return p.first == prefix; });
    if (found == std::end(kPrefixes)) return {};
    n.scalar = found->second;
    name.remove_prefix(1);
  }
  const auto size = [](char c) { return c >= '2' && c <= '4' ? static_cast<uint32_t>(c - '0') : 0; };
  if (name.starts_with("vec") && name.size() == 4 && size(name[3])) {
    n.rows = size(name[3]);
    return n;
  }
  if (!name.starts_with("mat") || !isFloating(n.scalar)) return {};
  if (name.size() == 4 && size(name[3])) {
    n.columns = n.rows = size(name[3]);
    return n;
  }
  if (name.size() != 6 || name[4] != 'x' || !size(name[3]) || !size(name[5])) return {};
  n.columns = size(name[3]), n.rows = size(name[5]);
  return n;
}

/// Binary operators of GLSL, loosest first. Longer ones stand before those that they begin with.
struct Operator {
  std::string_view text;
  int level;
};
constexpr Operator kOperators[] = {
    {"||", 0}, {"^^", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<<", 8}, {">>", 8}, {"<=", 7}, {">=", 7}, {"|", 3},
    {"^", 4},  {"&", 5},  {"<", 7},  {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10},
};
constexpr int kTightest = 10;

int64_t integerResult(std::string_view op, int64_t x, int64_t y, bool isUnsigned) {
  const auto ux = static_cast<uint64_t>(x), uy = static_cast<uint64_t>(y);
  switch (op[0]) {
    case '+': return static_cast<int64_t>(ux + uy);
    case '-': return static_cast<int64_t>(ux - uy);
    case '*': return static_cast<int64_t>(ux * uy);
    case '&': return x & y;
    case '|': return x | y;
    case '^': return x ^ y;
    case '<': return uy > 63 ? 0 : static_cast<int64_t>(ux << uy);
    case '>': return isUnsigned ? (uy > 63 ? 0 : static_cast<int64_t>(ux >> uy)) : x >> std::min<uint64_t>(uy, 63);
    default: break;
  }
  if (y == 0) throw Complaint{"division by zero"};
  if (isUnsigned) return static_cast<int64_t>(op[0] == '/' ? ux / uy : ux % uy);
  if (y == -1) return op[0] == '/' ? static_cast<int64_t>(0 - ux) : 0;
  return op[0] == '/' ? x / y : x % y;
}

class Parser {
 public:
  Parser(const DebugProgram& program, std::string_view text, const Names& names)
      : program_(program), text_(text), names_(names) {}

  Value run() {
    Value v = conditional();
    skipBlanks();
    if (at_ != text_.size()) throw Complaint{"'" + std::string(text_.substr(at_)) + "' is not understood here"};
    return v;
  }

 private:
  // --- Text
  void skipBlanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }
  char peek() {
    skipBlanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) throw Complaint{std::string("'") + c + "' is missing"};
  }
  std::string_view word() {
    const size_t from = at_;
    while (at_ < text_.size() && (isNameStart(text_[at_]) || isDigit(text_[at_]))) ++at_;
    return text_.substr(from, at_ - from);
  }

  // --- Values
  Number number(const Value& v) {
    if (v.state == Value::State::Nowhere) throw Complaint{"a value is kept nowhere"};
    auto n = toNumber(program_, v);
    if (!n) throw Complaint{"a " + program_.types[v.type].name + " is no number"};
    return *n;
  }
  Value value(const Number& n) { return toValue(program_, n); }
  Number truth(bool is) {
    Number n;
    n.scalar = Scalar::Bool;
    n.cell[0].i = is;
    return n;
  }

  // --- Grammar
  Value conditional() {
    if (++depth_ > kMaxDepth) throw Complaint{"the expression nests too deeply"};
    Value condition = binary(0);
    if (take('?')) {
      Value yes = conditional();
      expect(':');
      Value no = conditional();
      condition = isTrue(program_, condition) ? std::move(yes) : std::move(no);
    }
    --depth_;
    return condition;
  }

  std::string_view operatorHere(int level) {
    skipBlanks();
    for (const Operator& o : kOperators)
      if (text_.substr(at_).starts_with(o.text)) return o.level == level ? o.text : std::string_view{};
    return {};
  }

  Value binary(int level) {
    if (level > kTightest) return unary();
    Value left = binary(level + 1);
    for (std::string_view op = operatorHere(level); !op.empty(); op = operatorHere(level)) {
      at_ += op.size();
      const Value right = binary(level + 1);
      left = apply(op, left, right);
    }
    return left;
  }

  Value apply(std::string_view op, const Value& left, const Value& right) {
    if (op == "==" || op == "!=") {
      const auto a = toNumber(program_, left), b = toNumber(program_, right);
      const bool same = a && b ? sameNumbers(*a, *b) : left.parts == right.parts && left.bits == right.bits;
      return value(truth(same == (op == "==")));
    }
    const Number a = number(left), b = number(right);
    if (op == "&&") return value(truth(a.asDouble(0) != 0 && b.asDouble(0) != 0));
    if (op == "||") return value(truth(a.asDouble(0) != 0 || b.asDouble(0) != 0));
    if (op == "^^") return value(truth((a.asDouble(0) != 0) != (b.asDouble(0) != 0)));
    if (op.size() == 2 ? op[1] == '=' : op == "<" || op == ">") return value(truth(ordered(op, a, b)));
    if (op == "*" && (a.isMatrix() || b.isMatrix()) && !a.isScalar() && !b.isScalar()) return value(product(a, b));
    return value(componentwise(op, a, b));
  }

  bool sameNumbers(const Number& a, const Number& b) {
    if (a.columns != b.columns || a.rows != b.rows) throw Complaint{"the operands have different sizes"};
    for (uint32_t k = 0; k < a.count(); ++k)
      if (a.asDouble(k) != b.asDouble(k)) return false;
    return true;
  }

  bool ordered(std::string_view op, const Number& a, const Number& b) {
    if (!a.isScalar() || !b.isScalar()) throw Complaint{"only scalars have an order; see lessThan() and others"};
    const double x = a.asDouble(0), y = b.asDouble(0);
    if (op == "<") return x < y;
    if (op == ">") return x > y;
    return op == "<=" ? x <= y : x >= y;
  }

  Number componentwise(std::string_view op, const Number& a, const Number& b) {
    if (!a.isScalar() && !b.isScalar() && (a.columns != b.columns || a.rows != b.rows))
      throw Complaint{"the operands have different sizes"};
    Number out = a.isScalar() ? b : a;
    out.scalar = std::max({a.scalar, b.scalar, Scalar::Int});
    const bool bitwise = op.find_first_of("&|^<>%") != std::string_view::npos;
    if (bitwise && isFloating(out.scalar)) throw Complaint{"'" + std::string(op) + "' is for integers"};
    if (op == "<<" || op == ">>") out.scalar = std::max(a.scalar, Scalar::Int);
    const bool isUnsigned = out.scalar == Scalar::Uint || out.scalar == Scalar::Uint64;
    for (uint32_t k = 0; k < out.count(); ++k) {
      const uint32_t i = a.isScalar() ? 0 : k, j = b.isScalar() ? 0 : k;
      if (!isFloating(out.scalar)) {
        put(out, k, integerResult(op, a.asInt(i), b.asInt(j), isUnsigned));
        continue;
      }
      const double x = a.asDouble(i), y = b.asDouble(j);
      put(out, k, op == "+" ? x + y : op == "-" ? x - y : op == "*" ? x * y : x / y);
    }
    return out;
  }

  /// Vectors in front of a matrix are rows, behind it columns.
  Number product(const Number& a, const Number& b) {
    const bool rowVector = !a.isMatrix();
    const uint32_t inner = rowVector ? a.rows : a.columns, rows = rowVector ? 1 : a.rows;
    if (inner != b.rows) throw Complaint{"the matrices have sizes that cannot be multiplied"};
    Number out;
    out.scalar = std::max({a.scalar, b.scalar, Scalar::Float});
    out.columns = b.columns, out.rows = rows;
    for (uint32_t c = 0; c < b.columns; ++c)
      for (uint32_t r = 0; r < rows; ++r) {
        Number sum;
        sum.scalar = out.scalar;
        for (uint32_t k = 0; k < inner; ++k) {
          const double x = rowVector ? a.asDouble(k) : a.asDouble(k * a.rows + r);
          Number term = sum;
          put(term, 0, x * b.asDouble(c * b.rows + k));
          put(sum, 0, sum.cell[0].f + term.cell[0].f);
        }
        out.cell[c * rows + r] = sum.cell[0];
      }
    if (rowVector) std::swap(out.columns, out.rows);
    return out;
  }

  Value unary() {
    if (++depth_ > kMaxDepth) throw Complaint{"the expression nests too deeply"};
    Value v = operand();
    --depth_;
    return v;
  }
  Value operand() {
    const char c = peek();
    if (c != '-' && c != '+' && c != '!' && c != '~') return postfix();
    ++at_;
    Number n = number(unary());
    if (c == '+') return value(n);
    if (c == '!') return value(truth(n.asDouble(0) == 0));
    if (c == '~' && isFloating(n.scalar)) throw Complaint{"'~' is for integers"};
    for (uint32_t k = 0; k < n.count(); ++k) {
      if (isFloating(n.scalar))
        n.cell[k].f = -n.cell[k].f;
      else
        put(n, k, c == '~' ? ~n.cell[k].i : static_cast<int64_t>(0 - static_cast<uint64_t>(n.cell[k].i)));
    }
    return value(n);
  }

  Value postfix() {
    Value v = primary();
    for (;;) {
      if (take('[')) {
        const Number index = number(conditional());
        expect(']');
        v = element(v, index.asInt(0));
      } else if (peek() == '.' && at_ + 1 < text_.size() && isNameStart(text_[at_ + 1])) {
        ++at_;
        v = member(v, word());
      } else {
        return v;
      }
    }
  }

  Value element(const Value& v, int64_t index) {
    if (v.parts.empty() || program_.types[v.type].kind == Kind::Struct) throw Complaint{"this has no elements"};
    if (index < 0 || static_cast<uint64_t>(index) >= v.parts.size())
      throw Complaint{"there is no element " + std::to_string(index) + " of " + std::to_string(v.parts.size())};
    return v.parts[static_cast<size_t>(index)];
  }

  Value member(const Value& v, std::string_view name) {
    const Type& t = program_.types[v.type];
    if (t.kind == Kind::Struct) {
      for (size_t i = 0; i < t.members.size() && i < v.parts.size(); ++i)
        if (t.members[i].name == name) return v.parts[i];
      throw Complaint{t.name + " has no member " + std::string(name)};
    }
    const Number n = number(v);
    if (n.isMatrix() || name.size() > 4) throw Complaint{t.name + " has no member " + std::string(name)};
    Number out = n;
    out.rows = static_cast<uint32_t>(name.size());
    for (uint32_t i = 0; i < name.size(); ++i) {
      size_t component = std::string_view::npos;
      for (const std::string_view letters : {"xyzw", "rgba", "stpq"})
        if (const size_t found = letters.find(name[i]); found != std::string_view::npos) component = found;
      if (component >= n.rows) throw Complaint{t.name + " has no component " + std::string(1, name[i])};
      out.cell[i] = n.cell[component];
    }
    return value(out);
  }

  Value primary() {
    const char c = peek();
    if (take('(')) {
      Value v = conditional();
      expect(')');
      return v;
    }
    if (isDigit(c) || (c == '.' && at_ + 1 < text_.size() && isDigit(text_[at_ + 1]))) return literal();
    if (!isNameStart(c))
      throw Complaint{at_ < text_.size() ? std::string("'") + c + "' is not understood here"
                                         : "the expression ends too early"};
    const std::string_view name = word();
    if (name == "true" || name == "false") return value(truth(name == "true"));
    if (peek() == '(') return call(name);
    if (auto known = names_(name)) {
      if (known->state == Value::State::Nowhere) throw Complaint{std::string(name) + " is kept nowhere"};
      return *std::move(known);
    }
    throw Complaint{"there is no " + std::string(name) + " here"};
  }

  Value literal() {
    const size_t from = at_;
    Number n;
    if (text_.substr(at_).starts_with("0x") || text_.substr(at_).starts_with("0X")) {
      uint64_t bits = 0;
      const auto end = std::from_chars(text_.data() + at_ + 2, text_.data() + text_.size(), bits, 16);
      if (end.ec != std::errc()) throw Complaint{"this is no number"};
      at_ = static_cast<size_t>(end.ptr - text_.data());
      put(n, 0, static_cast<int64_t>(bits));
    } else {
      double whole = 0;
      const auto end = std::from_chars(text_.data() + at_, text_.data() + text_.size(), whole);
      if (end.ec != std::errc()) throw Complaint{"this is no number"};
      at_ = static_cast<size_t>(end.ptr - text_.data());
      const std::string_view digits = text_.substr(from, at_ - from);
      if (digits.find_first_of(".eE") != std::string_view::npos) n.scalar = Scalar::Float;
      put(n, 0, whole);
    }
    const std::string_view suffix = word();
    if (suffix.empty()) return value(n);
    if (suffix == "u" || suffix == "U") return value(convert(n, Scalar::Uint));
    if (suffix == "f" || suffix == "F") return value(convert(n, Scalar::Float));
    if (suffix == "lf" || suffix == "LF") {
      Number exact;
      exact.scalar = Scalar::Double;
      std::from_chars(text_.data() + from, text_.data() + text_.size(), exact.cell[0].f);
      return value(exact);
    }
    throw Complaint{"'" + std::string(suffix) + "' behind a number means nothing"};
  }

  Value call(std::string_view name) {
    expect('(');
    std::vector<Number> arguments;
    while (!take(')')) {
      if (!arguments.empty()) expect(',');
      arguments.push_back(number(conditional()));
    }
    if (auto shape = constructed(name)) return value(construct(*shape, arguments));
    auto result = callBuiltIn(name, std::move(arguments));
    if (!result) throw Complaint{result.error().message};
    return value(*result);
  }

  Number construct(Number out, const std::vector<Number>& arguments) {
    if (arguments.empty()) throw Complaint{"a constructor wants arguments"};
    const Number& first = arguments[0];
    if (arguments.size() == 1 && out.isMatrix() && first.isMatrix()) {
      for (uint32_t c = 0; c < out.columns; ++c)
        for (uint32_t r = 0; r < out.rows; ++r) {
          const bool has = c < first.columns && r < first.rows;
          put(out, c * out.rows + r, has ? first.asDouble(c * first.rows + r) : c == r ? 1.0 : 0.0);
        }
      return out;
    }
    if (arguments.size() == 1 && first.isScalar()) {
      const Number converted = convert(first, out.scalar);
      for (uint32_t k = 0; k < out.count(); ++k)
        if (!out.isMatrix() || k % out.rows == k / out.rows) out.cell[k] = converted.cell[0];
      return out;
    }
    uint32_t filled = 0;
    for (const Number& argument : arguments) {
      const Number converted = convert(argument, out.scalar);
      for (uint32_t k = 0; k < argument.count() && filled < out.count(); ++k) out.cell[filled++] = converted.cell[k];
    }
    if (filled != out.count()) throw Complaint{"a constructor wants more components"};
    return out;
  }

  const DebugProgram& program_;
  std::string_view text_;
  const Names& names_;
  size_t at_ = 0;
  uint32_t depth_ = 0;
};

}  // namespace

Result<Value> evaluate(const DebugProgram& program, std::string_view text, const Names& names) {
  try {
    return Parser(program, text, names).run();
  } catch (const Complaint& complaint) {
    return Error{ErrorCode::InvalidArgument, complaint.text};
  }
}

bool isTrue(const DebugProgram& program, const Value& value) {
  const auto n = toNumber(program, value);
  return n && n->isScalar() && n->asDouble(0) != 0;
}

}  // namespace etzel::debugger
