// Turns a program into an LLVM function with the signature of abi::KernelEntry; programs with barriers into one with
// the signature of abi::Executable::workgroup too, simple fragment programs into one of abi::Executable::fragments.
// Registers become SSA values (through allocas that LLVM promotes): uniform words scalars, all others vectors of 8
// lanes. The execution mask is a vector of 0 / ~0 words, or of bits. What has no native form here calls the interpreter
// for that one instruction, so every program that has only extension instructions can be emitted.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <array>
#include <bitset>
#include <functional>
#include <map>
#include <optional>
#include <span>

#include "compiler/exec/native/analysis/barriers.h"
#include "compiler/exec/native/analysis/bound.h"
#include "compiler/exec/native/analysis/bounds.h"
#include "compiler/exec/native/analysis/copies.h"
#include "compiler/exec/native/analysis/counted_loops.h"
#include "compiler/exec/native/analysis/crowds.h"
#include "compiler/exec/native/analysis/delayed_atomics.h"
#include "compiler/exec/native/analysis/many_sums.h"
#include "compiler/exec/native/analysis/multiples.h"
#include "compiler/exec/native/analysis/next_rounds.h"
#include "compiler/exec/native/analysis/products.h"
#include "compiler/exec/native/analysis/regions.h"
#include "compiler/exec/native/analysis/sample_groups.h"
#include "compiler/exec/native/analysis/sample_loops.h"
#include "compiler/exec/native/analysis/staying.h"
#include "compiler/exec/native/analysis/strands.h"
#include "compiler/exec/native/analysis/streams.h"
#include "compiler/exec/native/analysis/turned_matrices.h"
#include "compiler/exec/native/analysis/uses.h"
#include "compiler/exec/native/analysis/wide_loads.h"
#include "compiler/exec/native/analysis/wide_stores.h"
#include "compiler/exec/native/emit/host.h"
#include "compiler/exec/native/emit/llvm_math.h"
#include "compiler/isa/info.h"
#include "runtime/abi/direct_view.h"
#include "runtime/abi/fragment_groups.h"

namespace etzel::native {

/// What the name of the function for whole workgroups ends with.
inline constexpr const char* kGroupSuffix = "_group";
/// And that of the function for several groups of fragments.
inline constexpr const char* kFragmentsSuffix = "_fragments";
/// And that of the function for several warps side by side.
inline constexpr const char* kAbreastSuffix = "_abreast";
/// And that of the function for whole workgroups without pairs, where another one has its name.
inline constexpr const char* kTurnsSuffix = "_turns";

class Emitter {
 public:
  enum class Warps : uint8_t { One, Abreast, Pairs };
  /// `bound`: what views and samplers are taken to be (guard.h). `Abreast`: instead of the entry, which is in the
  /// module already, the function for strands() warps. `Pairs`: instead of the function for whole workgroups, which is
  /// there too, and gets another name, one that calls it where it cannot go on. `taken`: what push constants are taken
  /// to be.
  Emitter(llvm::Module& module, const isa::Program& program, const std::string& name, const Host& host,
          const BoundKinds& bound, Warps warps = Warps::One, const Multiples& taken = {});
  void run();
  /// How many warps may run side by side.
  uint32_t strands() const { return interpreted_.empty() && !fragments_ && !turns() ? found_.count : 1; }
  /// Whether there may be a function that runs a workgroup's warps in pairs.
  bool pairsBetweenBarriers() const { return interpreted_.empty() && turns() && found_.count > 1; }
  /// Whether crowds run in it.
  bool hasCrowds() const { return pairsBetweenBarriers() && found_.count == kCrowd; }
  /// What push constants may be taken to be in another function.
  Multiples multiples() const { return findMultiples(webs_, divergence_, bounds_, constants_); }
  /// Instructions that call the interpreter.
  const std::vector<uint32_t>& interpreted() const { return interpreted_; }
  /// Whether there is a function for several groups of fragments.
  bool runsFragments() const { return fragments_ && interpreted_.empty(); }
  /// Whether there are loops whose number of rounds is known.
  bool endingLoops() const { return endingLoops_; }

 private:
  using V = llvm::Value*;
  struct Scope {
    isa::Opcode kind;
    uint32_t at;                        ///< instruction index
    llvm::BasicBlock* next = nullptr;   ///< If: the else side until Else was met; Block: unused
    llvm::BasicBlock* end = nullptr;    ///< EndIf / EndBlock / loop exit
    llvm::BasicBlock* latch = nullptr;  ///< Loop
    llvm::BasicBlock* head = nullptr;   ///< Loop
    bool elseSeen = false;
    /// If whose sides both always run, with all lanes. What they write is put together at the end.
    bool straight = false;
    struct Written {
      V before = nullptr, first = nullptr;  ///< null `first`: the first side does not write it
      bool second = false;                  ///< whether the else side writes it
    };
    /// Of a strand, or of a pair.
    struct Lanes {
      llvm::AllocaInst* saved = nullptr;    ///< those that come back at the end
      llvm::AllocaInst* other = nullptr;    ///< If: those of the else side
      V taken = nullptr;                    ///< straight If: those of the first side
      std::map<uint32_t, Written> written;  ///< by web: what other lanes may need
    };
    std::array<Lanes, kMostStrands> lanes;
    bool restores() const { return lanes[0].saved != nullptr; }  ///< alike in all strands
  };

