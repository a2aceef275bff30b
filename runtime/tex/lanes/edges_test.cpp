// The first and the last texels of images: every target reads and writes nothing beside them, and sees the same border.
#include "runtime/tex/test_scene.h"

namespace etzel::tex {
namespace {

using namespace test;

/// Shapes whose rows have no padding: a line of a cache, or several, with texels of `bytes`.
std::vector<Shape> tightShapes(uint32_t bytes) {
  const uint32_t width = bytes <= 32 && 64 % bytes == 0 ? 64 / bytes : 64;
  return {{VK_IMAGE_VIEW_TYPE_2D, {width, 3, 1}, 1, TexDim::D2, false},
          {VK_IMAGE_VIEW_TYPE_2D, {2 * width, 4, 1}, 1, TexDim::D2, false},
          {VK_IMAGE_VIEW_TYPE_2D_ARRAY, {width, 2, 1}, 3, TexDim::D2, true},
          {VK_IMAGE_VIEW_TYPE_1D, {width, 1, 1}, 1, TexDim::D1, false},
          {VK_IMAGE_VIEW_TYPE_1D_ARRAY, {width, 1, 1}, 2, TexDim::D1, true},
          {VK_IMAGE_VIEW_TYPE_3D, {width, 2, 2}, 1, TexDim::D3, false},
          {VK_IMAGE_VIEW_TYPE_CUBE, {width, width, 1}, 6, TexDim::Cube, false},
          {VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, {width, width, 1}, 12, TexDim::Cube, true}};
}

/// An instruction on such an image.
TexInst randomInst(Scene& s, const Shape& shape) {
  TexInst inst;
  inst.dim = shape.dim, inst.arrayed = shape.arrayed;
  const bool cube = shape.dim == TexDim::Cube, flat = shape.dim == TexDim::D2;
  const uint32_t kind = s.pick(5);
  if (kind == 0 && flat) {
    inst.kind = TexKind::Gather, inst.lod = LodMode::Zero, inst.component = static_cast<uint8_t>(s.pick(4));
  } else if (kind == 1 && !cube) {
    inst.kind = TexKind::Fetch, inst.lod = LodMode::Zero;
  } else if (kind == 2 && !cube && s.view.info->compression == format::Compression::None) {
    inst.kind = TexKind::ImageWrite, inst.lod = LodMode::Zero;
  } else {
    inst.lod = static_cast<LodMode>(s.pick(5));
  }
  return inst;
}

/// Places around both ends of an axis: footprints that lie there, or are cut, and pixels beside each other.
void placesOfAxis(Scene& s, uint32_t size, uint32_t axis, bool integers) {
  const uint32_t ends = s.pick(3), kind = std::min(s.pick(4), 2u);  // first, last, or both
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    const bool last = ends == 2 ? s.pick(2) : ends;
    const auto end = static_cast<int32_t>(size);
    int32_t texel = (last ? end - 1 : 0) + static_cast<int32_t>(s.pick(3)) - 1;
    float within = s.number(0, 1);
    if (kind == 2) {  // two texels are there
      texel = last ? std::max(end - 2, 0) : 0, within = s.number(0.5f, 1.4f);
    } else if (kind == 1) {  // two quads, eight in a row
      const uint32_t pixel = axis ? i / 2 % 2 : s.pick(4) ? i % 2 + i / 4 * 2 : i;
      texel = (ends ? end - (axis ? 2 : 4) : 0) + static_cast<int32_t>(pixel);
    }
    const float place = (static_cast<float>(texel) + within) / static_cast<float>(size);
    s.args[axis][i] = integers ? static_cast<uint32_t>(texel) : floatToBits(place);
  }
}

/// An instruction's places, at edges of the image.
void coordinatesOfEdges(Scene& s, const Shape& shape, const TexInst& inst) {
  s.randomCoordinates(inst);
  const uint32_t size[3] = {shape.extent.width, shape.extent.height, shape.extent.depth};
  const bool integers = inst.kind == TexKind::Fetch || inst.kind == TexKind::ImageWrite;
  if (inst.dim == TexDim::Cube) {
    // Two of three at an end: at an edge; all of them: at a corner.
    for (uint32_t d = 0; d < 3; ++d)
      for (uint32_t i = 0; i < kWarpLanes; ++i)
        s.args[d][i] = floatToBits((s.pick(2) ? 1.0f : -1.0f) * (s.pick(3) ? s.number(0.95f, 1) : s.number(0, 1)));
  } else {
    for (uint32_t d = 0; d < inst.spatialDims(); ++d) placesOfAxis(s, size[d], d, integers);
  }
  for (uint32_t i = 0; inst.arrayed && i < kWarpLanes; ++i) {
    const uint32_t layers = shape.layers / (inst.dim == TexDim::Cube ? 6 : 1);
    const uint32_t layer = s.pick(2) ? layers - 1 : 0;
    s.args[inst.spatialDims()][i] = integers ? layer : floatToBits(static_cast<float>(layer));
  }
}

TEST(Lanes, NothingBesideAnImageIsReadOrWritten) {
  Scene s;
  LaneWords result[9];
  std::vector<VkFormat> formats(std::begin(kFloatFormats), std::end(kFloatFormats));
  formats.insert(formats.end(), std::begin(kIntegerFormats), std::end(kIntegerFormats));
  formats.insert(formats.end(), std::begin(kBlockFormats), std::end(kBlockFormats));
  for (VkFormat format : formats) {
    const format::FormatInfo& info = *format::find(format);
    const bool blocks = info.compression != format::Compression::None;
    for (const Shape& shape : tightShapes(info.blockBytes)) {
      if (blocks && shape.dim == TexDim::D1) continue;
      for (int trial = 0; trial < 400; ++trial) {
        if (trial % 50 == 0) s.make(format, shape.type, shape.extent, 1, shape.layers);
        s.randomSampler();
        if (s.pick(4) && !info.isInteger())
          s.sampler.magFilter = s.sampler.minFilter = VK_FILTER_LINEAR, s.sampler.anisotropic = s.pick(4) == 0;
        const TexInst inst = randomInst(s, shape);
        if (inst.kind == TexKind::ImageWrite) s.view.identitySwizzle = true;
        if (shape.dim == TexDim::Cube) s.sampler.anisotropic = false;
        coordinatesOfEdges(s, shape, inst);
        s.runLanes(inst, s.pick(3) ? kAllLanes : s.pick(255) + 1, result, about(s, inst, trial));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Lanes, BordersOfEveryColourGiveTheSameBytesOnEveryTarget) {
  Scene s;
  LaneWords result[9];
  for (VkFormat format : {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB,
                          VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_R8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT}) {
    for (const bool arrayed : {false, true}) {
      s.make(format, arrayed ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D, {arrayed ? 16u : 13u, 8, 1}, 4,
             arrayed ? 3 : 1);
      for (int trial = 0; trial < 500; ++trial) {
        s.randomSampler();
        s.sampler.magFilter = s.sampler.minFilter = VK_FILTER_LINEAR;
        s.sampler.anisotropic = s.pick(2), s.sampler.maxAnisotropy = 8;
        for (VkSamplerAddressMode& m : s.sampler.address)
          if (s.pick(3)) m = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
        TexInst inst;
        constexpr LodMode kModes[] = {LodMode::Implicit, LodMode::Bias, LodMode::Explicit, LodMode::Zero};
        inst.arrayed = arrayed, inst.lod = kModes[s.pick(4)];
        s.randomCoordinates(inst);
        const float far = s.pick(2) ? s.number(0, 0.3f) : 3e7f;
        if (s.pick(4) == 0) s.args[s.pick(2)][s.pick(8)] = floatToBits(far);
        s.runLanes(inst, s.pick(3) ? kAllLanes : s.pick(255) + 1, result, about(s, inst, trial));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Lanes, ProbesOverEdgesAndInMirroredImagesGiveTheSameBytesOnEveryTarget) {
  Scene s;
  LaneWords result[9];
  constexpr VkSamplerAddressMode kModes[] = {
      VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT, VK_SAMPLER_ADDRESS_MODE_REPEAT,
      VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE};
  for (VkFormat format : {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB}) {
    for (const VkExtent3D extent : {VkExtent3D{64, 32, 1}, VkExtent3D{16, 8, 1}, VkExtent3D{13, 9, 1}}) {
      for (const uint32_t layers : {1u, 3u}) {
        const bool arrayed = layers > 1;
        s.make(format, arrayed ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D, extent, 4, layers);
        for (int trial = 0; trial < 500; ++trial) {
          s.randomSampler();
          s.sampler.magFilter = s.sampler.minFilter = VK_FILTER_LINEAR;
          s.sampler.anisotropic = true, s.sampler.maxAnisotropy = static_cast<float>(2 + s.pick(15));
          for (VkSamplerAddressMode& m : s.sampler.address) m = kModes[s.pick(5)];
          TexInst inst;
          inst.arrayed = arrayed;
          s.randomCoordinates(inst);
          s.runLanes(inst, s.pick(3) ? kAllLanes : s.pick(255) + 1, result, about(s, inst, trial));
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

}  // namespace
}  // namespace etzel::tex
