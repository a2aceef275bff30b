#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_image_load_formatted : require
#define LAYOUT
#define IMAGE uimage2D
#define READ(p) vec4(imageLoad(image, p))
#define WRITE(p, v) imageStore(image, p, uvec4(v * 255.0))
#include "access.glsl"
