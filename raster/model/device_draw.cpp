// Draws of the model test: kernels that call shade(), and vertices whose positions come out exactly.
#include <bit>
#include <thread>

#include "raster/model/device.h"
#include "raster/model/shader.h"
#include "raster/tile/test_scene.h"
#include "runtime/tex/unit/texture_unit.h"

namespace etzel::raster::model {
namespace {

using abi::SysValue;
using testing::TestKernel;

/// The viewport is this large, so that positions in 1/256 pixel are exact in clip coordinates and back.
constexpr float kViewport = 256;

struct Vertex {
  float position[4];
  uint32_t seed, layer, unused[2];
};

/// A number for each thread.
uint32_t threadIndex() {
  static std::atomic<uint32_t> next{0};
  thread_local const uint32_t index = next++;
  return index;
}

}  // namespace

struct DrawKernels {
  TestKernel vertex, fragment, watching;  ///< the last as debuggers have them: it asks for more than it needs
  std::vector<Vertex> vertices;
  const format::FormatInfo* formats[2] = {};

  DrawKernels(const World& world, const Pass& pass, const Draw& draw, std::atomic<uint32_t>* shadedBy)
      : vertex([](abi::Warp& w) {
          for (uint32_t i = 0; i < kWarpLanes; ++i) {
            if (!(w.active >> i & 1)) continue;
            for (int c = 0; c < 4; ++c) w.out[c][i] = w.in[c][i];
            w.out[abi::kWordGeneric][i] = w.in[4][i], w.out[abi::kWordLayer][i] = w.in[5][i];
          }
        }),
        fragment([this, world, traits = draw.shader, shadedBy](abi::Warp& w) {
          shadedBy->fetch_or(1u << threadIndex() % 32, std::memory_order_relaxed);
          shadeWarp(world, traits, w);
        }),
        watching(fragment.body) {
    for (uint32_t i = 0; i < 2; ++i)
      if (pass.color[i] != kNoImage) formats[i] = format::find(world.formatOf(pass.color[i]));
    vertex.info.stage = abi::Stage::Vertex;
    vertex.info.inputLocations = 3, vertex.info.outputLocations = 1;
    vertex.info.writesLayer = pass.layers > 1 && !pass.viewMask;
    const ShaderTraits& t = draw.shader;
    abi::ProgramInfo& info = fragment.info;
    info.inputLocations = 1, info.outputLocations = t.outputs;
    info.discards = t.discards, info.writesSampleMask = t.writesSampleMask, info.writesDepth = t.writesDepth;
    info.writesStencilRef = t.writesStencilRef, info.writesColorIndex1 = t.secondSource;
    info.sampleRate = t.sampleRate, info.sharesSamples = t.shares;
    info.earlyFragmentTests = t.earlyTests || t.postDepthCoverage;
    info.postDepthCoverage = t.postDepthCoverage, info.hasSideEffects = t.stores;
    if (draw.triangles.size() % 2) fragment.runsTogether();
    if (t.sampleRate) fragment.reads(SysValue::SampleId);
    if (t.readsMask) fragment.reads(SysValue::SampleMaskIn);
    watching.info = info;
    for (const SysValue v : {SysValue::SampleMaskIn, SysValue::SampleId, SysValue::PrimitiveId, SysValue::FullyCovered})
      watching.reads(v);
    for (const Triangle& triangle : draw.triangles)
      for (int i = 0; i < 3; ++i) {
        const float x = static_cast<float>(triangle.x[i]) / (kViewport * 128) - 1;
        const float y = static_cast<float>(triangle.y[i]) / (kViewport * 128) - 1;
        const float w = triangle.w;
        vertices.push_back({{x * w, y * w, triangle.z[i] * w, w}, triangle.seed, triangle.layer, {}});
      }
  }
  DrawKernels(const DrawKernels&) = delete;

