#include "compiler/interp/quick.h"

#include <sys/mman.h>

#include <cstddef>

#include "compiler/interp/execute.h"
#include "compiler/interp/x86_assembler.h"

namespace etzel::interp {
namespace {

using isa::Inst;
using isa::Opcode;
using isa::Type;

// Registers of the machine: where the banks lie, and the frame.
constexpr uint8_t kFrame = kRbx;
constexpr uint8_t kBankBase[kHomes - 1] = {kRbp, kR13, kR14, kR12, kR15};  // Home::Temp, In, Out, Constant, Sys
constexpr Mem inFrame(size_t offset) { return {kFrame, static_cast<int32_t>(offset)}; }
constexpr Mem kExec = inFrame(offsetof(Frame, exec));
constexpr Mem kStack = inFrame(offsetof(Frame, stack));
constexpr Mem kStatus = inFrame(offsetof(Frame, status));

/// Constants before the code, eight words each.
enum Pool : uint32_t { kSignBits, kAbsMask, kLaneBits, kShiftMask, kOnes, kFloatOne, kPoolSize };

struct Layout {
  CodePtr code;
  void (*enter)(Frame* frame, const void* at) = nullptr;
  std::vector<const std::byte*> addresses;  ///< of every Op
};

abi::WarpStatus runQuick(const void* self, abi::Warp* warp) {
  const auto& layout = *static_cast<const Layout*>(self);
  return execute(layout.code.get(), warp, [&](const Op* op, Frame& f) {
    layout.enter(&f, layout.addresses[static_cast<size_t>(op - layout.code->ops.data())]);
  });
}

class QuickCodeImpl final : public QuickCode {
 public:
  ~QuickCodeImpl() override {
    if (memory_) munmap(memory_, size_);
  }
  const abi::Executable* executable() const override { return &executable_; }
  size_t bytes() const override { return size_; }

  bool load(const std::vector<uint8_t>& machineCode) {
    size_ = machineCode.size();
    void* p = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return false;
    memory_ = p;
    std::memcpy(p, machineCode.data(), size_);
    return mprotect(p, size_, PROT_READ | PROT_EXEC) == 0;
  }
  const std::byte* at(uint32_t offset) const { return static_cast<const std::byte*>(memory_) + offset; }
  void finish() { executable_ = {runQuick, &layout}; }

  Layout layout;

 private:
  abi::Executable executable_;
  void* memory_ = nullptr;
  size_t size_ = 0;
};

class Generator {
 public:
  Generator(const isa::Program& program, const Code& code) : program_(program), code_(code) {}

  Assembler a;
  uint32_t entry = 0;       ///< of Layout::enter
  uint32_t firstLabel = 0;  ///< of the Ops

  void run() {
    for (uint32_t v : {0x80000000u, 0x7FFFFFFFu, 0u, 31u, ~0u, 0x3F800000u})
      for (uint32_t i = 0; i < kWarpLanes; ++i) a.word(v ? v : 1u << i);
    firstLabel = a.newLabels(static_cast<uint32_t>(code_.ops.size()));
    leave_ = a.newLabels(1), dispatch_ = a.newLabels(1);
    prologue();
    for (uint32_t i = 0; i < code_.ops.size(); ++i) {
      a.bind(firstLabel + i);
      const Op& op = code_.ops[i];
      const uint32_t inst = code_.instOf[i];
      const bool second = i > 0 && code_.instOf[i - 1] == inst;  // what the decoder adds to an instruction
      const bool known = inst < program_.code.size() && !second;
      if (i == 0 || entered(i)) forget();
      needed_ = 0;
      if (known && value(op, program_.code[inst])) continue;
      if (known && flow(op, i, program_.code[inst])) continue;
      if (second && isa::isExtension(program_.code[inst].op)) {
        copy(op, program_.code[inst].masked);
        continue;
      }
      call(op, !known || mayJump(program_.code[inst]));
    }
    epilogue();
    a.resolve();
  }

