// etzel-isa run: runs a program of any stage on a described machine and prints what it wrote.
#include <algorithm>
#include <bit>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "compiler/compiler.h"
#include "compiler/exec/interp/interp.h"
#include "compiler/exec/tiers/tiers.h"
#include "compiler/isa/disassemble.h"
#include "compiler/isa/verify.h"
#include "tools/etzel-isa/machine.h"
#include "tools/etzel-isa/text.h"

namespace etzel::tool {
namespace {

using abi::SysValue;

enum class Executor { Interpreter, Traced, Native };

/// Prints one executed instruction: lanes, text, what its destination holds now.
void traceStep(void* user, uint32_t index, LaneMask lanes, const abi::Warp* warp) {
  const isa::Inst& inst = static_cast<const isa::Program*>(user)->code[index];
  char active[kWarpLanes + 1] = {};
  for (uint32_t l = 0; l < kWarpLanes; ++l) active[l] = lanes >> l & 1 ? static_cast<char>('0' + l) : '.';
  std::printf("%s %5u  %s\n", active, index, isa::toText(inst).c_str());
  const bool base = !isa::isExtension(inst.op);
  const isa::Bank bank = base ? inst.base.resultBank : inst.dst.bank;
  const LaneWords* from = bank == isa::Bank::Temp ? warp->registers : bank == isa::Bank::Out ? warp->out : nullptr;
  if (!from) return;
  const uint32_t first = base ? 4u * inst.base.resultReg : inst.dst.word, words = base ? 4 : isa::dstWords(inst);
  for (uint32_t w = first; w < first + words; ++w) {
    if (base && !(inst.base.mask & (8u >> w % 4))) continue;
    std::printf("                 %s%u.%c =", isa::bankName(bank), w / 4, "xyzw"[w % 4]);
    for (uint32_t l = 0; l < kWarpLanes; ++l)
      if (lanes >> l & 1) std::printf(" %08x", from[w].lane[l]);
    std::printf("\n");
  }
}

/// One warp with memory of its own.
struct WarpMemory {
  std::vector<LaneWords> in, out, sys, registers, scratch, state;
  abi::Warp warp;
};

class Run {
 public:
  Run(const isa::Program& program, Executor executor) : program_(program), executor_(executor), machine(program) {
    program_.info.subgroupSize = kWarpLanes;  // workgroups run one by one
  }

  Result<void> prepare() {
    auto kernel = compiler::makeKernel(isa::Program(program_));
    if (!kernel) return kernel.error();
    kernel_ = *kernel;
    auto code = interp::decode(program_);
    if (!code) return code.error();
    code_ = std::move(*code);
    if (executor_ != Executor::Native) return {};
    auto native = tiers::Tiers::process().fastest(program_);
    if (!native) return native.error();
    native_ = std::move(*native);
    return {};
  }

  Result<void> run() {
    const abi::ProgramInfo& info = program_.info;
    const bool compute = info.stage == abi::Stage::Compute;
    const uint32_t threads = compute ? info.localSize[0] * info.localSize[1] * info.localSize[2]
                             : info.stage == abi::Stage::TessControl ? std::max(1u, info.outputVertices)
                                                                     : kWarpLanes;
    if (threads > 1024 || threads == 0)
      return Error{ErrorCode::InvalidArgument, "a workgroup has 1 to 1024 invocations"};
    outRecords_.assign(size_t(abi::kRecordWords) * std::max(1u, info.outputVertices), 0);
    patch_.assign(abi::kRecordWords, 0);
    const uint32_t* g = machine.groups;
    for (uint32_t z = 0; z < (compute ? g[2] : 1); ++z)
      for (uint32_t y = 0; y < (compute ? g[1] : 1); ++y)
        for (uint32_t x = 0; x < (compute ? g[0] : 1); ++x) {
          const uint32_t group[3] = {x, y, z};
          ETZEL_TRY(workgroup(threads, group));
        }
    return {};
  }

