// Random draws: triangles, fixed functions, and what their shaders do.
#include <algorithm>

#include "raster/model/generator.h"

namespace etzel::raster::model {
namespace {

using format::Numeric;

VkCompareOp compare(Random& r) {
  constexpr VkCompareOp common[] = {VK_COMPARE_OP_LESS, VK_COMPARE_OP_LESS_OR_EQUAL, VK_COMPARE_OP_EQUAL,
                                    VK_COMPARE_OP_GREATER, VK_COMPARE_OP_ALWAYS};
  return r.below(3) ? common[r.below(5)] : static_cast<VkCompareOp>(r.below(8));
}

StencilFace stencilFace(Random& r) {
  StencilFace f;
  const bool quiet = r.in(3);
  const auto op = [&] { return quiet ? VK_STENCIL_OP_KEEP : static_cast<VkStencilOp>(r.below(8)); };
  f.fail = op(), f.pass = op(), f.depthFail = op();
  f.compare = r.below(2) ? VK_COMPARE_OP_ALWAYS : static_cast<VkCompareOp>(r.below(8));
  f.compareMask = r.below(2) ? ~0u : r.below(256), f.writeMask = r.below(2) ? ~0u : r.below(256);
  f.reference = r.below(2) ? r.below(3) : r.below(300);
  return f;
}

/// Results of float attachments stay finite, whatever is drawn in whatever order: no factor lets what is there grow by
/// more than a sum.
void blendFloats(Random& r, BlendAttachment& b) {
  struct Equation {
    VkBlendFactor source, destination;
    VkBlendOp op;
  };
  constexpr Equation all[] = {
      {VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_FACTOR_ZERO, VK_BLEND_OP_ADD},
      {VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE, VK_BLEND_OP_MIN},
      {VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE, VK_BLEND_OP_MAX},
      {VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE, VK_BLEND_OP_REVERSE_SUBTRACT},
      {VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE, VK_BLEND_OP_SUBTRACT},
      {VK_BLEND_FACTOR_SRC_COLOR, VK_BLEND_FACTOR_ONE, VK_BLEND_OP_ADD},
      {VK_BLEND_FACTOR_ZERO, VK_BLEND_FACTOR_CONSTANT_COLOR, VK_BLEND_OP_ADD},
      {VK_BLEND_FACTOR_CONSTANT_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA, VK_BLEND_OP_ADD},
  };
  const Equation color = all[r.below(8)], alpha = all[r.below(8)];
  b.srcColor = color.source, b.dstColor = color.destination, b.colorOp = color.op;
  b.srcAlpha = alpha.source, b.dstAlpha = alpha.destination, b.alphaOp = alpha.op;
}

void blendFixed(Random& r, BlendAttachment& b, bool secondSource) {
  const auto factor = [&] {
    constexpr VkBlendFactor common[] = {VK_BLEND_FACTOR_ZERO, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_SRC_ALPHA,
                                        VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA};
    if (r.below(2)) return common[r.below(4)];
    return static_cast<VkBlendFactor>(r.below(secondSource ? 19 : 15));
  };
  const auto op = [&] { return r.below(2) ? VK_BLEND_OP_ADD : static_cast<VkBlendOp>(r.below(5)); };
  b.srcColor = factor(), b.dstColor = factor(), b.colorOp = op();
  b.srcAlpha = factor(), b.dstAlpha = factor(), b.alphaOp = op();
}

}  // namespace

Triangle Generator::triangle(const Pass& pass) {
  if (!recent_.empty() && random_.in(5)) {
    // Again what was there, so that equal depths meet; often with another colour.
    Triangle t = recent_[random_.below(uint32_t(recent_.size()))];
    if (random_.below(2)) t.seed = mix(t.seed, 1);
    t.layer = pass.layers > 1 && !pass.viewMask ? random_.below(pass.layers) : 0;
    return t;
  }
  Triangle t;
  const int32_t width = int32_t(world().width) * 256, height = int32_t(world().height) * 256;
  const uint32_t shape = random_.below(10);
  // Corners on whole pixels and on sample positions now and then: edges go right through samples.
  const int32_t grid = int32_t(random_.in(4) ? 256 : random_.in(3) ? 16 : 1);
  const auto snap = [&](int32_t v) { return v & ~(grid - 1); };
  if (shape < 2) {  // one half of a rectangle: the whole picture, or whole tiles
    int32_t x0 = 0, y0 = 0, x1 = width, y1 = height;
    if (shape == 1) {
      x0 = int32_t(random_.below(world().width / 8 + 1)) * 2048,
      y0 = int32_t(random_.below(world().height / 8 + 1)) * 2048;
      x1 = x0 + int32_t(1 + random_.below(4)) * 2048, y1 = y0 + int32_t(1 + random_.below(4)) * 2048;
    }
    if (random_.below(2)) {  // twice as large, so that it covers all of it
      t.x[0] = x0, t.y[0] = y0, t.x[1] = 2 * x1 - x0, t.y[1] = y0, t.x[2] = x0, t.y[2] = 2 * y1 - y0;
    } else {
      t.x[0] = x0, t.y[0] = y0, t.x[1] = x1, t.y[1] = y0, t.x[2] = x1, t.y[2] = y1;
    }
  } else {
    const uint32_t size = (shape < 6 ? 10 : shape < 9 ? 40 : 200) * 256;
    const int32_t cx = int32_t(random_.below(uint32_t(width))), cy = int32_t(random_.below(uint32_t(height)));
    for (int i = 0; i < 3; ++i) {
      t.x[i] = snap(cx + int32_t(random_.below(size)) - int32_t(size / 2));
      t.y[i] = snap(cy + int32_t(random_.below(size)) - int32_t(size / 2));
    }
    if (random_.in(8)) t.x[2] = t.x[1] + int32_t(random_.below(64)), t.y[2] = t.y[1];  // a sliver
  }
  if (random_.below(2)) std::swap(t.x[1], t.x[2]), std::swap(t.y[1], t.y[2]);
  const float z = float(random_.below(17)) / 16;
  const bool level = random_.below(2);
  for (float& v : t.z) v = level ? z : float(random_.below(17)) / 16;
  constexpr float w[] = {1, 1, 2, 0.5f};
  t.w = w[random_.below(4)];
  t.seed = random_.below(6) ? random_.word() : random_.below(4);
  t.layer = pass.layers > 1 && !pass.viewMask ? random_.below(pass.layers) : 0;
  if (recent_.size() < 8)
    recent_.push_back(t);
  else
    recent_[random_.below(8)] = t;
  return t;
}

void Generator::colorState(const Pass& pass, Draw& d) {
  DrawState& s = d.state;
  const auto numericOf = [&](uint32_t i) { return format::find(world().formatOf(pass.color[i]))->numeric; };
  bool integers = false;
  for (uint32_t i = 0; i < 2; ++i) {
    if (pass.color[i] == kNoImage) continue;
    const Numeric n = numericOf(i);
    const bool integer = n == Numeric::Uint || n == Numeric::Sint;
    integers |= integer;
    BlendAttachment& b = s.blend[i];
    b.writeMask = random_.below(5) ? 0xF : random_.below(16);
    b.enable = !integer && random_.in(3);
    if (n == Numeric::Float || n == Numeric::Ufloat)
      blendFloats(random_, b);
    else
      blendFixed(random_, b, d.shader.secondSource);
  }
  s.logicOpEnable = random_.in(8);
  s.logicOp = static_cast<VkLogicOp>(random_.below(16));
  for (float& c : s.blendConstants) c = float(random_.below(5)) / 4;
  if (pass.color[0] != kNoImage && d.shader.outputs & 1 && !integers) {
    s.alphaToCoverage = random_.in(10);
    s.alphaToOne = random_.in(16);
  }
}

void Generator::shader(const Pass& pass, ShaderTraits& t) {
  const bool colors = pass.color[0] != kNoImage || pass.color[1] != kNoImage;
  t.exists = colors ? random_.below(12) : random_.below(2);
  t.outputs = random_.below(6) ? 3 : random_.below(4);
  t.varies = random_.in(4);
  const auto fetch = [&] {
    const ImageId id = static_cast<ImageId>(random_.below(kDepthTwin + 1));
    if (id != pass.color[0] && id != pass.color[1] && id != pass.depth && id != kStorage) t.fetches = id;
    return t.fetches != kNoImage;
  };
  if (random_.in(10) && fetch()) {
    t.shares = t.sampleRate = true;  // a colour for each distinct texel of another image, as deferred shading does
    return;
  }
  if (random_.below(2)) return;  // plain ones take the shortest paths
  t.discards = random_.in(4), t.writesSampleMask = random_.in(6);
  t.writesDepth = random_.in(8), t.writesStencilRef = random_.in(12);
  t.sampleRate = random_.in(5), t.readsMask = random_.in(6);
  t.earlyTests = random_.in(6), t.postDepthCoverage = random_.in(12);
  t.secondSource = pass.color[1] == kNoImage && random_.in(4);
  // Layers of a pass run at the same time: their order would show.
  t.stores = pass.layers == 1 && !pass.viewMask && random_.in(6);
  if (random_.in(6) && fetch() && random_.below(2)) t.shares = t.sampleRate = true, t.stores = t.readsMask = false;
}

std::shared_ptr<const Draw> Generator::draw(const Pass& pass) {
  auto made = std::make_shared<Draw>();
  Draw& d = *made;
  shader(pass, d.shader);
  DrawState& s = d.state;
  s.samples = world().samples;
  if (random_.in(4)) s.sampleMask = random_.word();
  s.sampleShading = random_.in(10);
  s.minSampleShading = float(random_.below(5)) / 4;
  if (random_.in(8)) {
    s.customSampleLocations = true;
    for (VkSampleLocationEXT& l : s.sampleLocation) l = {float(random_.below(16)) / 16, float(random_.below(16)) / 16};
  }
  s.cullMode = random_.in(8) ? random_.below(4) : 0;
  s.frontFace = static_cast<VkFrontFace>(random_.below(2));
  s.provokingVertexLast = random_.below(2);
  constexpr float ranges[][2] = {{0, 1}, {0, 1}, {0, 1}, {0.25f, 0.75f}, {1, 0}};
  const float* range = ranges[random_.below(5)];
  s.viewport[0].minDepth = range[0], s.viewport[0].maxDepth = range[1];
  s.scissor[0] = {{0, 0}, {world().width, world().height}};
  if (random_.in(5)) s.scissor[0] = rect(random_.below(2)).vk();
  s.depthClamp = random_.in(3), s.depthClip = random_.below(2);
  s.depthTest = random_.below(4), s.depthWrite = random_.below(4);
  s.depthCompare = compare(random_);
  if (random_.in(12)) s.depthBoundsTest = true, s.depthBoundsMin = 0.25f, s.depthBoundsMax = 0.75f;
  s.stencilTest = random_.in(3);
  s.front = stencilFace(random_), s.back = random_.below(2) ? s.front : stencilFace(random_);
  s.countSamples = random_.below(2);
  colorState(pass, d);
  const uint32_t count = random_.in(3) ? 1 + random_.below(8) : 1;
  for (uint32_t i = 0; i < count; ++i) {
    d.triangles.push_back(triangle(pass));
    // Beyond the depth range, where neither clipping nor clamping takes that away.
    if (!s.depthClip && random_.in(6)) d.triangles.back().z[random_.below(3)] = random_.below(2) ? 1.25f : -0.5f;
  }
  return made;
}

}  // namespace etzel::raster::model
