// The debug compile: the ordinary steps (compiler/compile.cpp) with shadows, a proof that the shadows change nothing,
// and the tables.
#include "compiler/debug/debug_program.h"

#include <algorithm>

#include "compiler/debug/type_table.h"
#include "compiler/isa/encode.h"
#include "compiler/isa/shadow.h"
#include "compiler/isa/verify.h"
#include "compiler/lower/lower.h"
#include "compiler/opt/passes.h"
#include "compiler/opt/pipeline.h"
#include "compiler/regalloc/regalloc.h"
#include "compiler/spirv/newer.h"
#include "compiler/spirv/words.h"

namespace etzel::debugger {
namespace {

/// Whether both are the same once registers are allocated. Constants that only shadows read stand behind all others.
Result<bool> isSame(isa::Program a, isa::Program b) {
  ETZEL_TRY(regalloc::allocate(a));
  ETZEL_TRY(regalloc::allocate(b));
  const size_t constants = std::min(a.constants.size(), b.constants.size());
  if (constants && !std::equal(a.constants.begin(), a.constants.begin() + static_cast<ptrdiff_t>(constants - 1),
                               b.constants.begin()))
    return false;
  return isa::encode(a.code) == isa::encode(b.code) && a.table == b.table && a.resources == b.resources &&
         a.scratchBytes == b.scratchBytes && a.tempWords == b.tempWords;
}

/// The names and places that lowering wrote down, in the source's words.
class Tables {
 public:
  Tables(const spirv::Module& module, DebugProgram& out) : module_(module), out_(out), types_(module, out.info) {}

  void run() {
    for (const lower::DebugSite& site : out_.record.sites) out_.positions.push_back(positionOf(site));
    for (const lower::DebugFrame& frame : out_.record.frames) out_.functions.push_back(functionName(frame.function));
    types_.of(0);
    for (const lower::DebugBinding& binding : out_.record.bindings) add(binding);
    out_.types = types_.take();
    addBasicTypes();
  }

 private:
  Position positionOf(const lower::DebugSite& site) const {
    if (!site.location) return {};
    const isa::SourceLocation& l = module_.locations[site.location - 1];
    const int file = out_.info.fileOf(l.file);
    return {file < 0 ? kNone : static_cast<uint32_t>(file), l.line, l.column};
  }

  std::string functionName(uint32_t id) const {
    if (auto known = out_.info.functions.find(id); known != out_.info.functions.end())
      if (auto scope = out_.info.scopes.find(known->second); scope != out_.info.scopes.end()) return scope->second.name;
    const auto name = module_.names.find(id);
    if (name == module_.names.end()) return "%" + std::to_string(id);
    return name->second.substr(0, name->second.find('('));
  }

  void add(const lower::DebugBinding& binding) {
    Variable v;
    v.place = binding.place;
    v.global = binding.global, v.input = binding.input, v.firstSite = binding.site;
    uint32_t debugType = 0;
    if (!binding.global) {
      const lower::DebugSite& site = out_.record.sites[binding.site];
      v.frame = site.frame;
      if (site.scope) v.inlinedAt = module_.debugScopes[site.scope - 1].inlinedAt;
    }
    if (auto local = out_.info.locals.find(binding.variable); local != out_.info.locals.end()) {
      v.name = local->second.name, v.scope = local->second.scope, debugType = local->second.type;
      for (uint32_t i : binding.path) v.name += "." + std::to_string(i);
    } else if (auto global = out_.info.globals.find(binding.id); global != out_.info.globals.end()) {
      v.name = global->second;
    } else if (auto name = module_.names.find(binding.id); name != module_.names.end()) {
      v.name = name->second;
    }
    v.type = types_.of(binding.type, debugType);
    if (v.name.empty() && binding.global && module_.type(binding.type).kind == spirv::TypeKind::Struct) {
      if (auto name = module_.names.find(binding.type); name != module_.names.end()) v.name = name->second;
    }
    if (v.name.empty()) v.name = "%" + std::to_string(binding.id), v.unnamed = true;
    out_.variables.push_back(std::move(v));
  }

