// ProgramInfo of hand-written programs: what the lowering of SPIR-V knows from the module, read off the instructions.
#include <algorithm>

#include "compiler/isa/immediates.h"
#include "compiler/isa/info.h"
#include "runtime/abi/invocation_place.h"

namespace etzel::isa {
namespace {

using abi::SysValue;

class Derivation {
 public:
  explicit Derivation(Program& program) : program_(program), info_(program.info) {}

  void run() {
    for (const Inst& inst : program_.code) {
      reads(inst);
      writes(inst);
      effects(inst);
    }
  }

 private:
  void sys(SysValue v) { info_.sysValues |= 1ull << static_cast<uint32_t>(v); }
  void input(Bank bank, uint32_t word, uint32_t words) {
    if (bank != Bank::In || info_.stage != abi::Stage::Vertex) return;
    for (uint32_t w = word; w < word + words && w < abi::kAttributeWords; ++w) info_.inputLocations |= 1ull << w / 4;
  }

  void reads(const Inst& inst) {
    if (!isExtension(inst.op)) return baseReads(inst);
    for (uint32_t i = 0; i < 3; ++i) input(inst.src[i].bank, inst.src[i].word, srcWords(inst, i));
    if (opInfo(inst).sub == SubKind::Space && static_cast<Space>(inst.sub) == Space::InRegister)
      input(Bank::In, 0, abi::kAttributeWords);  // any of them
    if (inst.op == Opcode::Sys && inst.imm < abi::kSysValueCount) sys(static_cast<SysValue>(inst.imm));
    if (inst.op == Opcode::PixLd) {
      if (const auto read = pixelQueryInfo(static_cast<PixLdMode>(inst.sub)).reads) sys(*read);
    }
    if (inst.op == Opcode::Tex2 && abi::TexInst::unpack(inst.imm).dim == abi::TexDim::Subpass) {
      sys(SysValue::PosX), sys(SysValue::PosY), sys(SysValue::Layer), sys(SysValue::ViewIndex);
      info_.readsAttachments = true;
    }
    if (inst.op == Opcode::AttRd) {
      sys(SysValue::PosX), sys(SysValue::PosY), sys(SysValue::Layer);
      info_.readsAttachments = info_.readsTile = true;
    }
  }
  void baseReads(const Inst& inst) {
    const OpInfo& info = opInfo(inst);
    for (uint32_t i = 0; i < info.baseOperands; ++i) {
      if (inst.base.bank[i] != Bank::In) continue;
      input(Bank::In, 4u * inst.base.reg[i], 4);
      if (info_.stage == abi::Stage::Fragment && inst.base.reg[i] == 0)  // i0 is the window position
        sys(SysValue::FragCoordX), sys(SysValue::FragCoordY), sys(SysValue::FragCoordZ), sys(SysValue::FragCoordW);
    }
    if (inst.op == Opcode::Lda) input(Bank::In, 4u * inst.base.reg[1], 4);
  }

  void output(uint32_t word) {
    if (info_.stage == abi::Stage::Fragment) {
      info_.writesSampleMask |= word == abi::kFragOutSampleMask;
      info_.writesStencilRef |= word == abi::kFragOutStencilRef;
      info_.writesDepth |= word == abi::kFragOutDepth;
      info_.writesColorIndex1 |= word >= abi::kFragOutColorIndex1 && word < abi::kFragOutSampleDepth;
      if (word >= abi::kFragOutColor && word < abi::kFragOutColorIndex1)
        info_.outputLocations |= 1ull << (word - abi::kFragOutColor) / 4;
      return;
    }
    info_.writesPointSize |= word == abi::kWordPointSize;
    info_.writesLayer |= word == abi::kWordLayer;
    info_.writesViewportIndex |= word == abi::kWordViewportIndex;
    info_.writesPrimitiveId |= word == abi::kWordPrimitiveId;
    info_.writesShadingRate |= word == abi::kWordShadingRate;
    if (word >= abi::kWordClipDistance && word < abi::kWordGeneric)
      info_.clipDistances = std::max(info_.clipDistances, word - abi::kWordClipDistance + 1);
    if (word >= abi::kWordGeneric && word < abi::kWordShadingRate)
      info_.outputLocations |= 1ull << (word - abi::kWordGeneric) / 4;
  }
  void writes(const Inst& inst) {
    if (isExtension(inst.op)) {
      if (inst.dst.bank == Bank::Out)
        for (uint32_t w = 0; w < dstWords(inst); ++w) output(inst.dst.word + w);
      return;
    }
    if (opInfo(inst).baseResult == 'R' && inst.base.resultBank == Bank::Out)
      for (uint32_t c = 0; c < 4; ++c)
        if (inst.base.mask & (8u >> c)) output(4u * inst.base.resultReg + c);
    if (info_.stage != abi::Stage::Fragment) return;
    if (inst.op == Opcode::Kls) output(abi::kFragOutSampleMask);
    if (inst.op == Opcode::Zxp || inst.op == Opcode::Zxs) output(abi::kFragOutDepth);
    info_.writesSampleDepth |= inst.op == Opcode::Zxs;
  }

  void effects(const Inst& inst) {
    const OpInfo& info = opInfo(inst);
    info_.discards |= info.effect == Effect::Kill || info.effect == Effect::Demote;
    info_.usesBarrier |= info.effect == Effect::Barrier;
    if (info.effect == Effect::Store) info_.hasSideEffects |= spaceOf(inst).reach == SpaceInfo::Reach::Outside;
    if (info.effect == Effect::Print) {
      info_.hasSideEffects = true;
      info_.sysValues |= abi::placeSysValues(info_.stage);
    }
    if (inst.op == Opcode::Tex2) info_.hasSideEffects |= abi::TexInst::unpack(inst.imm).writesImage();
    info_.usesDerivatives |= info.quad;
  }

  Program& program_;
  abi::ProgramInfo& info_;
};

}  // namespace

void deriveInfo(Program& program) { Derivation(program).run(); }

}  // namespace etzel::isa
