// VK_KHR_fragment_shading_rate: one invocation stands for a fragment of several pixels, whose size comes from the
// pipeline, the primitive and an attachment. What is covered and tested stays what it is with fragments of a pixel.
#include <algorithm>
#include <bit>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/samples.h"

namespace etzel::cts {
namespace {

using Op = VkFragmentShadingRateCombinerOpKHR;
constexpr Op kKeep = VK_FRAGMENT_SHADING_RATE_COMBINER_OP_KEEP_KHR;
constexpr uint32_t kSize = 32;

struct Size {
  uint32_t width, height;
  bool operator==(const Size&) const = default;
};
constexpr Size kSizes[] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}, {2, 4}, {4, 2}, {4, 4}};

/// As shaders and attachments encode it.
uint32_t encode(Size s) { return uint32_t(std::countr_zero(s.width)) << 2 | uint32_t(std::countr_zero(s.height)); }
Size decode(uint32_t rate) { return {1u << (rate >> 2 & 3), 1u << (rate & 3)}; }

using Sizes = std::vector<Size>;

/// What the device says of itself.
class Rates {
 public:
  explicit Rates(Gpu& gpu) {
    gpu.requireExtension(VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME);
    VkPhysicalDeviceFeatures2 f{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features};
    vkGetPhysicalDeviceFeatures2(gpu.physical, &f);
    VkPhysicalDeviceProperties2 p{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &properties};
    vkGetPhysicalDeviceProperties2(gpu.physical, &p);
    const auto query = reinterpret_cast<PFN_vkGetPhysicalDeviceFragmentShadingRatesKHR>(
        vkGetInstanceProcAddr(gpu.instance, "vkGetPhysicalDeviceFragmentShadingRatesKHR"));
    uint32_t count = 0;
    CTS_VK(query(gpu.physical, &count, nullptr));
    list_.assign(count, {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_KHR});
    CTS_VK(query(gpu.physical, &count, list_.data()));
  }

  VkPhysicalDeviceFragmentShadingRateFeaturesKHR features{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_FEATURES_KHR};
  VkPhysicalDeviceFragmentShadingRatePropertiesKHR properties{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_PROPERTIES_KHR};
  const std::vector<VkPhysicalDeviceFragmentShadingRateKHR>& list() const { return list_; }

  bool has(Size s, uint32_t samples) const {
    return std::any_of(list_.begin(), list_.end(), [&](const VkPhysicalDeviceFragmentShadingRateKHR& r) {
      return r.fragmentSize.width == s.width && r.fragmentSize.height == s.height && r.sampleCounts & samples;
    });
  }
  /// "Combining the Fragment Shading Rates": what a size may be clamped to.
  Sizes clamped(Size s, uint32_t samples) const {
    if (has(s, samples)) return {s};
    Sizes straight, turned;
    uint32_t area = 0;
    for (const auto& r : list_) {
      const Size c{r.fragmentSize.width, r.fragmentSize.height};
      if (!(r.sampleCounts & samples)) continue;
      if (c.width <= s.width && c.height <= s.height) straight.push_back(c), area = std::max(area, c.width * c.height);
      if (c.height <= s.width && c.width <= s.height) turned.push_back(c);
    }
    straight.insert(straight.end(), turned.begin(), turned.end());
    std::erase_if(straight, [&](Size c) { return c.width * c.height < area; });
    uint32_t sum = ~0u;
    for (Size c : straight) sum = std::min(sum, c.width + c.height);
    std::erase_if(straight, [&](Size c) { return c.width + c.height > sum; });
    return straight;
  }
  /// All results that one operation may have; `inner`: of the first of two.
  Sizes combined(const Sizes& a, const Sizes& b, Op op, uint32_t samples, bool inner) const {
    Sizes all;
    for (Size x : withClamped(a, samples)) {
      for (Size y : withClamped(b, samples)) {
        const Size c{combine(x.width, y.width, op), combine(x.height, y.height, op)};
        const Sizes one = clamped(c, samples);
        all.insert(all.end(), one.begin(), one.end());
        if (inner) all.push_back(c);
      }
    }
    return all;
  }

