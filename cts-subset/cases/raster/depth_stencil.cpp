// Depth, depth bounds and stencil tests: which fragments pass and what they leave behind.
#include <algorithm>
#include <array>
#include <cmath>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

const char* const compareNames[] = {"never",   "less",      "equal",         "less_equal",
                                    "greater", "not_equal", "greater_equal", "always"};
const char* const opNames[] = {"keep",       "zero",   "replace",   "incr_clamp",
                               "decr_clamp", "invert", "incr_wrap", "decr_wrap"};
constexpr uint32_t size = 8;

template <class T>
bool compares(int op, T a, T b) {
  switch (op) {
    case 0: return false;
    case 1: return a < b;
    case 2: return a == b;
    case 3: return a <= b;
    case 4: return a > b;
    case 5: return a != b;
    case 6: return a >= b;
    default: return true;
  }
}

uint8_t apply(int op, uint8_t s, uint8_t reference) {
  switch (op) {
    case 0: return s;
    case 1: return 0;
    case 2: return reference;
    case 3: return s == 255 ? s : uint8_t(s + 1);
    case 4: return s == 0 ? s : uint8_t(s - 1);
    case 5: return uint8_t(~s);
    case 6: return uint8_t(s + 1);
    default: return uint8_t(s - 1);
  }
}

struct Test {
  VkFormat format;
  VkStencilOpState face{};
  bool stencil = false, depthTest = false, depthWrite = false, early = false, fragDepth = false, bounds = false;
  int depthCompare = 7;
};

constexpr float kBounds[] = {0.3125f, 0.6875f};  ///< depths that columns hold

bool isD16(VkFormat f) { return f == VK_FORMAT_D16_UNORM || f == VK_FORMAT_D16_UNORM_S8_UINT; }
bool isD24(VkFormat f) { return f == VK_FORMAT_X8_D24_UNORM_PACK32 || f == VK_FORMAT_D24_UNORM_S8_UINT; }
size_t depthBytesOf(VkFormat f) { return isD16(f) ? 2 : 4; }

void encodeDepth(VkFormat format, double z, void* to) {
  if (isD16(format)) {
    uint16_t v = uint16_t(std::lround(z * 65535));
    memcpy(to, &v, 2);
  } else if (isD24(format)) {
    uint32_t v = uint32_t(std::lround(z * 16777215));
    memcpy(to, &v, 4);
  } else {
    float v = float(z);
    memcpy(to, &v, 4);
  }
}

double decodeDepth(VkFormat format, const std::vector<uint8_t>& texels, size_t i) {
  if (isD16(format)) return reinterpret_cast<const uint16_t*>(texels.data())[i] / 65535.0;
  if (isD24(format)) return (reinterpret_cast<const uint32_t*>(texels.data())[i] & 0xffffff) / 16777215.0;
  return double(reinterpret_cast<const float*>(texels.data())[i]);
}

/// What the image holds, by pixel.
struct Contents {
  std::vector<uint8_t> stencil = std::vector<uint8_t>(size * size);
  std::vector<double> depth = std::vector<double>(size * size);
};

/// Of a row's fragments, and what a column holds: none is as far from two codes of a normalized format, which clears,
/// copies and fragments may round to either of.
double depthAt(uint32_t i) { return (2 * i + 1) / 16.0; }

