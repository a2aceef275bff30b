#include "compiler/isa/assemble.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <map>

#include "compiler/isa/info.h"

namespace etzel::isa {
namespace {

constexpr std::string_view kStages[] = {"vertex", "control", "evaluation", "geometry", "fragment", "compute"};

/// Mnemonics of both encodings, with the aliases that ATTILA's documents use.
const std::map<std::string_view, Opcode>& mnemonics() {
  static const auto* table = [] {
    auto* t = new std::map<std::string_view, Opcode>;
    for (uint32_t n = 0; n < 256; ++n)
      if (opInfo(static_cast<Opcode>(n)).name)
        t->emplace(opInfo(static_cast<Opcode>(n)).mnemonic, static_cast<Opcode>(n));
    t->emplace("setpeqi", Opcode::StPEqI), t->emplace("setpgti", Opcode::StPGtI), t->emplace("setplti", Opcode::StPLtI);
    return t;
  }();
  return *table;
}

class Assembler {
 public:
  explicit Assembler(std::string_view text) : text_(text) {}

  Result<Program> run() {
    while (!text_.empty()) {
      ++line_;
      const size_t end = std::min(text_.find('\n'), text_.size());
      rest_ = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      rest_ = rest_.substr(0, rest_.find(';'));
      statement();
      if (!error_.empty()) return Error{ErrorCode::InvalidShader, "line " + std::to_string(line_) + ": " + error_};
    }
    program_.tempWords = std::max(program_.tempWords, highest_);
    return std::move(program_);
  }