  // emitter.cpp: values
  llvm::Type* words8() { return wordsTy_; }
  llvm::Type* words16() { return llvm::FixedVectorType::get(ir_.getInt32Ty(), 2 * kWarpLanes); }
  llvm::FixedVectorType* lanes(llvm::Type* element) { return llvm::FixedVectorType::get(element, width_); }
  static bool isVector(V v) { return v->getType()->isVectorTy(); }
  static uint32_t lanesIn(V vector) { return llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements(); }
  V splat(V v) { return isVector(v) ? v : ir_.CreateVectorSplat(width_, v); }
  llvm::Type* like(V shape, llvm::Type* element) { return isVector(shape) ? lanes(element) : element; }
  V word(isa::Operand o, uint32_t w = 0);
  /// Where a value is: a strand's, or a pair's (both strands', one behind the other).
  struct Slot {
    V at;
    llvm::Type* type;
  };
  Slot webSlot(uint32_t web);
  static bool isOfPair(const Slot& a) {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(a.type);
    return vector && vector->getNumElements() == 2 * kWarpLanes;
  }
  V read(const Slot& a);
  void write(const Slot& a, V value);
  llvm::AllocaInst* registerSlot(llvm::Type* type, bool isUndefined);
  Shape shapeOf(isa::Operand o, uint32_t w = 0) const { return native::shapeOf(webs_, divergence_, o, w); }
  bool isUniform(isa::Operand o, uint32_t words = 1) const;
  bool isScalar(const isa::Inst& inst) const;  ///< no word of the destination varies freely
  llvm::Constant* steps(const Shape& shape);   ///< what the lanes of a strand are apart from lane 0
  llvm::Constant* steps(uint32_t stride) { return steps(Shape::growing(stride)); }  ///< (0, stride, 2 * stride, ...)
  V baseOf(isa::Operand o);  ///< lane 0 of a word that does not vary freely
  /// Whether lanes may be missing that did begin, or warps that begin without some.
  bool someRun() const {
    return divergence_.partial[index_] || (program_.info.stage == abi::Stage::Compute && !divergence_.full);
  }
  bool allActive() const { return divergence_.full && !divergence_.partial[index_]; }
  void setWord(const isa::Inst& inst, uint32_t w, V value);
  V element(isa::Operand o, isa::Type type, uint32_t e = 0);
  void setElement(const isa::Inst& inst, V value, uint32_t e = 0);
  static void unify(IR& ir, V& a, V& b);
  V field(V base, size_t offset, llvm::Type* type, bool invariant = true);
  V constant64(uint64_t v) { return ir_.getInt64(v); }
  llvm::AllocaInst* slot(llvm::Type* type, const char* name);
  V toMask(V i1) { return ir_.CreateSExt(i1, like(i1, ir_.getInt32Ty())); }
  V nonzero(V v) {
    if (v->getType()->getScalarType()->isIntegerTy(1)) return v;
    return ir_.CreateICmpNE(v, llvm::Constant::getNullValue(v->getType()));
  }
  V warp() { return turns() ? warpAfter(strand_) : warp_; }
  V warpField(size_t offset) {
    return field(fragments_ ? function_->getArg(1) : warp(), offset,
                 ir_.getPtrTy());  // groups have all but masks in common
  }
  /// Whether the function runs the warps of a workgroup in turn.
  bool turns() const { return program_.info.usesBarrier; }
  /// Whether programs' values may be left from another warp.
  bool repeats() const { return turns() || fragments_; }
  /// Masks are i1 by lane where the host has registers for them, else words.
  V asMask(V i1) { return maskTy_ == wordsTy_ ? toMask(i1) : i1; }
  llvm::AllocaInst* maskSlot(const char* name) {
    return slot(pairs_ ? llvm::FixedVectorType::get(ir_.getInt1Ty(), 2 * kWarpLanes) : maskTy_, name);
  }
  V mask(llvm::AllocaInst* a) { return read({a, a->getAllocatedType()}); }
  V exec() { return mask(exec_); }
  V anyExec();         ///< i1: whether some strand has a lane left
  V bitsOf(V mask);    ///< a mask to i32 with a bit per lane
  V lanesOf(V bits);   ///< the reverse: i1 by lane
  V any(V maskWords);  ///< i1
  V sideEffectMask();  ///< exec without helper lanes

  // emit_control.cpp
  void control(const isa::Inst& inst, uint32_t i);
  void beginIf(const isa::Inst& inst, uint32_t i);
  void otherwise();
  void endIf();
  void beginBlock(uint32_t i);
  void endBlock();
  void meet(const Scope& scope);
  void beginLoop(uint32_t i);
  void endLoop();
  void kill(uint32_t i);
  void leave(V lanes, int target);
  void skipIfEmpty();
  void branchOut(uint32_t i, int target, bool isConditional);
  int targetOf(uint32_t depth) const;
  void finish(abi::WarpStatus status);
  void barrier();
  void beginTurns();
  llvm::BasicBlock* pickNext(const char* name, uint32_t step, llvm::BasicBlock* leave);
  V warpAfter(uint32_t count);
  void beginRegion(uint32_t first, uint32_t resume);
  void goOnWithNext();
  void setTogether(uint32_t warps);
  void startTurn();
  void endTurn();
  void saveOrRestore(bool save, const std::vector<Webs::Live>& live, bool masks);
  /// Whether a value is in the warp's memory, all the time between two barriers.
  bool stays(uint32_t web) const {
    return !staying_.empty() && index_ < regions_.size() && !brought_.count(web) &&
           staying_.count({regions_[index_], web});
  }
  /// Whether a value is read from the system values at every use, so that barriers need not keep it.
  bool readAgain(uint32_t web) const { return turns() && constants_[web].writes == 1 && constants_[web].sys; }
  llvm::BasicBlock* block(const char* name, llvm::Function* f = nullptr) {
    return llvm::BasicBlock::Create(context_, name, f ? f : function_);
  }
  void enter(llvm::BasicBlock* b) { ir_.SetInsertPoint(b); }
  llvm::MDNode* likely();
  void jump(llvm::BasicBlock* b);

  // emit_loops.cpp
  V valueBefore(isa::Operand o);
  V mostInLoop(isa::Operand o, uint32_t begin, V last, V& endless);
  V ofWord(V number);
  V mostCarried(isa::Operand o, isa::Operand step, const CountedLoop& loop, V last, V& endless);
  V aboveZeros(uint32_t web);
  bool goesTwice(uint32_t loop) const;
  V allInside(uint32_t begin);
  void emitTwice();
  bool isKnownInside(uint32_t load) const;

  // emit_sums.cpp
  /// Where what a sum is made of is now, and what it was in each round.
  struct Kept {
    Slot now;
    llvm::AllocaInst* all;
  };
  std::map<uint32_t, ManySums> sumsInGroups(const Host& host) const;
  std::map<uint32_t, ManySums> sumsOfRegions() const;
  void emitInGroups();
  std::vector<Kept> keep(const std::vector<uint32_t>& webs, uint32_t rounds);
  void keepRound(const std::vector<Kept>& all, V round);
  void takeRound(const std::vector<Kept>& all, V round);
  std::vector<std::pair<Slot, V>> carriedBefore(uint32_t loop);
  void emitGroups(uint32_t begin, const std::vector<Kept>& common);
  void emitLoopOf(uint32_t begin, size_t group, const std::vector<Kept>& taken, const std::vector<Kept>& kept,
                  llvm::AllocaInst* rounds);
  void emitGroup(const std::vector<uint32_t>& group, const std::vector<Kept>& kept, llvm::AllocaInst* rounds);
  void bring(const std::vector<uint32_t>& group, bool back);
  static void staysLoop(llvm::BranchInst* back);

