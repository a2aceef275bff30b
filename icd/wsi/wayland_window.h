// A Wayland surface as a place to put pixels: buffers of shared memory (wl_shm), which the compositor gives back when
// it needs them no more. One thread at a time; the application may use its connection meanwhile.
#pragma once

#include <wayland-client-core.h>

#include <memory>
#include <vector>

#include "icd/wsi/target.h"

struct wl_surface;

namespace etzel::icd {

/// Whether the connection stands.
bool connectionStands(wl_display* display);

class WaylandTarget final : public PictureTarget {
 public:
  /// `opaque`: nobody sees the alpha of pictures; else colours are multiplied by it.
  WaylandTarget(wl_display* display, wl_surface* surface, bool opaque);
  ~WaylandTarget() override;
  WaylandTarget(const WaylandTarget&) = delete;
  WaylandTarget& operator=(const WaylandTarget&) = delete;

  std::byte* frame(uint32_t width, uint32_t height) override;
  WindowSize put() override;
  bool alive() const override;

 private:
  class Buffer;
  /// Proxies whose events nobody else handles.
  struct Proxies {
    wl_event_queue* queue = nullptr;
    wl_proxy* registry = nullptr;
    wl_proxy* shm = nullptr;  ///< null: the compositor has none
  };
  static void announced(void* proxies, wl_proxy* registry, uint32_t name, const char* interface, uint32_t version);
  bool takeEvents(int milliseconds);
  Buffer* freeBuffer(uint32_t width, uint32_t height);

  wl_display* display_;
  wl_proxy* surface_;
  bool opaque_;
  Proxies proxies_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  Buffer* frame_ = nullptr;  ///< what put() shows
};

}  // namespace etzel::icd
