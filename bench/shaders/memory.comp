#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
// What an invocation does with memory and with its neighbours, most of it 16 times: pipelines say what.
layout(local_size_x = 64) in;
layout(constant_id = 0) const int operation = 0;
layout(set = 0, binding = 0) buffer Values { uint values[]; };
layout(set = 0, binding = 1) readonly buffer Vectors { vec4 vectors[]; };
layout(set = 0, binding = 2) uniform Table { vec4 table[256]; };
layout(set = 0, binding = 3) readonly buffer Threes { float threes[]; };
struct Record { vec4 place; uint kind; float weight; };
layout(set = 0, binding = 4) readonly buffer Records { Record records[]; };
shared uint pool[256];

uint next(uint x, uint id, uint i) {
  const uint at = (id + i * 97u) & 0xffffu;
  switch (operation) {
    case 0: return x + floatBitsToUint(vectors[at].y);
    case 1: return x ^ floatBitsToUint(dot(vectors[at], vectors[(at + 1u) & 0xffffu]));
    case 2: return x + floatBitsToUint(vectors[x & 0xffffu].x);
    case 3: return x + floatBitsToUint(dot(table[i], table[i + 16u]));
    case 4: return x + floatBitsToUint(table[x & 255u].z);
    case 5: return x + floatBitsToUint(threes[at * 3u] + threes[at * 3u + 1u] * threes[at * 3u + 2u]);
    case 6: { const Record r = records[at]; return x + floatBitsToUint(dot(r.place, vec4(r.weight))) + r.kind; }
    case 7: pool[(x + i) & 255u] = x; return x + pool[(id * 7u + i) & 255u];
    case 8: return x + atomicAdd(pool[x & 255u], 1u);
    case 9: return x + atomicAdd(values[(x & 0xffffu) + 0x100000u], 1u);
    case 10: return x + atomicMax(values[(gl_WorkGroupID.x & 255u) + 0x100000u], x);
    case 11: return x + subgroupInclusiveAdd(x);
    case 12: return x + subgroupShuffle(x, (id + i) & 3u);
    case 13: return x + subgroupShuffleXor(x, 1u);
    case 14: return x + subgroupBallotBitCount(subgroupBallot((x & 1u) != 0u));
    case 15: return x + subgroupMin(x ^ i);
    case 16: return x + subgroupBroadcastFirst(x);
    case 17: pool[gl_LocalInvocationIndex] = x; barrier(); { const uint y = pool[gl_LocalInvocationIndex ^ 32u]; barrier(); return x + y; }
    case 18: return x + values[(at * 4u) & 0xffffu];
    case 19: return x + values[(id & 0xffc0u) + 63u - (id & 63u)];
    default: return x + values[at];
  }
}

void main() {
  const uint id = gl_GlobalInvocationID.x;
  uint x = id * 2654435761u;
  for (uint i = 0u; i < 16u; ++i) x = next(x, id, i);
  values[id + 0x200000u] = x;
}
