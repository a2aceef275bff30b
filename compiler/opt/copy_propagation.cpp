#include "compiler/opt/passes.h"
#include "compiler/opt/values.h"

namespace etzel::opt {
namespace {

// A reader of a copied word may read the original when, on every way from the copy to the reader, neither is written
// again. Both ways of knowing that need the copy's scope to be open at the reader (so the copy dominates it):
// - copy and original are written once, and the original's write dominates the copy: a second write would need a round
//   of a loop that passes the copy again;
// - or no write of either stands between them in program order, and both stand in the same loop.
class Propagation {
 public:
  explicit Propagation(isa::Program& program) : program_(program), table_(program) {}

  void run() {
    copyOf_.assign(program_.tempWords, {});
    version_.assign(program_.tempWords, 0);
    definedIn_.assign(program_.tempWords, kNone);
    std::vector<isa::Inst> code = std::move(program_.code);
    program_.code.clear();
    program_.code.reserve(code.size());
    for (isa::Inst& inst : code) {
      if (isa::isShadow(inst)) {
        program_.code.push_back(inst);
        continue;
      }
      scopes_.step(inst.op);
      if (inst.op == isa::Opcode::Loop) loops_.push_back(++loopCount_);
      if (inst.op == isa::Opcode::EndLoop) loops_.pop_back();
      for (uint32_t i = 0; i < 3; ++i) forward(inst, i);
      if (!split(inst)) emit(inst);
    }
  }

 private:
  static constexpr uint32_t kNone = ~0u;
  struct Copy {
    isa::Operand source;
    uint32_t scope = 0, loop = 0, version = 0, sourceVersion = 0;
    bool forever = false;  ///< the first way
  };

  uint32_t loop() const { return loops_.empty() ? 0 : loops_.back(); }

  isa::Operand original(isa::Operand o) const {
    if (o.bank != isa::Bank::Temp) return o;
    const Copy& c = copyOf_[o.word];
    if (!c.source.present() || !scopes_.isOpen(c.scope)) return o;
    if (c.forever) return c.source;
    const bool unchanged = c.version == version_[o.word] &&
                           (c.source.bank != isa::Bank::Temp || c.sourceVersion == version_[c.source.word]);
    return unchanged && c.loop == loop() ? c.source : o;
  }

  void forward(isa::Inst& inst, uint32_t i) {
    isa::Operand& s = inst.src[i];
    if (s.bank != isa::Bank::Temp) return;
    const uint32_t words = isa::srcWords(inst, i);
    if (words == 0) return;
    const isa::Operand first = original(s);
    if (first == s) return;
    for (uint32_t w = 1; w < words; ++w) {
      const isa::Operand next = original({s.bank, s.word + w});
      if (next.bank != first.bank || next.word != first.word + w) return;
      if (first.bank == isa::Bank::Temp && table_.groupOf[next.word] != table_.groupOf[first.word]) return;
    }
    s = first;
  }

  /// A copy of a vector whose words were all copied together from elsewhere: copy them from there, one by one.
  bool split(const isa::Inst& inst) {
    if (inst.op != isa::Opcode::XMov || inst.count < 2 || inst.src[0].bank != isa::Bank::Temp) return false;
    if (inst.dst.bank == isa::Bank::Temp && table_.groupOf[inst.dst.word] == table_.groupOf[inst.src[0].word])
      return false;
    isa::Operand from[8];
    for (uint32_t w = 0; w < inst.count; ++w) {
      from[w] = original({inst.src[0].bank, inst.src[0].word + w});
      if (from[w].bank == isa::Bank::Temp && from[w].word == inst.src[0].word + w) return false;
      // The words are written one after the other; none may be read later.
      if (from[w].bank == isa::Bank::Temp && inst.dst.bank == isa::Bank::Temp && from[w].word >= inst.dst.word &&
          from[w].word < inst.dst.word + inst.count)
        return false;
    }
    for (uint32_t w = 0; w < inst.count; ++w) {
      isa::Inst single = inst;
      single.count = 1, single.dst.word += w, single.src[0] = from[w];
      emit(single);
    }
    return true;
  }

  void emit(const isa::Inst& inst) {
    program_.code.push_back(inst);
    if (inst.dst.bank != isa::Bank::Temp) return;
    const uint32_t words = isa::dstWords(inst);
    for (uint32_t w = 0; w < words; ++w) {
      ++version_[inst.dst.word + w];
      definedIn_[inst.dst.word + w] = scopes_.current();
    }
    if (inst.op != isa::Opcode::XMov) return;
    for (uint32_t w = 0; w < words; ++w) learn({inst.src[0].bank, inst.src[0].word + w}, inst.dst.word + w);
  }

  void learn(isa::Operand from, uint32_t to) {
    Copy& c = copyOf_[to];
    c = {};
    const bool constant = from.bank == isa::Bank::Param || from.bank == isa::Bank::In;
    if (!constant && (from.bank != isa::Bank::Temp || from.word == to)) return;
    c.source = from, c.scope = scopes_.current(), c.loop = loop(), c.version = version_[to];
    if (!constant) c.sourceVersion = version_[from.word];
    c.forever =
        table_.writes[to] == 1 && (constant || (table_.writes[from.word] == 1 && definedIn_[from.word] != kNone &&
                                                scopes_.isOpen(definedIn_[from.word])));
  }

  isa::Program& program_;
  const WordTable table_;
  ScopeTracker scopes_;
  std::vector<uint32_t> loops_;
  uint32_t loopCount_ = 0;
  std::vector<Copy> copyOf_;
  std::vector<uint32_t> version_, definedIn_;
};

}  // namespace

void propagateCopies(isa::Program& program) { Propagation(program).run(); }

}  // namespace etzel::opt
