// Samples of compressed images that native code reads itself against those of the texture unit: tiles in every state,
// which change from warp to warp, and that nobody is asked where pixels have one colour.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <random>

#include "compiler/compiler.h"
#include "compiler/exec/native/native.h"
#include "compiler/isa/assemble.h"
#include "runtime/msaa/fragment_surface.h"
#include "runtime/tex/test_tiles.h"
#include "runtime/tex/unit/texture_unit.h"

namespace etzel::native {
namespace {

/// The place is in r0.x, r0.y, sums in r3; r0.w says whether a lane takes part.
const std::string kHead = R"(
.stage STAGE
.temps 24
.resource 0 0 0x00000000 32 1
.resource 0 1 0x00000002 32 1
.const 0x00000000 0x00000001 0x00000002 0x00000003
.const 0x00000004 0x00000005 0x00000006 0x00000007
.const 0x0000001f 0x00000008 0x00000010 0xffffffff
sys r0.x, #7
sys r0.y, #13
sys r0.w, #8
xmov.x4 r3.x, c0.x
)";
const std::string kTail = "xmov.x4 o0.x, r3.x\nret\n";

/// Fetches into r2 and adds it to 31 times the sums: no two orders give the same. `fresh`: computes the place again.
std::string fetch(const std::string& image, const std::string& sample, bool fresh) {
  std::string text =
      fresh ? "iadd.i32 r1.x, r0.x, c0.x\niadd.i32 r1.y, r0.y, c0.x\n" : "xmov r1.x, r0.x\nxmov r1.y, r0.y\n";
  text += "xmov r1.z, " + sample + "\ntexture r2.x, " + image + ", r1.x, -, #INST\n";
  for (const std::string c : {"x", "y", "z", "w"})
    text += "imul.i32 r4." + c + ", r3." + c + ", c2.x\niadd.i32 r4." + c + ", r4." + c + ", r2." + c + "\nxmov.m r3." +
            c + ", r4." + c + "\n";
  return text;
}
std::string component(uint32_t sample) { return "c" + std::to_string(sample / 4) + "." + "xyzw"[sample % 4]; }

/// Samples 0 and on, in order or the other way.
std::string resolve(uint32_t samples, bool fresh, bool backward = false) {
  std::string text = kHead;
  for (uint32_t s = 0; s < samples; ++s) text += fetch("c0.x", component(backward ? samples - 1 - s : s), fresh);
  return text + kTail;
}
/// Two images in turn.
std::string resolveTwo(uint32_t samples) {
  std::string text = kHead;
  for (uint32_t s = 0; s < samples; ++s) text += fetch("c0.x", component(s), false) + fetch("c0.z", component(s), true);
  return text + kTail;
}
/// In some lanes only.
std::string resolveSome(uint32_t samples) {
  std::string text = kHead + "if r0.w\n";
  for (uint32_t s = 0; s < samples; ++s) text += fetch("c0.x", component(s), false);
  return text + "endif\n" + kTail;
}
/// A sample that differs from lane to lane, then one that is the same in all but not known before.
std::string resolveAny() { return kHead + "and.i32 r0.z, r0.x, c0.y\n" + fetch("c0.x", "r0.z", false) + kTail; }
/// Of samples from `first` on until lanes leave: `leaves` makes r5.y of that.
std::string loopOver(const std::string& body, const std::string& first, const std::string& leaves,
                     const std::string& step) {
  return kHead + "xmov.m r5.x, " + first + "\nblock\nloop\n" + leaves + "\nbrc r5.y, #0\n" + body +
         "iadd.i32 r5.y, r5.x, " + step + "\nxmov.m r5.x, r5.y\nendloop\nendblock\n" + kTail;
}
std::string until(const std::string& count) { return "icmp.sge.i32 r5.y, r5.x, " + count; }
std::string resolveLoop(bool fresh) { return loopOver(fetch("c0.x", "r5.x", fresh), "c0.x", until("c1.x"), "c0.y"); }
/// What takes long of a sample of two images, with branches that differ by lane: r8 of r2 and r7, then the sum.
const std::string kLight = [] {
  std::string text =
      "xmov r1.x, r0.x\nxmov r1.y, r0.y\nxmov r1.z, r5.x\ntexture r2.x, c0.x, r1.x, -, #INST\n"
      "xmov r6.x, r0.x\nxmov r6.y, r0.y\nxmov r6.z, r5.x\ntexture r7.x, c0.z, r6.x, -, #INST\n"
      "xmov.m r8.x, c0.y\nxmov.m r8.y, c0.x\nblock\nloop\n"
      "icmp.sge.i32 r9.x, r8.y, c0.w\nbrc r9.x, #0\nimul.i32 r9.y, r8.x, c2.x\n";
  for (const std::string c : {"x", "y", "z", "w"})
    text += "iadd.i32 r9.y, r9.y, r2." + c + "\nimul.i32 r9.y, r9.y, c2.x\nxor.i32 r9.y, r9.y, r7." + c + "\n";
  text +=
      "and.i32 r9.z, r9.y, c0.y\nif r9.z\niadd.i32 r9.w, r9.y, r2.z\nxmov.m r8.x, r9.w\nelse\n"
      "xmov.m r8.x, r9.y\nand.i32 r9.z, r9.y, c0.z\nbrc r9.z, #0\nendif\n"
      "iadd.i32 r9.x, r8.y, c0.y\nxmov.m r8.y, r9.x\nendloop\nendblock\n";
  return text + "imul.i32 r4.x, r3.x, c2.x\niadd.i32 r4.x, r4.x, r8.x\nxmov.m r3.x, r4.x\n";
}();

uint32_t unitCalls = 0;
void countedUnit(abi::Warp* warp, uint32_t texInst, LaneMask active, const LaneWords* handle, const LaneWords* sampler,
                 const LaneWords* args, LaneWords* result) {
  ++unitCalls;
  tex::functionTable().texture(warp, texInst, active, handle, sampler, args, result);
}

class MultisampleTest : public ::testing::Test {
 protected:
  static constexpr uint32_t kWidth = 44, kHeight = 29;
  struct Image {
    mem::ImageLayout layout;
    std::vector<std::byte> bytes;
    tex::ImageView view;
    msaa::FragmentSurface surface() { return msaa::FragmentSurface(layout, layout.plane[0], bytes.data(), 0); }
  };

