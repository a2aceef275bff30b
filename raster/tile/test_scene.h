// Small scenes for tests of the tile code: attachments in memory, kernels that are C++ functions, primitives made by
// hand. Tests only.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <functional>
#include <memory>

#include "raster/attachment/surface.h"
#include "raster/tile/draw/tile_draw.h"
#include "raster/tile/tile_worker.h"
#include "runtime/abi/fragment_groups.h"

namespace etzel::raster::testing {

/// An image with memory and a view of its mip 0.
struct TestImage {
  mem::ImageLayout layout;
  std::vector<std::byte> memory;
  tex::ImageView view;

  TestImage(VkFormat format, uint32_t width, uint32_t height, uint32_t samples = 1, uint32_t layers = 1) {
    mem::ImageShape shape;
    shape.type = VK_IMAGE_TYPE_2D;
    shape.format = format;
    shape.extent = {width, height, 1};
    shape.mipLevels = 1, shape.arrayLayers = layers;
    shape.samples = samples;
    if (!format::find(format)->isColor()) shape.usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    layout = mem::layoutImage(shape);
    memory.resize(layout.size);
    view.layout = &layout;
    view.plane = &layout.plane[0];
    view.memory = memory.data();
    view.format = format;
    view.info = format::find(format);
    view.decode = format::decoder(format), view.encode = format::encoder(format);
    view.layerCount = layers;
    view.samples = samples;
  }
  TestImage(const TestImage&) = delete;
  /// Stores every sample by itself, as if there were no compression.
  void dropCompression() { layout.plane[0].fragments = {}, layout.plane[0].tiles = {}; }
  /// The bytes of all samples.
  std::vector<std::byte> samples() const {
    const mem::MipLayout& mip = view.plane->mip[0];
    const size_t rowBytes = size_t{mip.width} * view.plane->blockBytes;
    std::vector<std::byte> all;
    for (uint32_t layer = 0; layer < view.layerCount; ++layer)
      for (uint32_t s = 0; s < view.samples; ++s)
        for (uint32_t y = 0; y < mip.height; ++y) {
          all.resize(all.size() + rowBytes);
          std::byte* row = all.data() + all.size() - rowBytes;
          if (const msaa::DepthSurface depth = surfaceOf(&view).depth(layer); depth)
            depth.readRow(0, y, mip.width, s, row);
          else
            surfaceOf(&view).fragments(layer).readRow(0, y, mip.width, s, row);
        }
    return all;
  }
  format::Texel texel(uint32_t x, uint32_t y, uint32_t sample = 0, uint32_t layer = 0) const {
    format::Texel t;
    if (const msaa::DepthSurface depth = surfaceOf(&view).depth(layer); depth) {
      const uint32_t word = depth.sampleWord(x, y, sample);
      view.decode(reinterpret_cast<const std::byte*>(&word), &t, 1);
      return t;
    }
    const msaa::FragmentSurface surface = surfaceOf(&view).fragments(layer);
    view.decode(surface ? surface.sampleTexel(x, y, sample) : surface.at(x, y, sample), &t, 1);
    return t;
  }
  void set(const format::Texel& t, uint32_t x, uint32_t y, uint32_t sample = 0, uint32_t layer = 0) {
    const msaa::FragmentSurface surface = surfaceOf(&view).fragments(layer);
    if (const msaa::DepthSurface depth = surfaceOf(&view).depth(layer); depth) depth.expand(depth.tileOf(x, y));
    std::byte bytes[32];
    view.encode(&t, surface ? bytes : surface.at(x, y, sample), 1);
    if (surface) surface.writeSamples(x, y, 1u << sample, bytes);
  }
};

/// A fragment kernel that is a function.
struct TestKernel : abi::Kernel {
  using Body = std::function<void(abi::Warp&)>;
  Body body;
  abi::Executable code;
  explicit TestKernel(Body b) : body(std::move(b)) {
    info.stage = abi::Stage::Fragment;
    info.outputLocations = 1;
    code.entry = [](const void* self, abi::Warp* warp) {
      static_cast<const TestKernel*>(self)->body(*warp);
      return abi::WarpStatus::Done;
    };
    code.code = this;
    executable = &code;
  }
  /// Gives the kernel a function for several groups in one call, as native code has one. Where draws call it is theirs
  /// to know: it needs what programs for groups need (runtime/abi/fragment_groups.h).
  void runsTogether() {
    code.fragments = [](const void* self, abi::Warp* warp, abi::FragmentGroups* groups) {
      static_cast<const TestKernel*>(self)->runGroups(*warp, *groups);
      return abi::WarpStatus::Done;
    };
  }
  mutable std::atomic<uint32_t> calls = 0;  ///< of that function
  void reads(abi::SysValue v) { info.sysValues |= uint64_t{1} << static_cast<uint32_t>(v); }

