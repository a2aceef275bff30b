// One Vulkan device for one benchmark scenario: what a small application would write, without any driver's help.
//
// Everything lives until the Gpu is destroyed. A Vulkan error ends the scenario with `Failed`, a missing feature with
// `Unsupported`; both are results that the table shows.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "testing/vk/device.h"

namespace vkbench {

struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};
using Failed = vktest::Failure;
#define VK_CHECK(call) VKTEST_CHECK(call)

using Spirv = std::span<const uint32_t>;

struct Buffer {
  VkBuffer buffer{};
  void* mapped{};
  VkDeviceSize bytes{};
  template <class T>
  std::span<T> as() const {
    return {static_cast<T*>(mapped), static_cast<size_t>(bytes / sizeof(T))};
  }
};

struct ImageDesc {
  uint32_t width = 0, height = 0;
  VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  VkImageUsageFlags usage = 0;
  uint32_t mips = 1;
  uint32_t samples = 1;
  bool sparse = false;  ///< partially resident, with all of its memory
  uint32_t depth = 1;   ///< of a three-dimensional image; 1: a two-dimensional one
  bool cube = false;    ///< six layers, seen as a cube
  uint32_t slices = 1;  ///< layers of what is seen as an array, if more than one

  uint32_t layers() const { return cube ? 6 : slices; }
};

struct Image {
  VkImage image{};
  VkImageView view{};
  ImageDesc desc;
  VkImageAspectFlags aspect{};
};

/// Where draws go: colour images, maybe depth, maybe a single-sampled image that colour 0 resolves to.
struct TargetDesc {
  uint32_t width = 0, height = 0;
  VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;  ///< of colours: four bytes a texel, where the picture is read
  uint32_t samples = 1;
  uint32_t colors = 1;
  bool depth = false;
  VkFormat depthFormat = VK_FORMAT_D32_SFLOAT;
  bool resolve = false;      ///< resolve colour 0 at the end of the pass
  bool keepSamples = false;  ///< store multisampled colour and make it readable by shaders and copies
  bool goesOn = false;       ///< store depth too, and make the pass `goOn`
  bool readsDepth = false;   ///< store depth and make it readable by shaders

  std::vector<VkFormat> formats;  ///< of colours that are not alike: instead of `format` and `colors`
  const Image* onto = nullptr;    ///< the only colour, instead of a new image
  bool loads = false;             ///< colours keep what they have instead of being cleared
};

struct Target {
  TargetDesc desc;
  VkRenderPass pass{};
  VkRenderPass goOn{};  ///< compatible with `pass`: loads all that it stored
  VkFramebuffer framebuffer{};
  std::vector<Image> colors;
  Image depth, resolved;
  /// The single-sampled image which holds the picture.
  const Image& picture() const { return desc.resolve ? resolved : colors[0]; }
};

struct Stage {
  VkShaderStageFlagBits stage;
  Spirv code;
};

struct GraphicsDesc {
  std::vector<Stage> stages;
  const Target* target = nullptr;
  bool vertices = false;  ///< Vertex, below, from binding 0
  bool blend = false;
  bool depthTest = false;
  bool sampleShading = false;
  bool alphaToCoverage = false;
  VkSampleMask sampleMask = ~0u;
  VkPolygonMode polygons = VK_POLYGON_MODE_FILL;
  VkCullModeFlags cull = VK_CULL_MODE_NONE;
  VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  uint32_t patchPoints = 0;
  VkExtent2D fragment = {1, 1};    ///< pixels that an invocation stands for (Gpu::shadingRates)
  const float* variant = nullptr;  ///< specialization constant 0 of every stage
  VkPipelineCache cache = VK_NULL_HANDLE;
  bool* fromCache = nullptr;  ///< whether the driver says that `cache` had it (Vulkan 1.3's creation feedback)
  bool adds = false;          ///< with `blend`: to what is there, weighted by alpha
  bool depthWrite = true;     ///< with `depthTest`
  uint32_t stride = 0;        ///< of `attributes`
  bool instanced = false;     ///< `attributes` are per instance
  std::vector<VkVertexInputAttributeDescription> attributes;      ///< of binding 0, instead of Vertex
  const VkPipelineColorBlendAttachmentState* blending = nullptr;  ///< of all colours, instead of `blend`
  const VkLogicOp* logic = nullptr;
  const VkPipelineDepthStencilStateCreateInfo* depthStencil = nullptr;  ///< instead of `depthTest`
};

struct Vertex {
  float x, y, z;
  uint32_t rgba;
};

