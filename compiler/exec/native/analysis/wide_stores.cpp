#include "compiler/exec/native/analysis/wide_stores.h"

#include <algorithm>
#include <bit>

#include "compiler/exec/native/analysis/word_sums.h"
#include "compiler/isa/info.h"

namespace etzel::native {
namespace {

using isa::Bank;
using isa::Inst;
using isa::Opcode;
using isa::Operand;

constexpr uint32_t kWordBytes = 4, kMostApart = 1 << 19;  // bytes from the first lane
constexpr size_t kMostWords = 8;

class Search {
 public:
  Search(const Webs& webs, const Divergence& divergence, const Bounds& bounds)
      : webs_(webs), code_(webs.program.code), divergence_(divergence), bounds_(bounds), sums_(webs) {}

  std::vector<WideStore> run() {
    for (uint32_t i = 0; i < code_.size(); ++i) {
      const Inst& inst = code_[i];
      if (inst.op == Opcode::St) {
        look(inst, i);
      } else if (isa::opInfo(inst).control || !isa::isPure(inst)) {
        end();
        sums_.begin(i + 1);
      } else if (seesMemory(inst)) {
        end();
      }
      sums_.pass(inst, i);
    }
    end();
    return std::move(found_);
  }

 private:
  static bool seesMemory(const Inst& inst) {
    const isa::OpInfo& info = isa::opInfo(inst);
    if (info.sub == isa::SubKind::Space) return !isa::spaceOf(inst).constant;
    return info.memory || info.native == isa::Native::Texture || info.native == isa::Native::Call;
  }

  bool fits(const Inst& inst) const {
    const auto space = static_cast<isa::Space>(inst.sub);
    if (inst.count != 1 || isa::typeBytes(inst.type) != kWordBytes || inst.src[1].bank != Bank::Temp) return false;
    if (space != isa::Space::Shared && space != isa::Space::Buffer) return false;
    if (inst.src[2].bank != Bank::Temp && inst.src[2].bank != Bank::Param) return false;
    const Shape shape = shapeOf(webs_, divergence_, inst.src[1]);
    if (shape.varying() || shape.stride().value_or(0) < 2 * kWordBytes || shape.farthest() > kMostApart) return false;
    return inst.src[0].bank != Bank::Temp ||
           (sums_.isWrittenOnce(webs_.webOf(inst.src[0])) && shapeOf(webs_, divergence_, inst.src[0]).uniform());
  }

  void look(const Inst& inst, uint32_t i) {
    if (!fits(inst)) return end();
    WordSum sum = sums_.of(inst.src[1]);
    const WordPlace place{i, sum.constant, inst.imm};
    if (!places_.empty()) {
      const WordPlace& before = places_.back();
      const Inst& other = code_[before.at];
      const bool sameSpace = other.sub == inst.sub && other.masked == inst.masked && isSame(other.src[0], inst.src[0]);
      if (!sameSpace || terms_ != sum.terms || place.address() != before.address() + kWordBytes) end();
    }
    terms_ = std::move(sum.terms);
    places_.push_back(place);
  }

  bool isSame(Operand a, Operand b) const {
    if (a.bank != b.bank) return false;
    return a.bank == Bank::Temp ? webs_.webOf(a) == webs_.webOf(b) : a.word == b.word;
  }

  void end() {
    for (size_t i = 0; i + 1 < places_.size();) {
      const uint32_t stride = *shapeOf(webs_, divergence_, code_[places_[i].at].src[1]).stride();
      const size_t room = std::min<size_t>({places_.size() - i, stride / kWordBytes, kMostWords});
      const std::vector<WordPlace> together(places_.begin() + i, places_.begin() + i + std::bit_floor(room));
      WideStore store;
      for (const WordPlace& p : together) store.stores.push_back(p.at);
      store.turns = !lieSideBySide(divergence_, bounds_, terms_, together);
      if (stays(store.stores) && (!store.turns || differInOffsets(together))) found_.push_back(std::move(store));
      i += together.size();
    }
    places_.clear();
  }

  /// Whether what is stored, and where the first one goes, is still there when the last one stores.
  bool stays(const std::vector<uint32_t>& stores) const {
    const uint32_t last = stores.back();
    const auto isKept = [&](Operand o, uint32_t from) {
      if (o.bank != Bank::Temp) return true;
      const auto& writes = bounds_.writes(webs_.webOf(o));
      return std::none_of(writes.begin(), writes.end(), [&](uint32_t w) { return w > from && w < last; });
    };
    return isKept(code_[stores[0]].src[1], stores[0]) &&
           std::all_of(stores.begin(), stores.end(), [&](uint32_t s) { return isKept(code_[s].src[2], s); });
  }

  const Webs& webs_;
  const std::vector<Inst>& code_;
  const Divergence& divergence_;
  const Bounds& bounds_;
  WordSums sums_;
  std::vector<WordPlace> places_;     ///< stores one after the other, each behind the one before
  std::vector<WordSum::Term> terms_;  ///< of all of them
  std::vector<WideStore> found_;
};

}  // namespace

std::vector<WideStore> findWideStores(const Webs& webs, const Divergence& divergence, const Bounds& bounds) {
  return Search(webs, divergence, bounds).run();
}

}  // namespace etzel::native
