#version 450
#extension GL_GOOGLE_include_directive : require
#define IMAGE sampler2DArrayShadow
#define PLACE vec3(uv, floor(uv.x * 3.0))
#define COMPARED vec4(PLACE, uv.x * 0.5 + 0.25)
#define FLAT
#include "sampling.glsl"
