// Sampler Y'CbCr conversions: range expansion and colour models for every kind of unsigned normalized format, chroma
// that is reconstructed implicitly, and arrays of such images ("Sampler Y'CbCr Conversion").
#include <cmath>

#include "cts-subset/cases/groups.h"
#include "cts-subset/cases/texture/lookup.h"

namespace etzel::cts {
namespace {

using Color = std::array<double, 4>;  ///< R = Cr, G = Y', B = Cb, A

constexpr const char* kArraysExtension = "VK_EXT_ycbcr_image_arrays";

/// A conversion, and the sampler that has it; its wishes beyond these are the defaults.
struct Conversion {
  VkFormat format;
  VkSamplerYcbcrModelConversion model = VK_SAMPLER_YCBCR_MODEL_CONVERSION_RGB_IDENTITY;
  VkSamplerYcbcrRange range = VK_SAMPLER_YCBCR_RANGE_ITU_FULL;
  VkChromaLocation location = VK_CHROMA_LOCATION_MIDPOINT;
  VkFilter chroma = VK_FILTER_NEAREST, luma = VK_FILTER_NEAREST;
  VkComponentMapping mapping{};

  VkFormatFeatureFlags needs() const {
    VkFormatFeatureFlags f = VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT;
    f |= location == VK_CHROMA_LOCATION_MIDPOINT ? VK_FORMAT_FEATURE_MIDPOINT_CHROMA_SAMPLES_BIT
                                                 : VK_FORMAT_FEATURE_COSITED_CHROMA_SAMPLES_BIT;
    if (luma == VK_FILTER_LINEAR) f |= VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
    if (chroma == VK_FILTER_LINEAR) f |= VK_FORMAT_FEATURE_SAMPLED_IMAGE_YCBCR_CONVERSION_LINEAR_FILTER_BIT;
    if (chroma != luma) f |= VK_FORMAT_FEATURE_SAMPLED_IMAGE_YCBCR_CONVERSION_SEPARATE_RECONSTRUCTION_FILTER_BIT;
    return f;
  }
};

/// An image that is seen through a conversion.
struct Converted {
  VkImage image = VK_NULL_HANDLE;
  VkImageView view = VK_NULL_HANDLE;
  VkSampler sampler = VK_NULL_HANDLE;

  Converted(Gpu& gpu, const Conversion& c, uint32_t width, uint32_t height, uint32_t layers) {
    gpu.require(gpu.features11.samplerYcbcrConversion, "samplerYcbcrConversion");
    gpu.require((gpu.formatFeatures(c.format) & c.needs()) == c.needs(), "such a conversion");
    VkSamplerYcbcrConversionCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_CREATE_INFO};
    info.format = c.format;
    info.ycbcrModel = c.model;
    info.ycbcrRange = c.range;
    info.components = c.mapping;
    info.xChromaOffset = info.yChromaOffset = c.location;
    info.chromaFilter = c.chroma;
    VkSamplerYcbcrConversion conversion;
    CTS_VK(vkCreateSamplerYcbcrConversion(gpu.device, &info, nullptr, &conversion));
    gpu.later([&gpu, conversion] { vkDestroySamplerYcbcrConversion(gpu.device, conversion, nullptr); });
    VkSamplerYcbcrConversionInfo chained{VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO, nullptr, conversion};
    makeSampler(gpu, c, chained);
    makeImage(gpu, c.format, width, height, layers, chained);
  }

 private:
  void makeSampler(Gpu& gpu, const Conversion& c, const VkSamplerYcbcrConversionInfo& chained) {
    VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, &chained};
    info.magFilter = info.minFilter = c.luma;
    info.addressModeU = info.addressModeV = info.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    sampler = gpu.make(info);
  }
  void makeImage(Gpu& gpu, VkFormat format, uint32_t width, uint32_t height, uint32_t layers,
                 const VkSamplerYcbcrConversionInfo& chained) {
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = format;
    info.extent = {width, height, 1};
    info.mipLevels = 1;
    info.arrayLayers = layers;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    Gpu::Bound bound;
    image = gpu.make(info, 0, &bound);
    const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, layers};
    gpu.discardFirst(image, all);
    VkImageViewCreateInfo seen{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, &chained};
    seen.image = image;
    seen.viewType = layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
    seen.format = format;
    seen.subresourceRange = all;
    view = gpu.make(seen);
  }
};

