#version 450
#extension GL_GOOGLE_include_directive : require
#define IMAGE samplerCubeShadow
#define COMPARED vec4(uv * 2.0, 0.8 - uv.x, uv.x * 0.5 + 0.25)
#include "sampling.glsl"
