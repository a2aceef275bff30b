#include "icd/debug/inspector.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "icd/debug/base64.h"
#include "icd/debug/filter.h"
#include "icd/debug/json.h"
#include "icd/debug/numbers.h"
#include "runtime/base/float_text.h"

namespace etzel::icd {

using debugger::GroupRun;
using debugger::kNone;
using debugger::laneOf;
using debugger::ScopeKind;
using debugger::StackFrame;
using debugger::Thread;
using debugger::Type;
using debugger::Value;
using debugger::warpOf;

namespace {

constexpr uint64_t kMostRead = 1 << 20;

Error wrong(std::string what) { return {ErrorCode::InvalidArgument, std::move(what)}; }

std::string hex(uint64_t value) {
  char text[24];
  return "0x" + std::string(text, std::to_chars(text, text + sizeof text, value, 16).ptr);
}

bool isStructure(const Type& t) { return t.kind == Type::Kind::Struct; }

std::string partName(const Type& t, uint64_t i) {
  if (isStructure(t)) return t.members[i].name;
  if (t.kind == Type::Kind::Vector && i < 4) return std::string(1, "xyzw"[i]);
  return "[" + std::to_string(i) + "]";
}

constexpr const char* kInvocationNames[] = {"$lane",      "$draw",       "$pixel",  "$sample",
                                            "$workgroup", "$invocation", "$vertex", "$instance",
                                            "$primitive", "$layer",      "$view",   "$samples"};

}  // namespace

std::string partExpression(const std::string& whole, const Type& t, uint64_t i) {
  const std::string name = partName(t, i);
  return name[0] == '[' ? whole + name : whole + "." + name;
}

uint64_t Inspector::add(Handle handle) {
  if (handles_.size() + 1 >= kMostReferences) return 0;
  handles_.push_back(std::move(handle));
  return base_ + handles_.size();
}
const Inspector::Handle* Inspector::find(uint64_t reference) const {
  return reference > base_ && reference - base_ <= handles_.size() ? &handles_[reference - base_ - 1] : nullptr;
}

std::string Inspector::stack(Thread t) const {
  const uint32_t w = warpOf(t), instruction = run_.instruction(w);
  std::vector<StackFrame> stack = run_.callStack(w);
  if (stack.empty()) stack.push_back({shader_.entryPoint(), {}, 0, 0, 0, 0});
  JsonArray frames;
  for (const StackFrame& frame : stack) {
    JsonObject f;
    f.text("name", frame.function).number("shader", shader_.id()).number("instruction", instruction);
    if (frame.position.known()) {
      const debugger::SourceFile& file = run_.program().info.files[frame.position.file];
      f.text("file", file.name).truth("embedded", !file.text.empty()).number("fileIndex", frame.position.file);
      f.number("line", frame.position.line).number("column", frame.position.column);
    }
    frames.add(f.done());
  }
  return frames.done();
}

std::optional<Thread> Inspector::threadOf(uint64_t reference) const {
  const Handle* handle = find(reference);
  return handle ? std::optional(handle->thread) : std::nullopt;
}

std::vector<Inspector::ScopeOf> Inspector::scopesOf(Thread t, uint32_t frame) const {
  std::vector<ScopeOf> all;
  const auto scope = [&](const char* name, Handle handle, size_t count) {
    handle.thread = t, handle.frame = frame;
    all.push_back({name, std::move(handle), count});
  };
  constexpr std::pair<const char*, ScopeKind> kScopes[] = {{"Locals", ScopeKind::Locals},
                                                           {"Inputs", ScopeKind::Inputs},
                                                           {"Outputs", ScopeKind::Outputs},
                                                           {"Globals", ScopeKind::Globals}};
  for (const auto& [name, kind] : kScopes) {
    const size_t count = variablesOf(run_, t, frame, kind).size();
    if (!count && kind != ScopeKind::Locals) continue;
    Handle h;
    h.scope = kind;
    scope(name, std::move(h), count);
  }
  Handle invocation, registers;
  invocation.kind = Handle::Kind::Invocation, registers.kind = Handle::Kind::Registers;
  scope("Invocation", std::move(invocation), std::size(kInvocationNames));
  scope("Registers", std::move(registers), run_.program().program.tempWords + 1);
  return all;
}

std::string Inspector::scopes(Thread t, uint32_t frame) {
  JsonArray all;
  for (ScopeOf& s : scopesOf(t, frame))
    all.add(JsonObject().text("name", s.name).number("ref", add(std::move(s.handle))).number("named", s.count).done());
  Handle group;
  group.kind = Handle::Kind::Group, group.thread = t;
  all.add(JsonObject()
              .text("name", "Invocations")
              .number("ref", add(std::move(group)))
              .number("named", 0)
              .number("indexed", invocations())
              .done());
  return all.done();
}

Value Inspector::partOf(const Handle& handle) const {
  if (handle.kind == Handle::Kind::Computed) return handle.value;
  Value v = run_.value(handle.thread, handle.variable);
  for (const uint32_t i : handle.path) {
    if (i >= v.parts.size()) return {Value::State::Nowhere, v.type, 0, {}};
    Value part = std::move(v.parts[i]);
    v = std::move(part);
  }
  return v;
}

std::vector<Inspector::Child> Inspector::children(const Handle& handle, uint64_t start, uint64_t count) const {
  std::vector<Child> out;
  const auto& program = run_.program();
  if (handle.kind == Handle::Kind::Scope) {
    const std::vector<uint32_t> all = variablesOf(run_, handle.thread, handle.frame, handle.scope);
    for (uint64_t i = start; i < all.size() && i - start < count; ++i) {
      Handle h{Handle::Kind::Part, handle.thread, handle.frame, handle.scope, all[i], {}, {}, {}};
      h.name = program.variables[all[i]].name;
      out.push_back({h.name, h, run_.value(handle.thread, all[i])});
    }
    return out;
  }
  const Value whole = partOf(handle);
  const Type& t = program.types[whole.type];
  for (uint64_t i = start; i < whole.parts.size() && i - start < count; ++i) {
    Handle h = handle;
    h.path.push_back(static_cast<uint32_t>(i));
    h.name = partExpression(handle.name, t, i);
    h.value = whole.parts[i];
    out.push_back({partName(t, i), std::move(h), whole.parts[i]});
  }
  return out;
}

std::string Inspector::describe(const Child& child) {
  const auto& program = run_.program();
  const Type& t = program.types[child.value.type];
  JsonObject out;
  const bool bound = isBound(child.handle);
  out.text("name", child.name).text("value", bound ? textOfBound(child.handle) : toText(program, child.value));
  out.text("type", t.name);
  if (bound) out.truth("image", boundTo(child.handle.thread, program.variables[child.handle.variable], 0).view);
  const bool nested = !child.value.parts.empty();
  out.number("ref", nested ? add(child.handle) : 0);
  if (nested) out.number(isStructure(t) ? "named" : "indexed", child.value.parts.size());
  if (child.handle.kind == Handle::Kind::Part) {
    out.text("expression", child.handle.name);
    if (const std::string memory = memoryReference(child.handle); !memory.empty()) out.text("memory", memory);
  }
  return out.done();
}

std::optional<Value> Inspector::invocationValue(Thread t, std::string_view name) const {
  const auto& program = run_.program();
  const abi::Warp& warp = run_.warp(warpOf(t));
  const auto sys = [&](abi::SysValue v) { return warp.sys[static_cast<uint32_t>(v)].lane[laneOf(t)]; };
  constexpr uint32_t kUint = 2;  // DebugProgram::basicType
  const auto vector = [&](std::vector<uint32_t> words) {
    Value v;
    v.type = program.basicType(kUint, 1, static_cast<uint32_t>(words.size()));
    for (const uint32_t w : words) v.parts.push_back({Value::State::Known, program.basicType(kUint, 1, 1), w, {}});
    return words.size() == 1 ? v.parts[0] : v;
  };
  using abi::Stage;
  const Stage stage = shader_.stage();
  const auto place = [&](abi::SysValue v) { return static_cast<uint32_t>(std::floor(std::bit_cast<float>(sys(v)))); };
  if (name == "$lane") return vector({laneOf(t)});
  if (name == "$draw") return vector({draw_});
  if (stage == Stage::Fragment) {
    if (name == "$pixel") return vector({place(abi::SysValue::PosX), place(abi::SysValue::PosY)});
    if (name == "$sample") return vector({sys(abi::SysValue::SampleId)});
    if (name == "$layer") return vector({sys(abi::SysValue::Layer)});
    if (name == "$samples") return vector({sys(abi::SysValue::SampleMaskIn)});
  }
  if (stage == Stage::Compute) {
    if (name == "$workgroup")
      return vector(
          {sys(abi::SysValue::WorkgroupIdX), sys(abi::SysValue::WorkgroupIdY), sys(abi::SysValue::WorkgroupIdZ)});
    if (name == "$invocation") return vector({sys(abi::SysValue::LocalIndex)});
    return {};
  }
  if (name == "$view") return vector({sys(abi::SysValue::ViewIndex)});
  if (stage == Stage::Vertex) {
    if (name == "$vertex") return vector({sys(abi::SysValue::VertexIndex)});
    if (name == "$instance") return vector({sys(abi::SysValue::InstanceIndex)});
    return {};
  }
  if (name == "$primitive") return vector({sys(abi::SysValue::PrimitiveId)});
  if (name == "$invocation" && stage != Stage::Fragment && stage != Stage::TessEvaluation)
    return vector({sys(abi::SysValue::InvocationId)});
  return {};
}

std::string Inspector::invocation(Thread t, Page page) const {
  JsonArray all;
  uint64_t i = 0;
  for (const char* name : kInvocationNames) {
    const auto value = invocationValue(t, name);
    if (!value || !page.has(i++)) continue;
    all.add(JsonObject()
                .text("name", name)
                .text("value", toText(run_.program(), *value))
                .text("type", run_.program().types[value->type].name)
                .text("expression", name)
                .number("ref", 0)
                .done());
  }
  return all.done();
}

std::string Inspector::registerText(Thread t, uint32_t word) const {
  const uint32_t bits = run_.warp(warpOf(t)).registers[word].lane[laneOf(t)];
  return hex(bits) + " = " + shortestText(std::bit_cast<float>(bits));
}

std::string Inspector::registers(Thread t, Page page) {
  JsonArray all;
  const auto add = [&](const std::string& name, const std::string& value, uint64_t reference) {
    all.add(JsonObject().text("name", name).text("value", value).text("type", "").number("ref", reference).done());
  };
  std::string lanes;
  for (uint32_t i = 0; i < kWarpLanes; ++i)
    if (run_.active(warpOf(t)) >> i & 1) lanes += (lanes.empty() ? "" : " ") + std::to_string(i);
  if (page.has(0)) add("$running", lanes.empty() ? "no lanes" : "lanes " + lanes, 0);
  for (uint32_t i = 0; i < run_.program().program.tempWords; ++i) {
    if (!page.has(i + 1)) continue;
    Handle handle;
    handle.kind = Handle::Kind::Lanes, handle.thread = t, handle.variable = i;
    add("r" + std::to_string(i / 4) + "." + "xyzw"[i % 4], registerText(t, i), this->add(std::move(handle)));
  }
  return all.done();
}

std::string Inspector::lanes(const Handle& handle, Page page) const {
  JsonArray all;
  const Thread first = warpOf(handle.thread) * kWarpLanes;
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    if (!page.has(i)) continue;
    all.add(JsonObject()
                .text("name", "[" + std::to_string(i) + "]")
                .text("value", registerText(first + i, handle.variable))
                .text("type", "")
                .number("ref", 0)
                .done());
  }
  return all.done();
}

