#include "icd/debug/pass_watch.h"

#include "icd/debug/command_number.h"
#include "icd/debug/debugger.h"
#include "icd/debug/pass_history.h"

namespace etzel::icd {

std::unique_ptr<PassWatch> PassWatch::begin(const raster::Attachments& attachments, std::atomic<uint32_t>* progress) {
  if (auto history = PassHistory::begin(attachments, progress)) return history;
  if (!debugging() || !watchedPlace()) return nullptr;
  return std::unique_ptr<PassWatch>(new PassWatch);
}

std::optional<raster::WatchedPlace> PassWatch::place() const {
  // Asked for each tile: a debugger that is stopped may look for another place in those that follow.
  return kernels_.empty() ? std::nullopt : std::optional(watchedPlace().value_or(raster::WatchedPlace{}));
}

const abi::Kernel* PassWatch::kernelOf(const raster::DrawRecord& draw) const {
  const auto known = kernels_.find(commandNumber(draw.state.context));
  return known == kernels_.end() ? nullptr : known->second;
}

}  // namespace etzel::icd
