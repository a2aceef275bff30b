// Descriptors and textures, once per target.
#include <algorithm>

#include "compiler/exec/interp/vector/cells.h"
#include "compiler/exec/interp/vector/finders.h"

namespace etzel::interp::ETZEL_TARGET {
namespace {

const Op* descriptor(const Op* op, Frame& f) {
  const isa::Resource& r = f.code->resources[op->imm];
  const U32x8 index = word(f, op->src[0]);
  const U32x8 handle = splat<U32x8>(r.baseHandle) + index * (r.strideBytes / 16);
  word(f, op->dst) = simd::select((U32x8)(index < r.count), handle, splat<U32x8>(abi::kNullHandle));
  return op + 1;
}
enum class Asked { Address, Size, LongSize };
template <Asked what>
const Op* bufferQuery(const Op* op, Frame& f) {
  const U32x8 handles = word(f, op->src[0]);
  const auto answer = [&](uint32_t handle) -> uint64_t {
    const Range r = bufferRange(*f.warp->context, handle);
    if (what == Asked::Address) return reinterpret_cast<uint64_t>(r.data);
    return what == Asked::Size ? std::min<uint64_t>(r.size, 0xFFFFFFFF) : r.size;
  };
  U32x8 lo, hi;
  if (uniform(handles, f.exec)) {
    const uint64_t v = answer(handles[firstOf(f.exec)]);
    lo = splat<U32x8>(static_cast<uint32_t>(v)), hi = splat<U32x8>(static_cast<uint32_t>(v >> 32));
  } else {
    lo = hi = splat<U32x8>(0);
    for (LaneMask left = f.exec; left; left &= left - 1) {
      const uint32_t i = firstOf(left);
      const uint64_t v = answer(handles[i]);
      lo[i] = static_cast<uint32_t>(v), hi[i] = static_cast<uint32_t>(v >> 32);
    }
  }
  word(f, op->dst) = lo;
  if (what != Asked::Size) word(f, op->dst, 1) = hi;
  return op + 1;
}

// Helper lanes take part in sampling (derivatives), never in writes.
template <bool Writes>
const Op* texture(const Op* op, Frame& f) {
  const LaneMask lanes = Writes ? f.exec & ~f.warp->helper : f.exec;
  if (lanes)
    f.warp->context->functions->texture(f.warp, op->imm, lanes, f.words(op->src[0]), f.words(op->src[2]),
                                        f.words(op->src[1]), f.words(op->dst));
  return op + 1;
}

}  // namespace

Handler descriptorHandler(const isa::Inst& inst) {
  using isa::Opcode;
  switch (inst.op) {
    case Opcode::Desc: return descriptor;
    case Opcode::BufSize: return inst.type == isa::Type::I64 ? bufferQuery<Asked::LongSize> : bufferQuery<Asked::Size>;
    case Opcode::BufAddr: return bufferQuery<Asked::Address>;
    case Opcode::Tex2: {
      return abi::TexInst::unpack(inst.imm).writesImage() ? texture<true> : texture<false>;
    }
    default: return nullptr;
  }
}

}  // namespace etzel::interp::ETZEL_TARGET
