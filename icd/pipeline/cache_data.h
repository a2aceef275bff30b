// VkPipelineCache data ("Pipeline Cache Header"): the standard header, then every kernel's key and program as a
// container (compiler/isa/container.h), then the optimized code of those that have some. Data that does not check out
// is ignored, as the specification asks. What does may still be forged: an application may get its data from anywhere,
// and a checksum is soon made. So programs from data are verified and never leave the cache that they were loaded into.
// Machine code cannot be verified, and running what somebody else wrote would give them the process; it is taken only
// with a seal that this user's own drivers alone can make (DiskCache::seal).
#pragma once

#include "icd/pipeline/disk_cache.h"
#include "icd/pipeline/kernel_cache.h"

namespace etzel::icd {

struct CacheDataHeader {
  VkPipelineCacheHeaderVersionOne standard;
  uint32_t entryCount;
  uint32_t codeCount;
  uint64_t entryBytes;
  uint64_t checksum;  ///< of the entries; code has seals
};

/// Adds what `data` hold to a cache that nobody else uses yet. `disk` seals code; null: no code is taken.
void loadData(PipelineCache& cache, std::span<const std::byte> data, DiskCache* disk);

struct CacheData {
  std::vector<std::byte> bytes;  ///< empty where not even the header has room
  bool isWhole;                  ///< all programs are there
};
/// As many kernels as have place in `room` bytes, then as much of their code. (Code may have come between an
/// application's asking for the size and for the data, and must not push programs out.) Requires the cache's lock.
CacheData saveData(const PipelineCache& cache, size_t room, DiskCache* disk);

}  // namespace etzel::icd
