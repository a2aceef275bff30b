// The compiler's front door: SPIR-V in, a kernel that runs out. Thread safe; called by icd/ and tools/ only.
#pragma once

#include <map>
#include <memory>

#include "compiler/isa/program.h"
#include "runtime/base/result.h"

namespace etzel::compiler {

/// Where a pipeline layout puts a binding in descriptor memory.
struct BindingSlot {
  uint32_t table = 0;       ///< set number, or abi::kDynamicTable
  uint32_t byteOffset = 0;  ///< of element 0 in the table
  uint32_t strideBytes = 32;
  uint32_t count = 1;
  bool inlineUniform = false;  ///< VK_EXT_inline_uniform_block: slot holds a BufferDescriptor of the block
};

struct ShaderSource {
  std::span<const uint32_t> spirv;
  std::string entryPoint = "main";
  abi::Stage stage = abi::Stage::Compute;
  std::map<uint32_t, std::vector<uint8_t>> specialization;        ///< SpecId -> value bytes
  std::map<std::pair<uint32_t, uint32_t>, BindingSlot> bindings;  ///< (set, binding)
  bool validate = true;                                           ///< run spirv-val first
  bool robust = true;
  uint32_t requiredSubgroupSize = abi::ProgramInfo{}.subgroupSize;
};

/// SPIR-V to a program over real registers, verified. Errors: InvalidShader with a sentence that names the place.
Result<isa::Program> compileProgram(const ShaderSource& source);

/// Parses and lowers, ready to run (interpreted at once; native code may replace it later).
Result<std::shared_ptr<abi::Kernel>> compileKernel(const ShaderSource& source);

/// A kernel from a finished program (assembled by hand, or from a cache).
Result<std::shared_ptr<abi::Kernel>> makeKernel(isa::Program program);

/// The program behind a kernel, for listings (VK_KHR_pipeline_executable_properties, etzel-isa).
const isa::Program& programOf(const abi::Kernel& kernel);

}  // namespace etzel::compiler
