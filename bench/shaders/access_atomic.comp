#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_image_load_formatted : require
#define LAYOUT layout(r32ui)
#define IMAGE uimage2D
#define READ(p) vec4(imageAtomicAdd(image, p, 1u))
#define WRITE(p, v) imageAtomicMax(image, p & 63, uint(v.x * 255.0))
#include "access.glsl"
