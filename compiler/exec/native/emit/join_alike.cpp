#include "compiler/exec/native/emit/join_alike.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "compiler/exec/native/emit/host.h"
#include "compiler/exec/native/emit/in_turns.h"
#include "runtime/base/types.h"

namespace etzel::native {
namespace {

using V = llvm::Value*;
/// Two vectors of eight, which are the halves of one.
using Two = std::pair<V, V>;
using llvm::Instruction;

constexpr int kHalf = kWarpLanes, kWhole = 2 * kWarpLanes;

llvm::FixedVectorType* typeOf(V v) { return llvm::dyn_cast<llvm::FixedVectorType>(v->getType()); }
int lengthOf(V v) { return static_cast<int>(typeOf(v)->getNumElements()); }

/// Whether a value is a vector of eight, of which two fit a register of sixteen words.
bool isHalf(V v) {
  const auto* type = typeOf(v);
  if (!type || lengthOf(v) != kHalf || type->getElementType()->isPointerTy()) return false;
  return type->getScalarSizeInBits() >= 8 && type->getScalarSizeInBits() <= 32;
}

/// What is done number by number, without effects, on registers of sixteen numbers as on those of eight.
bool isByLane(const Instruction& i) {
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i)) return call->getIntrinsicID() == llvm::Intrinsic::fma;
  switch (i.getOpcode()) {
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FNeg:
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Mul:
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::AShr:
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor: return true;
    case Instruction::SIToFP:
    case Instruction::UIToFP:
    case Instruction::FPExt:
    case Instruction::SExt:
    case Instruction::ZExt:
    case Instruction::Trunc:
    case Instruction::BitCast: return isHalf(i.getOperand(0));
    default: return false;
  }
}

uint32_t operandsOf(const Instruction& i) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
  return call ? call->arg_size() : i.getNumOperands();
}

/// How two vectors become one.
struct Node {
  enum class Kind : uint8_t {
    Alike,    ///< one instruction for both, of joined sources
    Shuffle,  ///< both are shuffles of the same one or two vectors
    Four,     ///< of two vectors each
    Leaf,     ///< they are put together
  } kind = Kind::Leaf;
  std::vector<Two> sources;  ///< Alike
  bool isReached = true;     ///< from where both meet
};

bool isView(const Two& two) { return llvm::isa<llvm::BitCastInst>(two.first); }

/// The joins of one block.
class Joins {
 public:
  explicit Joins(llvm::BasicBlock& block) : block_(block) {}

  void run() {
    std::vector<Instruction*> meetings;
    for (Instruction& i : block_)
      if (meetHere(i)) meetings.push_back(&i);
    // What is joined further down may have what stands above in it.
    for (size_t m = meetings.size(); m-- > 0;)
      if (!gone_.count(meetings[m])) join(*meetings[m]);
    removeGone();
    putTogether();
    if (!made_.empty()) takeTurns(block_);
  }

 private:
  /// Shuffles of two vectors of eight into one of sixteen put them together first and permute then, which is an
  /// instruction each. As one shuffle it is done half by half.
  void putTogether() {
    for (Instruction& i : block_) {
      auto* s = llvm::dyn_cast<llvm::ShuffleVectorInst>(&i);
      if (!s || lengthOf(s) != kWhole || !isHalf(s->getOperand(0))) continue;
      if (llvm::isa<llvm::UndefValue>(s->getOperand(1)) || s->getShuffleMask() == llvm::ArrayRef(inOrder())) continue;
      V whole = IR(s).CreateShuffleVector(s->getOperand(0), s->getOperand(1), inOrder());
      s->setOperand(0, whole);
      s->setOperand(1, llvm::PoisonValue::get(whole->getType()));
    }
  }

  bool isHere(V v) const {
    const auto* i = llvm::dyn_cast<Instruction>(v);
    return i && i->getParent() == &block_;
  }
  bool areAlike(V a, V b) const {
    if (!isHere(a) || !isHere(b) || a->getType() != b->getType()) return false;
    const auto &x = *llvm::cast<Instruction>(a), &y = *llvm::cast<Instruction>(b);
    return isByLane(x) && isByLane(y) && x.getOpcode() == y.getOpcode() &&
           x.getOperand(0)->getType() == y.getOperand(0)->getType();
  }
  /// Whether an instruction takes two results that are alike, and nobody else does.
  bool meetHere(const Instruction& i) const {
    if (operandsOf(i) < 2) return false;
    V a = i.getOperand(0), b = i.getOperand(1);
    return isHalf(a) && areAlike(a, b) && a->hasOneUse() && b->hasOneUse();
  }