  void print() {
    for (size_t w = 0; w < warps_.size(); ++w) {
      const WarpMemory& m = *warps_[w];
      std::string title = warps_.size() > 1 ? "warp " + std::to_string(w) + ": " : "";
      if (m.warp.killed)
        text("%skilled lanes 0x%02x, helpers now 0x%02x\n", title.c_str(), m.warp.killed, m.warp.helper);
      for (uint32_t i = 0; i < m.out.size(); ++i) {
        if (std::all_of(m.out[i].lane, m.out[i].lane + kWarpLanes, [](uint32_t v) { return v == 0; })) continue;
        text("%so%u.%c", title.c_str(), i / 4, "xyzw"[i % 4]);
        for (uint32_t lane : m.out[i].lane) text("  0x%08x (%g)", lane, double(std::bit_cast<float>(lane)));
        text("\n");
      }
    }
    for (size_t i = 0; i < outRecords_.size(); ++i)
      if (outRecords_[i])
        text("vertex %zu word %zu = 0x%08x (%g)\n", i / abi::kRecordWords, i % abi::kRecordWords, outRecords_[i],
             double(std::bit_cast<float>(outRecords_[i])));
    for (size_t i = 0; i < patch_.size(); ++i)
      if (patch_[i]) text("patch word %zu = 0x%08x (%g)\n", i, patch_[i], double(std::bit_cast<float>(patch_[i])));
    for (const auto& [resource, now] : machine.buffers) {
      const std::vector<uint32_t>& before = buffersBefore_[resource];
      for (size_t i = 0; i < now.size(); ++i)
        if (now[i] != before[i])
          text("buffer %u word %zu = 0x%08x (%g), was 0x%08x\n", resource, i, now[i],
               double(std::bit_cast<float>(now[i])), before[i]);
    }
  }

  std::string output;  ///< what print() and the program's emits said

 private:
  __attribute__((format(printf, 2, 3))) void text(const char* format, ...) {
    char line[200];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    output += line;
  }

  std::unique_ptr<WarpMemory> makeWarp(uint32_t first, uint32_t threads, const uint32_t* group) {
    auto memory = std::make_unique<WarpMemory>();
    WarpMemory& m = *memory;
    const abi::Kernel& k = *kernel_;
    const abi::ProgramInfo& info = program_.info;
    const bool fragment = info.stage == abi::Stage::Fragment;
    m.in = machine.in, m.sys = machine.sys;
    m.out.resize(fragment ? abi::kFragmentOutWords : abi::kRecordWords);
    m.registers.resize(k.registerWords + 1), m.scratch.resize(k.scratchBytes / 4 + 1);
    m.state.resize(k.stateBytes / sizeof(LaneWords) + 1);
    system(m, first, threads, group);
    abi::Warp& w = m.warp;
    w.context = &machine.context, w.kernel = &k;
    w.active = machine.lanes & (threads - first >= kWarpLanes ? kAllLanes : (1u << (threads - first)) - 1);
    w.helper = machine.helpers & w.active;
    w.sys = m.sys.data(), w.in = m.in.data(), w.out = m.out.data(), w.registers = m.registers.data();
    w.scratch = reinterpret_cast<std::byte*>(m.scratch.data());
    w.shared = reinterpret_cast<std::byte*>(shared_.data());
    w.executorState = m.state.data();
    w.primitive = fragment ? &primitive_ : nullptr;
    w.user = this;
    w.fetchAttribute = info.stage == abi::Stage::Vertex ? fetchAttribute : nullptr;
    for (uint32_t l = 0; l < kWarpLanes; ++l) {
      w.inRecords[l] = records_.data();
      w.outRecords[l] = outRecords_.data(), w.patchRecord[l] = patch_.data();
    }
    w.inRecordStride = w.outRecordStride = abi::kRecordWords;
    w.inRecordCount = info.stage == abi::Stage::Geometry && info.geometryInput ? info.geometryInput
                                                                               : uint32_t(machine.vertices.size());
    w.emitVertex = emitVertex, w.endPrimitive = endPrimitive;
    if (native_) w.executable = native_->executable();
    return memory;
  }

