// Fetches of texels whose places compiled code finds itself, and sizes of images: of views that abi::DirectView
// describes.
#include <cstddef>

#include "compiler/exec/native/emit/emitter.h"
#include "compiler/exec/native/emit/texel_axes.h"
#include "runtime/abi/kernel.h"

namespace etzel::native {

using abi::DirectView;
using abi::TexInst;
using abi::TexKind;
using isa::Inst;

/// Instructions on an image whose descriptor and level are the same in all lanes.
std::optional<Emitter::DirectWay> Emitter::directWay(const Inst& inst) {
  const TexInst tex = TexInst::unpack(inst.imm);
  const bool reads = tex.kind == TexKind::Fetch || tex.kind == TexKind::ImageRead;
  if (!reads && tex.kind != TexKind::QuerySize) return {};
  if (!namesTexels(tex) || tex.sparse || tex.minLod || (reads && tex.resultWords() != 4)) return {};
  if (!reads && tex.dim == abi::TexDim::Cube) return {};  // arrays of cubes count cubes
  isa::Operand level = inst.src[1];
  level.word += tex.argLod();
  const bool leveled = tex.lod == abi::LodMode::Explicit;
  if ((!leveled && tex.lod != abi::LodMode::Zero) || (leveled && !isUniform(level)) || !isUniform(inst.src[0]))
    return {};

  llvm::Type* i32 = ir_.getInt32Ty();
  V view = viewOf(inst.src[0]);
  V direct = directView(inst.src[0], view);
  V known = reads ? field(direct, offsetof(DirectView, read), ir_.getPtrTy())
                  : field(direct, offsetof(DirectView::Kind, format), i32);
  V possible = reads ? has(direct, DirectView::kRead, known) : ir_.CreateIsNotNull(known);
  if (leveled) {
    V number = word(level);
    if (isVector(number)) number = ir_.CreateExtractElement(number, uint64_t(0));
    possible = ir_.CreateAnd(possible, ir_.CreateICmpEQ(number, ir_.getInt32(0)));
  }
  if (!reads) {
    std::vector<V> sizes;
    for (const TexelAxis& axis : texelAxes(tex)) sizes.push_back(field(direct, axis.size, i32));
    sizes.resize(3, ir_.getInt32(0));
    return DirectWay{possible, [=] { return sizes; }};
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
  V offset = nullptr;
  uint32_t d = 0;
  for (const TexelAxis& axis : texelAxes(tex)) {
    V at = splat(word(inst.src[1], d));
    if (tex.offset && d < tex.offsetDims()) at = ir_.CreateAdd(at, splat(word(inst.src[1], tex.argOffset() + d)));
    V inside = ir_.CreateICmpULT(at, splat(field(direct, axis.size, i32)));
    p.inside = d ? ir_.CreateAnd(p.inside, inside) : inside;
    V away =
        axis.pitch ? ir_.CreateMul(at, splat(field(direct, axis.pitch, i32))) : ir_.CreateShl(at, splat(p.logBytes));
    offset = d ? ir_.CreateAdd(offset, away) : away;
    ++d;
  }
  // Also in lanes that do not run: all addresses are texels.
  p.offset = ir_.CreateSelect(p.inside, offset, llvm::Constant::getNullValue(words8()));
  return p;
}

}  // namespace etzel::native
