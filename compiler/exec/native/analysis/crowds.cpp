#include "compiler/exec/native/analysis/crowds.h"

#include <bit>

#include "compiler/exec/native/analysis/agreement.h"
#include "compiler/exec/native/analysis/constants.h"
#include "compiler/exec/native/analysis/regions.h"
#include "compiler/isa/info.h"
#include "runtime/abi/groups_abreast.h"

namespace etzel::native {

using isa::Bank;
using isa::Inst;
using isa::Opcode;
using isa::Operand;

namespace {

/// Longer programs run slowly for too long until the code of eight warps is made.
constexpr size_t kMostInstructions = 640;

using First = std::array<uint8_t, kCrowd>;

class Search {
 public:
  Search(const Webs& webs, const Divergence& divergence, const Bounds& bounds, const std::vector<uint32_t>& regions)
      : webs_(webs),
        code_(webs.program.code),
        divergence_(divergence),
        bounds_(bounds),
        steady_(findSteadyLoads(webs.program, regions)) {}

  Crowd run() {
    const abi::ProgramInfo& info = webs_.program.info;
    const uint32_t invocations = info.localSize[0] * info.localSize[1] * info.localSize[2];
    if (info.stage != abi::Stage::Compute || !info.usesBarrier || abi::groupsLieAbreast(info) ||
        invocations % (kCrowd * kWarpLanes) || code_.size() > kMostInstructions || !isStraight(divergence_))
      return {};
    warps_ = analyzeWarps(webs_, divergence_, [&](uint32_t load) { return steady_[load]; });
    if (!isStraight(warps_)) return {};
    findFirsts();
    Crowd crowd;
    crowd.possible = true, crowd.ofAll = findOfAll();
    for (uint32_t web = 0; web < webs_.count; ++web) crowd.kin.push_back(kinOf(web));
    return crowd;
  }

 private:
  static bool isStraight(const Divergence& d) {
    const auto none = [](const std::vector<bool>& flags) {
      return std::find(flags.begin(), flags.end(), true) == flags.end();
    };
    return d.full && none(d.partial) && none(d.divergentIf) && none(d.crossed) && none(d.target) &&
           std::find(d.direct.begin(), d.direct.end(), false) == d.direct.end();
  }

  /// Whether each crowd gets the same of a system value or a load.
  bool isOfAll(uint32_t i) const {
    if (code_[i].op != Opcode::Sys) return code_[i].op == Opcode::Desc || steady_[i];
    const auto v = static_cast<abi::SysValue>(code_[i].imm);
    const abi::SysLanes lanes = abi::sysValueInfo(v).lanes;
    // Where the first warp of a crowd begins a row of invocations.
    return lanes == abi::SysLanes::Group ||
           (v == abi::SysValue::LocalIdX && webs_.program.info.localSize[0] % kWarpLanes == 0 &&
            kCrowd * kWarpLanes % webs_.program.info.localSize[0] == 0);
  }

  std::vector<bool> findOfAll() const {
    const Agreement all(webs_, bounds_, [this](uint32_t i) { return isOfAll(i); });
    std::vector<bool> ofAll(webs_.count);
    for (uint32_t i = 0; i < code_.size(); ++i)
      if (code_[i].op == Opcode::Barrier && !all.comesBy(i)) return ofAll;
    for (uint32_t web = 0; web < webs_.count; ++web) ofAll[web] = all.isAlike(web);
    return ofAll;
  }

  /// The first warp that has both values of each one.
  static First meet(const First& a, const First& b) {
    First both;
    for (uint8_t w = 0; w < kCrowd; ++w)
      for (both[w] = 0; a[both[w]] != a[w] || b[both[w]] != b[w];) ++both[w];
    return both;
  }
  static First alone() {
    First f;
    std::iota(f.begin(), f.end(), uint8_t{0});
    return f;
  }

  First firstOf(Operand o, uint32_t w) const {
    if (o.bank == Bank::Param || o.bank == Bank::Param2 || o.bank == Bank::None) return {};
    return o.bank == Bank::Temp ? first_[webs_.webOf(o, w)] : alone();
  }