 private:
  // --- Tokens
  void skip() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t' || rest_[0] == '\r')) rest_.remove_prefix(1);
  }
  bool take(std::string_view token) {
    skip();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  static bool isWordChar(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
  std::string_view word() {
    skip();
    size_t n = 0;
    while (n < rest_.size() && isWordChar(rest_[n])) ++n;
    const std::string_view w = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return w;
  }
  void fail(std::string why) {
    if (error_.empty()) error_ = std::move(why);
  }
  bool expect(std::string_view token) {
    if (take(token)) return true;
    fail("expected '" + std::string(token) + "'");
    return false;
  }
  bool digitNext() {
    skip();
    return !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9';
  }
  uint32_t integer() {
    skip();
    const std::string copy(rest_.substr(0, 40));
    char* end = nullptr;
    const bool negative = !copy.empty() && copy[0] == '-';
    const uint64_t v =
        negative ? static_cast<uint64_t>(std::strtoll(copy.c_str(), &end, 0)) : std::strtoull(copy.c_str(), &end, 0);
    if (end == copy.c_str())
      fail("expected a number");
    else
      rest_.remove_prefix(static_cast<size_t>(end - copy.c_str()));
    return static_cast<uint32_t>(v);
  }
  /// Hexadecimal numbers are bits; others are floats when `isFloat` or written with a point or exponent.
  uint32_t number(bool isFloat) {
    skip();
    const std::string copy(rest_.substr(0, 60));
    const size_t digits = copy.find_first_not_of("-0123456789");
    const bool hex = copy.starts_with("0x") || copy.starts_with("0X");
    const bool looksFloat = !hex && digits != std::string::npos &&
                            (copy[digits] == '.' || copy[digits] == 'e' || copy[digits] == 'i' || copy[digits] == 'n');
    if (hex || !(isFloat || looksFloat)) return integer();
    char* end = nullptr;
    const float v = std::strtof(copy.c_str(), &end);
    if (end == copy.c_str())
      fail("expected a number");
    else
      rest_.remove_prefix(static_cast<size_t>(end - copy.c_str()));
    return std::bit_cast<uint32_t>(v);
  }
  static int component(char c) {
    const size_t at = std::string_view("xyzw").find(c);
    return at == std::string_view::npos ? -1 : static_cast<int>(at);
  }

  // --- Statements
  void statement() {
    skip();
    if (rest_.empty()) return;
    if (take(".")) return directive();
    // A leading number is the instruction's index.
    if (digitNext()) integer();
    skip();
    if (rest_.empty()) return;
    Inst inst;
    if (take("(")) {
      inst.predicated = true;
      inst.invertPredicate = take("!");
      if (!expect("p")) return;
      inst.predicate = static_cast<uint8_t>(integer());
      if (inst.predicate > 31) fail("predicates are p0 to p31");
      if (!expect(")")) return;
    }
    std::string_view mnemonic = word();
    bool saturate = false;
    auto found = mnemonics().find(mnemonic);
    if (found == mnemonics().end() && mnemonic.ends_with("_sat")) {
      saturate = true;
      found = mnemonics().find(mnemonic.substr(0, mnemonic.size() - 4));
    }
    if (found == mnemonics().end()) return fail("no such instruction: " + std::string(mnemonic));
    inst.op = found->second;
    inst.base.saturate = saturate;
    const OpInfo& info = opInfo(inst);
    if (info.extension)
      extension(inst, info);
    else
      base(inst, info);
    while (take("!")) {
      const std::string_view flag = word();
      if (flag == "end")
        inst.end = true;
      else if (flag == "wait")
        inst.wait = true;
      else
        fail("expected !end or !wait");
    }
    skip();
    if (!rest_.empty()) fail("unexpected text: " + std::string(rest_));
    program_.code.push_back(inst);
  }

  void directive() {
    const std::string_view name = word();
    if (name == "stage") {
      const std::string_view stage = word();
      for (size_t i = 0; i < std::size(kStages); ++i)
        if (kStages[i] == stage) {
          program_.info.stage = static_cast<abi::Stage>(i);
          return;
        }
      fail("no such stage: " + std::string(stage));
    } else if (name == "temps") {
      program_.tempWords = integer();
    } else if (name == "scratch") {
      program_.scratchBytes = integer();
    } else if (name == "shared") {
      program_.info.sharedBytes = integer();
    } else if (name == "local") {
      for (uint32_t& n : program_.info.localSize) n = integer();
    } else if (name == "const") {
      std::array<uint32_t, 4> c{};
      for (uint32_t& v : c) v = number(false);
      program_.constants.push_back(c);
    } else if (name == "resource") {
      Resource r;
      r.set = integer(), r.binding = integer(), r.baseHandle = integer(), r.strideBytes = integer(),
      r.count = integer();
      program_.resources.push_back(r);
    } else if (name == "name") {
      skip();
      program_.name = std::string(rest_);
    } else {
      fail("no such directive: ." + std::string(name));
    }
  }

  // --- Extension instructions
  void extension(Inst& inst, const OpInfo& info) {
    if (info.typeMask) inst.type = static_cast<Type>(std::countr_zero(info.typeMask));
    bool subSeen = info.sub == SubKind::None, atomicSeen = !info.atomic, typeSeen = false;
    while (take(".")) {
      const std::string_view part = word();
      if (!subSeen) {
        uint32_t n = 0;
        while (n < subCount(info.sub) && subNameOf(info.sub, n) != part) ++n;
        if (n == subCount(info.sub)) return fail("no such sub-operation: " + std::string(part));
        inst.sub = static_cast<uint8_t>(n), subSeen = true;
      } else if (!atomicSeen) {
        uint32_t n = 0;
        while (n <= uint32_t(abi::AtomicOp::FMax) && atomicName(abi::AtomicOp(n)) != part) ++n;
        if (n > uint32_t(abi::AtomicOp::FMax)) return fail("no such atomic: " + std::string(part));
        inst.atomic = static_cast<uint8_t>(n), atomicSeen = true;
      } else if (part == "m") {
        inst.masked = true;
      } else if (part.size() == 2 && part[0] == 'x' && part[1] >= '1' && part[1] <= '8') {
        inst.count = static_cast<uint8_t>(part[1] - '0');
      } else {
        uint32_t n = 0;
        while (n <= uint32_t(Type::F16) && typeName(Type(n)) != part) ++n;
        if (n > uint32_t(Type::F16) || typeSeen) return fail("no such suffix: ." + std::string(part));
        inst.type = static_cast<Type>(n), typeSeen = true;
      }
    }
    if (!subSeen || !atomicSeen) return fail("the sub-operation is missing");
    bool first = true;
    auto next = [&] {
      if (!first) expect(",");
      first = false;
    };
    if (info.dst != OperandShape::None) next(), inst.dst = wordOperand();
    for (uint32_t i = 0; i < info.srcCount && error_.empty(); ++i) next(), inst.src[i] = wordOperand();
    if (info.immediate && error_.empty()) {
      next();
      if (expect("#")) inst.imm = number(false);
    }
    note(inst.dst, dstWords(inst));
    for (uint32_t i = 0; i < 3; ++i) note(inst.src[i], srcWords(inst, i));
  }
  void note(const Operand& o, uint32_t words) {
    if (o.bank == Bank::Temp) highest_ = std::max(highest_, o.word + words);
  }
  Operand wordOperand() {
    skip();
    if (take("-")) return {};
    static constexpr std::pair<std::string_view, Bank> banks[] = {
        {"i", Bank::In}, {"o", Bank::Out}, {"c", Bank::Param}, {"r", Bank::Temp}};
    for (auto [letter, bank] : banks) {
      if (!take(letter)) continue;
      const uint32_t reg = integer();
      if (!take(".") || rest_.empty() || component(rest_[0]) < 0) {
        fail("expected a component");
        return {};
      }
      const uint32_t c = static_cast<uint32_t>(component(rest_[0]));
      rest_.remove_prefix(1);
      if (reg > 0x0FFFFFFF) fail("no such register");
      return {bank, 4 * reg + c};
    }
    fail("expected an operand");
    return {};
  }

  // --- Base instructions
  void base(Inst& inst, const OpInfo& info) {
    BaseFields& b = inst.base;
    if (inst.op == Opcode::AndP) b.swizzle = {0, 0, 0};
    if (inst.op == Opcode::Jmp) b.swizzle[0] = 0;
    bool first = true;
    auto next = [&] {
      if (!first) expect(",");
      first = false;
    };
    if (info.baseResult == 'P') {
      next();
      b.saturate = take("!");
      if (expect("p")) b.resultReg = static_cast<uint8_t>(integer());
    } else if (info.baseResult) {
      next();
      result(b);
    }
    for (uint32_t i = 0; i < info.baseOperands && error_.empty(); ++i) {
      const bool unit = i == 1 && (info.baseKind == 'T' || info.baseKind == 'A' || info.baseKind == 'L');
      if (unit) {
        skip();
        if (info.baseKind == 'L' && rest_.empty()) break;  // sample 0
        next();
        if (expect(info.baseKind == 'L' ? "s" : "t")) b.reg[1] = static_cast<uint8_t>(integer());
        continue;
      }
      next();
      if (info.baseKind == 'P')
        predicateOperand(inst, i);
      else
        baseOperand(inst, info, i);
    }
    if (inst.op == Opcode::Jmp) {
      expect(",");
      inst.imm = integer();
    }
  }

  void result(BaseFields& b) {
    static constexpr std::pair<std::string_view, Bank> banks[] = {
        {"r", Bank::Temp}, {"o", Bank::Out}, {"a", Bank::Addr}};
    for (auto [letter, bank] : banks) {
      if (!take(letter)) continue;
      b.resultBank = bank;
      const uint32_t reg = integer();
      if (reg > 255) fail("no such register");
      b.resultReg = static_cast<uint8_t>(reg);
      if (bank == Bank::Temp) highest_ = std::max(highest_, 4 * reg + 4);
      if (!take(".")) return;
      b.mask = 0;
      if (take("_")) return;
      while (!rest_.empty() && component(rest_[0]) >= 0) {
        b.mask |= static_cast<uint8_t>(8 >> component(rest_[0]));
        rest_.remove_prefix(1);
      }
      if (b.mask == 0) fail("expected a write mask");
      return;
    }
    fail("expected a result register");
  }

  void predicateOperand(Inst& inst, uint32_t i) {
    BaseFields& b = inst.base;
    b.bank[i] = Bank::Temp;
    if (take("true")) {
      b.absolute[i] = b.negate[i] = true;
    } else if (take("false")) {
      b.absolute[i] = true;
    } else {
      b.negate[i] = take("!");
      if (take("p"))
        b.reg[i] = static_cast<uint8_t>(integer());
      else
        registerOperand(inst, i);
    }
  }

  void baseOperand(Inst& inst, const OpInfo& info, uint32_t i) {
    BaseFields& b = inst.base;
    b.negate[i] = take("-");
    b.absolute[i] = take("|");
    if (digitNext()) {
      b.bank[i] = Bank::Imm;
      inst.imm = number(!info.baseInteger);
    } else {
      registerOperand(inst, i);
    }
    if (b.absolute[i]) expect("|");
  }

  void registerOperand(Inst& inst, uint32_t i) {
    BaseFields& b = inst.base;
    static constexpr std::pair<std::string_view, Bank> banks[] = {
        {"i", Bank::In}, {"c", Bank::Param}, {"r", Bank::Temp}, {"a", Bank::Addr}};
    for (auto [letter, bank] : banks) {
      if (!take(letter)) continue;
      uint32_t reg = integer();
      b.bank[i] = bank;
      if (bank == Bank::Param && reg >= 256) b.bank[i] = Bank::Param2, reg -= 256;
      if (reg > 255) fail("no such register");
      b.reg[i] = static_cast<uint8_t>(reg);
      if (bank == Bank::Temp) highest_ = std::max(highest_, 4 * reg + 4);
      if (bank == Bank::Param && take("[")) relative(b);
      b.swizzle[i] = 0x1B;
      if (take(".")) swizzle(b.swizzle[i]);
      return;
    }
    fail("expected an operand");
  }
  void relative(BaseFields& b) {
    if (!expect("a")) return;
    b.relative = true;
    b.relReg = static_cast<uint8_t>(integer());
    if (b.relReg > 3) fail("address registers are a0 to a3");
    if (!expect(".") || rest_.empty() || component(rest_[0]) < 0) return fail("expected a component");
    b.relComponent = static_cast<uint8_t>(component(rest_[0]));
    rest_.remove_prefix(1);
    const bool minus = take("-");
    if (minus || take("+")) {
      const int32_t offset = static_cast<int32_t>(integer()) * (minus ? -1 : 1);
      if (offset < -256 || offset > 255) fail("offsets are -256 to 255");
      b.relOffset = static_cast<int16_t>(offset);
    }
    expect("]");
  }
  void swizzle(uint8_t& s) {
    uint32_t n = 0, bits = 0;
    while (n < 4 && !rest_.empty() && component(rest_[0]) >= 0) {
      bits = bits << 2 | static_cast<uint32_t>(component(rest_[0]));
      rest_.remove_prefix(1);
      ++n;
    }
    if (n == 1)
      s = static_cast<uint8_t>(bits * 0x55);
    else if (n == 4)
      s = static_cast<uint8_t>(bits);
    else
      fail("swizzles have one or four components");
  }

  std::string_view text_, rest_;
  std::string error_;
  uint32_t line_ = 0;
  uint32_t highest_ = 0;
  Program program_;
};

}  // namespace

Result<Program> assemble(std::string_view text) { return Assembler(text).run(); }

}  // namespace etzel::isa
