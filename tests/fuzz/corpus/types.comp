#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_atomic_int64 : require
// Numbers of 8, 16 and 64 bits, conversions, bit operations, packing.
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer Data {
  int64_t wide[16];
  double real[8];
  f16vec4 halfs[8];
  int8_t bytes[32];
  uint16_t shorts[32];
  uint words[];
} data;
void main() {
  const uint i = gl_GlobalInvocationID.x & 7u;
  int64_t w = data.wide[i] * 3 + int64_t(data.bytes[i]);
  double d = sqrt(abs(data.real[i])) + double(w >> 7);
  f16vec4 h = data.halfs[i] * float16_t(0.5) + f16vec4(d);
  uint u = bitfieldInsert(data.words[i], uint(w), int(i), 5) ^ bitfieldReverse(packHalf2x16(vec2(h.xy)));
  ivec2 split = ivec2(findMSB(u), findLSB(u));
  uint low, high;
  umulExtended(u, 0x9E3779B9u, high, low);
  data.shorts[i] = uint16_t(high) + data.shorts[i + 8u];
  data.bytes[i + 8u] = int8_t(split.x - split.y);
  data.real[i] = d + double(ldexp(float(d), split.y)) + double(frexp(float(d), split.x));
  data.halfs[i] = fma(h, h, f16vec4(unpackUnorm4x8(low)));
  data.wide[i] = atomicAdd(data.wide[8], w) / max(w, int64_t(1));
  data.words[i] = low % max(u, 1u) + bitCount(u);
}
