#include "icd/wsi/window_systems.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace etzel::icd {
namespace {

constexpr const char* kExtensions[] = {"VK_KHR_xcb_surface", "VK_KHR_xlib_surface", "VK_KHR_wayland_surface",
                                       "VK_KHR_surface"};

bool isOpen(const char* library) { return dlopen(library, RTLD_LAZY | RTLD_NOLOAD) != nullptr; }

TEST(WindowSystems, WhatIsOfferedIsThere) {
  for (const char* extension : kExtensions)
    EXPECT_EQ(windowSystemOffered(extension), windowSystemPresent(extension)) << extension;
}

/// In a process of its own, where nobody has opened one before.
TEST(WindowSystemsDeathTest, ListsOpenNoLibraryOfX) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  if (isOpen("libxcb.so.1")) GTEST_SKIP() << "the test program itself needs it";
  EXPECT_EXIT(
      {
        for (const char* extension : kExtensions) (void)windowSystemOffered(extension);
        std::_Exit(isOpen("libxcb.so.1") || isOpen("libX11-xcb.so.1"));
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace etzel::icd
