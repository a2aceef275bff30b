// Pairs of samples of one image: filters read a texture many times, and where all that is read are nearest texels,
// those of two samples are found, loaded and converted together, with one decision for both and sixteen numbers in a
// register. What the second sample's coordinates take is computed before the first one then.
#include <algorithm>

#include "compiler/exec/native/emit/emitter.h"

namespace etzel::native {

using abi::TexInst;
using isa::Inst;
using isa::Operand;

namespace {

/// Instructions that may be emitted earlier: they compute, and do nothing else.
bool moves(const Inst& inst) {
  if (!isa::isPure(inst) || inst.dst.bank != isa::Bank::Temp) return false;
  switch (isa::opInfo(inst).native) {
    case isa::Native::Move:
    case isa::Native::Float:
    case isa::Native::Integer:
    case isa::Native::Convert: return true;
    default: return false;
  }
}

/// Instructions that no sample behind them is moved before.
bool staysBehind(const Inst& inst) {
  const isa::OpInfo& info = isa::opInfo(inst);
  return info.control || info.effect == isa::Effect::Barrier || info.effect == isa::Effect::Fence;
}

}  // namespace

/// The sample of the same image and sampler that follows `sample`, and, in order, what has to be emitted `before` both.
/// Nothing where there is none, or where it is needed or depends on what happens between them.
std::optional<uint32_t> Emitter::partnerOf(uint32_t sample, std::vector<uint32_t>& before) const {
  constexpr uint32_t kMostBetween = 48;
  const std::vector<Inst>& code = program_.code;
  const auto isConstant = [](Operand o) { return o.bank == isa::Bank::Param || o.bank == isa::Bank::Param2; };
  const Inst& first = code[sample];
  if (!isConstant(first.src[0]) || !isConstant(first.src[2])) return {};
  uint32_t second = sample + 1;
  for (const auto end = std::min<size_t>(code.size(), sample + kMostBetween);; ++second) {
    if (second >= end || staysBehind(code[second])) return {};
    if (isa::opInfo(code[second]).native == isa::Native::Texture) break;
  }
  const Inst& other = code[second];
  if (other.op != first.op || other.imm != first.imm || other.src[0] != first.src[0] || other.src[2] != first.src[2] ||
      early_[second] || readsFirstLevel(first) != readsFirstLevel(other))
    return {};
  // Webs: of a result that is written once, and of what is read.
  const auto writesOnce = [&](const Inst& inst) {
    if (inst.dst.bank != isa::Bank::Temp) return false;
    for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w)
      if (constants_[webs_.webOf(inst.dst, w)].writes != 1) return false;
    return true;
  };
  std::vector<uint32_t> needed;
  const auto need = [&](const Inst& inst) {
    isa::forEachSource(inst, [&](Operand o, uint32_t words) {
      for (uint32_t w = 0; o.bank == isa::Bank::Temp && w < words; ++w) needed.push_back(webs_.webOf(o, w));
    });
  };
  const auto writesAny = [&](const Inst& inst, const std::vector<uint32_t>& webs) {
    for (uint32_t w = 0, n = isa::dstWords(inst); inst.dst.bank == isa::Bank::Temp && w < n; ++w)
      if (std::find(webs.begin(), webs.end(), webs_.webOf(inst.dst, w)) != webs.end()) return true;
    return false;
  };
  const auto readsAny = [&](const Inst& inst, const std::vector<uint32_t>& webs) {
    bool any = false;
    isa::forEachSource(inst, [&](Operand o, uint32_t words) {
      for (uint32_t w = 0; o.bank == isa::Bank::Temp && w < words; ++w)
        any |= std::find(webs.begin(), webs.end(), webs_.webOf(o, w)) != webs.end();
    });
    return any;
  };
  if (!writesOnce(other)) return {};
  std::vector<uint32_t> early;  // webs
  const auto moveUp = [&](const Inst& inst) {
    need(inst);
    for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w) early.push_back(webs_.webOf(inst.dst, w));
  };
  moveUp(other);
  std::vector<uint32_t> stay = {sample};
  for (uint32_t i = second - 1; i > sample; --i) {
    if (!writesAny(code[i], needed)) {
      if (!early_[i]) stay.push_back(i);
      continue;
    }
    if (early_[i]) continue;  // it stands before the first sample already
    if (!moves(code[i]) || !writesOnce(code[i])) return {};
    moveUp(code[i]);
    before.push_back(i);
  }
  std::reverse(before.begin(), before.end());
  for (uint32_t i : stay)
    if (writesAny(code[i], needed) || writesAny(code[i], early) || readsAny(code[i], early)) return {};
  return second;
}

/// \returns false where the sample has no partner, and nothing was emitted
bool Emitter::readPair(const Inst& inst) {
  if (!readsFootprints(inst) || TexInst::unpack(inst.imm).dref || strands_.size() > 1 || !loadsNearest()) return false;
  if (readsSaidLevel(inst)) return false;
  const uint32_t at = index_;
  std::vector<uint32_t> before;
  const std::optional<uint32_t> partner = partnerOf(at, before);
  if (!partner) return false;
  for (uint32_t i : before) {
    index_ = i;
    emit(program_.code[i]);
    early_[i] = true;
  }
  index_ = at;
  early_[*partner] = true;
  readBoth({{{at, strand_}, {*partner, strand_}}}, ir_.getTrue());
  return true;
}

/// \returns false where an instruction of two groups' strands is no sample and no gather of what code is made for, and
/// nothing was emitted
bool Emitter::readGroups(const Inst& inst) {
  if (!second_) return false;
  if (gathersTexels(inst)) return gatherTexels({{index_, 0}, {index_, 1}}, second_), true;
  if (!knownSample(inst) || !loadsNearest()) return false;
  readBoth({{{index_, 0}, {index_, 1}}}, second_);
  return true;
}

