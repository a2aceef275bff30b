// One texture access a pixel, of the kind that the constant names. IMAGE: the type of what is sampled, PLACE: where,
// SLOPE: the type of its derivatives, SLOPED: the coordinates that have some, COMPARED: where, and what with, FLAT: two
// coordinates say where, TEXEL: a whole place as fetches have it.
layout(constant_id = 0) const int kAccess = 0;
layout(location = 1) in vec2 uv;
layout(set = 0, binding = 0) uniform IMAGE image;
layout(location = 0) out vec4 result;

void main() {
  const float level = 1.5 + 1.4 * sin(uv.x * 11.0) * sin(uv.y * 7.0);
#ifdef COMPARED
  if (kAccess == 0) result = vec4(texture(image, COMPARED), uv, 1.0);
#ifdef FLAT
  if (kAccess == 4) result = textureGather(image, PLACE, uv.x * 0.5 + 0.25);
#endif
#else
  if (kAccess == 0) result = texture(image, PLACE);
  if (kAccess == 1) result = texture(image, PLACE, level - 1.5);
  if (kAccess == 2) result = textureLod(image, PLACE, level);
  if (kAccess == 3) {
    const SLOPE across = 0.7 * dFdx(PLACE.SLOPED), down = 0.7 * dFdy(PLACE.SLOPED);
    result = textureGrad(image, PLACE, across, down);
  }
#ifdef FLAT
  if (kAccess == 4) result = textureGather(image, PLACE, 0) * 0.5 + textureGather(image, PLACE, 1) * 0.5;
  if (kAccess == 5) {
    const ivec2 size = textureSize(image, 0).xy;
    result = texelFetch(image, TEXEL(ivec2(uv * vec2(size)) & (size - 1)), 0);
  }
  if (kAccess == 6)
    result = 0.25 * (textureOffset(image, PLACE, ivec2(-1, -1)) + textureOffset(image, PLACE, ivec2(1, -1)) +
                     textureOffset(image, PLACE, ivec2(-1, 1)) + textureOffset(image, PLACE, ivec2(1, 1)));
#endif
#endif
}
