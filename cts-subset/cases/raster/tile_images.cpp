// VK_EXT_shader_tile_image: fragments read what the attachments hold before they write them, in the order of
// rasterization ("Fragment Shader Tile Image Reads"). No assembler of Debian 12 knows the instructions, so the shaders
// are text with numbers. Beside them what reads attachments through descriptors: input attachments that are the draw's
// own target (VK_EXT_rasterization_order_attachment_access), and VK_EXT_custom_resolve.
#include <bit>
#include <cmath>
#include <sstream>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/samples.h"

namespace etzel::cts {
namespace {

constexpr uint32_t kSize = 20;  // pixels, both ways: a tile's blocks of 8 and a part of one
constexpr const char* kExtension = "VK_EXT_shader_tile_image";

/// A fragment shader as SPIR-V text. Values are of four components of %type: float, or unsigned integers.
class TileShader {
 public:
  enum Reads : uint32_t { kColor = 1, kDepth = 2, kStencil = 4 };
  explicit TileShader(uint32_t reads, bool integers = false, bool coherent = true)
      : reads_(reads), integers_(integers), coherent_(coherent) {}

  /// Tile images %tileL for `count` locations from `location` on; more than one are an array.
  void image(uint32_t location, uint32_t count = 1) { images_.push_back({location, count}); }
  /// Names the value of a constant of %u32.
  std::string u(uint32_t n) {
    constants_.insert(n);
    return "%u" + std::to_string(n);
  }
  std::string f(float value) {
    const std::string name = text("%%f%08x", std::bit_cast<uint32_t>(value));
    floats_[name] = value;
    return name;
  }
  void line(const std::string& instruction) { body_ += instruction + "\n"; }
  /// %name is the vector that tile image %tileL has, of sample `sample` (an id; none: left out).
  void color(const std::string& name, uint32_t location, const std::string& sample = "") {
    line(text("%%i%s = OpLoad %%image %%tile%u", name.c_str(), location));
    read(0x1040, "%v4 %" + name + " %i" + name, sample);
  }
  void element(const std::string& name, uint32_t location, const std::string& index, const std::string& sample = "") {
    line(text("%%p%s = OpAccessChain %%imagePointer %%tile%u %s", name.c_str(), location, index.c_str()));
    line(text("%%i%s = OpLoad %%image %%p%s", name.c_str(), name.c_str()));
    read(0x1040, "%v4 %" + name + " %i" + name, sample);
  }
  void depth(const std::string& name, const std::string& sample = "") { read(0x1041, "%f32 %" + name, sample); }
  void stencil(const std::string& name, const std::string& sample = "") { read(0x1042, "%u32 %" + name, sample); }
  void out(uint32_t location, const std::string& value) {
    outputs_.insert(location);
    line(text("OpStore %%out%u %s", location, value.c_str()));
  }
  /// %sampleId has gl_SampleID, and %fragCoord gl_FragCoord.
  void sampleId() { usesSample_ = true; }
  void fragCoord() { usesCoord_ = true; }

  std::string str() const {
    std::string s = "; SPIR-V\nOpCapability Shader\n";
    if (usesSample_) s += "OpCapability SampleRateShading\n";
    if (reads_ & kColor) s += "OpCapability !4166\n";
    if (reads_ & kDepth) s += "OpCapability !4167\n";
    if (reads_ & kStencil) s += "OpCapability !4168\n";
    s += "OpExtension \"SPV_EXT_shader_tile_image\"\nOpMemoryModel Logical GLSL450\nOpEntryPoint Fragment %main "
         "\"main\"";
    for (uint32_t o : outputs_) s += text(" %%out%u", o);
    for (const Images& i : images_) s += text(" %%tile%u", i.location);
    if (usesSample_) s += " %sampleVar";
    if (usesCoord_) s += " %coordVar";
    s += "\nOpExecutionMode %main OriginUpperLeft\n";
    for (uint32_t k = 0; !coherent_ && k < 3; ++k)
      if (reads_ >> k & 1) s += text("OpExecutionMode %%main !%u\n", 4169 + k);
    for (uint32_t o : outputs_) s += text("OpDecorate %%out%u Location %u\n", o, o);
    for (const Images& i : images_) s += text("OpDecorate %%tile%u Location %u\n", i.location, i.location);
    if (usesSample_) s += "OpDecorate %sampleVar BuiltIn SampleId\nOpDecorate %sampleVar Flat\n";
    if (usesCoord_) s += "OpDecorate %coordVar BuiltIn FragCoord\n";
    s += "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%bool = OpTypeBool\n%u32 = OpTypeInt 32 0\n"
         "%i32 = OpTypeInt 32 1\n%f32 = OpTypeFloat 32\n";
    s += std::string("%v4 = OpTypeVector ") + (integers_ ? "%u32" : "%f32") + " 4\n";
    if (integers_) s += "%f4 = OpTypeVector %f32 4\n";
    for (uint32_t n : constants_) s += text("%%u%u = OpConstant %%u32 %u\n", n, n);
    for (const auto& [name, value] : floats_) s += text("%s = OpConstant %%f32 %.9g\n", name.c_str(), double(value));
    if (reads_ & kColor)
      s += text("%%image = OpTypeImage %s !4173 !0 !0 !0 !2 !0\n%%imagePointer = OpTypePointer !4172 %%image\n",
                integers_ ? "%u32" : "%f32");
    s += "%outPointer = OpTypePointer Output %v4\n";
    for (uint32_t o : outputs_) s += text("%%out%u = OpVariable %%outPointer Output\n", o);
    for (const Images& i : images_) {
      if (i.count == 1) {
        s += text("%%tile%u = OpVariable %%imagePointer !4172\n", i.location);
        continue;
      }
      s += text("%%array%u = OpTypeArray %%image %%u%u\n%%arrayPointer%u = OpTypePointer !4172 %%array%u\n", i.location,
                i.count, i.location, i.location);
      s += text("%%tile%u = OpVariable %%arrayPointer%u !4172\n", i.location, i.location);
    }
    if (usesSample_) s += "%samplePointer = OpTypePointer Input %i32\n%sampleVar = OpVariable %samplePointer Input\n";
    if (usesCoord_)
      s += std::string("%coordPointer = OpTypePointer Input ") + (integers_ ? "%f4" : "%v4") +
           "\n%coordVar = OpVariable %coordPointer Input\n";
    s += "%main = OpFunction %void None %fn\n%entry = OpLabel\n";
    if (usesSample_) s += "%sampleId = OpLoad %i32 %sampleVar\n";
    if (usesCoord_) s += std::string("%fragCoord = OpLoad ") + (integers_ ? "%f4" : "%v4") + " %coordVar\n";
    return s + body_ + "OpReturn\nOpFunctionEnd\n";
  }

