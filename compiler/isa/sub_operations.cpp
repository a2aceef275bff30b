#include "compiler/isa/sub_operations.h"

#include "compiler/isa/immediates.h"
#include "runtime/base/assert.h"

namespace etzel::isa {
namespace {

struct Comparison {
  const char* text;
  uint8_t inverse;
};
constexpr Comparison kCmpF[] = {
#define ETZEL_CMP_F(Name, text, Inverse) {text, static_cast<uint8_t>(CmpF::Inverse)},
#include "compiler/isa/tables/compare.def"
};
constexpr Comparison kCmpI[] = {
#define ETZEL_CMP_I(Name, text, Inverse) {text, static_cast<uint8_t>(CmpI::Inverse)},
#include "compiler/isa/tables/compare.def"
};
constexpr SpaceInfo kSpaces[] = {
#define ETZEL_SPACE(Name, text, address, access, element, reach, uniform, constant, indexed, what)              \
  {text,     address, SpaceInfo::Access::access, SpaceInfo::Element::element, SpaceInfo::Reach::reach, uniform, \
   constant, indexed},
#include "compiler/isa/tables/spaces.def"
#undef ETZEL_SPACE
};
constexpr const char* kTypeText[] = {
#define ETZEL_TYPE(Name, text, bytes, isFloat) text,
#include "compiler/isa/tables/types.def"
#undef ETZEL_TYPE
};
constexpr const char* kReduce[] = {
#define ETZEL_REDUCE(Name, text) text,
#include "compiler/isa/tables/reduce.def"
#undef ETZEL_REDUCE
};
constexpr BaryInfo kBary[] = {
#define ETZEL_BARY(Name, text, offset, perSample) {text, offset, perSample},
#include "compiler/isa/tables/bary.def"
#undef ETZEL_BARY
};
constexpr const char* kBaryText[] = {
#define ETZEL_BARY(Name, text, offset, perSample) text,
#include "compiler/isa/tables/bary.def"
#undef ETZEL_BARY
#define ETZEL_BARY(Name, text, offset, perSample) text "_linear",
#include "compiler/isa/tables/bary.def"
#undef ETZEL_BARY
};
static_assert(std::size(kBary) == static_cast<size_t>(BaryMode::Linear) && std::size(kBary) == 4,
              "places are two bits, the third says linear");

constexpr PixelQueryInfo kPixelQueries[] = {
#define ETZEL_PIXEL_QUERY(Name, text, sample, predicate, Reads) {text, sample, predicate, Reads},
#include "compiler/isa/tables/pixel_queries.def"
#undef ETZEL_PIXEL_QUERY
};

}  // namespace

CmpF inverse(CmpF c) { return static_cast<CmpF>(kCmpF[static_cast<uint32_t>(c)].inverse); }
CmpI inverse(CmpI c) { return static_cast<CmpI>(kCmpI[static_cast<uint32_t>(c)].inverse); }
const SpaceInfo& spaceInfo(Space space) {
  ETZEL_ASSERT(static_cast<uint32_t>(space) < std::size(kSpaces));
  return kSpaces[static_cast<uint32_t>(space)];
}
const BaryInfo& baryInfo(const Inst& inst) { return kBary[inst.sub & 3]; }
const PixelQueryInfo& pixelQueryInfo(PixLdMode mode) {
  ETZEL_ASSERT(static_cast<uint32_t>(mode) < std::size(kPixelQueries));
  return kPixelQueries[static_cast<uint32_t>(mode)];
}

uint32_t subCount(SubKind kind) {
  switch (kind) {
    case SubKind::CmpF: return std::size(kCmpF);
    case SubKind::CmpI: return std::size(kCmpI);
    case SubKind::Space: return std::size(kSpaces);
    case SubKind::Reduce: return std::size(kReduce);
    case SubKind::SourceType: return kTypeCount;
    case SubKind::Bary: return std::size(kBaryText);
    case SubKind::PixLd: return std::size(kPixelQueries);
    case SubKind::Sampler: return Tld4Imm::kSamplerOfTexture + 1;
    case SubKind::None: return 1;
  }
  return 1;
}

const char* subNameOf(SubKind kind, uint32_t sub) {
  if (sub >= subCount(kind)) return "?";
  switch (kind) {
    case SubKind::CmpF: return kCmpF[sub].text;
    case SubKind::CmpI: return kCmpI[sub].text;
    case SubKind::Space: return kSpaces[sub].text;
    case SubKind::Reduce: return kReduce[sub];
    case SubKind::SourceType: return kTypeText[sub];
    case SubKind::Bary: return kBaryText[sub];
    case SubKind::PixLd: return kPixelQueries[sub].text;
    case SubKind::Sampler:
    case SubKind::None: return "";
  }
  return "";
}

}  // namespace etzel::isa
