#include "compiler/isa/assemble.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>

#include "compiler/isa/encode.h"
#include "compiler/isa/immediates.h"
#include "compiler/isa/info.h"
#include "runtime/abi/groups_abreast.h"

namespace etzel::isa {
namespace {

constexpr std::string_view kGatherParams[] = {"2d", "cube", "array_2d", "array_cube"};

/// Mnemonics of both encodings, with the aliases that ATTILA's documents use.
const std::map<std::string_view, Opcode>& mnemonics() {
  static const auto* table = [] {
    auto t = std::make_unique<std::map<std::string_view, Opcode>>();
    for (uint32_t n = 0; n < 256; ++n)
      if (opInfo(static_cast<Opcode>(n)).name)
        t->emplace(opInfo(static_cast<Opcode>(n)).mnemonic, static_cast<Opcode>(n));
    t->emplace("setpeqi", Opcode::StPEqI), t->emplace("setpgti", Opcode::StPGtI), t->emplace("setplti", Opcode::StPLtI);
    return t.release();
  }();
  return *table;
}

/// Edits that lead from one word to the other.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = diagonal + (a[i - 1] != b[j - 1] ? 1 : 0);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

std::string unknownMnemonic(std::string_view word) {
  std::string_view best;
  size_t edits = 3;  // further away is no help
  for (const auto& [name, op] : mnemonics())
    if (const size_t d = distance(word.substr(0, 32), name); d < edits) best = name, edits = d;
  std::string message = "no such instruction: " + std::string(word);
  if (!best.empty()) message += "; did you mean " + std::string(best) + "?";
  return message;
}

class Assembler {
 public:
  explicit Assembler(std::string_view text) : text_(text) {}

  Result<Program> run() {
    while (!text_.empty()) {
      ++line_;
      const size_t end = std::min(text_.find('\n'), text_.size());
      rest_ = text_.substr(0, end);
      lineStart_ = mark_ = rest_.data();
      text_.remove_prefix(std::min(end + 1, text_.size()));
      rest_ = rest_.substr(0, rest_.find(';'));
      statement();
      if (!error_.empty())
        return Error{ErrorCode::InvalidShader, "line " + std::to_string(line_) + ", column " +
                                                   std::to_string(mark_ - lineStart_ + 1) + ": " + error_};
    }
    program_.tempWords = std::max(program_.tempWords, highest_);
    deriveInfo(program_);
    return std::move(program_);
  }

 private:
  // --- Tokens
  void skip() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t' || rest_[0] == '\r')) rest_.remove_prefix(1);
    if (error_.empty()) mark_ = rest_.data();
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
    if (found == mnemonics().end()) return fail(unknownMnemonic(mnemonic));
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
    if (error_.empty() && encodable(inst)) {  // as its word says it: what the text may not say is an error here
      auto decoded = decode(encode(inst));
      if (!decoded) return fail(decoded.error().message.substr(decoded.error().message.find(": ") + 2));
      inst = *decoded;
    }
    program_.code.push_back(inst);
  }

  /// Listings of programs before register allocation name words that no encoding has.
  static bool encodable(const Inst& inst) {
    const auto fits = [](const Operand& o) { return o.word < kMaxTempWords; };
    return fits(inst.dst) && std::all_of(inst.src.begin(), inst.src.end(), fits);
  }

