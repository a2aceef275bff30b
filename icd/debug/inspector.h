// What a debugger asks of a group of warps that is stopped: call stacks, scopes, variables page by page, expressions,
// memory, registers. Answers are JSON (docs/debugging.md, The protocol). One thread at a time.
#pragma once

#include "compiler/debug/scope.h"
#include "icd/debug/debug_shader.h"
#include "icd/debug/image_picture.h"

namespace etzel::icd {

class Inspector {
 public:
  /// So many parts can be looked into until the run goes on; further ones show their value only.
  static constexpr uint64_t kMostReferences = 1 << 20;

  /// `base`: numbers of references are larger than it, by less than kMostReferences.
  Inspector(debugger::GroupRun& run, DebugShader& shader, uint32_t draw, uint64_t base)
      : run_(run), shader_(shader), draw_(draw), base_(base) {}

  /// The run goes on: references mean nothing any more.
  void forget() { handles_.clear(); }

  /// How many invocations there are.
  uint32_t invocations() const;
  /// [{"id","name"}] of `count` of them, from the `start`-th on; their numbers are those in the group, behind `first`.
  std::string threads(uint64_t first, uint64_t start, uint64_t count) const;
  std::string stack(debugger::Thread t) const;
  std::string scopes(debugger::Thread t, uint32_t frame);
  /// `count` children of a reference, from the `start`-th on; 0: all of them.
  Result<std::string> variables(uint64_t reference, uint64_t start, uint64_t count);
  /// Whose a reference is.
  std::optional<debugger::Thread> threadOf(uint64_t reference) const;
  Result<std::string> evaluate(debugger::Thread t, uint32_t frame, const std::string& text);
  /// Stores the value of an expression to a child of a reference, or (reference 0) to a part of a variable of a frame,
  /// named as in "lamps[1].power".
  Result<std::string> set(uint64_t reference, debugger::Thread t, uint32_t frame, const std::string& name,
                          const std::string& text);
  Result<std::string> read(const std::string& memory, int64_t offset, uint64_t count) const;
  Result<std::string> write(const std::string& memory, int64_t offset, const std::string& data) const;
  /// What variables of a frame hold otherwise in another invocation: [{"name","value","other"}].
  std::string compare(debugger::Thread t, uint32_t frame, debugger::Thread other) const;
  std::string complete(debugger::Thread t, uint32_t frame, const std::string& prefix) const;
  /// {"id","description"} of a data breakpoint on a child of a reference, or on a variable of a frame: on what it holds
  /// where it is an invocation's own, on its bytes (`bytes` from its first on, or all) where it lies in a buffer, on a
  /// texel where `name` is that of an image with coordinates, "image(3, 4)".
  Result<std::string> watchable(uint64_t reference, debugger::Thread t, uint32_t frame, const std::string& name,
                                uint64_t bytes);
  /// The same for `bytes` of a memory as read() names it, perhaps with "+offset", or at an address: "0x7f...".
  Result<std::string> watchableBytes(const std::string& address, uint64_t bytes) const;

  /// Where a data breakpoint looks: pieces of memory, and for whom they were named; none where it is of another stop.
  struct Watched {
    std::vector<std::span<std::byte>> pieces;
    debugger::Thread thread = 0;
  };
  Watched watched(const std::string& id) const;
  /// A picture of what an image variable has, which may be named with an index ("slices[4]"): {"width","height","step",
  /// "least","greatest","image","data"}, a PNG in base64.
  Result<std::string> picture(debugger::Thread t, uint32_t frame, const std::string& name, ImagePart part) const;
  debugger::Names names(debugger::Thread t, uint32_t frame) const;

 private:
  /// What a reference stands for.
  struct Handle {
    enum class Kind : uint8_t { Scope, Invocation, Registers, Lanes, Group, Member, Part, Computed } kind = Kind::Scope;
    debugger::Thread thread = 0;
    uint32_t frame = 0;
    debugger::ScopeKind scope = debugger::ScopeKind::Locals;
    uint32_t variable = 0;  ///< Lanes: register word
    std::vector<uint32_t> path;
    debugger::Value value;  ///< Computed
    std::string name;       ///< as an expression

