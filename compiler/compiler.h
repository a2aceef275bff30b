// The compiler's front door: SPIR-V in, a kernel that runs out. Thread safe; called by icd/ and tools/ only.
#pragma once

#include <memory>

#include "compiler/isa/program.h"
#include "compiler/spirv/shader_source.h"
#include "runtime/base/result.h"

namespace etzel::compiler {

/// Whether a module imports NonSemantic.DebugPrintf. Any words may be given.
bool mayPrint(std::span<const uint32_t> spirv);

/// SPIR-V to a program over real registers, verified. Errors: InvalidShader with a sentence that names the place.
Result<isa::Program> compileProgram(const ShaderSource& source);

/// Parses and lowers, ready to run (interpreted at once; native code may replace it later).
Result<std::shared_ptr<abi::Kernel>> compileKernel(const ShaderSource& source);

/// A kernel from a finished program (assembled by hand, or from a cache).
Result<std::shared_ptr<abi::Kernel>> makeKernel(isa::Program program);

/// The program behind a kernel, for listings (VK_KHR_pipeline_executable_properties, etzel-isa).
const isa::Program& programOf(const abi::Kernel& kernel);

}  // namespace etzel::compiler
