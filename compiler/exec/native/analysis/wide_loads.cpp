#include "compiler/exec/native/analysis/wide_loads.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "compiler/exec/native/analysis/word_sums.h"
#include "compiler/isa/info.h"

namespace etzel::native {
namespace {

using isa::Inst;
using isa::Opcode;

constexpr uint32_t kMostApart = 1 << 19;  // bytes from the first lane

using Joins = std::function<bool(uint32_t load)>;

class Search {
 public:
  Search(const Webs& webs, const Divergence& divergence, const Bounds& bounds, const Joins& joins,
         const std::vector<bool>& turned)
      : webs_(webs),
        program_(webs.program),
        divergence_(divergence),
        bounds_(bounds),
        sums_(webs),
        joins_(joins),
        turned_(turned) {}

  std::vector<WideLoad> run() {
    for (uint32_t i = 0; i < program_.code.size(); ++i) {
      const Inst& inst = program_.code[i];
      if (isa::opInfo(inst).control || !isa::isPure(inst)) {
        endRun();
        sums_.begin(i + 1);
      } else {
        look(inst, i);
      }
      sums_.pass(inst, i);
    }
    endRun();
    return std::move(found_);
  }

 private:
  struct Key {
    uint8_t space;
    uint32_t bytes;   ///< of a load
    isa::Bank bank;   ///< of the handle
    uint32_t handle;  ///< its web, or its word
    bool turned;      ///< rows of a matrix
    std::vector<WordSum::Term> terms;
    bool operator<(const Key& o) const {
      return std::tie(space, bytes, bank, handle, turned, terms) <
             std::tie(o.space, o.bytes, o.bank, o.handle, o.turned, o.terms);
    }
  };

  void look(const Inst& inst, uint32_t i) {
    if (inst.op != Opcode::Ld || isa::typeBytes(inst.type) > 4) return;
    const bool four = joins_ && inst.count == 4 && isa::typeBytes(inst.type) == 4 && joins_(i);
    const bool isTurned = !turned_.empty() && turned_[i];
    if (inst.count != 1 && !four && !isTurned) return;
    const auto space = static_cast<isa::Space>(inst.sub);
    if (space != isa::Space::Shared && space != isa::Space::Buffer) return;
    if (inst.src[1].bank != isa::Bank::Temp || inst.dst.bank != isa::Bank::Temp) return;
    const Shape shape = shapeOf(webs_, divergence_, inst.src[1]);
    const uint32_t bytes = inst.count * isa::typeBytes(inst.type);
    if (four && (shape.varying() || shape.stride() != 2 * bytes)) return;
    if (isTurned && shape.varying()) return;
    if (!shape.varying() && (shape.uniform() || shape.stride() == bytes || shape.farthest() > kMostApart)) return;
    Key key{inst.sub, bytes, inst.src[0].bank, 0, isTurned, {}};
    if (inst.src[0].bank == isa::Bank::Temp) {
      key.handle = webs_.webOf(inst.src[0]);
      if (!sums_.isWrittenOnce(key.handle) || !shapeOf(webs_, divergence_, inst.src[0]).uniform()) return;
    } else {
      key.handle = inst.src[0].word;
    }
    WordSum sum = sums_.of(inst.src[1]);
    key.terms = std::move(sum.terms);
    candidates_[key].push_back({i, sum.constant, inst.imm});
  }

  void endRun() {
    for (auto& [key, list] : candidates_) {
      std::stable_sort(list.begin(), list.end(),
                       [](const WordPlace& a, const WordPlace& b) { return a.address() < b.address(); });
      for (size_t i = 0; i < list.size();) {
        size_t n = 1;
        while (i + n < list.size() && list[i + n].address() == list[i].address() + key.bytes * n) ++n;
        const Shape shape = shapeOf(webs_, divergence_, program_.code[list[i].at].src[1]);
        const bool apart = shape.varying() || shape.stride().value_or(kMostApart) >= 4 * key.bytes;
        const size_t most = apart && !key.turned ? 4 : 2;
        const size_t count = std::min<size_t>(n >= 4 ? 4 : n >= 2 ? 2 : 1, most);
        const std::vector<WordPlace> together(list.begin() + i, list.begin() + i + count);
        WideLoad load;
        for (const WordPlace& p : together) load.loads.push_back(p.at);
        const bool first = *std::min_element(load.loads.begin(), load.loads.end()) == list[i].at;
        load.turns = !lieSideBySide(divergence_, bounds_, key.terms, together);
        // A load's own elements never turn.
        const bool mayTurn = (key.turned || program_.code[list[i].at].count == 1) && differInOffsets(together);
        if (count > 1 && first && (!load.turns || mayTurn)) found_.push_back(std::move(load));
        i += count;
      }
    }
    candidates_.clear();
  }

  const Webs& webs_;
  const isa::Program& program_;
  const Divergence& divergence_;
  const Bounds& bounds_;
  WordSums sums_;
  std::map<Key, std::vector<WordPlace>> candidates_;
  const Joins& joins_;
  const std::vector<bool>& turned_;
  std::vector<WideLoad> found_;
};

}  // namespace

std::vector<WideLoad> findWideLoads(const Webs& webs, const Divergence& divergence, const Bounds& bounds,
                                    const Joins& joins, const std::vector<bool>& turned) {
  return Search(webs, divergence, bounds, joins, turned).run();
}

}  // namespace etzel::native