 private:
  static Mem mem(Location l, uint32_t w = 0) {
    const int32_t offset = static_cast<int32_t>((l & ~31u) + w * sizeof(LaneWords));
    const auto home = static_cast<Home>(l & 31);
    if (home == Home::Result) return inFrame(offsetof(Frame, result) + static_cast<size_t>(offset));
    return {kBankBase[l & 31], offset};
  }
  static InCode pool(Pool p) { return {p * 32u}; }
  /// Whether something else than the Op before leads to Op `i`: lanes meet again there, a loop or a barrier goes on.
  bool entered(uint32_t i) const {
    if (code_.usesBase) return true;
    const auto joins = [&](uint32_t at) {
      const uint32_t inst = code_.instOf[at];
      if (inst >= program_.code.size()) return true;
      const Opcode op = program_.code[inst].op;
      return op == Opcode::Else || isa::closesScope(op);
    };
    const uint32_t before = code_.instOf[i - 1];
    const Opcode last = program_.code[before].op;
    return joins(i) || last == Opcode::Loop || last == Opcode::Barrier;
  }
  static bool mayJump(const Inst& inst) {
    return isa::isExtension(inst.op) ? isa::opInfo(inst).control
                                     : inst.op == Opcode::Jmp || inst.op == Opcode::End || inst.end;
  }

  void prologue() {
    entry = a.here();
    for (uint8_t r : {kRbx, kRbp, kR12, kR13, kR14, kR15}) a.push(r);
    a.moveStack(-8);
    a.move64(kFrame, kRdi);
    for (uint32_t h = 0; h + 1 < kHomes; ++h)
      a.load64(kBankBase[h], inFrame(offsetof(Frame, base) + h * sizeof(std::byte*)));
    a.jumpReg(kRsi);
    // Where a handler says that another instruction comes next: rax is its Op, null to leave. A table in front of
    // nothing but ourselves would need relocating, so C++ looks the address up.
    a.bind(dispatch_);
    a.test64(kRax, kRax);
    a.jumpIfZero(leave_);
    a.move64(kRdi, kRax);
    a.set64(kRsi, 0);  // setLayout
    tableAt_ = a.here() - 8;
    a.set64(kRax, reinterpret_cast<uint64_t>(&addressOf));
    a.callReg(kRax);
    a.jumpReg(kRax);
  }
  void epilogue() {
    a.bind(leave_);
    a.zeroUpper();
    a.moveStack(8);
    for (uint8_t r : {kR15, kR14, kR13, kR12, kRbp, kRbx}) a.pop(r);
    a.ret();
  }

 public:
  static const std::byte* addressOf(const Op* op, const Layout* layout) {
    return layout->addresses[static_cast<size_t>(op - layout->code->ops.data())];
  }
  /// Tells the code where its layout is.
  void setLayout(const Layout* layout) {
    const auto v = reinterpret_cast<uint64_t>(layout);
    std::memcpy(&a.bytes[tableAt_], &v, 8);
  }

 private:
  // --- Registers that hold words which lie in memory too. Each way into an instruction but falling through to it, and
  // each call, forgets them.
  static constexpr uint8_t kFirstCached = 4, kCached = 12;
  static Location wordOf(Location l, uint32_t w) { return l + w * static_cast<uint32_t>(sizeof(LaneWords)); }
  void forget() {
    for (Location& l : cached_) l = kNothing;
  }
  void forget(Location l) {
    for (Location& c : cached_)
      if (c == l) c = kNothing;
  }
  /// One that holds nothing that the present word needs: since the last out().
  uint8_t fresh() {
    do next_ = static_cast<uint8_t>((next_ + 1) % kCached);
    while (needed_ >> next_ & 1);
    needed_ |= 1u << next_;
    cached_[next_] = kNothing;
    return static_cast<uint8_t>(kFirstCached + next_);
  }
  /// A register with a word.
  uint8_t in(Location l, uint32_t w = 0) {
    const Location at = wordOf(l, w);
    for (uint8_t i = 0; i < kCached; ++i) {
      if (cached_[i] != at) continue;
      needed_ |= 1u << i;
      return static_cast<uint8_t>(kFirstCached + i);
    }
    const uint8_t r = fresh();
    a.load(r, mem(l, w));
    cached_[r - kFirstCached] = at;
    return r;
  }
  /// `r`, a fresh one, is the word now.
  bool out(Location l, uint8_t r, uint32_t w = 0) {
    a.store(mem(l, w), r);
    forget(wordOf(l, w));
    cached_[r - kFirstCached] = wordOf(l, w);
    needed_ = 0;
    return true;
  }

