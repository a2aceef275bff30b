#include <algorithm>
#include <optional>

#include "compiler/isa/info.h"
#include "compiler/isa/shadow.h"
#include "compiler/opt/passes.h"
#include "compiler/opt/values.h"

namespace etzel::opt {
namespace {

using isa::Inst;
using isa::Opcode;

// Of all arrays together. There are 1024 (isa::kMaxTempWords), and what does not fit goes back to memory.
constexpr uint32_t kMaxWords = 640;

class Promotion {
 public:
  explicit Promotion(isa::Program& program)
      : program_(program), chosen_(program.arrays.size(), true), used_(program.arrays.size(), false) {}

  bool run() {
    for (const Inst& inst : program_.code)
      if (isAccess(inst)) examine(inst);
    if (!choose()) return false;
    std::vector<Inst> code = std::move(program_.code);
    out_.reserve(code.size());
    for (const Inst& inst : code) {
      const std::optional<uint64_t> place = isAccess(inst) ? placeOf(program_, inst) : std::nullopt;
      const size_t array = place ? arrayOf(*place) : kNone;
      if (array != kNone && chosen_[array])
        rewrite(inst, static_cast<uint32_t>(*place), array);
      else
        out_.push_back(inst), followHome(out_.back());
    }
    program_.code = std::move(out_);
    return true;
  }

 private:
  static constexpr size_t kNone = ~size_t{0};

  static bool isAccess(const Inst& inst) {
    return (inst.op == Opcode::Ld || inst.op == Opcode::St) && !isa::isShadow(inst) &&
           static_cast<isa::Space>(inst.sub) == isa::Space::Scratch;
  }
  static uint32_t wordsOf(const Inst& inst) { return inst.count * isa::typeWords(inst.type); }

  size_t arrayOf(uint64_t place) const {
    const auto after = std::upper_bound(program_.arrays.begin(), program_.arrays.end(), place,
                                        [](uint64_t at, const isa::PrivateArray& a) { return at < a.first; });
    if (after == program_.arrays.begin()) return kNone;
    const auto it = std::prev(after);
    return place < uint64_t(it->first) + it->bytes ? static_cast<size_t>(it - program_.arrays.begin()) : kNone;
  }

  /// An index that is not known reaches the variable that its access begins in: past that it is undefined ("Universal
  /// Validation Rules" of SPIR-V let no index be out of bounds).
  void examine(const Inst& inst) {
    const std::optional<uint64_t> place = placeOf(program_, inst);
    const size_t array = arrayOf(place.value_or(inst.imm));
    if (array == kNone) {
      if (!place) chosen_.assign(chosen_.size(), false);
      return;
    }
    const isa::PrivateArray& a = program_.arrays[array];
    used_[array] = true;
    if (!place || *place % 4 || *place + 4 * wordsOf(inst) > uint64_t(a.first) + a.bytes) chosen_[array] = false;
  }

  bool choose() {
    bool any = false;
    first_.resize(chosen_.size());
    uint32_t words = 0;
    for (size_t i = 0; i < chosen_.size(); ++i) {
      isa::PrivateArray& array = program_.arrays[i];
      const uint32_t own = (array.bytes + 3) / 4;
      if (!used_[i] || words + own > kMaxWords) chosen_[i] = false;
      if (!chosen_[i]) continue;
      array.promoted = any = true;
      words += own;
      first_[i] = program_.tempWords;
      for (uint32_t w = 0; w < own; ++w) program_.newTemp();
    }
    return any;
  }

  void rewrite(const Inst& inst, uint32_t place, size_t index) {
    const isa::PrivateArray& array = program_.arrays[index];
    for (uint32_t w = 0; w < wordsOf(inst); ++w) {
      const uint32_t at = place - array.first + 4 * w;
      const isa::Operand own = isa::temp(first_[index] + at / 4);
      out_.push_back(copyOfWord(inst, w, own));
      if (inst.op == Opcode::St && array.home != isa::PrivateArray::kNoHome) show(own, array.home + at, inst);
    }
  }

  /// What only a debugger asks for is read from the home, which has the array's layout.
  void followHome(Inst& inst) const {
    if (inst.op != Opcode::Ld || !isa::isShadow(inst) || static_cast<isa::Space>(inst.sub) != isa::Space::Scratch)
      return;
    const size_t index = arrayOf(placeOf(program_, inst).value_or(inst.imm));
    if (index == kNone || !chosen_[index] || program_.arrays[index].home == isa::PrivateArray::kNoHome) return;
    inst.imm += program_.arrays[index].home - program_.arrays[index].first;
  }

  void show(isa::Operand own, uint32_t home, const Inst& store) {
    Inst shadow = store;
    shadow.type = isa::Type::I32, shadow.count = 1, shadow.imm = home;
    shadow.src[1] = {}, shadow.src[2] = own;
    isa::makeShadow(shadow);
    out_.push_back(shadow);
  }

  isa::Program& program_;
  std::vector<bool> chosen_, used_;  ///< by array
  std::vector<uint32_t> first_;      ///< by array: its first register
  std::vector<Inst> out_;
};

}  // namespace

bool promoteArrays(isa::Program& program) { return !program.arrays.empty() && Promotion(program).run(); }

}  // namespace etzel::opt
