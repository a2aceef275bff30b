// Optimized code as bytes that run in any process of the same build on the same kind of host: no address of a process
// is in them. Code reaches C++ through abi::FunctionTable and through its own header (code.h), whose addresses it is
// given, and the few functions of the C library that LLVM may call through slots that loading fills.
#pragma once

#include <span>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/base/types.h"
#include "runtime/simd/cpu.h"

namespace etzel::native {

/// Text and data lie behind one another in memory, the data at the next page. Offsets count from the text's first byte.
struct Image {
  static constexpr uint32_t kNowhere = ~0u, kPageBytes = simd::kLargestPageBytes;
  std::vector<std::byte> text;    ///< may run, never changes
  std::vector<std::byte> data;    ///< constants, behind the slots: 8 bytes for each import
  std::vector<uint32_t> imports;  ///< places in importNames()
  std::vector<uint32_t> steps;    ///< instructions that call the interpreter
  uint32_t entry = kNowhere, workgroup = kNowhere, fragments = kNowhere, abreast = kNowhere;  ///< abi::Executable's
  uint32_t strands = 1;                                                                       ///< likewise

  uint32_t dataOffset() const { return static_cast<uint32_t>(alignUp<size_t>(text.size(), kPageBytes)); }
};

/// Functions that images may call on this kind of host (x64/, arm64/), by the names that LLVM has for them, and where
/// they are in this process.
std::span<const char* const> importNames();
const void* importAddress(uint32_t import);

std::vector<std::byte> writeImage(const Image& image);
/// Error: Io where the bytes are not what writeImage() makes. Whether the code does what it should nobody can check:
/// its bytes must come from who is trusted.
Result<Image> readImage(std::span<const std::byte> bytes);

}  // namespace etzel::native