/// What is emitted next is that sample's.
const Inst& Emitter::begin(const SampleOfStrand& s) {
  use(s.strand);
  index_ = s.index;
  return program_.code[index_];
}

/// The words of all samples, which have as many each. Goes on with the first one.
void Emitter::setResults(llvm::ArrayRef<SampleOfStrand> samples, llvm::ArrayRef<V> words) {
  const auto each = static_cast<uint32_t>(words.size() / samples.size());
  for (uint32_t i = 0; i < words.size(); ++i) setWord(begin(samples[i / each]), i % each, words[i]);
  begin(samples[0]);
}

/// The words of two samples, one after the other; the second one is read where `second`, i1, says so.
std::vector<llvm::Value*> Emitter::readApart(V second, const std::function<std::vector<V>(uint32_t sample)>& read) {
  std::vector<V> words = read(0);
  llvm::BasicBlock *first = ir_.GetInsertBlock(), *twin = block("twin"), *after = block("aftertwin");
  ir_.CreateCondBr(second, twin, after);
  enter(twin);
  const std::vector<V> other = read(1), nothing(other.size(), llvm::Constant::getNullValue(words8()));
  twin = ir_.GetInsertBlock();
  ir_.CreateBr(after);
  enter(after);
  for (V v : eitherOf(other, twin, nothing, first)) words.push_back(v);
  return words;
}

/// Reads two samples of one image and sampler, the second one where `second`, i1, says so. Where both read one level
/// and lie inside of the image, they are found before the first texel is loaded.
void Emitter::readBoth(const std::array<SampleOfStrand, 2>& samples, V second) {
  const Inst& inst = begin(samples[0]);
  const uint32_t words = isa::dstWords(inst);
  V view = viewOf(inst.src[0]);
  V texels = directView(inst.src[0], view);
  if (readsSaidLevel(inst)) {
    const std::vector<V> all =
        readApart(second, [&](uint32_t i) { return readLevels(begin(samples[i]), view, texels, nullptr); });
    return setResults(samples, all);
  }
  llvm::BasicBlock* more = mayMagnify(inst) ? block("levels") : nullptr;
  V squares[2] = {};
  if (more) {
    for (uint32_t i = 0; i < 2; ++i) squares[i] = squaredSides(begin(samples[i]), texels);
    V first = areWithinTexels(squares[0]), other = ir_.CreateOr(ir_.CreateNot(second), areWithinTexels(squares[1]));
    whereWithinTexels(ir_.CreateAnd(first, other), more);
  }
  FoundFootprints found[2];
  for (uint32_t i = 0; i < 2; ++i) found[i] = findFootprints(begin(samples[i]), texels);
  const TexelFormat format = formatOf(texels);
  // Where it is known that footprints have four texels, they are weighed as well.
  const auto* nearest = llvm::dyn_cast<llvm::ConstantInt>(found[0].nearest);
  const bool filters = nearest && nearest->isZero();
  V known = filters ? found[0].known : ir_.CreateAnd(ir_.CreateAnd(found[0].known, found[0].nearest), format.converted);
  llvm::BasicBlock* fits = block("bothfit");
  llvm::BasicBlock* each = block("each");
  llvm::BasicBlock* done = block("bothdone");
  ir_.CreateCondBr(known, fits, each);
  enter(fits);
  std::vector<V> colors;
  if (filters) {
    const std::vector<WeighedFootprints> weighed = weighInside(found, each);
    const bool here = filtersTexels(inst, found[0]);
    for (uint32_t i = 0; i < 2; ++i) {
      if (!here) callFilter(view, found[i], weighed[i]);
      for (V v : here ? filterTexels(inst, texels, weighed[i]) : textureResults(words)) colors.push_back(v);
    }
  } else {
    V inside = ir_.CreateAnd(found[0].inside, found[1].inside);
    llvm::BasicBlock* nearestOnes = block("both");
    ir_.CreateCondBr(inside, nearestOnes, each, likely());
    enter(nearestOnes);
    V loaded[2];
    for (uint32_t i = 0; i < 2; ++i) loaded[i] = loadTexels(found[i].places);
    const std::vector<V> all = colorsOfBoth(format, loaded);
    for (uint32_t i = 0; i < 2 * words; ++i) colors.push_back(all[i / words * 4 + i % words]);
  }
  llvm::BasicBlock* both = ir_.GetInsertBlock();
  ir_.CreateBr(done);
  enter(each);
  std::vector<V> apart = readApart(second, [&](uint32_t i) {
    sampleFootprints(begin(samples[i]), view, texels, found[i], block("levels"), nullptr,
                     [&](llvm::BasicBlock* sampled) {
                       readTexels(found[i].places, view, found[i].read);
                       ir_.CreateBr(sampled);
                     });
    return textureResults(words);
  });
  each = ir_.GetInsertBlock();
  if (more) {
    llvm::BasicBlock* merged = block("apart");
    ir_.CreateBr(merged);
    enter(more);
    const std::vector<V> levels =
        readApart(second, [&](uint32_t i) { return readLevels(begin(samples[i]), view, texels, squares[i]); });
    more = ir_.GetInsertBlock();
    ir_.CreateBr(merged);
    enter(merged);
    apart = eitherOf(apart, each, levels, more);
    each = merged;
  }
  ir_.CreateBr(done);
  enter(done);
  const std::vector<V> results = eitherOf(colors, both, apart, each);
  setResults(samples, results);
}

}  // namespace etzel::native
