#include "compiler/regalloc/live_ranges.h"

#include <algorithm>

#include "compiler/isa/info.h"

namespace etzel::regalloc {
namespace {

using isa::Inst;
using isa::Opcode;

constexpr uint32_t kNone = ~0u;
constexpr int16_t kNever = -1;

/// A definite-assignment analysis over the structured program. For every word it knows the depth of the innermost loop
/// since whose start the word was certainly written (in the lanes that run): 0 = since the program's start. A read in
/// a deeper loop sees the value of an earlier iteration or of the time before the loop.
class Analysis {
 public:
  explicit Analysis(const isa::Program& program) : program_(program) {}

  LiveRanges run() {
    findGroups();
    findLoops();
    assigned_.assign(program_.tempWords, kNever);
    stamp_.assign(program_.tempWords, 0);
    scratch_.assign(program_.tempWords, 0);
    budget_ = 64 * (program_.code.size() + 1024);
    for (at_ = 0; at_ < program_.code.size(); ++at_) visit(program_.code[at_]);
    for (LiveRange& r : out_.group) closeOverLoops(r);
    return std::move(out_);
  }

 private:
  struct Loop {
    uint32_t begin, end, parent, depth;
  };
  struct Change {
    uint32_t word;
    int16_t value;  ///< in logs the value before, in results the value after
  };
  struct Scope {
    Opcode opener;
    size_t logStart;
    bool reachableBefore;
    // if: what the first arm assigned
    std::vector<Change> thenResult;
    bool thenReachable = false, hasElse = false;
    // block: what all lanes that left it so far had assigned
    std::vector<Change> exits;
    bool hasExit = false;
  };

  void findGroups() {
    out_.groupOf.assign(program_.tempWords, kNone);
    for (uint32_t g = 0; g < program_.groups.size(); ++g) {
      const isa::TempGroup& group = program_.groups[g];
      for (uint32_t w = 0; w < group.words; ++w) out_.groupOf[group.first + w] = g;
    }
    out_.group.resize(program_.groups.size());
  }

  void findLoops() {
    loopAt_.assign(program_.code.size() + 1, kNone);
    uint32_t current = kNone;
    for (uint32_t i = 0; i < program_.code.size(); ++i) {
      if (program_.code[i].op == Opcode::Loop) {
        loops_.push_back({i, i, current, current == kNone ? 1 : loops_[current].depth + 1});
        current = static_cast<uint32_t>(loops_.size() - 1);
      }
      loopAt_[i] = current;
      if (program_.code[i].op == Opcode::EndLoop) {
        loops_[current].end = i;
        current = loops_[current].parent;
      }
    }
  }

  uint32_t depth() const { return loopAt_[at_] == kNone ? 0 : loops_[loopAt_[at_]].depth; }

  void cover(LiveRange& r, uint32_t from, uint32_t to) {
    r.start = std::min(r.start, from);
    r.end = std::max(r.end, to);
  }

  void read(uint32_t word) {
    LiveRange& r = out_.group[out_.groupOf[word]];
    cover(r, 2 * at_, 2 * at_);
    const int32_t since = assigned_[word];
    const int32_t here = static_cast<int32_t>(depth());
    if (!reachable_ || here == 0 || since >= here) return;
    uint32_t loop = loopAt_[at_];
    while (static_cast<int32_t>(loops_[loop].depth) > std::max(since, 0) + 1) loop = loops_[loop].parent;
    cover(r, 2 * loops_[loop].begin, 2 * loops_[loop].end + 1);
  }

  void write(uint32_t word) {
    cover(out_.group[out_.groupOf[word]], 2 * at_ + 1, 2 * at_ + 1);
    if (reachable_) set(word, static_cast<int16_t>(depth()));
  }

  void set(uint32_t word, int16_t value) {
    if (assigned_[word] == value) return;
    log_.push_back({word, assigned_[word]});
    assigned_[word] = value;
  }

  /// Current values of the words that changed since the log had `start` entries, each once.
  std::vector<Change> changesSince(size_t start, int16_t deepest) {
    std::vector<Change> result;
    ++round_;
    for (size_t i = start; i < log_.size(); ++i) {
      const uint32_t w = log_[i].word;
      if (stamp_[w] == round_) continue;
      stamp_[w] = round_;
      result.push_back({w, std::min(assigned_[w], deepest)});
    }
    return result;
  }
  void undo(size_t start) {
    while (log_.size() > start) {
      assigned_[log_.back().word] = log_.back().value;
      log_.pop_back();
    }
  }
  /// Both ways assign a word: keep the weaker knowledge. Words that only one way changed drop out.
  std::vector<Change> both(const std::vector<Change>& a, const std::vector<Change>& b) {
    std::vector<Change> result;
    ++round_;
    for (const Change& c : a) stamp_[c.word] = round_, scratch_[c.word] = c.value;
    for (const Change& c : b)
      if (stamp_[c.word] == round_) result.push_back({c.word, std::min(c.value, scratch_[c.word])});
    return result;
  }

