#define SPV_ENABLE_UTILITY_CODE
#include <spirv/unified1/spirv.hpp11>

#include "compiler/debug/debug_info.h"
#include "compiler/spirv/newer.h"

#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>

namespace etzel::debugger {
namespace {

class Reader {
 public:
  explicit Reader(const spirv::Module& module) : module_(module) {}

  DebugInfo run() {
    const std::vector<uint32_t>& w = module_.words;
    for (size_t at = 5; at < w.size();) {  // lengths were checked when the module was parsed
      spirv::Instruction inst;
      const uint32_t length = w[at] >> 16;
      inst.op = static_cast<spv::Op>(w[at] & 0xffff);
      size_t first = at + 1;
      bool hasResult = false, hasType = false;
      spirv::hasResultAndType(inst.op, &hasResult, &hasType);
      if (hasType) inst.type = w[first++];
      if (hasResult) inst.result = w[first++];
      inst.operands = std::span(w.data() + first, at + length - first);
      visit(inst);
      at += length;
    }
    // An OpLine may name a file that has no text.
    for (const isa::SourceLocation& location : module_.locations)
      if (info_.fileOf(location.file) < 0) info_.files.push_back({location.file, {}});
    return std::move(info_);
  }

 private:
  void visit(const spirv::Instruction& inst) {
    using O = spv::Op;
    switch (inst.op) {
      case O::OpString: strings_[inst.result] = inst.string(0); break;
      case O::OpSource:
        if (inst.size() > 2) openFile(text(inst.operand(2)), inst.size() > 3 ? inst.string(3) : std::string());
        break;
      case O::OpSourceContinued:
        if (!info_.files.empty()) info_.files.back().text += inst.string(0);
        break;
      case O::OpMemberName: info_.memberNames[{inst.operand(0), inst.operand(1)}] = inst.string(2); break;
      case O::OpExtInst:
        if (module_.debugInfoSet && inst.operand(0) == module_.debugInfoSet) debugInstruction(inst);
        break;
      default: break;
    }
  }

  void debugInstruction(const spirv::Instruction& inst) {
    const auto operand = [&](uint32_t i) { return inst.operand(2 + i); };
    switch (inst.operand(1)) {
      case NonSemanticShaderDebugInfo100DebugSource: openFile(text(operand(0)), text(operand(1))); break;
      case NonSemanticShaderDebugInfo100DebugSourceContinued:
        if (!info_.files.empty()) info_.files.back().text += text(operand(0));
        break;
      case NonSemanticShaderDebugInfo100DebugCompilationUnit: info_.scopes[inst.result] = {}; break;
      case NonSemanticShaderDebugInfo100DebugFunction:
        info_.scopes[inst.result] = {true, plainName(text(operand(0))), operand(5), literal(operand(3))};
        break;
      case NonSemanticShaderDebugInfo100DebugLexicalBlock:
        info_.scopes[inst.result] = {false, {}, operand(3), literal(operand(1))};
        break;
      case NonSemanticShaderDebugInfo100DebugLexicalBlockDiscriminator:
        info_.scopes[inst.result] = {false, {}, operand(2), 0};
        break;
      case NonSemanticShaderDebugInfo100DebugFunctionDefinition: info_.functions[operand(1)] = operand(0); break;
      case NonSemanticShaderDebugInfo100DebugInlinedAt:
        info_.inlinedAt[inst.result] = {literal(operand(0)), operand(1), operand(2)};
        break;
      case NonSemanticShaderDebugInfo100DebugLocalVariable:
        info_.locals[inst.result] = {text(operand(0)), operand(1), operand(5), literal(operand(3))};
        break;
      case NonSemanticShaderDebugInfo100DebugGlobalVariable: info_.globals[operand(7)] = text(operand(0)); break;
      case NonSemanticShaderDebugInfo100DebugTypeMember: members_[inst.result] = text(operand(0)); break;
      case NonSemanticShaderDebugInfo100DebugTypeComposite:
        info_.typeNames[inst.result] = text(operand(0));
        // HLSL's composites have methods between their members.
        for (size_t i = 11; i < inst.size(); ++i)
          if (auto it = members_.find(inst.operand(i)); it != members_.end())
            info_.members[inst.result].push_back(it->second);
        break;
      default: break;
    }
  }

  void openFile(const std::string& name, std::string text) {
    if (const int known = info_.fileOf(name); known >= 0) {
      if (info_.files[static_cast<size_t>(known)].text.empty())
        info_.files[static_cast<size_t>(known)].text = std::move(text);
      return;
    }
    info_.files.push_back({name, std::move(text)});
  }

  /// "sq(f1;" of glslang, without what it adds for the parameters.
  static std::string plainName(const std::string& name) { return name.substr(0, name.find('(')); }
  std::string text(uint32_t id) const {
    auto it = strings_.find(id);
    return it == strings_.end() ? std::string() : it->second;
  }
  uint32_t literal(uint32_t id) const {
    const spirv::Constant* c = module_.constant(id);
    return c && !c->scalars.empty() ? static_cast<uint32_t>(c->scalars[0]) : 0;
  }

  const spirv::Module& module_;
  DebugInfo info_;
  std::unordered_map<uint32_t, std::string> strings_, members_;
};

}  // namespace

int DebugInfo::fileOf(const std::string& name) const {
  for (size_t i = 0; i < files.size(); ++i)
    if (files[i].name == name) return static_cast<int>(i);
  return -1;
}

DebugInfo readDebugInfo(const spirv::Module& module) { return Reader(module).run(); }

}  // namespace etzel::debugger
