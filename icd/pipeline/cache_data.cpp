#include "icd/pipeline/cache_data.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "compiler/exec/tiers/tiers.h"
#include "compiler/isa/container.h"
#include "icd/entry_points.h"
#include "icd/physical_device/host.h"

namespace etzel::icd {
namespace {

/// Before each program.
struct Entry {
  KernelKey key;
  uint64_t bytes;       ///< of the container that follows
  uint64_t codeBytes;   ///< of the code behind it; 0: none
  native::Digest seal;  ///< of key, container and code; zeros without code
};

/// A kernel as data.
struct Part {
  KernelKey key;
  std::vector<std::byte> program, code;
  native::Digest seal{};
};

VkPipelineCacheHeaderVersionOne standardHeader() {
  VkPhysicalDeviceProperties p;
  GetPhysicalDeviceProperties(VK_NULL_HANDLE, &p);
  VkPipelineCacheHeaderVersionOne h{};
  h.headerSize = sizeof h;
  h.headerVersion = VK_PIPELINE_CACHE_HEADER_VERSION_ONE;
  h.vendorID = p.vendorID;
  h.deviceID = p.deviceID;
  std::memcpy(h.pipelineCacheUUID, p.pipelineCacheUUID, VK_UUID_SIZE);
  return h;
}

std::optional<native::Digest> sealOf(DiskCache* disk, const KernelKey& key, std::span<const std::byte> program,
                                     std::span<const std::byte> code) {
  if (!disk) return {};
  const std::span<const std::byte> parts[] = {std::as_bytes(std::span(key)), program, code};
  return disk->seal(parts);
}

/// Null where the program is none.
std::shared_ptr<abi::Kernel> kernelOf(const Entry& entry, std::span<const std::byte> container,
                                      std::span<const std::byte> code, DiskCache* disk) {
  auto program = isa::readContainer(container);
  if (!program) return nullptr;
  auto made = compiler::makeKernel(std::move(*program));  // verifies
  if (!made) return nullptr;
  const bool isOurs = !code.empty() && sealOf(disk, entry.key, container, code) == entry.seal;
  watchKernel(*made, isOurs ? code : std::span<const std::byte>{});
  return *made;
}

std::vector<Part> partsOf(const PipelineCache& cache, size_t room, DiskCache* disk) {
  std::vector<Part> parts;
  std::vector<const exec::MachineCode*> codes;
  for (const auto& [key, kernel] : cache.kernels) {
    Part part{key, isa::writeContainer(compiler::programOf(*kernel)), {}};
    if (sizeof(Entry) + part.program.size() > room) break;
    room -= sizeof(Entry) + part.program.size();
    parts.push_back(std::move(part));
    codes.push_back(tiers::Tiers::optimizedCode(*kernel));
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!codes[i]) continue;
    std::vector<std::byte> code = codes[i]->save();
    if (code.empty() || code.size() > room) continue;
    const auto seal = sealOf(disk, parts[i].key, parts[i].program, code);
    if (!seal) continue;
    room -= code.size();
    parts[i].code = std::move(code), parts[i].seal = *seal;
  }
  return parts;
}

}  // namespace

uint64_t checksumOf(std::span<const std::byte> bytes) {
  uint64_t h = 0x243F6A8885A308D3ull ^ bytes.size();
  while (!bytes.empty()) {
    uint64_t word = 0;
    const size_t n = std::min(bytes.size(), sizeof word);
    std::memcpy(&word, bytes.data(), n);
    h = std::rotl((h ^ word) * 0x9E3779B97F4A7C15ull, 29);
    bytes = bytes.subspan(n);
  }
  return h;
}

void loadData(PipelineCache& cache, std::span<const std::byte> data, DiskCache* disk) {
  CacheDataHeader header;
  if (data.size() < sizeof header) return;
  std::memcpy(&header, data.data(), sizeof header);
  const VkPipelineCacheHeaderVersionOne want = standardHeader();
  if (std::memcmp(&header.standard, &want, sizeof want) != 0) return;
  data = data.subspan(sizeof header);
  if (data.size() < header.entryBytes) return;
  data = data.first(header.entryBytes);
  if (checksumOf(data) != header.checksum) return;
  for (uint32_t i = 0; i < header.entryCount; ++i) {
    Entry entry;
    if (data.size() < sizeof entry) return;
    std::memcpy(&entry, data.data(), sizeof entry);
    data = data.subspan(sizeof entry);
    if (data.size() < entry.bytes || data.size() - entry.bytes < entry.codeBytes) return;
    // The key is what the data say: the process's cache, which answers for all, is not told of what is made here.
    std::shared_ptr<abi::Kernel> kernel = findKernel(entry.key);
    if (!kernel) kernel = kernelOf(entry, data.first(entry.bytes), data.subspan(entry.bytes, entry.codeBytes), disk);
    if (!kernel) return;
    cache.kernels[entry.key] = std::move(kernel);
    data = data.subspan(entry.bytes + entry.codeBytes);
  }
}

CacheData saveData(const PipelineCache& cache, size_t room, DiskCache* disk) {
  if (room < sizeof(CacheDataHeader)) return {{}, false};
  const std::vector<Part> parts = partsOf(cache, room - sizeof(CacheDataHeader), disk);
  CacheData data{std::vector<std::byte>(sizeof(CacheDataHeader)), parts.size() == cache.kernels.size()};
  const auto append = [&](const void* from, size_t bytes) {
    const auto* p = static_cast<const std::byte*>(from);
    data.bytes.insert(data.bytes.end(), p, p + bytes);
  };
  for (const Part& part : parts) {
    const Entry entry{part.key, part.program.size(), part.code.size(), part.seal};
    append(&entry, sizeof entry);
    append(part.program.data(), part.program.size());
    append(part.code.data(), part.code.size());
  }
  const auto entries = std::span(data.bytes).subspan(sizeof(CacheDataHeader));
  const CacheDataHeader header{standardHeader(), static_cast<uint32_t>(parts.size()), 0, entries.size(),
                               checksumOf(entries)};
  std::memcpy(data.bytes.data(), &header, sizeof header);
  return data;
}

}  // namespace etzel::icd
