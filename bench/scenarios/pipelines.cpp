// Pipeline creation, cold, with a cache, and in a process that is not the first, for a small and a large shader, and
// the first draw with it.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include "../harness/clock.h"
#include "../scenario.h"
#include "draws.h"
#include "full.vert.h"
#include "large.frag.h"
#include "small.frag.h"

namespace vkbench {
namespace {

enum class Measure { Create, CreateAndDraw };

// Each round's specialization constant makes a pipeline that the driver has not seen in this process.
constexpr int kRounds = 6;

/// One fragment shader's pipelines, and a small target to draw with them.
class Variants {
 public:
  Variants(Gpu& gpu, Spirv fragment)
      : gpu_(gpu), fragment_(fragment), target_(gpu.makeTarget({.width = 64, .height = 64})) {}

  VkPipeline create(int round, VkPipelineCache cache, bool* fromCache = nullptr) const {
    const float variant = 0.5f + 0.01f * float(round);
    return gpu_.makePipeline(
        {.stages = {{VK_SHADER_STAGE_VERTEX_BIT, full_vert}, {VK_SHADER_STAGE_FRAGMENT_BIT, fragment_}},
         .target = &target_,
         .variant = &variant,
         .cache = cache,
         .fromCache = fromCache},
        gpu_.layout);
  }
  void draw(VkPipeline pipeline) const {
    gpu_.submit(gpu_.record([&](VkCommandBuffer c) {
      gpu_.begin(c, target_);
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      push(gpu_, c, FullPush{.color = {0.5f, 0.6f, 0.7f, 1}});
      vkCmdDraw(c, 3, 1, 0, 0);
      vkCmdEndRenderPass(c);
    }));
  }
  void digest(Outcome& out) const { digestImage(out, gpu_.read(target_.picture()), 64, 64); }

 private:
  Gpu& gpu_;
  Spirv fragment_;
  Target target_;
};

/// The life before: fills a cache with the pipelines that are timed later, draws until drivers that compile what is hot
/// have done so, and writes the cache's data to the file.
void fillCache(Gpu& gpu, const Variants& variants) {
  constexpr int kDraws = 150;
  const VkPipelineCacheCreateInfo ci{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  VkPipelineCache cache;
  VK_CHECK(vkCreatePipelineCache(gpu.device, &ci, nullptr, &cache));
  for (int i = 0; i < kRounds; ++i) {
    const VkPipeline pipeline = variants.create(i, cache);
    for (int n = 0; n < kDraws; ++n) variants.draw(pipeline);
  }
  std::this_thread::sleep_for(std::chrono::seconds(2));
  size_t size = 0;
  VK_CHECK(vkGetPipelineCacheData(gpu.device, cache, &size, nullptr));
  std::vector<char> data(size);
  VK_CHECK(vkGetPipelineCacheData(gpu.device, cache, &size, data.data()));
  vkDestroyPipelineCache(gpu.device, cache, nullptr);
  std::ofstream(cacheFile, std::ios::binary).write(data.data(), std::streamsize(size));
}

/// Whether the driver says that a cache had a pipeline, when it must have.
bool saysHits(const Variants& variants, VkPipelineCache cache) {
  bool hit = false;
  variants.create(0, cache);
  variants.create(0, cache, &hit);
  return hit;
}

/// Pipelines (and the first draw with each) one after the other; of a cached row also the making of the cache from the
/// data of another process.
Outcome createPipelines(Gpu& gpu, Spirv fragment, Life life, Measure measure) {
  const bool cached = life == Life::Cached;
  const Variants variants(gpu, fragment);
  if (fillsCache) {
    fillCache(gpu, variants);
    return {};
  }
  variants.draw(variants.create(100, VK_NULL_HANDLE));  // only a process' first one pays this: api.start_to_first_frame
  std::vector<char> data;
  if (cached) {
    std::ifstream file(cacheFile, std::ios::binary);
    data.assign(std::istreambuf_iterator<char>(file), {});
    if (data.empty()) throw Failed("no cache data");
  }
  VkPipelineCache warm = VK_NULL_HANDLE;
  double load = 0;
  if (cached) {
    VkPipelineCacheCreateInfo ci{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    ci.initialDataSize = data.size();
    ci.pInitialData = data.data();
    const double t0 = now();
    VK_CHECK(vkCreatePipelineCache(gpu.device, &ci, nullptr, &warm));
    load = (now() - t0) / kRounds;
  }
  std::vector<double> times;
  bool filled = true;
  for (int i = 0; i < kRounds; ++i) {
    const double t0 = now();
    bool hit = false;
    const VkPipeline p = variants.create(i, warm, cached ? &hit : nullptr);
    if (measure == Measure::CreateAndDraw) variants.draw(p);
    times.push_back(now() - t0 + load);
    filled = filled && hit;
    if (measure == Measure::Create) variants.draw(p);
  }
  if (cached && !filled && saysHits(variants, warm)) throw Failed("the data of the process before were not used");
  std::sort(times.begin(), times.end());
  Outcome out;
  out.timing.median = times[kRounds / 2];
  out.timing.best = times[0];
  out.timing.repetitions = kRounds;
  out.value = out.timing.median * 1e3;
  variants.digest(out);
  if (warm) vkDestroyPipelineCache(gpu.device, warm, nullptr);
  return out;
}

}  // namespace

std::vector<Scenario> pipelineScenarios() {
  std::vector<Scenario> list;
  const auto add = [&](const std::string& what, bool large, const char* suffix, Life life, Measure measure) {
    const Spirv code = large ? Spirv(large_frag) : Spirv(small_frag);
    list.push_back({"pipeline." + what + (large ? "_large" : "_small") + suffix, "ms", false, Bound::None, 0, 0.03,
                    [=](Gpu& g) { return createPipelines(g, code, life, measure); }, life});
  };
  for (const bool large : {false, true}) {
    for (const bool cached : {false, true}) {
      const char* suffix = cached ? "_cached" : "_cold";
      const Life life = cached ? Life::Cached : Life::Cold;
      add("create", large, suffix, life, Measure::Create);
      add("create_draw", large, suffix, life, Measure::CreateAndDraw);
    }
    add("create_draw", large, "_again", Life::Again, Measure::CreateAndDraw);
  }
  return list;
}

}  // namespace vkbench