Result<std::string> Inspector::variables(uint64_t reference, uint64_t start, uint64_t count) {
  const Handle* handle = find(reference);
  if (!handle) return wrong("this reference means nothing (any more)");
  const Page page{start, count ? count : UINT64_MAX};
  switch (handle->kind) {
    case Handle::Kind::Invocation: return invocation(handle->thread, page);
    case Handle::Kind::Registers: return registers(handle->thread, page);
    case Handle::Kind::Lanes: return lanes(*handle, page);
    case Handle::Kind::Group: return group(page);
    case Handle::Kind::Member: return member(handle->thread, page);
    default: break;
  }
  JsonArray all;
  for (const Child& child : children(*handle, page.start, page.count)) all.add(describe(child));
  return all.done();
}

debugger::Names Inspector::names(Thread t, uint32_t frame) const {
  return namesIn(run_, t, frame, [this, t](std::string_view name) { return invocationValue(t, name); });
}

Result<std::string> Inspector::evaluate(Thread t, uint32_t frame, const std::string& text) {
  // A variable by its name can be looked into and stored to; anything else is computed.
  if (auto known = childOf(0, t, frame, text)) return describe(*known);
  auto value = debugger::evaluate(run_.program(), text, names(t, frame));
  if (!value && text.ends_with(')'))
    if (auto texel = texelValue(t, frame, text)) value = std::move(texel);
  if (!value) return value.error();
  Handle h;
  h.kind = Handle::Kind::Computed, h.thread = t, h.frame = frame, h.value = *value, h.name = "(" + text + ")";
  return describe({text, std::move(h), std::move(*value)});
}

