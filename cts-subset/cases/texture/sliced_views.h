// Storage images that are some slices of a volume: a part of the cases of textures' shapes.
#pragma once

namespace etzel::cts {

void addSlicedViews();

}  // namespace etzel::cts
