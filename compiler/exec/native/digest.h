// Digests of bytes that may come from an enemy: BLAKE3, LLVM's implementation, so a build without LLVM has none. Needs
// none of LLVM's static initializers. Pure, any thread.
#pragma once

#include <array>
#include <span>
#include <type_traits>

#include "runtime/base/types.h"

namespace etzel::native {

/// 256 bits: no two inputs with the same one can be found, and with a secret key nobody else makes any.
using Digest = std::array<std::byte, 32>;

class Hasher {
 public:
  static bool available();

  /// With a key: a message authentication code.
  /// \pre available()
  explicit Hasher(const Digest* key = nullptr);

  void bytes(const void* data, size_t count);
  /// Plain data without padding.
  template <class T>
  void value(const T& v) {
    static_assert(std::has_unique_object_representations_v<T>);
    bytes(&v, sizeof v);
  }
  /// Bytes with their number before them, so that what follows is not taken for a part of them.
  void block(std::span<const std::byte> data) {
    value<uint64_t>(data.size());
    bytes(data.data(), data.size());
  }
  Digest finish() const;

 private:
  static constexpr size_t kStateBytes = 1912;
  alignas(16) std::byte state_[kStateBytes];
};

}  // namespace etzel::native
