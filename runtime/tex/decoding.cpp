#include "runtime/tex/decoding.h"

#include <new>

#include "runtime/format/decoded.h"

namespace etzel::tex {
namespace {

/// Another thread may be reading it.
template <class T>
void set(T& member, T value) {
  std::atomic_ref<T>(member).store(value, std::memory_order_release);
}

/// What says that a view is known, of `from`, or that it is not.
void setKnown(abi::DirectView& to, const abi::DirectView& from, uint32_t has) {
  set(to.read, from.read), set(to.nearest, from.nearest), set(to.firstNearest, from.firstNearest);
  set(to.bilinear, from.bilinear), set(to.firstBilinear, from.firstBilinear);
  set(to.compare, from.compare), set(to.sample, from.sample);
  set(to.kind.has, has);
  set(to.kind.format, from.kind.format);
}

}  // namespace

std::unique_ptr<Decoding> Decoding::begin(ImageView& view, mem::DecodedImage& image) {
  if (!view.info || !format::decodeAlike(*view.info, image.blockFormat())) return nullptr;
  ImageView decoded = view;
  decoded.layout = &image.layout(), decoded.plane = &image.layout().plane[0], decoded.memory = image.memory();
  decoded.info = format::decodedFormat(*view.info);
  decoded.format = decoded.info->format;
  decoded.decode = format::decoder(decoded.format), decoded.encode = nullptr;
  prepare(decoded);
  // Filtered colours of eight lanes and of single ones may differ in their last bits.
  const auto inLanes = [](const ImageView& v) { return v.lanes.layout != format::TexelLayout::None; };
  if (inLanes(decoded) != inLanes(view)) return nullptr;
  std::unique_ptr<Decoding> decoding(new Decoding(view, image));
  decoded.decoding = decoding.get();
  view = decoded;
  decoding->close();
  return decoding;
}

void Decoding::close() {
  direct_ = view_.direct, layout_ = view_.lanes.layout;
  setKnown(view_.direct, {}, abi::DirectView::kSoonOther);
  view_.lanes.layout = format::TexelLayout::None;
}

void Decoding::open() {
  set(view_.lanes.layout, layout_);
  setKnown(view_.direct, direct_, direct_.kind.has);
  open_.store(true, std::memory_order_release);
}

const ImageView& Decoding::readable() {
  if (open_.load(std::memory_order_acquire)) return view_;
  if (image_.refused()) {
    set(view_.direct.kind.has, 0u);
    return blocks_;
  }
  image_.advance();
  if (!image_.complete()) return blocks_;
  open();  // several threads may, with the same stores
  return view_;
}

}  // namespace etzel::tex
