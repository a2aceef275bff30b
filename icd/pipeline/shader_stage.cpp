#include "icd/pipeline/shader_stage.h"

#include <chrono>
#include <cstring>

#include "compiler/exec/tiers/tiers.h"
#include "icd/debug/debugger.h"
#include "icd/debug/print_log.h"
#include "icd/debug/shader_trace.h"
#include "icd/entry_points.h"
#include "icd/object/device.h"
#include "icd/object/error.h"
#include "icd/pipeline/capabilities.h"
#include "icd/pipeline/disk_cache.h"
#include "runtime/abi/limits.h"
#include "runtime/mutant/mutant.h"

namespace etzel::icd {

abi::Stage stageOf(VkShaderStageFlagBits stage) {
  switch (stage) {
    case VK_SHADER_STAGE_VERTEX_BIT: return abi::Stage::Vertex;
    case VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT: return abi::Stage::TessControl;
    case VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT: return abi::Stage::TessEvaluation;
    case VK_SHADER_STAGE_GEOMETRY_BIT: return abi::Stage::Geometry;
    case VK_SHADER_STAGE_FRAGMENT_BIT: return abi::Stage::Fragment;
    default: return abi::Stage::Compute;
  }
}

uint64_t stageClockNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::map<uint32_t, std::vector<uint8_t>> specializationOf(const VkSpecializationInfo* info) {
  std::map<uint32_t, std::vector<uint8_t>> values;
  if (!info || mutated(Mutant::Specialization)) return values;
  const auto* data = static_cast<const uint8_t*>(info->pData);
  for (uint32_t i = 0; i < info->mapEntryCount; ++i) {
    const VkSpecializationMapEntry& e = info->pMapEntries[i];
    if (e.size && e.offset + e.size <= info->dataSize)
      values[e.constantID].assign(data + e.offset, data + e.offset + e.size);
  }
  return values;
}

uint32_t requiredSubgroupSizeOf(const void* chain) {
  // VkShaderRequiredSubgroupSizeCreateInfoEXT is the same structure.
  const auto* s = findNext<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(
      chain, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO);
  return s && s->requiredSubgroupSize == abi::kMinSubgroupSize ? abi::kMinSubgroupSize : kWarpLanes;
}

namespace {

/// Has a kernel kept again once it has optimized code.
tiers::Hints hintsOf(DiskCache& disk, const DiskCache::Key& key, bool comesBack) {
  tiers::Hints hints;
  hints.onOptimized = [&disk, key](const auto& kernel) { disk.keep(key, kernel, DiskCache::When::Soon); };
  hints.comesBack = comesBack;
  return hints;
}

/// Out of the cache on disk; null where it has none.
std::shared_ptr<abi::Kernel> kernelFromDisk(DiskCache& disk, const DiskCache::Key& key, abi::Stage stage) {
  auto found = disk.find(key);
  if (!found || found->program.info.stage != stage) return nullptr;
  auto made = compiler::makeKernel(std::move(found->program));
  if (!made) return nullptr;
  watchKernel(*made, found->code, hintsOf(disk, key, true));
  return *made;
}

/// `disk` may be null; else `key` is the source's.
Result<std::shared_ptr<abi::Kernel>> compileAndKeep(const compiler::ShaderSource& source, DiskCache* disk,
                                                    const DiskCache::Key& key) {
  compiler::ShaderSource offered = source;
  offered.missingFor = missingFor;
  auto compiled = compiler::compileKernel(offered);
  if (!compiled) return compiled;
  if (!disk) {
    watchKernel(*compiled);
    return compiled;
  }
  watchKernel(*compiled, {}, hintsOf(*disk, key, false));
  disk->keep(key, *compiled, DiskCache::isLarge(**compiled) ? DiskCache::When::Soon : DiskCache::When::Sometime);
  return compiled;
}

/// What the application's cache, if any, has for a key. Its data may say anything, so the stage is asked for.
std::shared_ptr<abi::Kernel> kernelFromCache(PipelineCache* cache, const KernelKey& key, abi::Stage stage) {
  std::shared_ptr<abi::Kernel> found = cache ? cache->find(key) : nullptr;
  return found && found->info.stage == stage ? found : nullptr;
}

}  // namespace

VkResult makeKernel(compiler::ShaderSource source, PipelineCache* cache, bool onlyCached, StageResult& out) {
  source.prints = printing() && compiler::mayPrint(source.spirv);
  const uint64_t begin = stageClockNs();
  const KernelKey key = out.key = keyOf(source);
  // What was compiled here goes before what a cache's data say.
  std::shared_ptr<abi::Kernel> cached = kernelFromCache(cache, key, source.stage);
  out.applicationCacheHit = cached != nullptr;
  out.kernel = findKernel(key);
  // Applications save their data when pipelines are made, mostly, and optimized code came later.
  const bool isEnough = cached && (tiers::Tiers::optimizedCode(*cached) || !DiskCache::isLarge(*cached));
  if (!out.kernel && isEnough) out.kernel = cached;
  if (!out.kernel) {
    DiskCache* disk = DiskCache::process();
    const DiskCache::Key diskKey = disk ? DiskCache::keyOf(source) : DiskCache::Key{};
    if (disk) out.kernel = kernelFromDisk(*disk, diskKey, source.stage);
    const bool isOurs = out.kernel || !cached;
    if (!out.kernel) out.kernel = cached;
    if (!out.kernel) {
      if (onlyCached) return VK_PIPELINE_COMPILE_REQUIRED;
      auto compiled = compileAndKeep(source, disk, diskKey);
      if (!compiled) return failWith(compiled.error());
      out.kernel = *compiled;
    }
    if (isOurs) rememberKernel(key, out.kernel);
  }
  if (cache && out.kernel != cached) cache->add(key, out.kernel);
  if (debugging()) offerToDebugger(out.kernel, source);
  if (tracing()) out.kernel = traceable(out.kernel, source);
  out.nanoseconds = stageClockNs() - begin;
  return VK_SUCCESS;
}

VkResult findKernelOfModule(compiler::ShaderSource source, const ModuleId& module, PipelineCache* cache,
                            StageResult& out) {
  if (tracing()) return VK_PIPELINE_COMPILE_REQUIRED;  // which wants to see the module
  const uint64_t begin = stageClockNs();
  // Whether the module prints is not known: one that does was compiled for those who listen.
  for (int prints = printing() ? 1 : 0; prints >= 0; --prints) {
    source.prints = prints != 0;
    const KernelKey key = keyOf(source, module);
    std::shared_ptr<abi::Kernel> cached = kernelFromCache(cache, key, source.stage);
    out.kernel = findKernel(key);
    // So does a debugger, and it has seen that of what was compiled here.
    if (!out.kernel && !debugging()) out.kernel = cached;
    if (!out.kernel) continue;
    out.key = key;
    if (cache && out.kernel != cached) cache->add(key, out.kernel);
    out.applicationCacheHit = cached != nullptr;
    out.nanoseconds = stageClockNs() - begin;
    return VK_SUCCESS;
  }
  return VK_PIPELINE_COMPILE_REQUIRED;
}

namespace {

/// The module that a stage names by its identifier; nothing where it names none that could be ours.
std::optional<ModuleId> identifierOf(const VkPipelineShaderStageCreateInfo& info) {
  const auto* s = findNext<VkPipelineShaderStageModuleIdentifierCreateInfoEXT>(
      info.pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT);
  ModuleId id;
  if (!s || s->identifierSize != sizeof id) return {};
  std::memcpy(&id, s->pIdentifier, sizeof id);
  return id;
}

/// A stage as its create info has it.
struct Described {
  compiler::ShaderSource source;
  std::optional<ModuleId> identifier;  ///< instead of the module's words
};

/// \returns false where there is neither a module nor code nor an identifier
bool describe(const VkPipelineShaderStageCreateInfo& info, VkPipelineCreateFlags2 flags,
              const PipelineLayoutData* layout, Described& out) {
  compiler::ShaderSource& source = out.source;
  if (const ShaderModule* module = cast<ShaderModule>(info.module)) {
    source.spirv = module->words;
  } else if (const auto* code =
                 findNext<VkShaderModuleCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO)) {
    source.spirv = {code->pCode, code->codeSize / 4};
  } else if (!(out.identifier = identifierOf(info))) {
    return false;
  }
  source.entryPoint = info.pName;
  source.stage = stageOf(info.stage);
  source.specialization = specializationOf(info.pSpecializationInfo);
  source.requiredSubgroupSize = requiredSubgroupSizeOf(info.pNext);
  source.viewIndexFromDevice =
      flags & VK_PIPELINE_CREATE_VIEW_INDEX_FROM_DEVICE_INDEX_BIT && !mutated(Mutant::ViewIndexFromDevice);
  source.wideIndices = flags & VK_PIPELINE_CREATE_2_64_BIT_INDEXING_BIT_EXT;
  if (layout) source.bindings = layout->bindingSlots();
  source.mappings = mappingsOf(info.pNext);
  return true;
}

}  // namespace