  /// The interpreter's handler.
  void call(const Op& op, bool jumps) {
    forget();
    a.zeroUpper();
    a.set64(kRdi, reinterpret_cast<uint64_t>(&op));
    a.move64(kRsi, kFrame);
    a.set64(kRax, reinterpret_cast<uint64_t>(op.handler));
    a.callReg(kRax);
    if (jumps) a.jump(dispatch_);
  }

  /// The decoder's second step: result words to their place, in the active lanes or all.
  void copy(const Op& op, bool masked) {
    if (masked) laneMask();
    for (uint32_t w = 0; w < op.count; ++w) {
      const uint8_t from = in(op.src[0], w), to = masked ? in(op.dst, w) : from, r = fresh();
      if (masked)
        a.blend(r, to, from, 3);
      else
        a.vex(0, 1, 0x28, r, 0, from);  // vmovaps
      out(op.dst, r, w);
    }
  }
  /// ymm3 = ~0 in active lanes.
  void laneMask() {
    a.vex(1, 2, 0x58, 3, 0, kExec);            // vpbroadcastd
    a.vex(1, 1, 0xDB, 3, 3, pool(kLaneBits));  // vpand
    a.vex(1, 1, 0x76, 3, 3, pool(kLaneBits));  // vpcmpeqd
  }

  bool withSecond(const Op& op, uint8_t prefix, uint8_t map, uint8_t opcode) {
    const uint8_t x = in(op.src[0]), y = in(op.src[1]), r = fresh();
    a.vex(prefix, map, opcode, r, x, y);
    return out(op.dst, r);
  }
  bool withOne(const Op& op, uint8_t prefix, uint8_t map, uint8_t opcode) {
    const uint8_t x = in(op.src[0]), r = fresh();
    a.vex(prefix, map, opcode, r, 0, x);
    return out(op.dst, r);
  }
  bool withConstant(const Op& op, uint8_t prefix, uint8_t opcode, Pool constant) {
    const uint8_t x = in(op.src[0]), r = fresh();
    a.vex(prefix, 1, opcode, r, x, pool(constant));
    return out(op.dst, r);
  }
  uint8_t rounded(Location l, uint8_t mode) {
    const uint8_t x = in(l), r = fresh();
    a.vex(1, 3, 0x08, r, 0, x), a.byte(mode);
    return r;
  }
  bool shift(const Op& op, uint8_t opcode) {
    const uint8_t x = in(op.src[0]), y = in(op.src[1]), r = fresh();
    a.vex(1, 1, 0xDB, 1, y, pool(kShiftMask));
    a.vex(1, 2, opcode, r, x, uint8_t{1});
    return out(op.dst, r);
  }
  void compareFloats(uint8_t predicate, uint8_t to, uint8_t x, uint8_t y) {
    a.vex(0, 1, 0xC2, to, x, y), a.byte(predicate);
  }

  /// Instructions that compute; false: none of those here. ymm0 to ymm3 are for what lies between.
  bool value(const Op& op, const Inst& inst) {
    switch (inst.op) {
      case Opcode::XMov:
        copy(op, inst.masked && (op.dst & 31) != static_cast<uint32_t>(Home::Result));
        return true;
      case Opcode::LdImm: {
        const uint8_t r = fresh();
        a.set32(kRax, inst.imm);
        a.vex(1, 1, 0x6E, 0, 0, uint8_t{kRax}, false);  // vmovd
        a.vex(1, 2, 0x58, r, 0, uint8_t{0});
        return out(op.dst, r);
      }
      case Opcode::Sys: {
        const uint8_t r = fresh();
        a.load(r, mem(op.src[0]));
        return out(op.dst, r);
      }
      case Opcode::Sel:
        a.vex(1, 1, 0xEF, 2, 2, uint8_t{2});
        a.vex(1, 1, 0x76, 2, 2, in(op.src[0]));
        for (uint32_t w = 0; w < op.count; ++w) {
          const uint8_t x = in(op.src[1], w), y = in(op.src[2], w), r = fresh();
          a.blend(r, x, y, 2);
          out(op.dst, r, w);
        }
        return true;
      default:
        break;
    }
    if (inst.type == Type::F32) return float32(op, inst);
    if (inst.type == Type::I32) return int32(op, inst);
    return false;
  }