  void directive() {
    const std::string_view name = word();
    if (name == "stage") {
      const std::string_view stage = word();
      for (uint32_t i = 0; i <= static_cast<uint32_t>(abi::Stage::Compute); ++i)
        if (stageName(static_cast<abi::Stage>(i)) == stage) {
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
    } else if (name == "abreast") {
      program_.info.subgroupSize = abi::kSubgroupAbreast;
    } else if (name == "subgroup") {
      program_.info.subgroupSize = integer();
    } else if (name == "const") {
      std::array<uint32_t, 4> c{};
      for (uint32_t& v : c) v = number(false);
      program_.constants.push_back(c);
    } else if (name == "table") {
      for (skip(); !rest_.empty(); skip()) {
        const size_t before = rest_.size();
        program_.table.push_back(number(false));
        if (rest_.size() == before) break;
      }
    } else if (name == "resource") {
      Resource r;
      r.set = integer(), r.binding = integer(), r.baseHandle = integer(), r.strideBytes = integer(),
      r.count = integer();
      if (skip(), !rest_.empty()) r.certain = integer() != 0;
      program_.resources.push_back(r);
    } else if (name == "print") {
      program_.prints.push_back(printFormat());
    } else if (name == "abort") {
      program_.aborts.push_back(abortMessage());
    } else if (name == "name") {
      skip();
      program_.name = std::string(rest_);
    } else {
      fail("no such directive: ." + std::string(name));
    }
  }

  /// .print f32x3 u32 "text": what values a message has, and its format; \0a is a character by its number.
  abi::PrintFormat printFormat() {
    abi::PrintFormat format;
    for (skip(); !rest_.empty() && rest_[0] != '"' && error_.empty(); skip()) {
      abi::PrintValue v;
      const size_t kind = std::string_view("biuf").find(rest_[0]);
      if (kind == std::string_view::npos) fail("values are b, i, u or f, their bits, and x2 to x4 for vectors");
      rest_.remove_prefix(1);
      v.kind = static_cast<abi::PrintValue::Kind>(kind & 3);
      v.bits = static_cast<uint8_t>(unit(64));
      if (take("x")) v.components = static_cast<uint8_t>(unit(4));
      format.values.push_back(v);
    }
    format.text = quoted();
    return format;
  }

  /// .abort 4 9 12 "bytes" "file": where the message's text is and how long, the source's line, the message, the file.
  abi::AbortMessagePtr abortMessage() {
    abi::AbortMessage m;
    m.textAt = integer(), m.textBytes = integer(), m.line = integer();
    m.bytes = quoted(), m.file = quoted();
    return std::make_shared<const abi::AbortMessage>(std::move(m));
  }

  /// "text" with \0a for a character by its number.
  std::string quoted() {
    std::string text;
    skip();
    if (!expect("\"")) return text;
    const size_t end = rest_.find('"');
    if (end == std::string_view::npos) fail("expected '\"'");
    for (size_t i = 0; i < std::min(end, rest_.size()); ++i) {
      const bool coded = rest_[i] == '\\';
      text +=
          coded ? static_cast<char>(std::strtoul(std::string(rest_.substr(i + 1, 2)).c_str(), nullptr, 16)) : rest_[i];
      if (coded) i += 2;
    }
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return text;
  }

  // --- Extension instructions
  void extension(Inst& inst, const OpInfo& info) {
    if (info.typeMask) inst.type = static_cast<Type>(std::countr_zero(info.typeMask));
    if (inst.op == Opcode::Tld4) return gather(inst);
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
        while (n < abi::kAtomicOpCount && atomicName(abi::AtomicOp(n)) != part) ++n;
        if (n == abi::kAtomicOpCount) return fail("no such atomic: " + std::string(part));
        inst.atomic = static_cast<uint8_t>(n), atomicSeen = true;
      } else if (part == "m") {
        inst.masked = true;
      } else if (part.size() == 2 && part[0] == 'x' && part[1] >= '1' && part[1] <= '8') {
        inst.count = static_cast<uint8_t>(part[1] - '0');
      } else {
        uint32_t n = 0;
        while (n < kTypeCount && typeName(Type(n)) != part) ++n;
        if (n == kTypeCount || typeSeen) return fail("no such suffix: ." + std::string(part));
        inst.type = static_cast<Type>(n), typeSeen = true;
      }
    }
    if (!subSeen || !atomicSeen) return fail("the sub-operation is missing");
    if (inst.op == Opcode::PixLd) return pixelQuery(inst);
    if (inst.op == Opcode::LdRaw || inst.op == Opcode::StRaw) return rawAccess(inst);
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

