#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_image_load_formatted : require
#define LAYOUT
#define IMAGE image3D
#define PLACE(p) ivec3(p.x & 127, p.y & 127, (p.x >> 7) | (p.y >> 7) << 3)
#define READ(p) imageLoad(image, PLACE((p)))
#define WRITE(p, v) imageStore(image, PLACE((p)), v)
#include "access.glsl"