  MultisampleTest() {
    functions_ = tex::functionTable();
    functions_.texture = countedUnit;
    context_.functions = &functions_;
    context_.table[abi::kNullTable] = zeros_, context_.tableBytes[abi::kNullTable] = sizeof zeros_;
    context_.table[0] = reinterpret_cast<const std::byte*>(descriptors_), context_.tableBytes[0] = sizeof descriptors_;
  }

  void make(Image& image, VkFormat format, uint32_t samples) {
    mem::ImageShape shape;
    shape.type = VK_IMAGE_TYPE_2D, shape.format = format, shape.extent = {kWidth, kHeight, 1};
    shape.mipLevels = 1, shape.arrayLayers = 1, shape.samples = samples;
    image.layout = mem::layoutImage(shape);
    image.bytes.assign(image.layout.size + 64, std::byte{});
    for (size_t i = 0; i < image.layout.plane[0].layerPitch; ++i)
      image.bytes[image.layout.plane[0].offset + i] = static_cast<std::byte>(random_() % 251);
    tex::ImageView& v = image.view;
    v = {};
    v.layout = &image.layout, v.plane = &image.layout.plane[0], v.memory = image.bytes.data(), v.samples = samples;
    v.format = format, v.info = format::find(format), v.decode = format::decoder(format);
    tex::prepare(v);
    ASSERT_EQ(v.direct.tiles.states != nullptr, v.info->layout != format::TexelLayout::Other);
    tex::test::mixTiles(image.surface(), random_);
  }
  void makeBoth(VkFormat first, VkFormat second, uint32_t samples) {
    make(images_[0], first, samples), make(images_[1], second, samples);
    for (uint32_t i = 0; i < 2; ++i) descriptors_[i].view = &images_[i].view;
  }

