#include "icd/debug/image_picture.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "runtime/format/format.h"
#include "runtime/tex/unit/texture_unit.h"

namespace etzel::icd {
namespace {

using abi::LodMode;
using abi::TexDim;
using abi::TexInst;
using abi::TexKind;

Error wrong(std::string what) { return {ErrorCode::InvalidArgument, std::move(what)}; }

/// An instruction for images such as the view's; cubes are arrays of their faces.
TexInst instructionFor(const tex::ImageView& view, TexKind kind) {
  TexInst t;
  t.kind = kind;
  switch (view.type) {
    case VK_IMAGE_VIEW_TYPE_1D: t.dim = TexDim::D1; break;
    case VK_IMAGE_VIEW_TYPE_1D_ARRAY: t.dim = TexDim::D1, t.arrayed = true; break;
    case VK_IMAGE_VIEW_TYPE_2D: break;
    case VK_IMAGE_VIEW_TYPE_3D: t.dim = TexDim::D3; break;
    default: t.arrayed = true;
  }
  if (!view.layout) t.dim = TexDim::Buffer, t.arrayed = false;
  t.multisampled = view.samples > 1;
  t.lod = !view.layout || t.multisampled ? LodMode::Zero : LodMode::Explicit;
  if (view.info->numeric == format::Numeric::Uint) t.type = abi::TexType::Uint;
  if (view.info->numeric == format::Numeric::Sint) t.type = abi::TexType::Sint;
  return t;
}

constexpr uint32_t kArguments = 8, kResults = 9;

/// Runs an instruction on the view, for all lanes.
void run(const abi::DispatchContext& context, const tex::ImageView& view, TexInst t, const LaneWords* arguments,
         LaneWords* results) {
  alignas(32) LaneWords sys[abi::kSysValueCount] = {};
  abi::Warp warp;
  warp.context = &context, warp.active = kAllLanes, warp.sys = sys;
  alignas(32) const abi::ImageDescriptor slot{0, 0, &view, nullptr};
  const auto* const handle = reinterpret_cast<const LaneWords*>(&slot);
  tex::execute(&warp, t.pack() | TexInst::kSameHandles, kAllLanes, handle, handle, arguments, results);
}

struct Size {
  uint32_t width = 1, height = 1, layers = 1;
};
Size sizeOf(const abi::DispatchContext& context, const tex::ImageView& view, uint32_t level) {
  const TexInst t = instructionFor(view, TexKind::QuerySize);
  alignas(32) LaneWords arguments[kArguments] = {}, results[kResults] = {};
  for (uint32_t& lane : arguments[0].lane) lane = level;
  run(context, view, t, arguments, results);
  const auto value = [&](uint32_t i) { return std::max(results[i].lane[0], 1u); };
  const uint32_t dims = t.spatialDims();
  return {value(0), dims > 1 ? value(1) : 1, dims > 2 ? value(2) : t.arrayed ? value(dims) : 1};
}

/// Eight texels of a row from `x` on; those behind its end are zeros.
struct EightTexels {
  format::Texel texel[kWarpLanes];
};
EightTexels fetch(const abi::DispatchContext& context, const tex::ImageView& view, uint32_t x, uint32_t y,
                  uint32_t step, ImagePart part) {
  const TexInst t = instructionFor(view, TexKind::Fetch);
  alignas(32) LaneWords arguments[kArguments] = {}, results[kResults] = {};
  const uint32_t dims = t.spatialDims();
  const auto fill = [&](uint32_t i, uint32_t value) {
    std::fill(std::begin(arguments[i].lane), std::end(arguments[i].lane), value);
  };
  for (uint32_t i = 0; i < kWarpLanes; ++i) arguments[0].lane[i] = x + i * step;
  if (dims > 1) fill(1, y);
  if (dims > 2 || t.arrayed) fill(t.coordWords() - 1, part.layer);
  if (t.lod == LodMode::Explicit) fill(t.argLod(), part.level);
  if (t.hasSample()) fill(t.argSample(), part.sample);
  run(context, view, t, arguments, results);
  EightTexels out;
  for (uint32_t i = 0; i < kWarpLanes; ++i)
    for (uint32_t c = 0; c < 4; ++c) out.texel[i].word[c] = results[c].lane[i];
  return out;
}

/// A component as a number.
float numberOf(const format::FormatInfo& info, uint32_t word) {
  if (info.numeric == format::Numeric::Uint) return static_cast<float>(word);
  if (info.numeric == format::Numeric::Sint) return static_cast<float>(static_cast<int32_t>(word));
  return std::bit_cast<float>(word);
}

/// "Data Format Specification", sRGB transfer.
float toSrgb(float linear) {
  return linear <= 0.0031308f ? linear * 12.92f : 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f;
}

const char* nameOf(VkFilter filter) {
  return filter == VK_FILTER_LINEAR ? "LINEAR" : filter == VK_FILTER_NEAREST ? "NEAREST" : "CUBIC";
}
const char* nameOf(VkSamplerAddressMode mode) {
  switch (mode) {
    case VK_SAMPLER_ADDRESS_MODE_REPEAT: return "REPEAT";
    case VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT: return "MIRRORED_REPEAT";
    case VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE: return "CLAMP_TO_EDGE";
    case VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER: return "CLAMP_TO_BORDER";
    default: return "MIRROR_CLAMP_TO_EDGE";
  }
}

/// Whether texels are numbers that can be fetched: planes of a picture are only seen through a conversion.
bool isFetched(const tex::ImageView& view) { return view.memory && view.info && !view.info->isYcbcr(); }

}  // namespace

std::string textOf(const abi::DispatchContext& context, const tex::ImageView& view) {
  if (!view.info) return "an image without memory";
  if (!view.layout) return std::to_string(view.bufferBytes / view.info->blockBytes) + " texels, " + view.info->name;
  if (!isFetched(view)) return view.info->name;
  const Size size = sizeOf(context, view, 0);
  std::string text = std::to_string(size.width);
  const bool isLine = view.type == VK_IMAGE_VIEW_TYPE_1D || view.type == VK_IMAGE_VIEW_TYPE_1D_ARRAY;
  if (!isLine) text += " x " + std::to_string(size.height);
  if (view.type == VK_IMAGE_VIEW_TYPE_3D) text += " x " + std::to_string(size.layers);
  text += std::string(", ") + view.info->name;
  const bool isCube = view.type == VK_IMAGE_VIEW_TYPE_CUBE || view.type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
  if (view.type != VK_IMAGE_VIEW_TYPE_3D && (size.layers > 1 || isCube))
    text += ", " + std::to_string(size.layers) + (isCube ? " faces" : " layers");
  if (view.mipCount > 1) text += ", " + std::to_string(view.mipCount) + " levels";
  if (view.samples > 1) text += ", " + std::to_string(view.samples) + " samples";
  return text;
}

std::string textOf(const tex::Sampler& s) {
  std::string text = nameOf(s.magFilter);
  if (s.minFilter != s.magFilter) text += std::string(", smaller ") + nameOf(s.minFilter);
  text += s.mipmapMode == VK_SAMPLER_MIPMAP_MODE_LINEAR ? ", levels LINEAR" : ", levels NEAREST";
  for (const VkSamplerAddressMode mode : s.address) text += std::string(", ") + nameOf(mode);
  if (s.anisotropic) text += ", anisotropy " + std::to_string(static_cast<int>(s.maxAnisotropy));
  if (s.compare) text += ", compares";
  return text;
}

Result<TexelValue> texelOf(const abi::DispatchContext& context, const tex::ImageView& view,
                           const std::vector<uint32_t>& coordinates) {
  if (!isFetched(view)) return wrong("its texels cannot be fetched");
  const TexInst t = instructionFor(view, TexKind::Fetch);
  const size_t count = t.coordWords();
  if (coordinates.size() != count && !(t.hasSample() && coordinates.size() == count + 1))
    return wrong("it takes " + std::to_string(count) + " coordinates");
  const Size size = sizeOf(context, view, 0);
  ImagePart part;
  const uint32_t dims = t.spatialDims(), y = dims > 1 ? coordinates[1] : 0;
  if (dims > 2 || t.arrayed) part.layer = coordinates[count - 1];
  if (coordinates.size() > count) part.sample = coordinates[count];
  if (coordinates[0] >= size.width || y >= size.height || part.layer >= size.layers || part.sample >= view.samples)
    return wrong("it has no such texel");
  return TexelValue{fetch(context, view, coordinates[0], y, 1, part).texel[0], view.info->numeric};
}

Result<ImagePicture> pictureOf(const abi::DispatchContext& context, const tex::ImageView& view, ImagePart part) {
  if (!isFetched(view)) return wrong("its texels cannot be fetched");
  if (part.level >= std::max(view.mipCount, 1u)) return wrong("it has no such level");
  const Size size = sizeOf(context, view, part.level);
  if (part.layer >= size.layers || part.sample >= view.samples) return wrong("it has no such layer or sample");
  ImagePicture p;
  p.step = (std::max(size.width, size.height) + ImagePicture::kLargest - 1) / ImagePicture::kLargest;
  p.width = (size.width + p.step - 1) / p.step, p.height = (size.height + p.step - 1) / p.step;
  const format::FormatInfo& info = *view.info;
  const bool isGrey = !info.isColor() || info.components() == 1;
  std::vector<float> values;
  values.reserve(size_t{p.width} * p.height * 3);
  for (uint32_t y = 0; y < p.height; ++y)
    for (uint32_t x = 0; x < p.width; x += kWarpLanes) {
      const EightTexels eight = fetch(context, view, x * p.step, y * p.step, p.step, part);
      for (uint32_t i = 0; i < kWarpLanes && x + i < p.width; ++i)
        for (uint32_t c = 0; c < 3; ++c) values.push_back(numberOf(info, eight.texel[i].word[isGrey ? 0 : c]));
    }
  float least = INFINITY, greatest = -INFINITY;
  for (const float v : values)
    if (std::isfinite(v)) least = std::min(least, v), greatest = std::max(greatest, v);
  const bool isStretched = info.isInteger() || !info.isColor() || least < 0 || greatest > 1;
  if (isStretched && least <= greatest) p.least = least, p.greatest = greatest;
  const float scale = p.greatest > p.least ? 1 / (p.greatest - p.least) : 0;
  for (const float v : values) {
    float shown = std::isfinite(v) ? std::clamp((v - p.least) * scale, 0.0f, 1.0f) : v > 0 ? 1 : 0;
    if (info.numeric == format::Numeric::Srgb) shown = toSrgb(shown);
    p.rgb.push_back(static_cast<std::byte>(std::lround(shown * 255)));
  }
  return p;
}

}  // namespace etzel::icd
