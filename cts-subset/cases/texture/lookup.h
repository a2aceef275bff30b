// Running a texture operation for a list of coordinates in a compute shader.
#pragma once

#include "cts-subset/cases/texture/model_texture.h"

namespace etzel::cts {

/// Results of `expression` (GLSL of type vec4, ivec4 or uvec4 that looks at the sampler `t` with the coordinate `p`, a
/// vec4; `i` is its index), one a coordinate.
std::vector<Texel> lookUp(Gpu& gpu, const ModelTexture& texture, VkImageView view, const VkSamplerCreateInfo& sampler,
                          const std::vector<std::array<double, 4>>& at, const std::string& expression,
                          const std::string& head = "");

/// A sampler's create info with the filter, the address modes and the comparison of a look.
VkSamplerCreateInfo samplerInfo(const Look& look);

/// "p.xyz": the coordinate's components that the texture type takes, with the layer.
std::string coordinate(const ModelTexture& texture);

/// How far results of linear filtering may be off: weights have subTexelPrecisionBits, texels differ by up to `span`.
double filterTolerance(const Gpu& gpu, double span, int dimensions);

/// `n` coordinates: positions between -0.75 and 1.75 (or directions in every face) that keep away from the places where
/// nearest filtering and level selection would have to round, plus a layer that is sometimes out of range.
std::vector<std::array<double, 4>> spread(const ModelTexture& texture, int n, uint64_t seed);

}  // namespace etzel::cts
