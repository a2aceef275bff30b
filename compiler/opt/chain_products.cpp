// Products of matrices that add to one another's results come one behind the other, so that their sums stay in
// registers from the first to the last: there are more sums than registers. What products need is computed before them,
// and loads of one cache line stand side by side: rows that lie a power of two apart share few places of a cache, and
// a line may be gone when the next step asks for its other half.
#include <algorithm>
#include <map>
#include <tuple>

#include "compiler/opt/passes.h"
#include "compiler/opt/values.h"

namespace etzel::opt {
namespace {

using isa::Bank;
using isa::Inst;
using isa::Opcode;
using isa::Operand;

constexpr uint32_t kNone = ~0u;
constexpr uint32_t kLineBytes = 64;
/// Longer stretches of code are left as they are: each instruction would be live for too long.
constexpr size_t kMostInstructions = 4096;
/// Of a sum. Places are made of few.
constexpr size_t kMostFactors = 8;

/// Runs in all lanes that are there, and does nothing but write its result.
bool isPlain(const Inst& inst) { return !isa::isShadow(inst) && isa::isPure(inst) && inst.dst.bank == Bank::Temp; }

/// A word as a sum of others times constants, modulo 2^32.
struct LinearForm {
  std::map<uint32_t, uint32_t> factors;  ///< by word
  uint32_t constant = 0;

  void add(const LinearForm& other, uint32_t times) {
    constant += other.constant * times;
    for (const auto& [word, factor] : other.factors)
      if ((factors[word] += factor * times) == 0) factors.erase(word);
  }
};

/// A stretch of code without branches and side effects.
class Stretch {
 public:
  Stretch(const isa::Program& program, const WordTable& table, std::vector<Inst> code)
      : program_(program), table_(table), code_(std::move(code)) {}

  /// The code, in another order where there are chains of products.
  std::vector<Inst> run() {
    if (code_.size() > kMostInstructions || !link()) return std::move(code_);
    dropOverwrittenMoves();
    depend();
    findPlaces();
    std::vector<bool> begun(code_.size());
    for (uint32_t i = 0; i < code_.size(); ++i) {
      if (code_[i].op != Opcode::SgProduct || begun[i]) continue;
      // Those of one first factor: they share what it takes to get it.
      std::vector<uint32_t> row;
      for (uint32_t k = i; k < code_.size(); ++k)
        if (code_[k].op == Opcode::SgProduct && !begun[k] && code_[k].src[0] == code_[i].src[0]) {
          for (uint32_t product = k; product != kNone; product = next_[product])
            row.push_back(product), begun[product] = true;
        }
      for (const uint32_t product : row)
        for (const uint32_t n : needs_[product]) emitEarly(n);
      for (const uint32_t product : row) emit(product);
    }
    for (uint32_t i = 0; i < code_.size(); ++i) emit(i);
    return std::move(out_);
  }

 private:
  /// Which product adds to which one's result. \returns whether any does
  bool link() {
    next_.assign(code_.size(), kNone);
    std::unordered_map<uint32_t, uint32_t> writer;  // of a word
    bool any = false;
    for (uint32_t i = 0; i < code_.size(); ++i) {
      const Inst& inst = code_[i];
      if (inst.op == Opcode::SgProduct && inst.src[2].bank == Bank::Temp) {
        const auto of = [&](uint32_t w) {
          const auto found = writer.find(inst.src[2].word + w);
          return found == writer.end() ? kNone : found->second;
        };
        const uint32_t before = of(0);
        bool follows = before != kNone && code_[before].op == Opcode::SgProduct && next_[before] == kNone &&
                       code_[before].dst == inst.src[2] && code_[before].count == inst.count;
        for (uint32_t w = 1; follows && w < inst.count; ++w) follows = of(w) == before;
        if (follows) next_[before] = i, any = true;
      }
      forEachWritten(inst, [&](uint32_t word) { writer[word] = i; });
    }
    return any;
  }

  /// Variables take every sum on its way; only the last one is seen.
  void dropOverwrittenMoves() {
    std::unordered_map<uint32_t, bool> written;  // by word: what comes next writes it, and does not read it
    std::vector<bool> dead(code_.size());
    for (size_t i = code_.size(); i-- > 0;) {
      const Inst& inst = code_[i];
      bool seen = inst.op != Opcode::XMov;
      forEachWritten(inst, [&](uint32_t word) { seen |= !written[word]; });
      dead[i] = !seen;
      if (dead[i]) continue;
      forEachWritten(inst, [&](uint32_t word) { written[word] = true; });
      forEachRead(inst, [&](uint32_t word) { written[word] = false; });
    }
    std::vector<uint32_t> places(code_.size());  // where each one goes
    std::vector<Inst> kept;
    for (uint32_t i = 0; i < code_.size(); ++i) {
      places[i] = static_cast<uint32_t>(kept.size());
      if (!dead[i]) kept.push_back(code_[i]);
    }
    std::vector<uint32_t> next(kept.size(), kNone);
    for (uint32_t i = 0; i < code_.size(); ++i)
      if (next_[i] != kNone) next[places[i]] = places[next_[i]];
    code_ = std::move(kept), next_ = std::move(next);
  }

