#include "compiler/exec/native/analysis/bound.h"

#include <algorithm>
#include <optional>
#include <span>

#include "compiler/isa/info.h"

namespace etzel::native {
namespace {

using abi::TexInst;
using abi::TexKind;
using isa::Inst;
using isa::Opcode;

/// The handle that an operand has in the program itself, where emitters see it too (Emitter::constantHandle()).
std::optional<abi::DescriptorHandle> handleOf(const isa::Program& program, isa::Operand o) {
  if (o.bank != isa::Bank::Param || o.word / 4 >= program.constants.size()) return {};
  return program.constants[o.word / 4][o.word % 4];
}

/// Instructions that code reads texels for itself, or might: what its emitters ask of a view's kind.
bool asksKind(const Inst& inst) {
  if (isa::opInfo(inst).native != isa::Native::Texture) return false;
  const TexInst tex = TexInst::unpack(inst.imm);
  if (tex.sparse) return false;
  const bool samples = tex.kind == TexKind::Sample || tex.kind == TexKind::Gather;
  if (samples) return isFlat(tex) && tex.type == abi::TexType::Float;
  return namesTexels(tex) && tex.kind != TexKind::QuerySize;
}

/// Whether what a handle names is valid whether it is read or not.
bool isCertain(const isa::Program& program, abi::DescriptorHandle handle) {
  return std::any_of(program.resources.begin(), program.resources.end(), [&](const isa::Resource& r) {
    return r.certain && handle >= r.baseHandle && handle - r.baseHandle < r.count * (r.strideBytes / 16);
  });
}

/// Calls visit(view's handle, sampler's handle) for those instructions that run whenever the program does, or whose
/// view is valid anyway.
template <class Visit>
void forEachBound(const isa::Program& program, Visit&& visit) {
  uint32_t depth = 0;
  for (const Inst& inst : program.code) {
    switch (inst.op) {
      case Opcode::If:
      case Opcode::Block:
      case Opcode::Loop: ++depth; continue;
      case Opcode::EndIf:
      case Opcode::EndBlock:
      case Opcode::EndLoop: --depth; continue;
      case Opcode::Else:
      case Opcode::Br:
      case Opcode::BrC:  // to the end of a block
      case Opcode::Barrier: continue;
      default: break;
    }
    if (isa::opInfo(inst).control) ++depth;  // what follows may be left out
    if (!asksKind(inst)) continue;
    const auto known = [&](isa::Operand o) -> std::optional<abi::DescriptorHandle> {
      const std::optional<abi::DescriptorHandle> handle = handleOf(program, o);
      return handle && (depth == 0 || isCertain(program, *handle)) ? handle : std::nullopt;
    };
    if (const auto view = known(inst.src[0])) visit(*view, known(inst.src[2]));
  }
}

/// The object at the start of which a T lies; null: there is none.
template <class T, class Object>
const T* startOf(const Object* object) {
  return reinterpret_cast<const T*>(object);
}

/// As compiled code finds slots. Null: the null descriptor.
const abi::ImageDescriptor* slotOf(const abi::DispatchContext& context, abi::DescriptorHandle handle) {
  const uint32_t table = abi::tableOf(handle);
  const uint64_t at = abi::byteOffsetOf(handle);
  if (at + abi::kDescriptorBytes > context.tableBytes[table]) return nullptr;
  return reinterpret_cast<const abi::ImageDescriptor*>(context.table[table] + at);
}

template <class Map>
bool sameBytes(const Map& a, const Map& b) {
  if (a.size() != b.size()) return false;
  for (auto i = a.begin(), j = b.begin(); i != a.end(); ++i, ++j)
    if (i->first != j->first ||
        !std::ranges::equal(std::as_bytes(std::span(&i->second, 1)), std::as_bytes(std::span(&j->second, 1))))
      return false;
  return true;
}

}  // namespace

bool BoundKinds::operator==(const BoundKinds& other) const {
  return sameBytes(views, other.views) && sameBytes(samplers, other.samplers);
}

bool isFlat(const TexInst& tex) {
  return (tex.dim == abi::TexDim::D2 || tex.dim == abi::TexDim::D1) && !tex.arrayed && !tex.multisampled &&
         tex.rule == abi::DimRule::Given;
}

bool namesTexels(const TexInst& tex) {
  const bool names = tex.kind == TexKind::Fetch || tex.isImageAccess() || tex.kind == TexKind::QuerySize;
  return names && tex.dim != abi::TexDim::Subpass && !tex.multisampled && tex.rule == abi::DimRule::Given;
}

bool readsBound(const isa::Program& program) {
  bool any = false;
  forEachBound(program, [&](auto, auto) { any = true; });
  return any;
}

BoundKinds boundKinds(const isa::Program& program, const abi::DispatchContext& context) {
  constexpr size_t kMostViews = 12;  // all of them are looked at in each call
  BoundKinds kinds;
  forEachBound(program, [&](abi::DescriptorHandle view, std::optional<abi::DescriptorHandle> sampler) {
    if (kinds.views.size() >= kMostViews && !kinds.views.count(view)) return;
    const abi::ImageDescriptor* slot = slotOf(context, view);
    if (slot && slot->view)
      if (const auto& kind = startOf<abi::DirectView>(slot->view)->kind; !(kind.has & abi::DirectView::kSoonOther))
        kinds.views[view] = kind;
    slot = sampler ? slotOf(context, *sampler) : nullptr;
    if (slot && slot->sampler) kinds.samplers[*sampler] = *startOf<abi::DirectSampler>(slot->sampler);
  });
  return kinds;
}

}  // namespace etzel::native
