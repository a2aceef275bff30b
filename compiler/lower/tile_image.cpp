// Tile images (SPV_EXT_shader_tile_image): what a fragment's pixel holds in the attachments that it is drawn to. The
// value of a tile image is its location. The attachments' tiles are one worker's at a time, which draws its primitives
// in the order of the API, so that every read is coherent, whether the shader asks for that or not.
#include "compiler/lower/instructions.h"
#include "compiler/spirv/newer.h"
#include "runtime/mutant/mutant.h"

namespace etzel::lower {
namespace {

using abi::AttachmentAspect;

template <AttachmentAspect aspect>
void lowerRead(Lowerer& l, const spirv::Instruction& inst) {
  if (l.stage() != abi::Stage::Fragment)
    return l.error(ErrorCode::InvalidShader, "only fragment shaders read attachments");
  constexpr bool isColor = aspect == AttachmentAspect::Color;
  if (isColor && l.typeOfValue(inst.operand(0)).dim != spirv::kTileImageData)
    return l.error(ErrorCode::InvalidShader, "an attachment is read through something that is no tile image");
  constexpr size_t at = isColor ? 1 : 0;
  const Operand location = isColor ? l.scalar(inst.operand(0)) : l.imm(0);
  const bool hasSample = inst.size() > at && !mutated(Mutant::TileSample);
  const Operand sample = hasSample ? l.toWord(l.scalar(inst.operand(at)), l.typeOf(inst.operand(at))) : l.imm(0);
  const Operand texel =
      l.b.value(Opcode::AttRd, isa::Type::I32, location, sample, {}, 0, static_cast<uint32_t>(aspect));
  const spirv::Type& result = l.type(inst.type);
  l.setResult(inst, Lowerer::split(texel, result.kind == TypeKind::Vector ? result.count : 1));
}

}  // namespace

void addTileImages(LoweringTable& table) {
  table.add({{spirv::kOpColorAttachmentRead, lowerRead<AttachmentAspect::Color>},
             {spirv::kOpDepthAttachmentRead, lowerRead<AttachmentAspect::Depth>},
             {spirv::kOpStencilAttachmentRead, lowerRead<AttachmentAspect::Stencil>}});
}

}  // namespace etzel::lower
