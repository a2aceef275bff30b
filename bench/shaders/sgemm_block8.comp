#version 450
#extension GL_GOOGLE_include_directive : require
const uint kBlock = 8u;
#define UNROLL
#include "sgemm_block.glsl"
