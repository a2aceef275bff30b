// The groups of cases; each function registers its own.
#pragma once

namespace etzel::cts {

#define CTS_GROUPS(X)                                                                                              \
  X(Arithmetic)                                                                                                    \
  X(Conversion) X(Builtins) X(RasterTriangle) X(RasterState) X(Blend) X(DepthStencil) X(Gather) X(BufferAccess)    \
      X(Multisample) X(FormatCopy) X(FormatShader) X(Compute) X(Atomics) X(Subgroups) X(Filter) X(Draw) X(Queries) \
          X(Api) X(Memory) X(Synchronization) X(PipelineCache) X(SpirvAssembly) X(RenderPass) X(Wsi)

#define CTS_DECLARE(name) void register##name();
CTS_GROUPS(CTS_DECLARE)
#undef CTS_DECLARE

}  // namespace etzel::cts
