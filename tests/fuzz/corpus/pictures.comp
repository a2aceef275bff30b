#version 450
// Every kind of image.
layout(local_size_x = 4, local_size_y = 4) in;
layout(binding = 0) uniform sampler1DArray line;
layout(binding = 1) uniform sampler2DArray layers;
layout(binding = 2) uniform sampler3D volume;
layout(binding = 3) uniform samplerCubeArray cubes;
layout(binding = 4) uniform sampler2DShadow shadow;
layout(binding = 5) uniform usampler2D numbers;
layout(binding = 6) uniform isamplerBuffer texels;
layout(binding = 7, rgba16f) uniform image2D colors;
layout(binding = 8, r32ui) uniform uimage3D counters;
layout(binding = 9, rgba8) uniform writeonly image2DArray bytes;
layout(binding = 10) uniform texture2D plain[3];
layout(binding = 11) uniform sampler filters[2];
layout(std430, binding = 12) buffer Result { vec4 result[]; };
void main() {
  const ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  const vec2 where = (vec2(at) + 0.5) / 4.0;
  vec4 sum = textureLod(line, where, 0.0) + textureGrad(layers, vec3(where, 1), vec2(0.1), vec2(0.0, 0.2));
  sum += textureLod(volume, vec3(where, 0.5), 0.5) + textureLod(cubes, vec4(where - 0.5, 1, 0), 0.0);
  sum.x += textureLod(shadow, vec3(where, 0.5), 0.0);
  sum += textureGather(shadow, where, 0.25) + textureGatherOffset(layers, vec3(where, 0), ivec2(1, -1), 2);
  sum += vec4(texelFetch(numbers, at, 0)) + vec4(texelFetch(texels, at.x * 4 + at.y));
  sum += textureLod(sampler2D(plain[at.x % 3], filters[at.y & 1]), where, 0.0);
  sum.y += float(imageAtomicAdd(counters, ivec3(at, 1), 2u)) + float(textureSize(cubes, 0).z);
  sum += imageLoad(colors, at);
  imageStore(colors, at, sum);
  imageStore(bytes, ivec3(at, 1), fract(sum));
  result[gl_LocalInvocationIndex] = sum;
}