  // emit_crowd.cpp
  bool isCrowd() const { return strands_.size() == kCrowd && turns(); }
  uint32_t ownerOf(uint32_t web) const;
  V inStrand(uint32_t strand, const std::function<V()>& valueOf);
  V valueOf(uint32_t web);
  void emitInCrowd(const isa::Inst& inst, const std::function<void()>& translateOne);
  bool makes(const isa::Inst& inst, uint32_t strand);
  bool ownsPart(const isa::Inst& inst, uint32_t strand);
  bool storeTogether(const isa::Inst& inst);
  bool keepConstants();
  bool isShared(uint32_t web) const;

  // emit_strands.cpp: warps side by side. Members that a strand has of its own are those of `strand_`.
  Scope::Lanes& mine(Scope& scope) { return scope.lanes[firstOfPair()]; }
  const Scope::Lanes& mine(const Scope& scope) const { return scope.lanes[firstOfPair()]; }
  void use(uint32_t strand);
  template <class Body>
  void forEachStrand(Body body, uint32_t step = 1) {
    for (uint32_t s = 0; s < strands_.size(); s += step)
      if (isOn(s)) use(s), body();
    use(0);
  }
  /// Whether a strand takes part in what is emitted: all do, or one pair of a crowd.
  bool isOn(uint32_t strand) const { return !only_ || strand / 2 == *only_; }
  uint32_t sharing(const isa::Inst& inst) const;  ///< how many neighbours the result is the same in
  void beginStrands();
  // Pairs of strands in registers of sixteen words: `width_` says whether values are a strand's or a pair's, whose
  // first strand is `strand_` then.
  bool ofPair() const { return width_ != kWarpLanes; }
  template <class Body>
  void forEachPair(Body body) {
    if (!pairs_) return forEachStrand(body);
    for (uint32_t s = 0; s < strands_.size(); s += 2) {
      if (!isOn(s)) continue;
      use(s), width_ = 2 * kWarpLanes;
      body();
      width_ = kWarpLanes;
    }
    use(0);
  }
  /// For each strand of what `width_` says: once, or for both of a pair.
  template <class Body>
  void forEachHalf(Body body) {
    if (!ofPair()) return body();
    const uint32_t first = strand_;
    width_ = kWarpLanes;
    body();
    use(first + 1);
    body();
    use(first), width_ = 2 * kWarpLanes;
  }
  /// A strand's vector or mask, or those of a pair.
  template <class ValueOf>
  V both(ValueOf valueOf) {
    V halves[2] = {};
    forEachHalf([&] { halves[halves[0] != nullptr] = splat(valueOf()); });
    return halves[1] ? joined(halves[0], halves[1]) : halves[0];
  }
  V halfOf(V pair);
  V halfOf(V pair, uint32_t half);
  V joined(V first, V second);
  uint32_t firstOfPair() const { return pairs_ ? strand_ & ~1U : strand_; }
  bool goesInPairs(const isa::Inst& inst) const;
  Strands strandsOf(const Host& host) const;
  void emit(const isa::Inst& inst);
  void inGroup(const isa::Inst& inst, const std::function<void()>& translateOne);
  void emitNext();

  // emit_fragments.cpp
  void emitFragmentsEntry(llvm::Function* entry);
  void startFragments();
  void endFragments();
  std::vector<V> groupsOfRound();
  V withoutLowest(V bits);
  V rowsOfGroup(size_t member, V group, uint64_t rows);
  void placeGroups(const std::vector<V>& groups);
  void startGroup(V group, const std::bitset<abi::kMaxGroupWords>& written);
  void findPlaneValues(V input);
  V planeValue(abi::SysValue v, V planes);
  std::bitset<abi::kMaxGroupWords> surelyWritten() const;

  // What returns false has no native form of the instruction.

  // emit_arithmetic.cpp
  static bool isFloat(isa::Type t) { return t == isa::Type::F16 || t == isa::Type::F32 || t == isa::Type::F64; }
  bool arithmetic(const isa::Inst& inst);
  /// A floating-point source; binary16 as f32, in which it is computed.
  V floatSource(const isa::Inst& inst, uint32_t i, isa::Type type);
  /// The result, rounded once where it is binary16. \returns true
  bool setFloat(const isa::Inst& inst, V v);
  bool signBit(const isa::Inst& inst);
  bool floatOfOne(const isa::Inst& inst);
  bool floatOfTwo(const isa::Inst& inst);

  // emit_integer.cpp
  bool integer(const isa::Inst& inst);
  bool setInteger(const isa::Inst& inst, V v);  ///< \returns true
  bool staysWord(const isa::Inst& inst, V a) const;
  std::pair<V, V> integerSources(const isa::Inst& inst);
  bool integerOfOne(const isa::Inst& inst);
  bool integerOfTwo(const isa::Inst& inst);
  bool shift(const isa::Inst& inst);
  bool bitField(const isa::Inst& inst);
  bool division(const isa::Inst& inst);
  V quotient(V x, V y, bool isSigned);
  V remainder(V x, V y, bool isSigned);

  // emit_convert.cpp
  bool convert(const isa::Inst& inst);
  V saturated(V a, bool isSigned, uint32_t bits);

  // emit_math.cpp
  bool transcendental(const isa::Inst& inst);
  void sines();

  // emit_lanes.cpp
  bool lanesAndInputs(const isa::Inst& inst);
  bool input(const isa::Inst& inst);
  bool derivative(const isa::Inst& inst);
  bool subgroup(const isa::Inst& inst);

  // emit_product.cpp, emit_product_rows.cpp
  /// Rows that are computed in one register: of one product, or of two.
  struct Rows {
    const isa::Inst* product[2] = {};
    isa::Operand source(uint32_t s, uint32_t half) const {
      return product[half] ? product[half]->src[s] : isa::Operand{};
    }
  };
  struct Place;
  void multiply();
  void layRows();
  void keepSums();
  void layTiles(const std::vector<Rows>& rows, const std::vector<Rows>& next, const std::vector<uint32_t>& results);
  bool layRun(const std::vector<std::pair<isa::Operand, isa::Operand>>& parts, uint32_t count);
  V inRun(const Place& place);
  const Place* firstPlaceOf(isa::Operand o, uint32_t count) const;
  /// Where the first number of a second factor lies, and how many numbers further its next row begins.
  struct Numbers {
    V at;
    uint32_t apart;
  };
  Numbers numbersInMemory(isa::Operand o, uint32_t count);
  std::vector<Rows> rowsOf(const ProductGroup& group) const;
  const ProductGroup* nextOf(const ProductGroup& group) const;
  bool lieTogether(const ProductGroup& group, const ProductGroup& next) const;
  void setResults(const std::vector<uint32_t>& results, const std::vector<std::vector<V>>& sums);
  bool arePair(isa::Operand low, isa::Operand high, uint32_t w) const;
  V placeOf(isa::Operand low, isa::Operand high, uint32_t w);
  V runOf(isa::Operand low, isa::Operand high, uint32_t count);
  void setRows(uint32_t low, uint32_t high, uint32_t w, V sum);
  std::vector<V> multiplyColumns(std::span<const Rows> rows, const Numbers& all, uint32_t steps, uint32_t first,
                                 uint32_t count);
  void multiplyRows(std::span<const Rows> rows, uint32_t steps, const std::vector<uint32_t>& results);
  V wordOfRows(isa::Operand low, isa::Operand high, uint32_t w);
  V rowsInMemory(isa::Operand low, isa::Operand high, uint32_t count);
  V opaque(V v);

