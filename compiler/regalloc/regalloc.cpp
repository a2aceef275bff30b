// Linear scan over the intervals of live_ranges.h, in order of their starts. When no run of words is free, the active
// interval that is cheapest to keep in memory for the room it gives leaves; the spilled program is scanned again.
#include "compiler/regalloc/regalloc.h"

#include <algorithm>
#include <queue>

#include "compiler/isa/info.h"
#include "compiler/regalloc/live_ranges.h"
#include "compiler/regalloc/register_file.h"
#include "compiler/regalloc/spill.h"

namespace etzel::regalloc {
namespace {

using isa::Inst;
using isa::Opcode;

constexpr uint32_t kRounds = 8;

/// Gives every virtual word a group: words that nobody grouped are groups of their own.
void completeGroups(isa::Program& program) {
  std::vector<bool> grouped(program.tempWords, false);
  for (const isa::TempGroup& g : program.groups)
    for (uint32_t w = 0; w < g.words; ++w) grouped[g.first + w] = true;
  for (uint32_t w = 0; w < program.tempWords; ++w)
    if (!grouped[w]) program.groups.push_back({w, 1});
}

class Scan {
 public:
  Scan(const isa::Program& program, const LiveRanges& ranges, uint32_t firstSpillTemp)
      : program_(program), ranges_(ranges), firstSpillTemp_(firstSpillTemp) {}

  std::vector<uint32_t> place;  ///< by group: first real word
  std::vector<bool> spilled;    ///< by group
  bool anySpilled = false, failed = false;
  uint32_t wordsUsed = 0;

  void run() {
    const uint32_t count = static_cast<uint32_t>(program_.groups.size());
    place.assign(count, RegisterFile::kNoPlace);
    spilled.assign(count, false);
    std::vector<uint32_t> order;
    for (uint32_t g = 0; g < count; ++g)
      if (ranges_.group[g].used()) order.push_back(g);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return ranges_.group[a].start < ranges_.group[b].start; });
    findHints();
    for (uint32_t g : order) {
      expire(ranges_.group[g].start);
      assign(g);
      if (failed) return;
    }
  }

 private:
  struct End {
    uint32_t position, group;
    bool operator>(const End& o) const { return position > o.position; }
  };

  // A group that starts as a copy of one that ends there takes over its place, so that the copy disappears.
  void findHints() {
    hint_.assign(program_.groups.size(), {RegisterFile::kNoPlace, 0});
    for (uint32_t i = 0; i < program_.code.size(); ++i) {
      const Inst& inst = program_.code[i];
      if (inst.op != Opcode::XMov || inst.dst.bank != isa::Bank::Temp || inst.src[0].bank != isa::Bank::Temp) continue;
      const uint32_t to = ranges_.groupOf[inst.dst.word], from = ranges_.groupOf[inst.src[0].word];
      const uint32_t toOffset = inst.dst.word - program_.groups[to].first;
      const uint32_t fromOffset = inst.src[0].word - program_.groups[from].first;
      if (ranges_.group[to].start == 2 * i + 1 && fromOffset >= toOffset) hint_[to] = {from, fromOffset - toOffset};
      // The other way round: a value that is only copied into a group which starts later in its place.
      else if (ranges_.group[from].end == 2 * i && toOffset >= fromOffset &&
               hint_[from].group == RegisterFile::kNoPlace)
        hint_[from] = {to, toOffset - fromOffset};
    }
  }

  void expire(uint32_t position) {
    while (!active_.empty() && active_.top().position < position) {
      const uint32_t g = active_.top().group;
      active_.pop();
      if (!spilled[g]) file_.release(place[g], program_.groups[g].words);
    }
  }

  void put(uint32_t g, uint32_t at) {
    place[g] = at;
    file_.take(at, program_.groups[g].words);
    active_.push({ranges_.group[g].end, g});
    wordsUsed = std::max(wordsUsed, at + program_.groups[g].words);
    live_.push_back(g);
  }