  // --- Pixel queries, raw memory, gathers (docs/isa.md gives their syntax)
  void finish(Inst& inst) {
    if (!error_.empty()) return;
    if (const char* why = immediateProblem(inst)) return fail(why);
    note(inst.dst, dstWords(inst));
    for (uint32_t i = 0; i < 3; ++i) note(inst.src[i], srcWords(inst, i));
  }
  uint8_t predicateNumber() {
    const uint32_t n = integer();
    if (n > 31) fail("predicates are p0 to p31");
    return static_cast<uint8_t>(n & 31);
  }
  bool predicateNext() {
    skip();
    return rest_.size() > 1 && rest_[0] == 'p' && rest_[1] >= '0' && rest_[1] <= '9';
  }
  /// [r1.x + 2], [r1.x - 2], [r1.x] or [2]
  int64_t address(Operand& base) {
    if (!expect("[")) return 0;
    int64_t offset = 0;
    if (digitNext()) {
      offset = integer();
    } else {
      base = wordOperand();
      const bool minus = take("-");
      if (minus || take("+")) offset = minus ? -int64_t(integer()) : int64_t(integer());
    }
    expect("]");
    return offset;
  }
  void pixelQuery(Inst& inst) {
    PixLdImm imm;
    inst.dst = wordOperand();
    if (take(",")) {
      if (predicateNext()) {
        take("p");
        imm.hasPredicate = true, imm.predicate = predicateNumber();
        if (take(",")) imm.offset = sampleIndex(inst.src[0]);
      } else {
        imm.offset = sampleIndex(inst.src[0]);
      }
    }
    inst.imm = imm.pack();
    finish(inst);
  }
  int32_t sampleIndex(Operand& base) {
    const int64_t offset = address(base);
    if (base.present() ? offset < -128 || offset > 127 : offset < 0 || offset > 255)
      fail("sample offsets are 0 to 255, or -128 to 127 after a register");
    return static_cast<int32_t>(offset);
  }
  /// A register with the components of a mask.
  Operand maskedRegister(uint8_t& mask) {
    Operand o = wholeRegister();
    if (take(".")) writeMask(mask);
    return o;
  }
  Operand wholeRegister() {
    skip();
    static constexpr std::pair<std::string_view, Bank> banks[] = {
        {"i", Bank::In}, {"o", Bank::Out}, {"c", Bank::Param}, {"r", Bank::Temp}};
    for (auto [letter, bank] : banks) {
      if (!take(letter)) continue;
      const uint32_t reg = integer();
      if (reg > 0x0FFFFFFF) fail("no such register");
      return {bank, 4 * reg};
    }
    if (take("-")) return {};
    fail("expected a register");
    return {};
  }
  void writeMask(uint8_t& mask) {
    mask = 0;
    while (!rest_.empty() && component(rest_[0]) >= 0) {
      mask |= static_cast<uint8_t>(8 >> component(rest_[0]));
      rest_.remove_prefix(1);
    }
    if (mask == 0) fail("expected a write mask");
  }
  void rawAccess(Inst& inst) {
    RawImm imm;
    const bool load = inst.op == Opcode::LdRaw;
    if (load) {
      inst.dst = maskedRegister(imm.mask);
      expect(",");
    }
    inst.src[0] = wordOperand();
    expect(",");
    const int64_t offset = address(inst.src[1]);
    if (offset < 0 || offset > 0xFFFF) fail("raw offsets are 0 to 65535");
    imm.offset = static_cast<uint16_t>(offset);
    if (take(".")) load ? swizzle(imm.swizzle) : writeMask(imm.mask);
    if (load) {
      if (imm.mask != 0xF) inst.src[2] = inst.dst;
      if (take(",")) inst.src[2] = wordOperand();
    } else {
      expect(",");
      inst.src[2] = wholeRegister();
      if (take(".")) swizzle(imm.swizzle);
    }
    inst.imm = imm.pack();
    finish(inst);
  }
  void gather(Inst& inst) {
    Tld4Imm imm;
    inst.sub = Tld4Imm::kSamplerOfTexture;
    bool componentSeen = false;
    while (take(".")) {
      const std::string_view part = word();
      const size_t c = part.size() == 1 ? std::string_view("rgba").find(part[0]) : std::string_view::npos;
      if (!componentSeen && c != std::string_view::npos)
        imm.component = static_cast<uint8_t>(c), componentSeen = true;
      else if (part == "b")
        imm.bindless = true;
      else if (part == "aoffi" || part == "ptp")
        imm.offsets = part == "ptp" ? Tld4Imm::Offsets::Ptp : Tld4Imm::Offsets::Aoffi;
      else if (part == "dc")
        imm.dref = true;
      else if (part == "ndv")
        imm.ndv = true;
      else if (part == "nodep")
        imm.nodep = true;
      else if (part == "t" || part == "p")
        imm.phase = part == "t" ? Tld4Imm::Phase::T : Tld4Imm::Phase::P;
      else if (part == "sint" || part == "uint")
        imm.type = part == "sint" ? 1 : 2;
      else if (part == "m")
        inst.masked = true;
      else if (part.size() == 2 && part[0] == 'x' && part[1] >= '1' && part[1] <= '8')
        inst.count = static_cast<uint8_t>(part[1] - '0');
      else
        return fail("no such suffix: ." + std::string(part));
    }
    if (!componentSeen) return fail("the component is missing: tld4.r, .g, .b or .a");
    if (predicateNext()) {
      take("p");
      imm.hasPredicate = true, imm.predicate = predicateNumber();
      expect(",");
    }
    inst.dst = wordOperand();
    expect(",");
    inst.src[0] = wordOperand();
    expect(",");
    if (imm.otherWords()) inst.src[1] = wordOperand(), expect(",");
    if (!imm.bindless) {
      if (expect("t")) imm.texture = static_cast<uint8_t>(unit(255));
      expect(",");
      if (take("s")) inst.sub = static_cast<uint8_t>(unit(30)), expect(",");
    }
    const std::string_view dim = word();
    uint32_t n = 0;
    while (n < 4 && kGatherParams[n] != dim) ++n;
    if (n == 4) return fail("coordinates are 2d, cube, array_2d or array_cube");
    imm.param = static_cast<Tld4Imm::Param>(n);
    if (take(",") && expect("#")) imm.mask = static_cast<uint8_t>(unit(15));
    inst.imm = imm.pack();
    finish(inst);
  }
  uint32_t unit(uint32_t limit) {
    const uint32_t n = integer();
    if (n > limit) fail("the number is too large");
    return std::min(n, limit);
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
  const char* lineStart_ = nullptr;
  const char* mark_ = nullptr;  ///< where the newest token starts: what errors point at
  uint32_t line_ = 0;
  uint32_t highest_ = 0;
  Program program_;
};

}  // namespace

Result<Program> assemble(std::string_view text) { return Assembler(text).run(); }

}  // namespace etzel::isa
