#include "icd/pipeline/disk_cache.h"

#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "compiler/exec/tiers/tiers.h"
#include "compiler/isa/container.h"
#include "icd/physical_device/build_id.h"
#include "icd/pipeline/cache_entry.h"
#include "runtime/base/debug_flags.h"
#include "runtime/base/log.h"
#include "runtime/simd/cpu.h"

namespace etzel::icd {
namespace {

/// After so many writes that failed one after the other the disk is full or cannot be written: nothing more is tried.
constexpr uint32_t kFailures = 3;
/// Programs that wait to be written; what comes while there are more is not kept.
constexpr size_t kMostJobs = 4096;
/// Programs that are not urgent until there are so many of them.
constexpr size_t kWaitingJobs = 16;
/// How long the thread that writes lets the application go on before it begins.
constexpr auto kRest = std::chrono::milliseconds(100);
/// How much less the system is to think of that thread than of those that draw.
constexpr int kNiceness = 10;

/// What besides the source decides what compiled code is.
void addPlace(native::Hasher& h) {
  // Never destroyed: shaders may be made while the process ends.
  static const auto& host = *new std::vector<uint32_t>(simd::codeFingerprint());
  const auto build = buildId();
  h.bytes(build.data(), build.size());
  h.block(std::as_bytes(std::span(host)));
}

void addText(native::Hasher& h, std::string_view text) { h.block(std::as_bytes(std::span(text))); }

/// Whether a folder is this user's, or is to be made. What a program of another user's finds in $HOME is not its own,
/// and what it made there its owner could not use.
bool isOwnOrMissing(const std::string& path) {
  struct stat s;
  return stat(path.c_str(), &s) != 0 || s.st_uid == geteuid();
}

/// Where the environment wants the cache; empty: nowhere.
std::string folderOfEnvironment() {
#ifdef ETZEL_MUTANTS
  return "";  // defects would meet in it
#endif
  if (debug(DebugFlag::CheckAddresses)) return "";  // its code is another
  // These show what the compiler does, so it must do it.
  if (debug(DebugFlag::DumpIsa) || debug(DebugFlag::DumpSpirv) || debug(DebugFlag::VerifyPasses) ||
      !debugOption(DebugOption::PrintAfter).empty())
    return "";
  const auto absolute = [](const char* name) {
    const char* text = secure_getenv(name);
    return std::string(text && *text == '/' ? text : "");
  };
  if (const char* text = secure_getenv("ETZEL_CACHE"); text && *text) {
    if (std::string_view(text) == "off") return "";
    if (*text != '/') logMessage(LogLevel::Warning, "ETZEL_CACHE: want off, or a folder that begins with /");
    return absolute("ETZEL_CACHE");
  }
  if (const std::string caches = absolute("XDG_CACHE_HOME"); !caches.empty())
    return isOwnOrMissing(caches) ? caches + "/etzel" : "";
  const std::string home = absolute("HOME");
  return !home.empty() && isOwnOrMissing(home) ? home + "/.cache/etzel" : "";
}

std::string nameOf(const DiskCache::Key& key) {
  std::string name;
  for (size_t i = 0; i < 20; ++i) {
    constexpr char kDigits[] = "0123456789abcdef";
    name += kDigits[static_cast<size_t>(key[i]) >> 4];
    name += kDigits[static_cast<size_t>(key[i]) & 15];
  }
  return name;
}

}  // namespace

DiskCache* DiskCache::process() {
  static DiskCache* const cache = []() -> DiskCache* {
    if (!native::Hasher::available()) return nullptr;
    const std::string folder = folderOfEnvironment();
    logMessage(LogLevel::Info, "cache on disk: %s", folder.empty() ? "off" : folder.c_str());
    return folder.empty() ? nullptr : new DiskCache(folder);
  }();
  return cache;
}

DiskCache::DiskCache(std::string folder, uint64_t limitBytes) : files_(std::move(folder), limitBytes) {}

DiskCache::Key DiskCache::keyOf(const compiler::ShaderSource& source) {
  native::Hasher h;
  addPlace(h);
  h.block(std::as_bytes(source.spirv));
  addText(h, source.entryPoint);
  const uint32_t plain[] = {
      static_cast<uint32_t>(source.stage), source.validate,   source.robust, source.requiredSubgroupSize, source.prints,
      source.viewIndexFromDevice,          source.wideIndices};
  h.block(std::as_bytes(std::span(plain)));
  h.value<uint64_t>(source.specialization.size());
  for (const auto& [id, value] : source.specialization) {
    h.value(id);
    h.block(std::as_bytes(std::span(value)));
  }
  h.value<uint64_t>(source.bindings.size());
  for (const auto& [where, slot] : source.bindings) {
    const uint32_t words[] = {where.first,        where.second,     slot.table,
                              slot.byteOffset,    slot.strideBytes, slot.count,
                              slot.inlineUniform, slot.certain,     static_cast<uint32_t>(slot.holds)};
    h.block(std::as_bytes(std::span(words)));
  }
  h.block(std::as_bytes(std::span(source.mappings)));
  return h.finish();
}

std::optional<DiskCache::Found> DiskCache::find(const Key& key) {
  const auto bytes = files_.read(nameOf(key));
  if (!bytes) return {};
  const auto entry = readEntry(*bytes, key);
  if (!entry) return {};
  auto program = isa::readContainer(entry->program);
  if (!program) return {};
  ++found_;
  if (!entry->code.empty()) ++optimized_;
  return Found{std::move(*program), {entry->code.begin(), entry->code.end()}};
}

void DiskCache::keep(const Key& key, std::shared_ptr<abi::Kernel> kernel, When when) try {
  if (failures_ >= kFailures) return;
  std::lock_guard lock(mutex_);
  if (jobs_.size() >= kMostJobs) return;
  const bool isUrgent = when == When::Soon || jobs_.size() >= kWaitingJobs;
  if (isUrgent && !writer_) {
    auto writer = std::make_unique<Writer>();
    if (!writer->thread.start("etzel-cache", [this, self = writer.get()] { loop(*self); })) return;
    writer_ = std::move(writer);
  }
  jobs_.push_back({key, std::move(kernel)});
  if (isUrgent) changed_.notify_all();
} catch (const std::exception&) {
  // no memory: it is not kept
}

void DiskCache::loop(const Writer& self) {
  (void)setpriority(PRIO_PROCESS, 0, kNiceness);  // of the calling thread alone, on Linux
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return self.stop || !jobs_.empty(); });
    if (jobs_.empty()) return;
    // Where one shader is made others follow, and a frame that somebody waits for.
    changed_.wait_for(lock, kRest, [&] { return self.stop; });
    drain(lock);
  }
}