 private:
  Sizes withClamped(const Sizes& sizes, uint32_t samples) const {
    Sizes all = sizes;
    for (Size s : sizes)
      for (Size c : clamped(s, samples)) all.push_back(c);
    return all;
  }
  uint32_t combine(uint32_t a, uint32_t b, Op op) const {
    switch (op) {
      case VK_FRAGMENT_SHADING_RATE_COMBINER_OP_REPLACE_KHR: return b;
      case VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MIN_KHR: return std::min(a, b);
      case VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MAX_KHR: return std::max(a, b);
      case VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MUL_KHR:
        return a == 1 && b == 1 && !properties.fragmentShadingRateStrictMultiplyCombiner ? 2 : a * b;
      default: return a;
    }
  }
  std::vector<VkPhysicalDeviceFragmentShadingRateKHR> list_;
};

const std::string kHead = "#version 450\n#extension GL_EXT_fragment_shading_rate : require\n";

/// Triangles of all kinds, the same for each `seed`; `flat` numbers them from 1.
std::string triangles(uint32_t seed, uint32_t count) {
  Random random(seed);
  std::string list;
  for (uint32_t i = 0; i < 3 * count; ++i) {
    // One after the other: arguments are evaluated in whatever order the compiler likes.
    const float y = random.range(-1.2f, 1.2f), x = random.range(-1.2f, 1.2f);
    list += text("%svec2(%.6f, %.6f)", i ? ", " : "", double(x), double(y));
  }
  return kHead + text("layout(location=0) flat out int number;\nconst vec2 p[%u] = vec2[](", 3 * count) + list +
         ");\nvoid main() { gl_Position = vec4(p[gl_VertexIndex], 0.25 + 0.5 * float(gl_VertexIndex % 3) / 2.0, 1);"
         " number = gl_VertexIndex / 3 + 1; }\n";
}

std::string fragment(const std::string& value, const std::string& before = "") {
  return kHead + "layout(location=0) flat in int number;\nlayout(location=0) out vec4 color;\nvoid main() { " + before +
         "color = " + value + "; }\n";
}

/// One draw at the pipeline's rate.
std::vector<float> drawAt(Gpu& gpu, Size size, uint32_t n, DrawState s) {
  Image image = floatTarget(gpu, n, kSize, kSize);
  VkPipelineFragmentShadingRateStateCreateInfoKHR rate{
      VK_STRUCTURE_TYPE_PIPELINE_FRAGMENT_SHADING_RATE_STATE_CREATE_INFO_KHR,
      nullptr,
      {size.width, size.height},
      {kKeep, kKeep}};
  s.pipelineNext = &rate;
  s.colors = {image};
  s.multisample.rasterizationSamples = VkSampleCountFlagBits(n);
  draw(gpu, s);
  return samplesOf(gpu, image);
}

/// The texel of sample `k` of a pixel.
const float* at(const std::vector<float>& texels, uint32_t x, uint32_t y, uint32_t k) {
  return &texels[((k * kSize + y) * kSize + x) * 4];
}

#define EACH_SAMPLE(n)                   \
  for (uint32_t k = 0; k < (n); ++k)     \
    for (uint32_t y = 0; y < kSize; ++y) \
      for (uint32_t x = 0; x < kSize; ++x)

std::string placeName(uint32_t x, uint32_t y, uint32_t k) { return text("pixel %u,%u sample %u", x, y, k); }

/// Which of the allowed sizes `rate` is; fails where it is none.
Size sizeOf(const Rates& rates, Size asked, uint32_t n, float rate) {
  const Size got = decode(uint32_t(rate));
  const Sizes allowed = rates.clamped(asked, n);
  EXPECT_NE(std::find(allowed.begin(), allowed.end(), got), allowed.end())
      << "fragments of " << got.width << "x" << got.height << " where " << asked.width << "x" << asked.height
      << " were asked for";
  return got;
}

