// Products of matrices that share their second factor (sgproduct): together they read each of its numbers once, for
// rows that fill wider registers. What those behind the first one need is computed before it then, and where a product
// is moved to a variable it is written there at once.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "compiler/exec/native/analysis/webs.h"

namespace etzel::native {

/// Instructions by their numbers, in the order of the program.
struct ProductGroup {
  std::vector<uint32_t> products;  ///< of one second factor
  std::vector<uint32_t> results;   ///< which instruction says where each of them goes: itself, or a move behind it
  std::vector<uint32_t> before;    ///< what stands between them and has to be emitted before
  /// The first product of a group that may be made at once with this one: it adds to what this one's products give, one
  /// by one, and nobody else reads that. No group is two others' next one, nor has a next one as one itself.
  std::optional<uint32_t> next;
};

/// All products of a program, by the first one of each group. A group has at most `most`, in a stretch of code that
/// neither branches nor does anything but compute and load. What is `fixed` stays where it is.
std::map<uint32_t, ProductGroup> findProducts(const Webs& webs, uint32_t most, const std::vector<bool>& fixed);

}  // namespace etzel::native
