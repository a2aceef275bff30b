// The capabilities of SPIR-V that the lowering implements.
#include "compiler/spirv/capabilities.h"

namespace etzel::spirv {

bool isSupported(spv::Capability c) {
  using C = spv::Capability;
  switch (c) {
    case C::Matrix:
    case C::Shader:
    case C::Geometry:
    case C::Tessellation:
    case C::Float16:
    case C::Float64:
    case C::Int64:
    case C::Int64Atomics:
    case C::Int16:
    case C::Int8:
    case C::TessellationPointSize:
    case C::GeometryPointSize:
    case C::ImageGatherExtended:
    case C::StorageImageMultisample:
    case C::UniformBufferArrayDynamicIndexing:
    case C::SampledImageArrayDynamicIndexing:
    case C::StorageBufferArrayDynamicIndexing:
    case C::StorageImageArrayDynamicIndexing:
    case C::ClipDistance:
    case C::CullDistance:
    case C::ImageCubeArray:
    case C::SampleRateShading:
    case C::ImageRect:
    case C::SampledRect:
    case C::GenericPointer:
    case C::InputAttachment:
    case C::SparseResidency:
    case C::MinLod:
    case C::Sampled1D:
    case C::Image1D:
    case C::SampledCubeArray:
    case C::SampledBuffer:
    case C::ImageBuffer:
    case C::ImageMSArray:
    case C::StorageImageExtendedFormats:
    case C::ImageQuery:
    case C::DerivativeControl:
    case C::InterpolationFunction:
    case C::TransformFeedback:
    case C::GeometryStreams:
    case C::StorageImageReadWithoutFormat:
    case C::StorageImageWriteWithoutFormat:
    case C::MultiViewport:
    case C::GroupNonUniform:
    case C::GroupNonUniformVote:
    case C::GroupNonUniformArithmetic:
    case C::GroupNonUniformBallot:
    case C::GroupNonUniformShuffle:
    case C::GroupNonUniformShuffleRelative:
    case C::GroupNonUniformClustered:
    case C::GroupNonUniformQuad:
    case C::ShaderLayer:
    case C::ShaderViewportIndex:
    case C::SubgroupBallotKHR:
    case C::DrawParameters:
    case C::WorkgroupMemoryExplicitLayoutKHR:
    case C::WorkgroupMemoryExplicitLayout8BitAccessKHR:
    case C::WorkgroupMemoryExplicitLayout16BitAccessKHR:
    case C::SubgroupVoteKHR:
    case C::StorageBuffer16BitAccess:
    case C::StorageUniform16:
    case C::StoragePushConstant16:
    case C::StorageInputOutput16:
    case C::DeviceGroup:
    case C::MultiView:
    case C::VariablePointersStorageBuffer:
    case C::VariablePointers:
    case C::SampleMaskPostDepthCoverage:
    case C::StorageBuffer8BitAccess:
    case C::UniformAndStorageBuffer8BitAccess:
    case C::StoragePushConstant8:
    case C::DenormPreserve:
    case C::DenormFlushToZero:
    case C::SignedZeroInfNanPreserve:
    case C::RoundingModeRTE:
    case C::RoundingModeRTZ:
    case C::Int64ImageEXT:
    case C::ShaderClockKHR:
    case C::FragmentMaskAMD:
    case C::StencilExportEXT:
    case C::ImageReadWriteLodAMD:
    case C::ShaderViewportIndexLayerEXT:
    case C::FragmentFullyCoveredEXT:
    case C::FragmentBarycentricKHR:
    case C::ShaderNonUniform:
    case C::RuntimeDescriptorArray:
    case C::InputAttachmentArrayDynamicIndexing:
    case C::UniformTexelBufferArrayDynamicIndexing:
    case C::StorageTexelBufferArrayDynamicIndexing:
    case C::UniformBufferArrayNonUniformIndexing:
    case C::SampledImageArrayNonUniformIndexing:
    case C::StorageBufferArrayNonUniformIndexing:
    case C::StorageImageArrayNonUniformIndexing:
    case C::InputAttachmentArrayNonUniformIndexing:
    case C::UniformTexelBufferArrayNonUniformIndexing:
    case C::StorageTexelBufferArrayNonUniformIndexing:
    case C::VulkanMemoryModel:
    case C::VulkanMemoryModelDeviceScope:
    case C::PhysicalStorageBufferAddresses:
    case C::DemoteToHelperInvocation:
    case C::AtomicFloat32MinMaxEXT:
    case C::AtomicFloat64MinMaxEXT:
    case C::AtomicFloat16MinMaxEXT:
    case C::AtomicFloat32AddEXT:
    case C::AtomicFloat64AddEXT:
    case C::AtomicFloat16AddEXT:
    case C::ExpectAssumeKHR:
    case C::DotProduct:
    case C::DotProductInputAll:
    case C::DotProductInput4x8Bit:
    case C::DotProductInput4x8BitPacked:
    case C::AtomicStorageOps:
    case C::FragmentShaderSampleInterlockEXT:
    case C::FragmentShaderPixelInterlockEXT: return true;
    default: return false;
  }
}

}  // namespace etzel::spirv
