// The groups of cases; each function registers its own.
#pragma once

namespace etzel::cts {

// clang-format off
#define CTS_GROUPS(X) \
  X(Arithmetic) X(Conversion) X(Builtins) X(RasterTriangle) X(PointsAndLines) X(RasterState) X(Conservative) X(RasterDepth) X(FlatTiles) \
  X(Blend) X(BlendAdvanced) X(DepthStencil) X(EarlyAndLate) X(Gather) X(GatherForms) X(BufferAccess) X(Multisample) X(ShaderResolve) X(FragmentMask) X(FormatCopy) \
  X(FormatShader) X(FormatUse) X(FormatWideBlit) X(FormatPacked) X(FormatCompressed) X(FormatCompressedAgain) X(FormatAstc) X(Compute) X(Atomics) X(Subgroups) X(Filter) \
  X(TextureDims) X(Anisotropy) X(Ycbcr) X(Copy) X(Draw) X(Instancing) X(Queries) X(Api) X(Memory) X(Synchronization) \
  X(Ordering) X(Restart) X(RobustAccess) X(PipelineCache) X(Objects) X(SpirvAssembly) X(Tessellation) X(Geometry) \
  X(TransformFeedback) X(Resolve) X(SampleLocations) X(TileImages) X(ShadingRate) X(DensityMap) X(SpirvModules) X(NewerSpirv) X(RenderPass) X(Invariance) \
  X(Modifiers) X(Inherited) X(Views) X(Addresses) X(KindsOfMemory) X(DescriptorBuffers) X(DescriptorHeaps) X(Protected) X(PipelineBinaries) X(Wsi) X(PresentTiming) X(SparseBuffers) X(SparseImages)
// clang-format on

#define CTS_DECLARE(name) void register##name();
CTS_GROUPS(CTS_DECLARE)
#undef CTS_DECLARE

}  // namespace etzel::cts
