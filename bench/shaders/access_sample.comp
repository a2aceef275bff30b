#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_image_load_formatted : require
#define LAYOUT
#define IMAGE sampler2D
#define READ(p) textureLod(image, (vec2(p) + 0.25) / 1024.0, 0.0)
#include "access.glsl"