  struct Both {
    std::shared_ptr<abi::Kernel> kernel;
    std::shared_ptr<exec::MachineCode> native;
  };
  static const Both* compile(const std::string& stage, std::string text) {
    const auto put = [&](const std::string& name, const std::string& value) {
      for (size_t at; (at = text.find(name)) != text.npos;) text.replace(at, name.size(), value);
    };
    abi::TexInst inst;
    inst.kind = abi::TexKind::Fetch, inst.multisampled = true, inst.lod = abi::LodMode::Zero;
    put("STAGE", stage), put("INST", std::to_string(inst.pack()));
    static auto& known = *new std::map<std::string, Both>;
    Both& both = known[text];
    if (both.native) return &both;
    const std::unique_ptr<Compiler> jit = Compiler::create();
    if (!jit) return nullptr;
    auto program = isa::assemble(text);
    EXPECT_TRUE(program.ok()) << program.error().message << text;
    if (!program.ok()) return nullptr;
    auto kernel = compiler::makeKernel(std::move(*program));
    EXPECT_TRUE(kernel.ok());
    auto native = jit->compile(compiler::programOf(**kernel));
    EXPECT_TRUE(native.ok());
    both = {std::move(*kernel), std::move(*native)};
    return &both;
  }

  struct Lanes {
    LaneWords x, y;
    LaneMask active = kAllLanes;
  };
  /// Pixels of a fragment warp, a row, either of them anywhere, or lanes anywhere.
  Lanes lanesAt(uint32_t kind) {
    Lanes lanes;
    const bool quads = kind % 2 == 0;
    uint32_t x = random_() % (kWidth + 8) - 4, y = random_() % (kHeight + 4) - 2;
    if (kind < 4) x &= quads ? ~3u : ~7u, y &= quads ? ~1u : ~0u;
    for (uint32_t l = 0; l < kWarpLanes; ++l) {
      lanes.x[l] = x + (quads ? l % 2 + l / 4 * 2 : l), lanes.y[l] = y + (quads ? l / 2 % 2 : 0);
      if (kind == 7) lanes.x[l] = random_() % kWidth, lanes.y[l] = random_() % kHeight;
    }
    if (kind == 6) lanes.x[5] = 0x80000000u, lanes.y[2] = ~0u;
    if (random_() % 3 == 0) lanes.active = 1 + random_() % 255;
    return lanes;
  }
  std::vector<uint32_t> run(const abi::Kernel& kernel, const abi::Executable& executable, const Lanes& lanes) {
    std::vector<LaneWords> out(abi::kRecordWords), registers(kernel.registerWords + 1);
    std::vector<LaneWords> sys(abi::kSysValueCount), state(kernel.stateBytes / sizeof(LaneWords) + 2);
    sys[uint32_t(abi::SysValue::PrimitiveId)] = lanes.x, sys[uint32_t(abi::SysValue::Layer)] = lanes.y;
    sys[uint32_t(abi::SysValue::InvocationId)] = {{1, 0, 1, 1, 0, 1, 1, 0}};
    abi::Warp warp;
    warp.context = &context_, warp.kernel = &kernel, warp.executable = &executable, warp.active = lanes.active;
    warp.out = out.data(), warp.registers = registers.data(), warp.sys = sys.data();
    warp.executorState = state.data();
    EXPECT_EQ(executable.entry(executable.code, &warp), abi::WarpStatus::Done);
    std::vector<uint32_t> words;
    for (uint32_t c = 0; c < 4; ++c)
      for (uint32_t l = 0; l < kWarpLanes; ++l) words.push_back(lanes.active >> l & 1 ? out[c][l] : 0);
    return words;
  }
  void compare(const std::string& text, const std::string& about) {
    for (const char* stage : {"fragment", "vertex"}) {
      const Both* both = compile(stage, text);
      if (!both) GTEST_SKIP() << "no native code on this machine";
      for (uint32_t trial = 0; trial < 48; ++trial) {
        const Lanes lanes = lanesAt(trial % 8);
        EXPECT_EQ(run(*both->kernel, *both->kernel->executable.load(), lanes),
                  run(*both->kernel, *both->native->executable(), lanes))
            << about << " " << stage << " trial " << trial;
        // The same code meets other states.
        for (Image& image : images_) {
          const msaa::FragmentSurface surface = image.surface();
          const uint32_t tile = random_() % (surface.tilesX * surface.tilesY);
          std::byte texel[16];
          for (std::byte& b : texel) b = static_cast<std::byte>(random_() % 100);
          const uint32_t x = surface.tileLeft(tile), y = surface.tileTop(tile);
          if (trial % 3 == 0) surface.expand(tile);
          if (trial % 3 == 1)
            surface.clear(x, y, std::min(x + 8, kWidth), std::min(y + 8, kHeight), texel,
                          surface.reserveClearColor(texel, true, false));
          surface.writeSamples(x, y, 1 + random_() % ((1u << surface.samples) - 1), texel);
        }
      }
    }
  }

