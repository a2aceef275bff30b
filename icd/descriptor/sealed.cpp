#include "icd/descriptor/sealed.h"

#include <sys/random.h>

#include <chrono>
#include <cstring>

#include "icd/descriptor/descriptors.h"
#include "runtime/base/sip_hash.h"

namespace etzel::icd {
namespace {

enum Kind : uint64_t { kNull, kBufferSlot, kImageSlot, kInputSlot };

SipKey freshKey() {
  SipKey key;
  if (getrandom(&key, sizeof key, 0) == ssize_t(sizeof key)) return key;
  // A sandbox without the call: what is hard to guess all the same.
  key.k0 = uint64_t(std::chrono::steady_clock::now().time_since_epoch().count());
  key.k1 = reinterpret_cast<uintptr_t>(&key) ^ uint64_t(std::chrono::system_clock::now().time_since_epoch().count());
  return key;
}

uint64_t sealOf(const SealedDescriptor& d) {
  static const SipKey key = freshKey();
  return sipHash13(key, d.word);
}

SealedDescriptor seal(uint64_t first, uint64_t second, Kind kind) {
  if (!first && !second) return {};
  SealedDescriptor sealed{{first, second, kind}, 0};
  sealed.seal = sealOf(sealed);
  return sealed;
}

}  // namespace

SealedDescriptor seal(const abi::BufferDescriptor& slot) { return seal(slot.address, slot.size, kBufferSlot); }

SealedDescriptor seal(const abi::ImageDescriptor& slot) {
  return seal(reinterpret_cast<uintptr_t>(slot.view), reinterpret_cast<uintptr_t>(slot.sampler),
              isInputSlot(slot) ? kInputSlot : kImageSlot);
}

void unseal(const SealedDescriptor& from, std::byte* to) {
  std::memset(to, 0, abi::kDescriptorBytes);
  if (from.word[2] == kNull || from.seal != sealOf(from)) return;
  if (from.word[2] == kBufferSlot) {
    const abi::BufferDescriptor slot{from.word[0], from.word[1], {}};
    std::memcpy(to, &slot, sizeof slot);
  } else {
    abi::ImageDescriptor slot{.view = reinterpret_cast<const tex::ImageView*>(from.word[0]),
                              .sampler = reinterpret_cast<const tex::Sampler*>(from.word[1])};
    markSlot(slot, from.word[2] == kInputSlot);
    std::memcpy(to, &slot, sizeof slot);
  }
}

}  // namespace etzel::icd
