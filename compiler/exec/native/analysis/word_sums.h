// What words are made of: sums of words that were there before, as places in memory are. Tells how far two of them are
// from each other.
#pragma once

#include <map>
#include <vector>

#include "compiler/exec/native/analysis/bounds.h"
#include "compiler/exec/native/analysis/divergence.h"

namespace etzel::native {

/// A word as a sum modulo 2^32: constant + factor * web + ...
struct WordSum {
  struct Term {
    uint32_t web, version, factor;  ///< version: which of the web's values
    bool operator==(const Term&) const = default;
    auto operator<=>(const Term&) const = default;
  };
  uint32_t constant = 0;
  std::vector<Term> terms;  ///< ordered
  bool operator==(const WordSum&) const = default;
  void add(const WordSum& other, uint32_t factor);
};

/// A place in memory, from where its space begins.
struct WordPlace {
  uint32_t at;             ///< the instruction that names it
  uint32_t constant, imm;  ///< the sum's constant, and what the instruction adds to it
  uint64_t address() const { return uint64_t(constant) + imm; }
};

/// Follows a program from its first instruction to its last one.
class WordSums {
 public:
  explicit WordSums(const Webs& webs);
  /// The word as it is now.
  WordSum of(isa::Operand o) const;
  /// Goes past an instruction.
  void pass(const isa::Inst& inst, uint32_t i);
  /// Words that are written more than once have, from instruction `first` on, unknown values.
  void begin(uint32_t first) { runStart_ = first, computed_.clear(); }
  bool isWrittenOnce(uint32_t web) const { return writes_[web] == 1; }

 private:
  uint32_t versionOf(uint32_t web) const;

  const Webs& webs_;
  std::vector<uint32_t> writes_, version_;  ///< by web; version_: the last write before this instruction
  std::map<uint32_t, WordSum> sums_;        ///< by web
  struct Computed {
    isa::Opcode op;
    uint32_t web;
    WordSum source[2];
  };
  std::vector<Computed> computed_;  ///< in this run
  uint32_t runStart_ = 0;
};

/// Whether all that tells places apart is part of their offsets.
bool differInOffsets(const std::vector<WordPlace>& places);
/// Whether places of the same terms whose constants are next to each other are so themselves: their sums do not wrap in
/// between.
bool lieSideBySide(const Divergence& divergence, const Bounds& bounds, const std::vector<WordSum::Term>& terms,
                   const std::vector<WordPlace>& places);

}  // namespace etzel::native