  // emit_product_tile.cpp
  /// Products as tiles: where their words lie, pairs of rows but for `numbers`. `count` tiles.
  struct Tiles {
    isa::Type type;
    uint32_t count, columns, steps = 0;
    V factors = nullptr, sums = nullptr, results = nullptr;
    Numbers numbers = {};
  };
  const Place* placeOfAll(const std::vector<std::pair<isa::Operand, isa::Operand>>& rows, uint32_t count,
                          uint32_t apart) const;
  std::optional<Tiles> tilesOf(const ProductGroup& group, const ProductGroup* next);
  void multiplyTiles(const Tiles& t);

  // emit_lanes.cpp
  void interpolate(const isa::Inst& inst);
  void barycentric(const isa::Inst& inst);
  std::pair<V, V> interpolationPlace(const isa::Inst& inst);
  std::pair<V, V> linearAt(V x, V y);
  V inverseWAt(V l1, V l2);
  std::pair<V, V> inPerspective(V l1, V l2);
  V primitive();
  V firstActiveLane();
  V sysRow(abi::SysValue v);
  V sysWords(abi::SysValue v);
  V sysValue(abi::SysValue v);
  V outRow(uint32_t word);
  bool reduce(const isa::Inst& inst);
  V orIdentity(V active, V values, isa::ReduceOp op);
  template <class Step>
  V reduceTree(V v, uint32_t cluster, Step step);
  V reduced(isa::ReduceOp op, V values);
  V reduceStep(isa::ReduceOp op, V a, V b);
  llvm::Constant* reduceIdentity(isa::ReduceOp op, llvm::Type* type);
  std::optional<uint32_t> mostRounds(uint32_t loop) const;
  bool endsSoon(uint32_t loop) const { return mostRounds(loop).has_value(); }
  bool cheap(uint32_t at) const;
  void noteWrite(uint32_t web);
  void endStraightIf(const Scope& scope);
  bool translate(const isa::Inst& inst);
  void fallback(const isa::Inst& inst, uint32_t i);

  // emit_texture.cpp
  void texture(const isa::Inst& inst);
  void callTexture(const isa::Inst& inst, V sample = nullptr, V result = nullptr);
  V textureResult(uint32_t w);
  std::vector<V> textureResults(uint32_t count);
  std::vector<V> eitherOf(const std::vector<V>& a, llvm::BasicBlock* fromA, const std::vector<V>& b,
                          llvm::BasicBlock* fromB);
  V orZeros(V pointer);  ///< the null table's zeros in place of null
  /// What a view or sampler has for code, whose kind may be known: field() gives constants then.
  V directView(isa::Operand handle, V view);
  V directSampler(isa::Operand handle);
  V has(V view, abi::DirectView::Has routine, V pointer);
  llvm::AllocaInst* words(llvm::AllocaInst*& all, uint32_t count);
  /// A way of doing without the texture unit: when it may be taken (i1), and the words that it gives.
  struct DirectWay {
    V possible;
    std::function<std::vector<V>()> words;
  };
  void directly(const isa::Inst& inst, const DirectWay& way);
  void elseByCall(const isa::Inst& inst, const std::vector<V>& found, llvm::BasicBlock* here, llvm::BasicBlock* call,
                  llvm::BasicBlock* done);

  // emit_fetch.cpp
  struct TexelPlaces {
    V texels, pitch, logBytes;   ///< abi::DirectView
    V offset, inside = nullptr;  ///< by lane: bytes from `texels`; i1, null: all are inside of the image
  };
  struct Component {
    V shift, mask, power, rest, constant;  ///< abi::DirectView::Component
  };
  std::optional<DirectWay> directWay(const isa::Inst& inst);
  TexelPlaces placesOfTexels(const isa::Inst& inst, V direct);

  // emit_texel_stores.cpp
  /// Whether all lanes store, to neighbours in a row of the image (i1), and where its first texel lies.
  struct TexelRow {
    V whole, first;
  };
  bool writesTexels(const isa::Inst& inst) const;
  void writeTexels(const isa::Inst& inst);
  bool areNeighbours(const isa::Inst& inst) const;
  TexelRow rowOfNeighbours(const isa::Inst& inst, V direct);
  TexelRow rowOfPlaces(const TexelPlaces& places);
  void writeCodes(const isa::Inst& inst, V direct, V first);
  V codesOf(V direct, V numbers);
  void callWriter(const isa::Inst& inst, V view, V direct, const TexelPlaces& places);

  // emit_texel_atomics.cpp
  bool changesTexels(const isa::Inst& inst) const;
  void changeTexels(const isa::Inst& inst);

  // emit_texels.cpp
  struct TexelFormat {
    V direct;
    V converted, srgb, word;  ///< i1: whether texels are converted here; whether they are sRGB (null: they are not), or
                              ///< words as they are
    Component component[4];
  };
  TexelFormat formatOf(V direct);
  std::vector<V> texelsAt(const TexelPlaces& places, const TexelFormat& format, V view, V read);
  std::vector<V> callReader(const TexelPlaces& places, V view, V read);
  void readTexels(const TexelPlaces& places, V view, V read);
  V loadTexels(const TexelPlaces& places);
  std::vector<std::pair<V, llvm::BasicBlock*>> loadNeighbours(const TexelPlaces& places, V first,
                                                              llvm::BasicBlock* loaded);
  V rowOfNeighbours(const TexelPlaces& places, V first, uint32_t row, uint32_t bytes);
  V loadRow(const TexelPlaces& places, V first, uint32_t bytes);
  V loadApart(const TexelPlaces& places);
  V maskedWord(const Component& c, V texels);
  V numberOf(const Component& c, V texels);
  std::vector<V> colorsOf(const TexelFormat& format, V texels);
  /// The same of two samples of one image. \returns the words of the first, then those of the second
  std::vector<V> colorsOfBoth(const TexelFormat& format, const V (&texels)[2]);

