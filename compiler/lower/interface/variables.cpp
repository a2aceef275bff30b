// Where variables live: registers, scratch memory, workgroup memory or descriptors. Module-scope variables are declared
// when the code first touches them, so that unused bindings and unused shared arrays cost nothing.
#include <algorithm>

#include "compiler/lower/lower.h"
#include "compiler/spirv/newer.h"
#include "runtime/abi/heap_tables.h"
#include "runtime/abi/limits.h"
#include "runtime/mutant/mutant.h"

namespace etzel::lower {

namespace {
/// One register per vector or scalar: elements of arrays need not be neighbours.
void allocateSlots(Lowerer& l, uint32_t typeId, std::vector<Operand>* out) {
  const spirv::Type& t = l.type(typeId);
  switch (t.kind) {
    case TypeKind::Struct:
      for (uint32_t member : t.members) allocateSlots(l, member, out);
      return;
    case TypeKind::Array:
    case TypeKind::Matrix:
      for (uint32_t i = 0; i < t.count; ++i) allocateSlots(l, t.element, out);
      return;
    default: break;
  }
  const std::vector<uint32_t>& scalars = l.scalarsOf(typeId);
  uint32_t words = 0;
  for (uint32_t s : scalars) words += l.wordsOfScalar(s);
  if (!words) return;
  Operand at = l.newTemp(words);
  for (uint32_t s : scalars) {
    out->push_back(at);
    at.word += l.wordsOfScalar(s);
  }
}
// More components than this go to scratch memory even when every index is constant: registers are for small things.
constexpr uint32_t kMaxRegisterComponents = 256;
constexpr uint32_t kMaxTableBytes = 1 << 20;
constexpr uint32_t kMaxPromotedBytes = 1024;  // of an array that may become registers
}  // namespace

Pointer Lowerer::declare(const spirv::Variable& v) {
  if (v.storage == spirv::kTileImage) {
    Pointer p;
    p.kind = Pointer::Kind::Resource;
    p.type = v.type, p.storage = v.storage;
    p.constIndex = module.decorationsOf(v.id).get(spv::Decoration::Location);
    return p;
  }
  switch (v.storage) {
    case spv::StorageClass::Private: return inPrologue([&] { return declareLocal(v); });
    case spv::StorageClass::Workgroup: return declareShared(v);
    case spv::StorageClass::UniformConstant:
    case spv::StorageClass::Uniform:
    case spv::StorageClass::StorageBuffer: return declareResource(v);
    case spv::StorageClass::PushConstant: {
      Pointer p;
      p.kind = Pointer::Kind::Memory;
      p.type = v.type, p.storage = v.storage, p.space = isa::Space::Push;
      return p;
    }
    case spv::StorageClass::Input:
    case spv::StorageClass::Output: {
      // Not in the entry point's interface: treated as if it were.
      declareInterface(v);
      auto it = pointers_.find(v.id);
      if (it != pointers_.end()) return it->second;
      break;
    }
    default: break;
  }
  error(ErrorCode::Unsupported, "a variable of storage class " + std::to_string(static_cast<uint32_t>(v.storage)));
  return {};
}

/// Where a constant stands in the program's table, in bytes.
uint32_t Lowerer::tableOf(uint32_t constantId) {
  auto [place, fresh] = tables_.try_emplace(constantId, static_cast<uint32_t>(program.table.size() * 4));
  if (!fresh) return place->second;
  const spirv::Constant& c = *module.constant(constantId);
  const std::vector<uint32_t>& scalars = scalarsOf(c.type);
  for (size_t i = 0; i < scalars.size(); ++i) {
    uint64_t value = i < c.scalars.size() ? c.scalars[i] : 0;
    if (type(scalars[i]).kind == TypeKind::Bool && value) value = 0xffffffff;
    program.table.push_back(static_cast<uint32_t>(value));
    if (wordsOfScalar(scalars[i]) == 2) program.table.push_back(static_cast<uint32_t>(value >> 32));
  }
  return place->second;
}

Pointer Lowerer::declareLocal(const spirv::Variable& v) {
  Pointer p;
  if (auto it = pointers_.find(v.id); it != pointers_.end()) {
    p = it->second;  // the function is inlined once more
  } else {
    p.type = v.type, p.storage = v.storage;
    const uint32_t components = type(v.type).components;
    if (dynamicIds_.count(v.id) || components > kMaxRegisterComponents) {
      p.kind = Pointer::Kind::Memory;
      p.space = isa::Space::Scratch, p.layout = Layout::Words;
      p.imm = program.scratchBytes;
      const uint64_t bytes = typeBytes(v.type, Layout::Words);
      auto only = onlyValue_.find(v.id);
      if (only != onlyValue_.end() && program.table.size() * 4 + bytes <= kMaxTableBytes) {
        p.space = isa::Space::Table;
        p.imm = tableOf(only->second);
        return p;
      }
      if (bytes + program.scratchBytes > abi::kMaxScratchBytes) {
        error(ErrorCode::Unsupported, "private memory is larger than 16 MiB");
        return p;
      }
      if (bytes <= kMaxPromotedBytes) {
        program.arrays.push_back({p.imm, static_cast<uint32_t>(bytes)});
        if (debug) program.arrays.back().home = newHome(v.type);
      }
      program.scratchBytes += static_cast<uint32_t>(bytes);
    } else {
      p.kind = Pointer::Kind::Register;
      p.variable = std::make_shared<Variable>();
      p.variable->id = v.id, p.variable->type = v.type, p.variable->storage = v.storage;
      allocateSlots(*this, v.type, &p.variable->slots);
      if (debug) p.variable->debugHome = newHome(v.type);
    }
  }
  if (v.initializer && p.space != isa::Space::Table) {
    const std::vector<Operand> value = components(v.initializer);  // a constant, or another variable's address
    if (!failed()) store(p, value);
  }
  return p;
}

uint32_t Lowerer::workingMemory(uint32_t slot, uint32_t words) {
  if (working_.size() <= slot) working_.resize(slot + 1);
  auto& [first, size] = working_[slot];
  if (size >= words) return first;
  if (uint64_t(program.scratchBytes) + 4 * words > abi::kMaxScratchBytes) {
    error(ErrorCode::Unsupported, "private memory is larger than 16 MiB");
    return first;
  }
  first = program.scratchBytes, size = words;
  program.scratchBytes += 4 * words;
  return first;
}

Pointer Lowerer::declareResource(const spirv::Variable& v) {
  Pointer p;
  p.kind = Pointer::Kind::Resource;
  p.type = v.type, p.storage = v.storage;
  const spirv::Decorations& d = module.decorationsOf(v.id);
  const auto builtIn = static_cast<spv::BuiltIn>(d.get(spv::Decoration::BuiltIn, ~0u));
  if (builtIn == spirv::kResourceHeap || builtIn == spirv::kSamplerHeap) {
    const bool samplers = builtIn == spirv::kSamplerHeap;
    p.kind = Pointer::Kind::Memory, p.space = isa::Space::Buffer;
    p.heap = samplers ? abi::kSamplerHeapTable : abi::kResourceHeapTable;
    p.address = imm(abi::makeHandle(abi::kHeapBytesTable, samplers ? abi::kDescriptorBytes : 0));
    return p;
  }
  isa::Resource r;
  r.set = d.get(spv::Decoration::DescriptorSet), r.binding = d.get(spv::Decoration::Binding);
  p.mapping = mappingOf(v);
  auto slot = source.bindings.find({r.set, r.binding});
  const auto wanted = v.storage == spv::StorageClass::UniformConstant ? SlotHolds::Images : SlotHolds::Buffers;
  const auto fits = [&](SlotHolds holds) { return holds == SlotHolds::Anything || holds == wanted; };
  if (p.mapping) {
    p.constIndex = r.binding - p.mapping->firstBinding;
    r.baseHandle = abi::kNullHandle, r.count = 0;  // for listings
  } else if (slot == source.bindings.end() || !fits(slot->second.holds)) {
    // Not in the pipeline layout, or as something else, whose pointers are to other things: the null descriptor.
    r.baseHandle = abi::kNullHandle, r.count = 0;
  } else {
    r.baseHandle = abi::makeHandle(slot->second.table, slot->second.byteOffset);
    r.strideBytes = slot->second.strideBytes;
    r.count = slot->second.count, r.certain = slot->second.certain;
  }
  p.resource = static_cast<uint32_t>(program.resources.size());
  program.resources.push_back(r);
  return p;
}

Pointer Lowerer::declareShared(const spirv::Variable& v) {
  Pointer p;
  p.kind = Pointer::Kind::Memory;
  p.type = v.type, p.storage = v.storage, p.space = isa::Space::Shared;
  const bool explicitLayout = module.decorationsOf(v.type).has(spv::Decoration::Block);
  p.layout = explicitLayout ? Layout::Explicit : Layout::Natural;
  // "VkPhysicalDeviceLimits", maxComputeSharedMemorySize: of all variables together, but what blocks share.
  const uint64_t bytes = typeBytes(v.type, p.layout);
  const bool shares = isAliasedShared(v);
  if (explicitLayout && !shares)  // behind what all that share have
    for (const spirv::Variable& other : module.variables)
      if (isAliasedShared(other)) {
        const uint64_t shared = std::min<uint64_t>(typeBytes(other.type, Layout::Explicit), abi::kMaxSharedBytes);
        sharedBytes_ = std::max(sharedBytes_, static_cast<uint32_t>(alignUp<uint64_t>(shared, 16)));
        sharedDemand_ = std::max(sharedDemand_, shared);
      }
  sharedDemand_ = shares ? std::max(sharedDemand_, bytes) : sharedDemand_ + std::min<uint64_t>(bytes, 1u << 30);
  if (sharedDemand_ > abi::kMaxSharedBytes || bytes > abi::kMaxSharedBytes) {
    error(ErrorCode::InvalidShader, "the workgroup's memory is larger than maxComputeSharedMemorySize");
    return p;
  }
  if (shares) {
    sharedBytes_ = std::max(sharedBytes_, static_cast<uint32_t>(alignUp<uint64_t>(bytes, 16)));
  } else {
    p.imm = sharedBytes_;
    sharedBytes_ += static_cast<uint32_t>(alignUp<uint64_t>(bytes, 16));
  }
  if (v.initializer) zeroedShared_.emplace_back(p.imm, static_cast<uint32_t>(alignUp<uint64_t>(bytes, 4)));
  return p;
}

/// SPV_KHR_workgroup_memory_explicit_layout: blocks share one place. SPV_KHR_untyped_pointers: only those that are
/// decorated so, among those of the entry point's interface.
bool Lowerer::isAliasedShared(const spirv::Variable& v) const {
  const auto has = [](const auto& list, auto what) { return std::find(list.begin(), list.end(), what) != list.end(); };
  if (v.storage != spv::StorageClass::Workgroup || !module.decorationsOf(v.type).has(spv::Decoration::Block))
    return false;
  return !has(module.capabilities, spirv::kUntypedPointers) || mutated(Mutant::SharedAlias) ||
         (module.decorationsOf(v.id).has(spv::Decoration::Aliased) && has(module.interface, v.id));
}

bool Lowerer::explicitShared() const {
  return std::any_of(module.variables.begin(), module.variables.end(), [&](const spirv::Variable& v) {
    return v.storage == spv::StorageClass::Workgroup && module.decorationsOf(v.type).has(spv::Decoration::Block);
  });
}

/// OpConstantNull initializers of workgroup memory: the workgroup clears its ranges together before anything else.
void Lowerer::zeroShared() {
  if (zeroedShared_.empty()) return;
  const uint32_t threads = module.localSize[0] * module.localSize[1] * module.localSize[2];
  const Operand thread = sys(abi::SysValue::LocalIndex);
  const Operand first = b.value(Opcode::Shl, isa::Type::I32, thread, imm(2));
  const Operand zero = imm(0);
  for (auto [offset, bytes] : zeroedShared_) {
    // Offsets first, first + 4 * threads, ...
    const Operand at = newTemp(1);
    b.moveMasked(at, first);
    const uint32_t done = beginBlock();
    b.loopBegin();
    brIf(b.icmp(isa::CmpI::UGe, isa::Type::I32, at, imm(bytes)), done);
    b.store(isa::Space::Shared, isa::Type::I32, {}, at, zero, offset);
    b.emit(Opcode::IAdd, isa::Type::I32, at, {at, imm(4 * threads)}).masked = true;
    b.loopEnd();
    endBlock(done);
  }
  b.control(Opcode::Barrier);
}

}  // namespace etzel::lower
