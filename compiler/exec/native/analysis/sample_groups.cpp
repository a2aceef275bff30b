#include "compiler/exec/native/analysis/sample_groups.h"

#include <algorithm>

#include "compiler/exec/native/analysis/copies.h"
#include "compiler/isa/info.h"
#include "runtime/abi/direct_view.h"
#include "runtime/abi/tex_inst.h"

namespace etzel::native {
namespace {

using abi::TexInst;
using isa::Bank;
using isa::Inst;
using isa::Opcode;
using isa::Operand;

constexpr uint32_t kMostInstructions = 512;  ///< of a group, which is there twice
constexpr uint32_t kMostImages = 4;
constexpr uint32_t kMostSamples = abi::SampleTiles::kMaxSamples;
/// What other texture instructions of a group count.
constexpr uint32_t kTextureWeight = 32;
/// How far back two values are followed that may be the same.
constexpr uint32_t kMostSteps = 16;

class Search {
 public:
  Search(const Webs& webs, const Divergence& divergence, const std::vector<Constant>& constants)
      : webs_(webs),
        code_(webs.program.code),
        divergence_(divergence),
        constants_(constants),
        copies_(webs, constants) {}

  std::map<uint32_t, SampleGroup> run() const {
    std::map<uint32_t, SampleGroup> found;
    for (uint32_t i = 0; i < code_.size(); ++i) {
      if (!isCandidate(code_[i])) continue;
      SampleGroup group = groupFrom(i);
      if (!isWorthIt(group)) continue;
      const uint32_t end = group.end;
      found[i] = std::move(group);
      i = end - 1;
    }
    return found;
  }

 private:
  bool isCandidate(const Inst& inst) const {
    return fetchesSample(webs_, divergence_, inst) && sampleOf(inst).value_or(kMostSamples) < kMostSamples;
  }

  /// The number of the sample where it is the same every time.
  std::optional<uint32_t> sampleOf(const Inst& inst) const {
    return constantOf(webs_, constants_, copies_.original(argument(inst, TexInst::unpack(inst.imm).argSample())));
  }

  static Operand argument(const Inst& inst, uint32_t w) { return wordOf(inst.src[1], w); }

  /// Whether two words hold the same value wherever both are known.
  bool same(Operand a, Operand b, uint32_t steps = kMostSteps) const {
    a = copies_.original(a), b = copies_.original(b);
    if (a.bank != Bank::Temp || b.bank != Bank::Temp) {
      const std::optional<uint32_t> x = constantOf(webs_, constants_, a);
      return x && x == constantOf(webs_, constants_, b);
    }
    const uint32_t x = webs_.webOf(a), y = webs_.webOf(b);
    if (!copies_.isKnown(x) || !copies_.isKnown(y)) return false;
    if (x == y) return true;
    const Copies::Writer w = copies_.writerOf(x), v = copies_.writerOf(y);
    const Inst &first = code_[w.at], &second = code_[v.at];
    if (!steps || w.word != v.word || !isa::isMergeable(first) || !alike(first, second)) return false;
    std::vector<Operand> words[2];
    for (const Inst* inst : {&first, &second})
      isa::forEachSource(*inst, [&](Operand o, uint32_t n) {
        for (uint32_t k = 0; k < n; ++k) words[inst == &second].push_back(wordOf(o, k));
      });
    for (size_t k = 0; k < words[0].size(); ++k)
      if (!same(words[0][k], words[1][k], steps - 1)) return false;
    return true;
  }
  /// Whether two instructions do the same with what they read.
  static bool alike(Inst a, const Inst& b) {
    a.line = b.line, a.dst = b.dst;
    for (size_t s = 0; s < a.src.size(); ++s) {
      if (a.src[s].present() != b.src[s].present()) return false;
      a.src[s] = b.src[s];
    }
    return a == b;
  }

  static bool ends(const Inst& inst) {
    const isa::OpInfo& info = isa::opInfo(inst);
    return info.control || info.native == isa::Native::Flow || info.native == isa::Native::Call ||
           info.effect == isa::Effect::Barrier || info.effect == isa::Effect::Fence ||
           info.effect == isa::Effect::Kill || info.effect == isa::Effect::Demote;
  }

  SampleGroup groupFrom(uint32_t begin) const {
    SampleGroup group;
    uint32_t weight = 0;
    for (uint32_t i = begin; i < code_.size() && !ends(code_[i]); ++i) {
      const Inst& inst = code_[i];
      const bool isTexture = isa::opInfo(inst).native == isa::Native::Texture;
      weight += isTexture ? kTextureWeight : 1;
      if (weight > kMostInstructions) break;
      if (isTexture && isCandidate(inst)) add(group, begin, i);
    }
    if (group.fetches.empty()) return group;
    group.end = group.fetches.back().at + 1;
    if (group.fetches.size() < 2) return group;
    // What is made of the last sample, as far as it is like the one before.
    uint32_t more = group.end - group.fetches[group.fetches.size() - 2].at;
    while (more-- && group.end < code_.size() && !ends(code_[group.end]) && isa::isPure(code_[group.end]) &&
           isa::opInfo(code_[group.end]).native != isa::Native::Texture)
      ++group.end;
    return group;
  }

  void add(SampleGroup& group, uint32_t begin, uint32_t at) const {
    const Inst &inst = code_[at], &first = code_[begin];
    for (uint32_t d = 0; d < 2; ++d)
      if (!same(argument(inst, d), argument(first, d))) return;
    if (!copies_.isBefore(inst.src[0], begin)) return;
    uint32_t image = 0;
    while (image < group.images.size() && !same(code_[group.images[image]].src[0], inst.src[0])) ++image;
    if (image == group.images.size()) {
      if (image == kMostImages) return;
      group.images.push_back(at);
    }
    group.fetches.push_back({at, image, *sampleOf(inst)});
  }

  static bool isWorthIt(const SampleGroup& group) {
    for (uint32_t i = 0; i < group.images.size(); ++i)
      if (std::popcount(group.samplesOf(i)) > 1) return true;
    return false;
  }

  const Webs& webs_;
  const std::vector<Inst>& code_;
  const Divergence& divergence_;
  const std::vector<Constant>& constants_;
  const Copies copies_;
};

}  // namespace

bool fetchesSample(const Webs& webs, const Divergence& divergence, const Inst& inst) {
  if (isa::opInfo(inst).native != isa::Native::Texture) return false;
  const TexInst tex = TexInst::unpack(inst.imm);
  return tex.kind == abi::TexKind::Fetch && tex.dim == abi::TexDim::D2 && tex.multisampled && !tex.arrayed &&
         !tex.offset && !tex.sparse && tex.lod == abi::LodMode::Zero && tex.rule == abi::DimRule::Given &&
         tex.resultWords() == 4 && shapeOf(webs, divergence, inst.src[0]).uniform();
}

uint32_t SampleGroup::samplesOf(uint32_t image) const {
  uint32_t all = 0;
  for (const Fetch& f : fetches)
    if (f.image == image) all |= 1u << f.sample;
  return all;
}

std::map<uint32_t, SampleGroup> findSampleGroups(const Webs& webs, const Divergence& divergence,
                                                 const std::vector<Constant>& constants) {
  return Search(webs, divergence, constants).run();
}

}  // namespace etzel::native
