// Sequences as text, for reports.
#include <sstream>

#include "raster/model/operation.h"

namespace etzel::raster::model {
namespace {

const char* const kImages[] = {"color0",     "color1", "twin0", "twin1",      "storage", "depth",
                               "depth-twin", "flat0",  "flat1", "flat-depth", "none"};

std::ostream& operator<<(std::ostream& s, const Rect& r) {
  return s << '[' << r.x0 << ", " << r.x1 << ") x [" << r.y0 << ", " << r.y1 << ')';
}
std::ostream& operator<<(std::ostream& s, ImageId id) { return s << kImages[id]; }

std::string aspectsOf(VkImageAspectFlags aspects) {
  std::string s;
  if (aspects & VK_IMAGE_ASPECT_COLOR_BIT) s += "color";
  if (aspects & VK_IMAGE_ASPECT_DEPTH_BIT) s += "depth";
  if (aspects & VK_IMAGE_ASPECT_STENCIL_BIT) s += s.empty() ? "stencil" : "+stencil";
  return s;
}

void describe(std::ostream& s, const StencilFace& f) {
  s << "(fail " << f.fail << " pass " << f.pass << " depthFail " << f.depthFail << " compare " << f.compare << " masks "
    << f.compareMask << ' ' << f.writeMask << " reference " << f.reference << ')';
}

void describe(std::ostream& s, const Pass& pass, const Draw& d) {
  const ShaderTraits& t = d.shader;
  const DrawState& st = d.state;
  if (!t.exists) {
    s << " no fragment shader";
  } else {
    s << " outputs " << t.outputs;
    const std::pair<bool, const char*> words[] = {{t.varies, "varies"},
                                                  {t.discards, "discards"},
                                                  {t.writesSampleMask, "sample-mask"},
                                                  {t.writesDepth, "writes-depth"},
                                                  {t.writesStencilRef, "stencil-ref"},
                                                  {t.secondSource, "second-source"},
                                                  {t.sampleRate, "sample-rate"},
                                                  {t.readsMask, "reads-mask"},
                                                  {t.earlyTests, "early"},
                                                  {t.postDepthCoverage, "post-depth"},
                                                  {t.stores, "stores"},
                                                  {t.shares, "shares"}};
    for (const auto& [set, word] : words)
      if (set) s << ' ' << word;
    if (t.fetches != kNoImage) s << " fetches " << t.fetches;
  }
  if (st.sampleMask != ~0u) s << " mask " << std::hex << st.sampleMask << std::dec;
  if (st.sampleShading) s << " sample shading " << st.minSampleShading;
  if (st.customSampleLocations) {
    s << " locations";
    for (uint32_t i = 0; i < st.samples; ++i)
      s << ' ' << st.sampleLocation[i].x * 16 << ',' << st.sampleLocation[i].y * 16;
  }
  if (st.alphaToCoverage) s << " alpha-to-coverage";
  if (st.alphaToOne) s << " alpha-to-one";
  if (pass.depth != kNoImage) {
    if (st.depthTest) s << " depth " << st.depthCompare << (st.depthWrite ? " write" : "");
    if (st.depthClamp) s << " clamp";
    if (st.depthBoundsTest) s << " bounds";
    if (st.stencilTest) s << " stencil front ", describe(s, st.front), s << " back ", describe(s, st.back);
  }
  if (st.logicOpEnable) s << " logic " << st.logicOp;
  for (uint32_t i = 0; i < 2; ++i) {
    const BlendAttachment& b = st.blend[i];
    if (pass.color[i] == kNoImage) continue;
    if (b.enable)
      s << " blend" << i << ' ' << b.colorOp << '(' << b.srcColor << ", " << b.dstColor << ") " << b.alphaOp << '('
        << b.srcAlpha << ", " << b.dstAlpha << ')';
    if (b.writeMask != 0xF) s << " write" << i << ' ' << b.writeMask;
  }
  if (st.cullMode) s << " cull " << st.cullMode;
  s << " front " << st.frontFace << " range " << st.viewport[0].minDepth << ".." << st.viewport[0].maxDepth
    << " scissor " << st.scissor[0].offset.x << ',' << st.scissor[0].offset.y << ' ' << st.scissor[0].extent.width
    << 'x' << st.scissor[0].extent.height;
  for (const Triangle& tr : d.triangles) {
    s << "\n      ";
    for (int i = 0; i < 3; ++i)
      s << '(' << double(tr.x[i]) / 256 << ", " << double(tr.y[i]) / 256 << ", " << tr.z[i] << ") ";
    s << "w " << tr.w << " seed " << tr.seed << " layer " << tr.layer;
  }
}

}  // namespace

std::string describe(const World& w) {
  std::ostringstream s;
  s << "world " << w.seed << ": " << w.width << 'x' << w.height << ", " << w.samples << " samples, color0 "
    << format::find(w.color[0])->name << ", color1 " << format::find(w.color[1])->name << ", depth "
    << format::find(w.depthStencil)->name << (w.compressed ? "" : ", not compressed") << ", " << w.threads
    << " threads";
  return s.str();
}

std::string describe(const Sequence& sequence, const Operation& o) {
  std::ostringstream s;
  if (o.inPass()) {
    const Pass& p = sequence.passes[o.pass];
    s << "pass " << o.pass << " (" << p.color[0] << ' ' << p.color[1] << ' ' << p.depth << " layer " << p.baseLayer
      << '+' << p.layers << " views " << p.viewMask << " alone " << p.alone << ' ' << p.area << ") ";
  }
  const auto route = [&](const char* name) {
    s << name << ' ' << o.from << '.' << o.fromLayer << ' ' << o.fromX << ',' << o.fromY << " -> " << o.to << '.'
      << o.toLayer << ' ' << o.rect << ' ' << aspectsOf(o.aspects) << " layers " << o.layers << " views " << o.viewMask
      << " mode " << o.mode;
  };
  const auto values = [&] {
    for (uint32_t v : o.value.color.uint32) s << ' ' << std::hex << v << std::dec;
  };
  switch (o.kind) {
    case Kind::Draw: s << "draw", describe(s, sequence.passes[o.pass], *o.draw); break;
    case Kind::ClearAttachment:
      s << "clear " << static_cast<int32_t>(o.color) << ' ' << aspectsOf(o.aspects) << ' ' << o.rect << " layers "
        << o.toLayer << '+' << o.layers << ':';
      values();
      break;
    case Kind::Flush: s << "flush"; break;
    case Kind::ClearImage:
      s << "clear image " << o.to << ' ' << aspectsOf(o.aspects) << " layers " << o.toLayer << '+' << o.layers << ':';
      values();
      break;
    case Kind::Copy: route("copy"); break;
    case Kind::BufferToImage: route("buffer to image"); break;
    case Kind::ImageToBuffer: route("image to buffer"); break;
    case Kind::ResolveAttachment: route("resolve attachment"); break;
    case Kind::ResolveImage: route("resolve image"); break;
    case Kind::Replicate: route("replicate"); break;
    case Kind::StoreSamples:
    case Kind::AtomicAdd:
      s << (o.kind == Kind::AtomicAdd ? "atomic add " : "store ") << o.to << '.' << o.toLayer << ' ' << o.rect
        << " samples " << std::hex << o.samples << std::dec;
      break;
    case Kind::FetchSamples:
    case Kind::FetchFragments:
      s << (o.kind == Kind::FetchSamples ? "fetch samples of " : "fetch fragments of ") << o.from << '.' << o.fromLayer
        << ' ' << o.rect << ' ' << aspectsOf(o.aspects);
      break;
  }
  return s.str();
}

}  // namespace etzel::raster::model
