#include "icd/wsi/window.h"

#include <fcntl.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>

#include "icd/wsi/x_library.h"

namespace etzel::icd {

namespace {

/// Replies of xcb are malloc'ed.
struct FreeReply {
  void operator()(void* p) const { std::free(p); }
};
template <class T>
using Reply = std::unique_ptr<T, FreeReply>;

/// Only called with a connection, which nobody has without libxcb.
const XLibrary& x() { return *xLibrary(); }

// The window may vanish at any time. Errors of unchecked requests go to the application's handler, and Xlib's own ends
// the process; so every request is a checked one.

/// Asks the server how a request went.
bool succeeded(xcb_connection_t* connection, xcb_void_cookie_t request) {
  const Reply<xcb_generic_error_t> error(x().xcb_request_check(connection, request));
  return !error && !x().xcb_connection_has_error(connection);
}
/// However it went, nobody is told.
void forget(xcb_connection_t* connection, xcb_void_cookie_t request) {
  x().xcb_discard_reply(connection, request.sequence);
}

bool serverHasShm(xcb_connection_t* connection) {
  if (!x().shm) return false;
  const xcb_query_extension_reply_t* extension = x().xcb_get_extension_data(connection, x().shm);
  return extension && extension->present;
}

/// Whether the server can be given descriptors of memory (MIT-SHM 1.2). Only sockets of this machine carry them.
bool serverMapsMemory(xcb_connection_t* connection) {
  sockaddr address{};
  socklen_t bytes = sizeof address;
  if (getsockname(x().xcb_get_file_descriptor(connection), &address, &bytes) != 0 || address.sa_family != AF_UNIX)
    return false;
  const Reply<xcb_shm_query_version_reply_t> version(
      x().xcb_shm_query_version_reply(connection, x().xcb_shm_query_version(connection), nullptr));
  return version && (version->major_version > 1 || (version->major_version == 1 && version->minor_version >= 2));
}

}  // namespace

struct WindowTarget::Shared {
  xcb_shm_seg_t segment = 0;
  std::byte* memory = nullptr;
  size_t bytes = 0;
};

WindowSize windowSize(xcb_connection_t* connection, xcb_window_t window) {
  Reply<xcb_get_geometry_reply_t> g(
      x().xcb_get_geometry_reply(connection, x().xcb_get_geometry(connection, window), nullptr));
  if (!g) return {};
  return {g->width, g->height, true};
}

bool visualPresentable(xcb_connection_t* connection, xcb_visualid_t visual) {
  const xcb_setup_t* setup = x().xcb_get_setup(connection);
  if (!setup) return false;  // a connection that never came about
  for (auto screen = x().xcb_setup_roots_iterator(setup); screen.rem; x().xcb_screen_next(&screen))
    for (auto depth = x().xcb_screen_allowed_depths_iterator(screen.data); depth.rem; x().xcb_depth_next(&depth))
      for (auto v = x().xcb_depth_visuals_iterator(depth.data); v.rem; x().xcb_visualtype_next(&v))
        if (v.data->visual_id == visual)
          return (depth.data->depth == 24 || depth.data->depth == 32) && v.data->blue_mask == 0xFF;
  return false;
}

WindowTarget::WindowTarget(xcb_connection_t* connection, xcb_window_t window)
    : connection_(connection), window_(window) {
  Reply<xcb_get_geometry_reply_t> g(
      x().xcb_get_geometry_reply(connection, x().xcb_get_geometry(connection, window), nullptr));
  if (g) depth_ = g->depth;
  context_ = x().xcb_generate_id(connection);
  const uint32_t noExposures = 0;
  forget(connection, x().xcb_create_gc_checked(connection, context_, window, XCB_GC_GRAPHICS_EXPOSURES, &noExposures));
  useShared_ = serverHasShm(connection);
  mapsMemory_ = useShared_ && serverMapsMemory(connection);
}

WindowTarget::~WindowTarget() {
  releaseShared();
  for (const Mapped& m : mapped_) forget(connection_, x().xcb_shm_detach_checked(connection_, m.segment));
  forget(connection_, x().xcb_free_gc_checked(connection_, context_));
  x().xcb_flush(connection_);
}

void WindowTarget::releaseShared() {
  if (!shared_) return;
  forget(connection_, x().xcb_shm_detach_checked(connection_, shared_->segment));
  shmdt(shared_->memory);
  shared_.reset();
}

/// Shared memory of that size, if the server takes it.
void WindowTarget::share(size_t bytes) {
  auto shared =
      std::make_unique<Shared>();  // before there is a segment, which would outlive a process that has no memory
  const int id = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
  if (id < 0) return;
  void* const memory = shmat(id, nullptr, 0);
  if (reinterpret_cast<intptr_t>(memory) != -1) {
    *shared = {x().xcb_generate_id(connection_), static_cast<std::byte*>(memory), bytes};
    if (succeeded(connection_, x().xcb_shm_attach_checked(connection_, shared->segment, uint32_t(id), 0)))
      shared_ = std::move(shared);
    else
      shmdt(memory);  // a remote server: it can't see our memory
  }
  shmctl(id, IPC_RMID, nullptr);  // lives until both sides detach
}

std::byte* WindowTarget::frame(uint32_t width, uint32_t height) {
  width_ = rowPixels_ = width;
  height_ = height;
  segment_ = offset_ = 0;
  const size_t bytes = size_t(width) * height * 4;
  if (useShared_ && (!shared_ || shared_->bytes < bytes)) {
    releaseShared();
    share(bytes);
    useShared_ = shared_ != nullptr;
  }
  if (shared_) {
    segment_ = shared_->segment;
    return shared_->memory;
  }
  plain_.resize(bytes);
  return plain_.data();
}

/// The segment that the server knows that memory as. 0: the server does not map it, nor any other then.
uint32_t WindowTarget::segmentOf(int memory) {
  for (const Mapped& m : mapped_)
    if (m.memory == memory) return m.segment;
  const int descriptor = fcntl(memory, F_DUPFD_CLOEXEC, 0);  // libxcb closes what it sends
  if (descriptor < 0) return 0;
  mapped_.reserve(mapped_.size() + 1);
  const xcb_shm_seg_t segment = x().xcb_generate_id(connection_);
  constexpr uint8_t kReadOnly = 1;
  mapsMemory_ = succeeded(connection_, x().xcb_shm_attach_fd_checked(connection_, segment, descriptor, kReadOnly));
  if (!mapsMemory_) return 0;
  mapped_.push_back({memory, segment});
  return segment;
}

bool WindowTarget::take(const SharedPicture& picture) {
  constexpr size_t kMostPixels = UINT16_MAX;
  if (!mapsMemory_ || picture.offset > UINT32_MAX || picture.rowBytes % 4 || picture.rowBytes / 4 > kMostPixels)
    return false;
  segment_ = segmentOf(picture.memory);
  if (!segment_) return false;
  width_ = picture.width;
  height_ = picture.height;
  offset_ = uint32_t(picture.offset);
  rowPixels_ = uint32_t(picture.rowBytes / 4);
  return true;
}

WindowSize WindowTarget::put() {
  const auto w = static_cast<uint16_t>(width_), h = static_cast<uint16_t>(height_);
  if (!segment_) return putPlain() ? windowSize(connection_, window_) : WindowSize{};
  const xcb_void_cookie_t shown =
      x().xcb_shm_put_image_checked(connection_, window_, context_, static_cast<uint16_t>(rowPixels_), h, 0, 0, w, h, 0,
                                    0, depth_, XCB_IMAGE_FORMAT_Z_PIXMAP, 0, segment_, offset_);
  // The server reads the segment when it handles the request. An answer to what it was asked afterwards says that it
  // did, before the frame is written to again, and there is one answer to wait for.
  const WindowSize size = windowSize(connection_, window_);
  return succeeded(connection_, shown) ? size : WindowSize{};
}

/// Through the socket. \returns false when the window is gone or the connection broke
bool WindowTarget::putPlain() {
  const auto w = static_cast<uint16_t>(width_);
  // Requests have a size limit: send bands of rows.
  const size_t limit = size_t(x().xcb_get_maximum_request_length(connection_)) * 4 - 64;
  const uint32_t rows = static_cast<uint32_t>(std::max<size_t>(1, limit / (size_t(width_) * 4)));
  for (uint32_t y = 0; y < height_; y += rows) {
    const uint32_t n = std::min(rows, height_ - y);
    const xcb_void_cookie_t band =
        x().xcb_put_image_checked(connection_, XCB_IMAGE_FORMAT_Z_PIXMAP, window_, context_, w,
                                  static_cast<uint16_t>(n), 0, static_cast<int16_t>(y), 0, depth_, n * width_ * 4,
                                  reinterpret_cast<const uint8_t*>(plain_.data()) + size_t(y) * width_ * 4);
    if (!succeeded(connection_, band)) return false;
  }
  return true;
}

}  // namespace etzel::icd