  bool float32(const Op& op, const Inst& inst) {
    switch (inst.op) {
      case Opcode::FAdd:
        return withSecond(op, 0, 1, 0x58);
      case Opcode::FSub:
        return withSecond(op, 0, 1, 0x5C);
      case Opcode::FMul:
        return withSecond(op, 0, 1, 0x59);
      case Opcode::FDiv:
        return withSecond(op, 0, 1, 0x5E);
      case Opcode::FSqrt:
        return withOne(op, 0, 1, 0x51);
      case Opcode::FNeg:
        return withConstant(op, 0, 0x57, kSignBits);
      case Opcode::FAbs:
        return withConstant(op, 0, 0x54, kAbsMask);
      case Opcode::FRoundE:
        return out(op.dst, rounded(op.src[0], 8));
      case Opcode::FFloor:
        return out(op.dst, rounded(op.src[0], 9));
      case Opcode::FCeil:
        return out(op.dst, rounded(op.src[0], 10));
      case Opcode::FTrunc:
        return out(op.dst, rounded(op.src[0], 11));
      case Opcode::FFract: {
        const uint8_t floor = rounded(op.src[0], 9), x = in(op.src[0]), r = fresh();
        a.vex(0, 1, 0x5C, r, x, floor);
        return out(op.dst, r);
      }
      case Opcode::FRsq: {
        const uint8_t x = in(op.src[0]), r = fresh();
        a.vex(0, 1, 0x51, 1, 0, x);
        a.load(0, pool(kFloatOne));
        a.vex(0, 1, 0x5E, r, 0, uint8_t{1});
        return out(op.dst, r);
      }
      case Opcode::FFma: {
        const uint8_t x = in(op.src[0]), y = in(op.src[1]), z = in(op.src[2]), r = fresh();
        a.vex(0, 1, 0x28, r, 0, x);
        a.vex(1, 2, 0xA8, r, y, z);
        return out(op.dst, r);
      }
      case Opcode::FMin:
      case Opcode::FMax: {
        const bool min = inst.op == Opcode::FMin;
        const uint8_t x = in(op.src[0]), y = in(op.src[1]), r = fresh();
        a.vex(0, 1, min ? 0x5D : 0x5F, 0, x, y);  // x < y ? x : y
        a.vex(0, 1, min ? 0x56 : 0x54, 1, x, y);  // of equal ones: zeros of either sign
        compareFloats(0, 2, x, y);
        a.blend(0, 0, uint8_t{1}, 2);
        compareFloats(3, 2, y, y);  // y is a NaN
        a.blend(r, 0, x, 2);
        return out(op.dst, r);
      }
      case Opcode::FCmp: {
        static constexpr uint8_t kPredicates[] = {0x00, 0x0C, 0x11, 0x12, 0x1E, 0x1D, 0x08,
                                                  0x04, 0x19, 0x1A, 0x16, 0x15, 0x07, 0x03};
        const uint8_t x = in(op.src[0]), y = in(op.src[1]), r = fresh();
        compareFloats(kPredicates[inst.sub], r, x, y);
        return out(op.dst, r);
      }
      case Opcode::FIsNan: {
        const uint8_t x = in(op.src[0]), r = fresh();
        compareFloats(3, r, x, x);
        return out(op.dst, r);
      }
      case Opcode::CvtSF:
        return static_cast<Type>(inst.sub) == Type::I32 && withOne(op, 0, 1, 0x5B);
      default:
        return false;
    }
  }

