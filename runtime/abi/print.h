// What a shader prints (SPIR-V's NonSemantic.DebugPrintf): formats belong to programs, the `print` instruction hands
// the values over (FunctionTable::print), and whoever listens makes texts of both. Plain data.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/types.h"

namespace etzel::abi {

/// One argument: a scalar or the components of a vector, one after the other in the message's words.
struct PrintValue {
  enum class Kind : uint8_t { Bool, Int, Uint, Float };
  Kind kind = Kind::Uint;
  uint8_t bits = 32;  ///< 8, 16, 32 or 64; narrow integers are zero-extended, Bool is 0 or ~0 in 32
  uint8_t components = 1;
  uint32_t words() const { return bits == 64 ? 2u * components : components; }
  bool operator==(const PrintValue&) const = default;
};

struct PrintFormat {
  std::string text;  ///< as the shader wrote it
  std::vector<PrintValue> values;
  uint32_t words() const {
    uint32_t n = 0;
    for (const PrintValue& v : values) n += v.words();
    return n;
  }
  bool operator==(const PrintFormat&) const = default;
};

/// Words of one message; values that do not fit are left out.
inline constexpr uint32_t kMaxPrintWords = 128;

}  // namespace etzel::abi
