#include "icd/debug/history_text.h"

#include <bit>
#include <cmath>

#include "raster/tile/draw/tile_draw.h"
#include "runtime/base/float_text.h"

namespace etzel::icd {
namespace {

using raster::PixelContents;
using raster::SampleEnd;

template <class T>
std::string shortest(T value) {
  if (std::isnan(value)) return "\"nan\"";
  if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
  return shortestText(value);
}

const char* nameOf(SampleEnd end) {
  static constexpr const char* kNames[] = {
      "kept",    "not covered",   "viewport",          "scissor",      "discard rectangle", "sample mask",
      "discard", "gl_SampleMask", "alpha to coverage", "depth bounds", "stencil",           "depth"};
  static_assert(std::size(kNames) == static_cast<size_t>(SampleEnd::kCount));
  return kNames[static_cast<size_t>(end)];
}

const char* nameOf(PixelContents::Store store) {
  static constexpr const char* kNames[] = {"plain", "one fragment", "clear", "general", "expanded", "planes"};
  return kNames[static_cast<size_t>(store)];
}

const char* nameOf(VkCompareOp op) {
  static constexpr const char* kNames[] = {
      "NEVER", "LESS", "EQUAL", "LESS_OR_EQUAL", "GREATER", "NOT_EQUAL", "GREATER_OR_EQUAL", "ALWAYS"};
  return op < std::size(kNames) ? kNames[op] : "?";
}

const char* nameOf(VkStencilOp op) {
  static constexpr const char* kNames[] = {"KEEP",
                                           "ZERO",
                                           "REPLACE",
                                           "INCREMENT_AND_CLAMP",
                                           "DECREMENT_AND_CLAMP",
                                           "INVERT",
                                           "INCREMENT_AND_WRAP",
                                           "DECREMENT_AND_WRAP"};
  return op < std::size(kNames) ? kNames[op] : "?";
}

const char* nameOf(VkBlendFactor factor) {
  static constexpr const char* kNames[] = {"ZERO",
                                           "ONE",
                                           "SRC_COLOR",
                                           "ONE_MINUS_SRC_COLOR",
                                           "DST_COLOR",
                                           "ONE_MINUS_DST_COLOR",
                                           "SRC_ALPHA",
                                           "ONE_MINUS_SRC_ALPHA",
                                           "DST_ALPHA",
                                           "ONE_MINUS_DST_ALPHA",
                                           "CONSTANT_COLOR",
                                           "ONE_MINUS_CONSTANT_COLOR",
                                           "CONSTANT_ALPHA",
                                           "ONE_MINUS_CONSTANT_ALPHA",
                                           "SRC_ALPHA_SATURATE",
                                           "SRC1_COLOR",
                                           "ONE_MINUS_SRC1_COLOR",
                                           "SRC1_ALPHA",
                                           "ONE_MINUS_SRC1_ALPHA"};
  return factor < std::size(kNames) ? kNames[factor] : "?";
}

std::string equation(VkBlendOp op, VkBlendFactor source, VkBlendFactor destination) {
  const std::string s = std::string("src*") + nameOf(source), d = std::string("dst*") + nameOf(destination);
  switch (op) {
    case VK_BLEND_OP_ADD: return s + " + " + d;
    case VK_BLEND_OP_SUBTRACT: return s + " - " + d;
    case VK_BLEND_OP_REVERSE_SUBTRACT: return d + " - " + s;
    case VK_BLEND_OP_MIN: return "min(src, dst)";
    case VK_BLEND_OP_MAX: return "max(src, dst)";
    default: return "?";
  }
}

/// A depth as it is compared.
std::string depthText(msaa::DepthFormat format, uint32_t word) {
  switch (format) {
    case msaa::DepthFormat::D16: return numberText(static_cast<float>(word / 65535.0));
    case msaa::DepthFormat::D24: return numberText(static_cast<float>(word / 16777215.0));
    default: return numberText(std::bit_cast<float>(word));
  }
}

std::string floats(const uint32_t* words, uint32_t count) {
  JsonArray all;
  for (uint32_t i = 0; i < count; ++i) all.add(numberText(std::bit_cast<float>(words[i])));
  return all.done();
}

/// What the shader gave a colour location whose attachment has `info`.
std::string outputText(const uint32_t* words, const format::FormatInfo* info) {
  if (!info || !info->isInteger()) return floats(words, 4);
  JsonArray all;
  for (uint32_t i = 0; i < 4; ++i)
    all.add(info->numeric == format::Numeric::Sint ? std::to_string(static_cast<int32_t>(words[i]))
                                                   : std::to_string(words[i]));
  return all.done();
}

std::string fragmentsText(const PixelContents& p) {
  JsonArray all;
  for (uint32_t s = 0; s < p.samples; ++s) all.add(std::to_string(msaa::fragmentOf(p.mask, s, p.samples)));
  return all.done();
}

std::string testText(const raster::FragmentVisit& v, uint32_t s) {
  const raster::SampleStory& story = v.sample[s];
  const raster::DepthStencilState& ds = v.draw->depthStencil;
  JsonObject test;
  test.number("sample", s).text("end", nameOf(story.end));
  if (story.depthTested) {
    test.raw("depth", depthText(ds.format, story.depth)).raw("stored", depthText(ds.format, story.storedDepth));
    test.text("compare", nameOf(ds.compare)).truth("passes", story.depthPasses);
    test.truth("writes", ds.depthWrite);
    if (ds.format != msaa::DepthFormat::D32F)
      test.number("depthCode", story.depth).number("storedCode", story.storedDepth);
  }
  if (story.end == SampleEnd::DepthBounds)
    test.raw("stored", depthText(ds.format, story.storedDepth))
        .raw("bounds", JsonArray().add(numberText(ds.boundsMin)).add(numberText(ds.boundsMax)).done());
  if (story.stencilTested) {
    const raster::StencilFace& face = v.primitive->setup.frontFacing ? ds.front : ds.back;
    const VkStencilOp op = !story.stencilPasses ? face.fail : story.depthPasses ? face.pass : face.depthFail;
    test.number("stencilReference", story.stencilReference & face.compareMask & 255);
    test.number("stencilStored", story.storedStencil & face.compareMask & 255);
    test.text("stencilCompare", nameOf(face.compare)).truth("stencilPasses", story.stencilPasses);
    test.text("stencilOp", nameOf(op));
  }
  return test.done();
}

/// The attachment that a colour location goes to (vkCmdSetRenderingAttachmentLocations); colorCount: none.
uint32_t attachmentOf(const raster::Attachments& attachments, uint32_t location) {
  for (uint32_t i = 0; i < attachments.colorCount; ++i)
    if (attachments.location[i] == location) return i;
  return attachments.colorCount;
}

std::string resultText(const raster::FragmentVisit& v, const raster::FragmentResult& r) {
  const raster::TileDraw& d = *v.draw;
  JsonObject result;
  result.number("samples", r.samples).truth("discarded", r.discarded);
  JsonArray colors;
  for (uint32_t i = 0; i < raster::kMaxColorAttachments; ++i) {
    if (!(d.colorOutputs >> i & 1)) continue;
    const raster::Attachments& attachments = v.primitive->draw->state.attachments;
    const uint32_t attachment = attachmentOf(attachments, i);
    const tex::ImageView* view = attachment < attachments.colorCount ? attachments.color[attachment] : nullptr;
    JsonObject color;
    color.number("location", i).raw("value", outputText(r.color[i], view ? view->info : nullptr));
    if (!view)
      color.text("attachment", "none");
    else if (attachment != i)
      color.text("attachment", "color " + std::to_string(attachment));
    colors.add(color.done());
  }
  result.raw("colors", colors.done());
  if (d.dualSource) result.raw("second", floats(r.second, 4));
  if (d.writesSampleMask) result.number("sampleMask", r.sampleMask & msaa::allSamples(v.samples));
  if (d.writesStencilRef) result.number("stencilReference", r.stencilReference);
  if (d.writesDepth) {
    JsonArray depth;
    for (uint32_t s = 0; s < (d.writesSampleDepth ? v.samples : 1); ++s) depth.add(numberText(r.depth[s]));
    result.raw("depth", depth.done());
  }
  return result.done();
}

/// What the fragment shader found: the mask of covered samples, and where centroid inputs were taken.
void describeInputs(const raster::FragmentVisit& v, JsonObject& to) {
  const raster::TileDraw& d = *v.draw;
  uint32_t arrived = 0, shaded = 0;
  for (uint32_t s = 0; s < v.samples; ++s) {
    const SampleEnd end = v.sample[s].end;
    const bool fails = end >= SampleEnd::DepthBounds;
    if (end != SampleEnd::Kept && end <= SampleEnd::SampleMask) continue;
    arrived |= 1u << s;
    if (!fails || !(d.earlyTests || d.cullBeforeShading)) shaded |= 1u << s;
  }
  if (d.perSample || !shaded) return;
  to.number("maskIn", d.kernel->info.postDepthCoverage ? shaded : arrived);
  const bool all = shaded == msaa::allSamples(v.samples);
  to.text("centroid", all ? "centre" : "sample " + std::to_string(std::countr_zero(shaded)));
}

}  // namespace

std::string numberText(double value) { return shortest(value); }
std::string numberText(float value) { return shortest(value); }

std::string contentsText(const PixelContents& p, VkFormat format) {
  const format::FormatInfo* info = format::find(format);
  const format::DecodeFn decode = format::decoder(format);
  JsonArray samples;
  for (uint32_t s = 0; s < p.samples && info && decode; ++s) {
    format::Texel texel{};
    decode(p.texel[s], &texel, 1);
    JsonArray components;
    for (uint32_t c = 0; c < std::max<uint32_t>(info->components(), 1); ++c) {
      const uint32_t word = texel.word[c];
      if (info->isStencil() || info->numeric == format::Numeric::Uint)
        components.add(std::to_string(word));
      else if (info->numeric == format::Numeric::Sint)
        components.add(std::to_string(static_cast<int32_t>(word)));
      else
        components.add(numberText(std::bit_cast<float>(word)));
    }
    samples.add(components.done());
  }
  return samples.done();
}

std::string imageText(const TouchedImage& image) {
  const format::FormatInfo* info = format::find(image.format);
  JsonObject out;
  out.text("image", image.name);
  if (!image.attachment.empty()) out.text("attachment", image.attachment);
  out.text("format", info ? info->name : "?").truth("written", image.written);
  out.raw("before", contentsText(image.before, image.format)).raw("after", contentsText(image.after, image.format));
  if (image.before.samples > 1) {
    out.text("tileBefore", nameOf(image.before.store)).text("tileAfter", nameOf(image.after.store));
    if (image.aspect == VK_IMAGE_ASPECT_COLOR_BIT && image.before.store != PixelContents::Store::Plain)
      out.raw("fragmentsBefore", fragmentsText(image.before)).raw("fragmentsAfter", fragmentsText(image.after));
  }
  std::string text = out.done();
  text.insert(text.size() - 1, image.details);
  return text;
}

void describeFragment(const raster::FragmentVisit& v, JsonObject& to) {
  const raster::TileDraw& d = *v.draw;
  to.number("primitive", v.primitive->primitiveId).number("instance", v.primitive->instance);
  to.truth("front", v.primitive->setup.frontFacing != 0);
  to.number("samples", v.samples).number("covered", v.covered).number("kept", v.survivors);
  to.number("sampleMask", d.sampleMask & d.lateSampleMask & msaa::allSamples(v.samples));
  to.truth("earlyTests", d.earlyTests || !d.kernel).truth("perSample", d.perSample);
  uint32_t ends[static_cast<size_t>(SampleEnd::kCount)] = {};
  for (uint32_t s = 0; s < v.samples; ++s) ends[static_cast<size_t>(v.sample[s].end)] |= 1u << s;
  JsonArray killed, tests, results;
  for (size_t i = static_cast<size_t>(SampleEnd::NotCovered) + 1; i < std::size(ends); ++i)
    if (ends[i])
      killed.add(JsonObject().text("by", nameOf(static_cast<SampleEnd>(i))).number("samples", ends[i]).done());
  for (uint32_t s = 0; s < v.samples; ++s)
    if (v.sample[s].end != SampleEnd::NotCovered) tests.add(testText(v, s));
  for (const raster::FragmentResult& r : v.results) results.add(resultText(v, r));
  to.raw("killed", killed.done()).raw("tests", tests.done()).raw("shader", results.done());
  if (d.alphaToCoverage) to.truth("alphaToCoverage", true);
  if (!v.results.empty()) describeInputs(v, to);
}

std::string writeText(const raster::FragmentVisit& v, uint32_t attachment) {
  const raster::TileDraw& d = *v.draw;
  const raster::BlendAttachment& state = v.primitive->draw->state.blend[attachment];
  for (uint32_t i = 0; i < d.colorCount; ++i) {
    const raster::ColorTarget& t = d.color[i];
    if (t.attachment != attachment) continue;
    std::string text;
    if (t.blend) {
      const raster::BlendAttachment& e = t.equation;
      text += ",\"blend\":" + debugger::quoted(equation(e.colorOp, e.srcColor, e.dstColor));
      text += ",\"blendAlpha\":" + debugger::quoted(equation(e.alphaOp, e.srcAlpha, e.dstAlpha));
    }
    if (t.logicOp) text += ",\"logicOp\":" + std::to_string(t.op);
    if (t.location != attachment) text += ",\"location\":" + std::to_string(t.location);
    if (t.partialMask) text += ",\"writeMask\":" + std::to_string(state.writeMask & 15);
    return text;
  }
  const uint32_t location = v.primitive->draw->state.attachments.location[attachment];
  if (location == raster::Attachments::kNoLocation) return ",\"notWritten\":\"no location goes to this attachment\"";
  return (d.colorOutputs >> location & 1) && d.kernel ? ",\"notWritten\":\"color write mask\""
                                                      : ",\"notWritten\":\"the shader does not write this location\"";
}

}  // namespace etzel::icd