Result<Inspector::Child> Inspector::childOf(uint64_t reference, Thread t, uint32_t frame,
                                            const std::string& name) const {
  if (reference) {
    const Handle* handle = find(reference);
    if (!handle || !handle->hasVariables()) return wrong("this reference has no variables");
    return childNamed(*handle, name);
  }
  const size_t end = std::min(name.find_first_of(".["), name.size());
  for (const ScopeKind kind : {ScopeKind::Locals, ScopeKind::Inputs, ScopeKind::Outputs, ScopeKind::Globals}) {
    for (const uint32_t v : variablesOf(run_, t, frame, kind)) {
      if (run_.program().variables[v].name != name.substr(0, end)) continue;
      Handle h{Handle::Kind::Part, t, frame, kind, v, {}, {}, name.substr(0, end)};
      Child child{h.name, std::move(h), run_.value(t, v)};
      return partNamed(std::move(child), name.substr(end));
    }
  }
  return wrong("there is no " + name + " here");
}

Result<Inspector::Child> Inspector::childNamed(const Handle& handle, const std::string& name) const {
  for (Child& child : children(handle, 0, debugger::kMaxElements))
    if (child.name == name) return std::move(child);
  return wrong("there is no " + name + " here");
}

/// Follows ".member" and "[3]".
Result<Inspector::Child> Inspector::partNamed(Child whole, std::string_view path) const {
  while (!path.empty()) {
    const size_t end = path[0] == '[' ? path.find(']') + 1 : std::min(path.find_first_of(".[", 1), path.size());
    if (end == 0) return wrong("']' is missing");
    const std::string_view step = path.substr(0, end);
    auto part = childNamed(whole.handle, std::string(step[0] == '[' ? step : step.substr(1)));
    if (!part) return part;
    whole = std::move(*part);
    path.remove_prefix(end);
  }
  return whole;
}

