// Windows that vanish: presenting to one is an error of ours, and no X error reaches the application's handler. Needs
// an X server (the test "vanished_window" brings one); without a display there is nothing to test.
#include "icd/wsi/window.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "icd/wsi/x_library.h"

namespace etzel::icd {
namespace {

TEST(WindowTarget, AWindowThatVanishesIsNobodysError) {
  if (!std::getenv("DISPLAY")) GTEST_SKIP() << "no display";
  ASSERT_NE(xLibrary(), nullptr);
  // What only applications call.
  const auto function = [](const char* name) { return dlsym(dlopen("libxcb.so.1", RTLD_NOW), name); };
  const auto connect = reinterpret_cast<decltype(&xcb_connect)>(function("xcb_connect"));
  const auto createWindow = reinterpret_cast<decltype(&xcb_create_window)>(function("xcb_create_window"));
  const auto destroyWindow = reinterpret_cast<decltype(&xcb_destroy_window)>(function("xcb_destroy_window"));
  const auto pollForEvent = reinterpret_cast<decltype(&xcb_poll_for_event)>(function("xcb_poll_for_event"));
  const auto disconnect = reinterpret_cast<decltype(&xcb_disconnect)>(function("xcb_disconnect"));
  const XLibrary& x = *xLibrary();

  xcb_connection_t* c = connect(nullptr, nullptr);
  ASSERT_FALSE(x.xcb_connection_has_error(c));
  const xcb_screen_t& screen = *x.xcb_setup_roots_iterator(x.xcb_get_setup(c)).data;
  const xcb_window_t window = x.xcb_generate_id(c);
  createWindow(c, screen.root_depth, window, screen.root, 0, 0, 32, 32, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
               screen.root_visual, 0, nullptr);
  EXPECT_TRUE(windowSize(c, window).alive);
  {
    WindowTarget target(c, window);
    ASSERT_NE(target.frame(32, 32), nullptr);
    EXPECT_TRUE(target.put());
    destroyWindow(c, window);
    ASSERT_NE(target.frame(32, 32), nullptr);
    EXPECT_FALSE(target.put());
    EXPECT_FALSE(windowSize(c, window).alive);
    const WindowTarget afterwards(c, window);  // one that never was there
  }
  (void)windowSize(c, screen.root);  // everything before has been answered
  while (xcb_generic_event_t* event = pollForEvent(c)) {
    EXPECT_NE(event->response_type, 0) << "an X error, "
                                       << int(reinterpret_cast<xcb_generic_error_t*>(event)->error_code)
                                       << ", is the application's now";
    std::free(event);
  }
  disconnect(c);
}

TEST(WindowTarget, AConnectionThatNeverCameAboutHasNoVisuals) {
  if (!xLibrary()) GTEST_SKIP() << "no libxcb";
  void* const library = dlopen("libxcb.so.1", RTLD_NOW);
  const auto connect = reinterpret_cast<decltype(&xcb_connect)>(dlsym(library, "xcb_connect"));
  const auto disconnect = reinterpret_cast<decltype(&xcb_disconnect)>(dlsym(library, "xcb_disconnect"));
  xcb_connection_t* c = connect("no display", nullptr);
  ASSERT_NE(xLibrary()->xcb_connection_has_error(c), 0);
  EXPECT_FALSE(visualPresentable(c, 0));
  EXPECT_FALSE(windowSize(c, 0).alive);
  disconnect(c);
}

}  // namespace
}  // namespace etzel::icd
