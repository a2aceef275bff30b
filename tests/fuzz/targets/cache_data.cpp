#include "tests/fuzz/targets/cache_data.h"

#include <cstring>

#include "tests/fuzz/core/raw.h"

namespace etzel::fuzz {
namespace {

constexpr size_t kStandardBytes = 32;
struct Counts {
  uint32_t entryCount, codeCount;
  uint64_t entryBytes, checksum;
};

}  // namespace

std::optional<CacheData> takeApart(std::span<const uint8_t> data) {
  Counts counts;
  if (data.size() < kStandardBytes + sizeof counts) return std::nullopt;
  CacheData result;
  result.standardHeader.assign(data.begin(), data.begin() + kStandardBytes);
  std::memcpy(&counts, data.data() + kStandardBytes, sizeof counts);
  data = data.subspan(kStandardBytes + sizeof counts);
  if (counts.entryBytes > data.size()) return std::nullopt;
  const std::span<const uint8_t> code = data.subspan(counts.entryBytes);
  data = data.first(counts.entryBytes);
  if (digest(data) != counts.checksum) return std::nullopt;
  result.codeCount = counts.codeCount;
  result.code.assign(code.begin(), code.end());
  for (uint32_t i = 0; i < counts.entryCount; ++i) {
    CacheEntry entry;
    uint64_t bytes;
    if (data.size() < entry.key.size() + sizeof bytes) return std::nullopt;
    std::memcpy(entry.key.data(), data.data(), entry.key.size());
    std::memcpy(&bytes, data.data() + entry.key.size(), sizeof bytes);
    data = data.subspan(entry.key.size() + sizeof bytes);
    if (data.size() < bytes) return std::nullopt;
    entry.container.assign(data.begin(), data.begin() + ptrdiff_t(bytes));
    data = data.subspan(bytes);
    result.entries.push_back(std::move(entry));
  }
  return result;
}

Bytes putTogether(const CacheData& data) {
  Bytes entries;
  const auto append = [](Bytes& to, const void* from, size_t count) {
    const auto* p = static_cast<const uint8_t*>(from);
    to.insert(to.end(), p, p + count);
  };
  for (const CacheEntry& entry : data.entries) {
    const uint64_t bytes = entry.container.size();
    append(entries, entry.key.data(), entry.key.size());
    append(entries, &bytes, sizeof bytes);
    append(entries, entry.container.data(), entry.container.size());
  }
  const Counts counts{uint32_t(data.entries.size()), data.codeCount, entries.size(), digest(entries)};
  Bytes all = data.standardHeader;
  append(all, &counts, sizeof counts);
  append(all, entries.data(), entries.size());
  append(all, data.code.data(), data.code.size());
  return all;
}

}  // namespace etzel::fuzz
