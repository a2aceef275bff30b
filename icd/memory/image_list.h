// The images that there are, for histories of pixels (icd/debug/history.h), with the numbers that people know
// them by. Only in processes that may be asked for histories; otherwise nothing is listed.
#pragma once

#include <functional>
#include <optional>

#include "icd/memory/resources.h"

namespace etzel::icd {

struct ListedImage {
  const Image* image = nullptr;
  uint64_t number = 0;  ///< images count from 0 as they are made
  std::string name;     ///< the application's, else "image N"
};

/// Whether ETZEL_HISTORY or ETZEL_DEBUGGER is set; read once.
bool listsImages();

// Any thread, while listsImages().
void listImage(const Image& image);
void unlistImage(const Image& image);
/// The image that a layout is of; nothing where nobody has made it.
std::optional<ListedImage> findImage(const mem::ImageLayout* layout);
/// Calls `body` with the image of a number, which stays as long as that takes; not at all where it is gone.
void withImage(uint64_t number, const std::function<void(const Image&)>& body);

}  // namespace etzel::icd