void DiskCache::drain(std::unique_lock<std::mutex>& lock) {
  while (!jobs_.empty()) {
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    write(job);
    job = {};  // the kernel, if nobody else has it, goes without the lock
    lock.lock();
  }
}

void DiskCache::write(const Job& job) try {
  if (failures_ >= kFailures) return;
  const std::vector<std::byte> program = isa::writeContainer(compiler::programOf(*job.kernel));
  const exec::MachineCode* optimized = tiers::Tiers::optimizedCode(*job.kernel);
  const std::vector<std::byte> code = optimized ? optimized->save() : std::vector<std::byte>{};
  const std::vector<std::byte> entry = writeEntry({program, code}, job.key);
  std::lock_guard lock(writeMutex_);
  if (files_.write(nameOf(job.key), entry)) {
    failures_ = 0;
    ++kept_;
  } else if (++failures_ == kFailures) {
    logMessage(LogLevel::Info, "cache on disk: %s cannot be written", files_.folder().c_str());
  }
} catch (const std::exception&) {
  // no memory: it is not kept
}

void DiskCache::flush() {
  std::unique_ptr<Writer> writer;
  {
    std::unique_lock lock(mutex_);
    if (!writer_ && jobs_.empty()) return;
    if (writer_) {
      writer = std::move(writer_);
      writer->stop = true;
    }
    // Not by the writer, which gets next to no time where others have work, and somebody waits.
    drain(lock);
  }
  if (writer) {
    changed_.notify_all();
    writer->thread.join();
  }
  logMessage(LogLevel::Info, "cache on disk: %u programs found, %u of them with optimized code; %u written",
             found_.load(), optimized_.load(), kept_.load());
}

const native::Digest* DiskCache::secret() {
  std::lock_guard lock(secretMutex_);
  if (!secretTried_) {
    secretTried_ = true;
    native::Digest fresh;
    if (getrandom(fresh.data(), fresh.size(), 0) != static_cast<ssize_t>(fresh.size())) return nullptr;
    const auto bytes = files_.readOrMake("secret", fresh);
    if (bytes && bytes->size() == fresh.size()) {
      secret_.emplace();
      std::memcpy(secret_->data(), bytes->data(), bytes->size());
    }
  }
  return secret_ ? &*secret_ : nullptr;
}

std::optional<native::Digest> DiskCache::seal(std::span<const std::span<const std::byte>> parts) {
  const native::Digest* key = secret();
  if (!key) return {};
  native::Hasher h(key);
  addPlace(h);
  for (const auto& part : parts) h.block(part);
  return h.finish();
}

// What the parent's thread has not written it writes itself.
void DiskCache::inChild() {
  task::remake(mutex_), task::remake(changed_), task::remake(writeMutex_), task::remake(secretMutex_);
  if (writer_) writer_->thread.forget();
  writer_.reset();
  jobs_.clear();
}

}  // namespace etzel::icd
