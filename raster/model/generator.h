// Makes the operations of a seed. What is made stays within valid usage of the API: nobody reads an attachment that is
// drawn to, and threads never race for a sample.
#pragma once

#include <random>

#include "raster/model/operation.h"

namespace etzel::raster::model {

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  uint32_t word() { return static_cast<uint32_t>(engine_()); }
  uint32_t below(uint32_t n) { return word() % n; }
  /// True once in n times.
  bool in(uint32_t n) { return below(n) == 0; }

 private:
  std::mt19937 engine_;
};

class Generator {
 public:
  explicit Generator(uint32_t seed);
  Sequence run();

 private:
  const World& world() const { return sequence_.world; }
  void makeWorld(uint32_t seed);
  void passInstance();
  void outside();
  std::shared_ptr<const Draw> draw(const Pass& pass);
  void shader(const Pass& pass, ShaderTraits& traits);
  void colorState(const Pass& pass, Draw& draw);
  Triangle triangle(const Pass& pass);
  Operation clearAttachment(const Pass& pass);
  Operation copy();
  Operation resolve();
  Operation resolveImage();
  Operation replicate();
  /// Not empty; `tiles`: the corners lie on whole tiles, or on the picture's border.
  Rect rect(bool tiles);
  Rect smallRect();
  /// Some aspects that both lack or have: one of depth and stencil, or (`several`) both.
  VkImageAspectFlags aspects(ImageId id, bool several);
  VkClearValue clearValue(ImageId id);
  void layersOrViews(Operation& o);

  Random random_;
  Sequence sequence_;
  std::vector<Triangle> recent_;
};

}  // namespace etzel::raster::model
