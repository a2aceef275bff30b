// Whole programs as bytes (docs/isa.md, Container): a header, then sections. Little-endian. Pure, any thread.
#pragma once

#include <span>
#include <vector>

#include "compiler/isa/program.h"
#include "runtime/base/result.h"

namespace etzel::isa {

inline constexpr uint32_t kContainerMagic = 0x5A544531;  ///< "1ETZ" read as bytes
inline constexpr uint32_t kContainerVersion = 8;
enum class Section : uint32_t { Info = 1, Code, Constants, Resources, Debug, Prints, Aborts };

/// Requires a program over real registers that isa::verify accepts. FMul::contract marks are not kept: programs are
/// stored after the pass that uses them.
std::vector<std::byte> writeContainer(const Program& program);

/// Error: InvalidShader when the bytes are no container of this version, are cut short, or hold an instruction that
/// decode() rejects. What needs the whole program is isa::verify's to check.
Result<Program> readContainer(std::span<const std::byte> bytes);

}  // namespace etzel::isa
