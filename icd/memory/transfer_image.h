// Images as transfers see them.
#pragma once

#include "icd/memory/resources.h"
#include "runtime/transfer/transfer.h"

namespace etzel::icd {

inline transfer::Image transferImage(const Image& image) { return {&image.layout, image.data, image.decoded.get()}; }

}  // namespace etzel::icd
