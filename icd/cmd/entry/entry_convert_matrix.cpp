// Conversions of cooperative vectors' matrices, on the host and on the device, whose addresses are the host's. Both
// optimal layouts are row after row without gaps (compiler/lower/cooperative_vector.cpp).

#include <cstring>
#include <utility>

#include "icd/cmd/entry/record.h"
#include "icd/debug/past_shader.h"
#include "runtime/mutant/mutant.h"
#include "runtime/transfer/convert_matrix.h"

namespace etzel::icd {
namespace {

using transfer::MatrixNumber;
using transfer::MatrixPlace;

/// Of other types only the bytes matter, and they have one
/// ("VUID-VkConvertCooperativeVectorMatrixInfoNV-srcComponentType" 10079 to 10081).
MatrixNumber numberOf(VkComponentTypeKHR type) {
  constexpr std::pair<VkComponentTypeKHR, MatrixNumber> kFloats[] = {
      {VK_COMPONENT_TYPE_FLOAT16_KHR, MatrixNumber::Float16},
      {VK_COMPONENT_TYPE_FLOAT32_KHR, MatrixNumber::Float32},
      {VK_COMPONENT_TYPE_FLOAT_E4M3_NV, MatrixNumber::E4M3},
      {VK_COMPONENT_TYPE_FLOAT_E5M2_NV, MatrixNumber::E5M2}};
  for (const auto& [component, number] : kFloats)
    if (component == type) return number;
  return MatrixNumber::Raw8;
}

MatrixPlace placeOf(const VkConvertCooperativeVectorMatrixInfoNV& info, VkComponentTypeKHR type,
                    VkCooperativeVectorMatrixLayoutNV layout, size_t stride) {
  const MatrixNumber number = numberOf(type);
  const uint64_t bytes = transfer::bytesOf(number);
  switch (layout) {
    case VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_ROW_MAJOR_NV: return {number, stride, bytes};
    case VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_COLUMN_MAJOR_NV: return {number, bytes, stride};
    default: return {number, info.numColumns * bytes, bytes};
  }
}
MatrixPlace sourceOf(const VkConvertCooperativeVectorMatrixInfoNV& info) {
  return placeOf(info, info.srcComponentType, info.srcLayout, info.srcStride);
}
MatrixPlace targetOf(const VkConvertCooperativeVectorMatrixInfoNV& info) {
  if (mutated(Mutant::MatrixConversion)) return placeOf(info, info.dstComponentType, info.srcLayout, info.srcStride);
  return placeOf(info, info.dstComponentType, info.dstLayout, info.dstStride);
}

/// Bytes up to the end of the last element.
size_t endOf(const VkConvertCooperativeVectorMatrixInfoNV& info, const MatrixPlace& place) {
  if (!info.numRows || !info.numColumns) return 0;
  return (info.numRows - 1) * place.rowPitch + (info.numColumns - 1) * place.columnPitch +
         transfer::bytesOf(place.number);
}

/// What a conversion writes. Optimal layouts end where another one may begin, so that arrays of matrices are aligned as
/// they must be ("vkCmdConvertCooperativeVectorMatrixNV").
size_t sizeOf(const VkConvertCooperativeVectorMatrixInfoNV& info) {
  constexpr size_t kAlignment = 64;
  const size_t end = endOf(info, targetOf(info));
  return info.dstLayout >= VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_INFERENCING_OPTIMAL_NV ? alignUp(end, kAlignment) : end;
}

void convert(const VkConvertCooperativeVectorMatrixInfoNV& info, const void* from, void* to) {
  const MatrixPlace target = targetOf(info);
  auto* const bytes = static_cast<std::byte*>(to);
  transfer::convertMatrix(static_cast<const std::byte*>(from), sourceOf(info), bytes, target, info.numRows,
                          info.numColumns);
  const size_t end = endOf(info, target);
  std::memset(bytes + end, 0, sizeOf(info) - end);
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL ConvertCooperativeVectorMatrix(VkDevice,
                                                              const VkConvertCooperativeVectorMatrixInfoNV* pInfo) {
  const size_t size = sizeOf(*pInfo);
  if (pInfo->dstData.hostAddress) {
    if (*pInfo->pDstSize < size) return VK_INCOMPLETE;
    convert(*pInfo, pInfo->srcData.hostAddress, pInfo->dstData.hostAddress);
  }
  *pInfo->pDstSize = size;
  return VK_SUCCESS;
}

void CmdConvertCooperativeVectorMatrix(VkCommandBuffer c, uint32_t count,
                                       const VkConvertCooperativeVectorMatrixInfoNV* infos) {
  const VkConvertCooperativeVectorMatrixInfoNV* kept = keep(c, infos, count);
  record(c, [=](Replay& r) {
    for (uint32_t i = 0; i < count; ++i) {
      const VkConvertCooperativeVectorMatrixInfoNV& info = kept[i];
      auto* const to = reinterpret_cast<std::byte*>(info.dstData.deviceAddress);
      convert(info, reinterpret_cast<const void*>(info.srcData.deviceAddress), to);
      showMemoryWrite("vkCmdConvertCooperativeVectorMatrixNV", to, sizeOf(info), r.progress());
    }
  });
}

}  // namespace etzel::icd
