#include "tests/fuzz/targets/targets.h"

#include <algorithm>
#include <iterator>

namespace etzel::fuzz {

std::span<const TargetRow> targets() {
  static constexpr TargetRow kTargets[] = {
      {"shaders", "SPIR-V of every stage to pipelines, a draw or dispatch each", makeShaders},
      {"caches", "pipeline cache data", makeCaches},
      {"programs", "ISA containers in pipeline cache data, to draws and dispatches", makePrograms},
      {"binaries", "shader object binaries", makeBinaries},
      {"surfaces", "captured surfaces, as etzel-inspect reads them", makeSurfaces},
      {"descriptors", "descriptors, dynamic offsets and push constants of any value", makeDescriptors},
  };
  return kTargets;
}

const TargetRow* findTarget(std::string_view name) {
  const auto all = targets();
  const auto it = std::find_if(all.begin(), all.end(), [&](const TargetRow& row) { return row.name == name; });
  return it == all.end() ? nullptr : &*it;
}

}  // namespace etzel::fuzz