  First firstOf(uint32_t i) const {
    const Inst& inst = code_[i];
    switch (isa::opInfo(inst).lanes) {
      case isa::Lanes::Copy:
      case isa::Lanes::Follow: break;
      case isa::Lanes::BySpace:
        if (!steady_[i]) return alone();
        break;
      default: return alone();
    }
    First all = {};
    isa::forEachSource(inst, [&](Operand o, uint32_t words) {
      for (uint32_t w = 0; w < words; ++w) all = meet(all, firstOf(o, w));
    });
    return all;
  }

  /// Of a value whose distances are known these say it.
  std::optional<First> known(uint32_t web) const {
    const Shape& shape = warps_.shape[web];
    if (shape.varying()) return {};
    First f;
    for (uint8_t w = 0; w < kCrowd; ++w)
      for (f[w] = 0; shape.apart[f[w]] != shape.apart[w];) ++f[w];
    return f;
  }

  void findFirsts() {
    first_.assign(webs_.count, {});
    for (uint32_t web = 0; web < webs_.count; ++web)
      if (const std::optional<First> f = known(web)) first_[web] = *f;
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t i = 0; i < code_.size(); ++i) {
        const Inst& inst = code_[i];
        if (inst.dst.bank != Bank::Temp) continue;
        const First made = firstOf(i);
        for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w) {
          First& f = first_[webs_.webOf(inst.dst, w)];
          if (known(webs_.webOf(inst.dst, w))) continue;
          const First less = meet(f, made);
          changed |= less != f, f = less;
        }
      }
    }
  }

  Crowd::Kin kinOf(uint32_t web) const {
    Crowd::Kin kin;
    const Shape& shape = warps_.shape[web];
    kin.first = first_[web];
    if (!divergence_.shape[web].varying()) {
      if (!shape.varying()) kin.first = {}, kin.more = shape.apart;
      return kin;
    }
    for (uint8_t w = 0; w < kCrowd; w += 2) {
      uint8_t of = 0;
      while (first_[web][of] != first_[web][w] || first_[web][of + 1] != first_[web][w + 1]) of += 2;
      kin.first[w] = of, kin.first[w + 1] = of + 1;
    }
    return kin;
  }

  const Webs& webs_;
  const std::vector<Inst>& code_;
  const Divergence& divergence_;
  const Bounds& bounds_;
  const std::vector<bool> steady_;
  Divergence warps_;
  std::vector<First> first_;  ///< per web
};

/// Which bit of a number each bit of a value is.
class BitsOfNumber {
 public:
  static constexpr int8_t kZero = -1;
  using Bits = std::array<int8_t, 32>;

  BitsOfNumber(const Webs& webs, const Bounds& bounds, uint32_t number, uint32_t most)
      : webs_(webs), bounds_(bounds), number_(number), width_(std::bit_width(most)) {}

  std::optional<Bits> of(Operand o, uint32_t at, uint32_t steps) const {
    if (o.bank != Bank::Temp) return {};
    Bits bits;
    if (webs_.webOf(o) == number_) {
      for (int8_t b = 0; b < 32; ++b) bits[b] = b < width_ ? b : kZero;
      return bits;
    }
    const auto& writes = bounds_.writes(webs_.webOf(o));
    if (steps == 0 || writes.size() != 1 || writes[0] >= at || at > bounds_.until(writes[0])) return {};
    // The number must not be written in between.
    if (bounds_.staysUntil(number_, writes[0]) < at) return {};
    const Inst& inst = webs_.program.code[writes[0]];
    if (inst.type != isa::Type::I32) return {};
    if (inst.op == Opcode::XMov && inst.count == 1) return of(inst.src[0], writes[0], steps - 1);
    const std::optional<Bits> a = of(inst.src[0], writes[0], steps - 1);
    if (!a) return {};
    if (inst.op == Opcode::IAdd || inst.op == Opcode::Or) {
      const std::optional<Bits> b = of(inst.src[1], writes[0], steps - 1);
      return b ? both(*a, *b) : std::nullopt;
    }
    return byConstant(inst, *a);
  }

 private:
  /// A sum that no bit is carried in.
  static std::optional<Bits> both(Bits a, const Bits& b) {
    for (uint32_t i = 0; i < 32; ++i) {
      if (a[i] != kZero && b[i] != kZero) return {};
      a[i] = std::max(a[i], b[i]);
    }
    return a;
  }