 private:
  struct Images {
    uint32_t location, count;
  };
  void read(uint32_t opcode, const std::string& operands, const std::string& sample) {
    std::istringstream words(operands + " " + sample);
    uint32_t count = 1;
    for (std::string w; words >> w;) ++count;
    line(text("OpNop\n!0x%08x ", count << 16 | opcode) + operands + " " + sample);
  }

  uint32_t reads_;
  bool integers_, coherent_, usesSample_ = false, usesCoord_ = false;
  std::vector<Images> images_;
  std::set<uint32_t> constants_, outputs_;
  std::map<std::string, float> floats_;
  std::string body_;
};

Image target(Gpu& gpu, VkFormat format, uint32_t samples, VkImageUsageFlags more = 0) {
  Image image = gpu.image({.format = format,
                           .width = kSize,
                           .height = kSize,
                           .samples = VkSampleCountFlagBits(samples),
                           .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | more});
  gpu.clear(image, {});
  return image;
}

DrawState over(const std::vector<Image>& colors, const std::string& frag) {
  DrawState s;
  s.vert = coverAll();
  s.frag = frag;
  s.colors = colors;
  s.multisample.rasterizationSamples = colors[0].desc.samples;
  return s;
}
void shadeSamples(DrawState& s) {
  s.multisample.sampleShadingEnable = VK_TRUE;
  s.multisample.minSampleShading = 1;
}

void need(Gpu& gpu, uint32_t samples, uint32_t features = 3) {
  gpu.requireFeatures(kExtension, features);
  requireSamples(gpu, samples);
  gpu.require(samples == 1 || gpu.features.features.sampleRateShading, "sampleRateShading");
}

/// What a shader adds to each sample: instances of one draw, then a second draw, each of which finds what came before.
/// Left alone where `first` covers: only the right half has the second draw.
void accumulate(Gpu& gpu, VkFormat format, uint32_t samples, float step, bool coherent = true) {
  need(gpu, samples);
  Image image = target(gpu, format, samples);
  TileShader t(TileShader::kColor, false, coherent);
  t.image(0);
  std::string sample, more = t.f(0);
  if (samples > 1) {
    t.sampleId();
    sample = "%sampleId";
    t.line("%k = OpConvertSToF %f32 %sampleId\n%more = OpFMul %f32 %k " + t.f(step));
    more = "%more";
  }
  t.color("old", 0, sample);
  t.line("%x = OpCompositeExtract %f32 %old 0\n%y = OpCompositeExtract %f32 %old 1");
  t.line("%nx = OpFAdd %f32 %x " + t.f(step) + "\n%ky = OpFAdd %f32 %y %nx\n%sy = OpFSub %f32 %ky %x");
  t.line("%ny = OpFAdd %f32 %sy " + more + "\n%new = OpCompositeConstruct %v4 %nx %ny " + t.f(0) + " " + t.f(1));
  t.out(0, "%new");
  DrawState s = over({image}, t.str());
  if (samples > 1) shadeSamples(s);
  s.commands = [&](VkCommandBuffer cmd) {
    // Without coherence a barrier stands between any two draws.
    for (uint32_t i = 0; i < (coherent ? 1 : 3); ++i) {
      const VkMemoryBarrier2 between{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                     nullptr,
                                     VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
                                     VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT,
                                     VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
                                     VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT};
      VkDependencyInfo dependency{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
      dependency.dependencyFlags = VK_DEPENDENCY_BY_REGION_BIT;
      dependency.memoryBarrierCount = 1, dependency.pMemoryBarriers = &between;
      if (i) vkCmdPipelineBarrier2(cmd, &dependency);
      vkCmdDraw(cmd, 3, coherent ? 3 : 1, 0, 0);
    }
  };
  draw(gpu, s);
  const auto got = samplesOf(gpu, image);
  for (uint32_t k = 0; k < samples; ++k)
    for (uint32_t p = 0; p < kSize * kSize; ++p) {
      const float* v = &got[(k * kSize * kSize + p) * 4];
      ASSERT_NEAR(v[0], 3 * step, step / 8) << "pixel " << p << " sample " << k;
      ASSERT_NEAR(v[1], 3 * step * float(1 + k), step / 8) << "pixel " << p << " sample " << k;
    }
}

/// Unsigned integers, every step of which depends on the one before: v = v * 3 + 1.
void integers(Gpu& gpu, uint32_t samples) {
  need(gpu, samples);
  Image image = target(gpu, VK_FORMAT_R32G32B32A32_UINT, samples);
  TileShader t(TileShader::kColor, true);
  t.image(0);
  if (samples > 1) t.sampleId();
  t.color("old", 0, samples > 1 ? "%sampleId" : "");
  t.line("%x = OpCompositeExtract %u32 %old 0\n%m = OpIMul %u32 %x " + t.u(3) + "\n%n = OpIAdd %u32 %m " + t.u(1));
  if (samples > 1) t.line("%k = OpBitcast %u32 %sampleId\n%nk = OpIAdd %u32 %n %k");
  const std::string value = samples > 1 ? "%nk" : "%n";
  t.line("%new = OpCompositeConstruct %v4 " + value + " " + t.u(0) + " " + t.u(0) + " " + t.u(0));
  t.out(0, "%new");
  DrawState s = over({image}, t.str());
  if (samples > 1) shadeSamples(s);
  s.instanceCount = 7;
  draw(gpu, s);
  // As floats: sums of all samples, which are small enough to be exact.
  Image sums = target(gpu, VK_FORMAT_R32G32B32A32_SFLOAT, 1);
  DrawState r = over({sums}, text("#version 450\nlayout(binding=0) uniform usampler2D%s t;\n"
                                  "layout(location=0) out vec4 color;\nvoid main() { color = vec4(0);\n"
                                  "  for (int k = 0; k < %u; ++k) color[k %% 4] += float(texelFetch(t, "
                                  "ivec2(gl_FragCoord.xy), %s).r); }\n",
                                  samples > 1 ? "MS" : "", samples, samples > 1 ? "k" : "0"));
  r.bindings = {sampled(image.view, gpu.sampler())};
  draw(gpu, r);
  float want[4] = {};
  for (uint32_t k = 0; k < samples; ++k) {
    uint32_t v = 0;
    for (int i = 0; i < 7; ++i) v = v * 3 + 1 + k;
    want[k % 4] += float(v);
  }
  const auto bytes = gpu.download(sums, 16);
  for (size_t p = 0; p < kSize * kSize * 4; ++p) {
    float v;
    std::memcpy(&v, &bytes[p * 4], 4);
    ASSERT_EQ(v, want[p % 4]) << p;
  }
}

/// A pixel's invocation reads all of its samples ("programmable resolve"), of an attachment that it does not write.
void allSamples(Gpu& gpu, uint32_t samples) {
  need(gpu, samples);
  Image image = target(gpu, VK_FORMAT_R8G8B8A8_UNORM, samples);
  Image sums = target(gpu, VK_FORMAT_R32G32B32A32_SFLOAT, samples);
  DrawState first = over({image},
                         "#version 450\nlayout(location=0) out vec4 color;\n"
                         "void main() { color = vec4(float(gl_SampleID * 3 + int(gl_FragCoord.x)) / 255.0, "
                         "float(gl_SampleID) / 255.0, 0, 1); }\n");
  shadeSamples(first);
  draw(gpu, first);
  TileShader t(TileShader::kColor);
  t.image(0);
  t.line("%s0 = OpCompositeConstruct %v4 " + t.f(0) + " " + t.f(0) + " " + t.f(0) + " " + t.f(0));
  for (uint32_t k = 0; k < samples; ++k) {
    t.color(text("c%u", k), 0, t.u(k));
    t.line(text("%%w%u = OpVectorTimesScalar %%v4 %%c%u ", k, k) + t.f(float(k + 1)));
    t.line(text("%%s%u = OpFAdd %%v4 %%s%u %%w%u", k + 1, k, k));
  }
  t.out(1, text("%%s%u", samples));
  DrawState s = over({image, sums}, t.str());
  s.writeMasks = {0, 15};
  draw(gpu, s);
  const auto got = samplesOf(gpu, sums), kept = samplesOf(gpu, image);
  for (uint32_t p = 0; p < kSize * kSize; ++p) {
    float want[2] = {};
    for (uint32_t k = 0; k < samples; ++k) {
      want[0] += float(k + 1) * float(k * 3 + p % kSize) / 255, want[1] += float(k + 1) * float(k) / 255;
      ASSERT_NEAR(kept[(k * kSize * kSize + p) * 4], float(k * 3 + p % kSize) / 255, 1e-4f) << p;
    }
    for (uint32_t k = 0; k < samples; ++k)
      for (uint32_t c = 0; c < 2; ++c)
        ASSERT_NEAR(got[(k * kSize * kSize + p) * 4 + c], want[c], 1e-4f * float(samples)) << "pixel " << p;
  }
}

/// A sample mask: of the covered samples, which a pixel's invocation may read, the first one counts up.
void coveredSamples(Gpu& gpu, uint32_t samples) {
  need(gpu, samples);
  constexpr uint32_t kMask = 0xAAAAAAAA;
  Image image = target(gpu, VK_FORMAT_R8G8B8A8_UNORM, samples);
  TileShader t(TileShader::kColor);
  t.image(0);
  t.color("old", 0, t.u(1));
  t.line("%one = OpCompositeConstruct %v4 " + t.f(1.0f / 255) + " " + t.f(2.0f / 255) + " " + t.f(0) + " " + t.f(0));
  t.line("%new = OpFAdd %v4 %old %one");
  t.out(0, "%new");
  DrawState s = over({image}, t.str());
  s.multisample.pSampleMask = &kMask;
  s.instanceCount = 5;
  draw(gpu, s);
  const auto got = samplesOf(gpu, image);
  for (uint32_t k = 0; k < samples; ++k)
    for (uint32_t p = 0; p < kSize * kSize; ++p) {
      const float* v = &got[(k * kSize * kSize + p) * 4];
      ASSERT_NEAR(v[0], k % 2 ? 5.0f / 255 : 0, 1e-4f) << "pixel " << p << " sample " << k;
      ASSERT_NEAR(v[1], k % 2 ? 10.0f / 255 : 0, 1e-4f) << "pixel " << p << " sample " << k;
    }
}

/// Depth and stencil before the fragment's own are written, of planes, cleared blocks and plain values.
void depthStencil(Gpu& gpu, VkFormat format, uint32_t samples) {
  need(gpu, samples);
  gpu.require(gpu.formatFeatures(format) & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT, "the format");
  Image ds = gpu.image({.format = format,
                        .width = kSize,
                        .height = kSize,
                        .samples = VkSampleCountFlagBits(samples),
                        .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT});
  const bool hasDepth = ds.aspect & VK_IMAGE_ASPECT_DEPTH_BIT, hasStencil = ds.aspect & VK_IMAGE_ASPECT_STENCIL_BIT;
  Image image = target(gpu, VK_FORMAT_R32G32B32A32_SFLOAT, samples);
  VkClearValue cleared{};
  cleared.depthStencil = {0.25f, 4};
  gpu.clear(ds, cleared);
  const auto tested = [&](DrawState& s, uint32_t reference) {
    s.depth = &ds;
    s.depthStencil.depthTestEnable = s.depthStencil.depthWriteEnable = hasDepth;
    s.depthStencil.depthCompareOp = VK_COMPARE_OP_ALWAYS;
    s.depthStencil.stencilTestEnable = hasStencil;
    s.depthStencil.front = {
        VK_STENCIL_OP_KEEP, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_KEEP, VK_COMPARE_OP_ALWAYS, 255, 255, reference};
    s.depthStencil.back = s.depthStencil.front;
  };
  DrawState half = over({image}, writes("vec4(0)"));
  half.vert = coverAll("0.75");
  half.scissors = {{{0, 0}, {kSize / 2, kSize}}};
  tested(half, 9);
  draw(gpu, half);
  uint32_t reads = 0;
  if (hasDepth) reads |= TileShader::kDepth;
  if (hasStencil) reads |= TileShader::kStencil;
  TileShader t(reads);
  std::string sample;
  if (samples > 1) t.sampleId(), sample = "%sampleId";
  std::string z = t.f(0), s = t.f(0);
  if (hasDepth) t.depth("z", sample), z = "%z";
  if (hasStencil) {
    t.stencil("word", sample);
    t.line("%s = OpConvertUToF %f32 %word");
    s = "%s";
  }
  t.line("%new = OpCompositeConstruct %v4 " + z + " " + s + " " + t.f(0) + " " + t.f(1));
  t.out(0, "%new");
  DrawState d = over({image}, t.str());
  d.vert = coverAll("0.5");
  if (samples > 1) shadeSamples(d);
  tested(d, 17);
  draw(gpu, d);
  const auto first = samplesOf(gpu, image);
  // What the draw itself wrote is what the next one finds.
  draw(gpu, d);
  const auto second = samplesOf(gpu, image);
  for (uint32_t k = 0; k < samples; ++k)
    for (uint32_t p = 0; p < kSize * kSize; ++p) {
      const size_t at = (k * kSize * kSize + p) * 4;
      const bool left = p % kSize < kSize / 2;
      ASSERT_NEAR(first[at], !hasDepth ? 0 : left ? 0.75f : 0.25f, 1e-4f) << "pixel " << p << " sample " << k;
      ASSERT_EQ(first[at + 1], !hasStencil ? 0 : left ? 9 : 4) << "pixel " << p << " sample " << k;
      ASSERT_NEAR(second[at], hasDepth ? 0.5f : 0, 1e-4f) << "pixel " << p << " sample " << k;
      ASSERT_EQ(second[at + 1], hasStencil ? 17 : 0) << "pixel " << p << " sample " << k;
    }
}

/// Helper invocations read too: differences across the edge of a triangle, of an attachment that is not written.
void helpers(Gpu& gpu) {
  need(gpu, 1);
  Image ramp = target(gpu, VK_FORMAT_R8G8B8A8_UNORM, 1), image = target(gpu, VK_FORMAT_R32G32B32A32_SFLOAT, 1);
  draw(gpu, over({ramp}, writes("vec4((floor(gl_FragCoord.x) + 2.0 * floor(gl_FragCoord.y)) / 255.0)")));
  TileShader t(TileShader::kColor);
  t.image(0);
  t.color("c", 0);
  t.line("%x = OpCompositeExtract %f32 %c 0\n%dx = OpDPdx %f32 %x\n%dy = OpDPdy %f32 %x");
  t.line("%new = OpCompositeConstruct %v4 %dx %dy %x " + t.f(1));
  t.out(1, "%new");
  DrawState s = over({ramp, image}, t.str());
  s.writeMasks = {0, 15};
  s.vert =
      "#version 450\nvoid main() { gl_Position = vec4(gl_VertexIndex == 1 ? 1.0 : -1.0, gl_VertexIndex == 2 ? 1.0 : "
      "-1.0, 0, 1); }\n";
  draw(gpu, s);
  const auto bytes = gpu.download(image, 16);
  uint32_t covered = 0;
  for (uint32_t p = 0; p < kSize * kSize; ++p) {
    float v[4];
    std::memcpy(v, &bytes[p * 16], 16);
    if (v[3] == 0) continue;
    ++covered;
    ASSERT_NEAR(v[2], float(p % kSize + 2 * (p / kSize)) / 255, 1e-5f) << p;
    ASSERT_NEAR(v[0], 1.0f / 255, 1e-5f) << p;
    ASSERT_NEAR(v[1], 2.0f / 255, 1e-5f) << p;
  }
  EXPECT_GE(covered, kSize * kSize / 3);
}

/// An array of tile images, indexed by what differs between pixels, at locations that are not the attachments' numbers.
void arrays(Gpu& gpu) {
  need(gpu, 1);
  std::vector<Image> images;
  for (uint32_t i = 0; i < 3; ++i) {
    images.push_back(target(gpu, VK_FORMAT_R8G8B8A8_UNORM, 1));
    VkClearValue value{};
    for (float& c : value.color.float32) c = float(10 * (i + 1)) / 255;
    gpu.clear(images.back(), value);
  }
  images.push_back(target(gpu, VK_FORMAT_R32G32B32A32_SFLOAT, 1));
  TileShader t(TileShader::kColor);
  t.image(4, 3);
  t.fragCoord();
  t.line("%fx = OpCompositeExtract %f32 %fragCoord 0\n%x = OpConvertFToU %u32 %fx\n%i = OpUMod %u32 %x " + t.u(3));
  t.element("c", 4, "%i");
  t.out(1, "%c");
  DrawState s = over(images, t.str());
  s.writeMasks = {0, 0, 0, 15};
  s.commands = [&](VkCommandBuffer cmd) {
    struct Locations {
      VkStructureType sType;
      const void* next;
      uint32_t count;
      const uint32_t* locations;
    };
    // Attachments 0, 1 and 2 at locations 6, 4 and 5, the last one at location 1.
    const uint32_t at[4] = {6, 4, 5, 1};
    const Locations info{VkStructureType(1000232001), nullptr, 4, at};
    using Set = void (*)(VkCommandBuffer, const Locations*);
    for (const char* name : {"vkCmdSetRenderingAttachmentLocations", "vkCmdSetRenderingAttachmentLocationsKHR"})
      if (const auto set = gpu.proc<Set>(name)) {
        set(cmd, &info);
        break;
      }
    vkCmdDraw(cmd, 3, 1, 0, 0);
  };
  draw(gpu, s);
  const auto bytes = gpu.download(images[3], 16);
  const uint32_t order[3] = {1, 2, 0};
  for (uint32_t p = 0; p < kSize * kSize; ++p) {
    float v;
    std::memcpy(&v, &bytes[p * 16], 4);
    ASSERT_NEAR(v, float(10 * (order[p % kSize % 3] + 1)) / 255, 1e-5f) << p;
  }
}

/// One pass: a colour, a draw that reads it to another attachment, and a draw that covers it. What is covered must have
/// been there.
void coveredLater(Gpu& gpu) {
  need(gpu, 1);
  Image image = target(gpu, VK_FORMAT_R8G8B8A8_UNORM, 1), seen = target(gpu, VK_FORMAT_R8G8B8A8_UNORM, 1);
  TileShader t(TileShader::kColor);
  t.image(0);
  t.color("c", 0);
  t.out(1, "%c");
  DrawState plain = over({image, seen},
                         "#version 450\nlayout(push_constant) uniform P { vec4 v; };\n"
                         "layout(location=0) out vec4 color;\nvoid main() { color = v; }\n");
  plain.push.resize(16);
  plain.writeMasks = {15, 0};
  DrawState reads = over({image, seen}, t.str());
  reads.writeMasks = {0, 15};
  const Gpu::Set set = gpu.set({}, 16);
  const VkPipeline reader = makePipeline(gpu, reads, set.pipeline, {kSize, kSize});
  const VkPipeline writer = makePipeline(gpu, plain, set.pipeline, {kSize, kSize});
  plain.clearColors = VkClearValue{};
  plain.commands = [&](VkCommandBuffer cmd) {
    const float a[4] = {1, 0, 0, 1}, b[4] = {0, 1, 0, 1};
    const auto fill = [&](const float* v) {
      vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, writer);
      vkCmdPushConstants(cmd, set.pipeline, VK_SHADER_STAGE_ALL, 0, 16, v);
      vkCmdDraw(cmd, 3, 1, 0, 0);
    };
    fill(a);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, reader);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    fill(b);
  };
  draw(gpu, plain);
  const auto below = gpu.download(seen, 4), above = gpu.download(image, 4);
  for (uint32_t p = 0; p < kSize * kSize; ++p) {
    ASSERT_EQ(below[p * 4], 255) << p;
    ASSERT_EQ(below[p * 4 + 1], 0) << p;
    ASSERT_EQ(above[p * 4], 0) << p;
    ASSERT_EQ(above[p * 4 + 1], 255) << p;
  }
}

/// A render pass whose only attachment is colour and input attachment: instances of one draw count up, in the order of
/// rasterization.
void ownInput(Gpu& gpu, uint32_t samples) {
  gpu.requireFeatures("VK_EXT_rasterization_order_attachment_access", 1);
  requireSamples(gpu, samples);
  Image image = target(gpu, VK_FORMAT_R8G8B8A8_UNORM, samples, VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT);
  VkAttachmentDescription attachment{};
  attachment.format = VK_FORMAT_R8G8B8A8_UNORM;
  attachment.samples = image.desc.samples;
  attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  attachment.initialLayout = attachment.finalLayout = VK_IMAGE_LAYOUT_GENERAL;
  const VkAttachmentReference reference{0, VK_IMAGE_LAYOUT_GENERAL};
  VkSubpassDescription subpass{};
  subpass.flags = VK_SUBPASS_DESCRIPTION_RASTERIZATION_ORDER_ATTACHMENT_COLOR_ACCESS_BIT_EXT;
  subpass.colorAttachmentCount = subpass.inputAttachmentCount = 1;
  subpass.pColorAttachments = subpass.pInputAttachments = &reference;
  VkRenderPassCreateInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, nullptr, 0, 1, &attachment, 1, &subpass};
  VkRenderPass pass;
  CTS_VK(vkCreateRenderPass(gpu.device, &info, nullptr, &pass));
  gpu.later([&gpu, pass] { vkDestroyRenderPass(gpu.device, pass, nullptr); });
  const VkFramebufferCreateInfo frame{
      VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, nullptr, 0, pass, 1, &image.view, kSize, kSize, 1};
  VkFramebuffer framebuffer;
  CTS_VK(vkCreateFramebuffer(gpu.device, &frame, nullptr, &framebuffer));
  gpu.later([&gpu, framebuffer] { vkDestroyFramebuffer(gpu.device, framebuffer, nullptr); });
  const Gpu::Set set = gpu.set({inputAttachment(image.view)}, 0);
  DrawState s;
  s.vert = coverAll();
  s.frag = text(
      "#version 450\nlayout(input_attachment_index=0, binding=0) uniform subpassInput%s t;\n"
      "layout(location=0) out vec4 color;\n"
      "void main() { color = subpassLoad(t%s) + vec4(1.0, 2.0, 0.0, 0.0) / 255.0; }\n",
      samples > 1 ? "MS" : "", samples > 1 ? ", 0" : "");
  s.multisample.rasterizationSamples = image.desc.samples;
  s.blend.flags = VK_PIPELINE_COLOR_BLEND_STATE_CREATE_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_BIT_EXT;
  const Subpass first{pass, 0, 1};
  const VkPipeline pipeline = makePipeline(gpu, s, set.pipeline, {kSize, kSize}, &first);
  gpu.submit([&](VkCommandBuffer cmd) {
    VkClearValue value{};
    value.color.float32[0] = 40.0f / 255;
    VkRenderPassBeginInfo begin{
        VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, pass, framebuffer, {{0, 0}, {kSize, kSize}}, 1, &value};
    vkCmdBeginRenderPass(cmd, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, set.pipeline, 0, 1, &set.set, 0, nullptr);
    vkCmdDraw(cmd, 3, 6, 0, 0);
    vkCmdEndRenderPass(cmd);
  });
  const auto got = samplesOf(gpu, image);
  for (uint32_t i = 0; i < samples * kSize * kSize; ++i) {
    ASSERT_NEAR(got[i * 4], 46.0f / 255, 1e-4f) << i;
    ASSERT_NEAR(got[i * 4 + 1], 12.0f / 255, 1e-4f) << i;
  }
}

