// Preloaded into a program that presents nothing: has RenderDoc's layer capture everything from the creation of the
// device to its destruction, as one frame, into RENDERDOC_CAPTURE (renderdoc_test.py).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <vulkan/vulkan.h>

// RENDERDOC_API_1_0_0 is an array of function pointers; these are their places (RenderDoc's renderdoc_app.h).
enum { kVersion = 10000, kSetCaptureFilePathTemplate = 11, kStartFrameCapture = 19, kEndFrameCapture = 21 };

static void** api(void) {
  static void** functions;
  void* const layer = dlopen("librenderdoc.so", RTLD_NOW | RTLD_NOLOAD);
  if (!functions && layer) {
    int (*const get)(int, void**) = (int (*)(int, void**))dlsym(layer, "RENDERDOC_GetAPI");
    if (get) get(kVersion, (void**)&functions);
  }
  return functions;
}

VkResult vkCreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info, const VkAllocationCallbacks* allocator,
                        VkDevice* device) {
  const VkResult result = ((PFN_vkCreateDevice)dlsym(RTLD_NEXT, "vkCreateDevice"))(physical, info, allocator, device);
  if (!api()) return result;
  ((void (*)(const char*))api()[kSetCaptureFilePathTemplate])(getenv("RENDERDOC_CAPTURE"));
  ((void (*)(void*, void*))api()[kStartFrameCapture])(NULL, NULL);
  return result;
}

void vkDestroyDevice(VkDevice device, const VkAllocationCallbacks* allocator) {
  if (api()) ((uint32_t(*)(void*, void*))api()[kEndFrameCapture])(NULL, NULL);
  ((PFN_vkDestroyDevice)dlsym(RTLD_NEXT, "vkDestroyDevice"))(device, allocator);
}