    bool hasVariables() const { return kind == Kind::Scope || kind == Kind::Part || kind == Kind::Computed; }
  };
  struct Page {
    uint64_t start, count;
    bool has(uint64_t i) const { return i >= start && i - start < count; }
  };
  struct ScopeOf {
    const char* name;
    Handle handle;
    size_t count;
  };
  struct Child {
    std::string name;
    Handle handle;
    debugger::Value value;
  };

  uint64_t add(Handle handle);
  const Handle* find(uint64_t reference) const;
  std::vector<Child> children(const Handle& handle, uint64_t start, uint64_t count) const;
  std::string describe(const Child& child);
  std::string invocation(debugger::Thread t, Page page) const;
  std::string registerText(debugger::Thread t, uint32_t word) const;
  std::string registers(debugger::Thread t, Page page);
  std::vector<ScopeOf> scopesOf(debugger::Thread t, uint32_t frame) const;
  /// The group's invocations as variables, a page of them; and what one of them has.
  std::string group(Page page);
  std::string member(debugger::Thread t, Page page);
  /// "workgroup (0, 0, 0), invocation 5 (at a barrier)"
  std::string threadName(debugger::Thread t) const;
  /// Calls `take` for `count` invocations, from the `start`-th on.
  template <class F>
  void eachInvocation(uint64_t start, uint64_t count, F&& take) const;
  /// A register in all lanes of the warp.
  std::string lanes(const Handle& handle, Page page) const;
  std::optional<debugger::Value> invocationValue(debugger::Thread t, std::string_view name) const;
  Result<Child> childOf(uint64_t reference, debugger::Thread t, uint32_t frame, const std::string& name) const;
  Result<Child> childNamed(const Handle& handle, const std::string& name) const;
  Result<Child> partNamed(Child whole, std::string_view path) const;
  /// What a memory reference names: all bytes of a variable, and where among them the part of it begins.
  struct Memory {
    std::span<std::byte> bytes;
    uint64_t at = 0;
  };
  Result<Memory> memoryOf(const std::string& memory) const;
  std::span<std::byte> bytesOf(debugger::Thread t, uint32_t variable) const;
  /// The reference to what a handle stands for; empty where that lies in no memory.
  std::string memoryReference(const Handle& handle) const;
  debugger::Value partOf(const Handle& handle) const;
  /// What is bound to a variable that lies in no memory that shaders see; nulls: nothing.
  struct Bound {
    const tex::ImageView* view = nullptr;
    const tex::Sampler* sampler = nullptr;
  };
  Bound boundTo(debugger::Thread t, const debugger::Variable& variable, uint32_t element) const;
  Result<Bound> boundTo(debugger::Thread t, uint32_t frame, const std::string& name) const;
  bool isBound(const Handle& handle) const;
  std::string textOfBound(const Handle& handle) const;
  /// "image(3, 4)", of something that is bound.
  struct NamedTexel {
    const tex::ImageView* view = nullptr;
    std::vector<uint32_t> coordinates;
  };
  Result<NamedTexel> texelNamed(debugger::Thread t, uint32_t frame, const std::string& text) const;
  Result<debugger::Value> texelValue(debugger::Thread t, uint32_t frame, const std::string& text) const;
  /// Watches that texel.
  Result<std::string> watchableTexel(debugger::Thread t, uint32_t frame, const std::string& text) const;

  debugger::GroupRun& run_;
  DebugShader& shader_;
  const uint32_t draw_;
  const uint64_t base_;
  std::vector<Handle> handles_;
};

/// A part of a variable as an expression: "lamps[1]", "lamp.power".
std::string partExpression(const std::string& whole, const debugger::Type& t, uint64_t i);

}  // namespace etzel::icd
