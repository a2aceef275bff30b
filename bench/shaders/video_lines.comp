#version 450
// Every other line of a plane of 16 bits is made of seven of its neighbours: how deinterlacers work.
layout(local_size_x = 32, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform sampler2D source;
layout(set = 0, binding = 1, r16) writeonly uniform image2D target;
float at(ivec2 p, int down, int last) { return texelFetch(source, ivec2(p.x, clamp(p.y + down, 0, last)), 0).r; }
void main() {
  ivec2 p = ivec2(gl_GlobalInvocationID.xy), size = imageSize(target);
  if (any(greaterThanEqual(p, size))) return;
  float value = at(p, 0, size.y - 1);
  if ((p.y & 1) == 1) {
    int last = size.y - 1;
    float a = at(p, -1, last), b = at(p, 1, last), c = at(p, -3, last), d = at(p, 3, last);
    float e = at(p, -2, last), f = at(p, 2, last);
    float wide = (a + b) * 0.62 - (c + d) * 0.12, limit = abs(e - f) * 0.5 + abs(a - b);
    value = clamp(wide, (a + b) * 0.5 - limit, (a + b) * 0.5 + limit);
  }
  imageStore(target, p, vec4(value));
}
