#include "icd/wsi/wayland_window.h"

#include <poll.h>
#include <sys/mman.h>
#include <wayland-client-protocol.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "icd/object/shared_memory.h"
#include "icd/wsi/wayland_library.h"

namespace etzel::icd {

namespace {

/// Only called with a connection, which nobody has without the library.
const WaylandLibrary& wayland() { return *waylandLibrary(); }

/// A request that makes an object of that interface, which has the version of the one that it is asked of.
template <class... Arguments>
wl_proxy* make(wl_proxy* of, uint32_t request, const wl_interface* interface, Arguments... arguments) {
  return wayland().wl_proxy_marshal_flags(of, request, interface, wayland().wl_proxy_get_version(of), 0, arguments...);
}
template <class... Arguments>
void ask(wl_proxy* of, uint32_t request, Arguments... arguments) {
  wayland().wl_proxy_marshal_flags(of, request, nullptr, wayland().wl_proxy_get_version(of), 0, arguments...);
}
void destroy(wl_proxy* proxy, uint32_t request) {
  wayland().wl_proxy_marshal_flags(proxy, request, nullptr, wayland().wl_proxy_get_version(proxy),
                                   WL_MARSHAL_FLAG_DESTROY);
}

/// "wl_proxy_add_listener": functions of all types, which libffi calls with the arguments that each has.
template <class Listener>
void listen(wl_proxy* proxy, const Listener& listener, void* data) {
  wayland().wl_proxy_add_listener(proxy, reinterpret_cast<void (**)()>(const_cast<Listener*>(&listener)), data);
}

wl_proxy* proxyOf(void* object) { return static_cast<wl_proxy*>(object); }

}  // namespace

bool connectionStands(wl_display* display) { return wayland().wl_display_get_error(display) == 0; }

/// wl_buffer.
class WaylandTarget::Buffer {
 public:
  /// \returns null where the system makes no shared memory, or where there is no memory.
  static std::unique_ptr<Buffer> make(wl_proxy* shm, uint32_t width, uint32_t height, wl_shm_format format) {
    const size_t bytes = size_t(width) * height * 4;
    const Fd fd = createSharedMemory("etzel-picture", bytes);
    std::byte* const memory = fd ? mapSharedMemory(fd.get(), bytes) : nullptr;
    if (!memory) return nullptr;
    std::unique_ptr<Buffer> b(new Buffer(memory, bytes, width, height));
    wl_proxy* const pool =
        icd::make(shm, WL_SHM_CREATE_POOL, wayland().wl_shm_pool, nullptr, fd.get(), static_cast<int32_t>(bytes));
    if (!pool) return nullptr;
    b->proxy_ = icd::make(pool, WL_SHM_POOL_CREATE_BUFFER, wayland().wl_buffer, nullptr, 0, static_cast<int32_t>(width),
                          static_cast<int32_t>(height), static_cast<int32_t>(width * 4), static_cast<uint32_t>(format));
    destroy(pool, WL_SHM_POOL_DESTROY);
    if (!b->proxy_) return nullptr;
    static constexpr wl_buffer_listener kListener = {
        [](void* buffer, wl_buffer*) { static_cast<Buffer*>(buffer)->busy = false; }};
    listen(b->proxy_, kListener, b.get());
    return b;
  }
  ~Buffer() {
    if (proxy_) destroy(proxy_, WL_BUFFER_DESTROY);
    munmap(memory_, bytes_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  wl_proxy* proxy() const { return proxy_; }
  std::byte* memory() const { return memory_; }
  uint32_t width() const { return width_; }
  uint32_t height() const { return height_; }
  bool hasSize(uint32_t width, uint32_t height) const { return width_ == width && height_ == height; }
  bool busy = false;  ///< the compositor may read it

 private:
  Buffer(std::byte* memory, size_t bytes, uint32_t width, uint32_t height)
      : memory_(memory), bytes_(bytes), width_(width), height_(height) {}
  wl_proxy* proxy_ = nullptr;
  std::byte* memory_;
  size_t bytes_;
  uint32_t width_, height_;
};

void WaylandTarget::announced(void* proxies, wl_proxy* registry, uint32_t name, const char* interface, uint32_t) {
  auto& p = *static_cast<Proxies*>(proxies);
  const wl_interface* const shm = wayland().wl_shm;
  if (p.shm || std::strcmp(interface, shm->name) != 0) return;
  constexpr uint32_t kVersion = 1;
  p.shm = wayland().wl_proxy_marshal_flags(registry, WL_REGISTRY_BIND, shm, kVersion, 0, name, shm->name, kVersion,
                                           nullptr);
}

WaylandTarget::WaylandTarget(wl_display* display, wl_surface* surface, bool opaque)
    : display_(display), surface_(proxyOf(surface)), opaque_(opaque) {
  proxies_.queue = wayland().wl_display_create_queue(display);
  wl_proxy* const wrapper = proxyOf(wayland().wl_proxy_create_wrapper(display));
  if (!proxies_.queue || !wrapper) return;
  wayland().wl_proxy_set_queue(wrapper, proxies_.queue);
  proxies_.registry = make(wrapper, WL_DISPLAY_GET_REGISTRY, wayland().wl_registry, nullptr);
  wayland().wl_proxy_wrapper_destroy(wrapper);
  if (!proxies_.registry) return;
  struct Listener {
    decltype(&announced) global;
    void (*removed)(void*, wl_proxy*, uint32_t);
  };
  static constexpr Listener kListener = {&announced, [](void*, wl_proxy*, uint32_t) {}};
  listen(proxies_.registry, kListener, &proxies_);
  wayland().wl_display_roundtrip_queue(display, proxies_.queue);
  static constexpr wl_shm_listener kFormats = {[](void*, wl_shm*, uint32_t) {}};  // both that are used always exist
  if (proxies_.shm) listen(proxies_.shm, kFormats, nullptr);
}

WaylandTarget::~WaylandTarget() {
  buffers_.clear();
  if (proxies_.shm) wayland().wl_proxy_destroy(proxies_.shm);
  if (proxies_.registry) wayland().wl_proxy_destroy(proxies_.registry);
  wayland().wl_display_flush(display_);
  if (proxies_.queue) wayland().wl_event_queue_destroy(proxies_.queue);
}

bool WaylandTarget::alive() const { return proxies_.shm && connectionStands(display_); }

/// Handles what the compositor said; where that is nothing, what it says within some time. \returns false when the
/// connection broke
bool WaylandTarget::takeEvents(int milliseconds) {
  const WaylandLibrary& w = wayland();
  if (w.wl_display_prepare_read_queue(display_, proxies_.queue) != 0)
    return w.wl_display_dispatch_queue_pending(display_, proxies_.queue) >= 0;
  w.wl_display_flush(display_);
  pollfd said{w.wl_display_get_fd(display_), POLLIN, 0};
  if (poll(&said, 1, milliseconds) <= 0) {
    w.wl_display_cancel_read(display_);
    return connectionStands(display_);
  }
  if (w.wl_display_read_events(display_) < 0) return false;
  return w.wl_display_dispatch_queue_pending(display_, proxies_.queue) >= 0;
}

/// Null: the compositor reads all that there may be, or there is no memory.
WaylandTarget::Buffer* WaylandTarget::freeBuffer(uint32_t width, uint32_t height) {
  constexpr size_t kMost = 4;
  std::erase_if(buffers_, [&](const auto& b) { return !b->busy && !b->hasSize(width, height); });
  for (const auto& b : buffers_)
    if (!b->busy) return b.get();
  if (buffers_.size() == kMost) return nullptr;
  auto made = Buffer::make(proxies_.shm, width, height, opaque_ ? WL_SHM_FORMAT_XRGB8888 : WL_SHM_FORMAT_ARGB8888);
  if (!made) return nullptr;
  buffers_.push_back(std::move(made));
  return buffers_.back().get();
}

std::byte* WaylandTarget::frame(uint32_t width, uint32_t height) {
  frame_ = nullptr;
  if (!alive() || !takeEvents(0)) return nullptr;
  frame_ = freeBuffer(width, height);
  // A compositor that shows nothing, behind a lock screen say, keeps what it has: no picture waits for that long.
  constexpr int kPatienceMs = 100;
  if (!frame_ && takeEvents(kPatienceMs)) frame_ = freeBuffer(width, height);
  return frame_ ? frame_->memory() : nullptr;
}

WindowSize WaylandTarget::put() {
  if (!frame_) return {0, 0, alive()};
  ask(surface_, WL_SURFACE_ATTACH, frame_->proxy(), 0, 0);
  const bool byBuffer = wayland().wl_proxy_get_version(surface_) >= WL_SURFACE_DAMAGE_BUFFER_SINCE_VERSION;
  ask(surface_, byBuffer ? WL_SURFACE_DAMAGE_BUFFER : WL_SURFACE_DAMAGE, 0, 0, INT32_MAX, INT32_MAX);
  ask(surface_, WL_SURFACE_COMMIT);
  frame_->busy = true;
  wayland().wl_display_flush(display_);  // what does not fit now goes with the next request
  return {frame_->width(), frame_->height(), connectionStands(display_)};
}

}  // namespace etzel::icd