  std::mt19937 random_{11};
  Image images_[2];
  abi::ImageDescriptor descriptors_[2];
  abi::FunctionTable functions_{nullptr};
  abi::DispatchContext context_;
  std::byte zeros_[abi::kNullBytes] = {};
};

TEST_F(MultisampleTest, NativeCodeReadsWhatTheTextureUnitReads) {
  for (const VkFormat format :
       {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32_SFLOAT,
        VK_FORMAT_R8_UNORM, VK_FORMAT_R16G16_SINT, VK_FORMAT_B10G11R11_UFLOAT_PACK32, VK_FORMAT_R32G32B32A32_SFLOAT,
        VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_FORMAT_R5G6B5_UNORM_PACK16, VK_FORMAT_R32G32B32_SFLOAT})
    for (const uint32_t samples : {2u, 4u, 8u, 16u}) {
      makeBoth(format, VK_FORMAT_R8G8B8A8_UNORM, samples);
      const uint32_t fetched = std::min(samples, 8u);
      const std::string about = images_[0].view.info->name + std::string(" samples ") + std::to_string(samples);
      compare(resolve(fetched, false), about), compare(resolve(fetched, true, true), about + " backward");
      compare(resolveTwo(std::min(samples, 4u)), about + " and another");
      compare(resolveSome(fetched), about + " some lanes");
      compare(resolveAny(), about + " any sample"), compare(resolveLoop(true), about + " loop");
    }
}

TEST_F(MultisampleTest, SamplesThatDoNotExistAreTheUnits) {
  for (const uint32_t samples : {2u, 4u}) {
    makeBoth(VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM, samples);
    compare(resolve(8, false), "of " + std::to_string(samples));
    compare(resolveLoop(true), "loop of " + std::to_string(samples));
  }
}

// Programs in which rounds are skipped whose sample shows what the one before showed.
TEST_F(MultisampleTest, LoopsOverSamplesComputeWhatTheyWouldOfEach) {
  for (const VkFormat format : {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R5G6B5_UNORM_PACK16})
    for (const uint32_t samples : {2u, 4u, 8u, 16u}) {
      makeBoth(format, VK_FORMAT_R8G8B8A8_UNORM, samples);
      const std::string about = images_[0].view.info->name + std::string(" samples ") + std::to_string(samples);
      compare(resolveLoop(false), about);
      compare(loopOver(kLight, "c0.x", until("c2.y"), "c0.y"), about + " eight");
      compare(loopOver(kLight, "c0.z", until("c2.z"), "c0.y"), about + " from the third on");
      compare(loopOver(kLight, "c0.x", until("c2.y"), "c0.z"), about + " every other");
      compare(loopOver(kLight, "c1.w", "icmp.slt.i32 r5.y, r5.x, c0.x", "c2.w"), about + " backward");
      // Lanes with an odd x leave before the others, and the rest later.
      compare(loopOver(kLight, "c0.x", "and.i32 r5.z, r0.x, c0.y\nisub.i32 r5.z, c1.w, r5.z\n" + until("r5.z"), "c0.y"),
              about + " some lanes");
    }
}

TEST_F(MultisampleTest, NullDescriptorsAndSwizzledViews) {
  makeBoth(VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB, 4);
  for (Image& i : images_) {
    i.view.identitySwizzle = false, i.view.swizzle[0] = 2, i.view.swizzle[1] = 4, i.view.swizzle[3] = 5;
    tex::prepare(i.view);
  }
  compare(resolveTwo(4), "swizzled");
  descriptors_[1].view = nullptr;
  compare(resolveTwo(4), "one null");
  descriptors_[0].view = nullptr;
  compare(resolveTwo(4), "both null"), compare(resolveAny(), "null");
  compare(loopOver(kLight, "c0.x", until("c2.y"), "c0.y"), "loop over null");
}

TEST_F(MultisampleTest, NobodyIsAskedOfPixelsInATileOrOfAllTheirSamples) {
  makeBoth(VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM, 4);
  for (uint32_t kind = 0; kind < 2; ++kind) {
    const char* const stage = kind ? "vertex" : "fragment";
    Lanes lanes;
    for (uint32_t l = 0; l < kWarpLanes; ++l)
      lanes.x[l] = 8 + (kind ? l : l % 2 + l / 4 * 2), lanes.y[l] = 16 + (kind ? 0 : l / 2 % 2);
    const auto calls = [&](const std::string& text) {
      const Both* both = compile(stage, text);
      unitCalls = 0;
      if (both) run(*both->kernel, *both->native->executable(), lanes);
      return both ? unitCalls : ~0u;
    };
    if (calls(resolve(4, false)) == ~0u) GTEST_SKIP() << "no native code on this machine";
    const msaa::FragmentSurface surface = images_[0].surface();
    const std::byte texel[16] = {std::byte{7}};
    const uint32_t tile = surface.tileOf(8, 16);
    surface.clear(8, 16, 16, 24, texel, surface.reserveClearColor(texel, true, false));
    EXPECT_EQ(calls(resolve(4, false)), 0u) << stage << " clear";
    EXPECT_EQ(calls(resolveAny()), 0u) << stage << " clear";
    surface.materialize(tile);
    EXPECT_EQ(calls(resolve(4, false)), 0u) << stage << " one";
    EXPECT_EQ(calls(resolveLoop(true)), 0u) << stage << " one";
    surface.writeSamples(8, 20, 5, texel);  // below all of the lanes
    ASSERT_EQ(msaa::kindOf(surface.state(tile)), msaa::TileKind::General);
    EXPECT_EQ(calls(resolve(4, false)), 0u) << stage << " an edge elsewhere";
    EXPECT_EQ(calls(resolveAny()), 0u) << stage << " an edge elsewhere";
    surface.writeSamples(kind ? 15 : 11, 16, 5, texel);
    EXPECT_EQ(calls(resolve(4, false)), 0u) << stage << " an edge";
    EXPECT_EQ(calls(resolveAny()), 1u) << stage << " an edge";
    surface.expand(tile);
    EXPECT_EQ(calls(resolve(4, false)), 0u) << stage << " expanded";
    for (uint32_t l = 0; l < kWarpLanes; ++l) lanes.x[l] += 1;
    EXPECT_EQ(calls(resolve(4, false)), 0u) << stage << " in two tiles";
    EXPECT_EQ(calls(resolveLoop(false)), 0u) << stage << " in two tiles";
    EXPECT_EQ(calls(resolveLoop(true)), 4u) << stage << " in two tiles, of a place that is computed every time";
  }
}

}  // namespace
}  // namespace etzel::native
