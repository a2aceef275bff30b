// What stands for this folder in drivers that are built without it (ETZEL_DEBUGGER=OFF): nobody looks, nobody asks, and
// the compiler leaves nothing of it in the code. Included by the folder's headers in place of what they declare.
#pragma once

#include <memory>
#include <span>

#include "compiler/compiler.h"
#include "icd/memory/resources.h"
#include "raster/pixel_probe.h"
#include "runtime/base/arena.h"

namespace etzel::icd {

constexpr bool debugging() { return false; }
constexpr bool tracing() { return false; }
constexpr bool capturing() { return false; }
constexpr bool printing() { return false; }
constexpr bool historyPossible() { return false; }

struct CommandPlace {
  uint32_t number = 0;
  std::span<const char* const> labels = {};
  const Object* pipeline = nullptr;
};
class PrintLog {
 public:
  void flush() {}
};
inline void numberCommand(abi::DispatchContext&, Arena&, PrintLog*) {}
inline uint32_t commandNumber(const abi::DispatchContext&) { return 0; }

inline void startDebugger() {}
inline void tellDebugger(const std::string&) {}
inline std::string invocationName(abi::Stage, const abi::Warp&, uint32_t) { return "one of its invocations"; }
inline void offerToDebugger(const std::shared_ptr<abi::Kernel>&, const compiler::ShaderSource&) {}
inline const abi::Kernel* watched(const abi::Kernel* kernel, const CommandPlace&) { return kernel; }
class PassWatch;
inline bool watchStages(raster::DrawState&, const CommandPlace&, PassWatch*) { return false; }
inline std::shared_ptr<abi::Kernel> traceable(std::shared_ptr<abi::Kernel> kernel, const compiler::ShaderSource&) {
  return kernel;
}

inline void captureTraffic() {}
inline void captureFrameDone() {}
inline void captureSubpass(const raster::Attachments&) {}

struct HistorySubject;
inline const HistorySubject* wantedHistory() { return nullptr; }
class History {
 public:
  static History& get() {
    static History history;
    return history;
  }
  void dispatched(uint32_t, std::atomic<uint32_t>*) {}
  void frameDone() {}
};

class PassWatch final : public raster::PixelProbe {
 public:
  static std::unique_ptr<PassWatch> begin(const raster::Attachments&, std::atomic<uint32_t>*) { return nullptr; }
  void noteDraw(uint32_t, const raster::DrawParams&, const std::string&, const std::string&) {}
  void beforeResolves(const std::vector<raster::AttachmentResolve>&) {}
  void afterResolves(const raster::Attachments&, const std::vector<raster::AttachmentResolve>&) {}
  void fragment(const raster::FragmentVisit&) override {}
  void cleared(const raster::ClearVisit&) override {}
  void tileDone(const raster::PixelContents*) override {}
};

class TransferHistory {
 public:
  template <class Region>
  TransferHistory(const char*, const Image*, const Image&, const Region&, std::atomic<uint32_t>*) {}
};
inline uint64_t bufferBytes(const Image&, const VkBufferImageCopy2&) { return 0; }
inline void showMemoryWrite(const char*, const void*, uint64_t, std::atomic<uint32_t>*) {}

}  // namespace etzel::icd