  // emit_linear.cpp
  std::array<V, 3> linearOf(const TexelFormat& format, V texels);
  std::vector<V> linearOfBoth(const TexelFormat& format, const V (&texels)[2]);
  std::array<V, 3> linearApart(const TexelFormat& format, V texels);
  V codesOf(V texels, V shift, V mask);
  V codesOf(V texels, uint32_t shift, uint32_t mask);
  V curveOf(V codes);
  std::array<V, 3> callLinear(const TexelFormat& format, V texels);
  llvm::Function* linearFunction();
  V linearOfCodes(V table, V codes);

  // emit_sample.cpp
  /// What is the same along an axis in all lanes: null `offset`: there is none. `middle`: where between two texels a
  /// footprint begins; `last`: the last texel at which it may.
  struct AxisRule {
    V size, scale, kept, clamps, offset, middle, last;
    V end;  ///< where there is a right neighbour: the last texel, which has none
  };
  struct FootprintAxis {
    V first, bad;    ///< the first texel; negative where one is not inside of the image
    V rest, tooFar;  ///< how far behind its middle the place is; negative where that is not known
    AxisRule rule;
  };
  struct FoundFootprints {
    FootprintAxis axis[2];
    uint32_t axes;
    TexelPlaces places;  ///< of nearest texels, all inside
    V inside;            ///< i1: all nearest texels are inside
    V nearest, known;    ///< i1: one texel each; all is known of them, and no other level is read
    V read;              ///< abi::ReadTexels of nearest texels, abi::ReadFootprints, or abi::CompareFootprints
  };
  /// Footprints of four texels each.
  struct WeighedFootprints {
    TexelPlaces places;  ///< of first texels, all inside
    V inside;            ///< i1: all texels are inside
    V weight[2][2];      ///< by axis
  };
  bool readsFootprints(const isa::Inst& inst) const;
  bool readsFirstLevel(const isa::Inst& inst) const;
  FoundFootprints findFootprints(const isa::Inst& inst, V texels);
  void findPlaces(const isa::Inst& inst, V texels, V sampler, V two, FoundFootprints& f);
  WeighedFootprints weighBefore(const FoundFootprints& f);
  WeighedFootprints weighFootprints(const FoundFootprints& f);
  void placeByRules(const isa::Inst& inst, AxisRule (&rules)[2], FoundFootprints& f);
  V allInside(V bad, V& everywhere);
  void placeFootprints(TexelPlaces& p, V x, V y, V everywhere);
  void putFootprints(const WeighedFootprints& f);
  void callFilter(V view, const FoundFootprints& f, const WeighedFootprints& w);
  bool isLeftToLater(const isa::Inst& inst) const;
  std::ptrdiff_t countSamples();
  bool loadsNearest();
  void sampleFootprints(const isa::Inst& inst, V view, V texels, const FoundFootprints& f, llvm::BasicBlock* more,
                        V squares, const std::function<void(llvm::BasicBlock* sampled)>& nearest);
  void readFootprints(const isa::Inst& inst);
  void compareFootprints(const isa::Inst& inst);
  V keptBits(V size, V repeats);
  FootprintAxis footprintAxis(V coordinate, const AxisRule& rule);

  // emit_filter.cpp
  bool weighsTexels(const isa::Inst& inst);
  bool filtersTexels(const isa::Inst& inst, const FoundFootprints& found);
  std::vector<WeighedFootprints> weighInside(llvm::ArrayRef<FoundFootprints> found, llvm::BasicBlock* outside);
  void prefetchRight(const TexelPlaces& places);
  struct WeighedTexels {
    bool share = false;              ///< two texels of a row are one register
    std::vector<V> texels, weights;  ///< by register, row by row
  };
  void loadWeighed(const WeighedFootprints& w, uint32_t logBytes, WeighedTexels& all);
  void addPair(const std::array<V, 2>& texels, const std::array<V, 2>& weights, WeighedTexels& all);
  V weighedSum(const WeighedTexels& all, const std::function<V(size_t at)>& number);
  std::vector<V> filterTexels(const isa::Inst& inst, V direct, llvm::ArrayRef<WeighedFootprints> levels);
  std::vector<V> mixTexels(const isa::Inst& inst, V direct, llvm::ArrayRef<WeighedFootprints> levels,
                           const V (&weight)[2]);
  std::vector<V> sumsOf(const isa::Inst& inst, V direct, const WeighedTexels& all);
  void readFiltered(const isa::Inst& inst, V view, V texels, const FoundFootprints& f, llvm::BasicBlock* more,
                    V squares);

  // emit_two_levels.cpp
  struct SelectedLevels {
    V number[2];       ///< i32
    V weight[2] = {};  ///< nulls: the first alone is read
  };
  bool saysLevel(const isa::Inst& inst) const;
  bool readsNearest(const isa::Inst& inst) const;
  bool findsLevels(const isa::Inst& inst);
  bool readsSaidLevel(const isa::Inst& inst);
  V halfLog2(V x);
  V predicted(V number);
  SelectedLevels selectLevels(const isa::Inst& inst, V texels, V squares, llvm::BasicBlock* apart);
  FoundFootprints footprintsOf(const isa::Inst& inst, V texels, V number);
  std::vector<V> readLevels(const isa::Inst& inst, V view, V texels, V squares);

  // emit_levels.cpp
  bool asksView(const isa::Inst& inst) const;
  V callLevels(const isa::Inst& inst, V view, V routine);
  void sampleLevels(const isa::Inst& inst, V view, V texels, llvm::BasicBlock* call, llvm::BasicBlock* load);
  std::vector<V> askedWords(const isa::Inst& inst, V view, V texels);
  void askView(const isa::Inst& inst);
  struct KnownSample {
    abi::DirectView::Kind view;
    abi::DirectSampler sampler;
    /// Whether the view has one level, which is all that the sampler asks for, or else a first one.
    bool hasOne() const {
      return view.has & abi::DirectView::kNearest && sampler.filter != abi::DirectSampler::Filter::Other;
    }
    bool hasFirst() const {
      constexpr uint32_t kBoth = abi::DirectView::kFirstNearest | abi::DirectView::kFirstBilinear;
      return (view.has & kBoth) == kBoth && sampler.first != abi::DirectSampler::Filter::Other;
    }
  };
  std::optional<KnownSample> whatIsBound(const isa::Inst& inst) const;
  std::optional<KnownSample> knownSample(const isa::Inst& inst) const;
  bool mayMagnify(const isa::Inst& inst) const;
  bool readsOneLevel() const;
  V squaredSides(const isa::Inst& inst, V texels);
  V areWithinTexels(V squares);
  void whereWithinTexels(V within, llvm::BasicBlock* more);

