// Why a device was lost ("Lost Device"): what the first fault was, for those who ask (VK_KHR_device_fault,
// VK_EXT_device_fault), and the messages of invocations that aborted (VK_KHR_shader_abort).
//
// A fault is one report. Invocations that abort lose the device at once, but their report is there when a batch has
// ended, so that messages of others have come as well; what other queues' batches say after that is dropped. Any
// thread.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "icd/vulkan_newer.h"
#include "runtime/abi/abort.h"
#include "runtime/task/fork.h"

namespace etzel::icd {

struct Device;

/// VkDeviceFaultVendorInfoKHR::vendorFaultCode.
enum class FaultCause : uint64_t {
  Timeout = 1,   ///< data: how long nothing was finished, in milliseconds
  NoMemory = 2,  ///< the system gives none to run commands, or no further mapping
  Abort = 3      ///< data: the line in the shader's source; 0 where the module does not say
};

class Faults final : public abi::AbortListener {
 public:
  static constexpr size_t kMessages = 256, kMessageBytes = 4 << 20;  ///< that are kept, beside the first

  explicit Faults(Device& device) : device_(device) {}

  /// The device is lost from here on. Of several faults the first is kept. `what` lives on; needs no memory. \returns
  /// VK_ERROR_DEVICE_LOST, having told the log and messengers
  VkResult lose(FaultCause cause, uint64_t data, const char* what);

  void say(const abi::Warp& warp, LaneMask lanes, uint32_t first, std::span<const LaneWords> words) override;
  void abort(const abi::Warp& warp, LaneMask lanes, const abi::AbortMessage& message) override;
  /// To be called when a batch has ended: reports what aborted in it, if anything did.
  void settle();

  // The entry points of the same names.
  VkResult reports(uint64_t timeoutNs, uint32_t* count, VkDeviceFaultInfoKHR* infos);
  VkResult debugInfo(VkDeviceFaultDebugInfoKHR* info);
  VkResult info(VkDeviceFaultCountsEXT* counts, VkDeviceFaultInfoEXT* info);

 private:
  struct Fault {
    FaultCause cause{};
    uint64_t data = 0;
    const char* what = "";
  };
  /// Words that invocations of a warp have said of the message that they are about to give.
  struct Said {
    const abi::Warp* warp;
    uint32_t word;
    LaneWords value;
  };
  void keep(const abi::Warp& warp, LaneMask lanes, const abi::AbortMessage& message);
  bool set(const Fault& fault);
  VkResult copyMessages(VkDeviceFaultShaderAbortMessageInfoKHR* out) const;

  Device& device_;
  std::mutex mutex_;
  std::vector<Said> said_;
  std::vector<std::string> messages_, texts_;  ///< in the order in which they were given
  size_t messageBytes_ = 0;
  uint64_t line_ = 0;      ///< of the first message
  std::string abortText_;  ///< of the first message, when that is the fault
  Fault fault_;
  bool aborted_ = false;  ///< some invocation did
  bool known_ = false;    ///< fault_ is the device's; what comes later is not looked at
  bool waiting_ = false;  ///< nobody has got its report
  task::ForkHandler forkHandler_{[this] { task::remake(mutex_); }};
};

/// "compute shader, workgroup (0, 0, 0), ..., aborts at file:12: "text" 00000010": for people. The text is the
/// message's first one, the words are what follows it.
std::string describeAbort(const std::string& who, const abi::AbortMessage& message, const std::string& bytes);

}  // namespace etzel::icd