 private:
  void runGroups(abi::Warp& warp, abi::FragmentGroups& groups) const;
  /// What native code computes of abi::FragmentPlanes.
  static void planeValues(const abi::FragmentPlanes& p, const abi::PrimitiveSetup& s, LaneWords* sys);
};

inline void TestKernel::runGroups(abi::Warp& warp, abi::FragmentGroups& groups) const {
  using abi::SysValue;
  ++calls;
  const uint32_t first = abi::kFragOutColor + 4 * abi::firstGroupLocation(info), words = abi::groupWords(info);
  alignas(32) LaneWords sys[abi::kSysValueCount];
  LaneWords *const sysBefore = warp.sys, *const outBefore = warp.out;
  std::copy(sysBefore, sysBefore + abi::kSysValueCount, sys);
  warp.sys = sys;
  for (uint32_t g = 0; g < abi::FragmentGroups::kCount; ++g) {
    if (!(groups.groups >> g & 1)) continue;
    for (uint32_t axis = 0; axis < 2; ++axis)
      for (const SysValue v :
           {axis ? SysValue::PosY : SysValue::PosX, axis ? SysValue::FragCoordY : SysValue::FragCoordX,
            axis ? SysValue::CentroidY : SysValue::CentroidX})
        for (uint32_t i = 0; i < kWarpLanes; ++i)
          sys[static_cast<uint32_t>(v)][i] =
              std::bit_cast<uint32_t>(std::bit_cast<float>(groups.place[axis].lane[i]) +
                                      std::bit_cast<float>(groups.offset[2 * g + axis].lane[i]));
    if (info.sysValues & abi::kPlaneSysValues) planeValues(*groups.planes, *warp.primitive, sys);
    alignas(32) LaneWords out[abi::kFragmentOutWords] = {};
    warp.out = out;
    warp.active = groups.active >> g * 8 & 255, warp.helper = groups.helper >> g * 8 & 255, warp.killed = 0;
    body(warp);
    groups.killed |= uint64_t{warp.killed} << g * 8;
    LaneWords* const color = groups.color + g * words;
    std::copy(out + first, out + first + abi::groupWord(info, abi::kFragOutColorIndex1), color);
    if (info.writesColorIndex1)
      std::copy_n(out + abi::kFragOutColorIndex1, 4, color + abi::groupWord(info, abi::kFragOutColorIndex1));
    if (info.writesDepth) color[abi::groupWord(info, abi::kFragOutDepth)] = out[abi::kFragOutDepth];
  }
  warp.sys = sysBefore, warp.out = outBefore;
}

inline void TestKernel::planeValues(const abi::FragmentPlanes& p, const abi::PrimitiveSetup& s, LaneWords* sys) {
  using abi::SysValue;
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    const auto at = [&](SysValue v) { return std::bit_cast<float>(sys[static_cast<uint32_t>(v)][i]); };
    const auto set = [&](SysValue v, float f) { sys[static_cast<uint32_t>(v)][i] = std::bit_cast<uint32_t>(f); };
    const float x = at(SysValue::PosX), y = at(SysValue::PosY), dx = x - s.x0, dy = y - s.y0;
    const float l1 = dx * s.l1dx + dy * s.l1dy, l2 = dx * s.l2dx + dy * s.l2dy;
    set(SysValue::FragCoordZ, (dx * p.dzdx + p.z0) + dy * p.dzdy);
    set(SysValue::FragCoordW, s.w[0] + l1 * (s.w[1] - s.w[0]) + l2 * (s.w[2] - s.w[0]));
    set(SysValue::PointCoordX, p.half + (x - p.pointX) * p.pointInvSize);
    set(SysValue::PointCoordY, p.half + (y - p.pointY) * p.pointInvSize);
  }
}

/// A half plane through two points (24.8), inside to the right of the direction on a y-down screen, top-left rule.
inline Edge edgeThrough(int64_t x0, int64_t y0, int64_t x1, int64_t y1) {
  Edge e;
  e.a = static_cast<int32_t>(y0 - y1), e.b = static_cast<int32_t>(x1 - x0);
  e.c = -(e.a * x0 + e.b * y0);
  bool topLeft = e.a > 0 || (e.a == 0 && e.b > 0);
  if (!topLeft) e.c -= 1;
  return e;
}

/// The whole of [0, width) x [0, height) at depth z.
inline BinnedPrimitive rectangle(const DrawRecord& draw, int32_t width, int32_t height, float z = 0) {
  BinnedPrimitive p{};
  p.draw = &draw;
  p.maxX = width, p.maxY = height;
  p.z0 = z;
  p.setup.frontFacing = ~0u;
  p.setup.w[0] = p.setup.w[1] = p.setup.w[2] = 1;
  return p;
}

/// Runs primitives on every tile of width x height with one variant of the tile code.
class Runner {
 public:
  /// \param best code for all that the host can do; false: the baseline
  explicit Runner(bool best = true) : worker_(makeTileWorkerFor(best ? simd::target() : simd::Target{})) {}
  bool run(const Attachments& attachments, std::vector<BinnedPrimitive>& primitives, int32_t width, int32_t height,
           uint32_t layer = 0) {
    std::vector<const BinnedPrimitive*> list;
    for (const BinnedPrimitive& p : primitives) list.push_back(&p);
    bool ok = true;
    for (int32_t y = 0; y < height; y += kTileSize) {
      for (int32_t x = 0; x < width; x += kTileSize) {
        TileJob job{x, y, layer, &attachments, list.data(), static_cast<uint32_t>(list.size())};
        ok &= worker_->run(job);
      }
    }
    worker_->finish();
    return ok;
  }

 private:
  std::unique_ptr<TileWorker> worker_;
};

}  // namespace etzel::raster::testing
