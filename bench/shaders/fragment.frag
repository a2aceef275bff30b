#version 450
// What a fragment does besides sampling and being blended, once: pipelines say what.
layout(constant_id = 0) const int operation = 0;
layout(location = 0) in vec4 color;
layout(location = 1) in vec2 uv;
layout(set = 0, binding = 0) buffer Values { uint values[]; };
layout(set = 0, binding = 1) uniform Table { vec4 table[256]; };
layout(set = 0, binding = 2, rgba8) uniform image2D picture;
layout(set = 0, binding = 3, r32ui) uniform uimage2D words;
layout(set = 0, binding = 4) uniform samplerBuffer texels;
layout(location = 0) out vec4 result;

float noise(uvec2 p) { return float(((p.x * 1973u + p.y * 9277u) ^ (p.x >> 3u) * 26699u) & 255u) / 255.0; }

void main() {
  const ivec2 at = ivec2(gl_FragCoord.xy);
  const uint place = uint(at.y) * 1920u + uint(at.x);
  const float n = noise(uvec2(at));
  result = vec4(color.rg * uv, color.ba);
  switch (operation) {
    case 0: if (n < 0.5) discard; break;
    case 1: if (n < 0.5) discard; result.r = dFdx(result.g) + dFdy(n); break;
    case 2: result.rg = abs(dFdx(uv * uv.yx)) * 100.0 + abs(dFdy(uv * uv.yx)) * 100.0; break;
    case 3: result.rg = fwidthFine(uv * uv.yx) * 100.0; break;
    case 4: result.rg = gl_FragCoord.xy / vec2(1920.0, 1080.0); result.b = gl_FragCoord.z * gl_FragCoord.w; break;
    case 5: if (gl_FrontFacing) result.r = 1.0; break;
    case 6: result.r = float(values[place] & 255u) / 255.0; break;
    case 7: values[place] = at.x; break;
    case 8: atomicAdd(values[uint(n * 255.0)], 1u); break;
    case 9: atomicAdd(values[0], 1u); break;
    case 10: result = imageLoad(picture, at); break;
    case 11: imageStore(picture, at, result); break;
    case 12: imageAtomicAdd(words, at, 1u); break;
    case 13: result = texelFetch(texels, int(place & 0xffffu)); break;
    case 14: result = table[uint(n * 255.0)]; break;
    case 15: result = table[uint(uv.x * 100.0) & 255u]; break;
    case 16: for (int i = 0; i < int(n * 20.0); ++i) result.r = fract(result.r * 1.7 + 0.1); break;
    case 17: if (n < 0.5) result = sin(result); else result = sqrt(result) + exp2(-result); break;
    case 18: if (uv.x < 0.5) result = sin(result); else result = sqrt(result) + exp2(-result); break;
    case 19: { mat4 m = mat4(table[0], table[1], table[2], table[3]); for (int i = 0; i < 8; ++i) result = m * result; break; }
    case 20: { float sum[8]; for (int i = 0; i < 8; ++i) sum[i] = result.r * float(i); result.r = sum[uint(n * 7.9)]; break; }
    case 21: { uint x = place; for (int i = 0; i < 16; ++i) x = x * 1664525u + 1013904223u ^ x >> 16u; result.r = float(x & 255u) / 255.0; break; }
    case 22: { vec3 l = normalize(vec3(uv, 1.0)), h = normalize(l + vec3(0.0, 0.0, 1.0)); result.rgb *= max(dot(l, h), 0.0) + pow(max(h.z, 0.0), 32.0); break; }
    case 23: values[place & 0xffffu] = at.x; if (n < 0.5) discard; break;
    default: break;
  }
}
