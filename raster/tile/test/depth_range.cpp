#include "raster/tile/test/depth_range.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace etzel::raster {
namespace {

/// Whether neither the plane's own clamp nor the format's changes anything: what differs before still does after.
bool isLinear(const DepthPlane& p, DepthFormat format, const DepthRange& raw) {
  if (p.kind == DepthPlane::Clamped && !(raw.low >= p.low && raw.high <= p.high)) return false;
  return format == DepthFormat::D32F || (raw.low >= 0 && raw.high <= 1);
}

/// A bound of what rounding does to depth: seven roundings of terms that are no greater in sum.
double errorOf(const DepthPlane& p, const DepthExtent& e) {
  const double dx = std::max(std::fabs(double{e.x0} - p.x0), std::fabs(double{e.x1} - p.x0));
  const double dy = std::max(std::fabs(double{e.y0} - p.y0), std::fabs(double{e.y1} - p.y0));
  const double size = dx * std::fabs(double{p.dzdx}) + std::fabs(double{p.z0}) + dy * std::fabs(double{p.dzdy});
  return size * 0x1p-20 + 0x1p-120;  // and what underflow loses
}

}  // namespace

uint32_t planeOrders(const DepthPlane& n, const DepthRange& nr, const DepthPlane& stored, const DepthRange& sr,
                     DepthFormat format, const DepthExtent& e) {
  const uint32_t orders = possibleOrders(nr, sr);
  if (orders != (kDepthLess | kDepthEqual | kDepthGreater) || !isFinite(nr) || !isFinite(sr)) return orders;
  if (n == stored) return kDepthEqual;
  if (stored.kind == DepthPlane::Constant || !isLinear(n, format, rawRangeOf(n, e)) ||
      !isLinear(stored, format, rawRangeOf(stored, e)))
    return orders;
  // Both are linear up to rounding, so their difference is greatest and least at corners.
  double least = INFINITY, most = -INFINITY;
  for (const double x : {double{e.x0}, double{e.x1}}) {
    for (const double y : {double{e.y0}, double{e.y1}}) {
      const double zn = n.z0 + (x - n.x0) * n.dzdx + (y - n.y0) * n.dzdy;
      const double zs = stored.z0 + (x - stored.x0) * stored.dzdx + (y - stored.y0) * stored.dzdy;
      least = std::min(least, zn - zs), most = std::max(most, zn - zs);
    }
  }
  double margin = errorOf(n, e) + errorOf(stored, e);
  // Conversion to fixed point moves each by up to half a step.
  if (format == DepthFormat::D16) margin += 1.001 / 65535;
  if (format == DepthFormat::D24) margin += 1.001 / 16777215;
  if (most < -margin) return kDepthLess;
  return least > margin ? uint32_t{kDepthGreater} : orders;
}

}  // namespace etzel::raster
