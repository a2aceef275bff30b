#include <unordered_map>

#include "compiler/opt/passes.h"
#include "compiler/opt/values.h"

namespace etzel::opt {
namespace {

struct Key {
  isa::Opcode op;
  isa::Type type;
  uint8_t sub, count;
  uint32_t imm;
  std::array<isa::Operand, 3> src;
  bool contract;     ///< what may be fused later must not stand in for what may not
  uint32_t stretch;  ///< of loads from memory that others may write: code in which nothing orders memory; else 0
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  size_t operator()(const Key& k) const {
    uint64_t h = static_cast<uint64_t>(k.op) | static_cast<uint64_t>(k.type) << 8 | static_cast<uint64_t>(k.sub) << 16 |
                 static_cast<uint64_t>(k.count) << 24 | static_cast<uint64_t>(k.imm) << 32;
    h ^= static_cast<uint64_t>(k.stretch) << 44;
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
  const auto space = static_cast<isa::Space>(inst.sub);
  return space == isa::Space::Buffer || space == isa::Space::Global || space == isa::Space::Shared;
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

}  // namespace

void mergeCommon(isa::Program& program) {
  const WordTable table(program);
  struct Result {
    uint32_t word, scope;
  };
  std::unordered_map<Key, Result, KeyHash> seen;
  ScopeTracker scopes;
  uint32_t stretch = 1;
  std::vector<uint32_t> definedIn(program.tempWords, ~0u);

  auto writtenOnce = [&](uint32_t word, uint32_t words) {
    for (uint32_t w = 0; w < words; ++w)
      if (table.writes[word + w] != 1) return false;
    return true;
  };
  for (isa::Inst& inst : program.code) {
    if (isa::isShadow(inst)) continue;
    scopes.step(inst.op);
    if (ordersMemory(inst)) ++stretch;
    if (inst.dst.bank != isa::Bank::Temp) continue;
    const uint32_t words = isa::dstWords(inst);
    for (uint32_t w = 0; w < words; ++w) definedIn[inst.dst.word + w] = scopes.current();
    const bool outside = isOutsideLoad(inst);
    if (words > 8 || !(outside || isa::isMergeable(inst)) || !writtenOnce(inst.dst.word, words)) continue;
    bool stable = true;
    isa::forEachSource(inst, [&](isa::Operand o, uint32_t n) {
      if (o.bank == isa::Bank::Out) stable = false;
      if (o.bank != isa::Bank::Temp) return;
      stable &= writtenOnce(o.word, n);
      for (uint32_t w = 0; w < n; ++w) stable &= definedIn[o.word + w] != ~0u && scopes.isOpen(definedIn[o.word + w]);
    });
    if (!stable) continue;
    const Key key{inst.op, inst.type, inst.sub, inst.count, inst.imm, inst.src, inst.contract, outside ? stretch : 0};
    auto [it, fresh] = seen.try_emplace(key, Result{inst.dst.word, scopes.current()});
    if (fresh) continue;
    if (!scopes.isOpen(it->second.scope)) {
      it->second = {inst.dst.word, scopes.current()};
      continue;
    }
    inst.op = isa::Opcode::XMov, inst.type = isa::Type::I32, inst.sub = 0, inst.imm = 0;
    inst.count = static_cast<uint8_t>(words);
    inst.src = {isa::temp(it->second.word), {}, {}};
  }
}

}  // namespace etzel::opt
