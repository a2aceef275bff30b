#include "icd/object/faults.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <exception>

#include "compiler/isa/info.h"
#include "icd/debug/debugger.h"
#include "icd/debug/filter.h"
#include "icd/object/device.h"
#include "icd/object/error.h"
#include "icd/queue/queue.h"
#include "icd/sync/wait.h"
#include "runtime/abi/kernel.h"
#include "runtime/base/debug_flags.h"
#include "runtime/mutant/mutant.h"

namespace etzel::icd {
namespace {

constexpr size_t kMessageAlignment = 8;  // "Shader Abort Messages"

constexpr const char* nameOf(FaultCause cause) {
  switch (cause) {
    case FaultCause::Timeout: return "nothing was finished for too long";
    case FaultCause::NoMemory: return "there was no memory";
    default: return "a shader aborted";
  }
}

/// As much as there is room for; the text is ASCII, so that no character is cut in two.
void copyText(char (&to)[VK_MAX_DESCRIPTION_SIZE], std::string_view text) {
  const size_t n = std::min(text.size(), sizeof to - 1);
  std::memcpy(to, text.data(), n);
  to[n] = 0;
}

VkDeviceFaultVendorInfoKHR vendorInfo(FaultCause cause, uint64_t data) {
  VkDeviceFaultVendorInfoKHR info{};
  copyText(info.description, nameOf(cause));
  info.vendorFaultCode = static_cast<uint64_t>(cause), info.vendorFaultData = data;
  return info;
}

/// For people: what is no printable ASCII becomes a question mark.
std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c < ' ' || c > '~') c = '?';
  return out;
}

}  // namespace

std::string describeAbort(const std::string& who, const abi::AbortMessage& message, const std::string& bytes) {
  constexpr size_t kMostWords = 16;
  std::string out = who + " aborts";
  if (!message.file.empty()) out += " at " + printable(message.file) + ":" + std::to_string(message.line);
  std::string_view text = std::string_view(bytes).substr(message.textAt, message.textBytes);
  text = text.substr(0, text.find('\0'));  // shading languages end theirs with one
  size_t at = message.textBytes ? message.textAt + message.textBytes : 0;
  if (message.textBytes) out += ": \"" + printable(text) + '"';
  at = (at + 3) / 4 * 4;  // what is beside texts lies at multiples of its size
  if (at < bytes.size() && !message.textBytes) out += ':';
  for (size_t n = 0; at < bytes.size() && n < kMostWords; at += 4, ++n) {
    uint32_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min<size_t>(4, bytes.size() - at));
    char hex[16];
    std::snprintf(hex, sizeof hex, " %08x", word);
    out += hex;
  }
  return at < bytes.size() ? out + " ..." : out;
}

bool Faults::set(const Fault& fault) {
  device_.lost = true;
  {
    std::lock_guard lock(mutex_);
    if (known_) return false;
    fault_ = fault;
    known_ = waiting_ = true;
  }
  notifyWaiters();
  return true;
}

VkResult Faults::lose(FaultCause cause, uint64_t data, const char* what) {
  settle();
  set({cause, data, what});
  return ETZEL_FAIL(VK_ERROR_DEVICE_LOST, "%s", what);
}

// Called by interpreter and native code: exceptions must not leave. Without memory the message lacks its words.
void Faults::say(const abi::Warp& warp, LaneMask, uint32_t first, std::span<const LaneWords> words) try {
  std::lock_guard lock(mutex_);
  for (const LaneWords& value : words) said_.push_back({&warp, first++, value});
} catch (const std::exception&) {
}

void Faults::abort(const abi::Warp& warp, LaneMask lanes, const abi::AbortMessage& message) {
  try {
    keep(warp, lanes, message);
  } catch (const std::exception&) {
    // No memory for the message: the device is lost without it.
  }
  // In this order: a queue that begins a batch lowers its flag first, and then asks whether the device is lost.
  device_.lost = true;
  for (const auto& queue : device_.queues) queue->giveUp();
}

void Faults::keep(const abi::Warp& warp, LaneMask lanes, const abi::AbortMessage& message) {
  std::lock_guard lock(mutex_);
  aborted_ = true;
  const auto mine = std::stable_partition(said_.begin(), said_.end(), [&](const Said& s) { return s.warp != &warp; });
  for (LaneMask left = lanes; left && !known_; left &= left - 1) {
    if (!messages_.empty() && (messages_.size() > kMessages || messageBytes_ > kMessageBytes)) break;
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    std::string bytes = message.bytes;
    for (auto s = mine; s != said_.end(); ++s) {
      const size_t at = 4 * size_t{s->word};
      if (at < bytes.size())
        std::memcpy(bytes.data() + at, &s->value.lane[lane], std::min<size_t>(4, bytes.size() - at));
    }
    const abi::Stage stage = warp.kernel->info.stage;
    const std::string who = std::string(isa::stageName(stage)) + " shader, " + invocationName(stage, warp, lane);
    if (messages_.empty()) line_ = message.line;
    texts_.push_back(describeAbort(who, message, bytes));
    messageBytes_ += bytes.size();
    messages_.push_back(std::move(bytes));
  }
  said_.erase(mine, said_.end());
}