  /// System values that no setting gave: those of invocations, and of two quads side by side at the window's corner.
  void system(WarpMemory& m, uint32_t first, uint32_t threads, const uint32_t* group) {
    const auto put = [&](SysValue v, uint32_t lane, uint32_t value) {
      if (!(machine.sysGiven >> uint32_t(v) & 1)) m.sys[uint32_t(v)].lane[lane] = value;
    };
    const auto putF = [&](SysValue v, uint32_t lane, float value) { put(v, lane, std::bit_cast<uint32_t>(value)); };
    const uint32_t* size = program_.info.localSize;
    for (uint32_t l = 0; l < kWarpLanes; ++l) {
      const uint32_t thread = first + l,
                     local[3] = {thread % size[0], thread / size[0] % size[1], thread / size[0] / size[1]};
      for (uint32_t d = 0; d < 3; ++d) {
        const auto at = [&](SysValue x) { return SysValue(uint32_t(x) + d); };
        put(at(SysValue::LocalIdX), l, local[d]), put(at(SysValue::WorkgroupIdX), l, group[d]);
        put(at(SysValue::NumWorkgroupsX), l, machine.groups[d]);
        put(at(SysValue::GlobalIdX), l, group[d] * size[d] + local[d]);
      }
      put(SysValue::LocalIndex, l, thread), put(SysValue::SubgroupId, l, first / kWarpLanes);
      put(SysValue::NumSubgroups, l, (threads + kWarpLanes - 1) / kWarpLanes), put(SysValue::LaneId, l, l);
      put(SysValue::VertexIndex, l, l), put(SysValue::InvocationId, l, thread);
      put(SysValue::PatchVertices, l, uint32_t(machine.vertices.size()));
      const float x = float(l / 4 * 2 + l % 2) + 0.5f, y = float(l % 4 / 2) + 0.5f;
      for (SysValue v : {SysValue::FragCoordX, SysValue::PosX, SysValue::CentroidX, SysValue::SamplePixelX})
        putF(v, l, x);
      for (SysValue v : {SysValue::FragCoordY, SysValue::PosY, SysValue::CentroidY, SysValue::SamplePixelY})
        putF(v, l, y);
      putF(SysValue::FragCoordW, l, 1), put(SysValue::FrontFacing, l, ~0u);
      putF(SysValue::SamplePosX, l, 0.5f), putF(SysValue::SamplePosY, l, 0.5f);
      put(SysValue::SampleMaskIn, l, machine.helpers >> l & 1 ? 0 : (1u << machine.context.sampleCount) - 1);
      put(SysValue::FullyCovered, l, ~0u);
    }
  }

  Result<void> workgroup(uint32_t threads, const uint32_t* group) {
    if (buffersBefore_.empty()) buffersBefore_ = machine.buffers;
    records_.clear();
    for (const auto& v : machine.vertices) records_.insert(records_.end(), v.begin(), v.end());
    // A triangle with a corner at the window's, 4 pixels wide and 2 high; 1/w is 1.
    primitive_ = {};
    primitive_.l1dx = 0.25f, primitive_.l2dy = 0.5f, primitive_.frontFacing = ~0u;
    for (uint32_t v = 0; v < 3; ++v) {
      primitive_.w[v] = 1;
      primitive_.record[v] = vertices_.record[v] = records_.data() + size_t(v) * abi::kRecordWords;
      for (uint32_t c = 0; c < abi::kBarycentricWords; ++c) vertices_.barycentric[v][c] = c % 3 == v ? 1.0f : 0.0f;
    }
    primitive_.flatRecord = primitive_.record[0], primitive_.vertices = &vertices_;
    shared_.assign(kernel_->sharedBytes / sizeof(LaneWords) + 1, {});
    const size_t firstWarp = warps_.size();
    for (uint32_t first = 0; first < threads; first += kWarpLanes) warps_.push_back(makeWarp(first, threads, group));
    for (bool waiting = true; waiting;) {
      waiting = false;
      for (size_t i = firstWarp; i < warps_.size(); ++i) {
        const abi::WarpStatus status = step(warps_[i]->warp);
        if (status == abi::WarpStatus::Cancelled) return Error{ErrorCode::DeviceLost, "the program was cancelled"};
        waiting |= status == abi::WarpStatus::AtBarrier;
      }
    }
    return {};
  }
  abi::WarpStatus step(abi::Warp& warp) {
    if (executor_ == Executor::Traced)
      return interp::runTraced(code_.get(), &warp, traceStep, const_cast<isa::Program*>(&program_));
    return kernel_->run(&warp);
  }

