// Sparse images: bound as a whole or block by block, mip tails, memory at several places, rendering, and the residency
// codes of shaders ("Sparse Resources", Sparse Images; "Sparse Texel Operations"). Blocks have the shape that the
// driver says.
#include <algorithm>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/compute.h"
#include "cts-subset/support/sparse.h"

namespace etzel::cts {
namespace {

constexpr VkImageCreateFlags kPartial = VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT;

struct Kind {
  const char* name;
  VkImageType type;
  uint32_t layers;
  VkImageCreateFlags flags;
};
constexpr Kind kKinds[] = {{"2d", VK_IMAGE_TYPE_2D, 1, 0},
                           {"2d_array", VK_IMAGE_TYPE_2D, 3, 0},
                           {"cube", VK_IMAGE_TYPE_2D, 6, VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT},
                           {"3d", VK_IMAGE_TYPE_3D, 1, 0}};

struct Format {
  const char* name;
  VkFormat format;
  uint32_t bytes;  ///< of a texel
};
constexpr Format kFormats[] = {{"r8", VK_FORMAT_R8_UNORM, 1},
                               {"rg8", VK_FORMAT_R8G8_UNORM, 2},
                               {"rgba8", VK_FORMAT_R8G8B8A8_UNORM, 4},
                               {"rgba16", VK_FORMAT_R16G16B16A16_UINT, 8},
                               {"rgba32", VK_FORMAT_R32G32B32A32_UINT, 16}};

void requirePartial(Gpu& gpu, VkImageType type) {
  gpu.require(gpu.features.features.sparseBinding, "sparseBinding");
  gpu.require(type == VK_IMAGE_TYPE_3D ? gpu.features.features.sparseResidencyImage3D
                                       : gpu.features.features.sparseResidencyImage2D,
              "partial residency of such images");
}

/// A partially resident image of two and a half blocks each way, or somewhat more where blocks are thin, or less where
/// that is more than an image can have.
VkImageCreateInfo partialInfo(Gpu& gpu, const Kind& kind, VkFormat format, VkImageUsageFlags usage,
                              VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT) {
  requirePartial(gpu, kind.type);
  usage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  uint32_t count = 1;
  VkSparseImageFormatProperties p{};
  vkGetPhysicalDeviceSparseImageFormatProperties(gpu.physical, format, kind.type, samples, usage,
                                                 VK_IMAGE_TILING_OPTIMAL, &count, &p);
  gpu.require(count != 0, "partial residency of the format");
  const auto size = [](uint32_t block, uint32_t least) { return std::max(block * 5 / 2, least); };
  VkImageCreateInfo info{};
  info.flags = kPartial | kind.flags;
  info.imageType = kind.type;
  info.format = format;
  info.extent = {size(p.imageGranularity.width, 5), size(p.imageGranularity.height, 5), 1};
  if (kind.flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT)
    info.extent.width = info.extent.height = std::max(info.extent.width, info.extent.height);
  if (kind.type == VK_IMAGE_TYPE_3D) {
    info.extent.width = std::min(info.extent.width, gpu.limits().maxImageDimension3D);
    info.extent.depth = size(p.imageGranularity.depth, 3);
  }
  info.mipLevels = samples > 1 ? 1 : 4;
  info.arrayLayers = kind.layers;
  info.samples = samples;
  info.usage = usage;
  return info;
}

VkBufferImageCopy copyOf(const SparseImage& image, uint32_t level, uint32_t layer) {
  return vktest::wholeLevel(image.info.extent, aspectsOf(image.info.format), level, layer);
}

size_t texelsOf(const SparseImage& image, uint32_t level) {
  const VkExtent3D e = image.extent(level);
  return size_t{e.width} * e.height * e.depth;
}

void upload(Gpu& gpu, const SparseImage& image, uint32_t level, uint32_t layer, const std::vector<uint8_t>& bytes) {
  const Buffer staging = gpu.buffer(bytes);
  const VkBufferImageCopy copy = copyOf(image, level, layer);
  gpu.submit([&](VkCommandBuffer cmd) {
    vkCmdCopyBufferToImage(cmd, staging.handle, image.handle, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
  });
}

std::vector<uint8_t> download(Gpu& gpu, const SparseImage& image, uint32_t level, uint32_t layer, size_t texelBytes) {
  const Buffer staging = gpu.buffer(texelsOf(image, level) * texelBytes);
  const VkBufferImageCopy copy = copyOf(image, level, layer);
  gpu.submit([&](VkCommandBuffer cmd) {
    vkCmdCopyImageToBuffer(cmd, image.handle, VK_IMAGE_LAYOUT_GENERAL, staging.handle, 1, &copy);
  });
  return {staging.as<uint8_t>(), staging.as<uint8_t>() + staging.size};
}

std::vector<uint8_t> noise(size_t bytes, uint64_t seed) {
  Random random(seed);
  std::vector<uint8_t> out(bytes);
  for (uint8_t& b : out) b = uint8_t(random.next());
  return out;
}

/// Runs body(level, layer, at) for the blocks of the levels before the tail.
template <class Body>
void forBlocks(const SparseImage& image, const Body& body) {
  for (uint32_t level = 0; level < std::min(image.info.mipLevels, image.aspect.imageMipTailFirstLod); ++level) {
    const VkExtent3D n = image.blocks(level);
    for (uint32_t layer = 0; layer < image.info.arrayLayers; ++layer)
      for (uint32_t z = 0; z < n.depth; ++z)
        for (uint32_t y = 0; y < n.height; ++y)
          for (uint32_t x = 0; x < n.width; ++x) body(level, layer, VkOffset3D{int32_t(x), int32_t(y), int32_t(z)});
  }
}

/// How many blocks of memory the image takes, tails included.
VkDeviceSize blocksOf(const SparseImage& image) {
  VkDeviceSize n = 0;
  forBlocks(image, [&](uint32_t, uint32_t, VkOffset3D) { ++n; });
  return n + image.info.arrayLayers * (image.aspect.imageMipTailSize / image.needs.alignment);
}

/// Binds the tails of all layers to memory from block `at` on. A driver may have one for all of them.
void bindTails(const SparseImage& image, const SparseMemory& memory, VkDeviceSize at, SparseBatch& batch) {
  if (!image.hasTail()) return;
  const bool one = image.aspect.formatProperties.flags & VK_SPARSE_IMAGE_FORMAT_SINGLE_MIPTAIL_BIT;
  for (uint32_t layer = 0; layer < (one ? 1 : image.info.arrayLayers); ++layer)
    batch.opaqueBinds.push_back(
        image.bindTail(layer, &memory, at + layer * (image.aspect.imageMipTailSize / image.needs.alignment)));
}

/// Gives the next block of memory to each block that is `chosen`, in their order, and to the tails.
template <class Chosen>
void bindBlocks(Gpu& gpu, const SparseImage& image, const SparseMemory& memory, const Chosen& chosen) {
  SparseBatch batch;
  batch.image = &image;
  VkDeviceSize used = 0;
  forBlocks(image, [&](uint32_t level, uint32_t layer, VkOffset3D at) {
    if (chosen(at)) batch.imageBinds.push_back(image.bind(level, layer, at, {1, 1, 1}, &memory, used++));
  });
  bindTails(image, memory, used, batch);
  batch.run(gpu);
}

/// Levels are bound as a whole and written; then each of their blocks by itself, to the same memory: "Sparse Image
/// Memory Binding" says which block of memory is whose.
void order(Gpu& gpu, const Kind& kind, const Format& format) {
  const SparseImage image(gpu, partialInfo(gpu, kind, format.format, VK_IMAGE_USAGE_SAMPLED_BIT));
  const SparseMemory memory(gpu, image.needs.memoryTypeBits, blocksOf(image) * image.needs.alignment);
  SparseBatch whole, single, nothing;
  whole.image = single.image = nothing.image = &image;
  VkDeviceSize used = 0;
  forBlocks(image, [&](uint32_t level, uint32_t layer, VkOffset3D at) {
    if (!at.x && !at.y && !at.z)
      whole.imageBinds.push_back(image.bind(level, layer, {}, image.blocks(level), &memory, used));
    nothing.imageBinds.push_back(image.bind(level, layer, at, {1, 1, 1}, nullptr, 0));
    single.imageBinds.push_back(image.bind(level, layer, at, {1, 1, 1}, &memory, used++));
  });
  bindTails(image, memory, used, whole);
  whole.run(gpu);
  for (uint32_t level = 0; level < image.info.mipLevels; ++level)
    for (uint32_t layer = 0; layer < image.info.arrayLayers; ++layer)
      upload(gpu, image, level, layer, noise(texelsOf(image, level) * format.bytes, level * 100 + layer));
  nothing.run(gpu);
  single.run(gpu);
  for (uint32_t level = 0; level < image.info.mipLevels; ++level)
    for (uint32_t layer = 0; layer < image.info.arrayLayers; ++layer)
      ASSERT_EQ(download(gpu, image, level, layer, format.bytes),
                noise(texelsOf(image, level) * format.bytes, level * 100 + layer))
          << "level " << level << ", layer " << layer;
}

/// All bytes of an image are bound in pieces, from the last to the first.
void opaque(Gpu& gpu, const Kind& kind, const Format& format) {
  gpu.require(gpu.features.features.sparseBinding, "sparseBinding");
  VkImageCreateInfo info{};
  info.flags = kind.flags;
  info.imageType = kind.type;
  info.format = format.format;
  info.extent = {201, kind.flags ? 201u : 133u, kind.type == VK_IMAGE_TYPE_3D ? 7u : 1u};
  info.mipLevels = 5;
  info.arrayLayers = kind.layers;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  const SparseImage image(gpu, info);
  const SparseMemory memory(gpu, image.needs.memoryTypeBits, image.needs.size);
  SparseBatch batch;
  batch.image = &image;
  for (VkDeviceSize at = 0; at < image.needs.size; at += image.needs.alignment)
    batch.opaqueBinds.push_back(
        {at, image.needs.alignment, memory.handle, image.needs.size - image.needs.alignment - at, 0});
  batch.run(gpu);
  for (uint32_t level = 0; level < info.mipLevels; ++level)
    for (uint32_t layer = 0; layer < info.arrayLayers; ++layer)
      upload(gpu, image, level, layer, noise(texelsOf(image, level) * format.bytes, level * 7 + layer));
  for (uint32_t level = 0; level < info.mipLevels; ++level)
    for (uint32_t layer = 0; layer < info.arrayLayers; ++layer)
      ASSERT_EQ(download(gpu, image, level, layer, format.bytes),
                noise(texelsOf(image, level) * format.bytes, level * 7 + layer))
          << "level " << level << ", layer " << layer;
}

/// Two images of one kind share all of their memory.
void alias(Gpu& gpu) {
  gpu.require(gpu.features.features.sparseResidencyAliased, "sparseResidencyAliased");
  VkImageCreateInfo info = partialInfo(gpu, kKinds[0], VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_SAMPLED_BIT);
  info.flags |= VK_IMAGE_CREATE_SPARSE_ALIASED_BIT;
  const SparseImage a(gpu, info), b(gpu, info);
  const SparseMemory memory(gpu, a.needs.memoryTypeBits, blocksOf(a) * a.needs.alignment);
  for (const SparseImage* image : {&a, &b}) bindBlocks(gpu, *image, memory, [](VkOffset3D) { return true; });
  for (uint32_t level = 0; level < info.mipLevels; ++level) {
    const std::vector<uint8_t> bytes = noise(texelsOf(a, level) * 4, level);
    upload(gpu, a, level, 0, bytes);
    ASSERT_EQ(download(gpu, b, level, 0, 4), bytes) << "level " << level;
  }
}

/// What is drawn to sparse images of colour and depth is what is drawn to plain ones.
void render(Gpu& gpu, VkSampleCountFlagBits samples) {
  requirePartial(gpu, VK_IMAGE_TYPE_2D);
  std::vector<uint8_t> pictures[2];
  for (bool sparse : {false, true}) {
    ImageDesc desc{.width = 300, .height = 171, .samples = samples, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT};
    if (sparse) desc.flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | kPartial;
    DrawState s;
    s.colors = {gpu.image(desc)};
    ImageDesc depthDesc = desc;
    depthDesc.format = VK_FORMAT_D32_SFLOAT, depthDesc.usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    const Image depth = gpu.image(depthDesc);
    s.depth = &depth;
    s.depthStencil.depthTestEnable = s.depthStencil.depthWriteEnable = VK_TRUE;
    s.depthStencil.depthCompareOp = VK_COMPARE_OP_LESS;
    s.clearDepth = VkClearValue{.depthStencil = {1, 0}};
    desc.samples = VK_SAMPLE_COUNT_1_BIT, desc.flags = 0;
    const Image shown = samples > 1 ? gpu.image(desc) : s.colors[0];
    if (samples > 1) s.resolves = {shown};
    s.multisample.rasterizationSamples = samples;
    s.vert =
        "#version 450\nlayout(location=0) out vec3 c;\nvoid main() { float i = float(gl_VertexIndex);\n"
        "gl_Position = vec4(sin(i * 2.4) * 1.2, cos(i * 1.7) * 1.1, fract(i * 0.37), 1.0); c = fract(vec3(0.31, 0.47, "
        "0.83) * i); "
        "}\n";
    s.frag =
        "#version 450\nlayout(location=0) in vec3 c;\nlayout(location=0) out vec4 o;\nvoid main() { o = vec4(c, 1.0); "
        "}\n";
    s.vertexCount = 60;
    s.clearColors = VkClearValue{.color = {.float32 = {0.25f, 0.5f, 0.75f, 1}}};
    draw(gpu, s);
    pictures[sparse] = gpu.download(shown, 4);
  }
  expectPicture(pictures[1], pictures[0], 300, 171);
}

/// How shaders ask for residency.
struct Question {
  const char* name;
  const char* code;  ///< of texel p of the level `lod`; the texel goes to v
  bool four;         ///< looks at p and its neighbours to the left and above
  bool storage;
};
constexpr Question kQuestions[] = {{"fetch", "sparseTexelFetchARB(t, p, lod, v)", false, false},
                                   {"read", "sparseImageLoadARB(t, p, v)", false, true},
                                   {"sample", "sparseTextureLodARB(t, vec2(p) / size, float(lod), v)", true, false},
                                   {"gather", "sparseTextureGatherARB(t, vec2(p) / size, v)", true, false}};

bool isBound(VkOffset3D block) { return (block.x + block.y + block.z) % 2 == 0; }

/// Every other block has memory: codes say so, and what is there has its texels.
void residency(Gpu& gpu, const Question& question, const Kind& kind, const Format& format) {
  gpu.require(gpu.features.features.shaderResourceResidency, "shaderResourceResidency");
  const VkImageUsageFlags usage = question.storage ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT;
  const SparseImage image(gpu, partialInfo(gpu, kind, format.format, usage));
  const SparseMemory memory(gpu, image.needs.memoryTypeBits, blocksOf(image) * image.needs.alignment);
  bindBlocks(gpu, image, memory, isBound);
  const VkExtent3D block = image.aspect.formatProperties.imageGranularity;
  const bool deep = kind.type == VK_IMAGE_TYPE_3D;
  for (uint32_t level = 0; level < (question.storage || !strcmp(question.name, "gather") ? 1u : 4u); ++level) {
    const VkExtent3D e = image.extent(level);
    const std::vector<uint8_t> bytes = noise(texelsOf(image, level) * format.bytes, level);
    upload(gpu, image, level, 0, bytes);
    Image view;
    view.handle = image.handle;
    const VkImageView all =
        gpu.view(view, deep ? VK_IMAGE_VIEW_TYPE_3D : VK_IMAGE_VIEW_TYPE_2D,
                 {VK_IMAGE_ASPECT_COLOR_BIT, 0, question.storage ? 1 : image.info.mipLevels, 0, 1}, format.format);
    VkSamplerCreateInfo sampler{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    sampler.magFilter = sampler.minFilter = VK_FILTER_LINEAR;
    sampler.addressModeU = sampler.addressModeV = sampler.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    sampler.maxLod = VK_LOD_CLAMP_NONE;
    Buffer out = gpu.buffer(texelsOf(image, level) * 8);
    const std::string type = std::string(question.storage ? "image" : "sampler") + (deep ? "3D" : "2D");
    std::vector<uint8_t> push(20);
    memcpy(push.data(), &e, 12), memcpy(push.data() + 12, &level, 4);
    gpu.dispatch(
        {.glsl = "#version 450\n#extension GL_ARB_sparse_texture2 : require\nlayout(local_size_x=64) in;\n"
                 "layout(push_constant) uniform P { int w, h, d, lod; };\nlayout(binding=0" +
                 std::string(question.storage ? ", rgba8" : "") + ") uniform " + type +
                 " t;\nlayout(binding=1) buffer R { uvec2 r[]; };\n"
                 "void main() { int i = int(gl_GlobalInvocationID.x); if (i >= w * h * d) return;\n" +
                 (deep ? "ivec3 p = ivec3(i % w, i / w % h, i / (w * h));\n" : "ivec2 p = ivec2(i % w, i / w);\n") +
                 "vec2 size = vec2(w, h); vec4 v = vec4(0.0); int code = " + question.code +
                 ";\nr[i] = uvec2(sparseTexelsResidentARB(code) ? 1u : 0u, uint(v.x * 255.0 + 0.5)); }\n",
         .bindings = {question.storage ? storageImage(all) : sampled(all, gpu.sampler(sampler)), storage(out)},
         .x = uint32_t(texelsOf(image, level) + 63) / 64,
         .push = push});
    const bool tail = level >= image.aspect.imageMipTailFirstLod;
    const auto resident = [&](uint32_t x, uint32_t y, uint32_t z) {
      return tail || isBound({int32_t(x / block.width), int32_t(y / block.height), int32_t(z / block.depth)});
    };
    for (uint32_t i = 0; i < texelsOf(image, level); ++i) {
      const uint32_t x = i % e.width, y = i / e.width % e.height, z = i / (e.width * e.height);
      const uint32_t left = x && question.four ? x - 1 : x, above = y && question.four ? y - 1 : y;
      const bool want = resident(x, y, z) && resident(left, y, z) && resident(x, above, z) && resident(left, above, z);
      ASSERT_EQ(out.as<uint32_t>()[2 * i], want) << "level " << level << ", texel " << x << ", " << y << ", " << z;
      if (!want || question.four) continue;
      ASSERT_EQ(out.as<uint32_t>()[2 * i + 1], bytes[size_t{i} * format.bytes]) << "texel " << i;
    }
  }
}

/// Samples of a partially resident image: what has memory has the colour of a clear, and codes say what has.
void multisample(Gpu& gpu, VkSampleCountFlagBits samples) {
  const VkPhysicalDeviceFeatures& f = gpu.features.features;
  gpu.require(f.shaderResourceResidency, "shaderResourceResidency");
  gpu.require(samples == 2   ? f.sparseResidency2Samples
              : samples == 4 ? f.sparseResidency4Samples
              : samples == 8 ? f.sparseResidency8Samples
                             : f.sparseResidency16Samples,
              "partial residency of such images");
  const SparseImage image(gpu, partialInfo(gpu, kKinds[0], VK_FORMAT_R8G8B8A8_UNORM,
                                           VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, samples));
  const SparseMemory memory(gpu, image.needs.memoryTypeBits, blocksOf(image) * image.needs.alignment);
  bindBlocks(gpu, image, memory, isBound);
  const VkClearColorValue color{.float32 = {1, 0, 0.2f, 1}};
  const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  gpu.submit(
      [&](VkCommandBuffer cmd) { vkCmdClearColorImage(cmd, image.handle, VK_IMAGE_LAYOUT_GENERAL, &color, 1, &all); });
  Image view;
  view.handle = image.handle;
  const VkExtent3D e = image.info.extent, block = image.aspect.formatProperties.imageGranularity;
  Buffer out = gpu.buffer(size_t{e.width} * e.height * samples * 8);
  std::vector<uint8_t> push(8);
  memcpy(push.data(), &e, 8);
  gpu.dispatch(
      {.glsl = "#version 450\n#extension GL_ARB_sparse_texture2 : require\nlayout(local_size_x=64) in;\n"
               "layout(push_constant) uniform P { int w, h; };\nlayout(binding=0) uniform sampler2DMS t;\n"
               "layout(binding=1) buffer R { uvec2 r[]; };\n"
               "void main() { int i = int(gl_GlobalInvocationID.x), s = int(gl_GlobalInvocationID.y);\n"
               "if (i >= w * h) return; vec4 v; int code = sparseTexelFetchARB(t, ivec2(i % w, i / w), s, v);\n"
               "r[i + s * w * h] = uvec2(sparseTexelsResidentARB(code) ? 1u : 0u, packUnorm4x8(v)); }\n",
       .bindings = {sampled(gpu.view(view, VK_IMAGE_VIEW_TYPE_2D, all, VK_FORMAT_R8G8B8A8_UNORM), gpu.sampler()),
                    storage(out)},
       .x = (e.width * e.height + 63) / 64,
       .y = uint32_t(samples),
       .push = push});
  for (uint32_t i = 0; i < e.width * e.height * samples; ++i) {
    const uint32_t x = i % e.width, y = i / e.width % e.height;
    const bool want = isBound({int32_t(x / block.width), int32_t(y / block.height), 0});
    ASSERT_EQ(out.as<uint32_t>()[2 * i], want) << "pixel " << x << ", " << y;
    if (!want) continue;
    ASSERT_EQ(out.as<uint32_t>()[2 * i + 1], 0xFF3300FFu) << "pixel " << x << ", " << y;
  }
}

}  // namespace

void registerSparseImages() {
  for (const Kind& kind : kKinds)
    for (const Format& format : kFormats) {
      add(text("sparse.image.opaque.%s.%s", kind.name, format.name), [&](Gpu& gpu) { opaque(gpu, kind, format); });
      // Cubes of blocks are large.
      if (!kind.flags || format.bytes >= 16)
        add(text("sparse.image.order.%s.%s", kind.name, format.name), [&](Gpu& gpu) { order(gpu, kind, format); });
    }
  add("sparse.image.alias", alias);
  for (uint32_t samples : {1u, 2u, 4u, 8u, 16u}) {
    add(text("sparse.image.render.x%u", samples), [=](Gpu& gpu) { render(gpu, VkSampleCountFlagBits(samples)); });
    if (samples > 1)
      add(text("sparse.image.multisample.x%u", samples),
          [=](Gpu& gpu) { multisample(gpu, VkSampleCountFlagBits(samples)); });
  }
  for (const Question& question : kQuestions)
    for (const Kind* kind : {&kKinds[0], &kKinds[1], &kKinds[3]})
      for (const Format* format : {&kFormats[0], &kFormats[1], &kFormats[2]}) {
        if ((question.four && kind->type == VK_IMAGE_TYPE_3D) || (question.storage && format->bytes != 4)) continue;
        add(text("sparse.residency.%s.%s.%s", question.name, kind->name, format->name),
            [&question, kind, format](Gpu& gpu) { residency(gpu, question, *kind, *format); });
      }
}

}  // namespace etzel::cts
