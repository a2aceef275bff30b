// What warps leave in their memory between two barriers, because it is hardly looked at there: the sums of a matrix
// product while tiles are filled. Each barrier would have them loaded, and stored by the next one.
#pragma once

#include <map>

#include "compiler/exec/native/analysis/divergence.h"
#include "compiler/exec/native/analysis/many_sums.h"

namespace etzel::native {

/// By region (regions.h) and web: the value's home.
using Staying = std::map<std::pair<uint32_t, uint32_t>, uint32_t>;

/// Values that vary, of programs with barriers. In a region no two of them have the same home. `sums`: loops that bring
/// what they sum up once.
Staying findStaying(const Webs& webs, const Divergence& divergence, const std::vector<uint32_t>& regions,
                    const std::map<uint32_t, ManySums>& sums);

}  // namespace etzel::native