  static void fetchAttribute(abi::Warp* warp, uint32_t location, LaneMask lanes, const LaneWords* element,
                             LaneWords* result) {
    const auto& all = static_cast<Run*>(warp->user)->machine.attributes;
    const auto found = all.find(location);
    for (uint32_t l = 0; l < kWarpLanes; ++l)
      for (uint32_t c = 0; c < 4 && (lanes >> l & 1); ++c) {
        const uint64_t at = 4 * uint64_t(element->lane[l]) + c;
        result[c].lane[l] = found != all.end() && at < found->second.size() ? found->second[at] : 0;
      }
  }
  static void emitVertex(abi::Warp* warp, uint32_t stream, LaneMask lanes) {
    Run& self = *static_cast<Run*>(warp->user);
    for (uint32_t l = 0; l < kWarpLanes; ++l) {
      if (!(lanes >> l & 1)) continue;
      self.text("lane %u emits to stream %u:", l, stream);
      for (uint32_t w = 0; w < abi::kRecordWords; ++w)
        if (const uint32_t v = warp->out[w].lane[l])
          self.text(" o%u.%c=0x%08x (%g)", w / 4, "xyzw"[w % 4], v, double(std::bit_cast<float>(v)));
      self.text("\n");
    }
  }
  static void endPrimitive(abi::Warp* warp, uint32_t stream, LaneMask lanes) {
    static_cast<Run*>(warp->user)->text("lanes 0x%02x end the strip of stream %u\n", lanes, stream);
  }

  isa::Program program_;
  Executor executor_;
  std::shared_ptr<abi::Kernel> kernel_;
  interp::CodePtr code_;
  std::shared_ptr<exec::MachineCode> native_;
  std::vector<std::unique_ptr<WarpMemory>> warps_;
  std::vector<LaneWords> shared_;
  std::vector<uint32_t> records_, outRecords_, patch_;
  std::map<uint32_t, std::vector<uint32_t>> buffersBefore_;
  abi::PrimitiveSetup primitive_{};
  abi::PrimitiveVertices vertices_{};

 public:
  Machine machine;
};

/// A setting, and where it was written, for messages.
struct Setting {
  std::string text, place;
};

/// Runs on one executor. \returns false when it said why not
bool runOn(const isa::Program& program, Executor executor, const std::vector<Setting>& settings, std::string& output) {
  Run run(program, executor);
  for (const Setting& s : settings)
    if (const auto done = run.machine.set(s.text); !done.ok()) {
      fail(s.place + done.error().message);
      unsigned column = 1;
      std::sscanf(done.error().message.c_str(), "column %u", &column);
      std::fprintf(stderr, "  %s\n  %*s\n", s.text.c_str(), static_cast<int>(column), "^");
      return false;
    }
  if (const auto done = run.prepare(); !done.ok()) return fail(done.error().message), false;
  if (const auto done = run.run(); !done.ok()) return fail(done.error().message), false;
  run.print();
  output = std::move(run.output);
  return true;
}

}  // namespace

int runFile(int count, char** arguments) {
  Executor executor = Executor::Interpreter;
  bool both = false;
  std::vector<Setting> settings;
  int at = 0;
  for (; at < count && std::string_view(arguments[at]).starts_with("--"); ++at) {
    const std::string_view option = arguments[at];
    if (option == "--jit") {
      executor = Executor::Native;
    } else if (option == "--both") {
      both = true;
    } else if (option == "--trace") {
      executor = Executor::Traced;
    } else if (option == "--with" && at + 1 < count) {
      const char* path = arguments[++at];
      std::string lines;
      if (!read(path, lines)) return fail(std::string("can't read ") + path);
      std::istringstream stream(lines);
      uint32_t number = 0;
      for (std::string line; std::getline(stream, line);)
        settings.push_back({line, std::string(path) + ": line " + std::to_string(++number) + ", "});
    } else {
      return fail("run: unknown option " + std::string(option));
    }
  }
  if (at >= count) return fail("usage: etzel-isa run [--jit|--both|--trace] [--with FILE] FILE [SETTING...]");
  std::string text;
  if (!read(arguments[at], text)) return fail(std::string("can't read ") + arguments[at]);
  for (++at; at < count; ++at) settings.push_back({arguments[at], "setting " + std::to_string(at) + ", "});
  isa::Program program;
  if (!readProgram(text, program)) return 1;
  if (const auto verified = isa::verify(program, isa::VerifyMode::RealRegisters); !verified.ok())
    return fail(verified.error().message);
  std::string output, other;
  if (!runOn(program, both ? Executor::Interpreter : executor, settings, output)) return 1;
  std::fputs(output.c_str(), stdout);
  if (!both) return 0;
  if (!runOn(program, Executor::Native, settings, other)) return 1;
  if (output == other) return 0;
  fail("native code differs:");
  std::fputs(other.c_str(), stderr);
  return 1;
}

}  // namespace etzel::tool
