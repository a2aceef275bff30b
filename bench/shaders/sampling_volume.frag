#version 450
#extension GL_GOOGLE_include_directive : require
#define IMAGE sampler3D
#define PLACE vec3(uv * 8.0, uv.x * 3.0)
#define SLOPE vec3
#define SLOPED xyz
#include "sampling.glsl"