/// Every fragment is an aligned rectangle, seen from its centre; what is covered does not change.
void places(Gpu& gpu, Size size, uint32_t n) {
  const Rates rates(gpu);
  DrawState s;
  s.vert = triangles(size.width * 8 + size.height, 6);
  s.vertexCount = 18;
  s.frag = fragment("vec4(gl_FragCoord.xy, float(gl_ShadingRateEXT), float(number))");
  const std::vector<float> fine = drawAt(gpu, {1, 1}, n, s), got = drawAt(gpu, size, n, s);
  EACH_SAMPLE(n) {
    const float* v = at(got, x, y, k);
    ASSERT_EQ(v[3], at(fine, x, y, k)[3]) << placeName(x, y, k);
    if (v[3] == 0) continue;
    const Size f = sizeOf(rates, size, n, v[2]);
    ASSERT_EQ(v[0], float(x / f.width * f.width) + 0.5f * float(f.width)) << placeName(x, y, k);
    ASSERT_EQ(v[1], float(y / f.height * f.height) + 0.5f * float(f.height)) << placeName(x, y, k);
  }
}

/// Differences between lanes are those between fragments, that of every derivative.
void derivatives(Gpu& gpu, Size size, uint32_t n) {
  const Rates rates(gpu);
  DrawState s;
  s.vert = triangles(5 + size.width * 8 + size.height, 4);
  s.vertexCount = 12;
  s.frag = fragment("vec4(dFdx(gl_FragCoord.x), dFdy(gl_FragCoord.y), float(gl_ShadingRateEXT), 1.0)");
  const std::vector<float> got = drawAt(gpu, size, n, s);
  EACH_SAMPLE(n) {
    const float* v = at(got, x, y, k);
    if (v[3] == 0) continue;
    const Size f = sizeOf(rates, size, n, v[2]);
    ASSERT_EQ(v[0], float(f.width)) << placeName(x, y, k);
    ASSERT_EQ(v[1], float(f.height)) << placeName(x, y, k);
  }
}

/// Depth is tested where samples lie, whatever the fragment: planes cut each other along the same line.
void depth(Gpu& gpu, Size size, uint32_t n) {
  const Rates rates(gpu);
  gpu.require(gpu.limits().framebufferDepthSampleCounts & n, "depth samples");
  std::vector<float> got[2];
  for (uint32_t coarse = 0; coarse < 2; ++coarse) {
    Image depth = gpu.image({.format = VK_FORMAT_D32_SFLOAT,
                             .width = kSize,
                             .height = kSize,
                             .samples = VkSampleCountFlagBits(n),
                             .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT});
    VkClearValue far;
    far.depthStencil = {1, 0};
    gpu.clear(depth, far);
    DrawState s;
    s.vert = triangles(99 + size.width * 8 + size.height, 6);
    s.vertexCount = 18;
    s.frag = fragment("vec4(1.0, 1.0, float(gl_ShadingRateEXT), float(number))");
    s.depth = &depth;
    s.depthStencil.depthTestEnable = s.depthStencil.depthWriteEnable = VK_TRUE;
    s.depthStencil.depthCompareOp = VK_COMPARE_OP_LESS;
    got[coarse] = drawAt(gpu, coarse ? size : Size{1, 1}, n, s);
  }
  EACH_SAMPLE(n) ASSERT_EQ(at(got[1], x, y, k)[3], at(got[0], x, y, k)[3]) << placeName(x, y, k);
}

/// The bit of a sample in its fragment's masks ("Multisampling", coverage index).
uint32_t bitOf(Size f, uint32_t n, uint32_t x, uint32_t y, uint32_t k) {
  return k + n * (f.width * f.height - 1 - (x % f.width + y % f.height * f.width));
}