/// Colours at places (in texels; the third number is the layer) of an image with a conversion, which samplers of set
/// layouts must have.
std::vector<Color> look(Gpu& gpu, const Converted& what, uint32_t width, uint32_t height, uint32_t layers,
                        const std::vector<std::array<double, 3>>& places) {
  std::vector<float> at;
  for (const auto& p : places) at.insert(at.end(), {float(p[0] / width), float(p[1] / height), float(p[2]), 0});
  const Buffer in = gpu.buffer(at), out = gpu.buffer(at.size() * sizeof(float));
  const VkDescriptorSetLayoutBinding bindings[] = {
      {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT, &what.sampler},
      {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr},
      {2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}};
  const VkDescriptorSetLayout layout = gpu.makeSetLayout(bindings);
  const VkPipelineLayout pipelineLayout = gpu.makePipelineLayout(layout, 0);
  // A descriptor may take as many as the format has planes.
  const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 3},
                                        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2}};
  const VkDescriptorSet set = gpu.makeSets(layout, 1, sizes)[0];
  const Binding bound[] = {sampled(what.view, what.sampler), storage(in), storage(out)};
  std::vector<VkWriteDescriptorSet> writes;
  for (uint32_t i = 0; i < 3; ++i)
    writes.push_back(vktest::write(set, i, bound[i].type, &bound[i].buffer, &bound[i].image, &bound[i].texels));
  vkUpdateDescriptorSets(gpu.device, uint32_t(writes.size()), writes.data(), 0, nullptr);
  const VkPipeline pipeline = gpu.makePipeline(
      gpu.shader(VK_SHADER_STAGE_COMPUTE_BIT,
                 text("#version 450\nlayout(local_size_x=64) in;\nlayout(binding=0) uniform sampler2D%s t;\n"
                      "layout(binding=1) buffer A { vec4 at[]; };\nlayout(binding=2) buffer R { vec4 r[]; };\n"
                      "void main() { uint i = gl_GlobalInvocationID.x; if (i < uint(at.length()))\n"
                      "r[i] = textureLod(t, at[i].%s, 0.0); }\n",
                      layers > 1 ? "Array" : "", layers > 1 ? "xyz" : "xy")),
      pipelineLayout);
  gpu.submit([&](VkCommandBuffer cmd) {
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipelineLayout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(cmd, uint32_t(places.size() + 63) / 64, 1, 1);
  });
  std::vector<Color> colors(places.size());
  for (size_t i = 0; i < colors.size() * 4; ++i) colors[i / 4][i % 4] = double(out.as<float>()[i]);
  return colors;
}

void copyPlane(Gpu& gpu, VkImage image, VkImageAspectFlags aspect, uint32_t layer, VkExtent2D extent,
               const std::vector<uint8_t>& bytes) {
  const Buffer b = gpu.buffer(bytes);
  const VkBufferImageCopy region = vktest::wholeLevel({extent.width, extent.height, 1}, aspect, 0, layer);
  gpu.submit(
      [&](VkCommandBuffer cmd) { vkCmdCopyBufferToImage(cmd, b.handle, image, VK_IMAGE_LAYOUT_GENERAL, 1, &region); });
}

// Range expansion and models, of formats whose texels are whole colours.

