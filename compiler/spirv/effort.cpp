#include "compiler/spirv/effort.h"

#include <unordered_map>
#include <vector>

#include "compiler/spirv/words.h"

namespace etzel::spirv {
namespace {

using O = spv::Op;

/// What a block of a construct costs for each block on its way up.
constexpr uint64_t kStepNs = 40;

/// The control flow of one function.
class Flow {
 public:
  void add(Words inst) {
    const auto goesTo = [&](size_t word) {
      if (word < inst.size() && !blocks_.empty()) blocks_.back().next.push_back(inst[word]);
    };
    switch (opOf(inst)) {
      case O::OpLabel:
        if (inst.size() < 2) break;
        index_[inst[1]] = blocks_.size();
        blocks_.emplace_back();
        break;
      case O::OpLoopMerge: goesTo(2); [[fallthrough]];
      case O::OpSelectionMerge:
        if (inst.size() > 1 && !blocks_.empty()) blocks_.back().merge = inst[1];
        goesTo(1);
        break;
      case O::OpBranch: goesTo(1); break;
      case O::OpBranchConditional: goesTo(2), goesTo(3); break;
      case O::OpSwitch:
        // Literals are taken for labels too. Where there is such a label the estimate is too high, if anything.
        for (size_t word = 2; word < inst.size(); ++word) goesTo(word);
        break;
      default: break;
    }
  }

  /// For all blocks of all constructs, how far they are from the entry: no dominator tree is deeper. Counts until that
  /// is more than `most`.
  uint64_t steps(uint64_t most) {
    measure();
    uint64_t all = 0;
    for (size_t header = 0; header < blocks_.size() && all <= most; ++header)
      if (blocks_[header].merge)
        visit(header, blocks_[header].merge, [&](const Block& block) { all += block.distance; });
    return all;
  }

 private:
  struct Block {
    uint32_t merge = 0;
    std::vector<uint32_t> next;  ///< labels
    uint64_t distance = 0;       ///< blocks on the shortest way from the entry
    size_t seenBy = ~size_t{0};  ///< where the last visit began
  };

  void measure() {
    uint64_t distance = 0;
    std::vector<size_t> level, next;
    if (!blocks_.empty()) level.push_back(0);
    while (!level.empty()) {
      ++distance, next.clear();
      for (const size_t b : level)
        if (blocks_[b].distance == 0) {
          blocks_[b].distance = distance;
          forEachNext(b, 0, [&](size_t to) { next.push_back(to); });
        }
      level.swap(next);
    }
  }

  /// Calls `see` with what is reached from a block without going through the label `end`.
  template <class F>
  void visit(size_t from, uint32_t end, F see) {
    std::vector<size_t> left{from};
    while (!left.empty()) {
      const size_t b = left.back();
      left.pop_back();
      if (blocks_[b].seenBy == from) continue;
      blocks_[b].seenBy = from;
      see(blocks_[b]);
      forEachNext(b, end, [&](size_t to) { left.push_back(to); });
    }
  }

  template <class F>
  void forEachNext(size_t b, uint32_t end, F see) const {
    for (const uint32_t label : blocks_[b].next)
      if (const auto at = index_.find(label); at != index_.end() && label != end) see(at->second);
  }

  std::vector<Block> blocks_;
  std::unordered_map<uint32_t, size_t> index_;
};

}  // namespace

uint64_t validationNs(std::span<const uint32_t> words, uint64_t most) {
  uint64_t steps = 0;
  const uint64_t mostSteps = most / kStepNs;
  Flow flow;
  forEach(words, [&](Words inst) {
    if (opOf(inst) == O::OpFunctionEnd) {
      steps += flow.steps(mostSteps);
      flow = {};
    } else {
      flow.add(inst);
    }
    return steps <= mostSteps;
  });
  return steps * kStepNs;
}

}  // namespace etzel::spirv
