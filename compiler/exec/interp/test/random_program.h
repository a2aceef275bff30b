// Random structured programs and what they must compute, lane by lane: the reference for everything that moves or
// removes instructions (register allocation, optimizer) and for divergence itself. Test code.
#pragma once

#include <random>

#include "compiler/exec/interp/evaluate.h"
#include "compiler/exec/interp/test/test_machine.h"

namespace etzel::interp::test {

/// Builds programs of variables (written masked, readable anywhere) and values (written once, read while their scope is
/// open), nested ifs, blocks with br, loops of a few rounds, early returns.
class RandomProgram {
 public:
  static constexpr uint32_t kOutputs = 16;
  RandomProgram(uint32_t seed, uint32_t variables, uint32_t statements)
      : random_(seed), b_(program), budget_(statements), variables_(variables) {
    program.info.stage = abi::Stage::Vertex;
    program.constants.push_back({0x3F800000, 7, 0xFFFFFFFF, 0x80000000});
    for (uint32_t i = 0; i < 6; ++i) program.table.push_back(pick(2) ? pick(16) : static_cast<uint32_t>(random_()));
    for (uint32_t v = 0; v < variables; ++v) {
      var_.push_back(program.newTemp());
      b_.move(var_.back(), input(v % 32));
    }
    for (int i = 0; i < 4; ++i) {  // groups of four words
      vec_.push_back(program.newTemp(4));
      b_.move(vec_.back(), input(4 * i), 4);
    }
    statementList(0);
    finish();
  }
  isa::Program program;

