// Pictures on their way to a compositor of our own.
#include "icd/wsi/wayland_window.h"

#include <gtest/gtest.h>
#include <wayland-client.h>

#include <cstring>
#include <utility>

#include "icd/wsi/test_compositor.h"
#include "icd/wsi/wayland_library.h"

namespace etzel::icd {
namespace {

/// An application with a surface.
struct Client {
  explicit Client(int fd) : display(wl_display_connect_to_fd(fd)) {
    static constexpr wl_registry_listener kListener = {
        [](void* self, wl_registry* registry, uint32_t name, const char* interface, uint32_t) {
          if (std::strcmp(interface, wl_compositor_interface.name) == 0)
            static_cast<Client*>(self)->compositor =
                static_cast<wl_compositor*>(wl_registry_bind(registry, name, &wl_compositor_interface, 4));
        },
        [](void*, wl_registry*, uint32_t) {}};
    registry = wl_display_get_registry(display);
    wl_registry_add_listener(registry, &kListener, this);
    wl_display_roundtrip(display);
    surface = wl_compositor_create_surface(compositor);
  }
  ~Client() {
    wl_surface_destroy(surface);
    wl_compositor_destroy(compositor);
    wl_registry_destroy(registry);
    wl_display_disconnect(display);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  wl_display* display;
  wl_registry* registry = nullptr;
  wl_compositor* compositor = nullptr;
  wl_surface* surface = nullptr;
};

/// Shows a frame of bytes that count from `first` on. \returns whether there was memory for one, and it went
bool show(WaylandTarget& target, uint32_t width, uint32_t height, int first) {
  std::byte* const frame = target.frame(width, height);
  if (!frame) return false;
  for (uint32_t i = 0; i < width * height * 4; ++i) frame[i] = std::byte(first + int(i));
  return target.put().alive;
}

class WaylandWindow : public testing::Test {
 protected:
  void SetUp() override {
    if (!waylandLibrary()) GTEST_SKIP() << "no libwayland-client";
  }
};

TEST_F(WaylandWindow, PicturesArriveAsTheyWereDrawn) {
  for (const bool opaque : {true, false}) {
    test::Compositor compositor;
    const Client client(compositor.clientFd);
    WaylandTarget target(client.display, client.surface, opaque);
    ASSERT_TRUE(target.alive());
    constexpr std::pair<uint32_t, uint32_t> sizes[] = {{5, 3}, {5, 3}, {64, 2}};
    for (size_t i = 0; i < std::size(sizes); ++i) {
      const auto [width, height] = sizes[i];
      ASSERT_TRUE(show(target, width, height, int(i)));
      const test::CommittedPicture seen = compositor.afterCommits(i + 1);
      EXPECT_EQ(seen.width, int32_t(width));
      EXPECT_EQ(seen.height, int32_t(height));
      EXPECT_EQ(seen.format, opaque ? uint32_t(WL_SHM_FORMAT_XRGB8888) : uint32_t(WL_SHM_FORMAT_ARGB8888));
      ASSERT_EQ(seen.bytes.size(), size_t(width) * height * 4);
      for (size_t b = 0; b < seen.bytes.size(); ++b) ASSERT_EQ(seen.bytes[b], std::byte(i + b));
    }
  }
}

TEST_F(WaylandWindow, WhatTheCompositorReadsIsNotDrawnTo) {
  test::Compositor compositor;
  const Client client(compositor.clientFd);
  WaylandTarget target(client.display, client.surface, true);
  compositor.keeps = true;
  size_t shown = 0;
  while (shown < 10 && show(target, 4, 4, int(shown))) ++shown;
  EXPECT_GE(shown, 2u);
  ASSERT_LT(shown, 10u) << "drawn to a buffer that was never given back";
  EXPECT_TRUE(target.alive());
  EXPECT_TRUE(target.put().alive);  // nothing
  EXPECT_EQ(compositor.afterCommits(shown).bytes[0], std::byte(shown - 1));
  compositor.releaseKept();
  EXPECT_TRUE(show(target, 4, 4, 99));
  EXPECT_EQ(compositor.afterCommits(shown + 1).bytes[0], std::byte(99));
}

TEST_F(WaylandWindow, AConnectionThatBreaksIsTold) {
  test::Compositor compositor;
  const Client client(compositor.clientFd);
  WaylandTarget target(client.display, client.surface, true);
  ASSERT_TRUE(show(target, 4, 4, 0));
  compositor.disconnect();
  bool alive = true;
  for (int i = 0; i < 100 && alive; ++i) {
    show(target, 4, 4, i);
    alive = target.alive();
  }
  EXPECT_FALSE(alive);
  EXPECT_FALSE(target.put().alive);
  EXPECT_FALSE(connectionStands(client.display));
}

}  // namespace
}  // namespace etzel::icd
