#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_image_load_formatted : require
#define LAYOUT
#define IMAGE imageBuffer
#define READ(p) imageLoad(image, (p).y * 1024 + (p).x)
#define WRITE(p, v) imageStore(image, (p).y * 1024 + (p).x, v)
#include "access.glsl"