  void assign(uint32_t g) {
    const uint32_t words = program_.groups[g].words;
    const Hint hint = hint_[g];
    if (hint.group != RegisterFile::kNoPlace && place[hint.group] != RegisterFile::kNoPlace &&
        file_.isFree(place[hint.group] + hint.offset, words)) {
      put(g, place[hint.group] + hint.offset);
      return;
    }
    uint32_t at = words <= RegisterFile::kWords ? file_.find(words) : RegisterFile::kNoPlace;
    if (at == RegisterFile::kNoPlace && words > RegisterFile::kWords / 2) {  // too large to hold at all
      if (!mayBeSpilled(g)) failed = true;
      spill(g);
      return;
    }
    while (at == RegisterFile::kNoPlace) {
      const uint32_t victim = cheapest(g);
      if (victim == RegisterFile::kNoPlace) {
        failed = true;
        return;
      }
      spill(victim);
      if (victim == g) return;
      file_.release(place[victim], program_.groups[victim].words);
      at = file_.find(words);
    }
    put(g, at);
  }

  void spill(uint32_t g) { spilled[g] = true, anySpilled = true; }
  bool mayBeSpilled(uint32_t g) const { return g < firstSpillTemp_; }

  /// Among the active groups and `g`, the one whose registers cost most for what its accesses gain.
  uint32_t cheapest(uint32_t g) {
    uint32_t best = RegisterFile::kNoPlace;
    float bestGain = -1;
    auto consider = [&](uint32_t c) {
      if (!mayBeSpilled(c) || spilled[c]) return;
      const LiveRange& r = ranges_.group[c];
      const float gain =
          static_cast<float>(r.end - r.start + 1) * static_cast<float>(program_.groups[c].words) / (r.cost + 1);
      if (gain > bestGain) bestGain = gain, best = c;
    };
    const uint32_t now = ranges_.group[g].start;
    std::erase_if(live_, [&](uint32_t c) { return spilled[c] || ranges_.group[c].end < now; });
    for (uint32_t c : live_) consider(c);
    consider(g);
    return best;
  }

  struct Hint {
    uint32_t group, offset;
  };
  const isa::Program& program_;
  const LiveRanges& ranges_;
  uint32_t firstSpillTemp_;
  RegisterFile file_;
  std::priority_queue<End, std::vector<End>, std::greater<>> active_;
  std::vector<uint32_t> live_;
  std::vector<Hint> hint_;
};

void rename(isa::Program& program, const LiveRanges& ranges, const Scan& scan) {
  auto map = [&](isa::Operand& o) {
    if (o.bank != isa::Bank::Temp) return;
    const uint32_t g = ranges.groupOf[o.word];
    // A group that is named by operands of no words only has no place; any will do.
    o.word = scan.place[g] == RegisterFile::kNoPlace ? 0 : scan.place[g] + (o.word - program.groups[g].first);
  };
  std::vector<Inst> kept;
  kept.reserve(program.code.size());
  for (Inst& inst : program.code) {
    map(inst.dst);
    for (isa::Operand& s : inst.src) map(s);
    if (inst.op == Opcode::XMov && inst.dst == inst.src[0]) continue;
    kept.push_back(inst);
  }
  program.code = std::move(kept);
  program.tempWords = std::max(scan.wordsUsed, program.tempWords ? 1u : 0u);
  program.groups.clear();
  program.arrays.clear();
}

}  // namespace

Result<void> allocate(isa::Program& program) {
  if (program.groups.empty()) return {};
  for (const Inst& inst : program.code)
    if (!isa::isExtension(inst.op))
      return Error{ErrorCode::InvalidShader, "base instructions name real registers and can't be allocated"};
  completeGroups(program);
  const uint32_t originalGroups = static_cast<uint32_t>(program.groups.size());
  for (uint32_t round = 0; round < kRounds; ++round) {
    const LiveRanges ranges = liveRanges(program);
    Scan scan(program, ranges, originalGroups);
    scan.run();
    if (scan.failed) break;
    if (!scan.anySpilled) {
      rename(program, ranges, scan);
      return {};
    }
    spillGroups(program, scan.spilled, ranges.groupOf);
  }
  return Error{ErrorCode::InvalidShader, "the program needs more registers than there are, even with spilling"};
}

}  // namespace etzel::regalloc
