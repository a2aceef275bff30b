// The addresses of a sparse resource ("Sparse Resources"). They are reserved when it is made and never change, so
// descriptors, views and device addresses work as for any other; binding maps pages of device memory there. So the
// processor's own page tables are the resource's, and no load or store has to ask anything.
//
// Pages without memory read as zeros; what is written to them stays in them until memory is bound or the resource goes
// (residencyNonResidentStrict is not offered), and nothing else is touched.
//
// Only memory of kSparseMemoryType can be mapped again: other allocations are private to the process, and huge pages
// are for them alone.
#pragma once

#include <memory>

#include "icd/object/address_bindings.h"
#include "runtime/mem/residency.h"

namespace etzel::icd {

class SparseRange {
 public:
  /// \param partial  pages may stay without memory, and shaders may ask which
  /// \returns null when there are no such addresses
  static std::unique_ptr<SparseRange> reserve(uint64_t bytes, bool partial);
  /// At `at`, or where a replay finds room again (icd/object/captured_addresses.h).
  static std::unique_ptr<SparseRange> reserveForReplay(uint64_t at, uint64_t bytes, bool partial);
  ~SparseRange();
  SparseRange(const SparseRange&) = delete;
  SparseRange& operator=(const SparseRange&) = delete;

  std::byte* data() const { return data_; }
  uint64_t bytes() const { return bytes_; }
  /// Null where all pages must have memory before they are used.
  const mem::Residency* residency() const { return residency_.get(); }

  /// Maps `memory` to bytes [offset, offset + bytes), or nothing where it is null. Whole pages of both.
  /// \returns whether the system did: it may be out of mappings
  bool bind(uint64_t offset, uint64_t bytes, std::byte* memory);
  /// `bindings` hear of that; null: nobody does.
  void reportTo(AddressBindings* bindings) { bindings_ = bindings; }

 private:
  static std::unique_ptr<SparseRange> of(std::byte* data, uint64_t bytes, bool partial);
  SparseRange(std::byte* data, uint64_t bytes) : data_(data), bytes_(bytes) {}

  std::byte* const data_;
  const uint64_t bytes_;
  std::unique_ptr<mem::Residency> residency_;
  AddressBindings* bindings_ = nullptr;
};

/// Of the living range that has this address and may lack memory; null: there is none.
const mem::Residency* residencyAt(const std::byte* address);

/// One step of a vkQueueBindSparse.
struct SparseBind {
  SparseRange* range = nullptr;
  uint64_t offset = 0, bytes = 0;
  std::byte* memory = nullptr;  ///< null: nothing
};

}  // namespace etzel::icd
