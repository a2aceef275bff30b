// What the tables of sub-operations say beside their names: compare.def, spaces.def, bary.def, pixel_queries.def. Pure,
// any thread.
#pragma once

#include <optional>

#include "compiler/isa/program.h"

namespace etzel::isa {

/// The comparison that holds exactly where `c` does not.
CmpF inverse(CmpF c);
CmpI inverse(CmpI c);

/// An address space; the columns of spaces.def.
struct SpaceInfo {
  enum class Access : uint8_t { Load, Store, Atomic };
  enum class Element : uint8_t { Any, Words };
  enum class Reach : uint8_t { Lane, Group, Outside };
  const char* text;
  uint8_t addressWords;
  Access access;
  Element element;
  Reach reach;
  bool uniform, constant, indexed;
};
/// \pre the number is one of Space
const SpaceInfo& spaceInfo(Space space);
inline const SpaceInfo& spaceOf(const Inst& inst) { return spaceInfo(static_cast<Space>(inst.sub)); }

/// A place of barycentric coordinates; the columns of bary.def.
struct BaryInfo {
  const char* text;
  bool offset, perSample;
};
/// The place that Inst::sub of Bary names, linear or not.
const BaryInfo& baryInfo(const Inst& inst);
constexpr bool isLinear(const Inst& bary) { return bary.sub & static_cast<uint8_t>(BaryMode::Linear); }

/// A pixel query; the columns of pixel_queries.def.
struct PixelQueryInfo {
  const char* text;
  bool sample, predicate;
  std::optional<abi::SysValue> reads;
};
/// \pre the number is one of PixLdMode
const PixelQueryInfo& pixelQueryInfo(PixLdMode mode);

/// Which enumeration Inst::sub belongs to; Sampler: a resource's number (Tld4Imm).
enum class SubKind : uint8_t { None, CmpF, CmpI, Space, Reduce, SourceType, Bary, PixLd, Sampler };
uint32_t subCount(SubKind kind);                    ///< legal sub values are below this
const char* subNameOf(SubKind kind, uint32_t sub);  ///< "" where the kind has no names, "?" past its end

}  // namespace etzel::isa
