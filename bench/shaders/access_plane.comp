#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_image_load_formatted : require
#define LAYOUT
#define IMAGE image2D
#define READ(p) imageLoad(image, p)
#define WRITE(p, v) imageStore(image, p, v)
#include "access.glsl"