/// Depths by column and stencil values by pixel.
Contents fill(Gpu& gpu, VkFormat format, const Image& ds) {
  Contents c;
  static const uint8_t values[] = {0, 1, 2, 127, 128, 254, 255, 85};
  for (uint32_t i = 0; i < size * size; ++i) c.stencil[i] = values[(i + i / size) % 8], c.depth[i] = depthAt(i % size);
  VkImageAspectFlags aspects = aspectsOf(format);
  size_t depthBytes = depthBytesOf(format);
  std::vector<uint8_t> raw(size * size * depthBytes);
  for (uint32_t i = 0; i < size * size; ++i) encodeDepth(format, c.depth[i], &raw[i * depthBytes]);
  Buffer stage = gpu.buffer(raw), stage2 = gpu.buffer(c.stencil);
  gpu.submit([&](VkCommandBuffer cmd) {
    VkBufferImageCopy copy{};
    copy.imageExtent = {size, size, 1};
    copy.imageSubresource = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, 1};
    if (aspects & VK_IMAGE_ASPECT_DEPTH_BIT)
      vkCmdCopyBufferToImage(cmd, stage.handle, ds.handle, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
    copy.imageSubresource.aspectMask = VK_IMAGE_ASPECT_STENCIL_BIT;
    if (aspects & VK_IMAGE_ASPECT_STENCIL_BIT)
      vkCmdCopyBufferToImage(cmd, stage2.handle, ds.handle, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
  });
  return c;
}

/// What becomes of pixel `i`: whether its fragment passes, and the stencil value afterwards.
struct Outcome {
  bool pass;
  uint8_t stencil;
};
Outcome outcome(const Test& t, const Contents& before, uint32_t i, bool hasDepth) {
  double z = depthAt(i / size);
  // Stored and new depths go through the same rounding: equal numbers stay equal.
  bool inBounds = !t.bounds || (before.depth[i] >= kBounds[0] && before.depth[i] <= kBounds[1]);
  bool depthPass = !t.depthTest || !hasDepth || compares(t.depthCompare, z, before.depth[i]);
  uint8_t s0 = before.stencil[i], mask = uint8_t(t.face.compareMask), write = uint8_t(t.face.writeMask),
          ref = uint8_t(t.face.reference);
  bool stencilPass = !t.stencil || compares(int(t.face.compareOp), ref & mask, s0 & mask);
  if (!inBounds) stencilPass = depthPass = false;
  uint8_t s1 = s0;
  if (t.stencil && inBounds) {
    auto op = !stencilPass ? t.face.failOp : !depthPass ? t.face.depthFailOp : t.face.passOp;
    uint8_t result = apply(int(op), s0, ref);
    s1 = uint8_t((s0 & ~write) | (result & write));
  }
  return {stencilPass && depthPass, s1};
}

void run(Gpu& gpu, const Test& t) {
  if (!(gpu.formatFeatures(t.format) & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT))
    throw NotSupported("depth format");
  if (t.bounds) gpu.require(gpu.features.features.depthBounds, "depthBounds");
  VkImageAspectFlags aspects = aspectsOf(t.format);
  Image ds = gpu.image(
      {.format = t.format, .width = size, .height = size, .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT});
  Image color = gpu.image({.width = size, .height = size, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  gpu.clear(color, {});
  const Contents before = fill(gpu, t.format, ds);
  const size_t depthBytes = depthBytesOf(t.format);
  DrawState s;
  // One instance a row; each a quad at the row's depth.
  s.vert =
      "#version 450\nvoid main() { int r = gl_InstanceIndex; float y = (float(r) + ((gl_VertexIndex & 2) != 0 ? 1.0 : "
      "0.0)) / 4.0 - 1.0;\n"
      "gl_Position = vec4((gl_VertexIndex & 1) != 0 ? 1.0 : -1.0, y, " +
      std::string(t.fragDepth ? "0.3" : "(2.0 * float(r) + 1.0) / 16.0") + ", 1.0); }\n";
  s.frag = std::string("#version 450\n") + (t.early ? "layout(early_fragment_tests) in;\n" : "") +
           "layout(location=0) out vec4 color;\nvoid main() { color = vec4(1.0); " +
           (t.fragDepth ? "gl_FragDepth = (2.0 * floor(gl_FragCoord.y) + 1.0) / 16.0; " : "") + "}\n";
  s.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
  s.vertexCount = 4;
  s.instanceCount = size;
  s.colors = {color};
  s.depth = &ds;
  s.depthStencil.depthTestEnable = t.depthTest;
  s.depthStencil.depthWriteEnable = t.depthWrite;
  s.depthStencil.depthCompareOp = VkCompareOp(t.depthCompare);
  s.depthStencil.stencilTestEnable = t.stencil;
  s.depthStencil.front = s.depthStencil.back = t.face;
  s.depthStencil.depthBoundsTestEnable = t.bounds;
  s.depthStencil.minDepthBounds = kBounds[0];
  s.depthStencil.maxDepthBounds = kBounds[1];
  draw(gpu, s);
  auto colors = gpu.download(color, 4);
  std::vector<uint8_t> depthAfter, stencilAfter;
  if (aspects & VK_IMAGE_ASPECT_DEPTH_BIT) depthAfter = gpu.download(ds, depthBytes, 0, 0, VK_IMAGE_ASPECT_DEPTH_BIT);
  if (aspects & VK_IMAGE_ASPECT_STENCIL_BIT) stencilAfter = gpu.download(ds, 1, 0, 0, VK_IMAGE_ASPECT_STENCIL_BIT);
  for (uint32_t i = 0; i < size * size; ++i) {
    const Outcome want = outcome(t, before, i, aspects & VK_IMAGE_ASPECT_DEPTH_BIT);
    ASSERT_EQ(colors[i * 4] != 0, want.pass) << "pixel " << i;
    if (!stencilAfter.empty()) {
      ASSERT_EQ(stencilAfter[i], want.stencil) << "stencil of pixel " << i << ", before " << int(before.stencil[i]);
    }
    if (!depthAfter.empty()) {
      double depth = want.pass && t.depthWrite && t.depthTest ? depthAt(i / size) : before.depth[i];
      ASSERT_NEAR(decodeDepth(t.format, depthAfter, i), depth, isD16(t.format) ? 1.01 / 65535 : 1e-6)
          << "depth of pixel " << i;
    }
  }
}

/// VK_EXT_dynamic_rendering_unused_attachments: the rendering has attachments that the pipeline gives no format, and
/// which it neither tests nor writes.
void runUnused(Gpu& gpu, VkImageAspectFlags unused) {
  gpu.requireExtension(kUnusedAttachmentsExtension);
  const VkFormat format = VK_FORMAT_D32_SFLOAT_S8_UINT;
  if (!(gpu.formatFeatures(format) & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT)) throw NotSupported("D32S8");
  Image ds = gpu.image(
      {.format = format, .width = size, .height = size, .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT});
  Image color = gpu.image({.width = size, .height = size, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
  gpu.clear(color, {});
  VkClearValue before{};
  before.depthStencil = {0.5f, 3};
  gpu.clear(ds, before);
  const auto uses = [&](VkImageAspectFlags aspect) { return !(unused & aspect); };
  DrawState s;
  s.vert = coverAll("0.25");
  s.frag = writes("vec4(1.0)");
  s.colors = {color};
  s.depth = &ds;
  s.undeclared = unused;
  VkPipelineDepthStencilStateCreateInfo& d = s.depthStencil;
  d.depthTestEnable = d.depthWriteEnable = uses(VK_IMAGE_ASPECT_DEPTH_BIT);
  d.stencilTestEnable = uses(VK_IMAGE_ASPECT_STENCIL_BIT);
  if (!uses(VK_IMAGE_ASPECT_COLOR_BIT)) s.attachment.colorWriteMask = 0;
  d.depthCompareOp = VK_COMPARE_OP_ALWAYS;
  d.front = {VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_REPLACE, VK_COMPARE_OP_ALWAYS, 255, 255, 9};
  d.back = d.front;
  draw(gpu, s);
  const auto colors = gpu.download(color, 4), stencils = gpu.download(ds, 1, 0, 0, VK_IMAGE_ASPECT_STENCIL_BIT);
  const auto depths = gpu.download(ds, 4, 0, 0, VK_IMAGE_ASPECT_DEPTH_BIT);
  for (uint32_t i = 0; i < size * size; ++i) {
    float depth;
    memcpy(&depth, &depths[i * 4], 4);
    ASSERT_EQ(colors[i * 4], uses(VK_IMAGE_ASPECT_COLOR_BIT) ? 255 : 0) << "colour of pixel " << i;
    ASSERT_EQ(depth, uses(VK_IMAGE_ASPECT_DEPTH_BIT) ? 0.25f : 0.5f) << "depth of pixel " << i;
    ASSERT_EQ(stencils[i], uses(VK_IMAGE_ASPECT_STENCIL_BIT) ? 9 : 3) << "stencil of pixel " << i;
  }
}

}  // namespace

void registerDepthStencil() {
  const VkImageAspectFlags depthBit = VK_IMAGE_ASPECT_DEPTH_BIT, stencilBit = VK_IMAGE_ASPECT_STENCIL_BIT;
  for (auto [unused, name] : {std::pair(depthBit, "depth"), std::pair(stencilBit, "stencil"),
                              std::pair(depthBit | stencilBit, "depth_stencil"),
                              std::pair(VkImageAspectFlags(VK_IMAGE_ASPECT_COLOR_BIT), "color")})
    add(text("depth.unused.%s", name), [unused = unused](Gpu& gpu) { runUnused(gpu, unused); });
  const std::pair<VkFormat, const char*> formats[] = {{VK_FORMAT_D16_UNORM, "d16"},
                                                      {VK_FORMAT_X8_D24_UNORM_PACK32, "x8d24"},
                                                      {VK_FORMAT_D32_SFLOAT, "d32"},
                                                      {VK_FORMAT_D24_UNORM_S8_UINT, "d24s8"},
                                                      {VK_FORMAT_D32_SFLOAT_S8_UINT, "d32s8"}};
  for (auto [format, name] : formats)
    for (int op = 0; op < 8; ++op)
      for (int mode = 0; mode < 3; ++mode) {
        Test t{format};
        t.depthTest = true;
        t.depthWrite = mode != 1;
        t.early = mode == 0 && op % 2;
        t.fragDepth = mode == 2;
        t.depthCompare = op;
        const char* modes[] = {"write", "read_only", "frag_depth"};
        add(text("depth.compare.%s.%s.%s", name, compareNames[op], modes[mode]), [t](Gpu& gpu) { run(gpu, t); });
      }
  for (auto [format, name] : {formats[0], formats[2], formats[4]})
    for (int op : {1, 7}) {
      Test t{format};
      t.bounds = t.depthTest = t.depthWrite = true;
      t.depthCompare = op;
      add(text("depth.bounds.%s.%s", name, compareNames[op]), [t](Gpu& gpu) { run(gpu, t); });
    }
  for (auto [format, name] : {formats[3], formats[4], std::pair<VkFormat, const char*>(VK_FORMAT_S8_UINT, "s8")}) {
    bool depth = format != VK_FORMAT_S8_UINT;
    for (int compare = 0; compare < 8; ++compare)
      for (uint32_t mask : {0xffu, 0x0fu, 0x81u}) {
        Test t{format};
        t.stencil = true;
        t.depthTest = depth;
        t.depthCompare = 3;
        t.face = {
            VK_STENCIL_OP_INVERT, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_ZERO, VkCompareOp(compare), mask, 0xff, 127};
        add(text("stencil.compare.%s.%s.mask%02x", name, compareNames[compare], mask), [t](Gpu& gpu) { run(gpu, t); });
      }
    for (int op = 0; op < 8; ++op)
      for (int place = 0; place < 3; ++place)
        for (uint32_t write : {0xffu, 0x5au}) {
          if (!depth && place == 2) continue;
          Test t{format};
          t.stencil = true;
          t.depthTest = t.depthWrite = depth;
          t.depthCompare = 1;
          t.face = {VK_STENCIL_OP_KEEP, VK_STENCIL_OP_KEEP, VK_STENCIL_OP_KEEP, VK_COMPARE_OP_LESS, 0xff, write, 100};
          (place == 0 ? t.face.failOp : place == 1 ? t.face.passOp : t.face.depthFailOp) = VkStencilOp(op);
          const char* places[] = {"fail", "pass", "depth_fail"};
          add(text("stencil.op.%s.%s.%s.write%02x", name, places[place], opNames[op], write),
              [t](Gpu& gpu) { run(gpu, t); });
        }
  }
}

}  // namespace etzel::cts