VkResult makeStage(const VkPipelineShaderStageCreateInfo& info, VkPipelineCreateFlags2 flags,
                   const PipelineLayoutData* layout, PipelineCache* cache, StageResult& out) {
  const bool onlyCached = flags & VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
  Described stage;
  if (!describe(info, flags, layout, stage))
    return onlyCached ? VK_PIPELINE_COMPILE_REQUIRED
                      : ETZEL_FAIL(VK_ERROR_INITIALIZATION_FAILED, "a stage has neither a module nor code");
  if (stage.identifier) return findKernelOfModule(std::move(stage.source), *stage.identifier, cache, out);
  return makeKernel(std::move(stage.source), cache, onlyCached, out);
}

std::optional<KernelKey> keyOfStage(const VkPipelineShaderStageCreateInfo& info, VkPipelineCreateFlags2 flags,
                                    const PipelineLayoutData* layout) {
  Described stage;
  if (!describe(info, flags, layout, stage)) return {};
  return keyOf(stage.source, stage.identifier ? *stage.identifier : moduleIdOf(stage.source.spirv));
}

void setStage(Pipeline& pipeline, const VkPipelineShaderStageCreateInfo& info, const StageResult& stage) {
  const auto at = static_cast<size_t>(stageOf(info.stage));
  pipeline.key[at] = stage.key;
  pipeline.kernel[at] = stage.kernel;
  pipeline.mapped[at] = makeSlots(mappedRecords(info.pNext, *stage.kernel));
}

