// What cases of VK_NV_cooperative_vector have in common: numbers of all component types, matrices in memory and their
// conversion, and a shader as it is written.
#pragma once

#include <cstring>

#include "cts-subset/cases/shader/spirv_words.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts::vectors {

inline constexpr uint32_t kMul = 5289, kOuterProduct = 5290, kReduceSum = 5291, kMulAdd = 5292, kLoad = 5302,
                          kStore = 5303;
inline constexpr uint32_t kRows = 0, kColumns = 1, kInferencing = 2, kTraining = 3;  // layouts
inline constexpr uint32_t kLanes = 64;

/// Components: how the specification numbers them, in the API and in SPIR-V alike.
enum Kind : uint32_t {
  kF16 = 0,
  kF32 = 1,
  kS8 = 3,
  kS32 = 5,
  kU8 = 7,
  kU32 = 9,
  kS8Packed = 1000491000,
  kU8Packed = 1000491001,
  kE4M3 = 1000491002,
  kE5M2 = 1000491003,
};

bool isFloat(Kind k);
uint32_t bytesOf(Kind k);
/// The number of a code.
double decode(Kind k, uint32_t code);
/// The code of a number that the format has; of 8 bits not as a subnormal one.
uint32_t encode(Kind k, double value);

inline uint32_t aligned(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

/// Bytes that a buffer is made of.
class Bytes {
 public:
  explicit Bytes(size_t size) : words_((size + 3) / 4) {}
  void put(Kind k, size_t at, uint32_t code) { std::memcpy(bytes() + at, &code, bytesOf(k)); }
  const std::vector<uint32_t>& words() const { return words_; }
  std::byte* bytes() { return reinterpret_cast<std::byte*>(words_.data()); }

 private:
  std::vector<uint32_t> words_;
};
inline uint32_t codeIn(const Buffer& b, Kind k, size_t at) {
  uint32_t code = 0;
  std::memcpy(&code, b.as<std::byte>() + at, bytesOf(k));
  return code;
}

// --- The API

/// VkConvertCooperativeVectorMatrixInfoNV
struct ConvertInfo {
  VkStructureType sType = VkStructureType(1000491004);
  const void* pNext = nullptr;
  size_t sourceSize;
  VkDeviceOrHostAddressConstKHR source;
  size_t* targetSize;
  VkDeviceOrHostAddressKHR target;
  Kind sourceKind, targetKind;
  uint32_t rows, columns, sourceLayout;
  size_t sourceStride;
  uint32_t targetLayout;
  size_t targetStride;
};
/// A matrix as it lies somewhere.
struct Placed {
  Kind kind;
  uint32_t layout;
  size_t stride;
};
ConvertInfo infoOf(uint32_t rows, uint32_t columns, const Placed& from, const Placed& to, size_t* size);
using ConvertFn = VkResult(VKAPI_PTR*)(VkDevice, const ConvertInfo*);

/// Bytes that the driver says it writes.
size_t convertedSize(Gpu& gpu, uint32_t rows, uint32_t columns, const Placed& from, const Placed& to);
void convertOnHost(Gpu& gpu, uint32_t rows, uint32_t columns, const Placed& from, const void* source, const Placed& to,
                   void* target);

/// A compute shader of %lane, whose %a, %b and %r are arrays of words in storage buffers, in which bytes are counted.
class Shader : public WrittenModule {
 public:
  /// A cooperative vector's type.
  std::string vector(Kind k, uint32_t count);
  void op(uint32_t opcode, const std::string& operands) {
    trains_ |= opcode == kOuterProduct || opcode == kReduceSum;
    WrittenModule::op(opcode, operands);
  }
  /// `number` * bytes + first, as an id.
  std::string bytes(const std::string& number, uint32_t each, uint32_t first = 0) {
    const std::string name = "%bytes" + std::to_string(++names_);
    line(name + "at = OpIMul %u32 " + number + " " + u(each));
    line(name + " = OpIAdd %u32 " + name + "at " + u(first));
    return name;
  }

  Buffer run(Gpu& gpu, const Bytes& a, const Bytes& b, const Bytes& r, uint32_t groups = 1);

 private:
  std::string assembly();

  std::string types_;
  uint32_t names_ = 0;
  bool trains_ = false;  ///< the module needs CooperativeVectorTrainingNV
};

void registerProducts();
void registerMemory();

}  // namespace etzel::cts::vectors
