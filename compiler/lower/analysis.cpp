// Facts that must be known before the first instruction is lowered: types of ids, which variables are indexed
// dynamically (they live in scratch memory instead of registers), and which values leave their loop.
#include <algorithm>

#include "compiler/lower/lower.h"
#include "compiler/spirv/newer.h"

namespace etzel::lower {
namespace {

/// A function that an instruction calls for the elements of a cooperative matrix; 0: none.
uint32_t calledForElements(const spirv::Instruction& inst) {
  if (inst.op == spirv::kOpCooperativeMatrixPerElement) return inst.operand(1);
  if (inst.op == spirv::kOpCooperativeMatrixReduce) return inst.operand(2);
  if (inst.op == spirv::kOpCooperativeMatrixLoadTensor) return spirv::tensorOperands(inst.operands, 3).decodeFunction;
  return 0;
}

}  // namespace

void Lowerer::analyse() {
  // Only functions that the entry point reaches count.
  std::vector<uint32_t> work{module.entryFunction};
  std::unordered_set<uint32_t> seen{module.entryFunction};
  std::vector<std::pair<uint32_t, uint32_t>> passed;  // root of an argument, parameter
  std::unordered_map<uint32_t, uint32_t> root;
  auto rootOf = [&](uint32_t id) {
    auto it = root.find(id);
    return it == root.end() ? id : it->second;
  };
  // Which builtins of an interface variable the code names: declared but untouched ones (gl_PerVertex of compilers) do
  // not count as written.
  auto touch = [&](uint32_t id, std::span<const uint32_t> indices) {
    auto v = moduleVariables_.find(id);
    if (v == moduleVariables_.end()) return;
    if (v->second->storage != spv::StorageClass::Input && v->second->storage != spv::StorageClass::Output) return;
    const uint32_t direct = module.decorationsOf(id).get(spv::Decoration::BuiltIn, ~0u);
    if (direct != ~0u) usedBuiltins_.insert({id, direct});
    uint32_t at = v->second->type;
    while (type(at).kind == TypeKind::Array) {
      at = type(at).element;
      if (!indices.empty()) indices = indices.subspan(1);
    }
    for (uint32_t m = 0; m < type(at).members.size(); ++m) {
      uint32_t member = m;
      if (!indices.empty()) constantU32(indices[0], &member);
      const uint32_t builtin = module.memberDecorationsOf(at, m).get(spv::Decoration::BuiltIn, ~0u);
      if (builtin != ~0u && member == m) usedBuiltins_.insert({id, builtin});
    }
  };
  for (size_t w = 0; w < work.size(); ++w) {
    auto found = module.functions.find(work[w]);
    if (found == module.functions.end()) {
      error(ErrorCode::InvalidShader, "a called function has no body");
      return;
    }
    const spirv::Function& f = found->second;
    for (const spirv::Instruction& p : f.parameters) typeOfId_[p.result] = p.type;
    for (const spirv::Block& block : f.blocks)
      for (const spirv::Instruction& inst : block.code) {
        if (isDebugInstruction(inst)) continue;
        if (inst.result) typeOfId_[inst.result] = inst.type;
        switch (inst.op) {
          case spv::Op::OpAccessChain:
          case spv::Op::OpInBoundsAccessChain: {
            const uint32_t base = rootOf(inst.operand(0));
            root[inst.result] = base;
            touch(inst.operand(0), inst.operands.subspan(1));
            for (size_t i = 1; i < inst.size(); ++i)
              if (!module.constant(inst.operand(i))) dynamicIds_.insert(base);
            break;
          }
          case spv::Op::OpLoad:
          case spv::Op::OpStore:
          case spv::Op::OpCopyMemory:
            touch(inst.operand(0), {});
            if (inst.op == spv::Op::OpCopyMemory) touch(inst.operand(1), {});
            break;
          case spv::Op::OpCopyObject: root[inst.result] = rootOf(inst.operand(0)); break;
          case spv::Op::OpFunctionCall: {
            if (seen.insert(inst.operand(0)).second) work.push_back(inst.operand(0));
            auto callee = module.functions.find(inst.operand(0));
            if (callee == module.functions.end()) break;
            for (size_t i = 0; i < callee->second.parameters.size() && i + 1 < inst.size(); ++i)
              passed.emplace_back(rootOf(inst.operand(i + 1)), callee->second.parameters[i].result);
            for (size_t i = 1; i < inst.size(); ++i) touch(inst.operand(i), {});
            break;
          }
          default:
            if (const uint32_t function = calledForElements(inst); function && seen.insert(function).second)
              work.push_back(function);
        }
      }
    findEscapes(f);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [argument, parameter] : passed)
      if (dynamicIds_.count(parameter) && dynamicIds_.insert(argument).second) changed = true;
  }
  findTables(work);
}

