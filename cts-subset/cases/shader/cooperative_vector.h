// Cases of VK_NV_cooperative_vector: part of the group of newer SPIR-V.
#pragma once

namespace etzel::cts {

void registerCooperativeVectors();

}  // namespace etzel::cts