  // emit_sample_pairs.cpp
  std::optional<uint32_t> partnerOf(uint32_t sample, std::vector<uint32_t>& before) const;
  /// Which instruction, and the strand that runs it.
  struct SampleOfStrand {
    uint32_t index, strand;
  };
  bool readPair(const isa::Inst& inst);
  bool readGroups(const isa::Inst& inst);
  const isa::Inst& begin(const SampleOfStrand& s);
  void setResults(llvm::ArrayRef<SampleOfStrand> samples, llvm::ArrayRef<V> words);
  void readBoth(const std::array<SampleOfStrand, 2>& samples, V second);
  std::vector<V> readApart(V second, const std::function<std::vector<V>(uint32_t sample)>& read);

  // emit_gathers.cpp
  bool gathersTexels(const isa::Inst& inst) const;
  void gatherTexels(llvm::ArrayRef<SampleOfStrand> gathers, V second);
  std::array<V, 2> loadPairs(const TexelPlaces& places, uint32_t logBytes, uint32_t row);
  std::array<V, 2> loadSmallPairs(const TexelPlaces& places, V base, uint32_t logBytes);

  // emit_multisample.cpp
  /// The pixels of a fetch: the first one's x and y; i1: whether they lie side by side in a tile.
  struct TilePlace {
    V first[2], together;
  };
  /// An image that is fetched from. `exists`, i1: its tiles, and the samples. Where it is `known`, i1, the pixels are
  /// inside of a tile and of the image, and lookAtTile() gives the rest: the tile's state, i1: whether it is clear.
  struct SampledImage {
    V view, direct, exists, known;
    V states, state = nullptr, clear = nullptr;
  };
  bool inQuads() const;
  std::array<llvm::Constant*, 2> pixelsOfLanes();
  TilePlace tilePlace(const isa::Inst& inst);
  SampledImage sampledImage(const isa::Inst& inst, const TilePlace& place, V samples);
  void findTiles(SampledImage& image, isa::Operand handle);
  V lookAtTile(SampledImage& image, const TilePlace& place);
  std::vector<V> onlyColors(const SampledImage& image, const TilePlace& place);
  bool fetchesAlone(const isa::Inst& inst);
  void fetchSample(const isa::Inst& inst);
  bool beginsSamples() const;
  V callSamples(const SampledImage& image, const isa::Operand (&place)[2], V samples, V result);
  V unlessShared(V exists);
  V samplesInMemory(std::vector<llvm::AllocaInst*>& all, uint32_t image);
  /// Samples in memory: word c of sample s at 4 * s + c; i32: those that show what the one of them before shows.
  struct ReadSamples {
    V at, same;
  };
  ReadSamples readSamples(const SampleGroup& group, uint32_t image, const SampledImage& from);
  std::vector<V> colorsInMemory(V memory, V sample);
  void emitSamples();
  bool fetchOfGroup(const isa::Inst& inst);

  // emit_sample_loops.cpp
  void beginSampleLoop(const SampleLoop& loop);
  bool skipsSamples() const;
  void emitSkipped();
  bool fetchOfLoop(const isa::Inst& inst);
  V sampleNumber(const isa::Inst& fetch);

  // emit_memory.cpp
  struct Range {
    V base = nullptr, size = nullptr;  ///< ptr and i64, or an address and a size per lane
  };
  /// A load or store: `bytes` per element, `total` per lane, `words` registers per element.
  struct Access {
    Range range;
    isa::Operand offset;
    uint32_t imm = 0, bytes = 0, total = 0, words = 1;
    uint32_t count = 1;             ///< elements
    bool turns = false;             ///< elements' offsets may turn over 2^32 after the first
    bool checked = true;            ///< the range says where memory ends: false of addresses
    bool inside = false;            ///< certainly, in all lanes that run
    bool anyLane = false;           ///< and in others, too
    bool readOnly = false;          ///< nothing is written there, or not before the next barrier
    bool halves = false;            ///< only floats of 16 bits are read from it
    bool near = false;              ///< distances of places are those of addresses
    bool streams = false;           ///< later rounds read what lies behind it (analysis/streams.h)
    bool turned = false;            ///< word w of all lanes is what lane w has (analysis/turned_matrices.h)
    llvm::Type* element = nullptr;  ///< what is moved at once: at most a word
  };
  /// One lane's access: where its range begins, the access's first byte in it, the bytes of the range.
  struct LaneAccess {
    V base, at, size;
  };
  /// One element of all lanes.
  struct Cells {
    V base, index, inside;  ///< pointer or pointers, bytes from there by lane, i1 by lane
  };
  Cells cellsOf(const Access& a, uint32_t e, V now);
  /// Accesses of all lanes.
  struct LaneCells {
    V address, inside;  ///< i64 and i1 by lane
  };
  LaneCells laneCells(const Access& a, uint32_t bytes, V now);
  llvm::AllocaInst* inMemory(V vector);
  V laneIn(llvm::AllocaInst* lanes, V lane);
  bool rangeOf(const isa::Inst& inst, Range& range);
  Range bufferRange(isa::Operand handle);
  Range wideBufferRange(isa::Operand address);
  V viewOf(isa::Operand handle);     ///< the handle is uniform
  V samplerOf(isa::Operand handle);  ///< likewise
  V imageSlot(isa::Operand handle);  ///< likewise
  V slotOf(V handle);                ///< likewise
  template <class T, class Read>
  const T* hoisted(isa::Operand handle, std::map<uint32_t, T>& all, Read read);
  Range uniformRange(V handle);
  Range varyingRange(V handle);
  std::optional<uint32_t> constantHandle(isa::Operand o) const;
  V table();
  llvm::LoadInst* invariant(llvm::LoadInst* load);
  V startOf(const Access& a, bool known = true);
  V firstPlace(const Access& a);
  bool memory(const isa::Inst& inst, uint32_t i);
  V inRow(const Access& a, V mask);
  bool isInside(const isa::Inst& inst, uint32_t total) const;
  bool pushConstant(const isa::Inst& inst);
  V pushed(uint32_t at);  ///< the word that begins there, read at the top
  void loadUniform(const isa::Inst& inst, const Access& a);
  std::vector<V> widened(std::vector<V> numbers);
  std::vector<V> loadLanes(const Access& a);
  V loadEach(llvm::Type* element, V base, const Cells& cells);
  V wordsNearby(const Access& a, V now);
  std::vector<V> gatherLanes(const Access& a, V now);
  std::vector<V> loadElements(const Access& a);
  V zerosInMemory();
  bool wideLoad(const isa::Inst& inst, const Access& a);
  std::optional<Shape> placesOf(const Access& a) const;
  struct Way {
    std::function<V()> condition;  ///< i1
    std::function<std::vector<V>()> load;
    bool isLikely = false;
  };
  // emit_rows.cpp
  bool isNeighbour(uint32_t bytes) const;
  void fetchAhead(V p, uint32_t bytes);
  void fetch(V p, uint32_t bytes = 1, uint32_t cache = 3);
  V growthOf(isa::Operand o, const NextRound& next);
  void fetchNextRound(V p, const Access& a, const Shape& lie);
  bool givesHalves(const isa::Inst& load) const;
  std::vector<V> partsOf(const std::vector<V>& holders, uint32_t bitsOfHolder, uint32_t bits);
  bool readsOnly(uint32_t at) const;
  std::vector<V> loadRows(V p, const Access& a, const Shape& shape);
  std::vector<V> loadCovered(V p, uint32_t bits, uint32_t n, const Shape& shape, bool halves);
  std::vector<V> loadEights(V p);
  using LoadOfLane = std::function<V(uint32_t lane, llvm::Type* type)>;
  std::vector<V> joinLanes(llvm::Type* element, uint32_t n, const LoadOfLane& of);
  // emit_pairs_of_rows.cpp
  void findPairsOfRows();
  bool areFree(uint32_t first, uint32_t last, uint32_t web) const;
  void findWidened(const WideLoad& pair, uint32_t load, const std::multimap<uint32_t, uint32_t>& readers);
  std::vector<V> loadPairOfRows(const Access& a);
  void setRowsOfPair(uint32_t load, uint32_t part);
  bool widenPair();
  // emit_anywhere.cpp
  std::vector<V> firstOf(uint32_t words, const std::vector<Way>& ways);
  std::vector<V> loadAnywhere(const Access& a, V now);
  std::vector<V> loadWindow(const Access& a, V start, V apart);
  // emit_stores.cpp
  void store(const isa::Inst& inst, const Access& a, const std::vector<V>& values);
  bool wideStore(const isa::Inst& inst, Access a);
  void storeWords(const Access& a, V mask, const std::vector<V>& words);
  std::vector<V> sideBySide(llvm::Type* element, const std::vector<V>& words);
  void storeRows(V p, llvm::Type* element, const std::vector<V>& words);
  V roomOf(const Access& a);
  void storeQuads(const Access& a, V mask, const std::vector<V>& words, const std::function<void()>& each);
  std::vector<V> turned(std::vector<V> words);
  void storeApart(V p, llvm::Type* element, const std::vector<V>& words, uint32_t stride, bool isTurned);
  void storeEach(const isa::Inst& inst, const Access& a, V mask, const std::vector<V>& values);
  void storeElements(const isa::Inst& inst, const Access& a, const std::vector<V>& values, V lane);
  // emit_memory.cpp
  LaneAccess laneAccess(const Access& a, V lane);
  void forEachLane(V mask, const std::function<void(V lane)>& body);