// Names that not all headers have.
constexpr auto kCustomResolve = VkResolveModeFlagBits(0x20);
constexpr VkRenderingFlags kHasCustomResolve = 0x80;
struct CustomResolveInfo {
  VkStructureType sType = VkStructureType(1000628002);
  const void* next = nullptr;
  VkBool32 customResolve = VK_FALSE;
  uint32_t colorCount = 0;
  const VkFormat* colors = nullptr;
  VkFormat depth = VK_FORMAT_UNDEFINED, stencil = VK_FORMAT_UNDEFINED;
};

/// Two colours and depth, resolved by a draw to images of other formats: the last sample, the sum, the greatest depth.
/// Nothing of the samples is kept.
void customResolve(Gpu& gpu, uint32_t samples) {
  gpu.requireFeatures("VK_EXT_custom_resolve", 1);
  requireSamples(gpu, samples);
  gpu.require(gpu.features.features.sampleRateShading, "sampleRateShading");
  constexpr VkImageUsageFlags kInput = VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
  std::vector<Image> colors, results;
  for (int i = 0; i < 2; ++i) colors.push_back(target(gpu, VK_FORMAT_R8G8B8A8_UNORM, samples, kInput));
  for (int i = 0; i < 2; ++i) results.push_back(target(gpu, VK_FORMAT_R32G32B32A32_SFLOAT, 1));
  const auto depthImage = [&](uint32_t n, VkFormat format) {
    return gpu.image({.format = format,
                      .width = kSize,
                      .height = kSize,
                      .samples = VkSampleCountFlagBits(n),
                      .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | (n > 1 ? kInput : 0)});
  };
  Image depth = depthImage(samples, VK_FORMAT_D32_SFLOAT), deepest = depthImage(1, VK_FORMAT_D16_UNORM);
  const VkFormat formats[2] = {VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT};
  CustomResolveInfo before, after;
  before.colorCount = after.colorCount = 2, before.colors = after.colors = formats;
  before.depth = after.depth = VK_FORMAT_D16_UNORM;
  after.customResolve = VK_TRUE;

  DrawState scene = over(colors,
                         "#version 450\nlayout(location=0) out vec4 a;\nlayout(location=1) out vec4 b;\n"
                         "void main() { float k = float(gl_SampleID), x = floor(gl_FragCoord.x);\n"
                         "  a = vec4(k + x, 1, 0, 1) / 255.0; b = vec4(x, k, 2, 3) / 255.0;\n"
                         "  gl_FragDepth = (k + 1.0) / 32.0; }\n");
  shadeSamples(scene);
  scene.depth = &depth;
  scene.depthStencil.depthTestEnable = scene.depthStencil.depthWriteEnable = VK_TRUE;
  scene.depthStencil.depthCompareOp = VK_COMPARE_OP_ALWAYS;
  scene.pipelineNext = &before;
  DrawState resolve = scene;
  resolve.multisample.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  resolve.multisample.sampleShadingEnable = VK_FALSE;
  resolve.pipelineNext = &after;
  resolve.frag = text(
      "#version 450\nlayout(input_attachment_index=0, binding=0) uniform subpassInputMS ta;\n"
      "layout(input_attachment_index=1, binding=1) uniform subpassInputMS tb;\n"
      "layout(input_attachment_index=2, binding=2) uniform subpassInputMS tz;\n"
      "layout(location=0) out vec4 a;\nlayout(location=1) out vec4 b;\n"
      "void main() { a = subpassLoad(ta, %u); b = vec4(0); float z = 0.0;\n"
      "  for (int k = 0; k < %u; ++k) { b += subpassLoad(tb, k); z = max(z, subpassLoad(tz, k).r); }\n"
      "  gl_FragDepth = z; }\n",
      samples - 1, samples);
  const std::vector<Binding> inputs = {inputAttachment(colors[0].view), inputAttachment(colors[1].view),
                                       inputAttachment(depth.view)};
  const Gpu::Set set = gpu.set(inputs, 0);
  const VkPipeline pipelines[2] = {makePipeline(gpu, scene, set.pipeline, {kSize, kSize}),
                                   makePipeline(gpu, resolve, set.pipeline, {kSize, kSize})};
  VkRenderingAttachmentInfo a[2], z{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  const auto fill = [&](VkRenderingAttachmentInfo& to, const Image& from, const Image& into) {
    to = {VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    to.imageView = from.view, to.resolveImageView = into.view;
    to.imageLayout = to.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
    to.resolveMode = kCustomResolve;
    to.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR, to.storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  };
  for (uint32_t i = 0; i < 2; ++i) fill(a[i], colors[i], results[i]);
  fill(z, depth, deepest);
  VkRenderingInfo rendering{VK_STRUCTURE_TYPE_RENDERING_INFO};
  rendering.flags = kHasCustomResolve;
  rendering.renderArea = {{0, 0}, {kSize, kSize}};
  rendering.layerCount = 1;
  rendering.colorAttachmentCount = 2, rendering.pColorAttachments = a;
  rendering.pDepthAttachment = &z;
  using Begin = void (*)(VkCommandBuffer, const void*);
  const auto beginResolve = gpu.proc<Begin>("vkCmdBeginCustomResolveEXT");
  gpu.submit([&](VkCommandBuffer cmd) {
    vkCmdBeginRendering(cmd, &rendering);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[0]);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, set.pipeline, 0, 1, &set.set, 0, nullptr);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    beginResolve(cmd, nullptr);
    const VkMemoryBarrier2 between{
        VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
        nullptr,
        VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
        VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
        VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
        VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT};
    VkDependencyInfo dependency{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    dependency.dependencyFlags = VK_DEPENDENCY_BY_REGION_BIT;
    dependency.memoryBarrierCount = 1, dependency.pMemoryBarriers = &between;
    vkCmdPipelineBarrier2(cmd, &dependency);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[1]);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRendering(cmd);
  });
  const auto depthBytes = gpu.download(deepest, 2, 0, 0, VK_IMAGE_ASPECT_DEPTH_BIT);
  std::vector<uint8_t> bytes[2] = {gpu.download(results[0], 16), gpu.download(results[1], 16)};
  const float n = float(samples);
  for (uint32_t p = 0; p < kSize * kSize; ++p) {
    const float x = float(p % kSize);
    const float want[2][4] = {{n - 1 + x, 1, 0, 1}, {n * x, n * (n - 1) / 2, 2 * n, 3 * n}};
    for (uint32_t i = 0; i < 2; ++i) {
      float v[4];
      std::memcpy(v, &bytes[i][p * 16], 16);
      for (uint32_t c = 0; c < 4; ++c) ASSERT_NEAR(v[c], want[i][c] / 255, 1e-4f) << i << " at " << p;
    }
    uint16_t depthWord;
    std::memcpy(&depthWord, &depthBytes[p * 2], 2);
    ASSERT_NEAR(float(depthWord) / 65535, n / 32, 1e-4f) << p;
  }
}

}  // namespace

