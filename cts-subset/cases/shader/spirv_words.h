// The part that modules of SPIR-V text about words in storage buffers have in common.
#pragma once

#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cts-subset/support/draw.h"

namespace etzel::cts {

/// An instruction that the assembler does not know. The operand before it must not be an optional one.
inline std::string unknownInstruction(uint32_t opcode, const std::string& operands) {
  std::istringstream words(operands);
  uint32_t count = 1;
  for (std::string w; words >> w;) ++count;
  return text("!0x%08x ", count << 16 | opcode) + operands + "\n";
}

/// Puts what `store` makes of an id in place of each `%OUT(id)`.
inline void expandOutputs(std::string& spirv, const std::function<std::string(const std::string& id)>& store) {
  for (size_t at; (at = spirv.find("%OUT(")) != std::string::npos;) {
    const size_t end = spirv.find(')', at);
    spirv.replace(at, end + 1 - at, store(spirv.substr(at + 5, end - at - 5)));
  }
}

inline std::vector<uint32_t> randomWords(uint32_t count, uint32_t seed) {
  std::vector<uint32_t> words(count);
  Random random(seed);
  for (uint32_t& w : words) w = random.next();
  return words;
}

/// Remainders of negative numbers are poison without the feature maintenance8 ("Precision and Operation of SPIR-V
/// Instructions").
inline void requireSignedRemainders(Gpu& gpu, const std::string& code) {
  if (code.find("OpSRem") != std::string::npos || code.find("OpSMod") != std::string::npos)
    gpu.requireFeatures("VK_KHR_maintenance8", 1);
}

/// A module as it is written: constants of %u32 that come up on the way, and the body of its function.
class WrittenModule {
 public:
  /// An id of a constant.
  std::string u(uint32_t n) {
    numbers_.insert(n);
    return "%n" + std::to_string(n);
  }
  std::string numbers(const std::vector<uint32_t>& all) {
    std::string ids;
    for (uint32_t n : all) ids += " " + u(n);
    return ids;
  }
  void line(const std::string& instruction) { body_ += instruction + "\n"; }
  /// The OpNop ends the operands of what stands before.
  void op(uint32_t opcode, const std::string& operands) { body_ += "OpNop\n" + unknownInstruction(opcode, operands); }

 protected:
  /// All that u() was asked for.
  std::string constants() const {
    std::string all;
    for (uint32_t n : numbers_) all += text("%%n%u = OpConstant %%u32 %u\n", n, n);
    return all;
  }
  const std::string& body() const { return body_; }

 private:
  std::set<uint32_t> numbers_;
  std::string body_;
};

/// Annotations, types and variables, from the first OpDecorate on: arrays of words %A, %B (bindings 0, 1) and %R
/// (binding 2), the invocation's number in %id, and the constants %c0, %c1 and %c3.
inline const char* const kStorageOfWords = R"(OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %array ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %A DescriptorSet 0
OpDecorate %A Binding 0
OpDecorate %B DescriptorSet 0
OpDecorate %B Binding 1
OpDecorate %R DescriptorSet 0
OpDecorate %R Binding 2
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%uvec2 = OpTypeVector %uint 2
%uvec3 = OpTypeVector %uint 3
%uvec4 = OpTypeVector %uint 4
%pair = OpTypeStruct %uint %uint
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%pblock = OpTypePointer StorageBuffer %block
%puint = OpTypePointer StorageBuffer %uint
%pfun = OpTypePointer Function %uint
%pid = OpTypePointer Input %uvec3
%id = OpVariable %pid Input
%A = OpVariable %pblock StorageBuffer
%B = OpVariable %pblock StorageBuffer
%R = OpVariable %pblock StorageBuffer
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c3 = OpConstant %uint 3
)";

}  // namespace etzel::cts
