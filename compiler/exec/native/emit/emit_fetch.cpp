// Fetches of texels whose places compiled code finds itself, and sizes of images: of views that abi::DirectView
// describes.
#include <cstddef>

#include "compiler/exec/native/emit/emitter.h"
#include "runtime/abi/kernel.h"

namespace etzel::native {

using abi::DirectView;
using abi::TexInst;
using abi::TexKind;
using isa::Inst;

/// Instructions on a plain 2D or 1D image whose descriptor and level are the same in all lanes, and sizes of 3D ones.
std::optional<Emitter::DirectWay> Emitter::directWay(const Inst& inst) {
  const TexInst tex = TexInst::unpack(inst.imm);
  const bool reads = tex.kind == TexKind::Fetch || tex.kind == TexKind::ImageRead;
  if (!reads && tex.kind != TexKind::QuerySize) return {};
  const bool volume = tex.dim == abi::TexDim::D3 && tex.kind == TexKind::QuerySize && tex.rule == abi::DimRule::Given;
  if (!(isFlat(tex) || volume) || tex.sparse || tex.minLod || (reads && tex.resultWords() != 4)) return {};
  isa::Operand level = inst.src[1];
  level.word += tex.argLod();
  const bool leveled = tex.lod == abi::LodMode::Explicit;
  if ((!leveled && tex.lod != abi::LodMode::Zero) || (leveled && !isUniform(level)) || !isUniform(inst.src[0]))
    return {};

  llvm::Type* i32 = ir_.getInt32Ty();
  V view = viewOf(inst.src[0]);
  V direct = directView(inst.src[0], view);
  V known = reads ? field(direct, offsetof(DirectView, read), ir_.getPtrTy())
                  : field(direct, volume ? offsetof(DirectView, depth) : offsetof(DirectView::Kind, format), i32);
  V possible = reads ? has(direct, DirectView::kRead, known) : ir_.CreateIsNotNull(known);
  if (leveled) {
    V number = word(level);
    if (isVector(number)) number = ir_.CreateExtractElement(number, uint64_t(0));
    possible = ir_.CreateAnd(possible, ir_.CreateICmpEQ(number, ir_.getInt32(0)));
  }
  if (!reads) {
    V width = field(direct, offsetof(DirectView, width), i32);
    V zero = ir_.getInt32(0);
    V height = tex.spatialDims() > 1 ? field(direct, offsetof(DirectView, height), i32) : zero;
    V depth = volume ? known : zero;
    return DirectWay{possible, [=] { return std::vector<V>{width, height, depth}; }};
  }
  // Fetches of neighbours share what depends on the image and most of the addresses: it stands before their branches.
  const TexelPlaces places = placesOfTexels(inst, direct);
  const TexelFormat format = formatOf(direct);
  return DirectWay{possible, [=, this] { return texelsAt(places, format, view, known); }};
}

/// Where the texels of all lanes lie.
Emitter::TexelPlaces Emitter::placesOfTexels(const Inst& inst, V direct) {
  const TexInst tex = TexInst::unpack(inst.imm);
  llvm::Type* i32 = ir_.getInt32Ty();
  TexelPlaces p;
  p.texels = field(direct, offsetof(DirectView, texels), ir_.getPtrTy());
  p.pitch = field(direct, offsetof(DirectView, rowPitch), i32);
  p.logBytes = field(direct, offsetof(DirectView::Kind, logBytes), i32);
  constexpr size_t kSizes[2] = {offsetof(DirectView, width), offsetof(DirectView, height)};
  V offset = nullptr;
  for (uint32_t d = 0; d < tex.spatialDims(); ++d) {
    V at = splat(word(inst.src[1], d));
    if (tex.offset) at = ir_.CreateAdd(at, splat(word(inst.src[1], tex.argOffset() + d)));
    V inside = ir_.CreateICmpULT(at, splat(field(direct, kSizes[d], i32)));
    p.inside = d ? ir_.CreateAnd(p.inside, inside) : inside;
    offset = d ? ir_.CreateAdd(offset, ir_.CreateMul(at, splat(p.pitch))) : ir_.CreateShl(at, splat(p.logBytes));
  }
  // Also in lanes that do not run: all addresses are texels.
  p.offset = ir_.CreateSelect(p.inside, offset, llvm::Constant::getNullValue(words8()));
  return p;
}

}  // namespace etzel::native
