#include "raster/tile/probe/fragment_story.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace etzel::raster {
namespace {

template <class T>
bool compare(VkCompareOp op, T a, T b) {
  switch (op) {
    case VK_COMPARE_OP_NEVER: return false;
    case VK_COMPARE_OP_LESS: return a < b;
    case VK_COMPARE_OP_EQUAL: return a == b;
    case VK_COMPARE_OP_LESS_OR_EQUAL: return a <= b;
    case VK_COMPARE_OP_GREATER: return a > b;
    case VK_COMPARE_OP_NOT_EQUAL: return a != b;
    case VK_COMPARE_OP_GREATER_OR_EQUAL: return a >= b;
    default: return true;
  }
}

float clampTo(float v, float low, float high) { return v > low ? std::min(v, high) : low; }

/// The words that depths are compared as.
uint32_t depthCode(DepthFormat format, float z) {
  const auto code = [&](double most) { return static_cast<uint32_t>(std::nearbyint(double{clampTo(z, 0, 1)} * most)); };
  switch (format) {
    case DepthFormat::D16: return code(65535);
    case DepthFormat::D24: return code(16777215);
    default: return std::bit_cast<uint32_t>(z);
  }
}

bool compareDepth(DepthFormat format, VkCompareOp op, uint32_t a, uint32_t b) {
  if (format == DepthFormat::D32F) return compare(op, std::bit_cast<float>(a), std::bit_cast<float>(b));
  return compare(op, a, b);
}

uint32_t wordOf(const PixelContents& p, uint32_t sample) {
  uint32_t word = 0;
  if (sample < p.samples) std::memcpy(&word, p.texel[sample], std::min<size_t>(sizeof word, p.texelBytes));
  return word;
}

class Story {
 public:
  Story(const FragmentVisit& visit, SampleEnd cut, int32_t x, int32_t y)
      : v_(visit), d_(*visit.draw), p_(*visit.primitive), x_(x), y_(y), cut_(cut) {
    discarded_ = isDiscardedByRectangle();
  }

  /// What takes a sample away before the shader.
  SampleEnd tellBefore(uint32_t s, SampleStory& story) const {
    if (!(v_.covered >> s & 1)) return SampleEnd::NotCovered;
    if (cut_ != SampleEnd::Kept) return cut_;
    if (discarded_) return SampleEnd::DiscardRectangle;
    if (!(d_.sampleMask >> s & 1)) return SampleEnd::SampleMask;
    if (d_.earlyTests || !d_.kernel) {
      if (const SampleEnd end = test(s, story, nullptr); end != SampleEnd::Kept) return end;
      if (!(d_.lateSampleMask >> s & 1)) return SampleEnd::SampleMask;
    }
    return SampleEnd::Kept;
  }

  /// Whether the shader runs for a sample.
  bool isShaded(uint32_t s) const {
    SampleStory unused;
    if (tellBefore(s, unused) != SampleEnd::Kept) return false;
    return !d_.cullBeforeShading || d_.earlyTests || test(s, unused, nullptr) == SampleEnd::Kept;
  }

  SampleEnd tell(uint32_t s, SampleStory& story) const {
    if (const SampleEnd end = tellBefore(s, story); end != SampleEnd::Kept) return end;
    const FragmentResult* result = resultOf(s);
    if (result) {
      if (result->discarded) return SampleEnd::Discard;
      if (d_.writesSampleMask && !(result->sampleMask >> s & 1)) return SampleEnd::ShaderMask;
      if (d_.alphaToCoverage && !keptByAlpha(*result, s)) return SampleEnd::AlphaToCoverage;
    }
    return d_.earlyTests || !d_.kernel ? SampleEnd::Kept : test(s, story, result);
  }

 private:
  /// "Discard Rectangles Test".
  bool isDiscardedByRectangle() const {
    if (!d_.discardsRectangles) return false;
    const DrawState& state = p_.draw->state;
    bool inside = false;
    for (uint32_t i = 0; i < state.discardRectangleCount; ++i) {
      const VkRect2D& r = state.discardRectangle[i];
      inside |= x_ >= r.offset.x && y_ >= r.offset.y && x_ < int64_t{r.offset.x} + r.extent.width &&
                y_ < int64_t{r.offset.y} + r.extent.height;
    }
    return inside != (state.discardRectangleMode == VK_DISCARD_RECTANGLE_MODE_INCLUSIVE_EXT);
  }

  /// The invocation that stood for a sample; null: none ran.
  const FragmentResult* resultOf(uint32_t s) const {
    for (const FragmentResult& r : v_.results)
      if (r.samples >> s & 1) return &r;
    return nullptr;
  }

  /// "Multisample Coverage": the first round(alpha * samples) samples stay.
  bool keptByAlpha(const FragmentResult& r, uint32_t s) const {
    if (!(d_.kernel->info.outputLocations & 1)) return true;
    float alpha = std::bit_cast<float>(r.color[0][3]);
    if (d_.smoothLines && p_.isLine && p_.smooth) alpha *= smoothCoverage(*p_.smooth, x_, y_);
    alpha = clampTo(alpha, 0, 1);
    return std::nearbyint(alpha * static_cast<float>(d_.samples)) > static_cast<float>(s);
  }

