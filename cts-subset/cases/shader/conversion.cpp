// Conversions between all scalar types, bool included, with values that both can hold.
#include "cts-subset/cases/groups.h"
#include "cts-subset/cases/shader/scalar.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

template <class From, class To>
void convert(Gpu& gpu, unsigned width) {
  requireScalar<From>(gpu);
  requireScalar<To>(gpu);
  const size_t n = 192;
  std::vector<From> in(n);
  Random random(5);
  for (size_t i = 0; i < n; ++i) {
    uint64_t bits = (uint64_t(random.next()) << 32 | random.next()) >> random.below(63);
    if constexpr (isFloat<From> && isFloat<To>) in[i] = From(random.range(-1000, 1000));
    // "The behavior is undefined if the type is not wide enough to hold the converted value", OpConvertFToU,
    // OpConvertFToS.
    else if constexpr (isFloat<From>)
      in[i] = From(std::is_signed_v<To> ? random.range(-126, 126) : random.range(0, 250));
    else if constexpr (std::is_same_v<To, Half>)
      in[i] = From(int64_t(bits) % 60000);
    else
      in[i] = From(bits);
  }
  Buffer a = gpu.buffer(in), r = gpu.buffer(n * sizeof(To));
  std::string to = width == 1 ? Scalar<To>::glsl : Scalar<To>::vector + std::to_string(width);
  std::string from = width == 1 ? Scalar<From>::glsl : Scalar<From>::vector + std::to_string(width);
  std::string source = std::string(explicitTypes) +
                       "layout(local_size_x=64) in;\nlayout(set=0, binding=0) buffer A { " + Scalar<From>::glsl +
                       " a[]; };\nlayout(set=0, binding=1) buffer R { " + Scalar<To>::glsl +
                       " r[]; };\nvoid main() { uint i = gl_GlobalInvocationID.x * " + std::to_string(width) +
                       "; if (i >= 192) return;\n" + to + " q = " + to + "(" + from + "(";
  for (unsigned k = 0; k < width; ++k) source += text("%sa[i+%u]", k ? ", " : "", k);
  source += "));\n";
  for (unsigned k = 0; k < width; ++k) source += width == 1 ? "r[i] = q;\n" : text("r[i+%u] = q[%u];\n", k, k);
  Dispatch d{source + "}\n"};
  d.bindings = {storage(a), storage(r)};
  d.x = 3;
  gpu.dispatch(d);
  for (size_t i = 0; i < n; ++i) {
    To got = r.as<To>()[i], want = To(in[i]);
    bool good = got == want;
    // The rounding of float conversions to a narrower type is the implementation's choice: one ulp.
    if constexpr (isFloat<To>) good = near<To>(got, double(in[i]), 1.0);
    if (!good) {
      ADD_FAILURE() << double(in[i]) << " became " << double(got) << " instead of " << double(want);
      return;
    }
  }
}

template <class From, class To>
void addPair() {
  if constexpr (!std::is_same_v<From, To>)
    for (unsigned width : {1u, 3u})
      add(text("spirv.conversion.%s_to_%s.%s", Scalar<From>::glsl, Scalar<To>::glsl, width == 1 ? "scalar" : "vec3"),
          [width](Gpu& gpu) { convert<From, To>(gpu, width); });
}

template <class From, class... To>
void addFrom() {
  (addPair<From, To>(), ...);
}

template <class... T>
void addAll() {
  (addFrom<T, T...>(), ...);
}

}  // namespace

void registerConversion() {
  addAll<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, Half, float, double>();
}

}  // namespace etzel::cts
