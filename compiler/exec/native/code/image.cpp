#include "compiler/exec/native/code/image.h"

#include <algorithm>
#include <cstring>

#include "compiler/exec/native/analysis/strands.h"

namespace etzel::native {
namespace {

struct Header {
  uint32_t textBytes, dataBytes, imports, steps;
  uint32_t entry, workgroup, fragments, abreast, strands;
};

template <class T>
void append(std::vector<std::byte>& out, const T* from, size_t count) {
  const auto* p = reinterpret_cast<const std::byte*>(from);
  out.insert(out.end(), p, p + count * sizeof(T));
}

template <class T>
bool take(std::span<const std::byte>& from, std::vector<T>& out, size_t count) {
  if (from.size() / sizeof(T) < count) return false;
  out.resize(count);
  if (count) std::memcpy(out.data(), from.data(), count * sizeof(T));
  from = from.subspan(count * sizeof(T));
  return true;
}

}  // namespace

std::vector<std::byte> writeImage(const Image& image) {
  const Header header{static_cast<uint32_t>(image.text.size()),
                      static_cast<uint32_t>(image.data.size()),
                      static_cast<uint32_t>(image.imports.size()),
                      static_cast<uint32_t>(image.steps.size()),
                      image.entry,
                      image.workgroup,
                      image.fragments,
                      image.abreast,
                      image.strands};
  std::vector<std::byte> out;
  out.reserve(sizeof header + image.text.size() + image.data.size() + 4 * (image.imports.size() + image.steps.size()));
  append(out, &header, 1);
  append(out, image.imports.data(), image.imports.size());
  append(out, image.steps.data(), image.steps.size());
  append(out, image.text.data(), image.text.size());
  append(out, image.data.data(), image.data.size());
  return out;
}

Result<Image> readImage(std::span<const std::byte> bytes) {
  const Error damaged{ErrorCode::Io, "damaged machine code"};
  Header h;
  if (bytes.size() < sizeof h) return damaged;
  std::memcpy(&h, bytes.data(), sizeof h);
  bytes = bytes.subspan(sizeof h);
  Image image;
  if (!take(bytes, image.imports, h.imports) || !take(bytes, image.steps, h.steps) ||
      !take(bytes, image.text, h.textBytes) || !take(bytes, image.data, h.dataBytes) || !bytes.empty())
    return damaged;
  image.entry = h.entry, image.workgroup = h.workgroup, image.fragments = h.fragments;
  image.abreast = h.abreast, image.strands = h.strands;
  const auto isInside = [&](uint32_t offset) { return offset < image.text.size(); };
  const auto isInsideOrNone = [&](uint32_t offset) { return offset == Image::kNowhere || isInside(offset); };
  const auto isImport = [](uint32_t i) { return i < importNames().size(); };
  if (!isInside(image.entry) || !isInsideOrNone(image.workgroup) || !isInsideOrNone(image.fragments) ||
      !isInsideOrNone(image.abreast) || (image.abreast == Image::kNowhere) != (image.strands == 1) ||
      image.strands == 0 || image.strands > kMostStrands || image.data.size() < 8 * image.imports.size() ||
      !std::all_of(image.imports.begin(), image.imports.end(), isImport))
    return damaged;
  return image;
}

}  // namespace etzel::native
