// Triangles of the reference: every sample of every pixel of the bounding box.
#include <algorithm>
#include <bit>
#include <cmath>

#include "raster/model/reference.h"
#include "runtime/msaa/sample_positions.h"

namespace etzel::raster::model {
namespace {

/// Sample positions in 1/256 pixel.
struct Positions {
  int32_t x[16], y[16];
  Positions(const DrawState& s) {
    const msaa::SamplePositions& standard = msaa::standardSamplePositions(s.samples);
    for (uint32_t i = 0; i < s.samples; ++i) {
      x[i] = s.customSampleLocations ? static_cast<int32_t>(s.sampleLocation[i].x * 256) : standard.x[i] * 16;
      y[i] = s.customSampleLocations ? static_cast<int32_t>(s.sampleLocation[i].y * 256) : standard.y[i] * 16;
    }
  }
};

/// "Basic Polygon Rasterization" with the top-left rule, on corners in clockwise order (y down): a sample is inside
/// where it lies to the right of every edge, or on one that owns its samples.
struct Coverage {
  int64_t dx[3], dy[3], start[3];  ///< the cross product at the origin, less one where the edge owns nothing
  int64_t offset[3][16];           ///< of samples from their pixel
  Coverage(const int32_t* x, const int32_t* y, const Positions& at, uint32_t samples) {
    for (int i = 0; i < 3; ++i) {
      dx[i] = x[(i + 1) % 3] - x[i], dy[i] = y[(i + 1) % 3] - y[i];
      const bool topLeft = dy[i] < 0 || (dy[i] == 0 && dx[i] > 0);
      start[i] = dy[i] * x[i] - dx[i] * y[i] - !topLeft;
      for (uint32_t k = 0; k < samples; ++k) offset[i][k] = dx[i] * at.y[k] - dy[i] * at.x[k];
    }
  }
  uint32_t samplesOf(uint32_t x, uint32_t y, uint32_t samples) const {
    int64_t side[3];
    for (int i = 0; i < 3; ++i) side[i] = start[i] + dx[i] * (int64_t{y} * 256) - dy[i] * (int64_t{x} * 256);
    uint32_t covered = 0;
    for (uint32_t k = 0; k < samples; ++k) {
      const bool outside = ((side[0] + offset[0][k]) | (side[1] + offset[1][k]) | (side[2] + offset[2][k])) < 0;
      covered |= uint32_t{!outside} << k;
    }
    return covered;
  }
};

/// Depth in the order of operations that BinnedPrimitive promises.
struct DepthPlane {
  float x0, y0, z0, dzdx, dzdy;
  DepthPlane(const Triangle& t, const VkViewport& v) {
    float z[3];
    for (int i = 0; i < 3; ++i) z[i] = t.z[i] * (v.maxDepth - v.minDepth) + v.minDepth;
    const double x1 = (t.x[1] - t.x[0]) / 256.0, y1 = (t.y[1] - t.y[0]) / 256.0;
    const double x2 = (t.x[2] - t.x[0]) / 256.0, y2 = (t.y[2] - t.y[0]) / 256.0;
    const double inverse = 1 / (x1 * y2 - x2 * y1), z1 = double{z[1]} - z[0], z2 = double{z[2]} - z[0];
    x0 = static_cast<float>(t.x[0]) / 256, y0 = static_cast<float>(t.y[0]) / 256, z0 = z[0];
    dzdx = static_cast<float>(y2 * inverse * z1 + -y1 * inverse * z2);
    dzdy = static_cast<float>(-x2 * inverse * z1 + x1 * inverse * z2);
  }
  float at(float x, float y) const { return ((x - x0) * dzdx + z0) + (y - y0) * dzdy; }
};

uint32_t depthWord(VkFormat f, float z) {
  if (f == VK_FORMAT_D32_SFLOAT) return std::bit_cast<uint32_t>(z);
  const double unit = z > 0 ? (z < 1 ? double{z} : 1.0) : 0.0;
  return static_cast<uint32_t>(std::nearbyint(unit * (f == VK_FORMAT_D16_UNORM ? 65535.0 : 16777215.0)));
}
double depthValue(VkFormat f, uint32_t word) {
  return f == VK_FORMAT_D32_SFLOAT ? double{std::bit_cast<float>(word)} : double(word);
}

/// The bits of a comparison say which outcomes pass: 1 less, 2 equal, 4 greater.
template <class T>
bool passes(VkCompareOp op, T a, T b) {
  return (op & 1 && a < b) || (op & 2 && a == b) || (op & 4 && a > b);
}

uint32_t stencilAfter(const StencilFace& f, VkStencilOp op, uint32_t old, uint32_t reference) {
  uint32_t v = old;
  switch (op) {
    case VK_STENCIL_OP_ZERO: v = 0; break;
    case VK_STENCIL_OP_REPLACE: v = reference; break;
    case VK_STENCIL_OP_INCREMENT_AND_CLAMP: v = std::min(old + 1, 255u); break;
    case VK_STENCIL_OP_DECREMENT_AND_CLAMP: v = old ? old - 1 : 0; break;
    case VK_STENCIL_OP_INVERT: v = ~old; break;
    case VK_STENCIL_OP_INCREMENT_AND_WRAP: v = old + 1; break;
    case VK_STENCIL_OP_DECREMENT_AND_WRAP: v = old - 1; break;
    default: break;
  }
  return ((old & ~f.writeMask) | (v & f.writeMask)) & 255;
}

/// The attachments of depth and stencil tests, and one fragment's way through them.
struct Tests {
  const DrawState& s;
  PlainPlane *depth, *stencil;  ///< null: no such attachment
  const StencilFace& face;
  uint32_t layer;

