#version 450
#extension GL_GOOGLE_include_directive : require
#define IMAGE sampler2DArrayShadow
#define PLACE vec4(uv, floor(uv.x * 3.0), uv.x * 0.5 + 0.25)
#define COMPARED
#include "sampling.glsl"
