// ETZEL_HISTORY=pixel=X,Y[;sample=N][;layer=N][;image=NAME][;frame=N]: tells everything that happens to one pixel in a
// frame, while it happens, as JSON lines at the end of ETZEL_HISTORY_FILE (else on stderr): draws whose primitives want
// it, with the way of every sample through "Fragment Operations", clears, copies, blits, resolves, and what changed it
// otherwise. Bytes stay as they are; the pixel's block is drawn primitive by primitive, the rest of the frame as ever.
// tools/etzel-inspect sets the variables and shows the result; a debugger asks for the same with "history"
// (docs/debugging.md).
//
//   image=NAME    an image by its debug name or number ("image 2": images count from 0 as they are made), or an
//                 attachment: "color 0", "depth", "stencil"; else all attachments, and images that may be attachments
//   frame=N       presents before it (default 0); "frame=all"
//
// Programs that run with another user's rights ignore the variables. Without them, and without ETZEL_DEBUGGER, nothing
// here costs more than one test per pass, draw and transfer.
#pragma once

#include "icd/debugger_built.h"
#ifndef ETZEL_DEBUGGER_BUILT
#include "icd/debug/absent.h"
#else

#include <atomic>
#include <cstdio>
#include <mutex>
#include <optional>

#include "icd/debug/json.h"
#include "icd/memory/image_list.h"
#include "raster/pixel_probe.h"

namespace etzel::icd {

/// What a history is of.
struct HistorySubject {
  uint32_t x = 0, y = 0, layer = 0;
  std::optional<uint32_t> sample;
  std::string image;
  std::optional<uint32_t> frame = 0;  ///< none: all

  bool hasPixel = false;

  /// Adds "pixel=3,4" and the like. \returns false where it means nothing
  bool add(const std::string& word);
  /// Whether it is of an image (null: one that nobody has made) that is an attachment of a pass, or of a transfer
  /// (`attachment` is empty).
  bool admits(const ListedImage* image, const std::string& attachment) const;
};

/// One aspect of an image in an event, at the pixel.
struct TouchedImage {
  uint64_t image = ~0ull;  ///< ListedImage::number; ~0: nobody has made it
  std::string name, attachment;
  VkImageAspectFlags aspect = 0;
  VkFormat format = VK_FORMAT_UNDEFINED;  ///< of the aspect
  bool written = true;
  msaa::SampleMask writtenSamples = ~0u;  ///< if written; those that it does not have do not matter
  std::string details;                    ///< more members of the JSON object, from a comma on
  raster::PixelContents before, after;
};

/// Whether histories may be asked for in this process; read once. Labels are noted then.
bool historyPossible();

class History {
 public:
  /// The process's; it is never destroyed, since workers may outlive static objects.
  static History& get();

  /// What somebody has asked for, be it of this frame or not. Any thread.
  std::optional<HistorySubject> subject();
  /// What is to be recorded now; null: nothing. Any thread.
  const HistorySubject* wanted() const { return wanted_.load(std::memory_order_acquire); }
  /// Begins anew, or stops (null). Passes that have begun are not affected.
  void record(const HistorySubject* subject);

  /// The number of a pass that begins.
  uint64_t nextPass() { return passes_.fetch_add(1); }
  /// Adds an event: `head`, and what it did to images. What changed since the last one is an event before it.
  /// \returns it as JSON
  std::string add(JsonObject head, const std::vector<TouchedImage>& images);
  /// What an image held is gone: the next event finds something else.
  void forgetContents(uint64_t image, VkImageAspectFlags aspect);
  /// A dispatch has run: images that it has stored to. `progress` is the queue's.
  void dispatched(uint32_t number, std::atomic<uint32_t>* progress);
  void frameDone();

  /// Events from number `first` on, JSON, and how many there have been.
  std::vector<std::string> events(uint64_t first, uint64_t* count);

 private:
  History();
  void choose();  ///< what is wanted in this frame
  const std::string& write(JsonObject head, const std::vector<TouchedImage>& images);

  std::atomic<const HistorySubject*> wanted_{nullptr};
  std::atomic<uint64_t> passes_{0};
  std::mutex mutex_;
  std::vector<std::unique_ptr<const HistorySubject> > kept_;  ///< readers may still look at older ones
  const HistorySubject* asked_ = nullptr;                     ///< whatever the frame
  uint32_t frame_ = 0;
  struct Held {
    uint64_t image;
    VkImageAspectFlags aspect;
    TouchedImage last;
  };
  std::vector<Held> held_;
  std::vector<std::string> events_;
  uint64_t dropped_ = 0;  ///< events at the front that are gone
  std::FILE* file_ = nullptr;
};

/// What is to be recorded now, or null. One test where that is impossible.
inline const HistorySubject* wantedHistory() { return historyPossible() ? History::get().wanted() : nullptr; }

/// The pixel of an image's first level in all aspects of `aspects`, one entry each; `before` is read.
std::vector<TouchedImage> readImage(const ListedImage& listed, const HistorySubject& at, VkImageAspectFlags aspects);
/// Reads what the entries of readImage() hold by now.
void readAfter(const ListedImage& listed, const HistorySubject& at, std::vector<TouchedImage>& images);

}  // namespace etzel::icd

#endif
