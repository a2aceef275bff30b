#include "icd/memory/image_list.h"

#include <cstdlib>
#include <mutex>
#include <unordered_map>

#include "icd/object/debug_name.h"

namespace etzel::icd {
namespace {

struct List {
  std::mutex mutex;
  uint64_t made = 0;
  std::unordered_map<const mem::ImageLayout*, ListedImage> of;
};
List& list() {
  static List* const l = new List;  // queue threads may outlive static objects
  return *l;
}

}  // namespace

bool listsImages() {
  static const bool lists = secure_getenv("ETZEL_HISTORY") || secure_getenv("ETZEL_DEBUGGER");
  return lists;
}

void listImage(const Image& image) {
  std::lock_guard lock(list().mutex);
  list().of[&image.layout] = {&image, list().made++, {}};
}

void unlistImage(const Image& image) {
  std::lock_guard lock(list().mutex);
  list().of.erase(&image.layout);
}

std::optional<ListedImage> findImage(const mem::ImageLayout* layout) {
  std::lock_guard lock(list().mutex);
  const auto found = list().of.find(layout);
  if (found == list().of.end()) return {};
  ListedImage image = found->second;
  image.name = debugNameOf(*image.image);
  if (image.name.empty()) image.name = "image " + std::to_string(image.number);
  return image;
}

void withImage(uint64_t number, const std::function<void(const Image&)>& body) {
  std::lock_guard lock(list().mutex);
  for (const auto& [layout, listed] : list().of)
    if (listed.number == number) return body(*listed.image);
}

}  // namespace etzel::icd
