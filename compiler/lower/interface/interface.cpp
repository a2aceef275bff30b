// Stage inputs and outputs: locations and builtins to record words, attribute words, output registers and SysValues
// (runtime/abi/shader_io.h).
#include <algorithm>

#include "compiler/lower/lower.h"
#include "compiler/lower/subgroup_lanes.h"
#include "runtime/mutant/mutant.h"

namespace etzel::lower {

using abi::SysValue;
using spv::BuiltIn;
using spv::Decoration;

/// What decorations say at the current depth of a variable's type.
struct Lowerer::IoState {
  uint32_t location = 0, component = 0;
  bool flat = false, linear = false, centroid = false, sample = false;
  bool patch = false, perVertexInput = false;
  uint32_t index = 0;  ///< fragment output Index
  BuiltIn builtin = BuiltIn::Max;
  uint32_t builtinComponent = 0;
  bool xfb = false, captured = false;  ///< transform feedback
  uint32_t xfbBuffer = 0, xfbOffset = 0, stream = 0;
  uint32_t xfbBlock = 0;  ///< which element of an array of blocks: each goes to the next buffer

  void take(const spirv::Decorations& d) {
    location = d.get(Decoration::Location, location);
    if (d.has(Decoration::Location)) component = 0;
    component = d.get(Decoration::Component, component);
    index = d.get(Decoration::Index, index);
    flat |= d.has(Decoration::Flat), linear |= d.has(Decoration::NoPerspective);
    centroid |= d.has(Decoration::Centroid) && !mutated(Mutant::CentroidCentre);
    sample |= d.has(Decoration::Sample), patch |= d.has(Decoration::Patch);
    perVertexInput |= d.has(Decoration::PerVertexKHR);
    if (d.has(Decoration::BuiltIn)) builtin = static_cast<BuiltIn>(d.get(Decoration::BuiltIn)), builtinComponent = 0;
    xfbBuffer = d.get(Decoration::XfbBuffer, xfbBuffer);
    xfb |= d.has(Decoration::XfbBuffer);
    stream = d.get(Decoration::Stream, stream);
    if (xfb && d.has(Decoration::Offset)) captured = true, xfbOffset = d.get(Decoration::Offset);
  }
};

void Lowerer::declareInterfaces() {
  std::unordered_set<uint32_t> listed(module.interface.begin(), module.interface.end());
  auto wanted = [&](const spirv::Variable& v) {
    return listed.count(v.id) && (v.storage == spv::StorageClass::Input || v.storage == spv::StorageClass::Output);
  };
  // Cull distances lie behind the clip distances, so those are counted first.
  for (const spirv::Variable& v : module.variables) {
    if (!wanted(v)) continue;
    uint32_t& clips = v.storage == spv::StorageClass::Input ? inputClips_ : outputClips_;
    uint32_t at = v.type;
    auto length = [&](uint32_t typeId) { return type(typeId).kind == TypeKind::Array ? type(typeId).count : 0; };
    if (static_cast<BuiltIn>(module.decorationsOf(v.id).get(Decoration::BuiltIn, ~0u)) == BuiltIn::ClipDistance) {
      if (type(type(at).element).kind == TypeKind::Array) at = type(at).element;  // per vertex
      if (usedBuiltins_.count({v.id, static_cast<uint32_t>(BuiltIn::ClipDistance)})) clips = length(at);
    }
    while (type(at).kind == TypeKind::Array) at = type(at).element;
    for (uint32_t m = 0; m < type(at).members.size(); ++m)
      if (static_cast<BuiltIn>(module.memberDecorationsOf(at, m).get(Decoration::BuiltIn, ~0u)) ==
              BuiltIn::ClipDistance &&
          usedBuiltins_.count({v.id, static_cast<uint32_t>(BuiltIn::ClipDistance)}))
        clips = length(type(at).members[m]);
  }
  for (const spirv::Variable& v : module.variables)
    if (wanted(v)) declareInterface(v);
}

void Lowerer::declareInterface(const spirv::Variable& source) {
  const spirv::Decorations& d = module.decorationsOf(source.id);
  const bool input = source.storage == spv::StorageClass::Input;
  auto v = std::make_shared<Variable>();
  v->id = source.id, v->type = source.type, v->storage = source.storage;
  IoState state;
  state.take(d);
  uint32_t typeId = source.type;
  const abi::Stage s = stage();
  // A patch block carries the decoration on its members.
  uint32_t block = typeId;
  while (type(block).kind == TypeKind::Array) block = type(block).element;
  if (type(block).kind == TypeKind::Struct && !type(block).members.empty()) {
    const spirv::Decorations& first = module.memberDecorationsOf(block, 0);
    if (first.has(Decoration::Patch)) state.patch = true;
    if (first.has(Decoration::PerVertexKHR)) state.perVertexInput = true;
  }
  const bool tessLevel = state.builtin == BuiltIn::TessLevelOuter || state.builtin == BuiltIn::TessLevelInner;
  if (tessLevel) state.patch = true;
  if (input) {
    const bool arrayed = s == abi::Stage::TessControl || s == abi::Stage::TessEvaluation || s == abi::Stage::Geometry;
    const bool record = state.builtin == BuiltIn::Max || state.builtin == BuiltIn::Position ||
                        state.builtin == BuiltIn::PointSize || state.builtin == BuiltIn::ClipDistance ||
                        state.builtin == BuiltIn::CullDistance;
    v->perVertex = (arrayed && !state.patch && record) || (s == abi::Stage::Fragment && state.perVertexInput);
    v->banked = s == abi::Stage::Vertex;
    v->space = state.patch ? isa::Space::Patch : s == abi::Stage::Fragment ? isa::Space::Vertex : isa::Space::InRecord;
    if (s == abi::Stage::Fragment && v->perVertex) info().readsVertices = true;
  } else {
    v->perVertex = s == abi::Stage::TessControl && !state.patch;
    v->banked = s != abi::Stage::TessControl;
    v->space = state.patch ? isa::Space::Patch : isa::Space::OutRecord;
  }
  if (v->perVertex) {
    if (type(typeId).kind != TypeKind::Array)
      return error(ErrorCode::InvalidShader, "a per-vertex variable is not an array");
    v->vertices = type(typeId).count;
    typeId = type(typeId).element;
  }
  if (type(typeId).components > abi::kRecordWords)
    return error(ErrorCode::InvalidShader, "an interface variable is too large");
  if (state.sample && s == abi::Stage::Fragment && input) info().sampleRate = true;
  if (input && (state.builtin == BuiltIn::SampleId || state.builtin == BuiltIn::SamplePosition))
    info().sampleRate = true;
  assignIo(*v, typeId, state);
  if (failed()) return;
  Pointer p;
  p.kind = Pointer::Kind::Register;
  p.type = source.type, p.storage = source.storage, p.variable = v, p.perVertex = v->perVertex;
  pointers_[source.id] = p;
  if (!input && source.initializer && module.constant(source.initializer)) {
    inPrologue([&] {
      const std::vector<Operand> value = components(source.initializer);
      if (p.perVertex) {  // each invocation of the control stage initializes its own vertex
        Pointer own = p;
        own.perVertex = false, own.type = typeId, own.address = sys(SysValue::InvocationId);
        store(own, std::vector<Operand>(value.begin(),
                                        value.begin() + std::min<size_t>(value.size(), type(typeId).components)));
      } else {
        store(p, value);
      }
      return 0;
    });
  }
}

bool Lowerer::holdsWideScalars(uint32_t typeId) {
  const std::vector<uint32_t> scalars = scalarsOf(typeId);
  return std::any_of(scalars.begin(), scalars.end(), [&](uint32_t s) { return wordsOfScalar(s) == 2; });
}

void Lowerer::assignIo(Variable& v, uint32_t typeId, IoState& state) {
  const spirv::Type& t = type(typeId);
  const bool input = v.storage == spv::StorageClass::Input;
  if (t.kind == TypeKind::Struct) {
    // Captured structures with 64-bit members begin and end at multiples of 8 bytes.
    const bool aligned = state.captured && !input && holdsWideScalars(typeId);
    if (aligned) state.xfbOffset = alignUp(state.xfbOffset, 8u);
    for (uint32_t i = 0; i < t.members.size() && !failed(); ++i) {
      const spirv::Decorations& d = module.memberDecorationsOf(typeId, i);
      IoState inner = state;
      inner.take(d);
      // A block's variable may be captured by its members' offsets only.
      if (inner.sample && stage() == abi::Stage::Fragment && input) info().sampleRate = true;
      assignIo(v, t.members[i], inner);
      if (inner.builtin == BuiltIn::Max) state.location = inner.location;
      if (state.captured && !d.has(Decoration::Offset)) state.xfbOffset = inner.xfbOffset;
    }
    if (aligned) state.xfbOffset = alignUp(state.xfbOffset, 8u);
    return;
  }
  if (t.kind == TypeKind::Array || t.kind == TypeKind::Matrix) {
    const bool blocks =
        type(t.element).kind == TypeKind::Struct && module.decorationsOf(t.element).has(Decoration::Block);
    for (uint32_t i = 0; i < t.count && !failed(); ++i) {
      assignIo(v, t.element, state);
      if (blocks) ++state.xfbBlock;
    }
    return;
  }
  const std::vector<uint32_t> scalars = scalarsOf(typeId);
  uint32_t words = 0;
  for (uint32_t s : scalars) {
    IoComponent c;
    if (state.builtin != BuiltIn::Max) {
      c = builtinComponent(v, state.builtin, state.builtinComponent++, state);
      if (failed()) return;
    } else {
      const uint32_t location = state.location, component = state.component + words;
      const bool fragmentOut = stage() == abi::Stage::Fragment && !input;
      const uint32_t limit = fragmentOut ? (abi::kFragOutColorIndex1 - abi::kFragOutColor) / 4 : abi::kMaxLocations;
      if (location + component / 4 >= limit)
        return error(ErrorCode::InvalidShader, "an interface location is out of range");
      if (stage() == abi::Stage::Vertex && input)
        c.word = abi::attributeWord(location, component);
      else if (fragmentOut)
        c.word = (state.index ? abi::kFragOutColorIndex1 : abi::kFragOutColor) + 4 * location + component;
      else
        c.word = abi::locationWord(location, component);
      if (fragmentOut && c.word >= abi::kFragOutSampleDepth)
        return error(ErrorCode::InvalidShader, "an output location is out of range");
      uint64_t& mask = input ? info().inputLocations : info().outputLocations;
      mask |= uint64_t(1) << (location + component / 4);
      if (stage() == abi::Stage::Fragment && input && !v.perVertex) {
        const spirv::Type& st = type(s);
        const bool flat = state.flat || st.kind != TypeKind::Float || st.width == 64;
        c.kind = flat ? IoComponent::Kind::Flat : IoComponent::Kind::Interpolated;
        c.linear = state.linear;
        if (state.linear) info().linearInputs |= uint64_t(1) << (c.word / 4);
        c.bary = state.sample     ? isa::BaryMode::Sample
                 : state.centroid ? isa::BaryMode::Centroid
                                  : isa::BaryMode::Default;
      }
      if (fragmentOut && state.index) info().writesColorIndex1 = true;
      if (fragmentOut && type(s).kind == TypeKind::Int) info().integerOutputs |= 1u << location;
    }
    const uint32_t w = wordsOfScalar(s);
    if (state.captured && !input) {
      if (w == 2) state.xfbOffset = alignUp(state.xfbOffset, 8u);
      for (uint32_t k = 0; k < w; ++k, state.xfbOffset += 4)
        info().xfbOutputs.push_back(
            {static_cast<uint16_t>(c.word + k), static_cast<uint8_t>(state.xfbBuffer + state.xfbBlock),
             static_cast<uint8_t>(state.stream), mutated(Mutant::XfbOffset) ? 0 : state.xfbOffset});
    }
    v.io.push_back(c);
    words += w;
  }
  if (state.builtin == BuiltIn::Max) state.location += words > 4 ? 2 : 1;
}

namespace {

/// Built-ins that are system values, in every stage that has them; of vectors the first component.
constexpr std::pair<BuiltIn, SysValue> kSystemBuiltIns[] = {
    {BuiltIn::VertexIndex, SysValue::VertexIndex},
    {BuiltIn::InstanceIndex, SysValue::InstanceIndex},
    {BuiltIn::BaseVertex, SysValue::BaseVertex},
    {BuiltIn::BaseInstance, SysValue::BaseInstance},
    {BuiltIn::DrawIndex, SysValue::DrawIndex},
    {BuiltIn::ViewIndex, SysValue::ViewIndex},
    {BuiltIn::InvocationId, SysValue::InvocationId},
    {BuiltIn::PatchVertices, SysValue::PatchVertices},
    {BuiltIn::TessCoord, SysValue::TessCoordX},
    {BuiltIn::FragCoord, SysValue::FragCoordX},
    {BuiltIn::FrontFacing, SysValue::FrontFacing},
    {BuiltIn::PointCoord, SysValue::PointCoordX},
    {BuiltIn::SampleId, SysValue::SampleId},
    {BuiltIn::SamplePosition, SysValue::SamplePosX},
    {BuiltIn::ShadingRateKHR, SysValue::ShadingRate},
    {BuiltIn::GlobalInvocationId, SysValue::GlobalIdX},
    {BuiltIn::LocalInvocationId, SysValue::LocalIdX},
    {BuiltIn::LocalInvocationIndex, SysValue::LocalIndex},
    {BuiltIn::WorkgroupId, SysValue::WorkgroupIdX},
    {BuiltIn::NumWorkgroups, SysValue::NumWorkgroupsX},
    {BuiltIn::FragInvocationCountEXT, SysValue::InvocationCount},
};

const SysValue* systemValueOf(BuiltIn builtin) {
  for (const auto& [name, value] : kSystemBuiltIns)
    if (name == builtin) return &value;
  return nullptr;
}

/// "Compute derivative group", DerivativeGroupQuads: four invocations that lie next to each other in a subgroup are a
/// square of the workgroup, so their ids follow from the place in the subgroup the other way round.
Operand invocationInQuads(Lowerer& l, BuiltIn builtin, uint32_t n) {
  const auto i32 = [&](Opcode op, Operand a, Operand b) { return l.b.value(op, isa::Type::I32, a, b); };
  const uint32_t width = l.module.localSize[0], height = l.module.localSize[1];
  const Operand place = l.sys(SysValue::LocalIndex), quad = i32(Opcode::Shr, place, l.imm(2));
  const Operand columns = l.imm(std::max(width / 2, 1u)), rows = l.imm(std::max(height / 2, 1u));
  const Operand row = i32(Opcode::UDiv, quad, columns),
                bits[2] = {i32(Opcode::And, place, l.imm(1)),
                           i32(Opcode::And, i32(Opcode::Shr, place, l.imm(1)), l.imm(1))};
  const Operand x = i32(Opcode::IAdd, i32(Opcode::Shl, i32(Opcode::UMod, quad, columns), l.imm(1)), bits[0]);
  const Operand y = i32(Opcode::IAdd, i32(Opcode::Shl, i32(Opcode::UMod, row, rows), l.imm(1)), bits[1]);
  const Operand id[3] = {x, y, i32(Opcode::UDiv, row, rows)};
  if (builtin == BuiltIn::LocalInvocationIndex) {
    const Operand line = i32(Opcode::IAdd, i32(Opcode::IMul, id[2], l.imm(height)), y);
    return i32(Opcode::IAdd, i32(Opcode::IMul, line, l.imm(width)), x);
  }
  n = std::min(n, 2u);
  if (builtin == BuiltIn::LocalInvocationId) return id[n];
  const auto first = static_cast<SysValue>(static_cast<uint32_t>(SysValue::WorkgroupIdX) + n);
  return i32(Opcode::IAdd, i32(Opcode::IMul, l.sys(first), l.imm(l.module.localSize[n])), id[n]);
}

bool isInvocation(BuiltIn builtin) {
  return builtin == BuiltIn::GlobalInvocationId || builtin == BuiltIn::LocalInvocationId ||
         builtin == BuiltIn::LocalInvocationIndex;
}

}  // namespace

IoComponent Lowerer::builtinComponent(const Variable& v, BuiltIn builtin, uint32_t n, const IoState& state) {
  if (builtin == BuiltIn::ViewIndex && source.viewIndexFromDevice) builtin = BuiltIn::DeviceIndex;
  IoComponent c;
  c.builtin = builtin, c.builtinComponent = n;
  const bool input = v.storage == spv::StorageClass::Input;
  const bool fragment = stage() == abi::Stage::Fragment;
  auto inRecord = [&](uint32_t w) {
    c.word = w;
    if (fragment && input) {
      c.kind = IoComponent::Kind::Interpolated;
      c.linear = state.linear;
      if (state.linear && w < abi::kRecordWords) info().linearInputs |= uint64_t(1) << (w / 4);
      c.bary = state.sample ? isa::BaryMode::Sample : state.centroid ? isa::BaryMode::Centroid : isa::BaryMode::Default;
    }
    if (w >= abi::kRecordWords) error(ErrorCode::InvalidShader, "a builtin has too many elements");
    return c;
  };
  auto system = [&](SysValue first) {
    c.kind = IoComponent::Kind::System;
    c.system = static_cast<SysValue>(static_cast<uint32_t>(first) + n);
    c.word = n;
    return c;
  };
  auto special = [&] {
    c.kind = IoComponent::Kind::Special;
    c.bary = state.sample ? isa::BaryMode::Sample : state.centroid ? isa::BaryMode::Centroid : isa::BaryMode::Default;
    c.word = n;
    return c;
  };
  const bool inQuads = module.hasMode(spv::ExecutionMode::DerivativeGroupQuadsNV) && !mutated(Mutant::ComputeQuads);
  if (inQuads && isInvocation(builtin)) return special();
  if (const SysValue* value = systemValueOf(builtin)) return system(*value);
  switch (builtin) {
    case BuiltIn::Position: return inRecord(abi::kWordPosition + n);
    case BuiltIn::PointSize: return inRecord(abi::kWordPointSize);
    case BuiltIn::ClipDistance: return inRecord(abi::kWordClipDistance + std::min(n, 7u));
    case BuiltIn::CullDistance:
      return inRecord(abi::kWordClipDistance + std::min((input ? inputClips_ : outputClips_) + n, 7u));
    case BuiltIn::TessLevelOuter: return inRecord(abi::kWordTessLevelOuter + std::min(n, 3u));
    case BuiltIn::TessLevelInner: return inRecord(abi::kWordTessLevelInner + std::min(n, 1u));
    case BuiltIn::PrimitiveId: return input ? system(SysValue::PrimitiveId) : inRecord(abi::kWordPrimitiveId);
    case BuiltIn::Layer: return input ? system(SysValue::Layer) : inRecord(abi::kWordLayer);
    case BuiltIn::ViewportIndex: return input ? system(SysValue::ViewportIndex) : inRecord(abi::kWordViewportIndex);
    case BuiltIn::PrimitiveShadingRateKHR: return inRecord(abi::kWordShadingRate);
    case BuiltIn::FragDepth: c.word = abi::kFragOutDepth; return c;
    case BuiltIn::FragStencilRefEXT: c.word = abi::kFragOutStencilRef; return c;
    case BuiltIn::SampleMask:
      if (input && n == 0) return system(SysValue::SampleMaskIn);
      if (input) return special();
      c.word = n == 0 ? uint32_t(abi::kFragOutSampleMask) : 2;  // samples beyond 32 do not exist: an unused word
      return c;
    case BuiltIn::WorkgroupSize:
    case BuiltIn::SubgroupId:
    case BuiltIn::NumSubgroups:
    case BuiltIn::SubgroupLocalInvocationId:
    case BuiltIn::SubgroupSize:
    case BuiltIn::SubgroupEqMask:
    case BuiltIn::SubgroupGeMask:
    case BuiltIn::SubgroupGtMask:
    case BuiltIn::SubgroupLeMask:
    case BuiltIn::SubgroupLtMask:
    case BuiltIn::DeviceIndex:
    case BuiltIn::FullyCoveredEXT:
    case BuiltIn::FragSizeEXT:
    case BuiltIn::HelperInvocation: return special();
    case BuiltIn::BaryCoordKHR:
    case BuiltIn::BaryCoordNoPerspKHR:
      // An attribute like others, which clipping interpolates, too.
      info().readsVertices = true;
      c.kind = IoComponent::Kind::Interpolated;
      c.linear = builtin == BuiltIn::BaryCoordNoPerspKHR;
      c.word = abi::kWordBarycentric + (c.linear ? 3 : 0) + std::min(n, 2u);
      c.bary = state.sample ? isa::BaryMode::Sample : state.centroid ? isa::BaryMode::Centroid : isa::BaryMode::Default;
      return c;
    default:
      error(ErrorCode::Unsupported, "SPIR-V builtin " + std::to_string(static_cast<uint32_t>(builtin)));
      return c;
  }
}

Operand Lowerer::specialBuiltin(const IoComponent& c) {
  const uint32_t n = c.builtinComponent;
  auto laneMask = [&](uint32_t shifted, uint32_t shift, bool inverted) {
    if (n != 0) return imm(0);  // a subgroup has at most 8 lanes
    Operand m = b.value(Opcode::Shl, isa::Type::I32, imm(shifted), laneOfSubgroup(*this));
    if (shift) m = b.value(Opcode::Shl, isa::Type::I32, m, imm(shift));
    if (inverted) m = b.value(Opcode::Not, isa::Type::I32, m);
    return b.value(Opcode::And, isa::Type::I32, m, imm((1u << subgroupSize(*this)) - 1));
  };
  switch (c.builtin) {
    case BuiltIn::GlobalInvocationId:
    case BuiltIn::LocalInvocationId:
    case BuiltIn::LocalInvocationIndex: return invocationInQuads(*this, c.builtin, n);
    case BuiltIn::WorkgroupSize: return imm(module.localSize[std::min(n, 2u)]);
    case BuiltIn::SubgroupId: return subgroupId(*this);
    case BuiltIn::NumSubgroups: return subgroupCount(*this);
    case BuiltIn::SubgroupLocalInvocationId: return laneOfSubgroup(*this);
    case BuiltIn::SubgroupSize: return imm(subgroupSize(*this));
    case BuiltIn::SubgroupEqMask: return laneMask(1, 0, false);
    case BuiltIn::SubgroupGeMask: return laneMask(0xff, 0, false);
    case BuiltIn::SubgroupGtMask: return laneMask(0xff, 1, false);
    case BuiltIn::SubgroupLeMask: return laneMask(~0u, 1, true);
    case BuiltIn::SubgroupLtMask: return laneMask(~0u, 0, true);
    // All bits or not: bit 0 says something else (runtime/abi/invocation_place.h).
    case BuiltIn::FullyCoveredEXT: return b.value(Opcode::Sar, isa::Type::I32, sys(SysValue::FullyCovered), imm(31));
    case BuiltIn::FragSizeEXT: {  // of the rate's logarithms: that of the width lies above that of the height
      const Operand rate = sys(SysValue::ShadingRate);
      const Operand log = n == 0 ? b.value(Opcode::Shr, isa::Type::I32, rate, imm(2)) : rate;
      return b.value(Opcode::Shl, isa::Type::I32, imm(1), b.value(Opcode::And, isa::Type::I32, log, imm(3)));
    }
    case BuiltIn::HelperInvocation: return b.value(Opcode::Helper, isa::Type::I32);
    default: return imm(0);
  }
}

}  // namespace etzel::lower
