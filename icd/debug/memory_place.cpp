#include "icd/debug/memory_place.h"

#include <algorithm>
#include <bit>
#include <charconv>

#include "compiler/debug/operand.h"
#include "icd/debug/numbers.h"
#include "runtime/format/format.h"
#include "runtime/tex/decoding.h"
#include "runtime/tex/single/group.h"
#include "runtime/tex/single/texel_fetch.h"

namespace etzel::icd {
namespace {

void append(std::string& to, uint64_t number) {
  char text[20];
  to += ':';
  to.append(text, std::to_chars(text, text + sizeof text, number, 16).ptr);
}

constexpr uint64_t kAnySample = ~uint64_t(0);

/// Coordinates that accesses to the view take, without a sample.
uint32_t coordinatesOf(const tex::ImageView& view) {
  switch (view.type) {
    case VK_IMAGE_VIEW_TYPE_1D: return 1;
    case VK_IMAGE_VIEW_TYPE_1D_ARRAY:
    case VK_IMAGE_VIEW_TYPE_2D: return 2;
    default: return 3;
  }
}

bool contains(const MemoryPlace& watched, const MemoryPlace& stored) {
  for (const MemoryPlace::Bytes& b : stored.bytes)
    if (overlaps(watched, b.at, b.count)) return true;
  if (!watched.texel || !stored.texel) return false;
  MemoryPlace::Texel one = *watched.texel;
  if (!one.sample || !stored.texel->sample) one.sample = stored.texel->sample;
  return one == *stored.texel;
}

/// The view that an image instruction reaches in a lane, as its image is stored; null: none is bound
const tex::ImageView* viewOf(const debugger::GroupRun& run, uint32_t w, const isa::Inst& inst, uint32_t lane) {
  return tex::asStored(interp::imageOf(*run.warp(w).context, debugger::operandWord(run, w, inst.src[0], 0, lane)));
}

/// Where an image instruction stores in a lane.
std::optional<MemoryPlace> imagePlace(const debugger::GroupRun& run, uint32_t w, const isa::Inst& inst, uint32_t lane) {
  const abi::TexInst t = abi::TexInst::unpack(inst.imm);
  const auto argument = [&](uint32_t i) { return debugger::operandWord(run, w, inst.src[1], i, lane); };
  const tex::ImageView* const view = viewOf(run, w, inst, lane);
  if (!view) return {};
  std::vector<uint32_t> coordinates;
  for (uint32_t i = 0; i < t.argCoordWords(); ++i) coordinates.push_back(argument(i));
  coordinates.resize(view->info && !view->layout ? 1 : coordinatesOf(*view));
  if (view->samples > 1) coordinates.push_back(t.hasSample() ? argument(t.argSample()) : 0);
  return placeOfTexel(*view, coordinates);
}

/// Whether the texel that an image instruction reaches in a lane exists. Nothing is at a null descriptor.
bool isInside(const debugger::GroupRun& run, uint32_t w, const isa::Inst& inst, uint32_t lane) {
  const abi::TexInst t = abi::TexInst::unpack(inst.imm);
  const tex::ImageView* const view = viewOf(run, w, inst, lane);
  if (!view) return false;
  std::vector<LaneWords> arguments(t.argWords());
  for (uint32_t i = 0; i < arguments.size(); ++i)
    arguments[i].lane[lane] = debugger::operandWord(run, w, inst.src[1], i, lane);
  // Offsets of fetches move the coordinates.
  for (uint32_t d = 0; t.offset && d < t.offsetDims(); ++d)
    arguments[d].lane[lane] += arguments[t.argOffset() + d].lane[lane];
  const bool hasLevel = t.kind == abi::TexKind::Fetch && t.lod == abi::LodMode::Explicit && view->layout;
  const uint32_t level = hasLevel ? arguments[t.argLod()].lane[lane] : 0;
  if (hasLevel && level >= view->mipCount) return false;
  abi::Warp warp = run.warp(w);
  tex::TexelPosition at;
  const tex::Group group{&warp, t, static_cast<LaneMask>(1u << lane), view, nullptr, arguments.data(), nullptr};
  return tex::texelPosition(group, lane, tex::TexelReader(*view).level(level), &at);
}

}  // namespace

LaneMask leavesImage(const debugger::GroupRun& run, uint32_t w, LaneMask lanes) {
  const uint32_t index = run.instruction(w);
  if (index >= run.program().program.code.size()) return 0;
  const isa::Inst& inst = run.program().program.code[index];
  if (inst.op != isa::Opcode::Tex2) return 0;
  const abi::TexInst t = abi::TexInst::unpack(inst.imm);
  const bool fetches =
      t.kind == abi::TexKind::Fetch || t.kind == abi::TexKind::FragmentFetch || t.kind == abi::TexKind::FragmentMask;
  if (!fetches && !t.isImageAccess()) return 0;
  LaneMask outside = 0;
  for (LaneMask left = lanes & run.active(w) & ~run.warp(w).helper; left; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    if (!isInside(run, w, inst, lane)) outside |= static_cast<LaneMask>(1u << lane);
  }
  return outside;
}

bool overlaps(const MemoryPlace& place, uint64_t at, uint64_t count) {
  return std::any_of(place.bytes.begin(), place.bytes.end(),
                     [&](const MemoryPlace::Bytes& b) { return at < b.at + b.count && b.at < at + count; });
}

std::string MemoryPlace::id() const {
  std::string out = texel ? "texel" : "bytes";
  for (const Bytes& b : bytes) append(out, b.at), append(out, b.count);
  if (texel)
    for (const uint64_t n : {texel->image, texel->plane, uint64_t{texel->level}, uint64_t{texel->layer},
                             uint64_t{texel->x}, uint64_t{texel->y}, texel->sample ? *texel->sample : kAnySample})
      append(out, n);
  return out;
}

std::optional<MemoryPlace> MemoryPlace::read(const std::string& id) {
  const size_t colon = id.find(':');
  if (colon == std::string::npos) return {};
  const auto numbers = numbersIn<uint64_t>(std::string_view(id).substr(colon + 1), ':', 16);
  if (!numbers) return {};
  const std::vector<uint64_t>& n = *numbers;
  MemoryPlace place;
  if (id.starts_with("bytes:") && n.size() % 2 == 0) {
    for (size_t i = 0; i < n.size(); i += 2) place.bytes.push_back({n[i], std::min(n[i + 1], ~n[i])});
    return place;
  }
  if (!id.starts_with("texel:") || n.size() != 7) return {};
  const auto word = [&](size_t i) { return static_cast<uint32_t>(n[i]); };
  place.texel = Texel{n[0], n[1], word(2), word(3), word(4), word(5), {}};
  if (n[6] != kAnySample) place.texel->sample = word(6);
  return place;
}

std::optional<MemoryPlace> placeOfTexel(const tex::ImageView& view, const std::vector<uint32_t>& coordinates) {
  MemoryPlace place;
  const auto address = [](const void* p) { return reinterpret_cast<uint64_t>(p); };
  if (!view.layout) {
    if (coordinates.size() != 1 || !view.info) return {};
    const uint64_t bytes = view.info->blockBytes;
    place.bytes.push_back({address(view.memory) + coordinates[0] * bytes, bytes});
    return place;
  }
  const uint32_t count = coordinatesOf(view);
  const bool names = view.samples > 1 && coordinates.size() == count + 1;
  if (coordinates.size() != count && !names) return {};
  MemoryPlace::Texel t;
  t.image = address(view.memory), t.plane = address(view.plane);
  t.level = view.baseMip;
  t.x = coordinates[0];
  const bool isLine = view.type == VK_IMAGE_VIEW_TYPE_1D || view.type == VK_IMAGE_VIEW_TYPE_1D_ARRAY;
  if (!isLine) t.y = coordinates[1];
  const uint32_t behind = isLine ? 1 : 2;
  const uint32_t layer = count > behind ? coordinates[behind] : 0;
  t.layer = (view.depthCount ? view.baseDepth : view.baseLayer) + layer;
  if (names) t.sample = coordinates[count];
  place.texel = t;
  return place;
}

LaneMask storesTo(const debugger::GroupRun& run, uint32_t w, const MemoryPlace& place) {
  const uint32_t index = run.instruction(w);
  if (index >= run.program().program.code.size()) return 0;
  const isa::Inst& inst = run.program().program.code[index];
  LaneMask lanes = 0;
  if (inst.op == isa::Opcode::St || inst.op == isa::Opcode::Atom) {
    run.stepper(w).forEachAccess(inst, [&](const interp::Access& a) {
      if (a.writes && a.at && overlaps(place, reinterpret_cast<uint64_t>(a.at), a.bytes))
        lanes |= static_cast<LaneMask>(1u << a.lane);
    });
    return lanes;
  }
  if (inst.op != isa::Opcode::Tex2 || !abi::TexInst::unpack(inst.imm).writesImage()) return 0;
  for (LaneMask left = run.active(w) & ~run.warp(w).helper; left; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const auto stored = imagePlace(run, w, inst, lane);
    if (stored && contains(place, *stored)) lanes |= static_cast<LaneMask>(1u << lane);
  }
  return lanes;
}

}  // namespace etzel::icd
