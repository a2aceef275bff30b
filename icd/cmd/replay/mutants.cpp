#include "icd/cmd/replay/mutants.h"

#include <utility>

#include "runtime/mutant/mutant.h"

namespace etzel::icd {
namespace {

void exchange(VkBlendFactor& f) {
  if (f == VK_BLEND_FACTOR_SRC_ALPHA)
    f = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
  else if (f == VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA)
    f = VK_BLEND_FACTOR_SRC_ALPHA;
}

void noWrap(VkStencilOp& op) {
  if (op == VK_STENCIL_OP_INCREMENT_AND_WRAP) op = VK_STENCIL_OP_INCREMENT_AND_CLAMP;
}

void mutateBlend(raster::BlendAttachment& b) {
  if (mutated(Mutant::BlendFactor)) exchange(b.srcColor), exchange(b.dstColor);
  if (mutated(Mutant::BlendSubtract) && b.colorOp == VK_BLEND_OP_REVERSE_SUBTRACT) b.colorOp = VK_BLEND_OP_SUBTRACT;
  if (mutated(Mutant::WriteMask)) b.writeMask |= VK_COLOR_COMPONENT_A_BIT;
}

}  // namespace

void mutateDraw(raster::DrawState& s, raster::DrawParams& p) {
  if (mutated(Mutant::FrontFace))
    s.frontFace = s.frontFace == VK_FRONT_FACE_CLOCKWISE ? VK_FRONT_FACE_COUNTER_CLOCKWISE : VK_FRONT_FACE_CLOCKWISE;
  if (mutated(Mutant::ProvokingVertex)) s.provokingVertexLast = !s.provokingVertexLast;
  if (mutated(Mutant::RestartIndex)) s.primitiveRestart = false;
  if (mutated(Mutant::VertexOffset)) p.vertexOffset = 0;
  if (mutated(Mutant::FirstInstance)) p.firstInstance = 0;
  if (mutated(Mutant::InstanceDivisor))
    for (raster::VertexBinding& b : s.binding) b.divisor = 1;
  if (mutated(Mutant::ViewportDepth))
    for (VkViewport& v : s.viewport) v.minDepth = 0, v.maxDepth = 1;
  if (mutated(Mutant::Scissor))
    for (VkRect2D& r : s.scissor) r.extent.width += r.extent.width < 0x7FFFFFFF;
  if (mutated(Mutant::DepthBiasSlope)) s.depthBiasSlope = 0;
  if (mutated(Mutant::DepthLess) && s.depthCompare == VK_COMPARE_OP_LESS) s.depthCompare = VK_COMPARE_OP_LESS_OR_EQUAL;
  if (mutated(Mutant::DepthBounds)) s.depthBoundsTest = false;
  if (mutated(Mutant::StencilWrap))
    for (raster::StencilFace* f : {&s.front, &s.back}) noWrap(f->fail), noWrap(f->pass), noWrap(f->depthFail);
  if (mutated(Mutant::LogicXor) && s.logicOp == VK_LOGIC_OP_XOR) s.logicOp = VK_LOGIC_OP_OR;
  if (mutated(Mutant::SampleMask) && s.sampleMask != ~0u) s.sampleMask <<= 1;
  if (mutated(Mutant::AlphaToCoverage)) s.alphaToCoverage = false;
  if (mutated(Mutant::ShadingRateCombiner)) std::swap(s.shadingRateCombiner[0], s.shadingRateCombiner[1]);
  if (mutated(Mutant::ShadingRateTurned))
    s.shadingRate = raster::makeRate(raster::logHeightOf(s.shadingRate), raster::logWidthOf(s.shadingRate));
  for (raster::BlendAttachment& b : s.blend) mutateBlend(b);
}

}  // namespace etzel::icd
