// Views of blocks that are decoded while they are sampled: every instruction gives the same bytes before, while and
// after, as a view of the blocks that nobody decodes, on every target.
#include "runtime/tex/decoding.h"

#include "runtime/tex/test_scene.h"

namespace etzel::tex {
namespace {

using namespace test;

struct DecodedScene : Scene {
  std::unique_ptr<mem::DecodedImage> image;
  std::unique_ptr<Decoding> decoding;
  ImageView plain;

  void decode() {
    decoding.reset();
    plain = view;
    image = mem::DecodedImage::create(layout, bytes.data());
    ASSERT_NE(image, nullptr);
    decoding = Decoding::begin(view, *image);
    ASSERT_NE(decoding, nullptr);
  }
  template <class Variant>
  void run(const Variant& execute, const TexInst& inst, const ImageView& of, LaneWords result[9]) {
    std::memset(result, 0, 9 * sizeof(LaneWords));
    descriptor.view = &of;
    execute(&warp, inst.pack(), kAllLanes, &handle, &handle, args, result);
    descriptor.view = &view;
  }
};

TexInst randomInst(DecodedScene& s, const Shape& shape) {
  TexInst inst;
  inst.dim = shape.dim, inst.arrayed = shape.arrayed;
  constexpr TexKind kKinds[] = {TexKind::Sample, TexKind::Sample, TexKind::Gather, TexKind::Fetch};
  inst.kind = kKinds[s.pick(shape.dim == TexDim::Cube ? 3 : 4)];
  if (inst.kind == TexKind::Sample) inst.lod = static_cast<LodMode>(s.pick(5));
  if (inst.kind == TexKind::Fetch) inst.lod = LodMode::Explicit;
  if (inst.kind == TexKind::Gather) inst.component = static_cast<uint8_t>(s.pick(4));
  inst.offset = inst.kind == TexKind::Sample && shape.dim != TexDim::Cube && s.pick(3) == 0;
  return inst;
}

TEST(Decoding, GivesTheSameBytesBeforeWhileAndAfter) {
  DecodedScene s;
  for (VkFormat format : kBlockFormats) {
    for (const Shape& shape : {kShapes[0], kShapes[1], kShapes[5]}) {
      const uint32_t size = shape.extent.width * 5;
      s.make(format, shape.type, {size, shape.dim == TexDim::Cube ? size : shape.extent.height * 5, 1}, 4,
             shape.layers);
      s.randomSampler();
      const ImageView shown = s.view;  // with this swizzle
      s.decode();
      if (HasFatalFailure()) return;
      EXPECT_EQ(s.view.lanes.layout, format::TexelLayout::None);
      bool wasClosed = false, wasOpen = false;
      for (int trial = 0; trial < 150; ++trial) {
        s.randomSampler();
        s.view.identitySwizzle = shown.identitySwizzle;
        std::copy(shown.swizzle, shown.swizzle + 4, s.view.swizzle);
        const TexInst inst = randomInst(s, shape);
        s.randomCoordinates(inst);
        if (inst.kind == TexKind::Fetch)
          for (uint32_t i = 0; i < kWarpLanes; ++i)
            for (uint32_t d = 0; d < 4; ++d) s.args[d][i] = s.pick(d == inst.argLod() ? 1 : 20);
        prepare(s.sampler);
        LaneWords want[9], got[9];
        s.run(ETZEL_BASELINE::execute, inst, s.plain, want);
        const bool open = s.view.lanes.layout != format::TexelLayout::None;
        (open ? wasOpen : wasClosed) = true;
        for (const auto& variant : ETZEL_VARIANTS(execute)) {
          if (!simd::hostRuns(variant.target)) continue;
          s.run(variant.of, inst, s.view, got);
          ASSERT_EQ(std::memcmp(want, got, sizeof(want)), 0)
              << about(s, inst, trial) << ' ' << simd::targetName(variant.target) << " kind "
              << static_cast<int>(inst.kind) << (open ? " open" : " closed");
        }
      }
      EXPECT_TRUE(wasClosed && wasOpen) << s.view.info->name;
    }
  }
}

TEST(Decoding, TellsWhatIsStored) {
  DecodedScene s;
  s.make(VK_FORMAT_BC3_UNORM_BLOCK, VK_IMAGE_VIEW_TYPE_2D, {64, 64, 1}, 1, 1);
  EXPECT_EQ(asStored(&s.view), &s.view);
  EXPECT_EQ(asStored(nullptr), nullptr);
  s.decode();
  EXPECT_EQ(asStored(&s.view)->format, VK_FORMAT_BC3_UNORM_BLOCK);
  EXPECT_EQ(asStored(&s.view)->memory, s.bytes.data());
  EXPECT_EQ(s.view.direct.kind.has, uint32_t{abi::DirectView::kSoonOther});
  while (&s.decoding->readable() != &s.view) EXPECT_EQ(s.view.direct.kind.format, abi::DirectView::Format::None);
  EXPECT_EQ(s.view.direct.kind.format, abi::DirectView::Format::Codes);
  EXPECT_TRUE(s.view.direct.kind.has & abi::DirectView::kBilinear);
  EXPECT_FALSE(s.view.direct.kind.has & abi::DirectView::kSoonOther);
}

TEST(Decoding, IsNotForOtherFormatsOfTheSameBlocks) {
  DecodedScene s;
  s.make(VK_FORMAT_BC5_UNORM_BLOCK, VK_IMAGE_VIEW_TYPE_2D, {64, 64, 1}, 1, 1);
  s.image = mem::DecodedImage::create(s.layout, s.bytes.data());
  s.view.format = VK_FORMAT_BC5_SNORM_BLOCK, s.view.info = format::find(s.view.format);
  prepare(s.view);
  EXPECT_EQ(Decoding::begin(s.view, *s.image), nullptr);
  EXPECT_EQ(s.view.decoding, nullptr);
}

}  // namespace
}  // namespace etzel::tex
