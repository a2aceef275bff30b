#version 450
#extension GL_GOOGLE_include_directive : require
#define IMAGE sampler2D
#define PLACE uv
#define SLOPE vec2
#define SLOPED xy
#define FLAT
#define TEXEL(p) p
#include "sampling.glsl"
