#include "compiler/exec/native/analysis/strands.h"

#include <algorithm>
#include <map>

#include "compiler/exec/native/analysis/agreement.h"
#include "compiler/exec/native/analysis/regions.h"
#include "compiler/isa/info.h"
#include "runtime/abi/groups_abreast.h"
#include "runtime/abi/tex_inst.h"

namespace etzel::native {

using isa::Bank;
using isa::Inst;
using isa::Opcode;
using isa::Operand;
using isa::Space;

namespace {

/// Longer programs take their time for other reasons, and compiling them twice costs.
constexpr size_t kMostInstructions = 256;
constexpr size_t kMostBetweenBarriers = 2048;
/// From a place back to the invocation's number.
constexpr uint32_t kMostSteps = 8;
/// Each store's is compared with all others when the program runs.
constexpr size_t kMostBuffers = 8;

class Search {
 public:
  Search(const Webs& webs, const Divergence& divergence, const Bounds& bounds, const std::vector<Constant>& constants)
      : webs_(webs), program_(webs.program), divergence_(divergence), bounds_(bounds), constants_(constants) {}

  Strands run(uint32_t vectors) {
    const abi::ProgramInfo& info = program_.info;
    if (info.stage != abi::Stage::Compute || info.usesBarrier || program_.code.size() > kMostInstructions ||
        abi::groupsLieAbreast(info))
      return {};
    if (!hasLoops() || !fitsAll() || !findBuffers()) return {};
    findShared();
    Strands s;
    const uint32_t warps = info.localSize[0] * info.localSize[1] * info.localSize[2] / kWarpLanes;
    // What is not used in loops may lie in memory, so half as many values again find room.
    const uint32_t room = vectors * 3 / 2 / (mostLive() + 1);
    const uint32_t most = std::min({kMostStrands, room, warps, sharingOfBranches()});
    while (2 * s.count <= most) s.count *= 2;
    while (s.count > 1 && !readsOwnOnly(s.count)) s.count /= 2;
    if (s.count == 1) return s;
    takeShared(s);
    for (const auto& [handle, store] : stored_) s.stored.push_back(program_.code[store].src[0]);
    for (const auto& [handle, loads] : loaded_)
      if (!stored_.count(handle)) s.loaded.push_back(program_.code[loads[0]].src[0]);
    return s;
  }

  Strands betweenBarriers(const Crowd& crowd, const std::map<uint32_t, ManySums>& sums) {
    const abi::ProgramInfo& info = program_.info;
    constexpr uint32_t kPair = 2, kWorth = 32;
    const uint32_t invocations = info.localSize[0] * info.localSize[1] * info.localSize[2];
    if (info.stage != abi::Stage::Compute || !info.usesBarrier || program_.code.size() > kMostBetweenBarriers ||
        program_.code.back().op == Opcode::Barrier || abi::groupsLieAbreast(info) || invocations % (kPair * kWarpLanes))
      return {};
    // What products of matrices read and write lies in memory, a warp's by itself.
    const auto multiplies = [](const Inst& inst) { return inst.op == Opcode::SgProduct; };
    if (std::any_of(program_.code.begin(), program_.code.end(), multiplies)) return {};
    const std::vector<uint32_t> regions = findRegions(program_, divergence_);
    findShared();
    partShared(regions);
    findWork(regions);
    for (const auto& [loop, many] : sums) {
      work_[regions[loop]].adds |= many.fitsCrowd;
      work_[regions[loop]].fitsCrowd &= many.fitsCrowd;
    }
    Strands s;
    for (const uint32_t region : regions) {
      const Work& work = work_[region];
      const bool alone = work.weight < kWorth || !work.seesOnlyItself();
      const bool together = crowd.possible && work.fitsCrowd && (work.fills || work.adds);
      s.together.push_back(static_cast<uint8_t>(alone ? 1 : together ? kCrowd : work.fits ? kPair : 1));
      s.count = std::max<uint32_t>(s.count, s.together.back());
    }
    if (s.count == 1) return {};
    takeShared(s);
    return s;
  }