void registerTileImages() {
  struct Format {
    const char* name;
    VkFormat format;
    float step;
  };
  const Format formats[] = {
      {"rgba8", VK_FORMAT_R8G8B8A8_UNORM, 1.0f / 255},  {"bgra8", VK_FORMAT_B8G8R8A8_UNORM, 1.0f / 255},
      {"rgba8s", VK_FORMAT_R8G8B8A8_SNORM, 1.0f / 127}, {"rg16", VK_FORMAT_R16G16_UNORM, 1.0f / 65535},
      {"rgba16f", VK_FORMAT_R16G16B16A16_SFLOAT, 1},    {"rgba32f", VK_FORMAT_R32G32B32A32_SFLOAT, 0.5f}};
  for (uint32_t samples : {1, 2, 4, 8, 16}) {
    for (const Format& f : formats)
      add(text("tile_image.color.x%u.%s", samples, f.name),
          [=](Gpu& gpu) { accumulate(gpu, f.format, samples, f.step); });
    add(text("tile_image.color.x%u.r32ui", samples), [=](Gpu& gpu) { integers(gpu, samples); });
    add(text("tile_image.incoherent.x%u", samples),
        [=](Gpu& gpu) { accumulate(gpu, VK_FORMAT_R8G8B8A8_UNORM, samples, 1.0f / 255, false); });
    const struct {
      const char* name;
      VkFormat format;
    } depths[] = {{"d16", VK_FORMAT_D16_UNORM},
                  {"d32", VK_FORMAT_D32_SFLOAT},
                  {"d24s8", VK_FORMAT_D24_UNORM_S8_UINT},
                  {"d32s8", VK_FORMAT_D32_SFLOAT_S8_UINT},
                  {"s8", VK_FORMAT_S8_UINT}};
    for (const auto& d : depths)
      add(text("tile_image.depth_stencil.x%u.%s", samples, d.name),
          [=](Gpu& gpu) { depthStencil(gpu, d.format, samples); });
    if (samples > 1) {
      add(text("tile_image.all_samples.x%u", samples), [=](Gpu& gpu) { allSamples(gpu, samples); });
      add(text("tile_image.covered_samples.x%u", samples), [=](Gpu& gpu) { coveredSamples(gpu, samples); });
      add(text("tile_image.custom_resolve.x%u", samples), [=](Gpu& gpu) { customResolve(gpu, samples); });
    }
    add(text("tile_image.input.x%u", samples), [=](Gpu& gpu) { ownInput(gpu, samples); });
  }
  add("tile_image.helpers", helpers);
  add("tile_image.arrays", arrays);
  add("tile_image.covered_later", coveredLater);
}

}  // namespace etzel::cts
