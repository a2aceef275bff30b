#version 450
// Loops, switches, calls, arrays in private memory, structures.
layout(local_size_x = 8) in;
struct Item { vec3 place; int kind; float weight[3]; };
layout(std430, binding = 0) buffer Items { Item item[]; } items;
layout(binding = 1) uniform Limits { ivec4 limit; mat4 turn; } limits;
layout(constant_id = 3) const int kRounds = 5;
float weigh(inout Item i, int round) {
  float stack[6];
  for (int k = 0; k < 6; ++k) stack[k] = i.weight[k % 3] * float(k);
  switch ((i.kind + round) & 7) {
    case 0: return stack[1];
    case 1: i.kind += 3; break;
    case 2:
    case 3: i.place = (limits.turn * vec4(i.place, 1)).xyz; // falls
    case 5: return stack[(round + i.kind) % 6u > 3u ? 2 : 4];
    default: i.place.zx = i.place.xz;
  }
  return dot(i.place, vec3(stack[0], stack[3], stack[5]));
}
void main() {
  Item mine = items.item[gl_GlobalInvocationID.x];
  float sum = 0.0;
  int round = 0;
  do {
    if (sum > 1e6) break;
    sum += weigh(mine, round);
    if ((round & 1) == 1) continue;
    for (int k = min(limits.limit.x & 3, 3); k >= 0; --k) sum = fma(sum, 0.5, mine.weight[k % 3]);
  } while (++round < kRounds);
  mine.weight[0] = sum;
  mine.place = mix(mine.place, vec3(inversesqrt(abs(sum) + 1.0)), 0.25);
  items.item[gl_GlobalInvocationID.x] = mine;
}
