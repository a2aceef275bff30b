// Texels of images of all shapes and of texel buffers that native code loads, stores and changes, against the texture
// unit.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "compiler/compiler.h"
#include "compiler/exec/native/native.h"
#include "compiler/isa/assemble.h"
#include "runtime/tex/unit/texture_unit.h"

namespace etzel::native {
namespace {

using abi::AtomicOp;
using abi::SysValue;
using abi::TexDim;
using abi::TexInst;
using abi::TexKind;
using abi::TexType;

struct Shape {
  const char* name;
  TexDim dim;
  bool arrayed;
  VkImageType type;
  VkImageViewType view;
  uint32_t layers;
  VkExtent3D extent;
};
constexpr Shape kShapes[] = {{"buffer", TexDim::Buffer, false, {}, {}, 1, {61, 1, 1}},
                             {"line", TexDim::D1, false, VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D, 1, {61, 1, 1}},
                             {"lines", TexDim::D1, true, VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D_ARRAY, 4, {29, 1, 1}},
                             {"plane", TexDim::D2, false, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, 1, {21, 9, 1}},
                             {"planes", TexDim::D2, true, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 4, {13, 7, 1}},
                             {"cube", TexDim::Cube, false, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_CUBE, 6, {11, 11, 1}},
                             {"volume", TexDim::D3, false, VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D, 1, {9, 7, 5}}};
constexpr SysValue kPlaces[3] = {SysValue::PrimitiveId, SysValue::Layer, SysValue::ViewportIndex};

std::string programOf(const TexInst& inst) {
  std::string text = ".stage vertex\n.temps 8\n.resource 0 0 0x00000000 32 1\n.const 0 0 0 0\n";
  const char* const words[] = {"r0.x", "r0.y", "r0.z", "r0.w", "r1.x", "r1.y", "r1.z"};
  uint32_t at = 0;
  const auto sys = [&](SysValue v) {
    text += std::string("sys ") + words[at++] + ", #" + std::to_string(static_cast<uint32_t>(v)) + "\n";
  };
  for (uint32_t d = 0; d < inst.argCoordWords(); ++d) sys(kPlaces[d]);
  constexpr SysValue kData[4] = {SysValue::TessCoordX, SysValue::TessCoordY, SysValue::TessCoordZ,
                                 SysValue::InvocationId};
  for (uint32_t w = 0; w < inst.dataWords(); ++w) sys(kData[w]);
  const uint32_t results = inst.resultWords();
  text += "xmov.x4 r2.x, c0.x\ntexture " + std::string(results ? "r2.x" : "-") + ", c0.x, r0.x, -, #" +
          std::to_string(inst.pack()) + "\nxmov.x4 o0.x, r2.x\nret\n";
  return text;
}

class NamedTexels : public ::testing::TestWithParam<VkFormat> {
 protected:
  NamedTexels() {
    functions_ = tex::functionTable();
    functions_.texture = [](auto... args) {
      ++calls;
      tex::functionTable().texture(args...);
    };
    context_.functions = &functions_;
    context_.table[abi::kNullTable] = zeros_, context_.tableBytes[abi::kNullTable] = sizeof zeros_;
    context_.table[0] = reinterpret_cast<const std::byte*>(&descriptor_), context_.tableBytes[0] = sizeof descriptor_;
  }

  void bind(const Shape& s) {
    view_ = {}, extent_ = s.extent, slices_ = std::max(s.layers, s.extent.depth);
    view_.format = GetParam(), view_.info = format::find(GetParam());
    view_.decode = format::decoder(GetParam()), view_.encode = format::encoder(GetParam());
    if (s.dim == TexDim::Buffer) {
      bytes_.assign(s.extent.width * view_.info->blockBytes, {});
      view_.memory = bytes_.data(), view_.bufferBytes = bytes_.size();
    } else {
      mem::ImageShape shape;
      shape.type = s.type, shape.format = GetParam(), shape.extent = s.extent;
      shape.mipLevels = shape.samples = 1, shape.arrayLayers = s.layers;
      layout_ = mem::layoutImage(shape);
      bytes_.assign(layout_.size, {});
      view_.type = s.view, view_.layout = &layout_, view_.plane = &layout_.plane[0], view_.memory = bytes_.data();
      view_.mipCount = 1, view_.layerCount = s.layers;
    }
    tex::prepare(view_);
  }

