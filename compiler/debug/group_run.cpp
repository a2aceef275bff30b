#include "compiler/debug/group_run.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "compiler/isa/info.h"

namespace etzel::debugger {
namespace {

/// Whether an instruction does what no memory shows: it emits vertices or writes images.
bool leavesTraces(const isa::Inst& inst) {
  if (inst.op == isa::Opcode::Emit || inst.op == isa::Opcode::Cut) return true;
  return inst.op == isa::Opcode::Tex2 && abi::TexInst::unpack(inst.imm).writesImage();
}

/// What may be kept of the way of a warp apart.
constexpr size_t kApartUndoBytes = size_t{4} << 20;

/// Homes are written by stores to constant places; nothing else reaches them.
bool storesHome(const isa::Inst& inst, uint32_t homeBase) {
  return inst.op == isa::Opcode::St && static_cast<isa::Space>(inst.sub) == isa::Space::Scratch &&
         !inst.src[1].present() && inst.imm >= homeBase;
}

/// Whether an instruction may be run a second time, with the same result, without anybody noticing.
bool isRepeatable(const isa::Inst& inst) {
  const isa::Effect effect = isa::opInfo(inst).effect;
  if (effect == isa::Effect::Print || effect == isa::Effect::Time || effect == isa::Effect::Barrier) return false;
  return !leavesTraces(inst);
}

template <class T>
std::span<std::byte> bytesOf(T* first, size_t count) {
  return {reinterpret_cast<std::byte*>(first), count * sizeof(T)};
}

}  // namespace

Result<std::shared_ptr<const Debuggable>> makeDebuggable(const compiler::ShaderSource& source) {
  auto program = compileForDebugging(source);
  if (!program) return program.error();
  auto code = interp::decode((*program)->program);
  if (!code) return code.error();
  Places places(**program);
  const isa::Program& p = (*program)->program;
  const bool repeatable = p.info.stage == abi::Stage::Fragment && !p.info.hasSideEffects &&
                          std::all_of(p.code.begin(), p.code.end(), isRepeatable);
  return std::shared_ptr<const Debuggable>(
      new Debuggable{*program, std::move(*code), std::move(places), Extents(**program), repeatable});
}

GroupRun::GroupRun(std::shared_ptr<const Debuggable> what, std::span<abi::Warp> warps, size_t undoBytes)
    : what_(std::move(what)), warps_(warps.size()), own_(static_cast<uint32_t>(warps.size())), undo_(undoBytes) {
  for (uint32_t w = 0; w < warps.size(); ++w) {
    warps_[w].warp = &warps[w];
    prepare(w);
  }
  recorded_ = !what_->repeatable || own_ != 1;
}

GroupRun::~GroupRun() {
  for (Member& m : warps_) giveBack(m);
}

void GroupRun::giveBack(Member& m) {
  m.warp->registers = m.savedRegisters, m.warp->scratch = m.savedScratch, m.warp->executorState = m.savedState;
}

uint32_t GroupRun::addApart(abi::Warp* warp, LaneMask lanes) {
  const uint32_t w = warps();
  Member& m = warps_.emplace_back();
  m.warp = warp;
  m.undo = std::make_unique<UndoLog>(kApartUndoBytes);
  prepare(w);
  m.first &= lanes;
  return w;
}

void GroupRun::dropApart() {
  while (warps() > own_) {
    giveBack(warps_.back());
    warps_.pop_back();
  }
}

bool GroupRun::wouldShow(uint32_t w) const {
  const Member& m = warps_[w];
  if (m.stepper->left()) return false;
  const isa::Inst& inst = program().program.code[m.stepper->instruction()];
  bool shows = isa::opInfo(inst).effect == isa::Effect::Print || leavesTraces(inst);
  m.stepper->forEachAccess(inst, [&](const interp::Access& a) { shows |= a.writes && a.at; });
  return shows;
}

void GroupRun::bring(Thread t, uint32_t instruction, uint32_t count) {
  const uint32_t w = warpOf(t);
  while (!ended(w) && !wouldShow(w)) {
    if (this->instruction(w) == instruction && runs(t) && visits(t, instruction) == count) return;
    step(w);
  }
}

void GroupRun::prepare(uint32_t w) {
  Member& m = warps_[w];
  abi::Warp& warp = *m.warp;
  const isa::Program& p = program().program;
  const size_t homeWords = program().record.homeBytes / 4;
  m.first = warp.active;
  m.registers.resize(p.tempWords + 1), m.scratch.resize(p.scratchBytes / 4 + 1);
  m.state.resize(interp::stateBytes(*what_->code) + 64);
  m.written.lanes.resize(homeWords), m.kept.resize(homeWords * kWarpLanes);
  if (own_ == 1) m.visits.resize(p.code.size());
  m.savedRegisters = std::exchange(warp.registers, m.registers.data());
  m.savedScratch = std::exchange(warp.scratch, reinterpret_cast<std::byte*>(m.scratch.data()));
  m.savedState = std::exchange(warp.executorState, m.state.data());
  m.stepper = std::make_unique<interp::Stepper>(*what_->code, m.warp);
  m.track.ended = m.stepper->left();
  arrive(m);
  UndoLog& log = logOf(w);
  const uint32_t outWords = p.info.stage == abi::Stage::Fragment ? abi::kFragmentOutWords : abi::kRecordWords;
  log.watch(w, m.stepper->control());
  log.watch(w, bytesOf(m.warp, 1));
  log.watch(w, bytesOf(m.registers.data(), m.registers.size()));
  log.watch(w, bytesOf(m.scratch.data(), m.scratch.size()));
  log.watch(w, m.state);
  if (warp.out) log.watch(w, bytesOf(warp.out, outWords));
  if (warp.sampleShare) log.watch(w, bytesOf(warp.sampleShare, 1));
  log.watch(w, bytesOf(m.written.lanes.data(), m.written.lanes.size()));
  log.watch(w, bytesOf(m.kept.data(), m.kept.size()));
  log.watch(w, bytesOf(&m.track, 1));
}

LaneMask GroupRun::active(uint32_t w) const {
  const interp::Stepper& s = *warps_[w].stepper;
  return s.left() ? 0 : s.active();
}

/// Homes that an instruction stores to have a value from then on.
void GroupRun::noteWritten(Member& m, const isa::Inst& inst) {
  const uint32_t homeBase = program().record.homeBase;
  if (!storesHome(inst, homeBase)) return;
  const uint32_t first = (inst.imm - homeBase) / 4;
  for (uint32_t i = 0; i < inst.count * isa::typeWords(inst.type) && first + i < m.written.lanes.size(); ++i)
    m.written.lanes[first + i] |= static_cast<uint8_t>(m.stepper->active());
}

void GroupRun::noteStores(Member& m, uint32_t instruction) {
  const isa::Inst& inst = program().program.code[instruction];
  const LaneMask lanes = m.stepper->active();
  const uint32_t homeBase = program().record.homeBase;
  noteWritten(m, inst);
  if (storesHome(inst, homeBase)) {
    const bool inRegister = inst.src[2].bank == isa::Bank::Temp;
    const isa::Inst* const copy = instruction ? &program().program.code[instruction - 1] : nullptr;
    const uint32_t first = (inst.imm - homeBase) / 4;
    for (uint32_t i = 0; i < inst.count * isa::typeWords(inst.type) && first + i < m.written.lanes.size(); ++i) {
      Kept kept;
      if (inRegister) kept.at[0] = static_cast<uint16_t>(inst.src[2].word + i + 1);
      // Often the value was copied for the home's sake, and the program goes on with what it was copied from.
      if (inRegister && copy && copy->op == isa::Opcode::XMov && copy->dst.bank == isa::Bank::Temp &&
          copy->src[0].bank == isa::Bank::Temp && inst.src[2].word >= copy->dst.word &&
          inst.src[2].word + i < copy->dst.word + copy->count)
        kept.at[1] = static_cast<uint16_t>(copy->src[0].word + inst.src[2].word - copy->dst.word + i + 1);
      for (LaneMask left = lanes; left; left &= left - 1)
        m.kept[(first + i) * kWarpLanes + static_cast<uint32_t>(std::countr_zero(left))] = kept;
    }
    return;
  }
  if (!inst.dst.present() || inst.dst.bank != isa::Bank::Temp) return;
  // What a register held is gone; where other lanes keep theirs, for these lanes alone.
  const LaneMask overwritten = inst.masked ? lanes : kAllLanes;
  const uint32_t first = inst.dst.word + 1, end = first + isa::dstWords(inst);
  for (size_t i = 0; i < m.kept.size(); ++i)
    for (uint16_t& at : m.kept[i].at)
      if (at >= first && at < end && (overwritten >> i % kWarpLanes & 1)) at = 0;
}

void GroupRun::step(uint32_t w) {
  Member& m = warps_[w];
  UndoLog& undo = logOf(w);
  undo.begin();
  if (m.stepper->left()) {
    m.stepper->enterAgain();
    ++m.track.round;
    arrive(m);
    undo.end(w);
    return;
  }
  const isa::Inst& inst = program().program.code[m.stepper->instruction()];
  const bool forgets = leavesTraces(inst);
  if (!forgets)
    m.stepper->forEachAccess(inst, [&](const interp::Access& a) {
      if (a.writes && a.at) undo.save(a.at, a.bytes);
    });
  m.track.before = m.stepper->instruction();
  noteStores(m, m.track.before);
  if (!m.visits.empty())
    for (LaneMask left = m.stepper->active(); left; left &= left - 1)
      ++m.visits[m.track.before].lane[static_cast<uint32_t>(std::countr_zero(left))];
  m.stepper->step();
  m.track.ended = m.stepper->left() && m.stepper->status() != abi::WarpStatus::AtBarrier;
  arrive(m);
  if (forgets) {
    undo.refresh(w);
    undo.forget();
  } else {
    undo.end(w);
  }
}

void GroupRun::stepUnrecorded(Member& m) {
  m.track.before = m.stepper->instruction();
  noteWritten(m, program().program.code[m.track.before]);
  m.stepper->step();
  m.track.ended = m.stepper->left();
  arrive(m);
  ++unrecorded_;
}

/// Notes from now on, and what has been run without, by running it once more.
void GroupRun::record() {
  if (std::exchange(recorded_, true)) return;
  const std::vector<std::byte> held = undo_.held(0);
  if (repeat()) return;
  // What it has come to is true, the way there is not known.
  undo_.forget();
  undo_.hold(0, held);
  warps_[0].visits.clear();
}

bool GroupRun::repeat() {
  if (unrecorded_ > kMostRepeated) return false;
  Member& m = warps_[0];
  const std::vector<LaneWords> registers = m.registers;
  const bool ended = m.track.ended;
  const uint32_t before = m.track.before;
  undo_.rewind(0);
  for (uint64_t i = 0; i < unrecorded_ && !m.track.ended; ++i) {
    if (interrupted_.exchange(false)) return false;
    step(0);
  }
  // Elsewhere: another thread has changed what it reads, against the rules.
  return m.track.ended == ended && m.track.before == before &&
         std::memcmp(registers.data(), m.registers.data(), registers.size() * sizeof registers[0]) == 0;
}

void GroupRun::unvisit(uint32_t w) {
  Member& m = warps_[w];
  if (m.visits.empty() || m.stepper->left()) return;
  for (LaneMask left = m.stepper->active(); left; left &= left - 1)
    --m.visits[m.stepper->instruction()].lane[static_cast<uint32_t>(std::countr_zero(left))];
}

void GroupRun::arrive(Member& m) {
  m.track.began = m.track.middle = 0;
  if (m.stepper->left()) return;
  const uint32_t instruction = m.stepper->instruction(), place = places().of(instruction);
  if (!place) return;
  for (LaneMask left = m.stepper->active(); left; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    Track::Lane& l = m.track.lane[lane];
    // A loop that stands in one line goes round. Where its head and its end are one line, that is one stop.
    const bool again = instruction <= m.track.before && instruction >= l.start;
    if (place == l.place && !again) continue;
    m.track.began |= static_cast<LaneMask>(1u << lane);
    if (l.place && instruction > l.start && places().calls(place, l.place))
      m.track.middle |= static_cast<LaneMask>(1u << lane);
    l.place = place, l.start = instruction;
  }
}

bool GroupRun::mayRun(uint32_t w) const {
  if (ended(w)) return false;
  if (!waits(w)) return true;
  const uint32_t round = warps_[w].track.round;
  return std::all_of(warps_.begin(), warps_.begin() + own_, [&](const Member& m) {
    return m.track.ended || m.track.round > round || (m.track.round == round && m.stepper->left());
  });
}

uint32_t GroupRun::next() const {
  for (uint32_t w = 0; w < own_; ++w)
    if (mayRun(w)) return w;
  return kNone;
}

uint32_t GroupRun::depthOf(Thread t) const { return places()[warps_[warpOf(t)].track.lane[laneOf(t)].place].depth; }

bool GroupRun::stepEnds(Go how, Thread t, uint32_t depth, uint32_t place) const {
  const Member& m = warps_[warpOf(t)];
  if (how == Go::Instruction) return runs(t);
  if (!(m.track.began >> laneOf(t) & 1) || !runs(t)) return false;
  if (how == Go::Into || depth == 0) return true;
  const uint32_t now = depthOf(t);
  if (how == Go::Out) return now < depth;
  // Back from a call in the middle of the line that called.
  if (m.track.lane[laneOf(t)].place == place && (m.track.middle >> laneOf(t) & 1)) return false;
  return now <= depth;
}

Halt GroupRun::forwardApart(Go how, Thread thread) {
  const uint32_t w = warpOf(thread), depth = depthOf(thread);
  const uint32_t place = warps_[w].track.lane[laneOf(thread)].place;
  while (!ended(w) && !wouldShow(w)) {
    step(w);
    if (!ended(w) && stepEnds(how, thread, depth, place)) return Halt::Step;
    if (interrupted_.exchange(false)) return Halt::Paused;
  }
  return Halt::Apart;
}

Halt GroupRun::forward(Go how, Thread thread, const Watch& watch) {
  const Halt halt = run(how, thread, watch);
  if (halt != Halt::Ended) record();
  return halt;
}

Halt GroupRun::run(Go how, Thread thread, const Watch& watch) {
  interrupted_.store(false);
  if (how != Go::On && isApart(warpOf(thread))) return forwardApart(how, thread);
  const uint32_t depth = how == Go::On ? 0 : depthOf(thread), own = warpOf(thread);
  const uint32_t place = how == Go::On ? 0 : warps_[own].track.lane[laneOf(thread)].place;
  for (;;) {
    if (how != Go::On && ended(own)) return next() == kNone ? Halt::Ended : Halt::Left;
    // In the order of an ordinary run: what is stored to one place by several, and what atomics find, depends on it.
    const uint32_t w = next();
    if (w == kNone) return Halt::Ended;
    if (!std::exchange(warps_[w].looked, true) && watch && watch(*this, w)) return Halt::Watch;
    recorded_ ? step(w) : stepUnrecorded(warps_[w]);
    if (how != Go::On && w == own && !waits(own) && stepEnds(how, thread, depth, place)) return Halt::Step;
    if (watch && !waits(w) && !ended(w) && watch(*this, w)) return Halt::Watch;
    if (interrupted_.exchange(false)) return Halt::Paused;
  }
}

Halt GroupRun::back(Go how, Thread thread, const Watch& watch) {
  interrupted_.store(false);
  record();
  const uint32_t depth = depthOf(thread), own = warpOf(thread);
  UndoLog& log = logOf(own);
  while (log.steps()) {
    const uint32_t w = log.back();
    unvisit(w);
    if (how == Go::On) {
      if (watch && !isApart(w) && !waits(w) && !ended(w) && watch(*this, w)) return Halt::Watch;
    } else if (w == own && !waits(own)) {
      if (how == Go::Instruction ? runs(thread) : (warps_[own].track.began >> laneOf(thread) & 1)) {
        // Over: what was called in the line that has just been gone back through is no place to stop.
        const bool middle = warps_[own].track.middle >> laneOf(thread) & 1;
        const uint32_t now = depthOf(thread);
        if (how == Go::Instruction || how == Go::Into) return Halt::Step;
        if (how == Go::Over ? now <= depth && !middle : now < depth) return Halt::Step;
      }
    }
    if (interrupted_.exchange(false)) return Halt::Paused;
  }
  return Halt::Beginning;
}

abi::WarpStatus GroupRun::finish() {
  for (uint32_t w = next(); w != kNone; w = next()) {
    Member& m = warps_[w];
    if (m.stepper->left()) m.stepper->enterAgain(), ++m.track.round;
    while (!m.stepper->left()) m.stepper->step();
    m.track.ended = m.stepper->status() != abi::WarpStatus::AtBarrier;
    if (m.stepper->status() == abi::WarpStatus::Cancelled) break;
  }
  const bool cancelled = std::any_of(warps_.begin(), warps_.begin() + own_,
                                     [](const Member& m) { return m.stepper->status() == abi::WarpStatus::Cancelled; });
  return cancelled ? abi::WarpStatus::Cancelled : abi::WarpStatus::Done;
}

Value GroupRun::value(Thread t, uint32_t variable) const {
  const Member& m = warps_[warpOf(t)];
  return readVariable(program(), *m.warp, laneOf(t), variable, &m.written);
}

Result<void> GroupRun::store(Thread t, const Leaf& leaf, uint64_t bits) {
  Member& m = warps_[warpOf(t)];
  if (leaf.home != kNone) {
    const uint32_t words = leaf.bytes > 4 ? 2 : 1;
    const auto keptOf = [&](uint32_t i) { return m.kept[(leaf.home + i) * kWarpLanes + laneOf(t)]; };
    for (uint32_t i = 0; i < words; ++i)
      if (!keptOf(i).at[0] && !keptOf(i).at[1])
        return Error{ErrorCode::Unsupported,
                     "the program keeps this value nowhere any more: it is a constant, or was used for the last time"};
    for (uint32_t i = 0; i < words; ++i)
      for (const uint16_t at : keptOf(i).at)
        if (at) m.registers[at - 1u].lane[laneOf(t)] = static_cast<uint32_t>(bits >> 32 * i);
  }
  for (uint32_t i = 0; i < 2 && leaf.word[i]; ++i) {
    const uint32_t bytes = std::min(leaf.bytes - 4 * i, leaf.word[1] ? 4u : leaf.bytes);
    const uint64_t part = bits >> 32 * i;
    std::memcpy(leaf.word[i], &part, bytes);
  }
  logOf(warpOf(t)).refresh(warpOf(t));
  return {};
}

}  // namespace etzel::debugger