 private:
  uint32_t pick(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

  isa::Operand operand() {
    const uint32_t kind = pick(10);
    if (kind < 4 && !value_.empty()) return value_[value_.size() - 1 - pick(std::min<uint32_t>(value_.size(), 12))];
    if (kind == 4) return isa::Builder::word(vec_[pick(vec_.size())], pick(4));
    if (kind == 5) return {isa::Bank::Param, pick(4)};
    if (kind == 6) return input(pick(32));
    return var_[pick(variables_)];
  }
  isa::Operand pair() {
    if (!pair_.empty() && pick(2)) return pair_[pick(pair_.size())];
    return isa::Builder::word(vec_[pick(vec_.size())], pick(3));
  }
  isa::Operand condition() {
    if (pick(5) == 0) return b_.value(isa::Opcode::Not, isa::Type::I32, condition());
    if (!compared_.empty() && pick(4) == 0)
      return b_.value(isa::Opcode::Not, isa::Type::I32, compared_[pick(compared_.size())]);
    if (pick(4) == 0) {
      compared_.push_back(b_.icmp(static_cast<isa::CmpI>(pick(10)), isa::Type::I32, var_[pick(variables_)], operand()));
      return compared_.back();
    }
    if (pick(8) == 0) return b_.icmp(pick(2) ? isa::CmpI::Eq : isa::CmpI::Ne, isa::Type::I32, condition(), b_.imm(0));
    if (pick(8) == 0) return b_.fcmp(static_cast<isa::CmpF>(pick(14)), isa::Type::F32, operand(), operand());
    return b_.icmp(static_cast<isa::CmpI>(pick(10)), isa::Type::I32, operand(), operand());
  }

  void compute() {
    using isa::Opcode;
    using isa::Type;
    static constexpr Opcode binary[] = {Opcode::IAdd, Opcode::ISub, Opcode::IMul, Opcode::And,
                                        Opcode::Xor,  Opcode::UDiv, Opcode::SMod, Opcode::SMin};
    switch (pick(10)) {
      case 0: value_.push_back(b_.imm(pick(3) ? pick(16) : static_cast<uint32_t>(random_()))); break;
      case 1:
        value_.push_back(
            b_.value(Opcode::FAdd, Type::F32, b_.convert(Opcode::CvtSF, Type::F32, Type::I32, operand()), operand()));
        break;
      case 2: value_.push_back(b_.select(condition(), operand(), operand())); break;
      case 3: pair_.push_back(b_.value(Opcode::IMul, Type::I64, pair(), pair())); break;
      case 4: value_.push_back(b_.value(Opcode::BCnt, Type::I64, pair())); break;
      case 5: {  // a copy of a copy
        const isa::Operand t = program.newTemp();
        b_.move(t, operand());
        value_.push_back(t);
        break;
      }
      case 6: value_.push_back(b_.value(Opcode::Sys, Type::I32, {}, {}, {}, 0, pick(8))); break;
      case 7: value_.push_back(tableWord(operand())); break;
      default: value_.push_back(b_.value(binary[pick(8)], Type::I32, operand(), operand())); break;
    }
  }
  /// One of eight words, the last two of which lie outside.
  isa::Operand tableWord(isa::Operand index) {
    using isa::Type;
    const isa::Operand word = b_.value(isa::Opcode::And, Type::I32, index, b_.imm(7));
    return b_.load(isa::Space::Table, Type::I32, {}, b_.value(isa::Opcode::Shl, Type::I32, word, b_.imm(2)));
  }
  void assign() {
    if (pick(4) == 0) {
      b_.moveMasked(isa::Builder::word(vec_[pick(vec_.size())], pick(4)), operand());
    } else if (pick(6) == 0) {
      b_.moveMasked(vec_[pick(vec_.size())], vec_[pick(vec_.size())], 4);
    } else {
      b_.moveMasked(var_[pick(variables_)], operand());
    }
  }
  template <class F>
  void scope(F body) {
    const size_t values = value_.size(), pairs = pair_.size(), compared = compared_.size();
    body();
    value_.resize(values), pair_.resize(pairs), compared_.resize(compared);
  }

  void statementList(uint32_t depth) {
    const uint32_t count = depth == 0 ? budget_ : 1 + pick(6);
    for (uint32_t i = 0; i < count && budget_ > 0; ++i) {
      --budget_;
      const uint32_t kind = pick(20);
      if (kind < 8 || depth > 7)
        compute();
      else if (kind < 13)
        assign();
      else if (kind < 15)
        ifStatement(depth);
      else if (kind == 15)
        block(depth);
      else if (kind == 16)
        loop(depth);
      else if (kind == 17 && blocks_)
        b_.brIf(condition(), pick(blocks_));
      else if (kind == 18 && blocks_ && pick(4) == 0)
        b_.br(pick(blocks_));
      else if (kind == 19 && pick(12) == 0)
        earlyReturn();
    }
    keep();
  }
  // Folds the newest values into variables, so that a wrong one shows in the end.
  void keep() {
    for (uint32_t i = 0; i < 5 && i < value_.size(); ++i) {
      const isa::Operand v = var_[pick(variables_)];
      b_.moveMasked(v, b_.value(isa::Opcode::IAdd, isa::Type::I32, v, value_[value_.size() - 1 - i]));
    }
  }
  void ifStatement(uint32_t depth) {
    const bool hasElse = pick(2);
    const isa::Operand phi = program.newTemp();
    b_.ifBegin(condition());
    scope([&] {
      statementList(depth + 1);
      b_.moveMasked(phi, operand());
    });
    if (hasElse) {
      b_.elseBegin();
      scope([&] {
        statementList(depth + 1);
        b_.moveMasked(phi, operand());
      });
    }
    b_.ifEnd();
    if (hasElse) value_.push_back(phi);
  }
  void block(uint32_t depth) {
    b_.blockBegin();
    ++blocks_;
    scope([&] { statementList(depth + 1); });
    --blocks_;
    b_.blockEnd();
  }
  // Three values with a life of their own: one from before that the body reads, one that survives rounds (written in
  // the first only), one that is read after the loop, where lanes left in different rounds.
  void loop(uint32_t depth) {
    const isa::Operand counter = program.newTemp(), carried = program.newTemp(), result = program.newTemp();
    const uint32_t first = pick(2);
    b_.moveMasked(counter, b_.imm(first));
    b_.blockBegin();
    ++blocks_;
    b_.loopBegin();
    scope([&] {
      for (uint32_t i = pick(4); i > 0; --i) compute();
      b_.moveMasked(result, operand());
      // The bound differs between lanes, or is one that lets the loop be unrolled, which table words are worth.
      const isa::Operand bound =
          pick(2) ? b_.value(isa::Opcode::And, isa::Type::I32, var_[pick(variables_)], b_.imm(3)) : b_.imm(pick(4));
      b_.brIf(b_.icmp(isa::CmpI::UGt, isa::Type::I32, counter, bound), 0);
      for (uint32_t i = pick(4); i > 0; --i) compute();
      if (pick(2)) value_.push_back(tableWord(counter));
      b_.ifBegin(b_.icmp(isa::CmpI::Eq, isa::Type::I32, counter, b_.imm(first)));
      b_.moveMasked(carried, operand());
      b_.ifEnd();
      value_.push_back(carried);
      // Written past a br that nobody takes in the first round: later rounds may see an older value.
      const isa::Operand skipped = program.newTemp();
      b_.blockBegin();
      b_.brIf(b_.value(isa::Opcode::And, isa::Type::I32, condition(),
                       b_.icmp(isa::CmpI::Ne, isa::Type::I32, counter, b_.imm(first))),
              0);
      if (pick(2))
        b_.moveMasked(skipped, operand());
      else
        b_.into(skipped, isa::Opcode::IAdd, isa::Type::I32, operand(), operand()),
            b_.program().code.back().masked = true;
      b_.blockEnd();
      value_.push_back(skipped);
      b_.moveMasked(counter, b_.value(isa::Opcode::IAdd, isa::Type::I32, counter, b_.imm(1)));
      statementList(depth + 1);
      for (uint32_t i = pick(4); i > 0; --i) compute();
    });
    b_.loopEnd();
    --blocks_;
    b_.blockEnd();
    // A br of the body may leave before the first round wrote the result; only the loop's own exit comes after it.
    value_.push_back(result);
  }
  void writeOutputs() {
    for (uint32_t o = 0; o < kOutputs; ++o) {
      isa::Operand sum = var_[o % variables_];
      for (uint32_t v = o + kOutputs; v < variables_; v += kOutputs)
        sum = b_.value(isa::Opcode::Xor, isa::Type::I32, sum, var_[v]);
      b_.moveMasked(output(o),
                    b_.value(isa::Opcode::IAdd, isa::Type::I32, sum, isa::Builder::word(vec_[o / 4], o % 4)));
    }
  }
  void earlyReturn() {
    b_.ifBegin(condition());
    writeOutputs();
    b_.ret();
    b_.ifEnd();
  }
  void finish() { writeOutputs(); }

  std::mt19937 random_;
  isa::Builder b_;
  uint32_t budget_, variables_, blocks_ = 0;
  std::vector<isa::Operand> var_, vec_, value_, pair_, compared_;
};

/// One thread of a program over virtual registers, straight from the definitions.
class Thread {
 public:
  Thread(const isa::Program& program, const Machine& m, uint32_t lane) : program_(program), m_(m), lane_(lane) {
    registers_.assign(program.tempWords, 0xDEADBEEF);
    out.assign(abi::kRecordWords, 0);
  }
  std::vector<uint32_t> out;

