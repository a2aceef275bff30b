// Markers in buffers and of frames: a part of the cases of ordering.
#pragma once

namespace etzel::cts {

void addMarkers();

}  // namespace etzel::cts