/// The push constants of the full-screen shaders (full.vert) and of the mesh shaders (mesh.vert).
struct FullPush {
  float color[4] = {1, 1, 1, 1};
  float map[4] = {1, 0, 0, 1};
  float depth0 = 0.5f, depthStep = 0;
  uint32_t count = 0, seed = 1;
};
struct MeshPush {
  float offset[4] = {0, 0, 0, 0};
  float tint[4] = {1, 1, 1, 1};
};

/// How long one repetition took, once warm.
struct Timing {
  double median = 0, best = 0;  ///< seconds of wall time
  double cpu = 0;               ///< seconds of processor time of all threads of the process, mean
  int repetitions = 0;
};

class Gpu : public vktest::Device {
 public:
  Gpu();

  VkCommandPool pool{};
  VkPipelineLayout layout{};  ///< push constants (64 bytes, all stages), no sets
  VkPhysicalDeviceProperties properties{};
  VkPhysicalDeviceFeatures features{};
  bool shadingRates = false;                         ///< VK_KHR_fragment_shading_rate is enabled
  VkBool32 halfStorage = VK_FALSE;                   ///< storageBuffer16BitAccess is enabled
  bool matrices = false;                             ///< VK_KHR_cooperative_matrix is enabled
  bool halfMatrices = false, brainMatrices = false;  ///< and factors of these may be used, from storage buffers, too

  void require(VkBool32 feature, const char* name) const {
    if (!feature) throw Unsupported(name);
  }
  void requireSamples(uint32_t samples) const;
  void requireFormat(VkFormat format, VkFormatFeatureFlags features) const;  ///< of images with optimal tiling
  void requireBufferFormat(VkFormat format, VkFormatFeatureFlags features) const;
  void requireSubgroups(VkSubgroupFeatureFlags operations) const;

  Buffer makeBuffer(VkDeviceSize bytes);  ///< host-visible and mapped, every usage
  /// All of a buffer as texels.
  VkBufferView makeTexels(const Buffer& buffer, VkFormat format);
  Image makeImage(const ImageDesc& desc);
  VkImage makeSparse(VkImageCreateInfo info);
  /// One level of `image` as an image of its own, for shaders and targets only.
  Image levelOf(const Image& image, uint32_t level);
  Target makeTarget(const TargetDesc& desc);
  VkSampler makeSampler(VkFilter filter, VkSamplerMipmapMode mips, float anisotropy = 0, bool compare = false,
                        VkSamplerAddressMode address = VK_SAMPLER_ADDRESS_MODE_REPEAT);
  using vktest::Device::makePipeline;
  using vktest::Device::makeSetLayout;
  VkDescriptorSetLayout makeSetLayout(std::span<const VkDescriptorType> types);
  VkDescriptorSet makeSet(VkDescriptorSetLayout layout, uint32_t count = 1, VkDescriptorSet* all = nullptr);
  void writeBuffer(VkDescriptorSet set, uint32_t binding, const Buffer& buffer,
                   VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
  void writeTexels(VkDescriptorSet set, uint32_t binding, VkDescriptorType type, VkBufferView texels);
  void writeImage(VkDescriptorSet set, uint32_t binding, VkDescriptorType type, const Image& image, VkSampler sampler);
  VkPipelineLayout makeLayout(VkDescriptorSetLayout set);
  VkPipeline makePipeline(const GraphicsDesc& desc, VkPipelineLayout layout);
  /// `variant`: specialization constant 0.
  VkPipeline makePipeline(Spirv compute, VkPipelineLayout layout, const int32_t* variant = nullptr);

  /// Records a one-level command buffer that may be submitted again and again.
  VkCommandBuffer record(const std::function<void(VkCommandBuffer)>& body);
  void submit(VkCommandBuffer commands);  ///< and waits for its fence
  /// Repeats `commands` (or `call`): first until times have settled, so that background compilation is over, then
  /// timed.
  Timing time(VkCommandBuffer commands);
  Timing time(const std::function<void()>& call);

  void begin(VkCommandBuffer commands, const Target& target);  ///< render pass, cleared
  void goOn(VkCommandBuffer commands, const Target& target);   ///< render pass over what an earlier one stored
  void barrier(VkCommandBuffer commands);                      ///< everything before, everything after
  void toGeneral(VkCommandBuffer commands, const Image& image);
  /// All of a level and layer; the first ones first.
  void upload(const Image& image, std::span<const uint32_t> words, uint32_t mip = 0, uint32_t layer = 0);
  std::vector<uint8_t> read(const Image& image);  ///< 4 bytes a texel, single-sampled, general layout

  double settleSeconds = 0.25, measureSeconds = 0.15;

 private:
  VkImageView makeView(const Image& image, uint32_t level, uint32_t levels);
  VkShaderModule temporaryModule(Spirv code);  ///< the caller destroys it, within what is timed
  VkFence fence_{};
};

}  // namespace vkbench
