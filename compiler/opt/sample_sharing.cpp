// Whether one invocation may stand for several samples of a pixel: those that would read the same texels. The texture
// unit tells which these are while the invocation runs (abi::Warp::sampleShare).
#include "compiler/opt/passes.h"
#include "compiler/opt/values.h"

namespace etzel::opt {
namespace {

class SampleSharing {
 public:
  explicit SampleSharing(const isa::Program& program) : program_(program), holds_(program.tempWords, 0) {}

  bool run() {
    // Words only ever come to hold more, and loops carry some of them backwards: repeating ends.
    do {
      changed_ = false;
      for (const isa::Inst& inst : program_.code)
        if (!visit(inst)) return false;
    } while (changed_);
    // Without a choice of samples invocations per sample are there for what they interpolate.
    return choosesSamples_ || !interpolates_;
  }

 private:
  /// What a word may be a copy of.
  enum : uint8_t { kSampleId = 1, kPosition = 2 };

  uint8_t heldBy(isa::Operand o, uint32_t word = 0) const {
    return o.bank == isa::Bank::Temp ? holds_[o.word + word] : 0;
  }
  uint8_t heldBySources(const isa::Inst& inst) const {
    uint8_t all = 0;
    isa::forEachSource(inst, [&](isa::Operand o, uint32_t words) {
      for (uint32_t w = 0; w < words; ++w) all |= heldBy(o, w);
    });
    return all;
  }
  bool hold(isa::Operand o, uint32_t word, uint8_t what) {
    if (!what) return true;
    if (o.bank != isa::Bank::Temp) return false;
    uint8_t& now = holds_[o.word + word];
    if ((now | what) != now) now |= what, changed_ = true;
    return true;
  }

  /// \returns false where the results of a pixel's samples may differ although they read the same texels.
  bool visit(const isa::Inst& inst) {
    const uint8_t held = heldBySources(inst);
    switch (isa::opInfo(inst).samples) {
      case isa::Samples::Never: return false;
      case isa::Samples::Same: return !held;
      case isa::Samples::Copy:
        for (uint32_t w = 0; w < isa::dstWords(inst); ++w)
          if (!hold(inst.dst, w, heldBy(inst.src[0], w))) return false;
        return true;
      // Samples lie less than a pixel right of and below the pixel's corner, so all give the same whole number.
      case isa::Samples::Floor: return !(held & kSampleId);
      case isa::Samples::BySys: return system(inst);
      case isa::Samples::ByImage: return texture(inst);
      case isa::Samples::ByPlace: interpolates_ = true; return !held && !isa::baryInfo(inst).perSample;
      case isa::Samples::BySpace: return !held && isOwn(static_cast<isa::Space>(inst.sub));
    }
    return false;
  }

  /// Stores to these end with the invocation, or are what it is run for.
  static bool isOwn(isa::Space space) { return isa::spaceInfo(space).reach == isa::SpaceInfo::Reach::Lane; }

  bool system(const isa::Inst& inst) {
    switch (abi::sysValueInfo(static_cast<abi::SysValue>(inst.imm)).fragments) {
      case abi::SysFragments::Sample: return hold(inst.dst, 0, kSampleId);
      case abi::SysFragments::Pixel: return hold(inst.dst, 0, kPosition);
      case abi::SysFragments::Primitive: return true;
      case abi::SysFragments::None:
      case abi::SysFragments::Place:
      case abi::SysFragments::Corner:
      case abi::SysFragments::Fragment: return false;
    }
    return false;
  }

  bool texture(const isa::Inst& inst) {
    const abi::TexInst tex = abi::TexInst::unpack(inst.imm);
    switch (tex.kind) {
      case abi::TexKind::ImageWrite:
      case abi::TexKind::ImageAtomic:
      case abi::TexKind::QueryLod: return false;
      case abi::TexKind::Sample:
        if (tex.lod == abi::LodMode::Implicit || tex.lod == abi::LodMode::Bias) return false;
        break;
      default: break;
    }
    const bool chooses = tex.kind == abi::TexKind::Fetch && tex.hasSample();
    uint8_t others = heldBy(inst.src[0]) | heldBy(inst.src[2]);
    for (uint32_t w = 0; w < isa::srcWords(inst, 1); ++w) {
      const uint8_t held = heldBy(inst.src[1], w);
      if (chooses && w == tex.argSample() && held == kSampleId)
        choosesSamples_ = true;
      else
        others |= held;
    }
    return !others;
  }

  const isa::Program& program_;
  std::vector<uint8_t> holds_;  ///< per word
  bool changed_ = false, choosesSamples_ = false, interpolates_ = false;
};

}  // namespace

void findSampleSharing(isa::Program& program) {
  abi::ProgramInfo& info = program.info;
  info.sharesSamples = false;
  if (info.stage != abi::Stage::Fragment || info.interlock || info.writesSampleDepth) return;
  for (const isa::Inst& inst : program.code)
    if (!isa::isExtension(inst.op) || inst.predicated) return;
  info.sharesSamples = SampleSharing(program).run();
}

}  // namespace etzel::opt