  void join(Instruction& meeting) {
    plan_.clear();
    alike_.clear();
    fours_.clear();
    const Two root{meeting.getOperand(0), meeting.getOperand(1)};
    plan(root, 0);
    prune(root, meeting);
    if (plan_.at(root).kind != Node::Kind::Alike || !pays()) return;
    V whole = emit(root);
    IR ir(&meeting);
    for (int h = 0; h < 2; ++h) {
      const std::vector<int> all = inOrder();
      meeting.setOperand(h, ir.CreateShuffleVector(whole, llvm::ArrayRef(all).slice(h * kHalf, kHalf)));
    }
    for (size_t n = alike_.size(); n-- > 0;) markGone(alike_[n].first), markGone(alike_[n].second);
  }

  // --- What to join

  void plan(const Two& two, uint32_t depth) {
    constexpr size_t kMost = 128;  // nodes
    constexpr uint32_t kDeepest = 48;
    if (plan_.count(two) || made_.count(two)) return;
    Node& node = plan_[two];
    const auto [a, b] = two;
    if (depth > kDeepest || plan_.size() > kMost || a == b) return;
    if (areShuffles(two)) {
      const std::vector<V> from = sourcesOf(two);
      if (from.size() <= 2) node.kind = Node::Kind::Shuffle;
      if (from.size() == 4 && lengthOf(from[0]) == kWhole) node.kind = Node::Kind::Four, fours_.push_back(two);
      return;
    }
    if (!areAlike(a, b)) return;
    node.kind = Node::Kind::Alike;
    node.sources = pairsOfSources(*llvm::cast<Instruction>(a), *llvm::cast<Instruction>(b));
    for (const Two& source : node.sources) plan(source, depth + 1);
    alike_.push_back(two);
  }

  /// Operands that may stand in either order stand as they are more alike.
  std::vector<Two> pairsOfSources(const Instruction& x, const Instruction& y) const {
    std::vector<Two> all;
    for (uint32_t k = 0; k < operandsOf(x); ++k) all.emplace_back(x.getOperand(k), y.getOperand(k));
    if (!x.isCommutative() || resemble(all[0])) return all;
    const Two crossed{x.getOperand(0), y.getOperand(1)};
    if (resemble(crossed)) all[0] = crossed, all[1] = {x.getOperand(1), y.getOperand(0)};
    return all;
  }
  bool resemble(const Two& two) const {
    if (!isHere(two.first) || !isHere(two.second)) return two.first == two.second;
    return llvm::cast<Instruction>(two.first)->getOpcode() == llvm::cast<Instruction>(two.second)->getOpcode();
  }

  /// Leaves alone what others read as well: it would be there twice.
  void prune(const Two& root, const Instruction& meeting) {
    for (bool changed = true; changed;) {
      changed = false;
      std::set<V> joined;
      for (const Two& two : alike_) joined.insert(two.first), joined.insert(two.second);
      const auto isRead = [&](V v) {
        return std::any_of(v->user_begin(), v->user_end(),
                           [&](llvm::User* u) { return u != &meeting && !joined.count(u) && !gone_.count(u); });
      };
      for (const Two& two : alike_) {
        // Another view of the same bits costs nothing.
        if (isView(two) || (!isRead(two.first) && !isRead(two.second))) continue;
        plan_.at(two) = Node{};
        changed = true;
      }
      if (changed) keepReached(root);
    }
  }
  void keepReached(const Two& root) {
    for (auto& [two, node] : plan_) node.isReached = false;
    std::vector<Two> left = {root};
    while (!left.empty()) {
      const auto at = plan_.find(left.back());
      left.pop_back();
      if (at == plan_.end() || at->second.isReached) continue;
      at->second.isReached = true;
      left.insert(left.end(), at->second.sources.begin(), at->second.sources.end());
    }
    std::erase_if(plan_, [](const auto& entry) { return !entry.second.isReached; });
    std::erase_if(alike_, [&](const Two& two) {
      const auto at = plan_.find(two);
      return at == plan_.end() || at->second.kind != Node::Kind::Alike;
    });
  }