Result<std::string> Inspector::set(uint64_t reference, Thread t, uint32_t frame, const std::string& name,
                                   const std::string& text) {
  auto child = childOf(reference, t, frame, name);
  if (!child) return child.error();
  const Handle& h = child->handle;
  if (h.kind != Handle::Kind::Part) return wrong("what was computed cannot be stored to");
  auto value = debugger::evaluate(run_.program(), text, names(h.thread, h.frame));
  if (!value) return value.error();
  ETZEL_TRY(assign(run_, h.thread, h.variable, h.path, *value));
  child->value = partOf(h);
  return describe(*child);
}

std::span<std::byte> Inspector::bytesOf(Thread t, uint32_t variable) const {
  const debugger::Variable& v = run_.program().variables[variable];
  const abi::Warp& warp = run_.warp(warpOf(t));
  if (v.place.kind == lower::DebugPlace::Kind::Shared) {
    const std::span<std::byte> bytes(warp.shared, run_.program().program.info.sharedBytes);
    return bytes.subspan(std::min<size_t>(v.place.at, bytes.size()));
  }
  const isa::Resource& r = run_.program().program.resources[v.place.at];
  if (v.place.element >= r.count) return {};
  return interp::bufferBytes(*warp.context, r.baseHandle + v.place.element * (r.strideBytes / 16));
}

