#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_image_load_formatted : require
#define LAYOUT
#define IMAGE sampler3D
#define READ(p) textureLod(image, vec3(vec2(p) / 1024.0, float((p).x & 63) / 64.0), 0.0)
#include "access.glsl"
