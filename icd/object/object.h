// Base of every API object: handles are pointers to these structs. Dispatchable ones start with the loader's word.
// Host memory for objects comes from the application's callbacks ("Memory Allocation").
#pragma once

#include <vulkan/vk_icd.h>
#include <vulkan/vulkan.h>

#include <exception>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "icd/vulkan_newer.h"

namespace etzel::icd {

struct Device;

/// What applications attach to an object: VK_EXT_debug_utils' name and private data by slot ("Private Data").
struct ObjectNotes {
  std::string debugName;
  std::map<uint64_t, uint64_t> privateData;  ///< slot number -> value
};

struct DispatchableObject {
  VK_LOADER_DATA loaderData{};  // must stay first: the loader writes its dispatch table here
  std::unique_ptr<ObjectNotes> notes;
  DispatchableObject() { set_loader_magic_value(&loaderData); }
};

/// Common part of non-dispatchable objects. Every object struct derives from it first, so that a handle of any type
/// is also a pointer to its Object.
struct Object {
  std::unique_ptr<ObjectNotes> notes;
};

/// handle <-> pointer. Every object struct says `using Handle = VkThing;`.
template <class T>
T* cast(typename T::Handle handle) {
  return reinterpret_cast<T*>((uintptr_t)handle);
}
template <class T>
typename T::Handle handleOf(T* object) {
  static_assert(!std::is_polymorphic_v<T>, "a pointer to virtual functions would come before the common part");
  return (typename T::Handle)(uintptr_t)object;
}

/// Allocates and constructs through `pAllocator`, or the parent's callbacks, or malloc. Null when out of memory.
void* allocateHost(const VkAllocationCallbacks* callbacks, size_t bytes, size_t alignment,
                   VkSystemAllocationScope scope);
void freeHost(const VkAllocationCallbacks* callbacks, void* memory);

template <class T, class... Args>
T* create(const VkAllocationCallbacks* callbacks, VkSystemAllocationScope scope, Args&&... args) {
  void* p = allocateHost(callbacks, sizeof(T), alignof(T), scope);
  try {
    return p ? new (p) T(std::forward<Args>(args)...) : nullptr;
  } catch (const std::exception&) {
    freeHost(callbacks, p);
    return nullptr;
  }
}
template <class T>
void destroy(const VkAllocationCallbacks* callbacks, T* object) {
  if (!object) return;
  object->~T();
  freeHost(callbacks, object);
}

/// An object that is still being filled: what throws meanwhile takes it along.
template <class T>
class Made {
 public:
  Made(const VkAllocationCallbacks* callbacks, T* object) : callbacks_(callbacks), object_(object) {}
  ~Made() { destroy(callbacks_, object_); }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  explicit operator bool() const { return object_; }
  T* operator->() const { return object_; }
  T* get() const { return object_; }
  T* release() { return std::exchange(object_, nullptr); }

 private:
  const VkAllocationCallbacks* callbacks_;
  T* object_;
};
/// create(), for objects whose filling may throw.
template <class T, class... Args>
Made<T> make(const VkAllocationCallbacks* callbacks, VkSystemAllocationScope scope, Args&&... args) {
  return {callbacks, create<T>(callbacks, scope, std::forward<Args>(args)...)};
}

/// The first structure of `type` in a pNext chain, or null.
template <class T>
const T* findNext(const void* chain, VkStructureType type) {
  for (auto* s = static_cast<const VkBaseInStructure*>(chain); s; s = s->pNext)
    if (s->sType == type) return reinterpret_cast<const T*>(s);
  return nullptr;
}

}  // namespace etzel::icd
