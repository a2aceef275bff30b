#include "icd/pipeline/cache_entry.h"

#include <cstring>

namespace etzel::icd {
namespace {

struct Header {
  uint32_t magic, version;
  uint64_t programBytes, codeBytes;
  native::Digest key;
  native::Digest sum;  ///< of the header with zeros here, and of all behind it
};
constexpr uint32_t kMagic = 0x435A5445;  // "ETZC" read as bytes
constexpr uint32_t kVersion = 1;

native::Digest sumOf(Header header, std::span<const std::byte> body) {
  header.sum = {};
  native::Hasher h;
  h.value(header);
  h.block(body);
  return h.finish();
}

}  // namespace

std::vector<std::byte> writeEntry(const CacheEntry& entry, const native::Digest& key) {
  std::vector<std::byte> bytes(sizeof(Header));
  bytes.reserve(sizeof(Header) + entry.program.size() + entry.code.size());
  bytes.insert(bytes.end(), entry.program.begin(), entry.program.end());
  bytes.insert(bytes.end(), entry.code.begin(), entry.code.end());
  Header header{kMagic, kVersion, entry.program.size(), entry.code.size(), key, {}};
  header.sum = sumOf(header, std::span(bytes).subspan(sizeof header));
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

std::optional<CacheEntry> readEntry(std::span<const std::byte> bytes, const native::Digest& key) {
  Header header;
  if (bytes.size() < sizeof header) return {};
  std::memcpy(&header, bytes.data(), sizeof header);
  const std::span<const std::byte> body = bytes.subspan(sizeof header);
  if (header.magic != kMagic || header.version != kVersion || header.key != key || header.programBytes > body.size() ||
      header.codeBytes != body.size() - header.programBytes || header.sum != sumOf(header, body))
    return {};
  return CacheEntry{body.first(header.programBytes), body.subspan(header.programBytes)};
}

}  // namespace etzel::icd
