// The end of a matrix-vector product: sums over the workgroup, by subgroups where one has it all, else through shared
// memory as well.
shared float parts[2][32];
void storeRows(uint row, float sums[2]) {
  for (uint r = 0u; r < 2u; ++r) sums[r] = subgroupAdd(sums[r]);
  if (gl_NumSubgroups > 1u) {
    if (gl_SubgroupInvocationID == 0u)
      for (uint r = 0u; r < 2u; ++r) parts[r][gl_SubgroupID] = sums[r];
    barrier();
    if (gl_LocalInvocationID.x == 0u)
      for (uint r = 0u; r < 2u; ++r) {
        sums[r] = 0.0;
        for (uint s = 0u; s < gl_NumSubgroups; ++s) sums[r] += parts[r][s];
      }
  }
  if (gl_LocalInvocationID.x == 0u)
    for (uint r = 0u; r < 2u; ++r) result[row + r] = sums[r];
}
