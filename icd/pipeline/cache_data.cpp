#include "icd/pipeline/cache_data.h"

#include <cstring>

#include "compiler/exec/tiers/tiers.h"
#include "compiler/isa/container.h"
#include "icd/entry_points.h"
#include "icd/physical_device/host.h"
#include "icd/pipeline/checksum.h"

namespace etzel::icd {
namespace {

/// Before each program.
struct Entry {
  KernelKey key;
  uint64_t bytes;  ///< of the container that follows
};

/// Before each code.
struct CodeEntry {
  uint32_t entry;  ///< whose it is, counted from 0
  uint32_t reserved;
  uint64_t bytes;       ///< of the code that follows
  native::Digest seal;  ///< of key, container and code
};

/// A kernel in data that are read.
struct Stored {
  KernelKey key;
  std::span<const std::byte> program, code;
  native::Digest seal{};
};

/// A kernel to write.
struct Part {
  KernelKey key;
  std::vector<std::byte> program, code;
  native::Digest seal{};
};

/// Takes a value or bytes off the front of data. False: there are not that many.
template <class T>
bool take(std::span<const std::byte>& data, T& value) {
  if (data.size() < sizeof value) return false;
  std::memcpy(&value, data.data(), sizeof value);
  data = data.subspan(sizeof value);
  return true;
}
bool take(std::span<const std::byte>& data, std::span<const std::byte>& part, uint64_t bytes) {
  if (data.size() < bytes) return false;
  part = data.first(bytes);
  data = data.subspan(bytes);
  return true;
}

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
std::shared_ptr<abi::Kernel> kernelOf(const Stored& stored, DiskCache* disk) {
  auto program = isa::readContainer(stored.program);
  if (!program) return nullptr;
  auto made = compiler::makeKernel(std::move(*program));  // verifies
  if (!made) return nullptr;
  const bool isOurs = !stored.code.empty() && sealOf(disk, stored.key, stored.program, stored.code) == stored.seal;
  watchKernel(*made, isOurs ? stored.code : std::span<const std::byte>{});
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
    if (code.empty() || sizeof(CodeEntry) + code.size() > room) continue;
    const auto seal = sealOf(disk, parts[i].key, parts[i].program, code);
    if (!seal) continue;
    room -= sizeof(CodeEntry) + code.size();
    parts[i].code = std::move(code), parts[i].seal = *seal;
  }
  return parts;
}

}  // namespace

void loadData(PipelineCache& cache, std::span<const std::byte> data, DiskCache* disk) {
  CacheDataHeader header;
  if (!take(data, header)) return;
  const VkPipelineCacheHeaderVersionOne want = standardHeader();
  if (std::memcmp(&header.standard, &want, sizeof want) != 0) return;
  std::span<const std::byte> entries;
  if (!take(data, entries, header.entryBytes) || checksumOf(entries) != header.checksum) return;
  std::vector<Stored> all;
  for (uint32_t i = 0; i < header.entryCount; ++i) {
    Entry entry;
    std::span<const std::byte> program;
    if (!take(entries, entry) || !take(entries, program, entry.bytes)) break;
    all.push_back({entry.key, program, {}});
  }
  for (uint32_t i = 0; i < header.codeCount; ++i) {
    CodeEntry entry;
    std::span<const std::byte> code;
    if (!take(data, entry) || !take(data, code, entry.bytes) || entry.entry >= all.size()) break;
    all[entry.entry].code = code, all[entry.entry].seal = entry.seal;
  }
  for (const Stored& stored : all) {
    // The key is what the data say: the process's cache, which answers for all, is not told of what is made here.
    std::shared_ptr<abi::Kernel> kernel = findKernel(stored.key);
    if (!kernel) kernel = kernelOf(stored, disk);
    if (!kernel) return;
    cache.kernels[stored.key] = std::move(kernel);
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
    const Entry entry{part.key, part.program.size()};
    append(&entry, sizeof entry);
    append(part.program.data(), part.program.size());
  }
  const auto entries = std::span(data.bytes).subspan(sizeof(CacheDataHeader));
  CacheDataHeader header{standardHeader(), static_cast<uint32_t>(parts.size()), 0, entries.size(), checksumOf(entries)};
  for (uint32_t i = 0; i < parts.size(); ++i) {
    if (parts[i].code.empty()) continue;
    const CodeEntry entry{i, 0, parts[i].code.size(), parts[i].seal};
    append(&entry, sizeof entry);
    append(parts[i].code.data(), parts[i].code.size());
    ++header.codeCount;
  }
  std::memcpy(data.bytes.data(), &header, sizeof header);
  return data;
}

}  // namespace etzel::icd
