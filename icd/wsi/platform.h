// The window systems' Vulkan declarations without Xlib's macros (None, Bool, Status, ...), which clash with ours.
#pragma once

#include <xcb/xcb.h>

extern "C" {
struct _XDisplay;
struct wl_display;
struct wl_surface;
typedef struct _XDisplay Display;
typedef unsigned long Window;
typedef unsigned long VisualID;
}

#include <vulkan/vulkan_core.h>
#include <vulkan/vulkan_wayland.h>
#include <vulkan/vulkan_xcb.h>
#include <vulkan/vulkan_xlib.h>
