#version 450
#extension GL_GOOGLE_include_directive : require
#define IMAGE sampler2DArray
#define PLACE vec3(uv, floor(uv.x * 3.0))
#define SLOPE vec2
#define SLOPED xy
#define FLAT
#define TEXEL(p) ivec3(p, int(uv.x * 3.0))
#include "sampling.glsl"
