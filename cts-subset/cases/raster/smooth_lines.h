// Smooth lines: part of the group of points and lines.
#pragma once

namespace etzel::cts {

void registerSmoothLines();

}  // namespace etzel::cts
