// A probe that compares what it is told with itself: a pixel's stories go on where the last one ended, samples that
// were taken away keep what they had, those that passed their tests have the depth that the story computed.
#pragma once

#include <cstring>
#include <map>
#include <string>

#include "raster/pixel_probe.h"
#include "raster/tile/draw/tile_draw.h"

namespace etzel::raster::model {

class CheckingProbe final : public PixelProbe {
 public:
  /// A pass begins; its pixel is (px, py) of a layer.
  void begin(int32_t px, int32_t py, uint32_t inLayer) {
    x = px, y = py, layer = inLayer;
    known_ = false;
  }
  /// The first contradiction; empty where there is none.
  const std::string& failure() const { return failure_; }
  /// Kernels that run in the place of others there.
  void watch(const WatchedPlace& at) { place_ = at; }
  void watchWith(const abi::Kernel* kernel, const abi::Kernel* watching) { watching_[kernel] = watching; }
  void forgetKernels() { watching_.clear(); }
  std::optional<WatchedPlace> place() const override { return place_; }
  const abi::Kernel* kernelOf(const DrawRecord& draw) const override {
    const auto known = watching_.find(draw.state.fragment);
    return known == watching_.end() ? nullptr : known->second;
  }
  uint32_t fragments() const { return fragments_; }

  void fragment(const FragmentVisit& v) override {
    ++fragments_;
    follow(v);
    for (uint32_t i = 0; i < Attachments::count; ++i) {
      if (!v.before[i] || v.before[i].samples != v.samples) continue;  // fewer: coverage is reduced
      for (uint32_t s = 0; s < v.samples; ++s) check(v, i, s);
    }
  }
  void cleared(const ClearVisit& v) override { follow(v); }
  void tileDone(const PixelContents* contents) override {
    for (uint32_t i = 0; known_ && i < Attachments::count; ++i)
      if (!(contents[i] == last_[i])) fail("the tile ends with something else", i, 0);
  }

 private:
  void fail(const char* what, uint32_t attachment, uint32_t sample) {
    if (!failure_.empty()) return;
    failure_ = std::string("the probe at (") + std::to_string(x) + ", " + std::to_string(y) + "): " + what +
               ", attachment " + std::to_string(attachment) + ", sample " + std::to_string(sample);
  }

  void follow(const PixelVisit& v) {
    for (uint32_t i = 0; i < Attachments::count; ++i) {
      if (known_ && !(last_[i] == v.before[i])) fail("something else was there before", i, 0);
      last_[i] = v.after[i];
    }
    known_ = true;
  }

  void check(const FragmentVisit& v, uint32_t i, uint32_t s) {
    const bool kept = v.survivors >> s & 1;
    const bool same = !std::memcmp(v.before[i].texel[s], v.after[i].texel[s], v.before[i].texelBytes);
    if (i == Attachments::stencilIndex) {
      if (!v.sample[s].stencilTested && !same) fail("stencil changes without a test", i, s);
      return;
    }
    if (i != Attachments::depthIndex) {
      if (!kept && !same) fail("what was taken away is written", i, s);
      return;
    }
    // Tests before the shader write depth for samples that are taken away later, too.
    const DepthStencilState& ds = v.draw->depthStencil;
    const SampleStory& story = v.sample[s];
    if (!ds.depthWrite || !story.depthTested || !story.depthPasses || !story.stencilPasses) {
      if (!same) fail("depth is written", i, s);
    } else {
      uint32_t word = 0;
      std::memcpy(&word, v.after[i].texel[s], v.after[i].texelBytes);
      if (ds.format == DepthFormat::D24) word &= 0xFFFFFF;
      if (word != v.sample[s].depth) fail("another depth is stored", i, s);
    }
  }

  PixelContents last_[Attachments::count];
  bool known_ = false;
  uint32_t fragments_ = 0;
  std::optional<WatchedPlace> place_;
  std::map<const abi::Kernel*, const abi::Kernel*> watching_;
  std::string failure_;
};

}  // namespace etzel::raster::model
