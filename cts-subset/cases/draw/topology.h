// Input topologies, and which vertices their primitives have: "Primitive Topologies".
#pragma once

#include "cts-subset/support/draw.h"

namespace etzel::cts {

struct Topology {
  const char *name, *glsl;  ///< the second: as a geometry shader's input layout
  VkPrimitiveTopology topology;
  uint32_t vertices;  ///< of one primitive
};
extern const Topology topologies[10];

/// A primitive as a geometry shader gets it.
struct Received {
  uint32_t number;  ///< gl_PrimitiveIDIn
  std::vector<uint32_t> vertices;
};
/// Draws through a geometry shader that stores what it gets; `s` says what is drawn, with which indices. At most 64, by
/// number.
std::vector<Received> receivedPrimitives(Gpu& gpu, const Topology& in, DrawState& s);

/// The vertices of each primitive that `n` vertices make, in the specification's order.
std::vector<std::vector<uint32_t>> primitivesOf(VkPrimitiveTopology topology, uint32_t n);

}  // namespace etzel::cts