  /// Reads or writes one texel for each of `lanes`.
  static void access(abi::Warp& w, const abi::TexInst& inst, LaneMask lanes, uint32_t slot, const Place* place,
                     const uint32_t* data, uint32_t* result) {
    LaneWords handle{}, args[8] = {}, out[8] = {};
    for (uint32_t i = 0; i < kWarpLanes; ++i) {
      if (!(lanes >> i & 1)) continue;
      handle[i] = abi::makeHandle(0, slot * abi::kDescriptorBytes);
      args[0][i] = place[i].x, args[1][i] = place[i].y, args[2][i] = place[i].layer;
      args[inst.argSample()][i] = place[i].sample;
      if (data) args[inst.argData()][i] = data[i];
    }
    tex::execute(&w, inst.pack(), lanes, &handle, &handle, args, out);
    for (uint32_t i = 0; i < kWarpLanes && result; ++i) result[i] = out[0][i];
  }

  void shadeWarp(const World& world, const ShaderTraits& traits, abi::Warp& w) {
    const auto sys = [&](SysValue v, uint32_t i) { return w.sys[static_cast<uint32_t>(v)][i]; };
    Invocation in[kWarpLanes];
    Place place[kWarpLanes];
    uint32_t data[kWarpLanes] = {};
    for (uint32_t i = 0; i < kWarpLanes; ++i) {
      in[i].x = static_cast<uint32_t>(std::bit_cast<float>(sys(SysValue::PosX, i)));
      in[i].y = static_cast<uint32_t>(std::bit_cast<float>(sys(SysValue::PosY, i)));
      in[i].seed = w.primitive->flatRecord[abi::kWordGeneric];
      if (traits.sampleRate) in[i].sample = sys(SysValue::SampleId, i);
      if (traits.readsMask) in[i].maskIn = sys(SysValue::SampleMaskIn, i);
    }
    abi::TexInst inst;
    inst.arrayed = inst.multisampled = true;
    const LaneMask alive = w.active & ~w.helper;
    if (traits.fetches != kNoImage) {
      const VkImageAspectFlags aspect = fetchedAspect(world, traits.fetches);
      inst.kind = abi::TexKind::Fetch, inst.lod = abi::LodMode::Zero;
      for (uint32_t i = 0; i < kWarpLanes; ++i) place[i] = fetchPlace(world, traits, in[i]);
      uint32_t fetched[kWarpLanes];
      access(w, inst, alive, traits.fetches * 2 + (aspect == VK_IMAGE_ASPECT_STENCIL_BIT), place, nullptr, fetched);
      for (uint32_t i = 0; i < kWarpLanes; ++i) in[i].fetched = fetched[i];
    }
    if (traits.stores) {
      inst.kind = abi::TexKind::ImageWrite, inst.lod = abi::LodMode::Implicit, inst.type = abi::TexType::Uint;
      for (uint32_t i = 0; i < kWarpLanes; ++i) place[i] = storePlace(world, in[i]), data[i] = storeValue(in[i]);
      access(w, inst, w.active, kStorage * 2, place, data, nullptr);  // helper lanes must not write
    }
    w.killed = 0;
    for (uint32_t i = 0; i < kWarpLanes; ++i) {
      if (!(w.active >> i & 1)) continue;
      const Outputs o = shade(traits, formats, in[i]);
      for (uint32_t k = 0; k < 2; ++k)
        for (uint32_t c = 0; c < 4 && traits.outputs >> k & 1; ++c)
          w.out[abi::kFragOutColor + 4 * k + c][i] = o.color[k].word[c];
      for (uint32_t c = 0; c < 4 && traits.secondSource; ++c) w.out[abi::kFragOutColorIndex1 + c][i] = o.second.word[c];
      if (traits.writesSampleMask) w.out[abi::kFragOutSampleMask][i] = o.sampleMask;
      if (traits.writesStencilRef) w.out[abi::kFragOutStencilRef][i] = o.stencilRef;
      if (traits.writesDepth) w.out[abi::kFragOutDepth][i] = std::bit_cast<uint32_t>(o.depth);
      w.killed |= LaneMask{o.killed} << i;
    }
  }
};

namespace {

/// One of four kinds: the probe's pixel, another, another of a layer, or one primitive of each draw.
WatchedPlace watchedPlace(const World& world, uint32_t kind, uint32_t at) {
  WatchedPlace place;
  if (kind < 3) place.pixel.emplace((at + 9 * kind) % world.width, (at / 3 + 9 * kind) % world.height);
  if (kind == 2) place.layer = at % kLayers;
  if (kind == 3) place.primitive = at % 2;
  return place;
}

}  // namespace

Device::~Device() = default;

void Device::draw(const Pass& pass, const Draw& d) {
  kernels_.push_back(std::make_shared<DrawKernels>(world_, pass, d, &shadedBy_));
  DrawKernels& k = *kernels_.back();
  DrawState s = d.state;
  s.vertex = &k.vertex;
  s.fragment = d.shader.exists ? &k.fragment : nullptr;
  probe_.watchWith(&k.fragment, &k.watching);
  s.context.table[0] = reinterpret_cast<const std::byte*>(table_.data());
  s.context.tableBytes[0] = static_cast<uint32_t>(table_.size() * sizeof(abi::ImageDescriptor));
  s.attribute[0] = {true, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0};
  s.attribute[1] = {true, 0, VK_FORMAT_R32G32B32A32_UINT, 16};
  s.binding[0].data = reinterpret_cast<const std::byte*>(k.vertices.data());
  s.binding[0].size = k.vertices.size() * sizeof(Vertex);
  s.binding[0].stride = sizeof(Vertex);
  s.viewport[0].x = s.viewport[0].y = 0, s.viewport[0].width = s.viewport[0].height = kViewport;
  s.statistics = &statistics_;
  DrawParams params;
  params.count = static_cast<uint32_t>(k.vertices.size());
  renderPass_.draw(s, params);
}

void Device::begin(const Pass& pass) {
  Attachments a;
  a.renderArea = pass.area.vk(), a.layers = pass.layers, a.viewMask = pass.viewMask, a.samples = world_.samples;
  const auto attach = [&](ImageId id, VkImageAspectFlags aspect, uint32_t slot) -> const tex::ImageView* {
    if (id == kNoImage || !(world_.aspectsOf(id) & aspect)) return nullptr;
    attachments_[slot] = viewOf(id, aspect);
    attachments_[slot].baseLayer = pass.baseLayer, attachments_[slot].layerCount = kLayers - pass.baseLayer;
    return &attachments_[slot];
  };
  a.colorCount = 2;
  for (uint32_t i = 0; i < 2; ++i) a.color[i] = attach(pass.color[i], VK_IMAGE_ASPECT_COLOR_BIT, i);
  // Some attachments are in tile memory while they are drawn to.
  a.alone = pass.alone;
  a.depth = attach(pass.depth, VK_IMAGE_ASPECT_DEPTH_BIT, 2);
  a.stencil = attach(pass.depth, VK_IMAGE_ASPECT_STENCIL_BIT, 3);
  if (world_.seed % 4 == 0) {
    const uint32_t at = world_.seed + 7 * pass_;
    probe_.begin(int32_t(at % world_.width), int32_t(at / 3 % world_.height), at % kLayers);
    if (world_.seed % 8 == 0) probe_.watch(watchedPlace(world_, world_.seed / 8 % 4, at));
    a.probe = &probe_;
  }
  renderPass_.begin(a);
  inPass_ = true;
}

void Device::flush(bool last) {
  ok_ &= last ? renderPass_.finish(nullptr, 0) : renderPass_.flush();
  parallelFlushes_ += std::popcount(shadedBy_.exchange(0)) > 1;
  kernels_.clear();
  probe_.forgetKernels();
}

void Device::finish() {
  if (inPass_) flush(true);
  inPass_ = false;
}

}  // namespace etzel::raster::model
