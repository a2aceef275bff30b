// Pipeline cache data as icd/pipeline writes them, taken apart and put together again with sizes and
// checksums that are right.
#pragma once

#include <array>
#include <optional>

#include "tests/fuzz/core/target.h"

namespace etzel::fuzz {

struct CacheEntry {
  std::array<uint8_t, 16> key;
  Bytes container;
};
struct CacheData {
  Bytes standardHeader;  ///< VkPipelineCacheHeaderVersionOne
  std::vector<CacheEntry> entries;
  uint32_t codeCount = 0;
  Bytes code;  ///< what comes behind the entries: machine code, as it is
};

/// Nothing when sizes or the checksum are wrong.
std::optional<CacheData> takeApart(std::span<const uint8_t> data);
Bytes putTogether(const CacheData& data);

}  // namespace etzel::fuzz
