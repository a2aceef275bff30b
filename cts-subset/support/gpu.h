// The device that the cases of one worker process share, and short ways to make objects on it.
//
// Every object made through Gpu is destroyed at the end of the case. Images live in VK_IMAGE_LAYOUT_GENERAL. Every
// submission ends with a full barrier and is waited for, so results can be read at once. Failures throw (case.h).
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cts-subset/support/case.h"
#include "cts-subset/support/digest.h"
#include "testing/vk/commands.h"

namespace etzel::cts {

using vktest::fullBarrier;
#define CTS_VK(call) VKTEST_CHECK(call)

inline constexpr const char* kUnusedAttachmentsExtension = "VK_EXT_dynamic_rendering_unused_attachments";

struct Buffer {
  VkBuffer handle = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  void* data = nullptr;  ///< mapped for the life of the case
  VkDeviceSize size = 0;
  VkDeviceAddress address = 0;
  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
};

struct ImageDesc {
  VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  uint32_t width = 1, height = 1, depth = 1, layers = 1, levels = 1;
  VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
  VkImageUsageFlags usage = 0;  ///< transfer source and destination are added
  VkImageType type = VK_IMAGE_TYPE_2D;
  std::optional<VkImageViewType> view;  ///< by default the view type of the image type and layers
  VkImageCreateFlags flags = 0;
  VkImageTiling tiling = VK_IMAGE_TILING_OPTIMAL;
};

struct Image {
  VkImage handle = VK_NULL_HANDLE;
  VkImageView view = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  ImageDesc desc;
  VkImageAspectFlags aspect = 0;
};

/// One descriptor of set 0; its binding number is its index.
struct Binding {
  VkDescriptorType type;
  VkDescriptorBufferInfo buffer{};
  VkDescriptorImageInfo image{};
  VkBufferView texels = VK_NULL_HANDLE;
};

struct Dispatch {
  std::string glsl;  ///< body with a #version line, or empty when `module` is set
  VkShaderModule module = VK_NULL_HANDLE;
  std::vector<Binding> bindings;
  uint32_t x = 1, y = 1, z = 1;
  std::vector<uint8_t> push;
  std::vector<uint32_t> dynamicOffsets;
  const VkSpecializationInfo* specialization = nullptr;
  uint32_t subgroupSize = 0;    ///< that is required; 0: none
  const void* chain = nullptr;  ///< of the pipeline's create info
};

class Gpu : public vktest::Device {
 public:
  Gpu();
  ~Gpu();
  void endCase();  ///< destroys what the case made
  /// Device extensions that are not used although the driver offers them: for layers that are older than they are.
  static std::set<std::string>& withheld();

  struct Queue {
    VkQueue handle;
    uint32_t family;
    VkQueueFlags flags;
  };
  std::vector<Queue> otherQueues;           ///< a second one of `family`, and one of each other family
  VkQueue protectedQueue = VK_NULL_HANDLE;  ///< of `family`; null where there is none
  VkPhysicalDeviceProperties2 properties{};
  VkPhysicalDeviceVulkan11Properties properties11{};
  VkPhysicalDeviceVulkan12Properties properties12{};
  VkPhysicalDeviceVulkan13Properties properties13{};
  VkPhysicalDeviceFeatures2 features{};
  VkPhysicalDeviceVulkan11Features features11{};
  VkPhysicalDeviceVulkan12Features features12{};
  VkPhysicalDeviceVulkan13Features features13{};
  VkPhysicalDeviceRobustness2FeaturesEXT robustness2{};
  std::set<std::string> extensions;          ///< device extensions, all that the cases know are enabled
  std::set<std::string> instanceExtensions;  ///< enabled
  bool lost = false;
  /// With `digesting`: everything that the case's buffers held after each submission, and its query results.
  Digest digest;
  bool digesting = false;

  const VkPhysicalDeviceLimits& limits() const { return properties.properties.limits; }
  void require(bool condition, const char* what) const {
    if (!condition) throw NotSupported(what);
  }
  void requireExtension(const char* name) const { require(extensions.count(name) != 0, name); }
  /// The extension, and the first `count` features of its structure: of one that not all headers have.
  void requireFeatures(const char* extension, uint32_t count);
  /// Skips the case unless `stages` may require subgroups of `size`.
  void requireSubgroupSize(uint32_t size, VkShaderStageFlags stages) const {
    require(features13.subgroupSizeControl && (properties13.requiredSubgroupSizeStages & stages) == stages &&
                size >= properties13.minSubgroupSize && size <= properties13.maxSubgroupSize,
            "a required subgroup size");
  }
  VkFormatFeatureFlags formatFeatures(VkFormat format, bool buffer = false) const;
  template <class F>
  F proc(const char* name) const {
    return reinterpret_cast<F>(vkGetDeviceProcAddr(device, name));
  }

