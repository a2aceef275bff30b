// Where the scalars of a variable lie while a run is stopped.
#include "compiler/debug/group_run.h"
#include "compiler/debug/layout.h"

namespace etzel::debugger {
namespace {

using Kind = Type::Kind;
using Place = lower::DebugPlace::Kind;

/// Follows a path into a variable, then lists the scalars behind it.
class Locator {
 public:
  Locator(const DebugProgram& program, const abi::Warp& warp, uint32_t lane, const Variable& v)
      : program_(program), warp_(warp), lane_(lane), v_(v) {}

  std::vector<GroupRun::Leaf> run(std::span<const uint32_t> path) {
    switch (v_.place.kind) {
      case Place::Home:
      case Place::Scratch:
      case Place::Output:
      case Place::Record: components(path); break;
      case Place::Shared:
        bytes_ = {static_cast<std::byte*>(warp_.shared), program_.program.info.sharedBytes};
        memory(path, v_.place.at, v_.place.decorated);
        break;
      case Place::Buffer: {
        const isa::Resource& r = program_.program.resources[v_.place.at];
        if (v_.place.element >= r.count) break;
        bytes_ = interp::bufferBytes(*warp_.context, r.baseHandle + v_.place.element * (r.strideBytes / 16));
        memory(path, 0, true);
        break;
      }
      default: break;
    }
    return std::move(leaves_);
  }

 private:
  const Type& type(uint32_t index) const { return program_.types[index]; }

  // --- Components: words of memory, one or two each, or outputs, one after the other
  void components(std::span<const uint32_t> path) {
    uint32_t index = v_.type, word = 0;
    for (const uint32_t part : path) {
      if (part >= partsOf(type(index))) return;
      for (uint32_t i = 0; i < part; ++i) word += wordsOf(partType(index, i));
      index = partType(index, part);
    }
    emitComponents(index, word);
  }
  uint32_t partType(uint32_t index, uint32_t part) const {
    const Type& t = type(index);
    return t.kind == Kind::Struct ? t.members[part].type : t.element;
  }
  uint32_t partsOf(const Type& t) const {
    return t.kind == Kind::Struct ? static_cast<uint32_t>(t.members.size()) : isScalar(t) ? 0 : t.count;
  }
  uint32_t wordsOf(uint32_t index) const {
    const Type& t = type(index);
    if (isScalar(t)) return t.bits == 64 && !isOutput(v_.place) ? 2 : 1;
    uint32_t words = 0;
    for (uint32_t i = 0; i < partsOf(t); ++i) words += wordsOf(partType(index, i));
    return words;
  }
  void emitComponents(uint32_t index, uint32_t word) {
    const Type& t = type(index);
    if (!isScalar(t)) {
      for (uint32_t i = 0; i < partsOf(t); ++i) {
        emitComponents(partType(index, i), word);
        word += wordsOf(partType(index, i));
      }
      return;
    }
    GroupRun::Leaf leaf;
    leaf.type = index, leaf.bytes = t.bits == 64 ? 8 : 4;
    for (uint32_t i = 0; i < leaf.bytes / 4; ++i) leaf.word[i] = wordAt(word, i);
    if (v_.place.kind == Place::Home) leaf.home = v_.place.at / 4 + word;
    if (leaf.word[0]) leaves_.push_back(leaf);
  }
  std::byte* wordAt(uint32_t word, uint32_t half) const {
    if (isOutput(v_.place))
      return reinterpret_cast<std::byte*>(outputWord(program_, warp_, lane_, v_.place, word, half));
    const size_t base = v_.place.at / 4 + (v_.place.kind == Place::Home ? program_.record.homeBase / 4 : 0);
    return warp_.scratch + ((base + word + half) * kWarpLanes + lane_) * 4;
  }

  // --- Memory
  void memory(std::span<const uint32_t> path, uint64_t at, bool decorated) {
    Laid part{v_.type, at, 0, false};
    for (const uint32_t i : path) {
      if (i >= laidParts(program_, part, bytes_.size())) return;
      part = laidPart(program_, part, i, decorated);
    }
    emitMemory(part, decorated);
  }
  void emitMemory(Laid part, bool decorated) {
    const Type& t = type(part.type);
    if (!isScalar(t)) {
      const uint64_t count = std::min<uint64_t>(laidParts(program_, part, bytes_.size()), kMaxElements);
      for (uint32_t i = 0; i < count; ++i) emitMemory(laidPart(program_, part, i, decorated), decorated);
      return;
    }
    const uint32_t bytes = t.kind == Kind::Bool ? 4 : t.bits / 8;
    if (part.at + bytes > bytes_.size()) return;
    GroupRun::Leaf leaf;
    leaf.type = part.type, leaf.bytes = bytes, leaf.word[0] = bytes_.data() + part.at;
    leaves_.push_back(leaf);
  }

  const DebugProgram& program_;
  const abi::Warp& warp_;
  uint32_t lane_;
  const Variable& v_;
  std::span<std::byte> bytes_;
  std::vector<GroupRun::Leaf> leaves_;
};

}  // namespace

std::vector<GroupRun::Leaf> GroupRun::locate(Thread t, uint32_t variable, std::span<const uint32_t> path) const {
  return Locator(program(), warp(warpOf(t)), laneOf(t), program().variables[variable]).run(path);
}

}  // namespace etzel::debugger
