// The colours between which an ASTC block or partition interpolates ("Color Endpoint Decoding").
#pragma once

#include "runtime/base/types.h"

namespace etzel::format {

struct Endpoints {
  int e[2][4];              ///< R, G, B, A: 8 bits, those of HDR modes 12
  bool isHdr = false;       ///< of red, green and blue
  bool isAlphaHdr = false;  ///< mode 14 has LDR alpha
};

/// \pre `mode` < 16; `values` has as many numbers as the mode takes: 2 * (mode / 4) + 2
Endpoints decodeEndpoints(uint32_t mode, const uint8_t* values);

}  // namespace etzel::format
