#include "compiler/isa/container.h"

#include <cstring>
#include <string>
#include <type_traits>

#include "compiler/isa/encode.h"

namespace etzel::isa {
namespace {

class Writer {
 public:
  static constexpr bool kReads = false;
  template <class T>
  void value(const T& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* p = reinterpret_cast<const std::byte*>(&v);
    bytes.insert(bytes.end(), p, p + sizeof v);
  }
  void flag(bool v) { value(static_cast<uint8_t>(v)); }
  uint32_t size(size_t n) {
    value(static_cast<uint32_t>(n));
    return static_cast<uint32_t>(n);
  }
  void text(const std::string& s) {
    size(s.size());
    const auto* p = reinterpret_cast<const std::byte*>(s.data());
    bytes.insert(bytes.end(), p, p + s.size());
  }
  std::vector<std::byte> bytes;
};

class Reader {
 public:
  static constexpr bool kReads = true;
  explicit Reader(std::span<const std::byte> from) : left(from) {}
  template <class T>
  void value(T& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (left.size() < sizeof v) {
      bad = true, v = T{};
      return;
    }
    std::memcpy(&v, left.data(), sizeof v);
    left = left.subspan(sizeof v);
  }
  void flag(bool& v) {
    uint8_t byte = 0;
    value(byte);
    bad |= byte > 1;
    v = byte == 1;
  }
  /// A count of things that take at least a byte each: more than there are bytes is an error, not an allocation.
  uint32_t size(size_t) {
    uint32_t n = 0;
    value(n);
    if (n > left.size()) bad = true, n = 0;
    return n;
  }
  void text(std::string& s) {
    const uint32_t n = size(0);
    s.assign(reinterpret_cast<const char*>(left.data()), n);
    left = left.subspan(n);
  }
  std::span<const std::byte> left;
  bool bad = false;
};

// One list of fields serves both directions, so they can't disagree.
template <class A, class P>
void infoFields(A& a, P& p) {
  auto& i = p.info;
  a.value(i.stage), a.value(i.inputLocations), a.value(i.outputLocations), a.value(i.sysValues);
  a.value(i.clipDistances), a.value(i.cullDistances);
  a.flag(i.writesPointSize), a.flag(i.writesLayer), a.flag(i.writesViewportIndex), a.flag(i.writesPrimitiveId);
  a.flag(i.writesShadingRate);
  a.flag(i.hasSideEffects), a.flag(i.usesBarrier), a.flag(i.usesDerivatives);
  a.flag(i.writesDepth), a.flag(i.writesSampleMask), a.flag(i.writesStencilRef), a.flag(i.writesColorIndex1);
  a.flag(i.writesSampleDepth), a.flag(i.discards), a.flag(i.earlyFragmentTests), a.flag(i.postDepthCoverage);
  a.flag(i.sampleRate), a.flag(i.sharesSamples);
  a.value(i.integerOutputs), a.value(i.linearInputs), a.flag(i.readsVertices);
  a.value(i.depthMode), a.value(i.interlock), a.flag(i.readsAttachments), a.flag(i.readsTile);
  for (auto& n : i.localSize) a.value(n);
  a.value(i.sharedBytes), a.value(i.subgroupSize), a.value(i.outputVertices);
  a.value(i.tessMode), a.value(i.tessSpacing), a.flag(i.tessClockwise), a.flag(i.tessPointMode);
  a.value(i.geometryVerticesOut), a.value(i.geometryInvocations), a.value(i.geometryInput), a.value(i.geometryOutput);
  const uint32_t n = a.size(i.xfbOutputs.size());
  if constexpr (A::kReads) i.xfbOutputs.resize(n);
  for (auto& x : i.xfbOutputs) a.value(x.word), a.value(x.buffer), a.value(x.stream), a.value(x.offset);
  for (auto& s : i.xfbStride) a.value(s);
  a.value(p.tempWords), a.value(p.scratchBytes);
}
template <class A, class P>
void constantFields(A& a, P& p) {
  const uint32_t n = a.size(p.constants.size());
  if constexpr (A::kReads) p.constants.resize(n);
  for (auto& c : p.constants) a.value(c);
  const uint32_t words = a.size(p.table.size());
  if constexpr (A::kReads) p.table.resize(words);
  for (auto& w : p.table) a.value(w);
}
template <class A, class P>
void resourceFields(A& a, P& p) {
  const uint32_t n = a.size(p.resources.size());
  if constexpr (A::kReads) p.resources.resize(n);
  for (auto& r : p.resources)
    a.value(r.set), a.value(r.binding), a.value(r.baseHandle), a.value(r.strideBytes), a.value(r.count),
        a.flag(r.certain);
}
template <class A, class P>
void debugFields(A& a, P& p) {
  a.text(p.name);
  const uint32_t n = a.size(p.locations.size());
  if constexpr (A::kReads) p.locations.resize(n);
  for (auto& l : p.locations) a.text(l.file), a.value(l.line), a.value(l.column);
  for (auto& inst : p.code) a.value(inst.line);  // the code section comes first
}

template <class A, class P>
void printFields(A& a, P& p) {
  const uint32_t n = a.size(p.prints.size());
  if constexpr (A::kReads) p.prints.resize(n);
  for (auto& format : p.prints) {
    a.text(format.text);
    const uint32_t values = a.size(format.values.size());
    if constexpr (A::kReads) format.values.resize(values);
    for (auto& v : format.values) a.value(v.kind), a.value(v.bits), a.value(v.components);
  }
}

template <class A>
void messageFields(A& a, auto& m) {
  a.text(m.bytes), a.value(m.textAt), a.value(m.textBytes), a.text(m.file), a.value(m.line);
}

Error bad(const char* why) { return Error{ErrorCode::InvalidShader, std::string("program container: ") + why}; }

void writeAborts(Writer& w, const Program& program) {
  w.size(program.aborts.size());
  for (const abi::AbortMessagePtr& m : program.aborts) messageFields(w, *m);
}
void readAborts(Reader& r, Program& program) {
  for (uint32_t n = r.size(0); n > 0; --n) {
    abi::AbortMessage m;
    messageFields(r, m);
    program.aborts.push_back(std::make_shared<const abi::AbortMessage>(std::move(m)));
  }
}

Result<void> readCode(Reader& r, Program& program) {
  if (r.left.size() % sizeof(EncodedInst)) return bad("the code is no whole number of instructions");
  while (!r.left.empty()) {
    EncodedInst word;
    r.value(word.lo), r.value(word.hi);
    auto inst = decode(word);
    if (!inst) return inst.error();
    program.code.push_back(*inst);
  }
  return {};
}

}  // namespace

std::vector<std::byte> writeContainer(const Program& program) {
  Writer out;
  out.value(kContainerMagic), out.value(kContainerVersion);
  const auto section = [&](Section kind, const Writer& body) {
    out.value(kind), out.size(body.bytes.size());
    out.bytes.insert(out.bytes.end(), body.bytes.begin(), body.bytes.end());
  };
  Writer info, code, constants, resources, debug, prints, aborts;
  infoFields(info, program);
  for (const Inst& inst : program.code) {
    const EncodedInst word = encode(inst);
    code.value(word.lo), code.value(word.hi);
  }
  constantFields(constants, program);
  resourceFields(resources, program);
  debugFields(debug, program);
  section(Section::Info, info), section(Section::Code, code), section(Section::Constants, constants);
  section(Section::Resources, resources), section(Section::Debug, debug);
  if (!program.prints.empty()) {
    printFields(prints, program);
    section(Section::Prints, prints);
  }
  if (!program.aborts.empty()) {
    writeAborts(aborts, program);
    section(Section::Aborts, aborts);
  }
  return std::move(out.bytes);
}

Result<Program> readContainer(std::span<const std::byte> bytes) {
  Reader in(bytes);
  uint32_t magic = 0, version = 0;
  in.value(magic), in.value(version);
  if (in.bad || magic != kContainerMagic) return bad("the magic number is wrong");
  if (version != kContainerVersion) return bad("another version");
  Program program;
  uint32_t last = 0;
  while (!in.left.empty()) {
    uint32_t kind = 0;
    in.value(kind);
    const uint32_t size = in.size(0);
    if (in.bad) return bad("cut short");
    if (kind <= last || kind > static_cast<uint32_t>(Section::Aborts)) return bad("sections out of order");
    last = kind;
    Reader body(in.left.first(size));
    in.left = in.left.subspan(size);
    switch (static_cast<Section>(kind)) {
      case Section::Info: infoFields(body, program); break;
      case Section::Code: ETZEL_TRY(readCode(body, program)); break;
      case Section::Constants: constantFields(body, program); break;
      case Section::Resources: resourceFields(body, program); break;
      case Section::Debug: debugFields(body, program); break;
      case Section::Prints: printFields(body, program); break;
      case Section::Aborts: readAborts(body, program); break;
    }
    if (body.bad || !body.left.empty()) return bad("a section has the wrong size");
  }
  if (program.info.stage > abi::Stage::Compute) return bad("no such stage");
  for (const Inst& inst : program.code)
    if (inst.line > program.locations.size()) return bad("an instruction names a source line that does not exist");
  return program;
}

}  // namespace etzel::isa