  // emit_atomic.cpp
  V atomicOfLanes(const isa::Inst& inst, llvm::Type* number, V address, V now, V value, V compare);
  bool atomic(const isa::Inst& inst);
  V atomicStep(const isa::Inst& inst, llvm::Type* bits, V p, V value, V compare);
  V groupsOwnStep(const isa::Inst& inst, llvm::Type* bits, V p, V value, V compare);
  V floatNext(const isa::Inst& inst, V old, V value);
  V floatAtomic(const isa::Inst& inst, V p, V value);

  // emit_atomic_of_all.cpp
  bool atomicOfAll(const isa::Inst& inst, const Access& a, V value);
  V sumsBefore(V values);
  V atomicAsReduced(const isa::Inst& inst, V address, V value);

  // emit_delayed_atomics.cpp
  void putOff(const isa::Inst& inst, uint32_t slot, isa::ReduceOp step, V address, V value);
  void putOffEach(const isa::Inst& inst, isa::ReduceOp step, V address, V now, V value);

  // emit_records.cpp
  bool interleaved(const isa::Inst& inst);
  bool record(const isa::Inst& inst);
  void geometry(const isa::Inst& inst);
  bool samplePosition(const isa::Inst& inst);

  // emit_scale.cpp
  bool scale(const isa::Inst& inst);
  bool loadExponent(const isa::Inst& inst);
  bool splitExponent(const isa::Inst& inst);
  bool convertInexactly(const isa::Inst& inst);
  V narrowTowardZero(V a);