  bool any() const { return (depth && (s.depthTest || s.depthBoundsTest)) || (stencil && s.stencilTest); }
  /// \returns whether sample k passes; updates depth and stencil.
  bool run(uint32_t x, uint32_t y, uint32_t k, float z, uint32_t stencilReference) const {
    const VkFormat f = depth ? depth->format : VK_FORMAT_UNDEFINED;
    const uint32_t old = depth ? depth->word(x, y, layer, k) : 0;
    if (depth && s.depthBoundsTest) {
      const double v = depthValue(f, old);
      if (v < depthValue(f, depthWord(f, s.depthBoundsMin)) || v > depthValue(f, depthWord(f, s.depthBoundsMax)))
        return false;
    }
    bool pass = true;
    uint32_t word = 0;
    if (depth && s.depthTest) {
      const VkViewport& v = s.viewport[0];
      if (s.depthClamp) {
        const float low = std::min(v.minDepth, v.maxDepth), high = std::max(v.minDepth, v.maxDepth);
        z = z > low ? z : low, z = z < high ? z : high;
      }
      word = depthWord(f, z);
      pass = passes(s.depthCompare, depthValue(f, word), depthValue(f, old));
    }
    if (stencil && s.stencilTest) {
      std::byte& texel = *stencil->at(x, y, layer, k);
      const uint32_t value = std::to_integer<uint32_t>(texel), mask = face.compareMask & 255;
      const bool stencilPass = passes(face.compare, stencilReference & mask, value & mask);
      const VkStencilOp op = !stencilPass ? face.fail : pass ? face.pass : face.depthFail;
      texel = static_cast<std::byte>(stencilAfter(face, op, value, stencilReference));
      pass &= stencilPass;
    }
    if (pass && depth && s.depthTest && s.depthWrite) std::memcpy(depth->at(x, y, layer, k), &word, depth->bytes);
    return pass;
  }
};

/// The pixels that a triangle may touch.
Rect boxOf(const Pass& pass, const VkRect2D& scissor, const Triangle& t) {
  const auto bound = [](int64_t v, int64_t low, int64_t high) { return std::clamp(v, low, high); };
  Rect box;
  const auto [left, right] = std::minmax({t.x[0], t.x[1], t.x[2]});
  const auto [top, bottom] = std::minmax({t.y[0], t.y[1], t.y[2]});
  box.x0 = uint32_t(bound(left >> 8, std::max<int64_t>(pass.area.x0, scissor.offset.x), pass.area.x1));
  box.y0 = uint32_t(bound(top >> 8, std::max<int64_t>(pass.area.y0, scissor.offset.y), pass.area.y1));
  const int64_t limitX = std::min<int64_t>(pass.area.x1, scissor.offset.x + int64_t{scissor.extent.width});
  const int64_t limitY = std::min<int64_t>(pass.area.y1, scissor.offset.y + int64_t{scissor.extent.height});
  box.x1 = uint32_t(bound((right >> 8) + 1, 0, limitX)), box.y1 = uint32_t(bound((bottom >> 8) + 1, 0, limitY));
  return box;
}

/// The coverage of a triangle, which the edge functions want clockwise.
Coverage coverageOf(const Triangle& t, bool clockwise, const Positions& at, uint32_t samples) {
  int32_t x[3], y[3];
  for (int i = 0; i < 3; ++i) {
    const int k = clockwise ? i : (3 - i) % 3;
    x[i] = t.x[k], y[i] = t.y[k];
  }
  return Coverage(x, y, at, samples);
}

/// One triangle's fragments, pixel by pixel.
struct Fragments {
  const World& world;
  const Draw& draw;
  const Triangle& t;
  const Tests& tests;
  const Positions& at;
  const DepthPlane& depth;
  PlainPlane* target[2];  ///< null: not written
  const format::FormatInfo* formats[2];
  PlainPlane *fetched, *storage;
  uint64_t& samplesPassed;

