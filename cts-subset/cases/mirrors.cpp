// Which case or group of Khronos' conformance suite checks the same rule as ours. The names are prefixes of lines of
// its Vulkan case list; selftest.py checks them when it is given that list.
#include <fnmatch.h>

#include "cts-subset/support/case.h"

namespace etzel::cts {
namespace {

struct Mirror {
  const char* ours;    ///< glob, without "etzel."
  const char* theirs;  ///< prefix, without "dEQP-VK."
};
// The first glob that fits decides.
const Mirror mirrors[] = {
    {"depth.compare.*", "pipeline.monolithic.depth.format"},
};

}  // namespace

std::string mirrorOf(const std::string& name) {
  if (name.rfind("etzel.", 0) != 0) return "";
  for (auto& m : mirrors)
    if (fnmatch(m.ours, name.c_str() + 6, 0) == 0) return std::string("dEQP-VK.") + m.theirs;
  return "";
}

}  // namespace etzel::cts
