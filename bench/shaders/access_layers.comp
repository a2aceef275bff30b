#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_image_load_formatted : require
#define LAYOUT
#define IMAGE image2DArray
#define READ(p) imageLoad(image, ivec3(p, (p.x >> 5) & 3))
#define WRITE(p, v) imageStore(image, ivec3(p, (p.x >> 5) & 3), v)
#include "access.glsl"
