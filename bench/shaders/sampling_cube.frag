#version 450
#extension GL_GOOGLE_include_directive : require
#define IMAGE samplerCube
#define PLACE vec3(uv * 2.0, 0.8 - uv.x)
#define SLOPE vec3
#define SLOPED xyz
#include "sampling.glsl"