struct Packed {
  const char* name;
  VkFormat format;
  uint32_t bytes;
  uint32_t bits[4], shift[4];  ///< of R, G, B, A in the texel's number
};
constexpr Packed kPacked[] = {
    {"rgba8", VK_FORMAT_R8G8B8A8_UNORM, 4, {8, 8, 8, 8}, {0, 8, 16, 24}},
    {"bgra8", VK_FORMAT_B8G8R8A8_UNORM, 4, {8, 8, 8, 8}, {16, 8, 0, 24}},
    {"r5g6b5", VK_FORMAT_R5G6B5_UNORM_PACK16, 2, {5, 6, 5, 0}, {11, 5, 0, 0}},
    {"bgra4", VK_FORMAT_B4G4R4A4_UNORM_PACK16, 2, {4, 4, 4, 4}, {4, 8, 12, 0}},
    {"a2bgr10", VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4, {10, 10, 10, 2}, {0, 10, 20, 30}},
    {"rgba16", VK_FORMAT_R16G16B16A16_UNORM, 8, {16, 16, 16, 16}, {0, 16, 32, 48}},
    {"rgba10x6", VK_FORMAT_R10X6G10X6B10X6A10X6_UNORM_4PACK16, 8, {10, 10, 10, 10}, {6, 22, 38, 54}},
};

struct Model {
  const char* name;
  VkSamplerYcbcrModelConversion model;
  double kr, kb;  ///< how much of red and blue is in the brightness; 0: no matrix
};
constexpr Model kModels[] = {
    {"identity", VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_IDENTITY, 0, 0},
    {"bt709", VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_709, 0.2126, 0.0722},
    {"bt601", VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_601, 0.299, 0.114},
    {"bt2020", VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_2020, 0.2627, 0.0593},
};

/// "Range Expansion" and "Model Conversion"; `bits` of Cr, Y', Cb.
Color converted(const Model& m, VkSamplerYcbcrRange range, const uint32_t bits[3], Color v) {
  const bool narrow = range == VK_SAMPLER_YCBCR_RANGE_ITU_NARROW;
  const auto expand = [&](size_t k, double offset, double scale) {
    const double max = std::exp2(bits[k]) - 1, unit = std::exp2(double(bits[k]) - 8);
    return narrow ? (v[k] * max - offset * unit) / (scale * unit) : v[k] - (k == 1 ? 0 : 128 * unit / max);
  };
  const double cr = expand(0, 128, 224), y = expand(1, 16, 219), cb = expand(2, 128, 224);
  if (m.kr == 0) return {cr, y, cb, v[3]};
  const double r = y + 2 * (1 - m.kr) * cr, b = y + 2 * (1 - m.kb) * cb;
  return {r, (y - m.kr * r - m.kb * b) / (1 - m.kr - m.kb), b, v[3]};
}

void model(Gpu& gpu, const Packed& p, const Model& m, VkSamplerYcbcrRange range, bool exchanged) {
  constexpr uint32_t kSize = 8;
  Conversion c{p.format};
  c.model = m.model, c.range = range;
  if (exchanged) c.mapping.r = VK_COMPONENT_SWIZZLE_B, c.mapping.b = VK_COMPONENT_SWIZZLE_R;
  const Converted what(gpu, c, kSize, kSize, 1);
  Random random(uint64_t(p.format));
  std::vector<uint8_t> bytes;
  std::vector<Color> expected;
  std::vector<std::array<double, 3>> places;
  for (uint32_t i = 0; i < kSize * kSize; ++i) {
    uint64_t texel = 0;
    Color v = {0, 0, 0, 1};
    for (size_t k = 0; k < 4; ++k) {
      if (!p.bits[k]) continue;
      const uint64_t max = (uint64_t{1} << p.bits[k]) - 1, value = random.below(uint32_t(max) + 1);
      texel |= value << p.shift[k];
      v[k] = double(value) / double(max);
    }
    for (uint32_t k = 0; k < p.bytes; ++k) bytes.push_back(uint8_t(texel >> 8 * k));
    if (exchanged) std::swap(v[0], v[2]);
    expected.push_back(converted(m, range, p.bits, v));
    places.push_back({i % kSize + 0.5, i / kSize + 0.5, 0});
  }
  copyPlane(gpu, what.image, VK_IMAGE_ASPECT_COLOR_BIT, 0, {kSize, kSize}, bytes);
  const std::vector<Color> got = look(gpu, what, kSize, kSize, 1, places);
  for (size_t i = 0; i < got.size(); ++i)
    for (size_t k = 0; k < 4; ++k) EXPECT_NEAR(got[i][k], expected[i][k], 2e-3) << "texel " << i << " component " << k;
}

