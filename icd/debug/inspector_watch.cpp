// Data breakpoints: what is watched, by the name or the place that a debugger gives it.
#include <algorithm>
#include <charconv>

#include "icd/debug/inspector.h"
#include "icd/debug/json.h"
#include "icd/debug/memory_place.h"

namespace etzel::icd {

using debugger::GroupRun;
using debugger::Thread;
using debugger::warpOf;

namespace {

Error wrong(std::string what) { return {ErrorCode::InvalidArgument, std::move(what)}; }

std::string describePlace(const MemoryPlace& place, const std::string& description) {
  return JsonObject().text("id", place.id()).text("description", description).done();
}

/// Bytes that follow one another as one piece.
MemoryPlace placeOf(const std::vector<GroupRun::Leaf>& leaves) {
  MemoryPlace place;
  for (const GroupRun::Leaf& leaf : leaves)
    for (uint32_t i = 0; i < 2 && leaf.word[i]; ++i) {
      const auto at = reinterpret_cast<uint64_t>(leaf.word[i]);
      const uint64_t count = leaf.word[1] ? 4 : leaf.bytes;
      if (!place.bytes.empty() && place.bytes.back().at + place.bytes.back().count == at)
        place.bytes.back().count += count;
      else
        place.bytes.push_back({at, count});
    }
  return place;
}

}  // namespace

Result<std::string> Inspector::watchable(uint64_t reference, Thread t, uint32_t frame, const std::string& name,
                                         uint64_t bytes) {
  if (!reference && name.ends_with(')')) return watchableTexel(t, frame, name);
  auto child = childOf(reference, t, frame, name);
  if (!child) return child.error();
  const Handle& h = child->handle;
  const bool isPart = h.kind == Handle::Kind::Part;
  const auto leaves = isPart ? run_.locate(h.thread, h.variable, h.path) : std::vector<GroupRun::Leaf>{};
  if (leaves.empty()) return wrong(name + " is kept nowhere that could be watched");
  if (run_.program().variables[h.variable].place.kind == lower::DebugPlace::Kind::Buffer) {
    MemoryPlace place = placeOf(leaves);
    if (bytes) place.bytes = {{place.bytes[0].at, bytes}};
    return describePlace(place, bytes ? std::to_string(bytes) + " bytes from " + h.name + " on" : h.name);
  }
  std::string id = std::to_string(base_) + ":" + std::to_string(h.thread) + ":" + std::to_string(h.variable);
  for (const uint32_t i : h.path) id += ":" + std::to_string(i);
  return JsonObject().text("id", id).text("description", h.name).done();
}

Result<std::string> Inspector::watchableBytes(const std::string& address, uint64_t bytes) const {
  const size_t plus = std::min(address.find('+'), address.size());
  uint64_t offset = 0;
  const char* const end = address.data() + address.size();
  if (plus < address.size() && std::from_chars(address.data() + plus + 1, end, offset).ptr != end)
    return wrong("'" + address.substr(plus) + "' is no offset");
  const std::string description = std::to_string(bytes) + " bytes at " + address;
  if (address.starts_with("0x")) {
    uint64_t at = 0;
    const auto read = std::from_chars(address.data() + 2, address.data() + plus, at, 16);
    if (read.ec != std::errc() || read.ptr != address.data() + plus) return wrong("'" + address + "' is no address");
    return describePlace({{{at + offset, bytes}}, {}}, description);
  }
  const auto memory = memoryOf(address.substr(0, plus));
  if (!memory) return memory.error();
  const uint64_t has = memory->bytes.size() - memory->at;
  if (offset > has || bytes > has - offset) return wrong("the memory has " + std::to_string(has) + " bytes there");
  const auto first = reinterpret_cast<uint64_t>(memory->bytes.data()) + memory->at;
  return describePlace({{{first + offset, bytes}}, {}}, description);
}

Result<std::string> Inspector::watchableTexel(Thread t, uint32_t frame, const std::string& text) const {
  const auto texel = texelNamed(t, frame, text);
  if (!texel) return texel.error();
  const auto place = placeOfTexel(*texel->view, texel->coordinates);
  if (!place) return wrong(text + " has another number of coordinates than the image");
  return describePlace(*place, text);
}

Inspector::Watched Inspector::watched(const std::string& id) const {
  std::vector<uint64_t> numbers;
  for (size_t at = 0; at < id.size();) {
    const size_t end = std::min(id.find(':', at), id.size());
    uint64_t value = 0;
    if (std::from_chars(id.data() + at, id.data() + end, value).ptr != id.data() + end) return {};
    numbers.push_back(value);
    at = end + 1;
  }
  if (numbers.size() < 3 || numbers[0] != base_ || numbers[1] >= run_.warps() * kWarpLanes ||
      numbers[2] >= run_.program().variables.size())
    return {};
  const std::vector<uint32_t> path(numbers.begin() + 3, numbers.end());
  Watched out{{}, static_cast<Thread>(numbers[1])};
  for (const GroupRun::Leaf& leaf : run_.locate(out.thread, static_cast<uint32_t>(numbers[2]), path))
    for (uint32_t i = 0; i < 2 && leaf.word[i]; ++i)
      out.pieces.push_back({leaf.word[i], leaf.word[1] ? 4 : leaf.bytes});
  return out;
}

}  // namespace etzel::icd