  Strands ofGroups(const GroupWays& ways) {
    if (!std::all_of(program_.code.begin(), program_.code.end(), fitsGroups)) return {};
    const std::optional<Samples> samples = countSamples();
    if (!samples) return {};
    const bool mostlyReads = ways.readTogether && !hasLoops() && samples->haveFewOthers();
    if (!mostlyReads && !samples->haveManyOthers()) return {};
    // What else has no loops processors overlap by themselves.
    if (!mostlyReads && !ways.join && (!hasLoops() || 2 * (mostLive() + 1) > ways.vectors)) return {};
    findShared();
    Strands s;
    s.count = std::min(2U, sharingOfBranches());
    if (s.count == 1) return s;
    s.inTurns = mostlyReads || !ways.join;
    takeShared(s);
    return s;
  }

 private:
  bool hasLoops() const {
    return std::any_of(program_.code.begin(), program_.code.end(),
                       [](const Inst& inst) { return inst.op == Opcode::Loop; });
  }

  /// What findShared() found, for as many strands as there are.
  void takeShared(Strands& s) {
    for (uint32_t& shared : shared_) shared = std::min(shared, s.count);
    s.shared = std::move(shared_);
  }

  /// Bytes that a load or store may touch, in workgroup memory or in any of the buffers.
  struct Touched {
    Opcode op;
    Space space;
    uint64_t first, end;
    bool meets(const Touched& o) const { return space == o.space && first < o.end && o.first < end; }
  };
  /// What lies between barriers.
  struct Work {
    bool fits = true, fitsCrowd = true;
    bool fills = false;   ///< stores in a loop, by any two invocations to two places
    bool adds = false;    ///< has sums for crowds
    uint32_t weight = 0;  ///< about how many numbers each lane computes
    std::vector<Touched> touched;
    /// Whether nothing that one warp stores is what another one loads, or stores by another instruction.
    bool seesOnlyItself() const {
      for (const Touched& store : touched)
        for (const Touched& other : touched)
          if (store.op == Opcode::St && &store != &other && store.meets(other)) return false;
      return true;
    }
  };

  void findWork(const std::vector<uint32_t>& regions) {
    constexpr uint32_t kRounds = 8;
    std::vector<uint32_t> loops;
    for (uint32_t i = 0; i < program_.code.size(); ++i) {
      const Inst& inst = program_.code[i];
      Work& work = work_[regions[i]];
      if (inst.op == Opcode::Loop) loops.push_back(i);
      if (inst.op == Opcode::EndLoop) loops.pop_back();
      work.fits &= fitsBetweenBarriers(inst), work.fitsCrowd &= fitsBetweenBarriers(inst);
      if (isa::isArithmetic(inst.op)) work.weight += loops.empty() ? 1 : kRounds;
      if (jumps(i)) work.fits &= sharing(inst.src[0], 1) > 1;
      if (inst.op != Opcode::Ld && inst.op != Opcode::St) continue;
      const auto space = static_cast<Space>(inst.sub);
      if (space != Space::Buffer && space != Space::Shared) continue;
      Touched touched{inst.op, space, 0, UINT64_MAX};
      const uint32_t most = bounds_.most(inst.src[1], i);
      if (space == Space::Shared && most != Bounds::kNone) {
        touched.first = inst.imm;
        touched.end = uint64_t{most} + inst.imm + uint64_t{inst.count} * isa::typeBytes(inst.type);
      }
      work.touched.push_back(touched);
      if (inst.op != Opcode::St || std::all_of(loops.begin(), loops.end(), [&](uint32_t l) { return meetsBarrier(l); }))
        continue;
      const bool apart = space == Space::Shared && storesApart(webs_, bounds_, i);
      work.fits = false, work.fitsCrowd &= apart, work.fills |= apart;
    }
  }