  /// False when it runs too long.
  bool run() {
    using isa::Opcode;
    const auto& code = program_.code;
    size_t steps = 0;
    for (size_t at = 0; at < code.size(); ++at) {
      if (++steps > 2000000) return false;
      const isa::Inst& inst = code[at];
      switch (inst.op) {
        case Opcode::If:
          if (!word(inst.src[0])) at = skip(at, true);
          break;
        case Opcode::Else: at = skip(at, false); break;
        case Opcode::EndIf:
        case Opcode::Block:
        case Opcode::EndBlock:
        case Opcode::Loop: break;
        case Opcode::EndLoop: at = backTo(at); break;
        case Opcode::Ret: return true;
        case Opcode::BrC:
          if (!word(inst.src[0])) break;
          [[fallthrough]];
        case Opcode::Br: at = leave(at, inst.imm); break;
        default: execute(inst);
      }
    }
    return true;
  }

 private:
  uint32_t word(isa::Operand o) const {
    switch (o.bank) {
      case isa::Bank::Temp: return registers_[o.word];
      case isa::Bank::In: return m_.in[o.word].lane[lane_];
      case isa::Bank::Param: return program_.constants[o.word / 4][o.word % 4];
      case isa::Bank::Out: return out[o.word];
      default: return 0;
    }
  }
  void execute(const isa::Inst& inst) {
    uint32_t result[kEvaluateWords] = {};
    if (inst.op == isa::Opcode::XMov) {
      for (uint32_t w = 0; w < inst.count; ++w) result[w] = word({inst.src[0].bank, inst.src[0].word + w});
    } else if (inst.op == isa::Opcode::LdImm) {
      result[0] = inst.imm;
    } else if (inst.op == isa::Opcode::Sys) {
      result[0] = 100 * inst.imm + lane_;
    } else if (inst.op == isa::Opcode::Ld) {
      const uint32_t at = word(inst.src[1]) / 4;
      result[0] = at < program_.table.size() ? program_.table[at] : 0;
    } else {
      uint32_t sources[3][kEvaluateWords];
      for (uint32_t i = 0; i < 3; ++i)
        for (uint32_t w = 0; w < isa::srcWords(inst, i); ++w)
          sources[i][w] = word({inst.src[i].bank, inst.src[i].word + w});
      ASSERT_TRUE(evaluate(inst, sources, result));
    }
    for (uint32_t w = 0; w < isa::dstWords(inst); ++w)
      (inst.dst.bank == isa::Bank::Temp ? registers_ : out)[inst.dst.word + w] = result[w];
  }
  /// From an if or else: the index of its else (when wanted) or endif.
  size_t skip(size_t at, bool stopAtElse) const {
    for (int depth = 0;;) {
      const isa::Opcode op = program_.code[++at].op;
      if (isa::opensScope(op)) ++depth;
      if (depth == 0 && (op == isa::Opcode::EndIf || (stopAtElse && op == isa::Opcode::Else))) return at;
      if (isa::closesScope(op)) --depth;
    }
  }
  size_t backTo(size_t at) const {
    for (int depth = 0;;) {
      const isa::Opcode op = program_.code[--at].op;
      if (isa::closesScope(op)) ++depth;
      if (depth == 0 && op == isa::Opcode::Loop) return at;
      if (isa::opensScope(op)) --depth;
    }
  }
  size_t leave(size_t at, uint32_t levels) const {
    for (int depth = 0;;) {
      const isa::Opcode op = program_.code[++at].op;
      if (isa::opensScope(op)) ++depth;
      if (isa::closesScope(op)) {
        if (depth > 0)
          --depth;
        else if (op == isa::Opcode::EndBlock && levels-- == 0)
          return at;
      }
    }
  }

  const isa::Program& program_;
  const Machine& m_;
  uint32_t lane_;
  std::vector<uint32_t> registers_;
};

}  // namespace etzel::interp::test
