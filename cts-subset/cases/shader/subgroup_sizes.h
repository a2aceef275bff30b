// Cases of required subgroup sizes, registered with those of subgroup operations.
#pragma once

namespace etzel::cts {

void registerSubgroupSizes();

}  // namespace etzel::cts
