// A history's view of one pass: what draws and clears do to its pixel, and the resolves at the pass' end.
#pragma once

#include "icd/debugger_built.h"
#ifndef ETZEL_DEBUGGER_BUILT
#include "icd/debug/absent.h"
#else

#include <map>

#include "icd/debug/history.h"
#include "icd/debug/pass_watch.h"

namespace etzel::icd {

class PassHistory final : public PassWatch {
 public:
  /// Null where nothing of the pass is to be recorded.
  static std::unique_ptr<PassHistory> begin(const raster::Attachments& attachments, std::atomic<uint32_t>* progress);

  // PassWatch
  void noteDraw(uint32_t number, const raster::DrawParams& params, const std::string& pipeline,
                const std::string& label) override;
  void beforeResolves(const std::vector<raster::AttachmentResolve>& resolves) override;
  void afterResolves(const raster::Attachments& attachments,
                     const std::vector<raster::AttachmentResolve>& resolves) override;
  void fragment(const raster::FragmentVisit& visit) override;
  void cleared(const raster::ClearVisit& visit) override;
  void tileDone(const raster::PixelContents* contents) override;

 private:
  struct Attachment {
    bool admitted = false;
    const tex::ImageView* view = nullptr;
    TouchedImage image;  ///< without contents
  };
  PassHistory(const HistorySubject& subject, const raster::Attachments& attachments, std::atomic<uint32_t>* progress);
  bool resolvesPixel(const raster::AttachmentResolve& resolve, const VkRect2D& area) const;
  TouchedImage imageOf(const tex::ImageView& view, const std::string& attachment, bool* admitted) const;
  raster::PixelContents sourceOf(const raster::AttachmentResolve& resolve) const;
  JsonObject head(const char* event) const;

  const HistorySubject& subject_;
  const uint64_t pass_;
  Attachment attachment_[raster::Attachments::count];
  struct Draw {
    std::string pipeline, label;
    raster::DrawParams params;
  };
  std::map<uint32_t, Draw> draws_;
  raster::PixelContents last_[raster::Attachments::count];  ///< of tileDone()
  std::vector<raster::PixelContents> resolvedBefore_;
  bool showsResolves_ = false;             ///< a debugger has stepped to the end of the pass
  std::atomic<uint32_t>* const progress_;  ///< of the queue
};

}  // namespace etzel::icd

#endif
