// What a data breakpoint watches in the pixel whose history is recorded: a sample of an attachment or image, all of
// them, or its fragment mask. Writes of every kind count: draws, clears, resolves, transfers, stores.
#pragma once

#include <optional>
#include <string>

#include "icd/debug/history.h"
#include "runtime/base/result.h"

namespace etzel::icd {

struct PixelPlace {
  uint32_t x = 0, y = 0, layer = 0;
  std::string subject;             ///< an attachment or image, as histories call them; empty: any
  std::optional<uint32_t> sample;  ///< absent: any
  bool mask = false;               ///< the fragment mask, where it changes; else what is written, changed or not

  /// As one word, and back; nothing where it is none.
  std::string id() const;
  static std::optional<PixelPlace> read(const std::string& id);
  /// Of "color 0(12, 13)", "image 2(12, 13, 3)" with a sample, "mask(12, 13)", "mask of color 0(12, 13)"; "pixel" for
  /// whatever attachment or image.
  static Result<PixelPlace> named(const std::string& text);
  std::string description() const;

  /// Whether an event has written it there.
  bool isWritten(const TouchedImage& image) const;
  bool isSamePixel(const HistorySubject& subject) const;
};

/// Whether shaders that fetch the pixel's fragment mask find another one than before.
bool maskChanged(const TouchedImage& image);

}  // namespace etzel::icd