  void setElement64(const isa::Inst& inst, V value);

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  Webs webs_;                    ///< does not change once turnMatrices() has seen it
  const isa::Program& program_;  ///< its Temp operands name webs
  const BoundKinds& bound_;
  const std::vector<Constant> constants_;  ///< per web
  const Copies copies_;
  const Uses uses_;
  const Divergence divergence_;
  const std::vector<bool> turned_;  ///< by instruction: loads and stores of turned matrices; or empty
  const Bounds bounds_;
  const std::vector<uint32_t> regions_;  ///< by instruction: what it runs with between barriers
  const std::vector<bool> quiet_;        ///< by instruction: nothing there writes workgroup memory
  const bool fragments_;                 ///< whether there is a function for several groups of fragments
  const Crowd crowd_;
  const std::map<uint32_t, ManySums> someSums_;  ///< before it is known where crowds run
  const Strands found_;
  const std::map<uint32_t, CountedLoop> countedLoops_;
  const CountedLoop* inside_ = nullptr;  ///< the loop that is emitted, where its loads are inside of their buffers
  const std::set<uint32_t> streams_;     ///< loads
  const std::map<uint32_t, NextRound> nextRounds_;
  const std::map<uint32_t, uint32_t> delayedAtomics_;  ///< those that may be put off, with their slots or kOwnPlaces
  const std::map<uint32_t, ManySums> manySums_;
  const Staying staying_;
  std::set<uint32_t> brought_;  ///< webs that stay in memory, but for the loop that is emitted
  const std::map<uint32_t, SampleGroup> sampleGroups_;
  const std::map<uint32_t, SampleLoop> sampleLoops_;
  const std::vector<WideLoad> wideLoads_;
  struct WideWord {
    uint32_t load, word;  ///< of which wide load, which of its words
  };
  std::map<uint32_t, WideWord> wideWords_;  ///< by instruction
  const std::vector<WideStore> wideStores_;
  std::map<uint32_t, uint32_t> wideStored_;  ///< by instruction: which of them it is part of
  /// Numbers of two matrices side by side that become floats where products read pairs of words.
  struct WidenedPair {
    uint32_t load, word;  ///< of which wide load, which word of its matrices
    uint32_t low, high;   ///< the instructions, of which the first one is emitted for both
  };
  std::map<uint32_t, WidenedPair> widened_;          ///< by the first instruction of each
  std::set<uint32_t> rowsInPlace_;                   ///< wide loads that go where products read pairs of words
  const std::map<uint32_t, ProductGroup> products_;  ///< by the first of each group
  /// Words that lie in memory one after the other, or pairs of words.
  struct Run {
    bool ofPairs, isUndefined;  ///< `isUndefined`: some way to a read has no write
    uint32_t words;             ///< or pairs
    llvm::AllocaInst* home = nullptr;
  };
  struct Place {
    uint32_t run, word, half;
  };
  std::vector<Run> runs_;
  std::map<uint32_t, Place> places_;   ///< by web: those that lie in runs
  std::map<uint32_t, uint32_t> kept_;  ///< by web: those that are always in the warp's memory, where barriers want them
  std::map<uint32_t, std::vector<llvm::AllocaInst*>> wideResults_;  ///< by wide load
  uint32_t anywhere_ = 0;  ///< loads that have ways of their own for lanes that lie in no row
  uint32_t nearby_ = 0;    ///< those of single words
  /// Words that lie in memory, while nobody writes them: from `block` on, up to instruction `at`.
  struct RowsInMemory {
    llvm::BasicBlock* block = nullptr;
    uint32_t at = 0, count = 0;
    llvm::AllocaInst* home = nullptr;
  };
  std::map<std::pair<uint32_t, uint32_t>, RowsInMemory> rowsInMemory_;  ///< by the webs of the first word of each half
  const std::vector<std::vector<Webs::Live>> saved_;                    ///< per barrier
  IR ir_;
  llvm::Function* function_;
  llvm::Type* wordsTy_;
  llvm::Type* maskTy_;
  llvm::BasicBlock* entry_;
  llvm::Instruction* allocaPoint_ = nullptr;
  llvm::BasicBlock* finish_ = nullptr;
  V code_ = nullptr, warp_ = nullptr, dispatch_ = nullptr, functions_ = nullptr, cancel_ = nullptr;
  // Programs with barriers
  llvm::AllocaInst* current_ = nullptr;           ///< the warp whose turn it is
  llvm::AllocaInst* left_ = nullptr;              ///< warps that are not done; 0 when there is only one
  llvm::BasicBlock* turn_ = nullptr;              ///< goes on with `current_` where it was
  llvm::BasicBlock* next_ = nullptr;              ///< the next warp's turn
  std::map<uint32_t, llvm::BasicBlock*> nextOf_;  ///< that of the warp so many further
  V endOfWarps_ = nullptr;
  const Host& host_;
  // Programs for several groups of fragments
  llvm::BasicBlock* start_ = nullptr;       ///< begins a round
  llvm::AllocaInst* groupsLeft_ = nullptr;  ///< that have not run
  llvm::AllocaInst* killed_ = nullptr;      ///< abi::FragmentGroups::killed
  V lanes_ = nullptr;                       ///< where the group's lanes are in words of 64 bits
  V second_ = nullptr;                      ///< i1: whether a pair of groups has two
  V position_[2] = {}, color_ = nullptr;    ///< the group's part of abi::FragmentGroups; places of a pair's
  std::map<abi::SysValue, V> planeValues_;  ///< what findPlaneValues() has, of the group
  llvm::AllocaInst* exec_ = nullptr;
  llvm::AllocaInst* status_ = nullptr;
  std::vector<llvm::AllocaInst*> temps_;  ///< per web
  // Warps side by side
  struct Strand {
    V warp = nullptr;
    llvm::AllocaInst* exec = nullptr;
    V lanes = nullptr, color = nullptr, position[2] = {};
    std::map<abi::SysValue, V> planeValues;
    std::vector<llvm::AllocaInst*> temps;
    std::map<uint32_t, std::vector<llvm::AllocaInst*>> wideResults;
  };
  llvm::Function* oneByOne_ = nullptr;          ///< the function without strands; null: this is it
  std::vector<Strand> strands_;                 ///< all but `strand_`'s, whose values the members hold
  std::map<size_t, std::vector<Strand>> idle_;  ///< by their number: of those that run elsewhere between barriers
  std::optional<uint32_t> only_;                ///< the pair of a crowd that code is emitted for
  bool commonMade_ = false;                     ///< what pairs have in common is there already
  uint32_t strand_ = 0;
  bool pairs_ = false;                             ///< two strands share registers
  uint32_t width_ = kWarpLanes;                    ///< lanes of vectors that are emitted now
  std::map<uint32_t, Range> ranges_;               ///< descriptors that are read at the top, by handle
  std::map<uint32_t, V> views_;                    ///< likewise
  std::map<uint32_t, V> slots_;                    ///< likewise
  std::map<V, std::span<const std::byte>> known_;  ///< the first bytes of what pointers point to
  std::map<uint32_t, V> pushed_;                   ///< push constants that are read at the top, by word
  llvm::AllocaInst* zeros_ = nullptr;              ///< eight bytes of zeros
  V table_ = nullptr;                              ///< Space::Table
  bool endingLoops_ = false;
  bool base_ = false;  ///< values that grow by lane are read as lane 0's
  std::vector<Scope> scopes_;
  uint32_t barriers_ = 0;  ///< met so far
  llvm::SwitchInst* resumeSwitch_ = nullptr;
  uint32_t index_ = 0;       ///< instruction being emitted
  std::vector<bool> early_;  ///< by instruction: emitted before its turn
  std::vector<uint32_t> interpreted_;
  llvm::AllocaInst* argumentBlock_ = nullptr;
  std::ptrdiff_t samples_ = -1;  ///< instructions that read footprints; negative: not counted yet
  static constexpr uint32_t kArgumentWords = 40, kResultWords = 12;
  llvm::AllocaInst* resultBlock_ = nullptr;
  llvm::AllocaInst* footprints_ = nullptr;
  llvm::AllocaInst* handleBlock_ = nullptr;
  llvm::AllocaInst* samplerBlock_ = nullptr;
  llvm::Function* linearFunction_ = nullptr;
  /// The group of fetches that is emitted, and what they give: colours by image, or where all samples lie, by image.
  struct Copy {
    const SampleGroup* group = nullptr;
    std::vector<std::vector<V>> shown;
    std::vector<V> memory;
  } copy_;
  std::vector<llvm::AllocaInst*> sampleBlocks_;  ///< by image of a group
  /// The loop over samples that has begun last, and what was read before its first round.
  struct LoopSamples {
    const SampleLoop* loop = nullptr;
    std::vector<V> count;              ///< by image: samples that were read, none where nobody could
    V same = nullptr;                  ///< i32: samples that show in all images what the one before shows
    llvm::AllocaInst* last = nullptr;  ///< the last round's sample
  } loopSamples_;
  std::vector<llvm::AllocaInst*> loopBlocks_;  ///< by image of a loop over samples
  std::ptrdiff_t fetches_ = -1;                ///< of samples; negative: not counted yet
};

}  // namespace etzel::native