/// Finds local variables that are read only, but for whole stores of one and the same constant: compilers copy constant
/// arrays into such variables to index them. What they hold before the store is undefined, so the constant will do.
void Lowerer::findTables(const std::vector<uint32_t>& functions) {
  std::unordered_map<uint32_t, uint32_t> root;  // of variables and pointers into them
  std::unordered_set<uint32_t> others;
  const auto holds = [&](uint32_t variable, uint32_t value) {
    const spirv::Constant* c = module.constant(value);
    if (!c || c->undefined || !onlyValue_.try_emplace(variable, value).second) {
      if (!c || c->undefined || onlyValue_[variable] != value) others.insert(variable);
    }
  };
  for (const spirv::Variable& v : module.variables) {
    if (v.storage != spv::StorageClass::Private) continue;
    root[v.id] = v.id;
    if (v.initializer) holds(v.id, v.initializer);
  }
  for (uint32_t id : functions)
    for (const spirv::Block& block : module.functions.at(id).blocks)
      for (const spirv::Instruction& inst : block.code) {
        using O = spv::Op;
        if (isDebugInstruction(inst)) continue;
        const auto rootOf = [&](uint32_t operand) {
          auto it = root.find(operand);
          return it == root.end() ? 0 : it->second;
        };
        const uint32_t first = inst.size() ? rootOf(inst.operand(0)) : 0;
        switch (inst.op) {
          case O::OpVariable:
            root[inst.result] = inst.result;
            if (inst.size() > 1) holds(inst.result, inst.operand(1));
            continue;
          case O::OpAccessChain:
          case O::OpInBoundsAccessChain:
          case O::OpCopyObject:
            if (first) root[inst.result] = first;
            continue;
          case O::OpLoad: continue;
          case O::OpStore:
            if (first && first == inst.operand(0))
              holds(first, inst.operand(1));
            else if (first)
              others.insert(first);
            if (const uint32_t stored = rootOf(inst.operand(1))) others.insert(stored);
            continue;
          case O::OpCopyMemory:
            if (first) others.insert(first);
            continue;
          default:  // calls, atomics, modf and the like; literals that look like a variable only cost a table
            for (uint32_t operand : inst.operands)
              if (const uint32_t used = rootOf(operand)) others.insert(used);
        }
      }
  for (uint32_t variable : others) onlyValue_.erase(variable);
}

void Lowerer::findEscapes(const spirv::Function& f) {
  const size_t blockCount = f.blocks.size();
  std::vector<std::vector<uint32_t>> loopsOf(blockCount);  // ascending header indices
  auto successors = [&](const spirv::Block& block, auto&& visit) {
    const spirv::Instruction& t = block.terminator;
    if (t.op == spv::Op::OpBranch) visit(t.operand(0));
    if (t.op == spv::Op::OpBranchConditional) visit(t.operand(1)), visit(t.operand(2));
    if (t.op == spv::Op::OpSwitch)  // literals among the labels name no block, or a harmless one
      for (size_t i = 1; i < t.size(); ++i) visit(t.operand(i));
  };
  bool any = false;
  for (uint32_t h = 0; h < blockCount; ++h) {
    const uint32_t merge = f.blocks[h].loopMerge();
    if (!merge) continue;
    any = true;
    std::vector<bool> inside(blockCount);
    std::vector<uint32_t> stack{h};
    inside[h] = true;
    while (!stack.empty()) {
      const uint32_t at = stack.back();
      stack.pop_back();
      loopsOf[at].push_back(h);
      successors(f.blocks[at], [&](uint32_t label) {
        auto it = f.blockIndex.find(label);
        if (label == merge || it == f.blockIndex.end() || inside[it->second]) return;
        inside[it->second] = true;
        stack.push_back(it->second);
      });
    }
  }
  if (!any) return;
  std::unordered_map<uint32_t, uint32_t> definedIn;
  for (uint32_t i = 0; i < blockCount; ++i)
    for (const spirv::Instruction& inst : f.blocks[i].code)
      if (inst.result) definedIn[inst.result] = i;
  auto use = [&](uint32_t id, uint32_t block) {
    auto d = definedIn.find(id);
    if (d == definedIn.end() || d->second == block) return;
    for (uint32_t l : loopsOf[d->second])
      if (std::find(loopsOf[block].begin(), loopsOf[block].end(), l) == loopsOf[block].end()) {
        escapingIds_.insert(id);
        return;
      }
  };
  for (uint32_t i = 0; i < blockCount; ++i) {
    for (const spirv::Instruction& inst : f.blocks[i].code) {
      if (isDebugInstruction(inst)) continue;
      if (inst.op == spv::Op::OpPhi) {
        for (size_t k = 0; k + 1 < inst.size(); k += 2) {
          auto from = f.blockIndex.find(inst.operand(k + 1));
          if (from != f.blockIndex.end()) use(inst.operand(k), from->second);
        }
        continue;
      }
      // Literals that look like an id only cost a copy.
      for (uint32_t operand : inst.operands) use(operand, i);
    }
    for (uint32_t operand : f.blocks[i].terminator.operands) use(operand, i);
  }
}

}  // namespace etzel::lower
