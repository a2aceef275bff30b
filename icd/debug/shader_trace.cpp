#include "icd/debug/shader_trace.h"

#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include "compiler/debug/trace.h"
#include "compiler/isa/info.h"
#include "icd/debug/command_number.h"
#include "icd/debug/filter.h"
#include "icd/debug/json.h"
#include "runtime/abi/invocation_place.h"
#include "runtime/base/log.h"

namespace etzel::icd {
namespace {

/// What ETZEL_TRACE names.
struct Subject {
  Filter filter;
  abi::Stage stage = abi::Stage::Fragment;
};

/// The stage that parts of a filter are about; nothing where they name no invocation of one.
std::optional<abi::Stage> stageOf(const Filter& f) {
  using abi::Stage;
  const bool named = f.pixel || f.workgroup || f.vertex || f.instance || f.patch || f.primitive;
  if (!named) return {};
  if (f.stage) return f.stage;
  if (f.pixel) return Stage::Fragment;
  if (f.workgroup) return Stage::Compute;
  if (f.vertex || f.instance) return Stage::Vertex;
  return f.patch ? Stage::TessControl : Stage::Geometry;
}

std::optional<Subject> readSubject(const std::string& text) {
  Subject s;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(';', at), text.size());
    const std::string word = text.substr(at, end - at);
    at = end + 1;
    // What warps do not tell, and what is about stops.
    for (const char* other : {"label=", "pipeline=", "which="})
      if (word.starts_with(other)) return {};
    if (!s.filter.add(word)) return {};
  }
  const auto stage = stageOf(s.filter);
  if (!stage || (s.filter.maskChanges && !s.filter.pixel)) return {};
  s.stage = *stage;
  if (s.stage == abi::Stage::Compute && !s.filter.invocation) s.filter.invocation = 0;
  if (s.filter.maskChanges) s.filter.layer = 0;
  return s;
}

const std::optional<Subject>& subject() {
  static const std::optional<Subject> s = []() -> std::optional<Subject> {
    const char* text = secure_getenv("ETZEL_TRACE");
    if (!text) return {};
    auto read = readSubject(text);
    if (!read)
      logMessage(LogLevel::Error,
                 "ETZEL_TRACE=%s means nothing: pixel=X,Y or workgroup=X,Y,Z;invocation=I is expected, or the like",
                 text);
    return read;
  }();
  return s;
}

/// A shader that may have the subject.
struct TracedShader {
  std::shared_ptr<abi::Kernel> ordinary;
  std::vector<uint32_t> spirv;
  compiler::ShaderSource source;
  const abi::Executable* atBarriers = nullptr;  ///< the one that all of a workgroup's regions run on
  abi::Executable executable;
  // The debug compile, once the subject has come along; the trace's
  mutable std::shared_ptr<const debugger::DebugProgram> program;
  mutable interp::CodePtr code;
};

/// Memory that the debug compile wants, in place of the warp's.
class WarpMemory {
 public:
  explicit WarpMemory(const isa::Program& program, uint32_t stateBytes)
      : registers_(program.tempWords + 1), scratch_(program.scratchBytes / 4 + 1), state_(stateBytes + 64) {}

  /// Runs `f` with the warp on this memory.
  template <class F>
  abi::WarpStatus with(abi::Warp* warp, F&& f) {
    LaneWords* const registers = std::exchange(warp->registers, registers_.data());
    std::byte* const scratch = std::exchange(warp->scratch, reinterpret_cast<std::byte*>(scratch_.data()));
    void* const state = std::exchange(warp->executorState, state_.data());
    const abi::WarpStatus status = f();
    warp->registers = registers, warp->scratch = scratch, warp->executorState = state;
    return status;
  }

 private:
  std::vector<LaneWords> registers_, scratch_;
  std::vector<std::byte> state_;
};

/// The one trace of the process.
class Trace {
 public:
  bool over() const { return over_.load(std::memory_order_relaxed); }
  /// Whether `warp` is being traced and comes back from a barrier.
  bool isTraced(const abi::Warp* warp) const { return warp_.load(std::memory_order_relaxed) == warp && warp->resume; }

