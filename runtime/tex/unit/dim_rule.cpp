#include "runtime/tex/unit/dim_rule.h"

namespace etzel::tex {
namespace {

abi::TexDim dimOf(VkImageViewType type) {
  switch (type) {
    case VK_IMAGE_VIEW_TYPE_1D:
    case VK_IMAGE_VIEW_TYPE_1D_ARRAY: return abi::TexDim::D1;
    case VK_IMAGE_VIEW_TYPE_3D: return abi::TexDim::D3;
    case VK_IMAGE_VIEW_TYPE_CUBE:
    case VK_IMAGE_VIEW_TYPE_CUBE_ARRAY: return abi::TexDim::Cube;
    default: return abi::TexDim::D2;
  }
}
bool isArray(VkImageViewType type) {
  return type == VK_IMAGE_VIEW_TYPE_1D_ARRAY || type == VK_IMAGE_VIEW_TYPE_2D_ARRAY ||
         type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
}

}  // namespace

bool sameDim(const abi::TexInst& inst, const ImageView& view) { return dimOf(view.type) == inst.dim; }

abi::TexInst adaptToView(const abi::TexInst& inst, const ImageView& view, const Sampler* sampler, const LaneWords* args,
                         LaneWords* adapted) {
  abi::TexInst t = inst;
  t.dim = dimOf(view.type), t.rule = abi::DimRule::Given;
  t.arrayed = isArray(view.type);
  const uint32_t spatial = t.spatialDims();
  t.dref = sampler && sampler->compare && spatial < 3 && view.info->isDepth();
  for (uint32_t d = 0; d < spatial; ++d) adapted[d] = args[d];
  if (t.arrayed) adapted[spatial] = spatial < 3 ? args[spatial] : LaneWords{};
  if (t.dref) adapted[t.argDref()] = args[2];
  if (t.argGradX() > t.argLod()) adapted[t.argLod()] = args[3];  // bias or level
  return t;
}

}  // namespace etzel::tex