  /// Whether clearly more instructions go than come.
  bool pays() const {
    constexpr uint32_t kLeast = 4;
    uint32_t saved = 0, cost = 1;  // taking the halves apart
    for (const auto& [two, node] : plan_) {
      const bool constant = llvm::isa<llvm::Constant>(two.first) && llvm::isa<llvm::Constant>(two.second);
      if (node.kind == Node::Kind::Alike) saved += !isView(two);
      if (node.kind == Node::Kind::Leaf) cost += !constant;
    }
    return saved >= kLeast && saved >= 2 * cost;
  }

  // --- Joining. Everything stands as early as it can, so that later joins find it.

  V emit(const Two& two) {
    const auto known = made_.find(two);
    if (known != made_.end()) return known->second;
    V v = nullptr;
    switch (const Node& node = plan_.at(two); node.kind) {
      case Node::Kind::Alike: v = emitAlike(two, node); break;
      case Node::Kind::Shuffle: v = emitShuffle(two); break;
      case Node::Kind::Four: v = emitFour(two); break;
      case Node::Kind::Leaf: v = behind({two.first, two.second}).CreateShuffleVector(two.first, two.second, inOrder());
    }
    return made_[two] = v;
  }

  /// At the first place where all of `values` are there.
  IR behind(const std::vector<V>& values) const {
    Instruction* last = nullptr;
    for (V v : values)
      if (isHere(v) && !llvm::isa<llvm::PHINode>(v))
        if (auto* i = llvm::cast<Instruction>(v); !last || last->comesBefore(i)) last = i;
    return IR(last ? last->getNextNode() : &*block_.getFirstInsertionPt());
  }

  V emitAlike(const Two& two, const Node& node) {
    std::vector<V> sources;
    for (const Two& s : node.sources) sources.push_back(emit(s));
    IR ir = behind(sources);
    auto* type = llvm::FixedVectorType::get(typeOf(two.first)->getElementType(), kWhole);
    if (llvm::isa<llvm::IntrinsicInst>(two.first)) return ir.CreateIntrinsic(llvm::Intrinsic::fma, {type}, sources);
    Instruction* whole = llvm::cast<Instruction>(two.first)->clone();
    whole->mutateType(type);
    for (uint32_t k = 0; k < sources.size(); ++k) whole->setOperand(k, sources[k]);
    whole->andIRFlags(two.second);
    return ir.Insert(whole);
  }

  // --- Shuffles

  /// Where an element of a shuffle is from. Null: anything will do.
  using Element = std::pair<V, int>;

  bool areShuffles(const Two& two) const {
    return isHere(two.first) && isHere(two.second) && llvm::isa<llvm::ShuffleVectorInst>(two.first) &&
           llvm::isa<llvm::ShuffleVectorInst>(two.second);
  }

  static std::vector<Element> elementsOf(const Two& two) {
    std::vector<Element> all;
    for (V half : {two.first, two.second}) {
      const auto& s = *llvm::cast<llvm::ShuffleVectorInst>(half);
      const int length = lengthOf(s.getOperand(0));
      for (const int e : s.getShuffleMask()) {
        V source = e < 0 ? nullptr : s.getOperand(e / length);
        const bool is = source && !llvm::isa<llvm::UndefValue>(source);
        all.push_back(is ? Element{source, e % length} : Element{nullptr, -1});
      }
    }
    return all;
  }

  /// The vectors that two shuffles take their elements from, those of the first one first. Too many where these are not
  /// of one kind, or of none.
  static std::vector<V> sourcesOf(const Two& two) {
    std::vector<V> all;
    for (const auto& [source, e] : elementsOf(two))
      if (source && std::find(all.begin(), all.end(), source) == all.end()) all.push_back(source);
    const bool fit =
        !all.empty() && std::all_of(all.begin(), all.end(), [&](V v) { return v->getType() == all[0]->getType(); });
    return fit ? all : std::vector<V>(kWhole);
  }