VkPipelineCreateFlags2 pipelineFlags(const void* chain, VkPipelineCreateFlags own) {
  const auto* flags =
      findNext<VkPipelineCreateFlags2CreateInfo>(chain, VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO);
  return flags ? flags->flags : own;  // bits of the create info's own flags are the same in both
}

void reportFeedback(const void* chain, bool cacheHit, uint64_t totalNs, const std::vector<StageResult>& stages) {
  const auto* info =
      findNext<VkPipelineCreationFeedbackCreateInfo>(chain, VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO);
  if (!info) return;
  const auto flags = [](bool hit) {
    return VkPipelineCreationFeedbackFlags(
        VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT |
        (hit ? VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT : 0));
  };
  *info->pPipelineCreationFeedback = {flags(cacheHit), totalNs};
  for (uint32_t i = 0; i < info->pipelineStageCreationFeedbackCount; ++i) {
    VkPipelineCreationFeedback& f = info->pPipelineStageCreationFeedbacks[i];
    if (i < stages.size() && stages[i].kernel)
      f = {flags(stages[i].applicationCacheHit), stages[i].nanoseconds};
    else
      f = {0, 0};  // not compiled here (a library's, or ignored)
  }
}

VKAPI_ATTR VkResult VKAPI_CALL CreateShaderModule(VkDevice handle, const VkShaderModuleCreateInfo* pCreateInfo,
                                                  const VkAllocationCallbacks* pAllocator, VkShaderModule* pModule) {
  return createObject<ShaderModule>(handle, pAllocator, pModule, "a shader module", [&](ShaderModule& module) {
    module.words.assign(pCreateInfo->pCode, pCreateInfo->pCode + pCreateInfo->codeSize / 4);
  });
}

ETZEL_DESTROY(ShaderModule)

namespace {

void giveIdentifier(std::span<const uint32_t> words, VkShaderModuleIdentifierEXT& out) {
  const ModuleId id = moduleIdOf(words);
  static_assert(sizeof id <= sizeof out.identifier);
  out.identifierSize = sizeof id;
  std::memcpy(out.identifier, &id, sizeof id);
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL GetShaderModuleIdentifier(VkDevice, VkShaderModule module,
                                                     VkShaderModuleIdentifierEXT* pIdentifier) {
  giveIdentifier(cast<ShaderModule>(module)->words, *pIdentifier);
}

VKAPI_ATTR void VKAPI_CALL GetShaderModuleCreateInfoIdentifier(VkDevice, const VkShaderModuleCreateInfo* pCreateInfo,
                                                               VkShaderModuleIdentifierEXT* pIdentifier) {
  giveIdentifier({pCreateInfo->pCode, pCreateInfo->codeSize / 4}, *pIdentifier);
}

}  // namespace etzel::icd