  void addBasicTypes() {
    struct Scalar {
      const char *name, *prefix;
      Type::Kind kind;
      uint32_t bits;
    };
    static constexpr Scalar kScalars[] = {
        {"bool", "b", Type::Kind::Bool, 32},       {"int", "i", Type::Kind::Int, 32},
        {"uint", "u", Type::Kind::Uint, 32},       {"int64_t", "i64", Type::Kind::Int, 64},
        {"uint64_t", "u64", Type::Kind::Uint, 64}, {"float", "", Type::Kind::Float, 32},
        {"double", "d", Type::Kind::Float, 64},
    };
    out_.firstBasicType = static_cast<uint32_t>(out_.types.size());
    for (uint32_t s = 0; s < std::size(kScalars); ++s)
      for (uint32_t columns = 1; columns <= 4; ++columns)
        for (uint32_t rows = 1; rows <= 4; ++rows) {
          Type t;
          t.kind = columns > 1 ? Type::Kind::Matrix : rows > 1 ? Type::Kind::Vector : kScalars[s].kind;
          t.bits = kScalars[s].bits;
          t.count = columns > 1 ? columns : rows;
          t.element = columns > 1 ? out_.basicType(s, 1, rows) : out_.basicType(s, 1, 1);
          t.name = rows == 1 && columns == 1
                       ? kScalars[s].name
                       : std::string(kScalars[s].prefix) + (columns > 1 ? "mat" : "vec") + std::to_string(t.count);
          if (columns > 1 && columns != rows) t.name += "x" + std::to_string(rows);
          out_.types.push_back(std::move(t));
        }
  }

