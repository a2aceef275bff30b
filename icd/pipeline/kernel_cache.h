// Kernels by what they were made from, so that the same shader is compiled once. The process has one cache that all
// devices share; VkPipelineCache objects hold on to kernels that it might forget. Thread safe.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "compiler/compiler.h"
#include "compiler/exec/tiers/tiers.h"
#include "icd/object/object.h"

namespace etzel::icd {

/// A hash of a module's words: what VK_EXT_shader_module_identifier gives to applications.
using ModuleId = std::array<uint64_t, 2>;
ModuleId moduleIdOf(std::span<const uint32_t> words);

/// A hash of everything that a kernel depends on.
using KernelKey = std::array<uint64_t, 2>;
/// Of the module that has this identifier; `source` need not have its words.
KernelKey keyOf(const compiler::ShaderSource& source, const ModuleId& module);
inline KernelKey keyOf(const compiler::ShaderSource& source) { return keyOf(source, moduleIdOf(source.spirv)); }

/// The process's cache: weak references to all live kernels, strong ones to the most recent.
std::shared_ptr<abi::Kernel> findKernel(const KernelKey& key);
void rememberKernel(const KernelKey& key, const std::shared_ptr<abi::Kernel>& kernel);
/// Lets a new kernel change to native code when it is hot (ETZEL_DEBUG=no-jit: never, jit-now: at once), and to
/// code for what is bound when it is very hot (no-bound: never, bound-now: at once).
/// `saved`: what MachineCode::save() gave for the same program, trusted to be that; empty: none. Code that does not
/// load is as none. `hints`: the rest of what is known.
void watchKernel(const std::shared_ptr<abi::Kernel>& kernel, std::span<const std::byte> saved = {},
                 tiers::Hints hints = {});

/// VkPipelineCache.
struct PipelineCache : Object {
  using Handle = VkPipelineCache;
  std::mutex mutex;
  std::map<KernelKey, std::shared_ptr<abi::Kernel>> kernels;

  std::shared_ptr<abi::Kernel> find(const KernelKey& key);
  void add(const KernelKey& key, std::shared_ptr<abi::Kernel> kernel);
};

}  // namespace etzel::icd
