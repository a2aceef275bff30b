#include <map>
#include <spirv/unified1/spirv.hpp11>

#include "tests/fuzz/spirv/module.h"

namespace etzel::fuzz {
namespace {

using spv::Op;

bool is(const Instruction& inst, Op op) { return inst.opcode == uint16_t(op); }

/// A scalar or vector of floats.
struct FloatType {
  uint32_t scalar = 0, width = 0, count = 1;
};

/// What makes NaNs equal in one type: whether elements are, and the value instead.
struct Tools {
  uint32_t boolean = 0, nan = 0;
};

class Quieter {
 public:
  explicit Quieter(Module& module) : module_(module) {
    for (const Instruction& inst : module.code) {
      if (is(inst, Op::OpTypeFloat)) floats_[inst.result] = {inst.result, inst.words[2], 1};
      if (is(inst, Op::OpTypeBool)) bools_[1] = inst.result;
      if (!is(inst, Op::OpTypeVector)) continue;
      if (const auto scalar = floats_.find(inst.words[2]); scalar != floats_.end())
        floats_[inst.result] = {scalar->second.scalar, scalar->second.width, inst.words[3]};
      if (inst.words[2] == bools_[1]) bools_[inst.words[3]] = inst.result;
    }
  }

  void run() {
    std::vector<Instruction> code;
    const size_t first = firstFunction(module_);
    for (size_t i = first; i < module_.code.size(); ++i) {
      Instruction inst = std::move(module_.code[i]);
      const auto type = inst.result ? floats_.find(inst.type) : floats_.end();
      const bool made = type != floats_.end() && !is(inst, Op::OpPhi) && !is(inst, Op::OpFunctionParameter);
      if (!made) {
        code.push_back(std::move(inst));
        continue;
      }
      const Tools tools = toolsFor(type->first, type->second);
      const uint32_t wanted = inst.result, raw = module_.newId(), isNan = module_.newId();
      inst.words[2] = inst.result = raw;
      const uint32_t resultType = inst.type;
      code.push_back(std::move(inst));
      code.push_back(instruction(uint16_t(Op::OpIsNan), {tools.boolean, isNan, raw}));
      code.push_back(instruction(uint16_t(Op::OpSelect), {resultType, wanted, isNan, tools.nan, raw}));
    }
    module_.code.resize(first);
    module_.code.insert(module_.code.end(), globals_.begin(), globals_.end());
    module_.code.insert(module_.code.end(), code.begin(), code.end());
  }

 private:
  uint32_t global(Op op, std::vector<uint32_t> before, std::vector<uint32_t> behind) {
    const uint32_t id = module_.newId();
    before.push_back(id);
    before.insert(before.end(), behind.begin(), behind.end());
    globals_.push_back(instruction(uint16_t(op), before));
    return id;
  }

  Tools toolsFor(uint32_t type, const FloatType& f) {
    Tools& tools = tools_[type];
    if (tools.nan) return tools;
    if (!bools_[1]) bools_[1] = global(Op::OpTypeBool, {}, {});
    if (!bools_[f.count]) bools_[f.count] = global(Op::OpTypeVector, {}, {bools_[1], f.count});
    tools.boolean = bools_[f.count];
    uint32_t& scalar = tools_[f.scalar].nan;
    if (!scalar && f.width == 64) scalar = global(Op::OpConstant, {f.scalar}, {0, 0x7FF80000});
    if (!scalar) scalar = global(Op::OpConstant, {f.scalar}, {f.width == 16 ? 0x7E00u : 0x7FC00000u});
    tools_[f.scalar].boolean = bools_[1];
    if (f.count == 1) return tools_[type];
    tools_[type].nan = global(Op::OpConstantComposite, {type}, std::vector<uint32_t>(f.count, scalar));
    return tools_[type];
  }

  Module& module_;
  std::map<uint32_t, FloatType> floats_;
  std::map<uint32_t, uint32_t> bools_;  ///< by the number of elements
  std::map<uint32_t, Tools> tools_;     ///< by type
  std::vector<Instruction> globals_;
};

}  // namespace

void quietNans(Module& module) { Quieter(module).run(); }

}  // namespace etzel::fuzz