  const DrawState& s = draw.state;
  const ShaderTraits& traits = draw.shader;
  const bool post = traits.exists && traits.postDepthCoverage;
  const bool early = post || !traits.exists || traits.earlyTests;
  const float wanted = s.sampleShading ? std::ceil(s.minSampleShading * float(s.samples)) : 1.0f;
  /// Invocations of a pixel, each for as many samples that are neighbours.
  const uint32_t invocations = traits.sampleRate ? s.samples : std::bit_ceil(std::max(uint32_t(wanted), 1u));

  /// \param shaded what the shader gave, or null before it. \returns the samples that pass
  uint32_t test(uint32_t x, uint32_t y, uint32_t samples, const Outputs* shaded) const {
    uint32_t passed = tests.any() ? 0 : samples;
    for (uint32_t k = 0; k < s.samples && tests.any(); ++k) {
      if (!(samples >> k & 1)) continue;
      float z = depth.at(float(x) + float(at.x[k]) / 256, float(y) + float(at.y[k]) / 256);
      if (shaded && traits.writesDepth) z = shaded->depth;
      const bool own = shaded && traits.writesStencilRef;
      passed |= uint32_t{tests.run(x, y, k, z, (own ? shaded->stencilRef : tests.face.reference) & 255)} << k;
    }
    if (post) passed &= s.sampleMask;
    if (s.countSamples) samplesPassed += static_cast<uint32_t>(std::popcount(passed));
    return passed;
  }

  Outputs invoke(Invocation in) const {
    if (traits.fetches != kNoImage) {
      const Place p = fetchPlace(world, traits, in);
      in.fetched = fetched->texel(p.x, p.y, p.layer, p.sample).word[0];
    }
    const Outputs shaded = shade(traits, formats, in);
    if (traits.stores) {
      const Place p = storePlace(world, in);
      const uint32_t value = storeValue(in);
      std::memcpy(storage->at(p.x, p.y, p.layer, p.sample), &value, 4);
    }
    return shaded;
  }

  /// "Multisample Coverage": the first round(alpha * samples) samples.
  uint32_t alphaMask(const Outputs& shaded) const {
    const float a = std::bit_cast<float>(shaded.color[0].word[3]);
    const float unit = a > 0 ? (a < 1 ? a : 1.0f) : 0.0f;
    return (1u << static_cast<uint32_t>(std::nearbyint(unit * float(s.samples)))) - 1;
  }

  void write(uint32_t x, uint32_t y, uint32_t own, const Outputs& shaded) const {
    for (uint32_t c = 0; c < 2; ++c) {
      if (!target[c]) continue;
      // Samples that held the same texel hold the same one afterwards.
      std::byte before[16], after[16];
      bool known = false;
      for (uint32_t k = 0; k < s.samples; ++k) {
        if (!(own >> k & 1)) continue;
        std::byte* texel = target[c]->at(x, y, tests.layer, k);
        if (!known || std::memcmp(texel, before, target[c]->bytes) != 0) {
          std::memcpy(before, texel, target[c]->bytes);
          std::memcpy(after, texel, target[c]->bytes);
          writeSample(s, c, *target[c], shaded, after);
          known = true;
        }
        std::memcpy(texel, after, target[c]->bytes);
      }
    }
  }

