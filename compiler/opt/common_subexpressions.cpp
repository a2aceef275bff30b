#include <algorithm>
#include <map>
#include <unordered_map>

#include "compiler/isa/info.h"
#include "compiler/opt/passes.h"
#include "compiler/opt/values.h"
#include "runtime/abi/tex_inst.h"

namespace etzel::opt {
namespace {

struct Key {
  isa::Opcode op;
  isa::Type type;
  uint8_t sub, count;
  uint32_t imm;
  std::array<isa::Operand, 3> src;
  bool contract;       ///< what may be fused later must not stand in for what may not
  uint32_t stretch;    ///< of loads from memory that others may write: code in which nothing orders memory; else 0
  uint32_t arguments;  ///< of texture instructions: the number of what their argument blocks hold
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  size_t operator()(const Key& k) const {
    uint64_t h = static_cast<uint64_t>(k.op) | static_cast<uint64_t>(k.type) << 8 | static_cast<uint64_t>(k.sub) << 16 |
                 static_cast<uint64_t>(k.count) << 24 | static_cast<uint64_t>(k.imm) << 32;
    h ^= static_cast<uint64_t>(k.stretch) << 44 ^ static_cast<uint64_t>(k.arguments) << 20;
    for (const isa::Operand& o : k.src)
      h = (h ^ (static_cast<uint64_t>(o.bank) << 32 | o.word)) * 0x9E3779B97F4A7C15ull, h ^= h >> 29;
    return static_cast<size_t>(h);
  }
};

/// A load from memory that others may write. Of two loads of one address the second may give what the first one gave,
/// volatile or not, where the program does nothing between them that others could have waited for, and enters and
/// leaves no loop: who waits for memory to change does it in one.
bool isOutsideLoad(const isa::Inst& inst) {
  if (inst.op != isa::Opcode::Ld) return false;
  const isa::SpaceInfo& space = isa::spaceOf(inst);
  return space.reach != isa::SpaceInfo::Reach::Lane && space.element == isa::SpaceInfo::Element::Any;
}

/// Whether loads before and behind an instruction may differ.
bool ordersMemory(const isa::Inst& inst) {
  if (!isa::isExtension(inst.op) || inst.op == isa::Opcode::Loop || inst.op == isa::Opcode::EndLoop) return true;
  switch (isa::opInfo(inst).effect) {
    case isa::Effect::None:
    case isa::Effect::Flow:
    case isa::Effect::Kill:
    case isa::Effect::Demote: return false;
    case isa::Effect::Store: return isa::spaceOf(inst).reach != isa::SpaceInfo::Reach::Lane;
    case isa::Effect::ByImm: return !isa::isPure(inst);
    default: return true;
  }
}

/// A read of a sampled image, or a question about one. Who samples does not wait for others to write: of two reads of
/// one place the second may give what the first one gave wherever the program orders no memory, also in other rounds of
/// loops. Lanes that run the second have run the first, on the same coordinates, and so has all of their quad that
/// counts.
bool readsSampledImage(const isa::Inst& inst) {
  if (inst.op != isa::Opcode::Tex2) return false;
  const abi::TexInst tex = abi::TexInst::unpack(inst.imm);
  switch (tex.kind) {
    case abi::TexKind::Sample:
    case abi::TexKind::Gather:
    case abi::TexKind::QueryLod:
    case abi::TexKind::QuerySize:
    case abi::TexKind::QueryLevels:
    case abi::TexKind::QuerySamples: return true;
    // Attachments change between fragments, and fetches of samples say which ones are alike.
    case abi::TexKind::Fetch: return tex.dim != abi::TexDim::Subpass && !tex.multisampled;
    default: return false;
  }
}

class Merger {
 public:
  explicit Merger(isa::Program& program) : program_(program), table_(program) {
    definedIn_.assign(program.tempWords, ~0u), original_.resize(program.tempWords);
    ordered_ = std::any_of(program.code.begin(), program.code.end(), [](const isa::Inst& inst) {
      return ordersMemory(inst) && inst.op != isa::Opcode::Loop && inst.op != isa::Opcode::EndLoop;
    });
  }