  std::optional<Bits> byConstant(const Inst& inst, const Bits& a) const {
    if (inst.src[1].bank != Bank::Param) return {};
    const uint32_t by = paramWord(webs_.program, inst.src[1].word);
    const auto from = [&](int shift, uint32_t mask) {
      Bits bits;
      for (int i = 0; i < 32; ++i) bits[i] = i - shift >= 0 && i - shift < 32 && mask >> i & 1 ? a[i - shift] : kZero;
      return bits;
    };
    const int shift = static_cast<int>(by & 31);
    switch (inst.op) {
      case Opcode::Shl: return from(shift, ~0u);
      case Opcode::Shr: return from(-shift, ~0u);
      case Opcode::And: return from(0, by);
      case Opcode::IMul: return std::has_single_bit(by) ? std::optional(from(std::countr_zero(by), ~0u)) : std::nullopt;
      case Opcode::UDiv:
        return std::has_single_bit(by) ? std::optional(from(-std::countr_zero(by), ~0u)) : std::nullopt;
      case Opcode::UMod: return std::has_single_bit(by) ? std::optional(from(0, by - 1)) : std::nullopt;
      default: return {};
    }
  }

  const Webs& webs_;
  const Bounds& bounds_;
  const uint32_t number_;
  const int width_;
};

/// Whether a web is the number of the invocation, or more by multiples of a power of two that no invocation's number
/// comes to.
bool numbersInvocations(const Webs& webs, const Bounds& bounds, uint32_t web) {
  const abi::ProgramInfo& info = webs.program.info;
  const uint32_t invocations = info.localSize[0] * info.localSize[1] * info.localSize[2];
  const auto& code = webs.program.code;
  bool begins = false;
  for (const uint32_t write : bounds.writes(web)) {
    const Inst& inst = code[write];
    if (inst.op == Opcode::Sys && static_cast<abi::SysValue>(inst.imm) == abi::SysValue::LocalIndex) {
      begins = true;
      continue;
    }
    if (inst.op != Opcode::XMov || inst.count != 1 || inst.src[0].bank != Bank::Temp) return false;
    const auto& made = bounds.writes(webs.webOf(inst.src[0]));
    if (made.size() != 1) return false;
    const Inst& sum = code[made[0]];
    if (sum.op == Opcode::Sys && static_cast<abi::SysValue>(sum.imm) == abi::SysValue::LocalIndex) {
      begins = true;
      continue;
    }
    if (sum.op != Opcode::IAdd || sum.type != isa::Type::I32 || sum.src[0].bank != Bank::Temp ||
        webs.webOf(sum.src[0]) != web || sum.src[1].bank != Bank::Param)
      return false;
    const uint32_t by = paramWord(webs.program, sum.src[1].word);
    if (!std::has_single_bit(by) || by < invocations) return false;
  }
  return begins;
}

}  // namespace

Crowd findCrowd(const Webs& webs, const Divergence& divergence, const Bounds& bounds,
                const std::vector<uint32_t>& regions) {
  return Search(webs, divergence, bounds, regions).run();
}

bool storesApart(const Webs& webs, const Bounds& bounds, uint32_t store) {
  constexpr uint32_t kMostSteps = 8;
  const Inst& inst = webs.program.code[store];
  if (inst.count != 1 || isa::typeBytes(inst.type) != 4) return false;
  for (uint32_t web = 0; web < webs.count; ++web) {
    if (bounds.writes(web).size() < 2 || !numbersInvocations(webs, bounds, web)) continue;
    const uint32_t most = bounds.mostOf(web, store);
    if (most == Bounds::kNone) continue;
    const auto bits = BitsOfNumber(webs, bounds, web, most).of(inst.src[1], store, kMostSteps);
    if (!bits || (*bits)[0] != BitsOfNumber::kZero || (*bits)[1] != BitsOfNumber::kZero) continue;
    bool all = true;
    for (int8_t b = 0; b < 32 && most >> b; ++b) all &= std::find(bits->begin(), bits->end(), b) != bits->end();
    if (all) return true;
  }
  return false;
}

}  // namespace etzel::native
