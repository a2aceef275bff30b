// A matrix product whose invocations have a block of kBlock x kBlock sums each, in arrays that loops index. The file that
// includes this says how large a block is, and what stands in front of its loops.
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Push { uint n; } push;
const uint kTile = 16u * kBlock, kDepth = 16u;
shared float tileA[kDepth][kTile];
shared float tileB[kDepth][kTile];
void main() {
  uint x = gl_LocalInvocationID.x * kBlock, y = gl_LocalInvocationID.y * kBlock;
  uint row = gl_WorkGroupID.y * kTile, column = gl_WorkGroupID.x * kTile;
  float sum[kBlock][kBlock];
  UNROLL for (uint i = 0u; i < kBlock; ++i)
    UNROLL for (uint j = 0u; j < kBlock; ++j) sum[i][j] = 0.0;
  for (uint t = 0u; t < push.n; t += kDepth) {
    for (uint e = gl_LocalInvocationIndex; e < kTile * kDepth; e += 256u) {
      tileA[e % kDepth][e / kDepth] = a[(row + e / kDepth) * push.n + t + e % kDepth];
      tileB[e / kTile][e % kTile] = b[(t + e / kTile) * push.n + column + e % kTile];
    }
    barrier();
    for (uint k = 0u; k < kDepth; ++k) {
      float left[kBlock], right[kBlock];
      UNROLL for (uint i = 0u; i < kBlock; ++i) left[i] = tileA[k][y + i];
      UNROLL for (uint j = 0u; j < kBlock; ++j) right[j] = tileB[k][x + j];
      UNROLL for (uint i = 0u; i < kBlock; ++i)
        UNROLL for (uint j = 0u; j < kBlock; ++j) sum[i][j] += left[i] * right[j];
    }
    barrier();
  }
  UNROLL for (uint i = 0u; i < kBlock; ++i)
    UNROLL for (uint j = 0u; j < kBlock; ++j) c[(row + y + i) * push.n + column + x + j] = sum[i][j];
}