// Chroma of half the resolution.

struct Subsampled {
  const char* name;
  VkFormat format;
  uint32_t chromaHeight;  ///< of kHeight rows; chroma is always half as wide
};
constexpr uint32_t kWidth = 8, kHeight = 6;
constexpr Subsampled kSubsampled[] = {
    {"420_3plane", VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, kHeight / 2},
    {"422_packed", VK_FORMAT_G8B8G8R8_422_UNORM, kHeight},
};

/// A layer's numbers.
struct Picture {
  std::vector<uint8_t> luma, cb, cr;

  Picture(const Subsampled& s, uint64_t seed) {
    Random random(seed);
    for (uint32_t i = 0; i < kWidth * kHeight; ++i) luma.push_back(uint8_t(random.below(256)));
    for (uint32_t i = 0; i < kWidth / 2 * s.chromaHeight; ++i)
      cb.push_back(uint8_t(random.below(256))), cr.push_back(uint8_t(random.below(256)));
  }
  void upload(Gpu& gpu, VkImage image, const Subsampled& s, uint32_t layer) const {
    const VkExtent2D whole = {kWidth, kHeight}, half = {kWidth / 2, s.chromaHeight};
    if (s.format == VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM) {
      copyPlane(gpu, image, VK_IMAGE_ASPECT_PLANE_0_BIT, layer, whole, luma);
      copyPlane(gpu, image, VK_IMAGE_ASPECT_PLANE_1_BIT, layer, half, cb);
      copyPlane(gpu, image, VK_IMAGE_ASPECT_PLANE_2_BIT, layer, half, cr);
      return;
    }
    std::vector<uint8_t> bytes;
    for (uint32_t i = 0; i < cb.size(); ++i) bytes.insert(bytes.end(), {luma[2 * i], cb[i], luma[2 * i + 1], cr[i]});
    copyPlane(gpu, image, VK_IMAGE_ASPECT_COLOR_BIT, layer, whole, bytes);
  }
};

/// A plane's number where `filter` meets it, in texels of the plane; beyond the edges it repeats.
template <class Texel>
double filtered(VkFilter filter, double u, double v, Texel texel) {
  if (filter == VK_FILTER_NEAREST) return texel(int(std::floor(u)), int(std::floor(v)));
  const double i = std::floor(u - 0.5), j = std::floor(v - 0.5), a = u - 0.5 - i, b = v - 0.5 - j;
  const int x = int(i), y = int(j);
  return (1 - b) * ((1 - a) * texel(x, y) + a * texel(x + 1, y)) +
         b * ((1 - a) * texel(x, y + 1) + a * texel(x + 1, y + 1));
}

/// "Chroma Reconstruction" at a place in luma texels.
double chromaAt(const Conversion& c, const Subsampled& s, const std::vector<uint8_t>& plane, double u, double v) {
  const bool halved = s.chromaHeight != kHeight;
  const auto texel = [&](int i, int j) {
    const int x = std::clamp(i, 0, int(kWidth / 2) - 1), y = std::clamp(j, 0, int(s.chromaHeight) - 1);
    return plane[size_t(y) * (kWidth / 2) + size_t(x)] / 255.0;
  };
  const bool cosited = c.location == VK_CHROMA_LOCATION_COSITED_EVEN;
  const auto moved = [&](double at) { return cosited ? (at + 0.5) / 2 : at / 2; };
  return filtered(c.chroma, moved(u), halved ? moved(v) : v, texel);
}

