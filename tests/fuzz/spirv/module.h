// SPIR-V as instructions with operands that are told apart, to be changed and written again. Nothing needs to be valid
// but the grammar.
#pragma once

#include <spirv-tools/libspirv.h>

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace etzel::fuzz {

struct Operand {
  uint16_t at, words;  ///< in Instruction::words
  spv_operand_type_t type;
};

constexpr bool isId(const Operand& o) {
  switch (o.type) {
    case SPV_OPERAND_TYPE_ID:
    case SPV_OPERAND_TYPE_TYPE_ID:
    case SPV_OPERAND_TYPE_RESULT_ID:
    case SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID:
    case SPV_OPERAND_TYPE_SCOPE_ID: return true;
    default: return false;
  }
}

struct Instruction {
  uint16_t opcode = 0;
  uint32_t type = 0, result = 0;  ///< ids, 0: none
  std::vector<uint32_t> words;    ///< the first holds length and opcode
  std::vector<Operand> operands;  ///< type and result included
};

struct Module {
  std::array<uint32_t, 5> header{};
  std::vector<Instruction> code;
  uint32_t& bound() { return header[3]; }
  uint32_t newId() { return header[3]++; }
};

/// Nothing when the words do not follow the grammar.
std::optional<Module> parse(std::span<const uint32_t> words);
std::vector<uint32_t> write(const Module& module);

/// An instruction without operands that are told apart.
Instruction instruction(uint16_t opcode, std::vector<uint32_t> operands);

/// Where the first function begins.
size_t firstFunction(const Module& module);

/// Gives every variable that may have one an initializer, and takes OpUndef away: what is read before it is written is
/// zero then. Executors may differ in what a module leaves undefined.
void define(Module& module);

/// Makes every NaN that an instruction gives the same one: which it is, nothing specifies.
void quietNans(Module& module);

/// Gives all of `from` to `into`, under new ids, and has its entry point called from that of `into`: types that exist,
/// and inputs and outputs of the same place, become one.
void splice(Module& into, const Module& from);

}  // namespace etzel::fuzz
