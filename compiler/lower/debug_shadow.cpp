// The debug compile's part of lowering: sites of instructions, homes of named values, and the shadow instructions that
// keep homes up to date. Nothing here touches what an ordinary compile emits (isa/shadow.h): no constant, register or
// scratch memory of the program is taken before its own are all there.
#include <algorithm>

#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>

#include "compiler/lower/lower.h"
#include "compiler/spirv/newer.h"
#include "compiler/spirv/words.h"
#include "runtime/abi/limits.h"

namespace etzel::lower {

namespace {
constexpr uint32_t kMaxInputComponents = 512;

/// Calls `store` with each number of a constant as an immediate, since the PARAM bank belongs to the program, and with
/// its words.
template <class Store>
void eachNumber(Lowerer& l, const spirv::Constant& constant, Store&& store) {
  const std::vector<uint32_t>& scalars = l.scalarsOf(constant.type);
  for (size_t i = 0; i < scalars.size() && i < constant.scalars.size(); ++i) {
    uint64_t bits = constant.scalars[i];
    if (l.type(scalars[i]).kind == TypeKind::Bool && bits) bits = ~uint64_t(0);
    const uint32_t words = l.wordsOfScalar(scalars[i]);
    store(words == 2 ? l.b.imm64(bits) : l.b.imm(static_cast<uint32_t>(bits)), words);
  }
}

bool isSpecialization(spv::Op op) {
  return (op >= spv::Op::OpSpecConstantTrue && op <= spv::Op::OpSpecConstantOp) ||
         op == spirv::kOpSpecConstantCompositeReplicate || op == spirv::kOpSpecConstantData;
}
}  // namespace

// --- Sites

uint32_t Lowerer::newSite(DebugSite site) {
  debug->sites.push_back(site);
  b.setLine(static_cast<uint32_t>(debug->sites.size()));
  return static_cast<uint32_t>(debug->sites.size() - 1);
}

void Lowerer::debugSite(const spirv::Instruction& inst) {
  // Operands lie behind the opcode, the type and the result.
  const uint32_t* const operands = inst.operands.data();
  const uint32_t before = 1 + (inst.type ? 1 : 0) + (inst.result ? 1 : 0);
  const uint32_t word = operands ? static_cast<uint32_t>(operands - module.words.data()) - before : 0;
  const DebugSite site{inst.line, inst.scope, debugFrames_.back(), word};
  if (debug->sites.empty() || !(debug->sites.back() == site))
    newSite(site);
  else
    b.setLine(static_cast<uint32_t>(debug->sites.size()));
}

void Lowerer::debugBetweenLines() {
  const DebugSite site{0, debug->sites.back().scope, debugFrames_.back()};
  if (debug->sites.back() == site)
    b.setLine(static_cast<uint32_t>(debug->sites.size()));
  else
    newSite(site);
}

/// The site of a call that is about to be made. Behind a condition within a statement compilers forget the line: it is
/// the last one that was known in this function.
uint32_t Lowerer::callSite() {
  const DebugSite here = debug->sites.back();
  if (!here.location) {
    const auto known = std::find_if(debug->sites.rbegin(), debug->sites.rend(),
                                    [&](const DebugSite& site) { return site.location && site.frame == here.frame; });
    if (known != debug->sites.rend()) newSite({known->location, here.scope ? here.scope : known->scope, here.frame});
  }
  return static_cast<uint32_t>(debug->sites.size() - 1);
}

void Lowerer::debugEnter(const spirv::Function& f) {
  DebugFrame frame;
  frame.function = f.id;
  if (!debugFrames_.empty()) {
    frame.caller = debugFrames_.back();
    frame.callSite = callSite();
  }
  debugFrames_.push_back(static_cast<uint32_t>(debug->frames.size()));
  debug->frames.push_back(frame);
  const uint32_t site = newSite({0, 0, debugFrames_.back(), 0});
  if (module.debugInfoSet) return;
  for (const spirv::Instruction& p : f.parameters) {
    DebugBinding binding;
    binding.id = p.result, binding.type = p.type, binding.site = site;
    if (type(p.type).kind == TypeKind::Pointer) {
      binding.type = type(p.type).element;
      binding.place = placeOf(pointers_[p.result]);
    } else {
      const uint32_t home = newHome(p.type);
      binding.place = {DebugPlace::Kind::Home, home, 0, false, {}};
      shadowValue(home, components(p.result), p.type);
    }
    debug->bindings.push_back(std::move(binding));
  }
}

void Lowerer::debugLeave(const spirv::Instruction& call) {
  debugFrames_.pop_back();
  debugSite(call);
}

// --- Homes

uint32_t Lowerer::newHome(uint32_t typeId) {
  const uint32_t home = debug->homeBytes;
  if (home > abi::kMaxScratchBytes) {
    error(ErrorCode::Unsupported, "named values do not fit into private memory");
    return 0;
  }
  for (uint32_t s : scalarsOf(typeId)) debug->homeBytes += 4 * wordsOfScalar(s);
  return home;
}

/// Stores the slots of `count` components from `first`, which are neighbours in one register.
void Lowerer::shadowSlots(const Variable& v, uint32_t first, uint32_t count) {
  if (v.debugHome == Variable::kNoHome) return;
  const std::vector<uint32_t>& scalars = scalarsOf(v.type);
  uint32_t before = 0, words = 0;
  for (uint32_t i = 0; i < first; ++i) before += wordsOfScalar(scalars[i]);
  for (uint32_t i = first; i < first + count; ++i) words += wordsOfScalar(scalars[i]);
  inShadow(
      [&] { b.store(isa::Space::Scratch, isa::Type::I32, {}, {}, v.slots[first], v.debugHome + 4 * before, words); });
}

void Lowerer::shadowValue(uint32_t home, const std::vector<Operand>& value, uint32_t typeId) {
  const std::vector<uint32_t>& scalars = scalarsOf(typeId);
  inShadow([&] {
    for (size_t i = 0; i < value.size() && i < scalars.size(); ++i) {
      const uint32_t words = wordsOfScalar(scalars[i]);
      b.store(isa::Space::Scratch, isa::Type::I32, {}, {}, value[i], home, words);
      home += 4 * words;
    }
  });
}

DebugPlace Lowerer::placeOf(const Pointer& p) {
  using Kind = DebugPlace::Kind;
  DebugPlace place;
  if (p.offset.present() || p.index.present()) return place;
  switch (p.kind) {
    case Pointer::Kind::Register: {
      const Variable& v = *p.variable;
      const bool ofControl = stage() == abi::Stage::TessControl && v.storage == spv::StorageClass::Output;
      if (ofControl ? p.perVertex != v.perVertex : p.perVertex) break;
      if (v.io.empty() || v.storage == spv::StorageClass::Input) {
        if (v.debugHome == Variable::kNoHome) break;
        const std::vector<uint32_t>& scalars = scalarsOf(v.type);
        place.kind = Kind::Home, place.at = v.debugHome;
        for (uint32_t i = 0; i < p.first; ++i) place.at += 4 * wordsOfScalar(scalars[i]);
      } else if (v.banked || ofControl) {
        place.kind = v.banked ? Kind::Output : Kind::Record;
        place.element = v.perVertex ? v.vertices : 0;
        const size_t count = v.perVertex ? v.io.size() : scalarsOf(p.type).size();
        for (size_t i = p.first; i < p.first + count && i < v.io.size(); ++i) place.words.push_back(v.io[i].word);
      }
      break;
    }
    case Pointer::Kind::Memory:
      place.at = p.imm, place.decorated = p.layout == Layout::Explicit;
      if (p.space == isa::Space::Scratch) place.kind = Kind::Scratch;
      if (p.space == isa::Space::Table) place.kind = Kind::Table;
      if (p.space == isa::Space::Push) place.kind = Kind::Push;
      if (p.space == isa::Space::Shared) place.kind = Kind::Shared;
      break;
    case Pointer::Kind::Resource:
      if (p.storage == spirv::kTileImage) break;  // no descriptor
      place.kind = p.storage == spv::StorageClass::UniformConstant ? Kind::Opaque : Kind::Buffer;
      place.at = p.resource, place.element = p.constIndex, place.decorated = true;
      break;
    default: break;
  }
  return place;
}

// --- Names

/// NonSemantic.DebugBreak: nothing but a shadow, so that there is an instruction to stop at.
void Lowerer::debugBreak() {
  debug->breaks.push_back(static_cast<uint32_t>(debug->sites.size() - 1));
  const uint32_t home = debug->homeBytes;
  debug->homeBytes += 4;
  inShadow([&] { b.store(isa::Space::Scratch, isa::Type::I32, {}, {}, b.imm(1u), home); });
}

void Lowerer::debugInstruction(const spirv::Instruction& inst) {
  if (inst.operand(0) == module.breakSet) return debugBreak();
  const uint32_t variable = inst.operand(2), id = inst.operand(3);
  DebugBinding binding;
  binding.variable = variable, binding.id = id;
  if (inst.operand(1) == NonSemanticShaderDebugInfo100DebugDeclare) {
    const auto p = pointers_.find(id);
    if (p == pointers_.end()) return;
    binding.type = p->second.type;
    binding.place = placeOf(p->second);
    binding.site = newSite(debug->sites.back());
    debug->bindings.push_back(std::move(binding));
    return;
  }
  // DebugValue: a home per variable, call and part, written whenever the variable is said to have another value.
  const spirv::Constant* constant = module.constant(id);
  const auto value = values_.find(id);
  if (!constant && (value == values_.end() || !value->second.present)) return;
  binding.type = constant ? constant->type : value->second.type;
  for (size_t i = 5; i < inst.size(); ++i) binding.path.push_back(constantOr(inst.operand(i), 0));
  const auto known = debugValues_.find({variable, debugFrames_.back()});
  uint32_t home;
  if (known != debugValues_.end() && debug->bindings[known->second].type == binding.type &&
      debug->bindings[known->second].path == binding.path) {
    home = debug->bindings[known->second].place.at;
  } else {
    home = newHome(binding.type);
    binding.place = {DebugPlace::Kind::Home, home, 0, false, {}};
    binding.site = newSite(debug->sites.back());
    debugValues_[{variable, debugFrames_.back()}] = static_cast<uint32_t>(debug->bindings.size());
    debug->bindings.push_back(binding);
  }
  if (!constant) return shadowValue(home, value->second.components, binding.type);
  inShadow([&] {
    eachNumber(*this, *constant, [&](Operand value, uint32_t words) {
      b.store(isa::Space::Scratch, isa::Type::I32, {}, {}, value, home, words);
      home += 4 * words;
    });
  });
}

/// Modules without debug information: variables by their OpName, and every value by its id.
void Lowerer::debugResult(const spirv::Instruction& inst) {
  if (module.debugInfoSet || !inst.result) return;
  DebugBinding binding;
  binding.id = inst.result;
  if (inst.op == spv::Op::OpVariable) {
    const Pointer& p = pointers_[inst.result];
    binding.type = p.type, binding.place = placeOf(p);
    binding.site = newSite(debug->sites.back());
    debug->bindings.push_back(std::move(binding));
    return;
  }
  const auto value = values_.find(inst.result);
  if (value == values_.end() || !value->second.present || type(inst.type).kind == TypeKind::Pointer) return;
  if (value->second.components.empty() || debug->homeBytes > abi::kMaxScratchBytes / 2) return;
  const uint32_t home = newHome(inst.type);
  const std::vector<Operand> components = value->second.components;
  shadowValue(home, components, inst.type);
  binding.type = inst.type, binding.place = {DebugPlace::Kind::Home, home, 0, false, {}};
  binding.site = newSite(debug->sites.back());
  debug->bindings.push_back(std::move(binding));
}

/// Module-scope variables that the code touched, and specialization constants that have names, with the values that
/// they were given. Inputs are read once, at the start, when all else is emitted.
void Lowerer::debugGlobals() {
  b.setLine(0);
  for (const spirv::Variable& v : module.variables) {
    const auto found = pointers_.find(v.id);
    if (found == pointers_.end()) continue;
    const Pointer p = found->second;
    DebugBinding binding;
    binding.id = v.id, binding.type = v.type, binding.global = true;
    if (v.storage == spv::StorageClass::Input && p.kind == Pointer::Kind::Register) {
      if (scalarsOf(v.type).size() > kMaxInputComponents) continue;
      const bool unknown = std::any_of(p.variable->io.begin(), p.variable->io.end(), [&](const IoComponent& c) {
        return (c.kind == IoComponent::Kind::System || c.kind == IoComponent::Kind::Special) &&
               !usedBuiltins_.count({v.id, static_cast<uint32_t>(c.builtin)});
      });
      if (unknown) continue;  // what no instruction reads need not be there
      const uint32_t home = newHome(v.type);
      inPrologue([&] {
        std::vector<Operand> value;
        inShadow([&] { value = load(p); });
        shadowValue(home, value, v.type);
        return 0;
      });
      binding.input = true;
      binding.place = {DebugPlace::Kind::Home, home, 0, false, {}};
    } else {
      binding.place = placeOf(p);
    }
    debug->bindings.push_back(std::move(binding));
  }
  spirv::forEach(module.words, [&](spirv::Words inst) {
    const spirv::Constant* const constant =
        isSpecialization(spirv::opOf(inst)) && inst.size() > 2 ? module.constant(inst[2]) : nullptr;
    if (!constant || !module.names.count(inst[2]) || scalarsOf(constant->type).size() > kMaxInputComponents)
      return true;
    DebugBinding binding;
    binding.id = inst[2], binding.type = constant->type, binding.global = true;
    binding.place = {DebugPlace::Kind::Home, newHome(constant->type), 0, false, {}};
    uint32_t home = binding.place.at;
    inPrologue([&] {
      inShadow([&] {
        eachNumber(*this, *constant, [&](Operand value, uint32_t words) {
          b.store(isa::Space::Scratch, isa::Type::I32, {}, {}, value, home, words);
          home += 4 * words;
        });
      });
      return 0;
    });
    debug->bindings.push_back(std::move(binding));
    return true;
  });
  for (isa::Inst& inst : prologue_) inst.line &= isa::kShadowBit;  // stands in no line
}

/// Puts the homes behind the program's own scratch memory.
void Lowerer::finishDebug() {
  debug->homeBase = program.scratchBytes;
  if (uint64_t(program.scratchBytes) + debug->homeBytes > abi::kMaxScratchBytes)
    return error(ErrorCode::Unsupported, "named values do not fit into private memory");
  program.scratchBytes += debug->homeBytes;
  for (isa::PrivateArray& array : program.arrays) array.home += debug->homeBase;
  for (isa::Inst& inst : program.code)
    if (isa::isShadow(inst) && inst.op == Opcode::St && inst.sub == static_cast<uint8_t>(isa::Space::Scratch))
      inst.imm += debug->homeBase;
  program.locations.clear();
  for (const DebugSite& site : debug->sites)
    program.locations.push_back(site.location ? module.locations[site.location - 1] : isa::SourceLocation{});
}

}  // namespace etzel::lower