  struct Result {
    std::vector<uint32_t> words;
    std::vector<std::byte> bytes;
    bool operator==(const Result&) const = default;
  };
  /// What lanes get, and what the image holds afterwards. Places are random, or neighbours, also outside.
  Result run(const abi::Kernel& kernel, const abi::Executable& executable, uint32_t seed) {
    std::mt19937 random(seed);
    for (std::byte& b : bytes_) b = static_cast<std::byte>(random() % 60);
    std::vector<LaneWords> out(abi::kRecordWords), registers(kernel.registerWords + 1), sys(abi::kSysValueCount);
    std::vector<LaneWords> state(kernel.stateBytes / sizeof(LaneWords) + 2);
    for (LaneWords& v : sys)
      for (uint32_t l = 0; l < kWarpLanes; ++l) v[l] = static_cast<uint32_t>(random()) >> random() % 32;
    const uint32_t sizes[3] = {extent_.width, extent_.height > 1 ? extent_.height : slices_, slices_};
    for (uint32_t d = 0; d < 3; ++d) {
      LaneWords& place = sys[static_cast<uint32_t>(kPlaces[d])];
      for (uint32_t l = 0; l < kWarpLanes; ++l) {
        place[l] = static_cast<uint32_t>(random() % (sizes[d] + 2)) - 1;
        if (l && seed % 3 == 1) place[l] = d ? place[0] : place[0] + l;
        if (l && seed % 3 == 2) place[l] = place[0];  // one texel
      }
    }
    abi::Warp warp;
    warp.context = &context_, warp.kernel = &kernel, warp.executable = &executable;
    warp.active = seed % 4 ? kAllLanes : 0x5D;
    warp.out = out.data(), warp.registers = registers.data(), warp.sys = sys.data();
    warp.executorState = state.data();
    EXPECT_EQ(executable.entry(executable.code, &warp), abi::WarpStatus::Done);
    Result r{{}, bytes_};
    for (uint32_t c = 0; c < 4; ++c)
      for (uint32_t l = 0; l < kWarpLanes; ++l) r.words.push_back(warp.active >> l & 1 ? out[c][l] : 0);
    return r;
  }

  void compare(const Shape& shape, const TexInst& inst) {
    static const std::unique_ptr<Compiler> jit = Compiler::create();
    if (!jit) GTEST_SKIP() << "no native code on this machine";
    auto program = isa::assemble(programOf(inst));
    ASSERT_TRUE(program.ok()) << program.error().message;
    auto kernel = compiler::makeKernel(std::move(*program));
    ASSERT_TRUE(kernel.ok()) << kernel.error().message;
    auto native = jit->compile(compiler::programOf(**kernel));
    ASSERT_TRUE(native.ok()) << native.error().message;
    bool changes = false;
    for (uint32_t seed = 0; seed < 60; ++seed) {
      const Result expected = run(**kernel, *(*kernel)->executable.load(), seed);
      const uint32_t before = calls;
      ASSERT_EQ(run(**kernel, *(*native)->executable(), seed), expected)
          << shape.name << " instruction " << inst.pack() << " seed " << seed;
      ASSERT_EQ(calls, before) << shape.name << " instruction " << inst.pack();
      changes |= std::any_of(expected.words.begin(), expected.words.end(), [](uint32_t w) { return w != 0; });
    }
    EXPECT_EQ(changes, inst.resultWords() > 0);
  }

  static inline uint32_t calls = 0;  ///< of the texture unit

 private:
  mem::ImageLayout layout_;
  std::vector<std::byte> bytes_;
  tex::ImageView view_;
  VkExtent3D extent_{};
  uint32_t slices_ = 1;
  abi::ImageDescriptor descriptor_{.view = &view_};
  abi::FunctionTable functions_;
  abi::DispatchContext context_;
  std::byte zeros_[abi::kNullBytes] = {};
};

TEST_P(NamedTexels, AreThoseOfTheTextureUnit) {
  const format::FormatInfo& info = *format::find(GetParam());
  for (const Shape& shape : kShapes) {
    bind(shape);
    TexInst inst;
    inst.dim = shape.dim, inst.arrayed = shape.arrayed, inst.lod = abi::LodMode::Zero;
    inst.type = info.isInteger() ? TexType::Uint : TexType::Float;
    for (const TexKind kind : {TexKind::Fetch, TexKind::ImageRead, TexKind::ImageWrite}) {
      if (kind == TexKind::Fetch && shape.dim == TexDim::Cube) continue;
      inst.kind = kind;
      compare(shape, inst);
    }
    if (GetParam() != VK_FORMAT_R32_UINT) continue;
    inst.kind = TexKind::ImageAtomic;
    for (const AtomicOp op :
         {AtomicOp::Load, AtomicOp::Store, AtomicOp::Exchange, AtomicOp::CompareExchange, AtomicOp::Add, AtomicOp::Sub,
          AtomicOp::SMin, AtomicOp::UMax, AtomicOp::And, AtomicOp::Or, AtomicOp::Xor}) {
      inst.atomic = op;
      compare(shape, inst);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, NamedTexels,
                         ::testing::Values(VK_FORMAT_R8_UNORM, VK_FORMAT_R16_SFLOAT, VK_FORMAT_R8G8B8A8_UNORM,
                                           VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32_UINT,
                                           VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R8_SNORM, VK_FORMAT_R16_UINT,
                                           VK_FORMAT_R16G16B16A16_UINT));

}  // namespace
}  // namespace etzel::native
