#version 450
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_KHR_shader_subgroup_basic : require
// Reads and writes through every kind of descriptor, with indices, offsets and coordinates of any value.
layout(local_size_x = 8, local_size_y = 2) in;
layout(push_constant) uniform Push {
  ivec4 index;
  ivec4 at;
  vec4 place;
  vec4 more;
  ivec4 what;
} push;
layout(set = 0, binding = 0) buffer Storage { uint n; uint word[]; } storages[4];
layout(set = 0, binding = 1) uniform Uniform { vec4 value[16]; } uniforms[4];
layout(set = 0, binding = 2) uniform sampler2D textures[4];
layout(set = 0, binding = 3, rgba32f) uniform image2D images[4];
layout(set = 0, binding = 4) uniform samplerBuffer texels[2];
layout(set = 0, binding = 5, rgba32f) uniform imageBuffer outTexels[2];
layout(set = 0, binding = 6) buffer Dynamic { uint word[]; } dynamicStorage;
layout(set = 0, binding = 7) uniform DynamicUniform { vec4 value[4]; } dynamicUniform;
layout(set = 0, binding = 8) uniform sampler2DMS samples[2];
layout(set = 0, binding = 9, r32ui) uniform uimage2D counters[2];
layout(set = 0, binding = 10) buffer Result { uvec4 result[]; };

// Which NaN arithmetic gives is the host's.
vec4 oneNan(vec4 v) { return mix(v, vec4(uintBitsToFloat(0x7FC00000u)), isnan(v)); }

void main() {
  const int me = int(gl_LocalInvocationIndex);
  ivec4 i = push.index + (push.what.x & 1) * me;
  ivec4 at = push.at + (push.what.y & 3) * me;
  vec4 place = oneNan(push.place + push.more * float(me));
  uvec4 sum = uvec4(storages[nonuniformEXT(i.x)].word[at.x]);
  sum += uint(storages[nonuniformEXT(i.x)].word.length());
  sum += floatBitsToUint(uniforms[nonuniformEXT(i.y)].value[at.y]);
  sum ^= floatBitsToUint(oneNan(textureLod(textures[nonuniformEXT(i.z)], place.xy, place.z)));
  sum ^= floatBitsToUint(oneNan(textureGrad(textures[nonuniformEXT(i.z)], place.yx, place.zw, push.more.xy)));
  sum ^= floatBitsToUint(textureGather(textures[nonuniformEXT(i.z)], place.zw, 1));
  sum ^= floatBitsToUint(texelFetch(textures[nonuniformEXT(i.w)], at.zw, push.what.z));
  sum += uvec4(textureSize(textures[nonuniformEXT(i.w)], push.what.z), 0, 0);
  sum ^= floatBitsToUint(imageLoad(images[nonuniformEXT(i.y)], at.xy));
  sum += uvec4(imageSize(images[nonuniformEXT(i.y)]), 0, 0);
  sum ^= floatBitsToUint(texelFetch(texels[nonuniformEXT(i.w)], at.z));
  sum ^= floatBitsToUint(imageLoad(outTexels[nonuniformEXT(i.x)], at.w));
  sum += dynamicStorage.word[at.y] + dynamicStorage.word.length();
  sum ^= floatBitsToUint(dynamicUniform.value[at.w]);
  sum ^= floatBitsToUint(texelFetch(samples[nonuniformEXT(i.z)], at.yz, push.what.w));
  imageStore(images[nonuniformEXT(i.z)], at.zw + ivec2(me, 0), place);
  imageStore(outTexels[nonuniformEXT(i.y)], at.x, place);
  sum += imageAtomicAdd(counters[nonuniformEXT(i.x)], at.wz, 3u);
  storages[nonuniformEXT(i.w)].word[at.w] = sum.x;
  atomicMax(dynamicStorage.word[at.z], uint(me));
  sum += atomicAdd(storages[nonuniformEXT(i.z)].word[at.y], 5u);
  result[me] = sum;
}
