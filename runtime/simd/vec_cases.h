// The cases of vec_test.cpp (vec_cases_simd_test.cpp), compiled once per target and once more as for a host that has no
// vector instructions. Each is a function full of expectations.
#pragma once

#include <span>

#include "runtime/simd/target.h"

namespace etzel::simd {

struct VecCase {
  const char* name;
  void (*run)();
};
ETZEL_PER_TARGET(extern const std::span<const VecCase> kVecCases;)
namespace plain {
extern const std::span<const VecCase> kVecCases;
}

}  // namespace etzel::simd
