#version 450
#extension GL_GOOGLE_include_directive : require
#define IMAGE sampler2DShadow
#define PLACE uv
#define COMPARED vec3(PLACE, uv.x * 0.5 + 0.25)
#define FLAT
#include "sampling.glsl"
