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
  bool contract;  ///< what may be fused later must not stand in for what may not
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  size_t operator()(const Key& k) const {
    uint64_t h = static_cast<uint64_t>(k.op) | static_cast<uint64_t>(k.type) << 8 | static_cast<uint64_t>(k.sub) << 16 |
                 static_cast<uint64_t>(k.count) << 24 | static_cast<uint64_t>(k.imm) << 32;
    for (const isa::Operand& o : k.src)
      h = (h ^ (static_cast<uint64_t>(o.bank) << 32 | o.word)) * 0x9E3779B97F4A7C15ull, h ^= h >> 29;
    return static_cast<size_t>(h);
  }
};

}  // namespace

void mergeCommon(isa::Program& program) {
  const WordTable table(program);
  struct Result {
    uint32_t word, scope;
  };
  std::unordered_map<Key, Result, KeyHash> seen;
  ScopeTracker scopes;
  std::vector<uint32_t> definedIn(program.tempWords, ~0u);

  auto writtenOnce = [&](uint32_t word, uint32_t words) {
    for (uint32_t w = 0; w < words; ++w)
      if (table.writes[word + w] != 1) return false;
    return true;
  };
  for (isa::Inst& inst : program.code) {
    if (isa::isShadow(inst)) continue;
    scopes.step(inst.op);
    if (inst.dst.bank != isa::Bank::Temp) continue;
    const uint32_t words = isa::dstWords(inst);
    for (uint32_t w = 0; w < words; ++w) definedIn[inst.dst.word + w] = scopes.current();
    if (words > 8 || !isa::isMergeable(inst) || !writtenOnce(inst.dst.word, words)) continue;
    bool stable = true;
    isa::forEachSource(inst, [&](isa::Operand o, uint32_t n) {
      if (o.bank == isa::Bank::Out) stable = false;
      if (o.bank != isa::Bank::Temp) return;
      stable &= writtenOnce(o.word, n);
      for (uint32_t w = 0; w < n; ++w) stable &= definedIn[o.word + w] != ~0u && scopes.isOpen(definedIn[o.word + w]);
    });
    if (!stable) continue;
    const Key key{inst.op, inst.type, inst.sub, inst.count, inst.imm, inst.src, inst.contract};
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