  bool int32(const Op& op, const Inst& inst) {
    switch (inst.op) {
      case Opcode::IAdd:
        return withSecond(op, 1, 1, 0xFE);
      case Opcode::ISub:
        return withSecond(op, 1, 1, 0xFA);
      case Opcode::IMul:
        return withSecond(op, 1, 2, 0x40);
      case Opcode::And:
        return withSecond(op, 1, 1, 0xDB);
      case Opcode::Or:
        return withSecond(op, 1, 1, 0xEB);
      case Opcode::Xor:
        return withSecond(op, 1, 1, 0xEF);
      case Opcode::SMin:
        return withSecond(op, 1, 2, 0x39);
      case Opcode::SMax:
        return withSecond(op, 1, 2, 0x3D);
      case Opcode::UMin:
        return withSecond(op, 1, 2, 0x3B);
      case Opcode::UMax:
        return withSecond(op, 1, 2, 0x3F);
      case Opcode::IAbs:
        return withOne(op, 1, 2, 0x1E);
      case Opcode::Not:
        return withConstant(op, 1, 0xEF, kOnes);
      case Opcode::INeg: {
        const uint8_t x = in(op.src[0]), r = fresh();
        a.vex(1, 1, 0xEF, 0, 0, uint8_t{0});
        a.vex(1, 1, 0xFA, r, 0, x);
        return out(op.dst, r);
      }
      case Opcode::Shl:
        return shift(op, 0x47);
      case Opcode::Shr:
        return shift(op, 0x45);
      case Opcode::Sar:
        return shift(op, 0x46);
      case Opcode::ICmp:
        return compare(op, static_cast<isa::CmpI>(inst.sub));
      default:
        return false;
    }
  }

  bool compare(const Op& op, isa::CmpI c) {
    using isa::CmpI;
    const uint8_t x = in(op.src[0]), y = in(op.src[1]), r = fresh();
    bool negated = false;
    switch (c) {
      case CmpI::Ne:
        negated = true;
        [[fallthrough]];
      case CmpI::Eq:
        a.vex(1, 1, 0x76, r, x, y);
        break;
      case CmpI::SLe:
        negated = true;
        [[fallthrough]];
      case CmpI::SGt:
        a.vex(1, 1, 0x66, r, x, y);
        break;
      case CmpI::SGe:
        negated = true;
        [[fallthrough]];
      case CmpI::SLt:
        a.vex(1, 1, 0x66, r, y, x);
        break;
      case CmpI::UGt:
        negated = true;
        [[fallthrough]];
      case CmpI::ULe:  // the smaller one is x
        a.vex(1, 2, 0x3B, 0, x, y);
        a.vex(1, 1, 0x76, r, x, uint8_t{0});
        break;
      case CmpI::ULt:
        negated = true;
        [[fallthrough]];
      case CmpI::UGe:
        a.vex(1, 2, 0x3F, 0, x, y);
        a.vex(1, 1, 0x76, r, x, uint8_t{0});
        break;
    }
    if (negated) a.vex(1, 1, 0xEF, r, r, pool(kOnes));
    return out(op.dst, r);
  }

  // --- Control flow, as control_handlers.cpp says it
  uint32_t labelAt(uint32_t i, int32_t distance) const {
    return firstLabel + static_cast<uint32_t>(static_cast<int32_t>(i) + distance);
  }
  static Mem entryOf(uint32_t slot, uint32_t part = 0) {
    return {kRdx, static_cast<int32_t>(slot * sizeof(MaskEntry) + part)};
  }
  /// eax = lanes whose word is 0.
  void zeroLanes(Location l) {
    const uint8_t x = in(l);
    a.vex(1, 1, 0xEF, 0, 0, uint8_t{0});
    a.vex(1, 1, 0x76, 0, 0, x);
    a.vex(0, 1, 0x50, kRax, 0, uint8_t{0});
  }
  /// The lanes that cl lacks are gone from the open scopes.
  void keepInScopes(uint32_t first, uint32_t depth) {
    for (uint32_t s = first; s < depth; ++s) a.and8(entryOf(s), kRcx);
  }
  /// exec = ecx; goes to where lanes may meet again when it is empty.
  void setExec(uint32_t i, const Op& op) {
    a.store32(kExec, kRcx);
    a.test32(kRcx, kRcx);
    a.jumpIfZero(labelAt(i, op.jump));
  }

