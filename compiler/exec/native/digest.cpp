#include "compiler/exec/native/digest.h"

#include <llvm-c/blake3.h>

#include <new>

namespace etzel::native {
namespace {

llvm_blake3_hasher* stateOf(std::byte* bytes) { return std::launder(reinterpret_cast<llvm_blake3_hasher*>(bytes)); }

}  // namespace

bool Hasher::available() { return true; }

Hasher::Hasher(const Digest* key) {
  static_assert(sizeof(llvm_blake3_hasher) <= kStateBytes && alignof(llvm_blake3_hasher) <= 16);
  auto* state = new (state_) llvm_blake3_hasher;
  if (key)
    llvm_blake3_hasher_init_keyed(state, reinterpret_cast<const uint8_t*>(key->data()));
  else
    llvm_blake3_hasher_init(state);
}

void Hasher::bytes(const void* data, size_t count) { llvm_blake3_hasher_update(stateOf(state_), data, count); }

Digest Hasher::finish() const {
  Digest d;
  llvm_blake3_hasher_finalize(std::launder(reinterpret_cast<const llvm_blake3_hasher*>(state_)),
                              reinterpret_cast<uint8_t*>(d.data()), d.size());
  return d;
}

}  // namespace etzel::native
