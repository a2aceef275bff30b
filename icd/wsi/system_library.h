// Libraries of the system that the driver does without where they are missing.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <new>

#include "runtime/base/room.h"

namespace etzel::icd {

/// Before libraries of so many bytes are opened: what dlopen cannot map it calls missing, and that would hold for good.
/// Throws std::bad_alloc; thrown through an initializer, the next call tries again.
inline void needRoomForLibraries(size_t bytes) {
  if (!systemHasRoomFor(bytes)) throw std::bad_alloc();
}

/// Stays open: connections of the application outlive the driver's objects.
class SystemLibrary {
 public:
  explicit SystemLibrary(const char* name) : handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {}
  explicit operator bool() const { return handle_ != nullptr; }
  /// The address of a function or variable, null where it or the library is missing. \returns whether it is there
  template <class T>
  bool find(const char* name, T*& address) const {
    address = handle_ ? reinterpret_cast<T*>(dlsym(handle_, name)) : nullptr;
    return address != nullptr;
  }

 private:
  void* handle_;
};

}  // namespace etzel::icd
