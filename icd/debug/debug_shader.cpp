#include "icd/debug/debug_shader.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "runtime/abi/invocation_place.h"
#include "runtime/base/log.h"

namespace etzel::icd {

DebugShader::DebugShader(uint32_t id, std::shared_ptr<abi::Kernel> ordinary, const compiler::ShaderSource& source)
    : id_(id),
      ordinary_(std::move(ordinary)),
      spirv_(source.spirv.begin(), source.spirv.end()),
      breaks_(debugger::mayBreak(spirv_)),
      aborts_(debugger::mayAbort(spirv_)),
      source_(source) {
  source_.spirv = spirv_;
  source_.validate = false;  // it was, when it was compiled first
}

bool DebugShader::mentions(const std::string& name) const {
  const std::string_view bytes(reinterpret_cast<const char*>(spirv_.data()), spirv_.size() * sizeof(uint32_t));
  return bytes.find(name) != std::string_view::npos;
}

const std::vector<debugger::SourceFile>& DebugShader::files() {
  std::lock_guard lock(mutex_);
  if (filesKnown_) return files_;
  filesKnown_ = true;
  if (auto module = spirv::parse(source_, true)) files_ = debugger::readDebugInfo(**module).files;
  return files_;
}

const debugger::SpirvListing& DebugShader::listing() {
  std::lock_guard lock(mutex_);
  if (!listing_) listing_ = debugger::listSpirv(spirv_);
  return *listing_;
}

const DebugShader::ListingCode& DebugShader::listingCode() {
  const auto what = debuggable();
  const debugger::SpirvListing& text = listing();
  std::lock_guard lock(mutex_);
  if (listingCode_) return *listingCode_;
  ListingCode& code = listingCode_.emplace();
  if (!what) return code;
  const debugger::DebugProgram& p = *what->program;
  uint32_t last = 0;
  for (uint32_t i = 0; i < p.program.code.size(); ++i) {
    const uint32_t site = p.siteOf(i), word = site == debugger::kNone ? 0 : p.record.sites[site].word;
    if (const uint32_t line = word == last ? 0 : text.lineOf(word)) code[line].push_back(i);
    last = word;
  }
  return code;
}

std::shared_ptr<const debugger::Debuggable> DebugShader::debuggable() {
  std::lock_guard lock(mutex_);
  if (tried_) return debuggable_;
  tried_ = true;
  auto made = debugger::makeDebuggable(source_);
  if (made)
    debuggable_ = std::move(*made);
  else
    logMessage(LogLevel::Error, "shader %u (%s) cannot be debugged: %s", id_, source_.entryPoint.c_str(),
               made.error().message.c_str());
  return debuggable_;
}

const abi::Kernel* DebugShader::watchedKernel(bool perSample) {
  const auto what = debuggable();
  if (!what) return nullptr;
  std::lock_guard lock(mutex_);
  std::shared_ptr<abi::Kernel>& kernel = watched_[perSample];
  if (kernel) return kernel.get();
  auto made = compiler::makeKernel(compiler::programOf(*ordinary_));
  if (!made) return nullptr;
  kernel = std::move(*made);
  kernel->info = ordinary_->info;
  // What variables of the source hold is asked for too, where the program itself has no need of it.
  kernel->info.sysValues |= abi::placeSysValues(stage()) | what->program->program.info.sysValues;
  if (perSample) kernel->info.sharesSamples = false;
  kernel->oneColor = false;  // any of its fragments may be asked for
  kernel->executable.store(&executable, std::memory_order_release);
  return kernel.get();
}

abi::WarpStatus DebugShader::runOrdinary(abi::Warp* warp) const {
  ordinary_->countWarps(1);
  // All of a warp's way runs on one executable, whatever the tiers do meanwhile.
  const abi::Executable* executable = ordinary_->executable.load(std::memory_order_acquire);
  abi::WarpStatus status;
  do status = executable->entry(executable->code, warp);
  while (status == abi::WarpStatus::AtBarrier);  // warps that wait for each other come together
  return status;
}

abi::WarpStatus DebugShader::runOrdinary(abi::Warp* warps, uint32_t count) const {
  ordinary_->countWarps(count);
  const abi::Executable* executable = ordinary_->executable.load(std::memory_order_acquire);
  if (executable->workgroup) return executable->workgroup(executable->code, warps, count);
  std::vector<bool> over(count);
  for (bool waiting = true; waiting;) {
    waiting = false;
    for (uint32_t w = 0; w < count; ++w) {
      if (over[w]) continue;
      const abi::WarpStatus status = executable->entry(executable->code, &warps[w]);
      if (status == abi::WarpStatus::Cancelled) return status;
      over[w] = status == abi::WarpStatus::Done;
      waiting |= !over[w];
    }
  }
  return abi::WarpStatus::Done;
}

bool isSameSource(const std::string& path, const std::string& name) {
  const std::string a = std::filesystem::path(path).lexically_normal().generic_string();
  const std::string b = std::filesystem::path(name).lexically_normal().generic_string();
  const std::string &longer = a.size() >= b.size() ? a : b, &shorter = a.size() >= b.size() ? b : a;
  if (shorter.empty() || !longer.ends_with(shorter)) return false;
  return longer.size() == shorter.size() || shorter[0] == '/' || longer[longer.size() - shorter.size() - 1] == '/';
}

}  // namespace etzel::icd