  void leaveBlock(uint32_t levels) {
    for (size_t i = scopes_.size(); i-- > 0;) {
      Scope& s = scopes_[i];
      if (s.opener != Opcode::Block || levels-- != 0) continue;
      if (!reachable_) return;
      const size_t size = log_.size() - s.logStart + s.exits.size();
      if (size > budget_) {
        s.exits.clear();  // nothing is certain: right, only with longer intervals
      } else {
        budget_ -= size;
        std::vector<Change> now = changesSince(s.logStart, INT16_MAX);
        s.exits = s.hasExit ? both(s.exits, now) : std::move(now);
      }
      s.hasExit = true;
      return;
    }
  }

  void visit(const Inst& inst) {
    const float weight = accessWeight();
    isa::forEachSource(inst, [&](isa::Operand o, uint32_t words) {
      if (o.bank != isa::Bank::Temp || words == 0) return;
      out_.group[out_.groupOf[o.word]].cost += weight;
      for (uint32_t w = 0; w < words; ++w) read(o.word + w);
    });
    if (inst.dst.bank == isa::Bank::Temp) {
      const uint32_t words = isa::dstWords(inst);
      if (words) out_.group[out_.groupOf[inst.dst.word]].cost += weight;
      for (uint32_t w = 0; w < words; ++w) write(inst.dst.word + w);
    }
    control(inst);
  }

  float accessWeight() const {
    constexpr float weights[] = {1, 8, 64, 512};
    return weights[std::min<uint32_t>(depth(), 3)];
  }

  void control(const Inst& inst) {
    switch (inst.op) {
      case Opcode::If:
      case Opcode::Block:
      case Opcode::Loop: scopes_.push_back({inst.op, log_.size(), reachable_, {}, false, false, {}, false}); break;
      case Opcode::Else: {
        Scope& s = scopes_.back();
        s.thenResult = changesSince(s.logStart, INT16_MAX);
        s.thenReachable = reachable_, s.hasElse = true;
        undo(s.logStart);
        reachable_ = s.reachableBefore;
        break;
      }
      case Opcode::EndIf: endIf(); break;
      case Opcode::EndBlock: endBlock(); break;
      case Opcode::EndLoop: {
        // Lanes only leave a loop by br, so nobody comes out here.
        undo(scopes_.back().logStart);
        scopes_.pop_back();
        reachable_ = false;
        break;
      }
      case Opcode::Br:
        leaveBlock(inst.imm);
        reachable_ = false;
        break;
      case Opcode::BrC: leaveBlock(inst.imm); break;
      case Opcode::Ret:
      case Opcode::Kill: reachable_ = false; break;
      default: break;
    }
  }

  void endIf() {
    Scope s = std::move(scopes_.back());
    scopes_.pop_back();
    std::vector<Change> elseResult = changesSince(s.logStart, INT16_MAX);
    const bool lastReachable = reachable_;
    undo(s.logStart);
    if (!s.hasElse) {  // the lanes that did not enter assigned nothing
      reachable_ = s.reachableBefore;
      return;
    }
    reachable_ = s.thenReachable || lastReachable;
    if (!reachable_) return;
    const std::vector<Change>& result = !s.thenReachable ? elseResult
                                        : !lastReachable ? s.thenResult
                                                         : (elseResult = both(s.thenResult, elseResult));
    for (const Change& c : result) set(c.word, c.value);
  }

  void endBlock() {
    Scope s = std::move(scopes_.back());
    scopes_.pop_back();
    const int16_t here = static_cast<int16_t>(depth());
    if (!s.hasExit) return;  // reached from above or not at all; the log goes on
    if (reachable_) {
      std::vector<Change> now = changesSince(s.logStart, INT16_MAX);
      s.exits = both(s.exits, now);
    }
    undo(s.logStart);
    reachable_ = true;
    for (const Change& c : s.exits) set(c.word, std::min(c.value, here));
  }

  /// Intervals that enter or leave loops cover them.
  void closeOverLoops(LiveRange& r) {
    if (!r.used()) return;
    const uint32_t last = static_cast<uint32_t>(program_.code.size()) - 1;
    auto loopOf = [&](uint32_t position) { return loopAt_[std::min(position / 2, last)]; };
    // Each step ends with both ends in the same loop, so the intervals of inner loops are closed as well.
    for (uint32_t loop = loopOf(r.start); loop != kNone; loop = loops_[loop].parent)
      if (r.end > 2 * loops_[loop].end + 1) r.start = std::min(r.start, 2 * loops_[loop].begin);
    for (uint32_t loop = loopOf(r.end); loop != kNone; loop = loops_[loop].parent)
      if (r.start < 2 * loops_[loop].begin) r.end = std::max(r.end, 2 * loops_[loop].end + 1);
  }

  const isa::Program& program_;
  LiveRanges out_;
  std::vector<Loop> loops_;
  std::vector<uint32_t> loopAt_;  ///< innermost loop of each instruction, its loop and endloop included
  std::vector<int16_t> assigned_;
  std::vector<Change> log_;
  std::vector<Scope> scopes_;
  std::vector<uint32_t> stamp_;
  std::vector<int16_t> scratch_;
  uint32_t round_ = 0;
  uint32_t at_ = 0;
  size_t budget_ = 0;
  bool reachable_ = true;
};

}  // namespace

LiveRanges liveRanges(const isa::Program& program) { return Analysis(program).run(); }

}  // namespace etzel::regalloc