std::string Inspector::memoryReference(const Handle& handle) const {
  const auto place = run_.program().variables[handle.variable].place.kind;
  if (place != lower::DebugPlace::Kind::Buffer && place != lower::DebugPlace::Kind::Shared) return {};
  std::string reference = std::to_string(handle.thread) + ":" + std::to_string(handle.variable);
  if (handle.path.empty()) return reference;
  const auto leaves = run_.locate(handle.thread, handle.variable, handle.path);
  if (leaves.empty()) return {};
  return reference + ":" + std::to_string(leaves[0].word[0] - bytesOf(handle.thread, handle.variable).data());
}

Result<Inspector::Memory> Inspector::memoryOf(const std::string& memory) const {
  const auto numbers = numbersIn<uint64_t>(memory, ':');
  const auto& variables = run_.program().variables;
  if (!numbers || numbers->size() < 2 || numbers->size() > 3 || (*numbers)[0] >= run_.warps() * kWarpLanes ||
      (*numbers)[1] >= variables.size())
    return wrong("this memory is not known");
  const auto variable = static_cast<uint32_t>((*numbers)[1]);
  const auto place = variables[variable].place.kind;
  if (place != lower::DebugPlace::Kind::Buffer && place != lower::DebugPlace::Kind::Shared)
    return wrong("this variable lies in no memory");
  const Memory whole{bytesOf(static_cast<Thread>((*numbers)[0]), variable), numbers->size() > 2 ? (*numbers)[2] : 0};
  if (whole.at > whole.bytes.size()) return wrong("this memory is not known");
  return whole;
}

namespace {
/// Where an offset from a part leads, in front of it too; nothing where that is outside of the memory.
std::optional<uint64_t> placeAt(uint64_t at, int64_t offset, uint64_t size) {
  const uint64_t place = at + static_cast<uint64_t>(offset);  // wraps as it should where it is negative
  if (offset < 0 ? place > at : place < at) return {};
  return place <= size ? std::optional(place) : std::nullopt;
}
}  // namespace

Result<std::string> Inspector::read(const std::string& memory, int64_t offset, uint64_t count) const {
  const auto known = memoryOf(memory);
  if (!known) return known.error();
  const uint64_t from = placeAt(known->at, offset, known->bytes.size()).value_or(known->bytes.size());
  const uint64_t has = std::min({count, known->bytes.size() - from, kMostRead});
  return JsonObject()
      .number("offset", from)
      .number("unreadable", count - has)
      .text("data", toBase64(known->bytes.subspan(from, has)))
      .done();
}

Result<std::string> Inspector::write(const std::string& memory, int64_t offset, const std::string& data) const {
  const auto known = memoryOf(memory);
  if (!known) return known.error();
  const auto values = fromBase64(data);
  if (!values) return wrong("this is no base64");
  const auto at = placeAt(known->at, offset, known->bytes.size());
  if (!at || known->bytes.size() - *at < values->size())
    return wrong("the memory has " + std::to_string(known->bytes.size()) + " bytes");
  std::copy(values->begin(), values->end(), known->bytes.begin() + static_cast<ptrdiff_t>(*at));
  return JsonObject().number("written", values->size()).done();
}

std::string Inspector::complete(Thread t, uint32_t frame, const std::string& prefix) const {
  std::vector<std::string> all = debugger::builtInFunctions();
  for (const ScopeKind kind : {ScopeKind::Locals, ScopeKind::Inputs, ScopeKind::Outputs, ScopeKind::Globals})
    for (const uint32_t v : variablesOf(run_, t, frame, kind)) all.push_back(run_.program().variables[v].name);
  for (const char* name : kInvocationNames)
    if (invocationValue(t, name)) all.emplace_back(name);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  JsonArray out;
  for (const std::string& name : all)
    if (name.starts_with(prefix)) out.add(debugger::quoted(name));
  return out.done();
}

}  // namespace etzel::icd
