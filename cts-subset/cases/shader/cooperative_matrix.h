// Cases of VK_NV_cooperative_matrix2: part of the group of newer SPIR-V.
#pragma once

namespace etzel::cts {

void registerCooperativeMatrices();

}  // namespace etzel::cts
