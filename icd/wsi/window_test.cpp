// Windows: what they show, and that vanish: presenting to one is an error of ours, and no X error reaches the
// application's handler. Needs an X server (the test "vanished_window" brings one); without a display there is nothing
// to test.
#include "icd/wsi/window.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "icd/object/shared_memory.h"
#include "icd/wsi/x_library.h"

namespace etzel::icd {
namespace {

/// What only applications call.
#define ETZEL_XCB(name) reinterpret_cast<decltype(&name)>(dlsym(dlopen("libxcb.so.1", RTLD_NOW), #name))

/// An application: a connection, and a window of 32 by 32 pixels that is seen.
class WindowTargetTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::getenv("DISPLAY")) GTEST_SKIP() << "no display";
    ASSERT_NE(xLibrary(), nullptr);
    c = ETZEL_XCB(xcb_connect)(nullptr, nullptr);
    ASSERT_FALSE(x().xcb_connection_has_error(c)) << "the X server hangs up";
    screen = x().xcb_setup_roots_iterator(x().xcb_get_setup(c)).data;
    window = x().xcb_generate_id(c);
    constexpr uint32_t noWindowManager = 1;
    ETZEL_XCB(xcb_create_window)
    (c, screen->root_depth, window, screen->root, 0, 0, kSize, kSize, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
     screen->root_visual, XCB_CW_OVERRIDE_REDIRECT, &noWindowManager);
    ETZEL_XCB(xcb_map_window)(c, window);
  }
  void TearDown() override {
    if (!c) return;
    if (screen) (void)windowSize(c, screen->root);  // everything before has been answered
    while (xcb_generic_event_t* event = ETZEL_XCB(xcb_poll_for_event)(c)) {
      EXPECT_NE(event->response_type, 0) << "an X error, "
                                         << int(reinterpret_cast<xcb_generic_error_t*>(event)->error_code)
                                         << ", is the application's now";
      std::free(event);
    }
    ETZEL_XCB(xcb_disconnect)(c);
  }
  const XLibrary& x() { return *xLibrary(); }
  /// The window's pixels.
  std::vector<uint32_t> seen() {
    xcb_get_image_reply_t* const reply = ETZEL_XCB(xcb_get_image_reply)(
        c, ETZEL_XCB(xcb_get_image)(c, XCB_IMAGE_FORMAT_Z_PIXMAP, window, 0, 0, kSize, kSize, ~0u), nullptr);
    if (!reply) return {};
    std::vector<uint32_t> pixels(kSize * kSize);
    std::memcpy(pixels.data(), ETZEL_XCB(xcb_get_image_data)(reply), pixels.size() * 4);
    std::free(reply);
    for (uint32_t& p : pixels) p &= 0xFFFFFF;  // of the rest a window of 24 bits has none
    return pixels;
  }

  static constexpr uint32_t kSize = 32;
  xcb_connection_t* c = nullptr;
  const xcb_screen_t* screen = nullptr;
  xcb_window_t window = 0;
};

TEST_F(WindowTargetTest, AWindowThatVanishesIsNobodysError) {
  EXPECT_TRUE(windowSize(c, window).alive);
  WindowTarget target(c, window);
  ASSERT_NE(target.frame(kSize, kSize), nullptr);
  EXPECT_TRUE(target.put().alive);
  ETZEL_XCB(xcb_destroy_window)(c, window);
  ASSERT_NE(target.frame(kSize, kSize), nullptr);
  EXPECT_FALSE(target.put().alive);
  EXPECT_FALSE(windowSize(c, window).alive);
  const WindowTarget afterwards(c, window);  // one that never was there
}

TEST_F(WindowTargetTest, PicturesAreShownFromWhereTheyLie) {
  constexpr size_t kOffset = 64, kRowPixels = kSize + 4;
  const size_t bytes = kOffset + kRowPixels * kSize * 4;
  const Fd memory = createSharedMemory("etzel-test", bytes);
  ASSERT_TRUE(memory);
  std::byte* const mapped = mapSharedMemory(memory.get(), bytes);
  ASSERT_NE(mapped, nullptr);
  WindowTarget target(c, window);
  for (uint32_t round = 0; round < 2; ++round) {
    std::vector<uint32_t> pixels(kSize * kSize);
    for (uint32_t i = 0; i < pixels.size(); ++i) {
      pixels[i] = (i * 0x10305 + round) & 0xFFFFFF;
      std::memcpy(mapped + kOffset + (i / kSize * kRowPixels + i % kSize) * 4, &pixels[i], 4);
    }
    ASSERT_TRUE(target.take({memory.get(), kOffset, kRowPixels * 4, kSize, kSize}));
    const WindowSize size = target.put();
    EXPECT_TRUE(size.alive);
    EXPECT_EQ(size.width, kSize);
    EXPECT_EQ(size.height, kSize);
    std::memset(mapped, 0xFF, bytes);  // nobody reads it any more
    EXPECT_EQ(seen(), pixels);
  }
  munmap(mapped, bytes);
}

TEST_F(WindowTargetTest, WhatTheServerCannotMapIsCopied) {
  WindowTarget target(c, window);
  const Fd nothing(memfd_create("etzel-test", MFD_CLOEXEC));  // of no bytes
  EXPECT_FALSE(target.take({nothing.get(), 0, kSize * 4, kSize, kSize}));
  std::byte* const frame = target.frame(kSize, kSize);
  ASSERT_NE(frame, nullptr);
  std::memset(frame, 0x5A, kSize * kSize * 4);
  EXPECT_TRUE(target.put().alive);
  EXPECT_EQ(seen(), std::vector<uint32_t>(kSize * kSize, 0x5A5A5A));
}

TEST(WindowTarget, AConnectionThatNeverCameAboutHasNoVisuals) {
  if (!xLibrary()) GTEST_SKIP() << "no libxcb";
  xcb_connection_t* c = ETZEL_XCB(xcb_connect)("no display", nullptr);
  ASSERT_NE(xLibrary()->xcb_connection_has_error(c), 0);
  EXPECT_FALSE(visualPresentable(c, 0));
  EXPECT_FALSE(windowSize(c, 0).alive);
  ETZEL_XCB(xcb_disconnect)(c);
}

}  // namespace
}  // namespace etzel::icd
