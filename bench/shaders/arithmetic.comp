#version 450
// A chain of one operation in every invocation: which one, pipelines say.
layout(local_size_x = 64) in;
layout(constant_id = 0) const int operation = 0;
layout(set = 0, binding = 0) buffer Values { vec4 values[]; };

// Floats that have all of the lower bits.
vec4 floats(uvec4 i) { return uintBitsToFloat(i & 0x7fffffu | 0x3f800000u); }
vec4 floats(ivec4 i) { return floats(uvec4(i)); }

vec4 next(vec4 x) {
  const vec4 y = fract(x) + 0.5;
  const ivec4 i = ivec4(floatBitsToInt(x)) | 1;
  switch (operation) {
    case 0: return sin(x);
    case 1: return exp(-y);
    case 2: return log(y);
    case 3: return pow(y, y.yzwx);
    case 4: return atan(x, y);
    case 5: return inversesqrt(y);
    case 6: return sqrt(y);
    case 7: return y / y.yzwx;
    case 8: return tanh(x);
    case 9: return asin(y - 0.75);
    case 10: return floor(y * 7.0) + mod(x, y);
    case 11: return vec4(normalize(y.xyz), dot(x, y));
    case 12: return inverse(mat4(y, y.yzwx, y.zwxy, x)) * y;
    case 13: return floats(i / i.yzwx);
    case 14: return floats(uvec4(i) % (uvec4(i.yzwx) & 255u | 1u));
    case 15: return floats(i * i.yzwx >> 3);
    case 16: return floats(bitfieldReverse(i) ^ bitCount(i));
    case 17: return floats(findMSB(i) + findLSB(i.yzwx));
    case 18: return floats(bitfieldExtract(i, 3, 9) + bitfieldInsert(i, i.yzwx, 5, 11));
    case 19: return unpackUnorm4x8(packUnorm4x8(y));
    case 20: return vec4(unpackHalf2x16(packHalf2x16(y.xy)), unpackHalf2x16(packHalf2x16(y.zw)));
    case 21: return mix(x, y, smoothstep(0.6, 1.2, y)) + step(y, x);
    case 22: { int e; const float m = frexp(y.x, e); return vec4(ldexp(m, e + 1), y.yzw); }
    case 23: { uint high, low; umulExtended(uint(i.x), uint(i.y), high, low); return floats(uvec4(high, low, i.zw)); }
    case 24: return x.x > x.y ? y : sin(y);
    default: return x * y + y.yzwx;
  }
}

void main() {
  vec4 x = values[gl_GlobalInvocationID.x];
  for (int i = 0; i < 16; ++i) x = fract(next(x)) + 0.25;
  values[gl_GlobalInvocationID.x] = x;
}
