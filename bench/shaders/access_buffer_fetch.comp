#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_image_load_formatted : require
#define LAYOUT
#define IMAGE samplerBuffer
#define READ(p) texelFetch(image, (p).y * 1024 + (p).x)
#include "access.glsl"