  void run() {
    for (isa::Inst& inst : program_.code) {
      if (isa::isShadow(inst)) continue;
      scopes_.step(inst.op);
      if (ordersMemory(inst)) ++stretch_;
      if (inst.dst.bank != isa::Bank::Temp) continue;
      const uint32_t words = isa::dstWords(inst);
      for (uint32_t w = 0; w < words; ++w) definedIn_[inst.dst.word + w] = scopes_.current();
      if (!writtenOnce(inst.dst.word, words) || !areStable(inst)) continue;
      if (inst.op != isa::Opcode::XMov && !isCopy(inst, words)) continue;
      for (uint32_t w = 0; w < words; ++w)
        original_[inst.dst.word + w] = originalOf({inst.src[0].bank, inst.src[0].word + w});
    }
  }

 private:
  bool writtenOnce(uint32_t word, uint32_t words) const {
    for (uint32_t w = 0; w < words; ++w)
      if (table_.writes[word + w] != 1) return false;
    return true;
  }
  /// Whether what an instruction reads was written before it once and for all.
  bool areStable(const isa::Inst& inst) const {
    bool stable = true;
    isa::forEachSource(inst, [&](isa::Operand o, uint32_t n) {
      if (o.bank == isa::Bank::Out) stable = false;
      if (o.bank != isa::Bank::Temp) return;
      stable &= writtenOnce(o.word, n);
      for (uint32_t w = 0; w < n; ++w)
        stable &= definedIn_[o.word + w] != ~0u && scopes_.isOpen(definedIn_[o.word + w]);
    });
    return stable;
  }
  /// What a word that is written once is a copy of.
  isa::Operand originalOf(isa::Operand o) const {
    return o.bank == isa::Bank::Temp && original_[o.word].present() ? original_[o.word] : o;
  }

  Key keyOf(const isa::Inst& inst) {
    Key key{inst.op, inst.type, inst.sub, inst.count, inst.imm, inst.src, inst.contract, 0, 0};
    if (isOutsideLoad(inst) || (readsSampledImage(inst) && ordered_)) key.stretch = stretch_;
    for (uint32_t i = 0; i < 3; ++i) {
      const uint32_t words = inst.src[i].present() ? isa::srcWords(inst, i) : 0;
      if (words == 1) key.src[i] = originalOf(inst.src[i]);
      if (words < 2 || inst.op != isa::Opcode::Tex2) continue;
      // Words that are copied side by side for each instruction anew.
      std::vector<std::pair<isa::Bank, uint32_t>> block;
      for (uint32_t w = 0; w < words; ++w) {
        const isa::Operand from = originalOf({inst.src[i].bank, inst.src[i].word + w});
        block.emplace_back(from.bank, from.word);
      }
      key.src[i] = {};
      key.arguments =
          arguments_.try_emplace(std::move(block), static_cast<uint32_t>(arguments_.size()) + 1).first->second;
    }
    return key;
  }
  /// Makes an instruction that gives what one before gave a copy of that. \returns whether it is one
  bool isCopy(isa::Inst& inst, uint32_t words) {
    if (words > 8 || !(isOutsideLoad(inst) || readsSampledImage(inst) || isa::isMergeable(inst))) return false;
    auto [it, fresh] = seen_.try_emplace(keyOf(inst), Result{inst.dst.word, scopes_.current()});
    if (fresh) return false;
    if (!scopes_.isOpen(it->second.scope)) {
      it->second = {inst.dst.word, scopes_.current()};
      return false;
    }
    inst.op = isa::Opcode::XMov, inst.type = isa::Type::I32, inst.sub = 0, inst.imm = 0;
    inst.count = static_cast<uint8_t>(words);
    inst.src = {isa::temp(it->second.word), {}, {}};
    return true;
  }

  isa::Program& program_;
  const WordTable table_;
  struct Result {
    uint32_t word, scope;
  };
  std::unordered_map<Key, Result, KeyHash> seen_;
  std::map<std::vector<std::pair<isa::Bank, uint32_t>>, uint32_t> arguments_;
  ScopeTracker scopes_;
  uint32_t stretch_ = 1;
  bool ordered_ = false;  ///< whether the program orders memory anywhere
  std::vector<uint32_t> definedIn_;
  std::vector<isa::Operand> original_;  ///< of copies that are written once
};

}  // namespace

void mergeCommon(isa::Program& program) { Merger(program).run(); }

}  // namespace etzel::opt
