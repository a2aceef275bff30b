// One file of the cache on disk (disk_cache.h): a header, the program as a container, the code. Pure, any thread.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "compiler/exec/native/digest.h"

namespace etzel::icd {

struct CacheEntry {
  std::span<const std::byte> program;
  std::span<const std::byte> code;  ///< may be empty
};

std::vector<std::byte> writeEntry(const CacheEntry& entry, const native::Digest& key);

/// The parts of `bytes`, which must outlive them. Nothing where they are not, to the bit, what was written for this
/// key.
std::optional<CacheEntry> readEntry(std::span<const std::byte> bytes, const native::Digest& key);

}  // namespace etzel::icd
