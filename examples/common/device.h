// A Vulkan device for examples, and what needs many lines of setup.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <string>
#include <vector>

namespace example {

/// Ends the program with a message when `result` is an error.
void check(VkResult result, const char* what);
#define CHECK(call) ::example::check(call, #call)

struct Buffer {
  VkBuffer buffer{};
  VkDeviceMemory memory{};
  void* mapped{};
};
struct Image {
  VkImage image{};
  VkDeviceMemory memory{};
  VkImageView view{};
};

class Device {
 public:
  enum class Needs : uint8_t {
    Nothing,       ///< the first device there is
    FragmentMask,  ///< the first of Vulkan 1.3 with VK_AMD_shader_fragment_mask; dynamic rendering is on
  };
  /// Anisotropic filters are on where the device has them.
  explicit Device(Needs needs);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// False: there is no such device, and nothing else may be called.
  explicit operator bool() const { return device_; }
  VkDevice handle() const { return device_; }
  VkPhysicalDevice physical() const { return physical_; }
  bool anisotropic() const { return anisotropic_; }
  std::string name() const;

  Buffer makeBuffer(VkDeviceSize bytes, VkBufferUsageFlags usage) const;
  Image makeImage(VkFormat format, VkExtent2D size, VkSampleCountFlagBits samples, VkImageUsageFlags usage,
                  VkImageAspectFlags aspect, uint32_t mips = 1) const;
  void destroy(const Buffer& b) const;
  void destroy(const Image& i) const;
  VkShaderModule makeShader(const uint32_t* code, size_t bytes) const;

  VkCommandBuffer begin() const;
  /// Runs the commands and waits. \returns milliseconds from submission to the end
  double submit(VkCommandBuffer commands) const;

 private:
  uint32_t memoryType(uint32_t allowed, VkMemoryPropertyFlags flags) const;

  VkInstance instance_{};
  VkPhysicalDevice physical_{};
  VkDevice device_{};
  VkQueue queue_{};
  VkCommandPool pool_{};
  bool anisotropic_ = false;
};

}  // namespace example