  /// What each instruction has to stand behind, and what stands behind no product.
  void depend() {
    struct Word {
      uint32_t writer = kNone;
      std::vector<uint32_t> readers;  // since then
    };
    std::unordered_map<uint32_t, Word> words;
    needs_.assign(code_.size(), {}), early_.assign(code_.size(), false), emitted_.assign(code_.size(), false);
    for (uint32_t i = 0; i < code_.size(); ++i) {
      std::vector<uint32_t>& needs = needs_[i];
      forEachRead(code_[i], [&](uint32_t word) {
        Word& w = words[word];
        if (w.writer != kNone) needs.push_back(w.writer);
        w.readers.push_back(i);
      });
      forEachWritten(code_[i], [&](uint32_t word) {
        Word& w = words[word];
        if (w.writer != kNone) needs.push_back(w.writer);
        needs.insert(needs.end(), w.readers.begin(), w.readers.end());
        w = {i, {}};
      });
      std::erase(needs, i);
      std::sort(needs.begin(), needs.end());
      needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
      early_[i] = code_[i].op != Opcode::SgProduct &&
                  std::all_of(needs.begin(), needs.end(), [&](uint32_t n) { return early_[n]; });
    }
  }

  // --- Where loads read

  LinearForm formOf(Operand o) const {
    if (const auto value = constantOf(program_, o)) return {{}, *value};
    const auto form = o.bank == Bank::Temp ? forms_.find(o.word) : forms_.end();
    return form == forms_.end() ? LinearForm{{{o.word, 1}}, 0} : form->second;
  }
  void learn(const Inst& inst) {
    if (inst.type != isa::Type::I32 || isa::dstWords(inst) != 1 || table_.writes[inst.dst.word] != 1) return;
    LinearForm form;
    switch (inst.op) {
      case Opcode::XMov: form.add(formOf(inst.src[0]), 1); break;
      case Opcode::IAdd: form.add(formOf(inst.src[0]), 1), form.add(formOf(inst.src[1]), 1); break;
      case Opcode::ISub: form.add(formOf(inst.src[0]), 1), form.add(formOf(inst.src[1]), ~0u); break;
      case Opcode::IMul:
      case Opcode::Shl: {
        const auto factor = constantOf(program_, inst.src[1]);
        if (!factor) return;
        form.add(formOf(inst.src[0]), inst.op == Opcode::Shl ? 1u << (*factor & 31) : *factor);
        break;
      }
      default: return;
    }
    if (form.factors.size() <= kMostFactors) forms_[inst.dst.word] = std::move(form);
  }
  void findPlaces() {
    for (uint32_t i = 0; i < code_.size(); ++i) {
      const Inst& inst = code_[i];
      if (inst.op == Opcode::Ld && inst.src[1].present()) {
        LinearForm form = formOf(inst.src[1]);
        const uint32_t at = form.constant + inst.imm;
        form.constant = 0;
        Loads& alike = loads_[{inst.sub, inst.src[0].word, std::move(form.factors)}];
        alike.push_back({i, at});
        loadsOf_[i] = &alike;
      }
      learn(inst);
    }
  }

  // --- The new order

  void emit(uint32_t i) {
    if (emitted_[i]) return;
    emitted_[i] = true;
    for (const uint32_t n : needs_[i]) emit(n);
    out_.push_back(code_[i]);
  }
  void emitEarly(uint32_t i) {
    if (!early_[i] || emitted_[i]) return;
    for (const uint32_t n : needs_[i]) emitEarly(n);
    emitWithItsLine(i);
  }
  void emitWithItsLine(uint32_t i) {
    const auto loads = loadsOf_.find(i);
    const bool leads = loads != loadsOf_.end() && !emitted_[i];
    emit(i);
    if (!leads) return;
    const auto at = [&](uint32_t load) {
      return std::find_if(loads->second->begin(), loads->second->end(), [&](const auto& l) { return l.first == load; })
          ->second;
    };
    for (const auto& [other, where] : *loads->second)
      if (early_[other] && where - at(i) + kLineBytes - 1 < 2 * kLineBytes - 1) emit(other);  // modulo 2^32
  }

  using Loads = std::vector<std::pair<uint32_t, uint32_t>>;  ///< instructions, and their bytes behind what they share
  using Base = std::tuple<uint32_t, uint32_t, std::map<uint32_t, uint32_t>>;  ///< space, handle, factors

  const isa::Program& program_;
  const WordTable& table_;
  std::vector<Inst> code_, out_;
  std::vector<uint32_t> next_;                ///< by product: the one that adds to its result
  std::vector<std::vector<uint32_t>> needs_;  ///< instructions that have to stand before
  std::vector<bool> early_, emitted_;
  std::unordered_map<uint32_t, LinearForm> forms_;  ///< of words that are written once
  std::map<Base, Loads> loads_;
  std::unordered_map<uint32_t, Loads*> loadsOf_;  ///< by load: those whose places differ from its by a constant
};

}  // namespace

void chainProducts(isa::Program& program) {
  const auto multiplies = [](const Inst& inst) { return inst.op == Opcode::SgProduct; };
  if (std::count_if(program.code.begin(), program.code.end(), multiplies) < 2) return;
  const WordTable table(program);
  std::vector<Inst> out;
  for (auto at = program.code.begin(); at != program.code.end();) {
    const auto end = std::find_if_not(at, program.code.end(), isPlain);
    if (at != end) {
      const std::vector<Inst> chained = Stretch(program, table, {at, end}).run();
      out.insert(out.end(), chained.begin(), chained.end());
    }
    at = end;
    if (at != program.code.end()) out.push_back(*at++);
  }
  program.code = std::move(out);
}

}  // namespace etzel::opt