/// gl_SampleMaskIn tells all covered samples of a fragment.
void maskIn(Gpu& gpu, Size size, uint32_t n) {
  const Rates rates(gpu);
  DrawState s;
  s.vert = triangles(7 + size.width * 8 + size.height, 1);
  s.frag = fragment("vec4(mask & 0xFFFF, mask >> 16 & 0xFFFF, float(gl_ShadingRateEXT), 1.0)",
                    "int mask = gl_SampleMaskIn[0]; ");
  const std::vector<float> fine = drawAt(gpu, {1, 1}, n, s), got = drawAt(gpu, size, n, s);
  const bool reads = rates.properties.fragmentShadingRateWithShaderSampleMask;
  EACH_SAMPLE(n) {
    const float* v = at(got, x, y, k);
    if (v[3] == 0) continue;
    const Size f = sizeOf(rates, reads ? size : Size{1, 1}, n, v[2]);
    uint32_t expected = 0;
    for (uint32_t b = 0; b < n * f.width * f.height; ++b) {
      const uint32_t pixel = f.width * f.height - 1 - b / n;
      const uint32_t px = x / f.width * f.width + pixel % f.width, py = y / f.height * f.height + pixel / f.width;
      expected |= uint32_t(at(fine, px, py, b % n)[3] != 0) << b;
    }
    ASSERT_EQ(uint32_t(v[0]) | uint32_t(v[1]) << 16, expected) << placeName(x, y, k);
  }
}

/// gl_SampleMask takes samples of the fragment away.
void maskOut(Gpu& gpu, Size size, uint32_t n) {
  const Rates rates(gpu);
  constexpr uint32_t kMask = 0x5A3C96E1;
  DrawState s;
  s.vert = triangles(3 + size.width * 8 + size.height, 1);
  s.frag = fragment("vec4(1.0, 1.0, float(gl_ShadingRateEXT), 1.0)");
  const std::vector<float> fine = drawAt(gpu, {1, 1}, n, s);
  s.frag = fragment("vec4(1.0, 1.0, float(gl_ShadingRateEXT), 1.0)", text("gl_SampleMask[0] = int(0x%xu); ", kMask));
  const std::vector<float> got = drawAt(gpu, size, n, s);
  const bool writes = rates.properties.fragmentShadingRateWithShaderSampleMask;
  const Sizes sizes = rates.clamped(writes ? size : Size{1, 1}, n);
  EACH_SAMPLE(n) {
    const bool covered = at(fine, x, y, k)[3] != 0;
    const bool any =
        std::any_of(sizes.begin(), sizes.end(), [&](Size f) { return covered && kMask >> bitOf(f, n, x, y, k) & 1; });
    const bool all =
        std::all_of(sizes.begin(), sizes.end(), [&](Size f) { return covered && kMask >> bitOf(f, n, x, y, k) & 1; });
    const bool written = at(got, x, y, k)[3] != 0;
    ASSERT_TRUE(written ? any : !all) << placeName(x, y, k);
  }
}

/// The saving: an invocation for each fragment, and no more.
void invocations(Gpu& gpu, Size size, uint32_t n) {
  const Rates rates(gpu);
  gpu.require(gpu.features.features.fragmentStoresAndAtomics, "fragmentStoresAndAtomics");
  Buffer count = gpu.buffer(std::vector<uint32_t>(4));
  DrawState s;
  s.vert = coverAll();
  s.frag = kHead +
           "layout(location=0) out vec4 color;\nlayout(binding=0) buffer Count { uint count; };\n"
           "void main() { atomicAdd(count, 1); color = vec4(0.0, 0.0, float(gl_ShadingRateEXT), 1.0); }\n";
  s.bindings = {storage(count)};
  const std::vector<float> got = drawAt(gpu, size, n, s);
  const Size f = sizeOf(rates, size, n, got[2]);
  EXPECT_EQ(count.as<uint32_t>()[0], kSize * kSize / (f.width * f.height));
}

/// Shading per sample makes all fragments pixels.
void sampleShading(Gpu& gpu, bool input) {
  const Rates rates(gpu);
  gpu.require(gpu.features.features.sampleRateShading, "sampleRateShading");
  DrawState s;
  s.vert = coverAll();
  s.frag = kHead + "layout(location=0) out vec4 color;\nvoid main() { color = vec4(" +
           (input ? "float(gl_SampleID)" : "0.0") + ", 0.0, float(gl_ShadingRateEXT), 1.0); }\n";
  s.multisample.sampleShadingEnable = !input;
  const std::vector<float> got = drawAt(gpu, {2, 2}, 4, s);
  EACH_SAMPLE(4) ASSERT_EQ(at(got, x, y, k)[2], 0.0f) << placeName(x, y, k);
}