  void pixel(uint32_t x, uint32_t y, uint32_t covered) const {
    if (!post) covered &= s.sampleMask;
    if (!covered) return;
    const uint32_t before = covered;
    if (early) covered = test(x, y, covered, nullptr);
    if (!covered || !traits.exists) return;
    const uint32_t each = s.samples / invocations;
    for (uint32_t i = 0; i < invocations; ++i) {
      const uint32_t samples = ((1u << each) - 1) << i * each;
      uint32_t own = covered & samples;
      if (!own) continue;
      // SampleMaskIn is what rasterization covers, with PostDepthCoverage what the tests leave of it.
      const uint32_t maskIn = post ? own : before & samples;
      const Outputs shaded = invoke({x, y, traits.sampleRate ? i : 0, traits.readsMask ? maskIn : 0, t.seed});
      if (shaded.killed) continue;
      own &= shaded.sampleMask;
      if (s.alphaToCoverage) own &= alphaMask(shaded);
      if (!early) own = test(x, y, own, &shaded);
      write(x, y, own, shaded);
    }
  }
};

}  // namespace

void Reference::triangle(const Pass& pass, const Draw& d, const Triangle& t, uint32_t layer) {
  const DrawState& s = d.state;
  const ShaderTraits& traits = d.shader;
  const int64_t area = int64_t{t.x[1] - t.x[0]} * (t.y[2] - t.y[0]) - int64_t{t.x[2] - t.x[0]} * (t.y[1] - t.y[0]);
  if (area == 0) return;
  // With y down positive areas are clockwise on the screen.
  const bool front = (area > 0) == (s.frontFace == VK_FRONT_FACE_CLOCKWISE);
  if (s.cullMode & (front ? VK_CULL_MODE_FRONT_BIT : VK_CULL_MODE_BACK_BIT)) return;
  const Rect box = boxOf(pass, s.scissor[0], t);
  if (box.empty()) return;

  const auto aspect = [&](PlainPlane* planes) {
    return pass.depth != kNoImage && planes[pass.depth] ? &planes[pass.depth] : nullptr;
  };
  const Tests tests{s, aspect(planes_), aspect(stencil_), front ? s.front : s.back, pass.baseLayer + layer};
  const Positions at(s);
  const DepthPlane depth(t, s.viewport[0]);
  Fragments fragments{world_, d, t, tests, at, depth, {}, {}, nullptr, &planes_[kStorage], samplesPassed_};
  for (uint32_t i = 0; i < 2; ++i) {
    const ImageId id = pass.color[i];
    fragments.target[i] = id != kNoImage && traits.exists && traits.outputs >> i & 1 ? &planes_[id] : nullptr;
    fragments.formats[i] = id != kNoImage ? planes_[id].info : nullptr;
    if (fragments.target[i]) changed(id, box);
  }
  if (pass.depth != kNoImage) changed(pass.depth, box);
  if (traits.stores) changed(kStorage, {world_.width - box.x1, box.y0, world_.width - box.x0, box.y1});
  if (traits.fetches != kNoImage) fragments.fetched = &plane(traits.fetches, fetchedAspect(world_, traits.fetches));

  const Coverage coverage = coverageOf(t, area > 0, at, s.samples);
  for (uint32_t y = box.y0; y < box.y1; ++y)
    for (uint32_t x = box.x0; x < box.x1; ++x) fragments.pixel(x, y, coverage.samplesOf(x, y, s.samples));
}

void Reference::draw(const Pass& pass, const Draw& d) {
  for (const Triangle& t : d.triangles) {
    if (!pass.viewMask) {
      triangle(pass, d, t, t.layer);
      continue;
    }
    for (uint32_t view = 0; view < kLayers; ++view)
      if (pass.viewMask >> view & 1) triangle(pass, d, t, view);
  }
}

}  // namespace etzel::raster::model
