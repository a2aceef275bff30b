#include "runtime/tex/single/address.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace etzel::tex {
namespace {

/// sc, tc and the major axis of a direction on a face, in the table's signs.
template <class T>
void toFace(int32_t face, const T r[3], T& sc, T& tc, T& ma) {
  switch (face) {
    case 0: sc = -r[2], tc = -r[1], ma = r[0]; break;
    case 1: sc = r[2], tc = -r[1], ma = -r[0]; break;
    case 2: sc = r[0], tc = r[2], ma = r[1]; break;
    case 3: sc = r[0], tc = -r[2], ma = -r[1]; break;
    case 4: sc = r[0], tc = -r[1], ma = r[2]; break;
    default: sc = -r[0], tc = -r[1], ma = -r[2]; break;
  }
}

template <class T>
void fromFace(int32_t face, T sc, T tc, T ma, T r[3]) {
  switch (face) {
    case 0: r[0] = ma, r[1] = -tc, r[2] = -sc; break;
    case 1: r[0] = -ma, r[1] = -tc, r[2] = sc; break;
    case 2: r[0] = sc, r[1] = ma, r[2] = tc; break;
    case 3: r[0] = sc, r[1] = -ma, r[2] = -tc; break;
    case 4: r[0] = sc, r[1] = -tc, r[2] = ma; break;
    default: r[0] = -sc, r[1] = -tc, r[2] = -ma; break;
  }
}

/// Ties: z wins over y and x, y over x.
template <class T>
int32_t faceOf(const T r[3], T ax, T ay, T az) {
  if (az >= ax && az >= ay) return r[2] < 0 ? 5 : 4;
  if (ay >= ax) return r[1] < 0 ? 3 : 2;
  return r[0] < 0 ? 1 : 0;
}

}  // namespace

CubeCoord selectCubeFace(float x, float y, float z) {
  const float r[3] = {x, y, z};
  CubeCoord c;
  c.face = faceOf(r, std::fabs(x), std::fabs(y), std::fabs(z));
  toFace(c.face, r, c.sc, c.tc, c.ma);
  if (c.ma > 0) {
    c.s = 0.5f * (c.sc / c.ma) + 0.5f;
    c.t = 0.5f * (c.tc / c.ma) + 0.5f;
  } else {
    c.s = c.t = 0.5f;  // the zero vector points nowhere; NaN ends here too
  }
  return c;
}

void cubeDerivative(const CubeCoord& c, const float dr[3], float* ds, float* dt) {
  float dsc, dtc, dma;
  toFace(c.face, dr, dsc, dtc, dma);
  const float square = c.ma * c.ma;
  *ds = 0.5f * (c.ma * dsc - c.sc * dma) / square;
  *dt = 0.5f * (c.ma * dtc - c.tc * dma) / square;
}

void crossCubeEdge(int32_t& face, int32_t& i, int32_t& j, int32_t size) {
  // Doubled coordinates of texel centres: the face spans [-size, size]. The texel beyond the edge is the neighbour's
  // outermost one: `size` on the crossed axis becomes the new major axis, size - 1 remains of the old one.
  // Directions that are no numbers have texels anywhere.
  i = std::clamp(i, -1, size), j = std::clamp(j, -1, size);
  int32_t sc = 2 * i + 1 - size, tc = 2 * j + 1 - size, ma = size;
  if (std::abs(sc) > size)
    sc = sc > 0 ? size : -size, ma = size - 1;
  else if (std::abs(tc) > size)
    tc = tc > 0 ? size : -size, ma = size - 1;
  int32_t r[3];
  fromFace(face, sc, tc, ma, r);
  face = faceOf(r, std::abs(r[0]), std::abs(r[1]), std::abs(r[2]));
  toFace(face, r, sc, tc, ma);
  i = (sc + size - 1) / 2;
  j = (tc + size - 1) / 2;
}

}  // namespace etzel::tex