/// A format of attachments: rates are in red, which comes first.
struct RateFormat {
  const char* name;
  VkFormat format;
  uint32_t bytes, redBytes;
};
constexpr RateFormat kRateBytes = {"r8", VK_FORMAT_R8_UINT, 1, 1};
constexpr RateFormat kOtherRates[] = {{"rg8", VK_FORMAT_R8G8_UINT, 2, 1},
                                      {"rgba8", VK_FORMAT_R8G8B8A8_UINT, 4, 1},
                                      {"r16", VK_FORMAT_R16_UINT, 2, 2},
                                      {"rgba16", VK_FORMAT_R16G16B16A16_UINT, 8, 2},
                                      {"r32", VK_FORMAT_R32_UINT, 4, 4},
                                      {"rgb32", VK_FORMAT_R32G32B32_UINT, 12, 4},
                                      {"rgba32", VK_FORMAT_R32G32B32A32_UINT, 16, 4}};

/// Nine primitives, one below the other, over an attachment of nine columns: all sizes with all others.
void combiners(Gpu& gpu, Size pipeline, Op first, Op second, const RateFormat& format = kRateBytes) {
  const Rates rates(gpu);
  gpu.require(rates.features.primitiveFragmentShadingRate && rates.features.attachmentFragmentShadingRate,
              "primitive and attachment rates");
  const auto trivial = [](Op op) { return op == kKeep || op == VK_FRAGMENT_SHADING_RATE_COMBINER_OP_REPLACE_KHR; };
  gpu.require(rates.properties.fragmentShadingRateNonTrivialCombinerOps || (trivial(first) && trivial(second)),
              "fragmentShadingRateNonTrivialCombinerOps");
  const VkExtent2D texel = rates.properties.minFragmentShadingRateAttachmentTexelSize;
  constexpr Size kAll[9] = {{1, 1}, {1, 2}, {1, 4}, {2, 1}, {2, 2}, {2, 4}, {4, 1}, {4, 2}, {4, 4}};
  std::vector<uint8_t> columns;
  for (const Size& s : kAll) {
    std::vector<uint8_t> texel(format.bytes, 0xA5);  // what other components hold is no rate
    std::fill_n(texel.begin(), format.redBytes, uint8_t(0));
    texel[0] = uint8_t(encode(s));
    columns.insert(columns.end(), texel.begin(), texel.end());
  }
  Image attachment = gpu.image({.format = format.format,
                                .width = 9,
                                .height = 9,
                                .usage = VK_IMAGE_USAGE_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR});
  std::vector<uint8_t> all;
  for (uint32_t row = 0; row < 9; ++row) all.insert(all.end(), columns.begin(), columns.end());
  gpu.upload(attachment, all.data(), all.size());

  const uint32_t width = 9 * texel.width, height = 9 * texel.height;
  Image image = floatTarget(gpu, 1, width, height);
  VkPipelineFragmentShadingRateStateCreateInfoKHR rate{
      VK_STRUCTURE_TYPE_PIPELINE_FRAGMENT_SHADING_RATE_STATE_CREATE_INFO_KHR,
      nullptr,
      {pipeline.width, pipeline.height},
      {first, second}};
  const VkRenderingFragmentShadingRateAttachmentInfoKHR attached{
      VK_STRUCTURE_TYPE_RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR, nullptr, attachment.view,
      VK_IMAGE_LAYOUT_GENERAL, texel};
  std::string encoded;
  for (Size s : kAll) encoded += text("%s%u", encoded.empty() ? "" : ", ", encode(s));
  DrawState s;
  s.vert = kHead + "const int rates[9] = int[](" + encoded +
           ");\nvoid main() { int row = gl_VertexIndex / 6, corner = gl_VertexIndex % 6;\n"
           "vec2 at = vec2(corner == 1 || corner == 2 || corner == 4 ? 1 : -1,"
           " float(2 * (row + (corner == 2 || corner > 3 ? 1 : 0))) / 9.0 - 1.0);\n"
           "if (corner == 4) at.x = 1; if (corner == 3) at.x = -1;\n"
           "gl_Position = vec4(at, 0, 1); gl_PrimitiveShadingRateEXT = rates[row]; }\n";
  s.frag =
      kHead + "layout(location=0) out vec4 color;\nvoid main() { color = vec4(float(gl_ShadingRateEXT), 0, 0, 1); }\n";
  s.vertexCount = 54;
  s.colors = {image};
  s.pipelineNext = &rate;
  s.pipelineFlags = VK_PIPELINE_CREATE_RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR;
  s.renderingNext = &attached;
  draw(gpu, s);
  const std::vector<float> got = samplesOf(gpu, image);
  for (uint32_t row = 0; row < 9; ++row) {
    for (uint32_t column = 0; column < 9; ++column) {
      const Sizes inner = rates.combined({pipeline}, {kAll[row]}, first, 1, true);
      const Sizes allowed = rates.combined(inner, {kAll[column]}, second, 1, false);
      const uint32_t x = column * texel.width + texel.width / 2, y = row * texel.height + texel.height / 2;
      const Size f = decode(uint32_t(got[(y * width + x) * 4]));
      ASSERT_NE(std::find(allowed.begin(), allowed.end(), f), allowed.end())
          << f.width << "x" << f.height << " of primitive " << kAll[row].width << "x" << kAll[row].height
          << " and attachment " << kAll[column].width << "x" << kAll[column].height;
    }
  }
}

