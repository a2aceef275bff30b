#include "compiler/exec/native/analysis/turned_matrices.h"

#include <unordered_map>

#include "compiler/exec/native/analysis/constants.h"
#include "compiler/isa/info.h"

namespace etzel::native {

using isa::Bank;
using isa::Inst;
using isa::Opcode;
using isa::Operand;

namespace {

constexpr uint32_t kRows = kWarpLanes;  // of a matrix, and its columns

class Search {
 public:
  Search(const Webs& webs, const Divergence& divergence)
      : webs_(webs), code_(webs.program.code), divergence_(divergence), placeOf_(webs.count) {}

  /// Whether all matrices may be turned: no instruction sees one in another way than those that do not mind.
  bool run() {
    for (const Inst& inst : code_) {
      if (inst.op != Opcode::SgProduct) continue;
      if (inst.count != kRows) return false;
      for (const Operand o : {inst.src[0], inst.src[1], inst.src[2], inst.dst}) add(o);
    }
    for (size_t seen = 0; seen != matrices_.size() && !failed_;) {
      seen = matrices_.size();
      parts_.assign(seen, {});
      for (uint32_t i = 0; i < code_.size() && !failed_; ++i) visit(i);
      for (uint32_t m = 0; m < seen && !failed_; ++m) matchParts(m);
    }
    return !failed_ && !matrices_.empty() && allVary();
  }

  bool isMatrix(Operand o) const { return placeOf(o).present(); }

 private:
  struct Matrix {
    std::array<uint32_t, kRows> webs;
    bool isNumber = true;  ///< nobody gives it anything but one constant for all of its numbers
  };
  struct Place {
    uint32_t matrix = ~0u, word = 0;
    bool present() const { return matrix != ~0u; }
  };
  /// An instruction that does something to one word of a matrix, as source `role` or, 3, as its result.
  struct Part {
    uint32_t at, role;
  };
  static constexpr uint32_t kResult = 3;

  Place placeOf(Operand o, uint32_t w = 0) const {
    return o.bank == Bank::Temp ? placeOf_[webs_.webOf(o, w)] : Place{};
  }

  /// Eight words that are a matrix from now on.
  void add(const std::array<uint32_t, kRows>& webs) {
    const uint32_t matrix = placeOf_[webs[0]].present() ? placeOf_[webs[0]].matrix : ~0u;
    if (matrix != ~0u) {
      failed_ |= matrices_[matrix].webs != webs;
      return;
    }
    for (uint32_t w = 0; w < kRows; ++w) {
      failed_ |= placeOf_[webs[w]].present();
      placeOf_[webs[w]] = {static_cast<uint32_t>(matrices_.size()), w};
    }
    matrices_.push_back({webs});
  }
  void add(Operand o) {
    if (o.bank != Bank::Temp) {
      failed_ = true;
      return;
    }
    std::array<uint32_t, kRows> webs;
    for (uint32_t w = 0; w < kRows; ++w) webs[w] = webs_.webOf(o, w);
    add(webs);
  }

  bool touches(const Inst& inst) const {
    bool any = false;
    isa::forEachSource(inst, [&](Operand o, uint32_t words) {
      for (uint32_t w = 0; w < words; ++w) any |= placeOf(o, w).present();
    });
    for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w) any |= placeOf(inst.dst, w).present();
    return any;
  }

  void visit(uint32_t i) {
    const Inst& inst = code_[i];
    if (!touches(inst)) return;
    // Lanes are rows no more: none may be missing.
    failed_ |= divergence_.partial[i] || (inst.masked && divergence_.blend[i]);
    switch (inst.op) {
      case Opcode::SgProduct: matrices_[placeOf(inst.dst).matrix].isNumber = false; return;
      case Opcode::Ld:
      case Opcode::St: return visitMemory(inst);
      case Opcode::XMov:
        if (inst.count == kRows) return visitMove(inst);
        break;
      default:
        if (!isa::isArithmetic(inst.op)) failed_ = true;
    }
    if (isa::dstWords(inst) != 1 || inst.dst.bank != Bank::Temp) failed_ = true;
    for (uint32_t s = 0; s < 3; ++s)
      if (inst.src[s].present() && isa::srcWords(inst, s) != 1) failed_ = true;
    if (failed_) return;
    const auto note = [&](Operand o, uint32_t role) {
      const Place place = placeOf(o);
      if (place.present() && place.matrix < parts_.size()) parts_[place.matrix][place.word].push_back({i, role});
    };
    for (uint32_t s = 0; s < 3; ++s) note(inst.src[s], s);
    note(inst.dst, kResult);
  }

  void visitMemory(const Inst& inst) {
    const auto space = static_cast<isa::Space>(inst.sub);
    const bool isRow = inst.count == kRows && isa::typeWords(inst.type) == 1 && inst.src[1].present() &&
                       (space == isa::Space::Buffer || space == isa::Space::Shared) &&
                       !isUniform(webs_, divergence_, inst.src[1]) && !placeOf(inst.src[0]).present() &&
                       !placeOf(inst.src[1]).present();
    if (!isRow) {
      failed_ = true;
      return;
    }
    const Operand moved = inst.op == Opcode::Ld ? inst.dst : inst.src[2];
    add(moved);
    if (inst.op == Opcode::Ld && !failed_) matrices_[placeOf(moved).matrix].isNumber = false;
  }

  std::optional<uint32_t> constantOf(Operand o, uint32_t w = 0) const {
    if (o.bank != Bank::Param) return {};
    return paramWord(webs_.program, o.word + w);
  }
  void visitMove(const Inst& inst) {
    add(inst.dst);
    if (failed_) return;
    if (inst.src[0].bank == Bank::Temp) {
      add(inst.src[0]);
      matrices_[placeOf(inst.dst).matrix].isNumber = false;
      return;
    }
    for (uint32_t w = 0; w < kRows; ++w)
      failed_ |= !constantOf(inst.src[0], w) || constantOf(inst.src[0], w) != constantOf(inst.src[0]);
  }

