#include "icd/pipeline/kernel_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>

#include "runtime/base/debug_flags.h"
#include "runtime/mutant/mutant.h"
#include "runtime/task/fork.h"

namespace etzel::icd {
namespace {

/// Two independent 64-bit lanes of multiply-rotate mixing; a collision between an application's few thousand shaders
/// is beyond chance.
class Hasher {
 public:
  void word(uint64_t w) {
    a_ = std::rotl((a_ ^ w) * 0x9E3779B97F4A7C15ull, 29);
    b_ = std::rotl((b_ + w) * 0xC2B2AE3D27D4EB4Full, 31) ^ a_;
  }
  void bytes(const void* data, size_t count) {
    word(count);
    const auto* p = static_cast<const std::byte*>(data);
    for (; count >= 8; p += 8, count -= 8) {
      uint64_t w;
      std::memcpy(&w, p, 8);
      word(w);
    }
    uint64_t w = 0;
    std::copy_n(p, count, reinterpret_cast<std::byte*>(&w));  // nothing of nothing, too
    word(w);
  }
  KernelKey finish() {
    for (int i = 0; i < 4; ++i) word(i);
    return {a_, b_};
  }

 private:
  uint64_t a_ = 0x243F6A8885A308D3ull, b_ = 0x13198A2E03707344ull;
};

struct ProcessCache {
  static constexpr size_t kRecent = 256;
  std::mutex mutex;
  std::map<KernelKey, std::weak_ptr<abi::Kernel>> all;
  std::deque<std::shared_ptr<abi::Kernel>> recent;
  task::ForkHandler forkHandler{[this] { task::remake(mutex); }, [this] { mutex.lock(); }, [this] { mutex.unlock(); }};
};
// Never destroyed: kernels may be looked up while the process ends.
ProcessCache& processCache() {
  static ProcessCache* cache = new ProcessCache;
  return *cache;
}

}  // namespace

ModuleId moduleIdOf(std::span<const uint32_t> words) {
  if (mutated(Mutant::ModuleIdentifier)) words = words.first(std::min<size_t>(words.size(), 3));
  Hasher h;
  h.bytes(words.data(), words.size_bytes());
  return h.finish();
}

KernelKey keyOf(const compiler::ShaderSource& source, const ModuleId& module) {
  Hasher h;
  h.word(module[0]);
  h.word(module[1]);
  h.bytes(source.entryPoint.data(), source.entryPoint.size());
  h.word(uint64_t(source.stage) | uint64_t(source.validate) << 8 | uint64_t(source.robust) << 9 |
         uint64_t(source.prints) << 10 | uint64_t(source.viewIndexFromDevice) << 11 |
         uint64_t(source.wideIndices) << 12 | uint64_t(source.requiredSubgroupSize) << 16);
  h.word(source.specialization.size());
  for (const auto& [id, value] : source.specialization) {
    h.word(id);
    h.bytes(value.data(), value.size());
  }
  h.word(source.bindings.size());
  for (const auto& [where, slot] : source.bindings) {
    h.word(uint64_t(where.first) << 32 | where.second);
    h.word(uint64_t(slot.table) << 32 | slot.byteOffset);
    h.word(uint64_t(slot.strideBytes) << 32 | slot.count);
    h.word(uint64_t(slot.holds) << 2 | uint64_t(slot.certain) << 1 | slot.inlineUniform);
  }
  h.bytes(source.mappings.data(), source.mappings.size() * sizeof source.mappings[0]);
  return h.finish();
}

std::shared_ptr<abi::Kernel> findKernel(const KernelKey& key) {
  ProcessCache& c = processCache();
  std::lock_guard lock(c.mutex);
  auto it = c.all.find(key);
  return it == c.all.end() ? nullptr : it->second.lock();
}

void rememberKernel(const KernelKey& key, const std::shared_ptr<abi::Kernel>& kernel) {
  ProcessCache& c = processCache();
  std::shared_ptr<abi::Kernel> dropped;  // destroyed after the lock is gone
  std::lock_guard lock(c.mutex);
  if (c.all.size() > 8 * ProcessCache::kRecent) std::erase_if(c.all, [](const auto& e) { return e.second.expired(); });
  c.all[key] = kernel;
  c.recent.push_back(kernel);
  if (c.recent.size() > ProcessCache::kRecent) {
    dropped = std::move(c.recent.front());
    c.recent.pop_front();
  }
}

void watchKernel(const std::shared_ptr<abi::Kernel>& kernel, std::span<const std::byte> saved, tiers::Hints hints) {
  if (debug(DebugFlag::NoJit)) return;
  if (!saved.empty())
    if (auto code = native::load(compiler::programOf(*kernel), saved)) hints.code = std::move(*code);
  const auto policy = debug(DebugFlag::JitNow) ? tiers::Policy::AtOnce : tiers::Policy::WhenHot;
  if (debug(DebugFlag::BoundNow)) hints.bound = tiers::Bound::AtOnce;
  if (debug(DebugFlag::NoBound)) hints.bound = tiers::Bound::Never;
  tiers::Tiers::process().watch(kernel, policy, std::move(hints));
}

std::shared_ptr<abi::Kernel> PipelineCache::find(const KernelKey& key) {
  std::lock_guard lock(mutex);
  auto it = kernels.find(key);
  return it == kernels.end() ? nullptr : it->second;
}

void PipelineCache::add(const KernelKey& key, std::shared_ptr<abi::Kernel> kernel) {
  std::lock_guard lock(mutex);
  kernels[key] = std::move(kernel);
}

}  // namespace etzel::icd