  V emitShuffle(const Two& two) {
    const std::vector<V> from = sourcesOf(two);
    const int length = lengthOf(from[0]);
    V second = from.size() == 2 ? from[1] : llvm::PoisonValue::get(from[0]->getType());
    std::vector<int> order;
    for (const auto& [source, e] : elementsOf(two)) order.push_back(source == second ? length + e : e);
    IR ir = behind({from[0], second});
    // Put together, then permuted, it is an instruction each.
    if (from.size() == 2 && length == kHalf)
      return ir.CreateShuffleVector(ir.CreateShuffleVector(from[0], from[1], inOrder()), order);
    return ir.CreateShuffleVector(from[0], second, order);
  }

  /// What is needed of the first vectors of both halves becomes one, and so does what is needed of the second ones.
  /// They have room for another join.
  V emitFour(const Two& two) {
    const std::vector<V> from = sourcesOf(two);
    const std::vector<Element> needed = elementsOf(two);
    for (const Two& other : fours_) {
      if (other == two || !plan_.count(other) || made_.count(other) || sourcesOf(other) != from) continue;
      const std::vector<Element> more = elementsOf(other);
      std::vector<Element> all = needed;
      all.insert(all.end(), more.begin(), more.end());
      if (!gather(from, all)) continue;
      made_[other] = placed(more);
      return placed(needed);
    }
    gather(from, needed);
    return placed(needed);
  }

  /// Makes gathered_ of them. False where they do not fit.
  bool gather(const std::vector<V>& from, const std::vector<Element>& needed) {
    for (size_t g = 0; g < 2; ++g) {
      places_[g].clear();
      for (const size_t s : {g, g + 2})
        for (int e = 0; e < kWhole; ++e)
          if (const Element element{from[s], e}; std::find(needed.begin(), needed.end(), element) != needed.end())
            places_[g].push_back(element);
      if (places_[g].size() > kWhole) return false;
    }
    for (size_t g = 0; g < 2; ++g) {
      std::vector<int> order;
      for (const auto& [source, e] : places_[g]) order.push_back(source == from[g] ? e : kWhole + e);
      order.resize(kWhole, -1);
      gathered_[g] = behind({from[g], from[g + 2]}).CreateShuffleVector(from[g], from[g + 2], order);
    }
    return true;
  }
  V placed(const std::vector<Element>& elements) const {
    std::vector<int> order;
    for (const Element& e : elements) {
      int place = -1;
      for (int g = 0; g < 2; ++g)
        if (const auto at = std::find(places_[g].begin(), places_[g].end(), e); at != places_[g].end())
          place = g * kWhole + static_cast<int>(at - places_[g].begin());
      order.push_back(place);
    }
    return behind({gathered_[0], gathered_[1]}).CreateShuffleVector(gathered_[0], gathered_[1], order);
  }

  static std::vector<int> inOrder() {
    std::vector<int> order(kWhole);
    std::iota(order.begin(), order.end(), 0);
    return order;
  }

  // --- What nobody reads any more. It stays until the end, so that no other value has its address.

  void markGone(V v) {
    if (std::all_of(v->user_begin(), v->user_end(), [&](llvm::User* u) { return gone_.count(u); })) gone_.insert(v);
  }
  void removeGone() {
    for (auto at = block_.rbegin(); at != block_.rend();) {
      Instruction& i = *at++;
      if (i.use_empty() && isHalf(&i) && !i.mayHaveSideEffects()) i.eraseFromParent();
    }
  }

  llvm::BasicBlock& block_;
  std::map<Two, Node> plan_;        ///< of what meets at one place
  std::vector<Two> alike_;          ///< in the plan, sources first
  std::vector<Two> fours_;          ///< in the plan when it was made
  std::map<Two, V> made_;           ///< in the whole block
  V gathered_[2] = {};              ///< what gather() made
  std::vector<Element> places_[2];  ///< of what, in their order
  std::set<V> gone_;
};

}  // namespace

void joinAlike(llvm::Function& function) {
  for (llvm::BasicBlock& block : function) Joins(block).run();
}

}  // namespace etzel::native