  static bool fitsBetweenBarriers(const Inst& inst) {
    switch (isa::opInfo(inst).native) {
      case isa::Native::Flow: return inst.op != Opcode::Kill;
      case isa::Native::Move:
      case isa::Native::Float:
      case isa::Native::Scale:
      case isa::Native::Math:
      case isa::Native::Integer:
      case isa::Native::Convert: return true;
      case isa::Native::Lanes: return !isa::opInfo(inst).memory;
      case isa::Native::Memory:
        if (inst.op == Opcode::Ld || inst.op == Opcode::St) {
          const auto space = static_cast<Space>(inst.sub);
          return space == Space::Buffer || space == Space::Shared || space == Space::Push || space == Space::Table;
        }
        return inst.op == Opcode::Desc || inst.op == Opcode::BufSize;
      case isa::Native::Texture:
      case isa::Native::Call: return false;
    }
    return false;
  }

  /// Whether every round of a loop comes to a barrier.
  bool meetsBarrier(uint32_t loop) const {
    std::vector<Opcode> open;
    for (uint32_t i = loop + 1; i < program_.code.size(); ++i) {
      const Inst& inst = program_.code[i];
      if (isa::opensScope(inst.op)) open.push_back(inst.op);
      if (isa::closesScope(inst.op)) {
        if (open.empty()) return false;
        open.pop_back();
      }
      const auto isInside = [&](Opcode op) { return static_cast<uint32_t>(std::count(open.begin(), open.end(), op)); };
      if (inst.op == Opcode::Barrier && !isInside(Opcode::If) && !isInside(Opcode::Loop)) return true;
      // A branch to what lies in the loop may go around the barrier.
      if ((inst.op == Opcode::Br || inst.op == Opcode::BrC) && inst.imm < isInside(Opcode::Block)) return false;
    }
    return false;
  }

  /// Whether an instruction is a branch that all lanes of a warp take together.
  bool jumps(uint32_t i) const {
    const Inst& inst = program_.code[i];
    return (inst.op == Opcode::If && !divergence_.divergentIf[i]) || (inst.op == Opcode::BrC && divergence_.direct[i]);
  }

  /// Whether an instruction works on a group's own values, or on what no group changes.
  static bool fitsGroups(const Inst& inst) {
    switch (isa::opInfo(inst).native) {
      case isa::Native::Flow: return inst.op != Opcode::Barrier;
      case isa::Native::Move:
      case isa::Native::Float:
      case isa::Native::Scale:
      case isa::Native::Math:
      case isa::Native::Integer:
      case isa::Native::Convert: return true;
      case isa::Native::Lanes:
        switch (inst.op) {
          case Opcode::Sys:
          case Opcode::Helper:
          case Opcode::Flat:
          case Opcode::Intrp:
          case Opcode::Bary:
          case Opcode::Demote:
          case Opcode::DdxC:
          case Opcode::DdyC:
          case Opcode::DdxF:
          case Opcode::DdyF: return true;
          default: return false;
        }
      case isa::Native::Memory:
        if (inst.op == Opcode::Ld) {
          const auto space = static_cast<Space>(inst.sub);
          return space == Space::Push || space == Space::Table || space == Space::Buffer;
        }
        return inst.op == Opcode::Desc || inst.op == Opcode::BufSize;
      case isa::Native::Texture: {
        const auto tex = abi::TexInst::unpack(inst.imm);
        return !tex.multisampled && !tex.writesImage();
      }
      case isa::Native::Call: return false;
    }
    return false;
  }

  /// Samples of a program, and what else it computes.
  struct Samples {
    size_t count = 0, others = 0;
    bool haveFewOthers() const { return others <= 8 * count; }
    bool haveManyOthers() const { return others >= 5 * count; }
  };
  /// Nothing where textures are a reason to run groups one by one: each strand has the code of all samples for itself,
  /// and samples of one image can share registers in one strand (emit_sample_pairs.cpp).
  std::optional<Samples> countSamples() const {
    constexpr size_t kMost = 4;
    Samples samples;
    std::vector<uint32_t> images;  // by handle
    for (const Inst& inst : program_.code) {
      if (isa::isArithmetic(inst.op)) ++samples.others;
      if (isa::opInfo(inst).native != isa::Native::Texture) continue;
      const std::optional<uint32_t> handle = constantOf(webs_, constants_, inst.src[0]);
      if (!handle || std::find(images.begin(), images.end(), *handle) != images.end()) return {};
      images.push_back(*handle);
    }
    samples.count = images.size();
    if (samples.count > kMost) return {};
    return samples;
  }

