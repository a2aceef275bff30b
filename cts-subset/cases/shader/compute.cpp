// Workgroups: ids, shared memory and barriers, specialized sizes.
#include <algorithm>
#include <numeric>

#include "cts-subset/cases/groups.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {

namespace {

void addIds() {
  static const uint32_t shapes[][3] = {{1, 1, 1}, {64, 1, 1}, {1, 64, 1}, {1, 1, 64},  {8, 8, 1},
                                       {4, 4, 4}, {7, 3, 2},  {13, 1, 5}, {128, 1, 1}, {3, 3, 3}};
  for (auto& s : shapes)
    for (uint32_t groups : {1u, 3u})
      add(text("compute.ids.local_%u_%u_%u.groups%u", s[0], s[1], s[2], groups), [&s, groups](Gpu& gpu) {
        uint32_t local = s[0] * s[1] * s[2], total = local * groups * 2 * groups;
        Buffer r = gpu.buffer(total * 16);
        Dispatch d{
            text("#version 450\nlayout(local_size_x=%u, local_size_y=%u, local_size_z=%u) in;\nlayout(binding=0) "
                 "buffer R { uvec4 r[]; };\n"
                 "void main() { uint g = (gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y) * "
                 "gl_NumWorkGroups.x + gl_WorkGroupID.x; r[g * %uu + gl_LocalInvocationIndex] = "
                 "uvec4(gl_GlobalInvocationID, gl_LocalInvocationIndex + 1000u * gl_NumWorkGroups.y); }\n",
                 s[0], s[1], s[2], local)};
        d.bindings = {storage(r)};
        d.x = groups, d.y = 2, d.z = groups;
        gpu.dispatch(d);
        for (uint32_t i = 0; i < total; ++i) {
          uint32_t l = i % local, g = i / local,
                   want[4] = {g % groups * s[0] + l % s[0], g / groups % 2 * s[1] + l / s[0] % s[1],
                              g / groups / 2 * s[2] + l / s[0] / s[1], l + 2000};
          for (int k = 0; k < 4; ++k)
            ASSERT_EQ(r.as<uint32_t>()[i * 4 + uint32_t(k)], want[k]) << i << " component " << k;
        }
      });
}

void addSharedMemory() {
  for (uint32_t n : {2u, 8u, 16u, 64u, 100u, 128u})
    for (const char* kind : {"reverse", "scan", "reduce", "transpose"})
      add(text("compute.shared.%s.n%u", kind, n), [=](Gpu& gpu) {
        std::string k = kind;
        std::vector<uint32_t> in(n * 2);
        std::iota(in.begin(), in.end(), 100);
        Buffer a = gpu.buffer(in), r = gpu.buffer(n * 8);
        std::string body =
            k == "reverse" ? "t[i] = a[base + i]; barrier(); r[base + i] = t[N - 1u - i];"
            : k == "scan"  ? "t[i] = a[base + i]; barrier(); for (uint o = 1u; o < N; o *= 2u) { uint x = i >= o ? t[i "
                             "- o] : 0u; barrier(); t[i] += x; barrier(); } r[base + i] = t[i];"
            : k == "reduce" ? "t[i] = a[base + i]; barrier(); for (uint w = N; w > 1u; ) { uint h = (w + 1u) / 2u; if "
                              "(i + h < w) t[i] += t[i + h]; barrier(); w = h; } r[base + i] = t[0] + i;"
                            : "t[(i * 2u + i / ((N + 1u) / 2u)) % (N | 1u)] = a[base + i]; barrier(); r[base + i] = "
                              "t[(i * 2u + i / ((N + 1u) / 2u)) % (N | 1u)];";
        Dispatch d{
            text("#version 450\n#define N %uu\nlayout(local_size_x=%u) in;\nlayout(binding=0) buffer A { uint a[]; "
                 "};\nlayout(binding=1) buffer R { uint r[]; };\nshared uint t[N + 1u];\nvoid main() { uint i = "
                 "gl_LocalInvocationIndex, base = gl_WorkGroupID.x * N;\n%s }\n",
                 n, n, body.c_str())};
        d.bindings = {storage(a), storage(r)};
        d.x = 2;
        gpu.dispatch(d);
        for (uint32_t g = 0; g < 2; ++g)
          for (uint32_t i = 0; i < n; ++i) {
            const uint32_t* p = &in[g * n];
            uint32_t sum = std::accumulate(p, p + n, 0u);
            uint32_t want = k == "reverse"  ? p[n - 1 - i]
                            : k == "scan"   ? std::accumulate(p, p + i + 1, 0u)
                            : k == "reduce" ? sum + i
                                            : p[i];
            if (k == "transpose") {
              // Two invocations may share a place; then either value is right.
              uint32_t got = r.as<uint32_t>()[g * n + i];
              ASSERT_TRUE(std::find(p, p + n, got) != p + n);
            } else {
              ASSERT_EQ(r.as<uint32_t>()[g * n + i], want) << i;
            }
          }
      });
}

void addSpecializedSizes() {
  for (uint32_t n : {1u, 5u, 33u})
    add(text("compute.specialized_size.n%u", n), [=](Gpu& gpu) {
      Buffer r = gpu.buffer(256);
      uint32_t data[2] = {n, 7};
      VkSpecializationMapEntry entries[2] = {{0, 0, 4}, {5, 4, 4}};
      VkSpecializationInfo info{2, entries, 8, data};
      Dispatch d{
          "#version 450\nlayout(local_size_x_id=0) in;\nlayout(constant_id=5) const uint k = 3;\nlayout(binding=0) "
          "buffer R { uint r[]; };\nvoid main() { r[gl_LocalInvocationIndex] = gl_WorkGroupSize.x * k + "
          "gl_LocalInvocationIndex; }\n"};
      d.bindings = {storage(r)};
      d.specialization = &info;
      gpu.dispatch(d);
      for (uint32_t i = 0; i < 64; ++i) ASSERT_EQ(r.as<uint32_t>()[i], i < n ? n * 7 + i : 0) << i;
    });
}

}  // namespace

void registerCompute() {
  addIds();
  addSharedMemory();
  addSpecializedSizes();
}

}  // namespace etzel::cts