void reconstruct(Gpu& gpu, const Subsampled& s, Conversion c, uint32_t layers) {
  if (layers > 1) gpu.requireExtension(kArraysExtension);
  c.format = s.format;
  const Converted what(gpu, c, kWidth, kHeight, layers);
  std::vector<Picture> pictures;
  for (uint32_t layer = 0; layer < layers; ++layer) {
    pictures.emplace_back(s, layer + 17);
    pictures.back().upload(gpu, what.image, s, layer);
  }
  // Places away from where either kind of nearest filtering would have to round.
  Random random(3);
  std::vector<std::array<double, 3>> places;
  for (uint32_t i = 0; i < 192; ++i) {
    const auto place = [&](uint32_t size) {
      constexpr double in[] = {0.15, 0.35, 0.65, 0.85};
      return double(random.below(size)) + in[random.below(4)];
    };
    const double u = place(kWidth);
    places.push_back({u, place(kHeight), double(random.below(layers))});
  }
  const std::vector<Color> got = look(gpu, what, kWidth, kHeight, layers, places);
  for (size_t i = 0; i < got.size(); ++i) {
    const auto [u, v, layer] = places[i];
    const Picture& picture = pictures[size_t(layer)];
    const double luma = filtered(c.luma, u, v, [&](int x, int y) {
      x = std::clamp(x, 0, int(kWidth) - 1), y = std::clamp(y, 0, int(kHeight) - 1);
      return picture.luma[size_t(y) * kWidth + size_t(x)] / 255.0;
    });
    const auto color = [&](const Conversion& as) {
      return Color{chromaAt(as, s, picture.cr, u, v), luma, chromaAt(as, s, picture.cb, u, v), 1};
    };
    Color expected = color(c);
    // "Chroma Reconstruction": nearest filtering may take every location for the midpoint.
    Conversion midpoint = c;
    midpoint.location = VK_CHROMA_LOCATION_MIDPOINT;
    if (c.chroma == VK_FILTER_NEAREST && std::abs(got[i][0] - expected[0]) > 0.01) expected = color(midpoint);
    for (size_t k = 0; k < 4; ++k)
      EXPECT_NEAR(got[i][k], expected[k], filterTolerance(gpu, 1, 2) + 1e-3)
          << "at " << u << " " << v << " component " << k;
  }
}

const char* nameOf(VkFilter filter) { return filter == VK_FILTER_NEAREST ? "nearest" : "linear"; }

}  // namespace

void registerYcbcr() {
  for (const Packed& p : kPacked)
    for (const Model& m : kModels)
      for (VkSamplerYcbcrRange range : {VK_SAMPLER_YCBCR_RANGE_ITU_FULL, VK_SAMPLER_YCBCR_RANGE_ITU_NARROW}) {
        const bool narrow = range == VK_SAMPLER_YCBCR_RANGE_ITU_NARROW;
        if (narrow && p.bits[0] < 8) continue;  // not allowed
        for (bool exchanged : {false, true})
          add(text("texture.ycbcr.model.%s.%s.%s%s", p.name, m.name, narrow ? "narrow" : "full",
                   exchanged ? ".exchanged" : ""),
              [&p, &m, range, exchanged](Gpu& gpu) { model(gpu, p, m, range, exchanged); });
      }
  for (const Subsampled& s : kSubsampled)
    for (VkFilter luma : {VK_FILTER_NEAREST, VK_FILTER_LINEAR})
      for (VkFilter chroma : {VK_FILTER_NEAREST, VK_FILTER_LINEAR})
        for (VkChromaLocation location : {VK_CHROMA_LOCATION_COSITED_EVEN, VK_CHROMA_LOCATION_MIDPOINT}) {
          Conversion c{s.format};
          c.location = location, c.chroma = chroma, c.luma = luma;
          const std::string name =
              text("texture.ycbcr.%s.implicit.luma_%s.chroma_%s.%s", s.name, nameOf(luma), nameOf(chroma),
                   location == VK_CHROMA_LOCATION_COSITED_EVEN ? "cosited" : "midpoint");
          add(name, [&s, c](Gpu& gpu) { reconstruct(gpu, s, c, 1); });
          if (luma == chroma) add(name + ".array", [&s, c](Gpu& gpu) { reconstruct(gpu, s, c, 3); });
        }
}

}  // namespace etzel::cts
