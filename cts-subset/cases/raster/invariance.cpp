// Multi-pass invariance: scissor rectangles decide which fragments exist and nothing else ("Invariance", rule 2), so a
// scene that is drawn band by band leaves the same bytes in every sample as one that is drawn at once. Large enough for
// drivers to use several threads, with primitives of all sizes. Nor does it matter to a resolve whether its source is
// stored afterwards ("Store Operations").
#include "cts-subset/cases/groups.h"
#include "cts-subset/support/samples.h"

namespace etzel::cts {
namespace {

constexpr uint32_t width = 160, height = 128, triangles = 1100;
constexpr VkFormat depthFormat = VK_FORMAT_D32_SFLOAT_S8_UINT;

struct Vertex {
  float position[4], color[4];
};

/// A few triangles as large as the target, many small ones, some slivers.
std::vector<Vertex> scene() {
  Random random(77);
  std::vector<Vertex> vertices;
  for (uint32_t i = 0; i < triangles; ++i) {
    const float reach = i % 50 == 0 ? 1.5f : i % 7 == 0 ? 0.4f : 0.1f, thin = i % 11 == 0 ? 0.02f : 1;
    const float x = random.range(-1, 1), y = random.range(-1, 1);
    for (int k = 0; k < 3; ++k) {
      const float dx = random.range(-reach, reach), dy = random.range(-reach, reach) * thin;
      vertices.push_back(
          {{x + dx, y + dy, random.unit(), 1}, {random.unit(), random.unit(), random.unit(), random.unit()}});
    }
  }
  return vertices;
}

enum class State {
  Opaque,
  Depth,
  Stencil,
  Blend,
  Logic,
  WriteMask,
  SampleMask,
  Discard,
  PerSample,
  AlphaToCoverage,
  Loop,     ///< whose rounds differ between pixels
  Texture,  ///< with an implicit level of detail
  Atomics,  ///< of a word per pixel
};

struct Row {
  State state;
  const char* name;
  VkFormat format;
  const char* formatName;
};
const Row rows[] = {
    {State::Opaque, "opaque", VK_FORMAT_R8G8B8A8_UNORM, "rgba8"},
    {State::Opaque, "opaque", VK_FORMAT_R16G16B16A16_SFLOAT, "rgba16f"},
    {State::Depth, "depth", VK_FORMAT_R8G8B8A8_UNORM, "rgba8"},
    {State::Stencil, "stencil", VK_FORMAT_B8G8R8A8_UNORM, "bgra8"},
    {State::Blend, "blend", VK_FORMAT_R8G8B8A8_UNORM, "rgba8"},
    {State::Blend, "blend", VK_FORMAT_R16G16B16A16_SFLOAT, "rgba16f"},
    {State::Logic, "logic_op", VK_FORMAT_R8G8B8A8_UNORM, "rgba8"},
    {State::WriteMask, "write_mask", VK_FORMAT_R8G8B8A8_UNORM, "rgba8"},
    {State::SampleMask, "sample_mask", VK_FORMAT_R8G8B8A8_UNORM, "rgba8"},
    {State::Discard, "discard", VK_FORMAT_R8G8B8A8_UNORM, "rgba8"},
    {State::PerSample, "per_sample", VK_FORMAT_R8G8B8A8_UNORM, "rgba8"},
    {State::AlphaToCoverage, "alpha_to_coverage", VK_FORMAT_R8G8B8A8_UNORM, "rgba8"},
    {State::Loop, "loop", VK_FORMAT_R8G8B8A8_UNORM, "rgba8"},
    {State::Texture, "texture", VK_FORMAT_R8G8B8A8_UNORM, "rgba8"},
    {State::Atomics, "atomics", VK_FORMAT_R8G8B8A8_UNORM, "rgba8"},
};

/// \param counts two words per pixel for State::Atomics
void setState(Gpu& gpu, State state, const Buffer& counts, DrawState& s) {
  const VkPhysicalDeviceFeatures& f = gpu.features.features;
  switch (state) {
    case State::Stencil:
      s.depthStencil.stencilTestEnable = VK_TRUE;
      s.depthStencil.front = {VK_STENCIL_OP_KEEP,
                              VK_STENCIL_OP_INCREMENT_AND_WRAP,
                              VK_STENCIL_OP_DECREMENT_AND_WRAP,
                              VK_COMPARE_OP_NOT_EQUAL,
                              7,
                              255,
                              3};
      s.depthStencil.back = s.depthStencil.front;
      [[fallthrough]];
    case State::Depth:
      s.depthStencil.depthTestEnable = s.depthStencil.depthWriteEnable = VK_TRUE;
      s.depthStencil.depthCompareOp = VK_COMPARE_OP_LESS;
      break;
    case State::Blend:
      s.attachment = {VK_TRUE,
                      VK_BLEND_FACTOR_SRC_ALPHA,
                      VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
                      VK_BLEND_OP_ADD,
                      VK_BLEND_FACTOR_ONE,
                      VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
                      VK_BLEND_OP_ADD,
                      15};
      break;
    case State::Logic:
      gpu.require(f.logicOp, "logicOp");
      s.blend.logicOpEnable = VK_TRUE;
      s.blend.logicOp = VK_LOGIC_OP_XOR;
      break;
    case State::WriteMask: s.attachment.colorWriteMask = 5; break;
    case State::SampleMask: {
      static const VkSampleMask mask = 0x6d6d;
      s.multisample.pSampleMask = &mask;
      break;
    }
    case State::PerSample:
      gpu.require(f.sampleRateShading, "sampleRateShading");
      s.multisample.sampleShadingEnable = VK_TRUE;
      s.multisample.minSampleShading = 1;
      break;
    case State::AlphaToCoverage: s.multisample.alphaToCoverageEnable = VK_TRUE; break;
    case State::Texture: {
      Image picture = gpu.image({.width = 16, .height = 16, .levels = 5, .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
      Random random(5);
      for (uint32_t level = 0; level < 5; ++level) {
        std::vector<uint32_t> texels(size_t{256} >> 2 * level);
        for (uint32_t& t : texels) t = random.next();
        gpu.upload(picture, texels.data(), texels.size() * 4, level);
      }
      VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
      info.magFilter = info.minFilter = VK_FILTER_LINEAR, info.mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR;
      info.maxLod = 4;
      s.bindings = {sampled(picture.view, gpu.sampler(info))};
      break;
    }
    case State::Atomics:
      gpu.require(f.fragmentStoresAndAtomics, "fragmentStoresAndAtomics");
      s.bindings = {storage(counts)};
      break;
    default: break;
  }
}

/// What fragments do before their colour is written, and what that needs.
struct Body {
  const char *declarations = "", *code = "";
};
Body bodyOf(State state) {
  switch (state) {
    case State::Discard: return {"", "if (fract(v.r * 8.0) < 0.3) discard;"};
    case State::Loop: return {"", "for (float f = v.r; f < v.g + 0.5; f += 0.1) if ((w.b += f * 0.05) > 1.0) break;"};
    case State::Texture: return {"layout(binding=0) uniform sampler2D t;\n", "w *= texture(t, v.rg * 3.0);"};
    case State::Atomics:
      return {"layout(binding=0) buffer C { uint c[]; };\nlayout(location=1) in vec2 at;\n",
              "uint i = (uint(at.y) * 160u + uint(at.x)) * 2u; atomicAdd(c[i], 1u); "
              "atomicXor(c[i + 1u], packUnorm4x8(v));"};
    default: return {};
  }
}

/// What draws of the scene have in common, but for attachments and vertices.
void prepareScene(Gpu& gpu, const Row& row, VkSampleCountFlagBits samples, const Buffer& counts, DrawState& s) {
  s.vert =
      "#version 450\nlayout(location=0) in vec4 p;\nlayout(location=1) in vec4 c;\nlayout(location=0) out vec4 v;\n"
      "layout(location=1) out vec2 at;\n"
      "void main() { gl_Position = p; v = c; at = (p.xy * 0.5 + 0.5) * vec2(160, 128); }\n";
  const Body body = bodyOf(row.state);
  s.frag = std::string("#version 450\nlayout(location=0) in vec4 v;\nlayout(location=0) out vec4 color;\n") +
           body.declarations + "void main() { vec4 w = v; " + body.code + " color = w; }\n";
  s.attributes = {{VK_FORMAT_R32G32B32A32_SFLOAT, 0}, {VK_FORMAT_R32G32B32A32_SFLOAT, 16}};
  s.stride = sizeof(Vertex);
  s.multisample.rasterizationSamples = samples;
  setState(gpu, row.state, counts, s);
}

/// Every sample of one aspect: two words a texel.
Buffer samplesOf(Gpu& gpu, const Image& image, VkImageAspectFlags aspect) {
  const uint32_t n = image.desc.samples;
  const std::string prefix = aspect == VK_IMAGE_ASPECT_STENCIL_BIT ? "u" : "";
  const char* packed = aspect == VK_IMAGE_ASPECT_STENCIL_BIT ? "uvec2(v.r, 0u)"
                       : aspect == VK_IMAGE_ASPECT_DEPTH_BIT ? "uvec2(floatBitsToUint(v.r), 0u)"
                                                             : "uvec2(packHalf2x16(v.rg), packHalf2x16(v.ba))";
  Buffer out = gpu.buffer(size_t{n} * width * height * 8);
  Dispatch d{"#version 450\nlayout(local_size_x=8, local_size_y=8) in;\nlayout(binding=0) uniform " + prefix +
             (n > 1 ? "sampler2DMS" : "sampler2D") + " t;\nlayout(binding=1) buffer R { uvec2 r[]; };\n" +
             text("void main() { ivec2 p = ivec2(gl_GlobalInvocationID.xy); for (int s = 0; s < %u; ++s) { ", n) +
             prefix + "vec4 v = texelFetch(t, p, s); r[" + text("(s * %u + p.y) * %u + p.x] = ", height, width) +
             packed + "; } }\n"};
  VkImageView view = gpu.view(image, VK_IMAGE_VIEW_TYPE_2D, {aspect, 0, 1, 0, 1}, image.desc.format);
  if (n == 1) d.glsl.replace(d.glsl.find("texelFetch(t, p, s)"), 19, "texelFetch(t, p, 0)");
  d.bindings = {sampled(view, gpu.sampler()), storage(out)};
  d.x = width / 8, d.y = height / 8;
  gpu.dispatch(d);
  return out;
}

void bands(Gpu& gpu, const Row& row, uint32_t n) {
  if (n > 1) requireSamples(gpu, n);
  const bool tests = row.state == State::Depth || row.state == State::Stencil;
  gpu.require(!tests || gpu.formatFeatures(depthFormat) & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT, "D32S8");
  const auto samples = VkSampleCountFlagBits(n);
  const Buffer vertices = gpu.buffer(scene());
  // Rectangles that cut through tiles and pixels' quads, and together are the target.
  const std::vector<VkRect2D> whole = {{{0, 0}, {width, height}}};
  const std::vector<VkRect2D> parts = {{{0, 0}, {71, height}},
                                       {{71, 0}, {width - 71, 37}},
                                       {{71, 37}, {18, 54}},
                                       {{89, 37}, {width - 89, 54}},
                                       {{71, 91}, {width - 71, height - 91}}};
  std::vector<Buffer> read[2];
  for (int way = 0; way < 2; ++way) {
    Image color = gpu.image({.format = row.format,
                             .width = width,
                             .height = height,
                             .samples = samples,
                             .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT});
    Image depth;
    gpu.clear(color, {.color = {.float32 = {0.25f, 0.5f, 0.75f, 1}}});
    DrawState s;
    if (tests) {
      depth = gpu.image({.format = depthFormat,
                         .width = width,
                         .height = height,
                         .samples = samples,
                         .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT});
      gpu.clear(depth, {.depthStencil = {1, 0}});
      s.depth = &depth;
    }
    s.colors = {color};
    s.vertices = vertices;
    const Buffer counts = gpu.buffer(std::vector<uint64_t>(width * height));
    prepareScene(gpu, row, samples, counts, s);
    const VkDynamicState scissor = VK_DYNAMIC_STATE_SCISSOR;
    const VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, nullptr, 0, 1,
                                                   &scissor};
    s.dynamic = &dynamic;
    s.commands = [&](VkCommandBuffer cmd) {
      for (const VkRect2D& rect : way ? parts : whole) {
        vkCmdSetScissor(cmd, 0, 1, &rect);
        vkCmdDraw(cmd, 3 * triangles, 1, 0, 0);
      }
    };
    draw(gpu, s);
    read[way].push_back(samplesOf(gpu, color, VK_IMAGE_ASPECT_COLOR_BIT));
    if (tests) read[way].push_back(samplesOf(gpu, depth, VK_IMAGE_ASPECT_DEPTH_BIT));
    if (row.state == State::Stencil) read[way].push_back(samplesOf(gpu, depth, VK_IMAGE_ASPECT_STENCIL_BIT));
    if (row.state == State::Atomics) read[way].push_back(counts);
  }
  for (size_t i = 0; i < read[0].size(); ++i)
    for (size_t at = 0; at < read[0][i].size / 8; ++at)
      ASSERT_EQ(read[1][i].as<uint64_t>()[at], read[0][i].as<uint64_t>()[at])
          << "aspect " << i << " sample " << at / (width * height) << " pixel (" << at % width << ","
          << at / width % height << ")";
}

/// Resolves of colour and depth, drawn to images that are kept and can be read, then to ones that are neither. The
/// right of the target stays as it was cleared.
void unstored(Gpu& gpu, const Row& row, uint32_t n) {
  requireSamples(gpu, n);
  gpu.require(gpu.formatFeatures(depthFormat) & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT, "D32S8");
  const auto samples = VkSampleCountFlagBits(n);
  const Buffer vertices = gpu.buffer(scene());
  const auto target = [&](VkFormat format, VkSampleCountFlagBits count, bool isRead) {
    const VkImageUsageFlags attachment =
        format == depthFormat ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    return gpu.image({.format = format,
                      .width = width,
                      .height = height,
                      .samples = count,
                      .usage = attachment | (isRead ? VkImageUsageFlags(VK_IMAGE_USAGE_SAMPLED_BIT) : 0)});
  };
  Buffer read[2][3];
  for (int way = 0; way < 2; ++way) {
    const Image color = target(row.format, samples, way == 0), depth = target(depthFormat, samples, way == 0);
    const Image resolved = target(row.format, VK_SAMPLE_COUNT_1_BIT, true);
    const Image resolvedDepth = target(depthFormat, VK_SAMPLE_COUNT_1_BIT, true);
    DrawState s;
    s.colors = {color}, s.resolves = {resolved};
    s.depth = &depth, s.depthResolve = &resolvedDepth;
    s.depthResolveMode = s.stencilResolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
    s.clearColors = {.color = {.float32 = {0.25f, 0.5f, 0.75f, 1}}};
    s.clearDepth = {.depthStencil = {1, 0}};
    if (way) s.storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
    s.vertices = vertices;
    s.scissors = {{{0, 0}, {100, height}}};
    prepareScene(gpu, row, samples, gpu.buffer(std::vector<uint64_t>(width * height)), s);
    s.commands = [](VkCommandBuffer cmd) {
      vkCmdDraw(cmd, 450, 1, 0, 0);
      vkCmdDraw(cmd, 3, 1, 450, 0);
    };
    draw(gpu, s);
    read[way][0] = samplesOf(gpu, resolved, VK_IMAGE_ASPECT_COLOR_BIT);
    read[way][1] = samplesOf(gpu, resolvedDepth, VK_IMAGE_ASPECT_DEPTH_BIT);
    read[way][2] = samplesOf(gpu, resolvedDepth, VK_IMAGE_ASPECT_STENCIL_BIT);
  }
  for (uint32_t i = 0; i < 3; ++i)
    for (uint32_t at = 0; at < width * height; ++at)
      ASSERT_EQ(read[1][i].as<uint64_t>()[at], read[0][i].as<uint64_t>()[at])
          << "aspect " << i << " pixel (" << at % width << "," << at / width << ")";
}

}  // namespace

void registerInvariance() {
  for (const Row& row : rows)
    for (uint32_t n : {1u, 2u, 4u, 8u, 16u}) {
      const bool many =
          row.state == State::SampleMask || row.state == State::PerSample || row.state == State::AlphaToCoverage;
      if (n == 1 && many) continue;
      add(text("invariance.scissor.%s.%s.x%u", row.name, row.formatName, n), [=](Gpu& gpu) { bands(gpu, row, n); });
      if (n == 1) continue;
      add(text("invariance.unstored.%s.%s.x%u", row.name, row.formatName, n), [=](Gpu& gpu) { unstored(gpu, row, n); });
    }
}

}  // namespace etzel::cts