  /// What is done to the words of a matrix one by one has to be the same for each of them.
  void matchParts(uint32_t matrix) {
    const auto& parts = parts_[matrix];
    for (uint32_t w = 1; w < kRows; ++w) failed_ |= parts[w].size() != parts[0].size();
    for (size_t k = 0; k < parts[0].size() && !failed_; ++k) {
      std::array<uint32_t, kRows> all;
      for (uint32_t w = 0; w < kRows; ++w) {
        failed_ |= parts[w][k].role != parts[0][k].role;
        all[w] = parts[w][k].at;
      }
      matchInstructions(all);
    }
  }

  static Operand operandOf(const Inst& inst, uint32_t role) { return role == kResult ? inst.dst : inst.src[role]; }

  void matchInstructions(const std::array<uint32_t, kRows>& all) {
    const Inst& first = code_[all[0]];
    for (uint32_t w = 1; w < kRows; ++w) {
      Inst other = code_[all[w]];
      failed_ |= all[w] == all[0];
      other.src = first.src, other.dst = first.dst, other.line = first.line;
      failed_ |= other != first;
    }
    bool isNumber = first.op == Opcode::XMov;
    for (uint32_t role = 0; role <= kResult && !failed_; ++role) {
      if (!operandOf(first, role).present()) continue;
      const auto same = [&](auto what) {
        bool all8 = true;
        for (uint32_t w = 1; w < kRows; ++w)
          all8 &= what(operandOf(code_[all[w]], role)) == what(operandOf(first, role));
        return all8;
      };
      if (role != kResult) {
        const auto constant = [&](Operand o) { return constantOf(o); };
        const auto web = [&](Operand o) { return o.bank == Bank::Temp ? webs_.webOf(o) : ~0u; };
        if (constantOf(operandOf(first, role)) && same(constant)) continue;
        isNumber = false;
        if (isUniform(webs_, divergence_, operandOf(first, role)) && web(operandOf(first, role)) != ~0u && same(web) &&
            !placeOf(operandOf(first, role)).present())
          continue;
      }
      std::array<uint32_t, kRows> webs;
      for (uint32_t w = 0; w < kRows; ++w) {
        const Operand o = operandOf(code_[all[w]], role);
        failed_ |= o.bank != Bank::Temp;
        if (failed_) return;
        webs[w] = webs_.webOf(o);
      }
      add(webs);
    }
    if (failed_) return;
    if (!isNumber) matrices_[placeOf(first.dst).matrix].isNumber = false;
    failed_ |= !standTogether(all);
  }

  /// Nothing stands between the instructions that sees or changes some of the words only.
  bool standTogether(const std::array<uint32_t, kRows>& all) const {
    const auto [low, high] = std::minmax_element(all.begin(), all.end());
    std::vector<bool> changes(matrices_.size()), reads(matrices_.size());
    const Inst& first = code_[all[0]];
    for (uint32_t role = 0; role <= kResult; ++role)
      if (const Place place = placeOf(operandOf(first, role)); place.present())
        (role == kResult ? changes : reads)[place.matrix] = true;
    for (uint32_t i = *low; i < *high; ++i) {
      const Inst& inst = code_[i];
      if (std::find(all.begin(), all.end(), i) != all.end()) continue;
      if (isa::opInfo(inst).control) return false;
      bool minds = false;
      for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w)
        if (const Place place = placeOf(inst.dst, w); place.present())
          minds |= changes[place.matrix] || reads[place.matrix];
      isa::forEachSource(inst, [&](Operand o, uint32_t words) {
        for (uint32_t w = 0; w < words; ++w)
          if (const Place place = placeOf(o, w); place.present()) minds |= changes[place.matrix];
      });
      if (minds) return false;
    }
    return true;
  }

  /// A value that is the same in all lanes is one in all words too, or a turned one would not be the same.
  bool allVary() const {
    return std::all_of(matrices_.begin(), matrices_.end(), [&](const Matrix& m) {
      return m.isNumber ||
             std::all_of(m.webs.begin(), m.webs.end(), [&](uint32_t web) { return divergence_.shape[web].varying(); });
    });
  }

  const Webs& webs_;
  const std::vector<Inst>& code_;
  const Divergence& divergence_;
  bool failed_ = false;
  std::vector<Matrix> matrices_;
  std::vector<Place> placeOf_;                               ///< by web
  std::vector<std::array<std::vector<Part>, kRows>> parts_;  ///< by matrix, by word, in the order of the program
};

}  // namespace

std::vector<bool> turnMatrices(Webs& webs, const Divergence& divergence) {
  std::vector<Inst>& code = webs.program.code;
  const auto multiplies = [](const Inst& inst) { return inst.op == Opcode::SgProduct; };
  if (webs.program.info.stage != abi::Stage::Compute || !divergence.full ||
      std::none_of(code.begin(), code.end(), multiplies))
    return {};
  Search search(webs, divergence);
  if (!search.run()) return {};
  std::vector<bool> rows(code.size());
  for (uint32_t i = 0; i < code.size(); ++i) {
    Inst& inst = code[i];
    if (multiplies(inst)) std::swap(inst.src[0], inst.src[1]);
    rows[i] =
        (inst.op == Opcode::Ld && search.isMatrix(inst.dst)) || (inst.op == Opcode::St && search.isMatrix(inst.src[2]));
  }
  return rows;
}

}  // namespace etzel::native
