// What the cases of points, lines, triangles and depth draw with.
#pragma once

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "cts-subset/support/draw.h"

namespace etzel::cts::raster_cases {

constexpr uint32_t size = 32;  ///< of the target, pixels

/// A 32x32 target, black, and a draw of white over it.
struct Shot {
  Image target;
  DrawState s;
  Gpu& gpu;
  explicit Shot(Gpu& gpu) : gpu(gpu) {
    target = gpu.image({.width = size, .height = size, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
    gpu.clear(target, {});
    s.colors = {target};
    s.frag = writes("vec4(1.0)");
  }
  /// Compares the red channel with what `covered` says of each pixel.
  template <class F>
  void expect(F covered) {
    draw(gpu, s);
    std::vector<uint8_t> want(size * size * 4);
    for (uint32_t i = 0; i < size * size; ++i) memset(&want[i * 4], covered(int(i % size), int(i / size)) ? 255 : 0, 4);
    expectPicture(gpu.download(target, 4), want, size, size);
  }
};

/// A vertex shader that puts pixel coordinates (of such a target) from an array; `more`: statements behind that.
inline std::string positions(const std::vector<std::array<float, 3>>& p, const std::string& more = "") {
  std::string list;
  for (auto& v : p) list += text("%svec3(%.9g, %.9g, %.9g)", list.empty() ? "" : ", ", v[0], v[1], v[2]);
  return text(
      "#version 450\nconst vec3 p[%zu] = vec3[](%s);\nvoid main() { vec3 v = p[gl_VertexIndex]; gl_Position = "
      "vec4(v.xy / 16.0 - 1.0, v.z, 1.0); gl_PointSize = 1.0; %s }\n",
      p.size(), list.c_str(), more.c_str());
}

}  // namespace etzel::cts::raster_cases