void Faults::settle() {
  if (!device_.lost) return;  // abort() says so
  std::vector<std::string> texts;
  {
    std::lock_guard lock(mutex_);
    if (!aborted_ || known_) return;
    texts.swap(texts_);
    if (!texts.empty()) abortText_ = std::move(texts[0]);
    fault_ = {FaultCause::Abort, line_,
              abortText_.empty() ? "a shader aborted, and there was no memory for its message" : abortText_.c_str()};
    known_ = waiting_ = true;
  }
  notifyWaiters();
  // Nobody changes what fault_ and abortText_ say from here on.
  (void)ETZEL_FAIL(VK_ERROR_DEVICE_LOST, "%s", fault_.what);
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string& text = i == 0 ? abortText_ : texts[i];
    if (debug(DebugFlag::Printf)) std::fprintf(stderr, "etzel: %s\n", text.c_str());
    if (debugging()) tellDebugger(text);
  }
}

VkResult Faults::reports(uint64_t timeoutNs, uint32_t* count, VkDeviceFaultInfoKHR* infos) {
  VkResult result = VK_TIMEOUT;
  const auto take = [&] {
    std::lock_guard lock(mutex_);
    if (!waiting_) {
      if (known_) *count = 0;
      return known_;  // a lost device gives no further report
    }
    if (!infos || *count == 0) {
      result = infos ? VK_INCOMPLETE : VK_SUCCESS;
      *count = infos ? 0 : 1;
      return true;
    }
    *count = 1;
    infos->flags = VK_DEVICE_FAULT_FLAG_DEVICE_LOST_KHR | VK_DEVICE_FAULT_FLAG_VENDOR_KHR;
    if (fault_.cause == FaultCause::Timeout) infos->flags |= VK_DEVICE_FAULT_FLAG_WATCHDOG_TIMEOUT_KHR;
    infos->groupId = 1;
    copyText(infos->description, fault_.what);
    infos->faultAddressInfo = infos->instructionAddressInfo = {};
    infos->vendorInfo = vendorInfo(fault_.cause, fault_.data);
    waiting_ = mutated(Mutant::FaultReport);
    result = VK_SUCCESS;
    return true;
  };
  if (!waitUntil(timeoutNs ? deadlineAfter(timeoutNs) : 0, take)) *count = 0;
  return result;
}

VkResult Faults::debugInfo(VkDeviceFaultDebugInfoKHR* info) {
  info->vendorBinarySize = 0;  // deviceFaultVendorBinary is not offered
  for (auto* s = static_cast<VkBaseOutStructure*>(info->pNext); s; s = s->pNext)
    if (s->sType == VK_STRUCTURE_TYPE_DEVICE_FAULT_SHADER_ABORT_MESSAGE_INFO_KHR) {
      std::lock_guard lock(mutex_);
      return copyMessages(reinterpret_cast<VkDeviceFaultShaderAbortMessageInfoKHR*>(s));
    }
  return VK_SUCCESS;
}

// "Shader Abort Messages": pairs of a size and so many bytes, each pair at a multiple of 8. Nothing follows the last
// byte of the last one, and a pair for which there is no room is not begun.
VkResult Faults::copyMessages(VkDeviceFaultShaderAbortMessageInfoKHR* out) const {
  auto* to = static_cast<char*>(out->pMessageData);
  size_t at = 0, end = 0;
  for (const std::string& message : messages_) {
    const uint64_t size = message.size();
    const size_t behind = at + sizeof size + message.size();
    if (to && behind > out->messageDataSize) {
      out->messageDataSize = end;
      return VK_INCOMPLETE;
    }
    if (to) {
      std::memset(to + end, 0, at - end);
      std::memcpy(to + at, &size, sizeof size);
      std::memcpy(to + at + sizeof size, message.data(), message.size());
    }
    end = behind, at = alignUp(behind, kMessageAlignment);
  }
  out->messageDataSize = end;
  return VK_SUCCESS;
}

VkResult Faults::info(VkDeviceFaultCountsEXT* counts, VkDeviceFaultInfoEXT* info) {
  std::lock_guard lock(mutex_);
  const uint32_t available = known_ ? 1 : 0;
  const bool fits = !info || counts->vendorInfoCount >= available;
  counts->addressInfoCount = 0, counts->vendorBinarySize = 0;
  if (!info) {
    counts->vendorInfoCount = available;
    return VK_SUCCESS;
  }
  copyText(info->description, fault_.what);
  counts->vendorInfoCount = std::min(counts->vendorInfoCount, available);
  if (counts->vendorInfoCount && info->pVendorInfos) *info->pVendorInfos = vendorInfo(fault_.cause, fault_.data);
  return fits ? VK_SUCCESS : VK_INCOMPLETE;
}

}  // namespace etzel::icd