  const spirv::Module& module_;
  DebugProgram& out_;
  TypeTable types_;
};

constexpr size_t kMaxNesting = 256;

/// Calls `see` with a scope and those around it while it returns true.
template <class F>
void eachScope(const DebugInfo& info, uint32_t scope, F&& see) {
  for (size_t depth = 0; depth < kMaxNesting; ++depth) {
    const auto it = info.scopes.find(scope);
    if (it == info.scopes.end() || !see(it->second)) return;
    scope = it->second.parent;
  }
}

}  // namespace

isa::Program withoutShadows(isa::Program program, uint32_t scratchBytes) {
  std::erase_if(program.code, isa::isShadow);
  program.scratchBytes = scratchBytes;
  opt::removeDeadCode(program);  // atomics whose results only shadows read
  return program;
}

namespace {
/// Variables that were in scratch memory until their array became registers are in its home.
void followArrays(const isa::Program& program, lower::DebugRecord& record) {
  using Kind = lower::DebugPlace::Kind;
  for (lower::DebugBinding& binding : record.bindings) {
    lower::DebugPlace& place = binding.place;
    if (place.kind != Kind::Scratch) continue;
    for (const isa::PrivateArray& array : program.arrays)
      if (array.promoted && place.at - array.first < array.bytes) {
        place.kind = Kind::Home, place.at += array.home - record.homeBase - array.first;
        break;
      }
  }
}

/// Where the stores are that stand for breaks. Loops that were unrolled have several.
std::vector<uint32_t> breaksOf(const isa::Program& program, const lower::DebugRecord& record) {
  std::vector<uint32_t> found;
  for (uint32_t i = 0; !record.breaks.empty() && i < program.code.size(); ++i) {
    const isa::Inst& inst = program.code[i];
    const bool isStore = isa::isShadow(inst) && inst.op == isa::Opcode::St && isa::lineOf(inst) != 0;
    if (isStore && std::binary_search(record.breaks.begin(), record.breaks.end(), isa::lineOf(inst) - 1))
      found.push_back(i);
  }
  return found;
}
}  // namespace

bool mayBreak(std::span<const uint32_t> spirv) { return spirv::imports(spirv, "NonSemantic.DebugBreak"); }

bool mayAbort(std::span<const uint32_t> spirv) { return spirv::declares(spirv, spirv::kAbort); }

Result<std::shared_ptr<const DebugProgram>> compileForDebugging(const compiler::ShaderSource& source) {
  if (source.validate) ETZEL_TRY(spirv::validate(source.spirv));
  auto plain = spirv::parse(source);
  if (!plain) return plain.error();
  auto ordinary = lower::lowerModule(**plain, source);
  if (!ordinary) return ordinary.error();
  ETZEL_TRY(opt::optimize(*ordinary));

  auto module = spirv::parse(source, true);
  if (!module) return module.error();
  auto out = std::make_shared<DebugProgram>();
  auto program = lower::lowerModule(**module, source, &out->record);
  if (!program) return program.error();
  ETZEL_TRY(isa::verify(*program, isa::VerifyMode::VirtualRegisters));
  ETZEL_TRY(opt::optimize(*program));
  // Both lose what nobody reads: the passes leave some of it where they did not look once more.
  isa::Program read = *ordinary;
  opt::removeDeadCode(read);
  auto same = isSame(withoutShadows(*program, out->record.homeBase), std::move(read));
  if (!same) return same.error();
  if (!*same)
    return Error{ErrorCode::Unsupported, "the debug compile of '" + source.entryPoint + "' is another program"};
  followArrays(*program, out->record);
  ETZEL_TRY(regalloc::allocate(*program));
  out->breaks = breaksOf(*program, out->record);
  for (isa::Inst& inst : program->code) inst.line = isa::lineOf(inst);
  const uint64_t sysValues = program->info.sysValues;
  program->info = ordinary->info;
  program->info.sysValues |= sysValues;
  ETZEL_TRY(isa::verify(*program, isa::VerifyMode::RealRegisters));
  out->program = std::move(*program);
  out->ordinary = std::move(*ordinary);
  out->scopes = (*module)->debugScopes;
  out->info = readDebugInfo(**module);
  Tables(**module, *out).run();
  return std::shared_ptr<const DebugProgram>(std::move(out));
}

uint32_t DebugProgram::siteOf(uint32_t instruction) const {
  return instruction < program.code.size() && program.code[instruction].line ? program.code[instruction].line - 1
                                                                             : kNone;
}

Position DebugProgram::positionOf(uint32_t instruction) const {
  const uint32_t site = siteOf(instruction);
  return site == kNone ? Position{} : positions[site];
}

std::vector<StackFrame> DebugProgram::callStack(uint32_t instruction) const {
  std::vector<StackFrame> stack;
  for (uint32_t site = siteOf(instruction); site != kNone;) {
    const lower::DebugSite& s = record.sites[site];
    const spirv::DebugScope scope = s.scope ? scopes[s.scope - 1] : spirv::DebugScope{};
    StackFrame frame;
    frame.position = positions[site];
    frame.frame = s.frame, frame.site = site;
    uint32_t current = scope.scope;
    // What was inlined before the module came here, then the function itself. Only broken modules nest deeper.
    for (uint32_t at = scope.inlinedAt; stack.size() < kMaxNesting;) {
      frame.scope = current, frame.inlinedAt = at;
      frame.function = functions[s.frame];
      eachScope(info, current, [&](const SourceScope& enclosing) {
        if (enclosing.isFunction) frame.function = enclosing.name;
        return !enclosing.isFunction;
      });
      stack.push_back(frame);
      auto inlined = info.inlinedAt.find(at);
      if (inlined == info.inlinedAt.end()) break;
      frame.position.line = inlined->second.line, frame.position.column = 0;
      current = inlined->second.scope, at = inlined->second.next;
    }
    if (s.frame == 0) break;
    site = record.frames[s.frame].callSite;
  }
  return stack;
}

std::vector<uint32_t> DebugProgram::variablesIn(const StackFrame& frame) const {
  std::vector<uint32_t> out;
  const auto encloses = [&](uint32_t scope) {
    if (!scope || !frame.scope) return true;
    bool found = frame.scope == scope;
    eachScope(info, frame.scope, [&](const SourceScope& enclosing) { return !(found |= enclosing.parent == scope); });
    return found;
  };
  for (uint32_t i = static_cast<uint32_t>(variables.size()); i-- > 0;) {
    const Variable& v = variables[i];
    if (!v.global && v.frame == frame.frame && v.inlinedAt == frame.inlinedAt && v.firstSite <= frame.site &&
        encloses(v.scope))
      out.push_back(i);
  }
  for (uint32_t i = 0; i < variables.size(); ++i)
    if (variables[i].global) out.push_back(i);
  return out;
}

}  // namespace etzel::debugger