  Buffer buffer(VkDeviceSize size, const void* data = nullptr, VkBufferUsageFlags usage = 0);
  template <class T>
  Buffer buffer(const std::vector<T>& data) {
    return buffer(data.size() * sizeof(T), data.data());
  }
  Image image(ImageDesc desc);
  VkImageView view(const Image& image, VkImageViewType type, VkImageSubresourceRange range, VkFormat format,
                   VkComponentMapping swizzle = {});
  VkBufferView texels(const Buffer& buffer, VkFormat format, VkDeviceSize offset = 0,
                      VkDeviceSize range = VK_WHOLE_SIZE);
  VkSampler sampler(VkSamplerCreateInfo info = {VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO});
  /// Of GLSL, or of assembly that begins with "; SPIR-V", which is not validated.
  VkShaderModule shader(VkShaderStageFlagBits stage, const std::string& glsl);
  /// \param version  the module says that it has; 0: that of Vulkan 1.2
  VkShaderModule assemble(const std::string& spirvText, bool validate = true, uint32_t version = 0);
  VkShaderModule module(const std::vector<uint32_t>& words);

  void submit(const std::function<void(VkCommandBuffer)>& record);
  void upload(const Image& image, const void* data, size_t bytes, uint32_t level = 0, uint32_t layer = 0);
  std::vector<uint8_t> download(const Image& image, size_t texelBytes, uint32_t level = 0, uint32_t layer = 0,
                                VkImageAspectFlags aspect = 0);
  void clear(const Image& image, VkClearValue value);
  /// The next submission begins with a transition to VK_IMAGE_LAYOUT_GENERAL, which needs no contents.
  void discardFirst(VkImage image, VkImageSubresourceRange range);
  /// vkGetQueryPoolResults, which must succeed.
  void results(VkQueryPool pool, uint32_t first, uint32_t count, size_t bytes, void* data, VkDeviceSize stride,
               VkQueryResultFlags flags);
  void dispatch(const Dispatch& what);

  struct Set {
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    VkPipelineLayout pipeline = VK_NULL_HANDLE;
    VkDescriptorSet set = VK_NULL_HANDLE;
  };
  Set set(const std::vector<Binding>& bindings, uint32_t pushBytes);
  VkCommandPool pool() const { return pool_; }
  /// One that binds sparse resources: that of the cases where it can.
  VkQueue sparseQueue() const;
  VkPipelineCache cache = VK_NULL_HANDLE;

 private:
  /// Enables the instance's and the device's extensions that cases know and the driver offers.
  std::vector<const char*> chooseInstanceExtensions();
  std::vector<const char*> chooseExtensions();
  void queryFeatures();
  void openQueues(const std::vector<const char*>& enabled);
  void digestBuffers();
  /// An image with VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT, all of whose memory is bound.
  VkImage makeSparse(const VkImageCreateInfo& info);
  size_t kept_ = 0;  ///< of what was made: all that is older than the case
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::vector<Buffer> buffers_;  ///< of the case
  std::vector<VkImageMemoryBarrier> transitions_;
  std::map<std::string, std::vector<uint32_t>> compiled_;
  std::map<std::string, const VkBool32*> newerFeatures_;  ///< by extension
};

Binding storage(const Buffer& b, VkDeviceSize offset = 0, VkDeviceSize range = VK_WHOLE_SIZE);
Binding uniform(const Buffer& b, VkDeviceSize offset = 0, VkDeviceSize range = VK_WHOLE_SIZE);
Binding storageImage(VkImageView view);
Binding sampled(VkImageView view, VkSampler sampler);
Binding inputAttachment(VkImageView view);
using vktest::aspectsOf;

/// GLSL to SPIR-V 1.5, for Vulkan 1.2. Throws Failure with the compiler's log.
std::vector<uint32_t> compileGlsl(VkShaderStageFlagBits stage, const std::string& glsl);

}  // namespace etzel::cts
