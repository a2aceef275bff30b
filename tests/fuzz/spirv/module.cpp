#include "tests/fuzz/spirv/module.h"

#include <algorithm>
#include <memory>
#include <spirv/unified1/spirv.hpp11>

namespace etzel::fuzz {
namespace {

spv_context context() {
  static const std::unique_ptr<spv_context_t, void (*)(spv_context)> made(spvContextCreate(SPV_ENV_UNIVERSAL_1_6),
                                                                          spvContextDestroy);
  return made.get();
}

spv_result_t takeHeader(void* user, spv_endianness_t, uint32_t, uint32_t version, uint32_t generator, uint32_t bound,
                        uint32_t schema) {
  static_cast<Module*>(user)->header = {0x07230203, version, generator, bound, schema};
  return SPV_SUCCESS;
}

spv_result_t takeInstruction(void* user, const spv_parsed_instruction_t* parsed) {
  Instruction inst;
  inst.opcode = parsed->opcode;
  inst.type = parsed->type_id;
  inst.result = parsed->result_id;
  inst.words.assign(parsed->words, parsed->words + parsed->num_words);
  for (uint16_t i = 0; i < parsed->num_operands; ++i) {
    const spv_parsed_operand_t& o = parsed->operands[i];
    inst.operands.push_back({o.offset, o.num_words, o.type});
  }
  static_cast<Module*>(user)->code.push_back(std::move(inst));
  return SPV_SUCCESS;
}

}  // namespace

std::optional<Module> parse(std::span<const uint32_t> words) {
  Module module;
  if (spvBinaryParse(context(), &module, words.data(), words.size(), takeHeader, takeInstruction, nullptr))
    return std::nullopt;
  return module;
}

std::vector<uint32_t> write(const Module& module) {
  std::vector<uint32_t> words(module.header.begin(), module.header.end());
  for (const Instruction& inst : module.code) {
    words.push_back(uint32_t(inst.words.size()) << 16 | inst.opcode);
    words.insert(words.end(), inst.words.begin() + 1, inst.words.end());
  }
  return words;
}

Instruction instruction(uint16_t opcode, std::vector<uint32_t> operands) {
  Instruction inst;
  inst.opcode = opcode;
  inst.words = std::move(operands);
  inst.words.insert(inst.words.begin(), 0);
  return inst;
}

size_t firstFunction(const Module& module) {
  const auto is = [](const Instruction& i) { return i.opcode == uint16_t(spv::Op::OpFunction); };
  return size_t(std::find_if(module.code.begin(), module.code.end(), is) - module.code.begin());
}

}  // namespace etzel::fuzz