  /// False: another warp is or was first, or the shader cannot be debugged, which the log tells.
  bool begin(const TracedShader& shader, abi::Warp* warp, uint32_t lane) {
    std::lock_guard lock(mutex_);
    const uint32_t command = commandNumber(*warp->context);
    // Passes that have no history tell no end: what waits for one is of an earlier command.
    if (state_ == State::Waiting && command_ != command) state_ = State::Free;
    if (state_ != State::Free) return false;
    if (const auto made = compile(shader); !made) {
      logMessage(LogLevel::Error, "the traced shader cannot be debugged: %s", made.error().message.c_str());
      finish();
      return false;
    }
    state_ = State::Running, thread_ = std::this_thread::get_id(), command_ = command;
    text_.clear(), lines_ = 0;
    program_ = shader.program, code_ = shader.code.get();
    memory_.emplace(program_->program, interp::stateBytes(*code_));
    tracer_.emplace(*program_, lane, [this](const debugger::TracedLine& line) { tell(line); });
    tellSubject(shader, *warp, lane);
    warp_.store(warp, std::memory_order_relaxed);
    return true;
  }

  abi::WarpStatus go(abi::Warp* warp) {
    running_ = warp;
    const abi::WarpStatus status = memory_->with(warp, [&] { return tracer_->run(*code_, warp); });
    if (status == abi::WarpStatus::AtBarrier) return status;
    write(std::string("{\"event\":\"end\",\"discarded\":") + (warp->killed ? "true" : "false") +
          ",\"lines\":" + std::to_string(lines_) + '}');
    warp_.store(nullptr, std::memory_order_relaxed);
    std::lock_guard lock(mutex_);
    if (subject()->filter.maskChanges)
      state_ = State::Waiting;
    else
      finish();
    return status;
  }

  /// There are shaders that may have the subject: the file is there from now on, empty till the subject comes along.
  void announce() {
    std::call_once(announced_, [] {
      const char* path = secure_getenv("ETZEL_TRACE_FILE");
      if (std::FILE* file = path ? std::fopen(path, "ae") : nullptr) std::fclose(file);
    });
  }

  /// The primitive of this thread's last invocation is through.
  void end(bool maskChanged) {
    std::lock_guard lock(mutex_);
    if (state_ != State::Waiting || thread_ != std::this_thread::get_id()) return;
    state_ = State::Free;
    if (!maskChanged) return;
    open();
    std::fputs(text_.c_str(), file_);
    finish();
  }

 private:
  enum class State : uint8_t {
    Free,
    Running,
    Waiting,  ///< an invocation is traced; what becomes of its fragment decides
    Over
  };

  static Result<void> compile(const TracedShader& shader) {
    if (shader.code) return {};
    auto program = debugger::compileForDebugging(shader.source);
    if (!program) return program.error();
    auto code = interp::decode((*program)->program);
    if (!code) return code.error();
    shader.program = std::move(*program), shader.code = std::move(*code);
    return {};
  }
  void finish() {
    state_ = State::Over;
    if (file_ && file_ != stderr) std::fclose(file_);
    over_.store(true, std::memory_order_relaxed);
  }
  void open() {
    const char* path = secure_getenv("ETZEL_TRACE_FILE");
    file_ = path ? std::fopen(path, "we") : stderr;
    if (file_) return;
    logMessage(LogLevel::Error, "ETZEL_TRACE_FILE=%s cannot be written: %s", path, std::strerror(errno));
    file_ = stderr;
  }
  void write(const std::string& line) {
    if (subject()->filter.maskChanges) {
      text_ += line + '\n';
      return;
    }
    if (!file_) open();
    std::fprintf(file_, "%s\n", line.c_str());
    std::fflush(file_);
  }

  void tellSubject(const TracedShader& shader, const abi::Warp& warp, uint32_t lane) {
    const abi::Stage stage = subject()->stage;
    const InvocationPlace place = placeOf(stage, warp, lane);
    const auto numbers = [&](uint32_t count) {
      std::string text;
      for (uint32_t i = 0; i < count; ++i) text += (i ? "," : "[") + std::to_string(place.at[i]);
      return text + ']';
    };
    JsonObject told;
    told.text("event", "invocation").text("stage", isa::stageName(stage)).text("name", nameOf(place));
    if (stage == abi::Stage::Fragment) told.raw("pixel", numbers(2));
    if (place.perSample) told.number("sample", place.at[2]);
    if (stage == abi::Stage::Compute) told.raw("workgroup", numbers(3)).number("invocation", place.at[3]);
    told.number("draw", commandNumber(*warp.context)).number("lane", lane).text("entry", shader.source.entryPoint);
    write(told.done());
  }