  /// Whether all instructions do something with values of their own lanes, or with memory that findBuffers() looks at.
  bool fitsAll() const {
    return std::all_of(program_.code.begin(), program_.code.end(), [](const Inst& inst) {
      const auto isFree = [&] { return inst.dst.bank == Bank::Temp; };
      switch (isa::opInfo(inst).native) {
        case isa::Native::Flow: return inst.op != Opcode::Barrier && inst.op != Opcode::Kill;
        case isa::Native::Move:
        case isa::Native::Float:
        case isa::Native::Scale:
        case isa::Native::Math:
        case isa::Native::Integer:
        case isa::Native::Convert: return isFree();
        case isa::Native::Lanes: return inst.op == Opcode::Sys && isFree();
        case isa::Native::Memory:
          return inst.op == Opcode::Desc || inst.op == Opcode::BufSize || inst.op == Opcode::Ld ||
                 inst.op == Opcode::St;
        case isa::Native::Texture:
        case isa::Native::Call: return false;
      }
      return false;
    });
  }

  bool findBuffers() {
    uint32_t depth = 0;
    for (uint32_t i = 0; i < program_.code.size(); ++i) {
      const Inst& inst = program_.code[i];
      if (inst.op == Opcode::Loop) ++depth;
      if (inst.op == Opcode::EndLoop) --depth;
      if (inst.op != Opcode::Ld && inst.op != Opcode::St) continue;
      const auto space = static_cast<Space>(inst.sub);
      if (inst.op == Opcode::Ld && (space == Space::Push || space == Space::Table)) continue;
      if (space != Space::Buffer) return false;
      const std::optional<uint32_t> handle = constantOf(webs_, constants_, inst.src[0]);
      if (!handle) return false;
      if (inst.op == Opcode::Ld)
        loaded_[*handle].push_back(i);
      else if (depth || !stored_.emplace(*handle, i).second)
        return false;
    }
    return loaded_.size() + stored_.size() <= kMostBuffers;
  }

  /// Whether invocations read of the buffers that they write only the place that is theirs alone.
  bool readsOwnOnly(uint32_t count) const {
    return std::all_of(stored_.begin(), stored_.end(), [&](const auto& s) {
      const auto loads = loaded_.find(s.first);
      if (loads == loaded_.end()) return true;
      const Inst& store = program_.code[s.second];
      const std::optional<uint32_t> stride = distance(store.src[1], s.second, count, kMostSteps);
      constexpr uint32_t kFar = 1 << 16;  // places do not begin anew at 0
      if (!stride || *stride > kFar || store.src[1].bank != Bank::Temp ||
          *stride < store.count * isa::typeBytes(store.type))
        return false;
      return std::all_of(loads->second.begin(), loads->second.end(), [&](uint32_t i) {
        const Inst& load = program_.code[i];
        return load.src[1].bank == Bank::Temp && webs_.webOf(load.src[1]) == webs_.webOf(store.src[1]) &&
               load.imm == store.imm && load.type == store.type && load.count == store.count;
      });
    });
  }