  bool flow(const Op& op, uint32_t i, const Inst& inst) {
    switch (inst.op) {
      case Opcode::If:
        zeroLanes(op.src[0]);
        a.load32(kRcx, kExec);
        a.load64(kRdx, kStack);
        a.and32(kRax, kRcx);
        a.store8(entryOf(op.slot), kRcx);
        a.store8(entryOf(op.slot, 1), kRax);
        a.xor32(kRcx, kRax);
        setExec(i, op);
        return true;
      case Opcode::Else:
        a.load64(kRdx, kStack);
        a.loadByte(kRcx, entryOf(op.slot, 1));
        a.store8(entryOf(op.slot, 1), int8_t{0});
        setExec(i, op);
        return true;
      case Opcode::EndIf:
      case Opcode::EndBlock:
        a.load64(kRdx, kStack);
        a.loadByte(kRcx, entryOf(op.slot));
        setExec(i, op);
        return true;
      case Opcode::Block:
        a.load64(kRdx, kStack);
        a.load32(kRcx, kExec);
        a.store16(entryOf(op.slot), kRcx);  // lanes and `other`, which is 0
        return true;
      case Opcode::Loop:
        return true;
      case Opcode::EndLoop: {
        const uint32_t head = labelAt(i, static_cast<int32_t>(op.imm));
        a.load32(kRcx, kExec);
        a.test32(kRcx, kRcx);
        a.jumpIfZero(labelAt(i, op.jump));
        a.load64(kRax, inFrame(offsetof(Frame, warp)));
        a.load64(kRax, {kRax, offsetof(abi::Warp, context)});
        a.load64(kRax, {kRax, offsetof(abi::DispatchContext, cancel)});
        a.test64(kRax, kRax);
        a.jumpIfZero(head);
        a.compare32(Mem{kRax, 0}, 0);
        a.jumpIfZero(head);
        a.store32(kStatus, static_cast<uint32_t>(abi::WarpStatus::Cancelled));
        a.jump(leave_);
        return true;
      }
      case Opcode::Br:
      case Opcode::Ret:
        a.load64(kRdx, kStack);
        a.load32(kRcx, kExec);
        a.not32(kRcx);
        keepInScopes(inst.op == Opcode::Br ? op.slot + 1u : 0u, op.depth);
        a.store32(kExec, uint32_t{0});
        a.jump(labelAt(i, op.jump));
        return true;
      case Opcode::BrC:
        zeroLanes(op.src[0]);
        a.load32(kRcx, kExec);
        a.and32(kRax, kRcx);  // those that stay
        a.compare32(kRax, kRcx);
        a.jumpIfZero(labelAt(i, 1));
        a.load64(kRdx, kStack);
        a.xor32(kRcx, kRax);
        a.not32(kRcx);
        keepInScopes(op.slot + 1u, op.depth);
        a.move64(kRcx, kRax);
        setExec(i, op);
        return true;
      default:
        return false;
    }
  }

  const isa::Program& program_;
  const Code& code_;
  uint32_t leave_ = 0, dispatch_ = 0, tableAt_ = 0;
  static constexpr Location kNothing = ~0u;
  Location cached_[kCached];  ///< what each register holds
  uint8_t next_ = 0;
  uint32_t needed_ = 0;  ///< bit per register
};

}  // namespace

Result<std::shared_ptr<QuickCode>> makeQuick(const isa::Program& program) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return Error{ErrorCode::Unsupported, "quick code needs AVX2 and FMA"};
  auto decoded = decode(program);
  if (!decoded) return decoded.error();
  auto quick = std::make_shared<QuickCodeImpl>();
  Layout& layout = quick->layout;
  layout.code = std::move(*decoded);
  Generator generator(program, *layout.code);
  generator.run();
  generator.setLayout(&layout);
  if (!quick->load(generator.a.bytes)) return Error{ErrorCode::OutOfHostMemory, "no memory to run code from"};
  for (uint32_t i = 0; i < layout.code->ops.size(); ++i)
    layout.addresses.push_back(quick->at(generator.a.addressOf(generator.firstLabel + i)));
  layout.enter = reinterpret_cast<decltype(layout.enter)>(reinterpret_cast<uintptr_t>(quick->at(generator.entry)));
  quick->finish();
  return std::shared_ptr<QuickCode>(std::move(quick));
}

}  // namespace etzel::interp
