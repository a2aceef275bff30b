// Images, texel buffers and samplers of a stopped group: what is bound, single texels, pictures.
#include <charconv>

#include "icd/debug/base64.h"
#include "icd/debug/history_text.h"
#include "icd/debug/inspector.h"
#include "icd/debug/json.h"
#include "icd/debug/png.h"
#include "runtime/tex/decoding.h"

namespace etzel::icd {

using debugger::Thread;
using debugger::Value;
using debugger::warpOf;

namespace {
Error wrong(std::string what) { return {ErrorCode::InvalidArgument, std::move(what)}; }
}  // namespace

Inspector::Bound Inspector::boundTo(Thread t, const debugger::Variable& variable, uint32_t element) const {
  const isa::Resource& r = run_.program().program.resources[variable.place.at];
  element += variable.place.element;
  if (element >= r.count) return {};
  const abi::DispatchContext& context = *run_.warp(warpOf(t)).context;
  const abi::DescriptorHandle handle = r.baseHandle + element * (r.strideBytes / 16);
  return {tex::asStored(interp::imageOf(context, handle)), interp::samplerOf(context, handle)};
}

Result<Inspector::Bound> Inspector::boundTo(Thread t, uint32_t frame, const std::string& name) const {
  const std::string whole = name.substr(0, name.find('['));
  const auto child = childOf(0, t, frame, whole);
  if (!child) return child.error();
  if (!isBound(child->handle)) return wrong(whole + " is no image");
  uint32_t element = 0;
  const char* const end = name.data() + name.size();
  if (whole.size() < name.size()) {
    const auto read = std::from_chars(name.data() + whole.size() + 1, end, element);
    if (read.ec != std::errc() || read.ptr == end || *read.ptr != ']') return wrong("'" + name + "' names no element");
  }
  return boundTo(t, run_.program().variables[child->handle.variable], element);
}

bool Inspector::isBound(const Handle& handle) const {
  return handle.kind == Handle::Kind::Part && handle.path.empty() &&
         run_.program().variables[handle.variable].place.kind == lower::DebugPlace::Kind::Opaque;
}

std::string Inspector::textOfBound(const Handle& handle) const {
  const debugger::Variable& variable = run_.program().variables[handle.variable];
  const uint32_t count = run_.program().program.resources[variable.place.at].count;
  const Bound bound = boundTo(handle.thread, variable, 0);
  std::string text;
  if (bound.view) text = textOf(*run_.warp(warpOf(handle.thread)).context, *bound.view);
  if (bound.sampler) text += (text.empty() ? "" : "; ") + textOf(*bound.sampler);
  if (text.empty()) text = "nothing is bound";
  return count > 1 ? std::to_string(count) + " descriptors, the first: " + text : text;
}

Result<Inspector::NamedTexel> Inspector::texelNamed(Thread t, uint32_t frame, const std::string& text) const {
  const size_t open = text.find('(');
  NamedTexel texel;
  for (const char *at = text.data() + open + 1, *const end = text.data() + text.size() - 1;;) {
    while (at < end && *at == ' ') ++at;
    uint32_t value = 0;
    const auto read = std::from_chars(at, end, value);
    if (open == std::string::npos || read.ec != std::errc()) return wrong("coordinates are whole numbers");
    texel.coordinates.push_back(value);
    if (read.ptr == end) break;
    if (*read.ptr != ',') return wrong("coordinates are divided by commas");
    at = read.ptr + 1;
  }
  const std::string name = text.substr(0, open);
  const auto bound = boundTo(t, frame, name);
  if (!bound) return bound.error();
  if (!bound->view) return wrong("nothing is bound to " + name);
  texel.view = bound->view;
  return texel;
}

Result<Value> Inspector::texelValue(Thread t, uint32_t frame, const std::string& text) const {
  const auto named = texelNamed(t, frame, text);
  if (!named) return named.error();
  const auto found = texelOf(*run_.warp(warpOf(t)).context, *named->view, named->coordinates);
  if (!found) return found.error();
  // DebugProgram::basicType
  const uint32_t scalar = found->numeric == format::Numeric::Sint ? 1 : found->numeric == format::Numeric::Uint ? 2 : 5;
  Value v;
  v.type = run_.program().basicType(scalar, 1, 4);
  for (const uint32_t w : found->texel.word)
    v.parts.push_back({Value::State::Known, run_.program().basicType(scalar, 1, 1), w, {}});
  return v;
}

Result<std::string> Inspector::picture(Thread t, uint32_t frame, const std::string& name, ImagePart part) const {
  const auto bound = boundTo(t, frame, name);
  if (!bound) return bound.error();
  if (!bound->view) return wrong("no image is bound to " + name);
  const abi::DispatchContext& context = *run_.warp(warpOf(t)).context;
  const auto p = pictureOf(context, *bound->view, part);
  if (!p) return p.error();
  return JsonObject()
      .number("width", p->width)
      .number("height", p->height)
      .number("step", p->step)
      .raw("least", numberText(p->least))
      .raw("greatest", numberText(p->greatest))
      .text("image", textOf(context, *bound->view))
      .text("data", toBase64(toPng(p->width, p->height, p->rgb)))
      .done();
}

}  // namespace etzel::icd