  void tell(const debugger::TracedLine& line) {
    if (lines_++ == 0)
      write("{\"event\":\"inputs\",\"values\":" + debugger::toJson(*program_, tracer_->inputs(*running_)) + '}');
    write("{\"event\":\"line\"," + debugger::toJson(*program_, line).substr(1));
  }

  std::once_flag announced_;
  std::atomic<bool> over_{false};
  std::atomic<const abi::Warp*> warp_{nullptr};
  std::mutex mutex_;
  State state_ = State::Free;
  std::thread::id thread_;  ///< that runs the warp
  uint32_t command_ = 0;
  // Of that thread, while state_ is Running
  const abi::Warp* running_ = nullptr;
  std::shared_ptr<const debugger::DebugProgram> program_;
  const interp::Code* code_ = nullptr;  ///< the shader's
  std::optional<WarpMemory> memory_;
  std::optional<debugger::Tracer> tracer_;
  std::string text_;  ///< of what may prove to be another one
  std::FILE* file_ = nullptr;
  uint32_t lines_ = 0;
};

Trace& trace() {
  static Trace* const t = new Trace;  // workers may outlive static objects
  return *t;
}

/// The subject's lane; -1: it is not in the warp.
int laneOf(const abi::Warp& warp) {
  const Subject& s = *subject();
  if (s.filter.draw && *s.filter.draw != commandNumber(*warp.context)) return -1;
  const LaneMask lanes = s.filter.lanes(s.stage, warp);
  return lanes ? std::countr_zero(lanes) : -1;
}

abi::WarpStatus runWatched(const void* code, abi::Warp* warp) {
  const auto& shader = *static_cast<const TracedShader*>(code);
  if (!trace().over()) {
    if (trace().isTraced(warp)) return trace().go(warp);
    if (!warp->resume)
      if (const int lane = laneOf(*warp); lane >= 0 && trace().begin(shader, warp, static_cast<uint32_t>(lane)))
        return trace().go(warp);
  }
  if (shader.atBarriers) return shader.atBarriers->entry(shader.atBarriers->code, warp);
  shader.ordinary->countWarps(1);
  const abi::Executable* executable = shader.ordinary->executable.load(std::memory_order_acquire);
  return executable->entry(executable->code, warp);
}

}  // namespace

bool tracing() { return subject().has_value(); }

std::optional<std::pair<uint32_t, uint32_t>> tracedMask() {
  const auto& s = subject();
  if (!s || !s->filter.maskChanges) return {};
  return s->filter.pixel;
}

void noteTracedFragment(bool maskChanged) { trace().end(maskChanged); }

std::shared_ptr<abi::Kernel> traceable(std::shared_ptr<abi::Kernel> kernel, const compiler::ShaderSource& source) {
  const Subject& s = *subject();
  if (kernel->info.stage != s.stage) return kernel;
  trace().announce();
  auto made = compiler::makeKernel(compiler::programOf(*kernel));
  if (!made) {
    logMessage(LogLevel::Error, "a shader cannot be traced: %s", made.error().message.c_str());
    return kernel;
  }
  auto shader = std::make_shared<TracedShader>();
  shader->spirv.assign(source.spirv.begin(), source.spirv.end());
  shader->source = source;
  shader->source.spirv = shader->spirv;
  shader->source.validate = false;  // it was, when it was compiled first
  if (kernel->info.usesBarrier) shader->atBarriers = kernel->executable.load(std::memory_order_acquire);
  shader->ordinary = std::move(kernel);
  shader->executable.entry = runWatched, shader->executable.code = shader.get();
  abi::Kernel& watched = **made;
  watched.oneColor = false;
  watched.info.sysValues |= abi::placeSysValues(s.stage);
  if (s.filter.sample) watched.info.sharesSamples = false;
  watched.executable.store(&shader->executable, std::memory_order_release);
  watched.attachments.push_back(std::move(shader));
  return *made;
}

}  // namespace etzel::icd
