// Atomics that many lanes do at one place: as one, and later, where nobody can tell.
#pragma once

#include <map>
#include <optional>

#include "compiler/exec/native/analysis/divergence.h"
#include "runtime/abi/tex_inst.h"

namespace etzel::native {

/// The reduction of many values, of Sub that of their negatives, that does as much as the operation with each of them;
/// nothing where there is none.
std::optional<isa::ReduceOp> reductionOf(abi::AtomicOp op);

/// Whether all active lanes have the same place.
bool isAtOnePlace(const Webs& webs, const Divergence& divergence, const isa::Inst& atomic);

/// Instead of a slot: lanes have places of their own (abi::DelayedAtomics::places).
inline constexpr uint32_t kOwnPlaces = ~0U;

/// Instructions that may be done after the invocation's end, and after that of later workgroups of a dispatch or of
/// later fragments (abi::DelayedAtomics), and the slot of each, or kOwnPlaces. Those whose results nobody wants, at the
/// end of compute and fragment programs: no barrier or fence, and nothing that the invocation reads or writes outside
/// of its workgroup comes after them. The program has no other atomics outside of the workgroup, so that none of its
/// invocations waits for another. Where lanes have places of their own all are one operation, since any two may have
/// the same place.
std::map<uint32_t, uint32_t> findDelayedAtomics(const Webs& webs, const Divergence& divergence);

}  // namespace etzel::native
