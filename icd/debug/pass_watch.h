// Who looks at one pass: at fragments that breakpoints are for, where those are for some place only, and, where the
// history of a pixel is recorded as well (pass_history.h), at that.
#pragma once

#include "icd/debugger_built.h"
#ifndef ETZEL_DEBUGGER_BUILT
#include "icd/debug/absent.h"
#else

#include <atomic>
#include <map>
#include <memory>
#include <string>

#include "raster/draw.h"
#include "raster/pixel_probe.h"

namespace etzel::icd {

class PassWatch : public raster::PixelProbe {
 public:
  virtual ~PassWatch() = default;
  /// Null where nobody looks at anything of the pass, or at all of it alike.
  static std::unique_ptr<PassWatch> begin(const raster::Attachments& attachments, std::atomic<uint32_t>* progress);

  /// A draw follows that commandNumber() gives this number. The pass' thread.
  virtual void noteDraw(uint32_t, const raster::DrawParams&, const std::string& /*pipeline*/,
                        const std::string& /*label*/) {}
  /// Fragments of a draw that the debugger asks for (watchedPlace()) run with `kernel`. The pass' thread.
  void watch(uint32_t number, const abi::Kernel* kernel) { kernels_[number] = kernel; }

  /// Around the end of the pass, with its resolves.
  virtual void beforeResolves(const std::vector<raster::AttachmentResolve>&) {}
  virtual void afterResolves(const raster::Attachments&, const std::vector<raster::AttachmentResolve>&) {}

  // raster::PixelProbe
  std::optional<raster::WatchedPlace> place() const final;
  const abi::Kernel* kernelOf(const raster::DrawRecord& draw) const final;
  void fragment(const raster::FragmentVisit&) override {}
  void cleared(const raster::ClearVisit&) override {}
  void tileDone(const raster::PixelContents*) override {}

 protected:
  PassWatch() { x = y = -1; }  // no pixel

 private:
  std::map<uint32_t, const abi::Kernel*> kernels_;  ///< by the draws' numbers
};

}  // namespace etzel::icd

#endif
