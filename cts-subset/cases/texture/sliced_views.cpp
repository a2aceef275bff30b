// VK_EXT_image_sliced_view_of_3d: of the 3D view of a volume's level, storage images see some slices, and nothing else
// does. Shaders ask around them, beyond every side: slices of the level that the view leaves out are outside.
#include "cts-subset/cases/texture/sliced_views.h"

#include <algorithm>

#include "cts-subset/support/gpu.h"

namespace etzel::cts {
namespace {

// Of the API; not all headers have them.
constexpr const char* kExtension = "VK_EXT_image_sliced_view_of_3d";
constexpr uint32_t kRemaining = ~0u;
struct SlicedInfo {
  VkStructureType sType = VkStructureType(1000418001);
  const void* next = nullptr;
  uint32_t offset = 0, count = 0;
};

struct Slices {
  const char* name;
  uint32_t level, offset, count;
};
// Of a volume of 13 x 9 x 11 texels, whose level 1 has 5 slices.
constexpr Slices kSlices[] = {
    {"whole", 0, 0, 11},        {"first", 0, 0, 1},        {"middle", 0, 3, 4}, {"last", 0, 10, 1},
    {"rest", 0, 7, kRemaining}, {"all", 0, 0, kRemaining}, {"level1", 1, 1, 3}, {"level1_rest", 1, 2, kRemaining},
    {"level2_last", 2, 1, 1}};
constexpr uint32_t kLevels = 3, kSide = 16;
constexpr int kBefore = 2;  ///< coordinates below 0 that are asked for

/// The texels of one level, with numbers of their own.
struct Level {
  uint32_t width, height, depth;
  std::vector<uint32_t> texels;
  explicit Level(uint32_t level)
      : width(13 >> level), height(9 >> level), depth(11 >> level), texels(size_t(width) * height * depth) {
    for (uint32_t i = 0; i < texels.size(); ++i) texels[i] = 0x10000 * (level + 1) + i;
  }
  uint32_t& at(uint32_t x, uint32_t y, uint32_t z) { return texels[(z * height + y) * width + x]; }
};

enum class Access { Load, Store, Atomic, Fetch };

struct Scene {
  Image image;
  VkImageView view = VK_NULL_HANDLE;
  std::vector<Level> levels;
  uint32_t count = 0;  ///< slices that the view has
};

Scene sceneOf(Gpu& gpu, const Slices& s) {
  gpu.requireFeatures(kExtension, 1);
  gpu.require(gpu.robustness2.robustImageAccess2, "robustImageAccess2");
  Scene scene;
  scene.image = gpu.image({.format = VK_FORMAT_R32_UINT,
                           .width = 13,
                           .height = 9,
                           .depth = 11,
                           .levels = kLevels,
                           .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
                           .type = VK_IMAGE_TYPE_3D});
  for (uint32_t l = 0; l < kLevels; ++l) {
    const Level& level = scene.levels.emplace_back(l);
    gpu.upload(scene.image, level.texels.data(), level.texels.size() * 4, l);
  }
  scene.count = std::min(s.count, scene.levels[s.level].depth - s.offset);
  SlicedInfo slices;
  slices.offset = s.offset, slices.count = s.count;
  VkImageViewCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, &slices};
  info.image = scene.image.handle;
  info.viewType = VK_IMAGE_VIEW_TYPE_3D;
  info.format = VK_FORMAT_R32_UINT;
  info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, s.level, 1, 0, 1};
  scene.view = gpu.make(info);
  return scene;
}

std::string shaderFor(Access access) {
  std::string body;
  switch (access) {
    case Access::Load: body = "answer[at] = imageLoad(t, p).r;"; break;
    case Access::Store: body = "imageStore(t, p, uvec4(0x70000000u + at));"; break;
    case Access::Atomic: body = "answer[at] = imageAtomicAdd(t, p, 0x30000000u);"; break;
    case Access::Fetch: body = "answer[at] = texelFetch(t, p, 0).r;"; break;
  }
  const bool fetch = access == Access::Fetch;
  return "#version 450\nlayout(local_size_x=4, local_size_y=4, local_size_z=4) in;\n" +
         std::string(fetch ? "layout(binding=0) uniform usampler3D t;\n"
                           : "layout(binding=0, r32ui) uniform uimage3D t;\n") +
         "layout(binding=1) buffer R { uvec4 size; uint answer[]; };\nvoid main() {\n  uvec3 i = "
         "gl_GlobalInvocationID;\n"
         "  uint at = (i.z * 16u + i.y) * 16u + i.x;\n  ivec3 p = ivec3(i) - 2;\n  if (at == 0u) size.xyz = uvec3(" +
         (fetch ? "textureSize(t, 0)" : "imageSize(t)") + ");\n  " + body + "\n}\n";
}

void sliced(Gpu& gpu, const Slices& s, Access access) {
  Scene scene = sceneOf(gpu, s);
  const bool fetch = access == Access::Fetch;
  // What is not a storage image sees all of the level.
  const uint32_t first = fetch ? 0 : s.offset, count = fetch ? scene.levels[s.level].depth : scene.count;
  Buffer out = gpu.buffer(16 + kSide * kSide * kSide * 4);
  Dispatch d{shaderFor(access)};
  d.bindings = {fetch ? sampled(scene.view, gpu.sampler()) : storageImage(scene.view), storage(out)};
  d.x = d.y = d.z = kSide / 4;
  gpu.dispatch(d);

  Level& level = scene.levels[s.level];
  EXPECT_EQ(out.as<uint32_t>()[0], level.width);
  EXPECT_EQ(out.as<uint32_t>()[1], level.height);
  EXPECT_EQ(out.as<uint32_t>()[2], count);
  for (uint32_t at = 0; at < kSide * kSide * kSide; ++at) {
    const int x = int(at % kSide) - kBefore, y = int(at / kSide % kSide) - kBefore,
              z = int(at / kSide / kSide) - kBefore;
    const bool inside =
        x >= 0 && y >= 0 && z >= 0 && uint32_t(x) < level.width && uint32_t(y) < level.height && uint32_t(z) < count;
    uint32_t* texel = inside ? &level.at(uint32_t(x), uint32_t(y), first + uint32_t(z)) : nullptr;
    // What an atomic returns from outside is undefined.
    if (access != Access::Store && (inside || access != Access::Atomic)) {
      ASSERT_EQ(out.as<uint32_t>()[4 + at], texel ? *texel : 0) << "at " << x << ", " << y << ", " << z;
    }
    if (texel && access == Access::Store) *texel = 0x70000000u + at;
    if (texel && access == Access::Atomic) *texel += 0x30000000u;
  }
  for (uint32_t l = 0; l < kLevels; ++l) {
    const std::vector<uint8_t> bytes = gpu.download(scene.image, 4, l);
    std::vector<uint32_t> words(bytes.size() / 4);
    memcpy(words.data(), bytes.data(), bytes.size());
    EXPECT_EQ(words, scene.levels[l].texels) << "level " << l;
  }
}

}  // namespace

void addSlicedViews() {
  static const std::pair<Access, const char*> accesses[] = {
      {Access::Load, "load"}, {Access::Store, "store"}, {Access::Atomic, "atomic"}, {Access::Fetch, "fetch"}};
  for (const auto& [access, name] : accesses)
    for (const Slices& s : kSlices)
      add(text("texture.sliced_view.%s.%s", name, s.name), [=, access = access](Gpu& gpu) { sliced(gpu, s, access); });
}

}  // namespace etzel::cts
