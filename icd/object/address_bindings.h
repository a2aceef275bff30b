// The addresses of an object that shaders can reach, and who hears of them (VK_EXT_device_address_binding_report):
// messengers that ask for VK_DEBUG_UTILS_MESSAGE_TYPE_DEVICE_ADDRESS_BINDING_BIT_EXT. Memory has addresses while it is
// there, buffers and images from binding to destruction, sparse ones where memory is bound. Host memory of other
// objects has none: no shader reaches it. Only objects of devices with the feature keep such a list.
#pragma once

#include <vulkan/vulkan.h>

#include <map>
#include <memory>
#include <mutex>

#include "icd/object/object.h"

namespace etzel::icd {

struct Device;
struct Instance;

class AddressBindings {
 public:
  /// Of an object, which must outlive it. \returns null where nobody is to hear: the device's feature is off, or there
  /// is no memory
  static std::unique_ptr<AddressBindings> of(const Device& device, VkObjectType type, const Object& object);
  /// What is bound still is unbound.
  ~AddressBindings();
  AddressBindings(const AddressBindings&) = delete;
  AddressBindings& operator=(const AddressBindings&) = delete;

  /// Whether the application has the object's handle; true from the beginning.
  void setVisible(bool visible) { visible_ = visible; }
  /// The object has these bytes. Any thread.
  void bind(const std::byte* data, uint64_t bytes) { change(data, bytes, true); }
  /// Nothing is bound there any more. Any thread.
  void unbind(const std::byte* data, uint64_t bytes) { change(data, bytes, false); }

 private:
  using Ranges = std::map<uint64_t, uint64_t>;  ///< end by begin
  AddressBindings(const Instance& instance, VkObjectType type, const Object& object)
      : instance_(instance), type_(type), object_(object) {}
  void change(const std::byte* data, uint64_t bytes, bool bound) noexcept;
  void tell(uint64_t begin, uint64_t end, bool bound) const noexcept;

  const Instance& instance_;
  const VkObjectType type_;
  const Object& object_;
  bool visible_ = true;
  std::mutex mutex_;  ///< several queues may bind parts of a sparse resource
  Ranges bound_;      ///< do not overlap
};

}  // namespace etzel::icd
