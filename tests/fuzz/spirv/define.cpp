#include <map>
#include <spirv/unified1/spirv.hpp11>

#include "tests/fuzz/spirv/module.h"

namespace etzel::fuzz {
namespace {

using spv::Op;

bool mayHaveInitializer(uint32_t storage) {
  switch (spv::StorageClass(storage)) {
    case spv::StorageClass::Function:
    case spv::StorageClass::Private:
    case spv::StorageClass::Output:
    case spv::StorageClass::Workgroup: return true;
    default: return false;
  }
}

}  // namespace

void define(Module& module) {
  std::map<uint32_t, uint32_t> pointee, nullOf;           // by type
  std::map<uint32_t, std::vector<uint32_t>> undefinedOf;  // results of OpUndef by type
  std::vector<Instruction> code;
  const auto nullFor = [&](uint32_t type) {
    uint32_t& id = nullOf[type];
    if (!id) id = module.newId();
    return id;
  };
  for (Instruction& inst : module.code) {
    if (inst.opcode == uint16_t(Op::OpTypePointer)) pointee[inst.result] = inst.words[3];
    if (inst.opcode == uint16_t(Op::OpUndef)) undefinedOf[inst.type].push_back(inst.result);
    if (inst.opcode != uint16_t(Op::OpVariable) || inst.words.size() != 4 || !mayHaveInitializer(inst.words[3]))
      continue;
    if (const auto type = pointee.find(inst.type); type != pointee.end()) inst.words.push_back(nullFor(type->second));
  }
  for (Instruction& inst : module.code) {
    if (inst.opcode == uint16_t(Op::OpUndef)) continue;
    const uint32_t type = inst.result;
    code.push_back(std::move(inst));
    if (!type) continue;
    // Nulls come right behind their type.
    const auto add = [&](uint32_t id) { code.push_back(instruction(uint16_t(Op::OpConstantNull), {type, id})); };
    if (const auto it = nullOf.find(type); it != nullOf.end()) add(it->second);
    if (const auto it = undefinedOf.find(type); it != undefinedOf.end())
      for (const uint32_t id : it->second) add(id);
  }
  module.code = std::move(code);
}

}  // namespace etzel::fuzz