/// "vkGetPhysicalDeviceFragmentShadingRatesKHR": order, limits, what all devices have.
void list(Gpu& gpu) {
  const Rates rates(gpu);
  Size last{~0u, ~0u};
  for (const auto& r : rates.list()) {
    const Size s{r.fragmentSize.width, r.fragmentSize.height};
    EXPECT_TRUE(s.width < last.width || (s.width == last.width && s.height < last.height));
    last = s;
    if (s == Size{1, 1}) {
      EXPECT_EQ(r.sampleCounts, ~0u);
      continue;
    }
    const uint32_t most = std::bit_floor(r.sampleCounts);
    EXPECT_LE(most, uint32_t(rates.properties.maxFragmentShadingRateRasterizationSamples));
    EXPECT_LE(most * s.width * s.height, rates.properties.maxFragmentShadingRateCoverageSamples);
  }
  EXPECT_EQ(last, (Size{1, 1}));
  for (uint32_t n : {1u, 4u}) EXPECT_TRUE(rates.has({2, 2}, n) && rates.has({2, 1}, n)) << n << " samples";
}

}  // namespace

void registerShadingRate() {
  add("shading_rate.list", list);
  for (const RateFormat& format : kOtherRates)
    add(text("shading_rate.attachment.%s", format.name), [&format](Gpu& gpu) {
      combiners(gpu, {1, 1}, kKeep, VK_FRAGMENT_SHADING_RATE_COMBINER_OP_REPLACE_KHR, format);
    });
  for (bool input : {false, true})
    add(text("shading_rate.per_sample.%s", input ? "input" : "enabled"), [=](Gpu& gpu) { sampleShading(gpu, input); });
  struct Check {
    const char* name;
    void (*run)(Gpu&, Size, uint32_t);
  };
  for (const Check& check : {Check{"places", places},
                             {"derivatives", derivatives},
                             {"depth", depth},
                             {"mask_in", maskIn},
                             {"mask_out", maskOut},
                             {"invocations", invocations}})
    for (Size s : kSizes)
      for (uint32_t n : {1u, 2u, 4u, 8u})
        add(text("shading_rate.%s.%ux%u.x%u", check.name, s.width, s.height, n),
            [=](Gpu& gpu) { check.run(gpu, s, n); });
  const char* names[] = {"keep", "replace", "min", "max", "mul"};
  for (Size s : {Size{1, 1}, Size{2, 1}, Size{4, 4}})
    for (uint32_t first = 0; first < 5; ++first)
      for (uint32_t second = 0; second < 5; ++second)
        add(text("shading_rate.combine.%ux%u.%s.%s", s.width, s.height, names[first], names[second]),
            [=](Gpu& gpu) { combiners(gpu, s, Op(first), Op(second)); });
}

}  // namespace etzel::cts
