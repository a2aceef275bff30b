// Fetches beyond the sides and layers of multisampled images: a part of the robustness cases.
#pragma once

namespace etzel::cts {

void addRobustSamples();

}  // namespace etzel::cts