  /// How far a value is from one invocation to the next one in `count` warps that follow one another; nothing where it
  /// may be anything.
  std::optional<uint32_t> distance(Operand o, uint32_t at, uint32_t count, uint32_t steps) const {
    if (sharing(o, 1) >= count) return 0;
    if (o.bank != Bank::Temp || steps == 0) return {};
    // Made once, in all invocations that read it.
    const auto& writes = bounds_.writes(webs_.webOf(o));
    if (writes.size() != 1 || writes[0] >= at || at > bounds_.until(writes[0]) || isInLoop(writes[0])) return {};
    const uint32_t made = writes[0];
    const Inst& inst = program_.code[made];
    if (inst.op == Opcode::Sys) {
      const auto v = static_cast<abi::SysValue>(inst.imm);
      const bool counts =
          v == abi::SysValue::LocalIndex || (abi::sysValueInfo(v).lanes == abi::SysLanes::Row && warpsOfRow() >= count);
      return counts ? std::optional<uint32_t>(1) : std::nullopt;
    }
    if (inst.type != isa::Type::I32) return {};
    const auto of = [&](uint32_t i) { return distance(inst.src[i], made, count, steps - 1); };
    const auto number = [&](uint32_t i) { return constantOf(webs_, constants_, inst.src[i]); };
    const std::optional<uint32_t> a = of(0);
    if (!a) return {};
    switch (inst.op) {
      case Opcode::IAdd:
        if (const auto b = of(1)) return *a + *b;
        return {};
      case Opcode::IMul:
        if (const auto factor = number(1)) return *a * *factor;
        return {};
      case Opcode::Shl:
        if (const auto by = number(1)) return *a << (*by & 31);
        return {};
      default: return {};
    }
  }

  bool isInLoop(uint32_t i) const {
    for (uint32_t scope = bounds_.opener(i); scope != kNoScope; scope = bounds_.opener(scope))
      if (program_.code[scope].op == Opcode::Loop) return true;
    return false;
  }

  /// How many strands share all words of an operand.
  uint32_t sharing(Operand o, uint32_t words) const {
    if (o.bank == Bank::Param || o.bank == Bank::Param2) return kMostStrands;
    if (o.bank != Bank::Temp) return 1;
    uint32_t least = kMostStrands;
    for (uint32_t w = 0; w < words; ++w) least = std::min(least, shared_[webs_.webOf(o, w)]);
    return least;
  }

  uint32_t sharing(abi::SysValue v) const {
    const abi::SysLanes lanes = abi::sysValueInfo(v).lanes;
    if (lanes == abi::SysLanes::Group) return kMostStrands;
    return lanes == abi::SysLanes::Column ? warpsOfRow() : 1;
  }

  /// How many warps, from a multiple of it on, certainly are of one row of invocations.
  uint32_t warpsOfRow() const {
    uint32_t row = 1;
    while (row < kMostStrands && program_.info.localSize[0] % (2 * row * kWarpLanes) == 0) row *= 2;
    return row;
  }

  /// How many strands share what an instruction gives.
  uint32_t sharing(const Inst& inst) const {
    if (inst.op == Opcode::Flat) return kMostStrands;  // of a primitive
    switch (isa::opInfo(inst).lanes) {
      case isa::Lanes::BySys: return sharing(static_cast<abi::SysValue>(inst.imm));
      case isa::Lanes::Copy:
      case isa::Lanes::Follow: break;
      case isa::Lanes::BySpace:
        if (!isa::spaceOf(inst).uniform) return 1;
        break;
      case isa::Lanes::Alike:
      case isa::Lanes::Differ:
      case isa::Lanes::None: return 1;
    }
    uint32_t least = kMostStrands;
    isa::forEachSource(inst, [&](Operand o, uint32_t words) { least = std::min(least, sharing(o, words)); });
    return least;
  }

  /// The words of a result are shared alike: instructions run once for all that share what they give.
  void findShared() {
    shared_.resize(webs_.count);
    for (uint32_t web = 0; web < webs_.count; ++web) shared_[web] = divergence_.shape[web].uniform() ? kMostStrands : 1;
    for (bool changed = true; changed;) {
      changed = false;
      for (const Inst& inst : program_.code) {
        if (inst.dst.bank != Bank::Temp) continue;
        const uint32_t words = isa::dstWords(inst), least = std::min(sharing(inst.dst, words), sharing(inst));
        for (uint32_t w = 0; w < words; ++w) {
          uint32_t& shared = shared_[webs_.webOf(inst.dst, w)];
          changed |= shared != least;
          shared = least;
        }
      }
    }
  }

