#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
const uint kBlock = 4u;
#define UNROLL [[unroll]]
#include "sgemm_block.glsl"
