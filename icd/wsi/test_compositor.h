// A Wayland compositor for tests: one client, at the other end of a pair of sockets, whose surfaces' pictures it copies
// when they are committed. It gives buffers back at once, or keeps them.
#pragma once

#include <sys/socket.h>
#include <wayland-server-core.h>
#include <wayland-server-protocol.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

namespace etzel::icd::test {

struct CommittedPicture {
  int32_t width = 0, height = 0;
  uint32_t format = 0;  ///< wl_shm's
  std::vector<std::byte> bytes;
};

class Compositor {
 public:
  Compositor() {
    wl_display_init_shm(display_);
    wl_global_create(display_, &wl_compositor_interface, 4, this, bindCompositor);
    int ends[2];
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
    client_ = wl_client_create(display_, ends[0]);
    clientFd = ends[1];
    thread_ = std::thread([this] { serve(); });
  }
  ~Compositor() {
    stopping_ = true;
    thread_.join();
    wl_display_destroy_clients(display_);
    wl_display_destroy(display_);
  }
  Compositor(const Compositor&) = delete;
  Compositor& operator=(const Compositor&) = delete;

  int clientFd = -1;  ///< the client's end, which it closes
  std::atomic<bool> keeps = false;

  /// Waits for that many commits since the beginning. \returns the last one's picture
  CommittedPicture afterCommits(size_t count) {
    for (;;) {
      const std::lock_guard lock(mutex_);
      if (commits_ >= count) return last_;
      std::this_thread::yield();
    }
  }
  void releaseKept() {
    const std::lock_guard lock(mutex_);
    for (wl_resource* buffer : kept_) wl_buffer_send_release(buffer);
    kept_.clear();
  }
  void disconnect() {
    const std::lock_guard lock(mutex_);
    wl_client_destroy(client_);
  }

 private:
  void serve() {
    while (!stopping_) {
      {
        const std::lock_guard lock(mutex_);
        wl_event_loop_dispatch(wl_display_get_event_loop(display_), 0);
        wl_display_flush_clients(display_);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  void commit() {
    wl_shm_buffer* const pixels = wl_shm_buffer_get(attached_);
    wl_shm_buffer_begin_access(pixels);
    last_ = {wl_shm_buffer_get_width(pixels), wl_shm_buffer_get_height(pixels), wl_shm_buffer_get_format(pixels), {}};
    last_.bytes.resize(size_t(wl_shm_buffer_get_stride(pixels)) * size_t(last_.height));
    std::memcpy(last_.bytes.data(), wl_shm_buffer_get_data(pixels), last_.bytes.size());
    wl_shm_buffer_end_access(pixels);
    ++commits_;
    if (keeps)
      kept_.push_back(attached_);
    else
      wl_buffer_send_release(attached_);
  }
  static Compositor& of(wl_resource* resource) {
    return *static_cast<Compositor*>(wl_resource_get_user_data(resource));
  }

  static void bindCompositor(wl_client* client, void* self, uint32_t version, uint32_t id) {
    static constexpr struct wl_compositor_interface kRequests = {createSurface, nullptr};
    wl_resource* const made = wl_resource_create(client, &wl_compositor_interface, int(version), id);
    wl_resource_set_implementation(made, &kRequests, self, nullptr);
  }
  static void createSurface(wl_client* client, wl_resource* compositor, uint32_t id) {
    static constexpr struct wl_surface_interface kRequests = {
        .destroy = [](wl_client*, wl_resource* r) { wl_resource_destroy(r); },
        .attach = [](wl_client*, wl_resource* r, wl_resource* buffer, int32_t, int32_t) { of(r).attached_ = buffer; },
        .damage = [](wl_client*, wl_resource*, int32_t, int32_t, int32_t, int32_t) {},
        .frame = nullptr,
        .set_opaque_region = nullptr,
        .set_input_region = nullptr,
        .commit = [](wl_client*, wl_resource* r) { of(r).commit(); },
        .set_buffer_transform = nullptr,
        .set_buffer_scale = nullptr,
        .damage_buffer = [](wl_client*, wl_resource*, int32_t, int32_t, int32_t, int32_t) {},
        .offset = nullptr};
    wl_resource* const made =
        wl_resource_create(client, &wl_surface_interface, wl_resource_get_version(compositor), id);
    wl_resource_set_implementation(made, &kRequests, &of(compositor), nullptr);
  }

  wl_display* display_ = wl_display_create();
  wl_client* client_ = nullptr;
  std::mutex mutex_;  ///< of the display and of all below
  wl_resource* attached_ = nullptr;
  std::vector<wl_resource*> kept_;
  CommittedPicture last_;
  size_t commits_ = 0;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace etzel::icd::test