  /// The same where warps also run one by one, and may go different ways or read what the others have written.
  void partShared(const std::vector<uint32_t>& regions) {
    const std::vector<bool> steady = findSteadyLoads(program_, regions);
    const Agreement pair(webs_, bounds_, [&](uint32_t i) {
      const Inst& inst = program_.code[i];
      if (inst.op == Opcode::Sys) return sharing(static_cast<abi::SysValue>(inst.imm)) > 1;
      return inst.op == Opcode::Ld ? bool(steady[i]) : inst.op == Opcode::Desc || inst.op == Opcode::BufSize;
    });
    for (uint32_t web = 0; web < webs_.count; ++web)
      if (!pair.isAlike(web)) shared_[web] = 1;
  }

  /// How many strands take all branches together that all lanes of a warp do.
  uint32_t sharingOfBranches() const {
    uint32_t least = kMostStrands;
    for (uint32_t i = 0; i < program_.code.size(); ++i) {
      if (jumps(i)) least = std::min(least, sharing(program_.code[i].src[0], 1));
    }
    return least;
  }

  /// The most vectors that are in use anywhere, about: from a value's first place to its last one, and all through the
  /// loops that it comes into.
  uint32_t mostLive() const {
    struct Span {
      uint32_t first = ~0u, last = 0;
    };
    std::vector<Span> spans(webs_.count);
    std::vector<std::pair<uint32_t, uint32_t>> loops;
    std::vector<uint32_t> open;
    for (uint32_t i = 0; i < program_.code.size(); ++i) {
      const Inst& inst = program_.code[i];
      if (inst.op == Opcode::Loop) open.push_back(i);
      if (inst.op == Opcode::EndLoop) loops.emplace_back(open.back(), i), open.pop_back();
      const auto touch = [&](Operand o, uint32_t words) {
        for (uint32_t w = 0; o.bank == Bank::Temp && w < words; ++w) {
          Span& s = spans[webs_.webOf(o, w)];
          s.first = std::min(s.first, i), s.last = i;
        }
      };
      isa::forEachSource(inst, touch);
      touch(inst.dst, isa::dstWords(inst));
    }
    std::vector<int> change(program_.code.size() + 1);
    for (uint32_t web = 0; web < webs_.count; ++web) {
      Span s = spans[web];
      if (!divergence_.shape[web].varying() || s.first > s.last) continue;
      for (const auto& [begin, end] : loops)  // inner ones come first
        if (s.first < begin && s.last > begin) s.last = std::max(s.last, end);
      ++change[s.first], --change[s.last + 1];
    }
    int live = 0, most = 0;
    for (int c : change) most = std::max(most, live += c);
    return static_cast<uint32_t>(most);
  }

  const Webs& webs_;
  const isa::Program& program_;
  const Divergence& divergence_;
  const Bounds& bounds_;
  const std::vector<Constant>& constants_;
  std::vector<uint32_t> shared_;
  std::map<uint32_t, Work> work_;                     ///< by region
  std::map<uint32_t, uint32_t> stored_;               ///< by handle: the store
  std::map<uint32_t, std::vector<uint32_t>> loaded_;  ///< by handle: the loads
};

}  // namespace

Strands findStrands(const Webs& webs, const Divergence& divergence, const Bounds& bounds,
                    const std::vector<Constant>& constants, uint32_t vectors) {
  return Search(webs, divergence, bounds, constants).run(vectors);
}

Strands findPairsBetweenBarriers(const Webs& webs, const Divergence& divergence, const Bounds& bounds,
                                 const std::vector<Constant>& constants, const Crowd& crowd,
                                 const std::map<uint32_t, ManySums>& sums) {
  return Search(webs, divergence, bounds, constants).betweenBarriers(crowd, sums);
}

Strands findGroupStrands(const Webs& webs, const Divergence& divergence, const Bounds& bounds,
                         const std::vector<Constant>& constants, const GroupWays& ways) {
  return Search(webs, divergence, bounds, constants).ofGroups(ways);
}

}  // namespace etzel::native