  SampleEnd test(uint32_t s, SampleStory& story, const FragmentResult* result) const {
    const DepthStencilState& ds = d_.depthStencil;
    bool depthPasses = true;
    if (ds.depthTest || ds.boundsTest) {
      story.storedDepth = wordOf(v_.before[Attachments::depthIndex], s);
      if (ds.format == DepthFormat::D24) story.storedDepth &= 0xFFFFFF;
    }
    if (ds.boundsTest) {
      const uint32_t low = depthCode(ds.format, ds.boundsMin), high = depthCode(ds.format, ds.boundsMax);
      if (!compareDepth(ds.format, VK_COMPARE_OP_GREATER_OR_EQUAL, story.storedDepth, low) ||
          !compareDepth(ds.format, VK_COMPARE_OP_LESS_OR_EQUAL, story.storedDepth, high))
        return SampleEnd::DepthBounds;
    }
    if (ds.depthTest) {
      story.depthTested = true;
      if (d_.writesDepth && result)
        story.z = result->depth[d_.writesSampleDepth ? s : 0];
      else
        story.z = depthAt(p_, static_cast<float>(x_) + static_cast<float>(d_.positions.x[s]) * 0.0625f,
                          static_cast<float>(y_) + static_cast<float>(d_.positions.y[s]) * 0.0625f);
      story.depth = depthCode(ds.format, ds.depthClamp ? clampTo(story.z, p_.minDepth, p_.maxDepth) : story.z);
      story.depthPasses = depthPasses = compareDepth(ds.format, ds.compare, story.depth, story.storedDepth);
    }
    if (ds.stencilTest) {
      const StencilFace& face = p_.setup.frontFacing ? ds.front : ds.back;
      story.stencilTested = true;
      story.stencilReference = d_.writesStencilRef && result ? result->stencilReference : face.reference;
      story.storedStencil = wordOf(v_.before[Attachments::stencilIndex], s) & 255;
      const uint32_t mask = face.compareMask & 255;
      story.stencilPasses = compare(face.compare, story.stencilReference & mask, story.storedStencil & mask);
      if (!story.stencilPasses) return SampleEnd::Stencil;
    }
    return depthPasses ? SampleEnd::Kept : SampleEnd::Depth;
  }

  const FragmentVisit& v_;
  const TileDraw& d_;
  const BinnedPrimitive& p_;
  const int32_t x_, y_;
  const SampleEnd cut_;
  bool discarded_ = false;
};

}  // namespace

msaa::SampleMask coverageOf(const BinnedPrimitive& p, const TileDraw& d, int32_t x, int32_t y) {
  msaa::SampleMask covered = 0;
  if (p.kind == PrimitiveKind::Spans) {
    for (uint32_t i = 0; i < p.spanCount; ++i)
      if (p.spans[i].y == y && x >= p.spans[i].x0 && x < p.spans[i].x1) return msaa::allSamples(d.samples);
    return 0;
  }
  if (x < p.minX || x >= p.maxX || y < p.minY || y >= p.maxY) return 0;
  for (uint32_t s = 0; s < d.covers.count; ++s) {
    const int64_t sx = int64_t{x} * kSubPixels + d.covers.x[s] * 16;
    const int64_t sy = int64_t{y} * kSubPixels + d.covers.y[s] * 16;
    bool inside = true;
    for (uint32_t i = 0; i < p.edgeCount; ++i) inside &= p.edge[i].a * sx + p.edge[i].b * sy + p.edge[i].c >= 0;
    covered |= uint32_t{inside} << s;
  }
  return d.pixels.conservative() && covered ? msaa::allSamples(d.samples) : covered;
}

float depthAt(const BinnedPrimitive& p, float x, float y) {
  return ((x - p.setup.x0) * p.dzdx + p.z0) + (y - p.setup.y0) * p.dzdy;
}

msaa::SampleMask shadedSamples(const FragmentVisit& visit, SampleEnd cut, int32_t x, int32_t y) {
  const Story story(visit, cut, x, y);
  msaa::SampleMask shaded = 0;
  for (uint32_t s = 0; s < visit.samples; ++s) shaded |= uint32_t{story.isShaded(s)} << s;
  return shaded;
}

void tellStory(FragmentVisit& visit, SampleEnd cut, int32_t x, int32_t y) {
  visit.survivors = 0;
  const Story story(visit, cut, x, y);
  for (uint32_t s = 0; s < visit.samples; ++s) {
    visit.sample[s] = {};
    visit.sample[s].end = story.tell(s, visit.sample[s]);
    visit.survivors |= uint32_t{visit.sample[s].end == SampleEnd::Kept} << s;
  }
}

}  // namespace etzel::raster
