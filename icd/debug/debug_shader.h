// Shaders that a debugger may stop in: what they were compiled from, what a debugger needs of them, made on demand, and
// the kernels that look at every warp. They live as long as the process once they have been offered.
#pragma once

#include <map>
#include <mutex>

#include "compiler/debug/group_run.h"
#include "compiler/debug/spirv_listing.h"

namespace etzel::icd {

class DebugShader {
 public:
  DebugShader(uint32_t id, std::shared_ptr<abi::Kernel> ordinary, const compiler::ShaderSource& source);

  uint32_t id() const { return id_; }
  abi::Stage stage() const { return ordinary_->info.stage; }
  const abi::Kernel& ordinary() const { return *ordinary_; }
  const std::string& entryPoint() const { return source_.entryPoint; }
  size_t words() const { return spirv_.size(); }
  /// Whether a name occurs in the module, as part of a string of it. Costs no compile.
  bool mentions(const std::string& name) const;
  /// Whether it may want debuggers to stop (FaultKind::Break).
  bool breaks() const { return breaks_; }
  bool aborts() const { return aborts_; }  ///< whether its invocations may (FaultKind::Abort)

  /// Files that the module names, with their text where it has that. Any thread.
  const std::vector<debugger::SourceFile>& files();
  /// What debuggers call the module's text, as if it was a file of it: "shader-3.spvasm".
  std::string listingName() const { return "shader-" + std::to_string(id_) + ".spvasm"; }
  const debugger::SpirvListing& listing();
  /// Lines of the listing that have code in the debug compile, and the instructions where that begins. Any thread.
  using ListingCode = std::map<uint32_t, std::vector<uint32_t>>;
  const ListingCode& listingCode();
  /// The debug compile; null where there is none, which the log tells once. Any thread.
  std::shared_ptr<const debugger::Debuggable> debuggable();

  /// A kernel that runs `executable` for every warp. `perSample`: invocations never stand for several samples. The same
  /// one each time. Null where it cannot be made.
  const abi::Kernel* watchedKernel(bool perSample);

  /// Runs a warp, or all of a workgroup or patch, to the end as if nobody was looking.
  abi::WarpStatus runOrdinary(abi::Warp* warp) const;
  abi::WarpStatus runOrdinary(abi::Warp* warps, uint32_t count) const;

  abi::Executable executable;              ///< of watched kernels
  std::atomic<uint64_t> warpsLookedAt{0};  ///< that those have run
 private:
  const uint32_t id_;
  const std::shared_ptr<abi::Kernel> ordinary_;
  std::vector<uint32_t> spirv_;
  const bool breaks_, aborts_;
  compiler::ShaderSource source_;
  std::mutex mutex_;
  bool filesKnown_ = false, tried_ = false;
  std::vector<debugger::SourceFile> files_;
  std::optional<debugger::SpirvListing> listing_;
  std::optional<ListingCode> listingCode_;
  std::shared_ptr<const debugger::Debuggable> debuggable_;
  std::shared_ptr<abi::Kernel> watched_[2];
};

/// Whether a debugger that names a file by a path means this one: one's path ends with the other's.
bool isSameSource(const std::string& path, const std::string& name);

}  // namespace etzel::icd
