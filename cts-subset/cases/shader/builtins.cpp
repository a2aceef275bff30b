// GLSL.std.450 functions and bit instructions on 32-bit types, against double precision or plain integer code.
#include <algorithm>

#include "cts-subset/cases/groups.h"
#include "cts-subset/cases/shader/scalar.h"
#include "cts-subset/support/draw.h"

namespace etzel::cts {
namespace {

using D = double;
struct Function {
  const char* name;
  const char* glsl;  ///< of floats x, y, z
  D (*reference)(D, D, D);
  float low, high;        ///< of x and z; y too
  double ulps, absolute;  ///< "Precision and Operation of SPIR-V Instructions", GLSL.std.450
};

#define F(...)             \
  [](D x, D y, D z) -> D { \
    (void)x;               \
    (void)y;               \
    (void)z;               \
    return __VA_ARGS__;    \
  }
const Function functions[] = {
    {"sin", "sin(x)", F(std::sin(x)), -3.14f, 3.14f, 0, 4.9e-4},
    {"cos", "cos(x)", F(std::cos(x)), -3.14f, 3.14f, 0, 4.9e-4},
    {"tan", "tan(x)", F(std::tan(x)), -1.2f, 1.2f, 4096, 4e-3},
    {"asin", "asin(x)", F(std::asin(x)), -1, 1, 4096, 5e-4},
    {"acos", "acos(x)", F(std::acos(x)), -1, 1, 4096, 5e-4},
    {"atan", "atan(x)", F(std::atan(x)), -50, 50, 4096, 0},
    {"atan2", "atan(x, y)", F(std::atan2(x, y)), -50, 50, 4096, 1e-6},
    {"sinh", "sinh(x)", F(std::sinh(x)), -8, 8, 64, 1e-5},
    {"cosh", "cosh(x)", F(std::cosh(x)), -8, 8, 64, 0},
    {"tanh", "tanh(x)", F(std::tanh(x)), -8, 8, 128, 1e-5},
    {"asinh", "asinh(x)", F(std::asinh(x)), -50, 50, 4096, 1e-4},
    {"acosh", "acosh(x)", F(std::acosh(x)), 1.1f, 50, 512, 1e-5},
    {"atanh", "atanh(x)", F(std::atanh(x)), -0.95f, 0.95f, 512, 1e-5},
    {"exp", "exp(x)", F(std::exp(x)), -20, 20, 3 + 2 * 20, 0},
    {"exp2", "exp2(x)", F(std::exp2(x)), -30, 30, 3 + 2 * 30, 0},
    {"log", "log(x)", F(std::log(x)), 0.001f, 5000, 3, 4.8e-7},
    {"log2", "log2(x)", F(std::log2(x)), 0.001f, 5000, 3, 4.8e-7},
    {"pow", "pow(x, y)", F(std::pow(x, y)), 0.1f, 6, 256, 0},
    {"sqrt", "sqrt(x)", F(std::sqrt(x)), 0, 10000, 3, 0},
    {"inversesqrt", "inversesqrt(x)", F(1 / std::sqrt(x)), 0.001f, 10000, 2, 0},
    {"reciprocal", "1.0 / x", F(1 / x), 0.01f, 1000, 2.5, 0},
    {"radians", "radians(x)", F(x * 0.017453292519943295), -720, 720, 4, 0},
    {"degrees", "degrees(x)", F(x * 57.29577951308232), -10, 10, 4, 0},
    {"mod", "mod(x, 4.0)", F(x - 4 * std::floor(x / 4)), -100, 100, 0, 2e-5},
    {"length2", "length(vec2(x, y))", F(std::sqrt(x* x + y * y)), -50, 50, 8, 0},
    {"length3", "length(vec3(x, y, z))", F(std::sqrt(x* x + y * y + z * z)), -50, 50, 8, 0},
    {"distance", "distance(vec2(x, y), vec2(z, x))", F(std::sqrt((x - z) * (x - z) + (y - x) * (y - x))), -50, 50, 8,
     1e-5},
    {"dot2", "dot(vec2(x, y), vec2(z, x))", F(x* z + y * x), -50, 50, 4, 1e-3},
    {"dot4", "dot(vec4(x, y, z, 1), vec4(z, x, y, y))", F(x* z + y * x + z * y + y), -50, 50, 4, 2e-3},
    {"cross_x", "cross(vec3(x, y, z), vec3(y, z, x)).x", F(y* x - z * z), -20, 20, 4, 4e-4},
    {"cross_y", "cross(vec3(x, y, z), vec3(y, z, x)).y", F(z* y - x * x), -20, 20, 4, 4e-4},
    {"cross_z", "cross(vec3(x, y, z), vec3(y, z, x)).z", F(x* z - y * y), -20, 20, 4, 4e-4},
    {"normalize_y", "normalize(vec3(x, y, z)).y", F(y / std::sqrt(x * x + y * y + z * z)), 1, 20, 16, 0},
    {"reflect_x", "reflect(vec2(x, y), vec2(0.6, 0.8)).x", F(x - 2 * (0.6 * x + 0.8 * y) * 0.6), -20, 20, 16, 5e-5},
    {"refract_y", "refract(vec2(0.6, -0.8), vec2(0, 1), 0.5).y * x", F(-std::sqrt(1 - 0.25 * 0.36) * x), 1, 20, 64, 0},
    {"refract_total", "refract(vec2(0.8, -0.6), vec2(0, 1), 2.0).x + x", F(x), 1, 20, 0, 0},
    {"faceforward", "faceforward(vec2(x, y), vec2(z, 1), vec2(1, z)).x", F(z * 1 + 1 * z < 0 ? x : -x), 1, 20, 0, 0},
    {"ldexp", "ldexp(x, 5)", F(x * 32), -50, 50, 0, 0},
    {"ldexp_negative", "ldexp(x, -7)", F(x / 128), 1, 50, 0, 0},
    {"frexp_significand", "int e; r[i] = frexp(x, e)", F(([](D v) {
       int e;
       return std::frexp(v, &e);
     })(x)),
     -50, 50, 0, 0},
    {"frexp_exponent", "int e; float m = frexp(x, e); r[i] = float(e)", F(([](D v) {
       int e;
       std::frexp(v, &e);
       return D(e);
     })(x)),
     -50, 50, 0, 0},
    {"modf_fraction", "float w; r[i] = modf(x, w)", F(x - std::trunc(x)), -50, 50, 0, 0},
    {"modf_whole", "float w; float f = modf(x, w); r[i] = w", F(std::trunc(x)), -50, 50, 0, 0},
    {"isnan", "isnan(x / (x - x)) ? 1.0 : 0.0", nullptr, 0, 0, 0, 0},
    {"determinant2", "determinant(mat2(x, y, z, 2.0))", F(2 * x - y * z), -20, 20, 4, 2e-4},
    {"determinant3", "determinant(mat3(x, y, 1, z, 2, x, 3, y, z))",
     F(x*(2 * z - x * y) - z * (y * z - 1 * y) + 3 * (y * x - 2)), -10, 10, 16, 5e-3},
    {"inverse2", "inverse(mat2(x + 30.0, y, z, 30.0 - x))[0][0]", F((30 - x) / ((30 + x) * (30 - x) - y * z)), -10, 10,
     64, 0},
    {"inverse3", "inverse(mat3(x + 30.0, 1, 2, y, 30, 3, z, 1, 40))[2][2]",
     F(((x + 30) * 30 - y) / ((x + 30) * (1200 - 3) - y * (40 - 2) + z * (3 - 60))), -10, 10, 128, 0},
    {"matrix_vector", "(mat3(x, y, z, 1, 2, 3, z, y, x) * vec3(1, x, 2)).z", F(z + 3 * x + 2 * x), -20, 20, 8, 2e-5},
    {"vector_matrix", "(vec3(1, x, 2) * mat3(x, y, z, 1, 2, 3, z, y, x)).y", F(1 + 2 * x + 6), -20, 20, 8, 2e-5},
    {"matrix_matrix", "(mat2(x, y, z, 1) * mat2(2, x, y, 3))[1][0]", F(x* y + z * 3), -20, 20, 8, 1e-4},
    {"matrix_scalar", "(mat4x3(x) * y)[2][2]", F(x* y), -20, 20, 1, 0},
    {"outer_product", "outerProduct(vec3(x, y, z), vec2(y, z))[1][2]", F(z* z), -20, 20, 1, 0},
    {"transpose", "transpose(mat2x3(x, y, z, 4, 5, 6))[2][0]", F(z), -20, 20, 0, 0},
    {"matrix_compmult", "matrixCompMult(mat2(x, y, z, 1), mat2(y, z, x, 1))[1][0]", F(z* x), -20, 20, 1, 0},
};
#undef F

void runFunction(Gpu& gpu, const Function& f, bool inFragment) {
  const uint32_t n = 256;
  std::vector<float> a(n), b(n), c(n);
  Random random(77);
  for (uint32_t i = 0; i < n; ++i) {
    a[i] = i == 0 ? f.low : i == 1 ? f.high : random.range(f.low, f.high);
    b[i] = random.range(f.low, f.high);
    c[i] = random.range(f.low, f.high);
    if (std::string(f.name) == "atan2" && std::fabs(b[i]) < 0.01f) b[i] = 1;
  }
  Buffer A = gpu.buffer(a), B = gpu.buffer(b), C = gpu.buffer(c), R = gpu.buffer(n * 4);
  std::string body = "float x = a[i], y = b[i], z = c[i];\n" +
                     (strstr(f.glsl, "r[i] =") ? std::string(f.glsl) : std::string("r[i] = ") + f.glsl) + ";\n}\n";
  std::string head = "#version 450\n";
  const char* names[] = {"a", "b", "c", "r"};
  for (int i = 0; i < 4; ++i) head += text("layout(set=0, binding=%d) buffer B%d { float %s[]; };\n", i, i, names[i]);
  std::vector<Binding> bindings = {storage(A), storage(B), storage(C), storage(R)};
  if (inFragment) {
    gpu.require(gpu.features.features.fragmentStoresAndAtomics, "fragmentStoresAndAtomics");
    DrawState s;
    Image target = gpu.image({.width = 16, .height = 16, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
    s.vert = coverAll();
    s.frag = head + "void main() { uint i = uint(gl_FragCoord.x) + uint(gl_FragCoord.y) * 16;\n" + body;
    s.colors = {target};
    s.bindings = bindings;
    draw(gpu, s);
  } else {
    Dispatch d{head + "layout(local_size_x=64) in;\nvoid main() { uint i = gl_GlobalInvocationID.x;\n" + body};
    d.bindings = bindings;
    d.x = n / 64;
    gpu.dispatch(d);
  }
  for (uint32_t i = 0; i < n; ++i) {
    float got = R.as<float>()[i];
    D want = f.reference(a[i], b[i], c[i]);
    if (!near<float>(got, want, f.ulps, f.absolute)) {
      ADD_FAILURE() << f.glsl << " of " << a[i] << ", " << b[i] << ", " << c[i] << " is " << got << " instead of "
                    << want;
      return;
    }
  }
}

using U = uint32_t;
struct BitFunction {
  const char* name;
  const char* glsl;  ///< of uints x, y, z
  U (*reference)(U, U, U);
};
U half(float f) {
  Half h = Half(f);
  uint16_t bits;
  memcpy(&bits, &h, 2);
  return bits;
}
float asFloat(U u) {
  float f;
  memcpy(&f, &u, 4);
  return f;
}
U asBits(float f) {
  U u;
  memcpy(&u, &f, 4);
  return u;
}
#define B(...)             \
  [](U x, U y, U z) -> U { \
    (void)x;               \
    (void)y;               \
    (void)z;               \
    return U(__VA_ARGS__); \
  }
const BitFunction bitFunctions[] = {
    {"bit_count", "uint(bitCount(x))", B(__builtin_popcount(x))},
    {"bit_count_signed", "uint(bitCount(int(x)))", B(__builtin_popcount(x))},
    {"bitfield_reverse", "bitfieldReverse(x)", B(([](U v) {
       U r = 0;
       for (int i = 0; i < 32; ++i) r |= (v >> i & 1) << (31 - i);
       return r;
     })(x))},
    {"find_lsb", "uint(findLSB(x))", B(x ? __builtin_ctz(x) : -1)},
    {"find_msb", "uint(findMSB(x))", B(x ? 31 - __builtin_clz(x) : -1)},
    {"find_msb_signed", "uint(findMSB(int(x)))", B(([](U v) {
       if (int32_t(v) < 0) v = ~v;
       return v ? 31 - __builtin_clz(v) : -1;
     })(x))},
    {"extract_unsigned", "bitfieldExtract(x, int(y % 32u), int(z % (33u - y % 32u)))", B(([](U v, U o, U n) {
       return n == 0 ? 0u : n == 32 ? v : v >> o & ((1u << n) - 1);
     })(x, y % 32, z % (33 - y % 32)))},
    {"extract_signed", "uint(bitfieldExtract(int(x), int(y % 32u), int(z % (33u - y % 32u))))", B(([](U v, U o, U n) {
       return n == 0 ? 0u : U(int32_t(v << (32 - n - o)) >> (32 - n));
     })(x, y % 32, z % (33 - y % 32)))},
    {"insert", "bitfieldInsert(x, z, int(y % 32u), int(z % (33u - y % 32u)))", B(([](U v, U w, U o, U n) {
       U m = n == 32 ? ~0u : (1u << n) - 1;
       return (v & ~(m << o)) | (w & m) << o;
     })(x, z, y % 32, z % (33 - y % 32)))},
    {"insert_constant", "bitfieldInsert(x, y, 5, 9)", B((x & ~(511u << 5)) | (y & 511u) << 5)},
    {"extract_constant", "uint(bitfieldExtract(int(x), 3, 12))", B(int32_t(x << 17) >> 20)},
    {"add_carry", "uint k; uint s = uaddCarry(x, y, k); r[i] = s ^ k", B((x + y) ^ U(x + y < x))},
    {"add_carry_only", "uint k; uint s = uaddCarry(x, y, k); r[i] = k", B(x + y < x)},
    {"sub_borrow", "uint k; uint s = usubBorrow(x, y, k); r[i] = s ^ k", B((x - y) ^ U(x < y))},
    {"mul_extended_low", "uint h, l; umulExtended(x, y, h, l); r[i] = l", B(x* y)},
    {"mul_extended_high", "uint h, l; umulExtended(x, y, h, l); r[i] = h", B(uint64_t(x) * y >> 32)},
    {"imul_extended_high", "int h, l; imulExtended(int(x), int(y), h, l); r[i] = uint(h)",
     B(int64_t(int32_t(x)) * int32_t(y) >> 32)},
    {"float_bits", "floatBitsToUint(uintBitsToFloat((x & 0x7fffffu) | 0x3f800000u) + 1.0)",
     B(asBits(asFloat((x & 0x7fffff) | 0x3f800000) + 1))},
    {"pack_half", "packHalf2x16(vec2(float(x % 2048u), -float(y % 1000u)))",
     B(half(float(x % 2048)) | half(-float(y % 1000)) << 16)},
    {"unpack_half", "floatBitsToUint(unpackHalf2x16((x & 0x83ffu) | 0x3c00u | y << 16).x)",
     B(asBits(float(std::bit_cast<Half>(uint16_t((x & 0x83ff) | 0x3c00)))))},
    {"unpack_unorm4", "uint(unpackUnorm4x8(x).z * 255.0 + 0.5)", B(x >> 16 & 255)},
    {"unpack_snorm4", "uint(int(round(unpackSnorm4x8(x).w * 127.0)))", B(std::max(-127, int(int8_t(x >> 24))))},
    {"unpack_unorm2", "uint(unpackUnorm2x16(x).y * 65535.0 + 0.5)", B(x >> 16)},
    {"unpack_snorm2", "uint(int(round(unpackSnorm2x16(x).x * 32767.0)))", B(std::max(-32767, int(int16_t(x))))},
    {"pack_unorm4", "packUnorm4x8(vec4(float(x & 255u), float(y & 255u), 300.0, -5.0) / 255.0)",
     B((x & 255) | (y & 255) << 8 | 0xff0000)},
    {"pack_snorm4", "packSnorm4x8(vec4(float(int(x % 255u) - 127), 127.0, -127.0, 0.0) / 127.0)",
     B((U(int(x % 255) - 127) & 255) | 0x00817f00)},
    {"pack_unorm2", "packUnorm2x16(vec2(float(x & 65535u), float(y & 65535u)) / 65535.0)", B((x & 65535) | y << 16)},
    {"pack_snorm2", "packSnorm2x16(vec2(float(int(x % 65535u) - 32767), 32767.0) / 32767.0)",
     B((U(int(x % 65535) - 32767) & 65535) | 0x7fff0000)},
    {"pack_double", "r[i] = unpackDouble2x32(packDouble2x32(uvec2(x, y))).y", B(y)},
    {"rotate", "x << (y & 31u) | x >> (-y & 31u)", B(x << (y & 31) | x >> (-y & 31))},
    {"hash", "uint h = x; for (uint k = 0u; k < (y & 7u); ++k) h = (h ^ z) * 0x9e3779b1u; r[i] = h",
     B(([](U h, U k, U m) {
       while (k--) h = (h ^ m) * 0x9e3779b1u;
       return h;
     })(x, y & 7, z))},
    {"early_continue",
     "uint h = 0u; for (uint k = 0u; k < 20u; ++k) { if ((x >> k & 1u) == 0u) continue; if (h > 40u) break; h += k; } "
     "r[i] = h",
     B(([](U v) {
       U h = 0;
       for (U k = 0; k < 20; ++k) {
         if (!(v >> k & 1)) continue;
         if (h > 40) break;
         h += k;
       }
       return h;
     })(x))},
    {"switch_fallthrough",
     "uint h = 1u; switch (x % 5u) { case 0u: h += 10u; case 1u: h *= 3u; break; case 3u: h = y; break; default: h = "
     "7u; } r[i] = h",
     B(([](U v, U w) {
       U h = 1;
       switch (v % 5) {
         case 0: h += 10; [[fallthrough]];
         case 1: h *= 3; break;
         case 3: h = w; break;
         default: h = 7;
       }
       return h;
     })(x, y))},
    {"private_array", "uint t[8]; for (int k = 0; k < 8; ++k) t[k] = x * uint(k); r[i] = t[y % 8u] + t[z % 8u]",
     B(x*(y % 8) + x * (z % 8))},
    {"const_array", "const uint t[5] = uint[](3u, 1u, 4u, 1u, 5u); r[i] = t[x % 5u] * y",
     B((const U[]){3, 1, 4, 1, 5}[x % 5] * y)},
    {"dynamic_component", "uvec4 v = uvec4(x, y, z, 9u); v[x & 3u] = 5u; r[i] = v[y & 3u] + v.x", B(([](U a, U b, U c) {
       U v[4] = {a, b, c, 9};
       v[a & 3] = 5;
       return v[b & 3] + v[0];
     })(x, y, z))},
    {"nested_loops",
     "uint h = 0u; for (uint p = 0u; p < (x & 7u); ++p) for (uint k = p; k < (y & 15u); k += 2u) { if (k == (z & 3u)) "
     "break; h += k + p; } r[i] = h",
     B(([](U a, U b, U c) {
       U h = 0;
       for (U p = 0; p < (a & 7); ++p)
         for (U k = p; k < (b & 15); k += 2) {
           if (k == (c & 3)) break;
           h += k + p;
         }
       return h;
     })(x, y, z))},
    {"while_collatz",
     "uint v = (x & 255u) + 1u, h = 0u; while (v != 1u && h < 100u) { v = (v & 1u) != 0u ? 3u * v + 1u : v / 2u; ++h; "
     "} r[i] = h",
     B(([](U v) {
       U h = 0;
       while (v != 1 && h < 100) v = v & 1 ? 3 * v + 1 : v / 2, ++h;
       return h;
     })((x & 255) + 1))},
};
#undef B

void runBits(Gpu& gpu, const BitFunction& f) {
  if (strstr(f.glsl, "Double")) gpu.require(gpu.features.features.shaderFloat64, "shaderFloat64");
  const uint32_t n = 512;
  std::vector<U> a(n), b(n), c(n);
  Random random(99);
  const U special[] = {0, 1, ~0u, 0x80000000u, 0x7fffffffu, 0xffffu, 31, 32};
  for (uint32_t i = 0; i < n; ++i) {
    a[i] = i < 64 ? special[i % 8] : random.next() >> random.below(32);
    b[i] = i < 64 ? special[i / 8] : random.next() >> random.below(32);
    c[i] = random.next();
  }
  Buffer A = gpu.buffer(a), Bb = gpu.buffer(b), C = gpu.buffer(c), R = gpu.buffer(n * 4);
  std::string source = "#version 450\nlayout(local_size_x=64) in;\n";
  const char* names[] = {"a", "b", "c", "r"};
  for (int i = 0; i < 4; ++i) source += text("layout(set=0, binding=%d) buffer B%d { uint %s[]; };\n", i, i, names[i]);
  source += "void main() { uint i = gl_GlobalInvocationID.x; uint x = a[i], y = b[i], z = c[i];\n" +
            (strstr(f.glsl, "r[i] =") ? std::string(f.glsl) : std::string("r[i] = ") + f.glsl) + ";\n}\n";
  Dispatch d{source};
  d.bindings = {storage(A), storage(Bb), storage(C), storage(R)};
  d.x = n / 64;
  gpu.dispatch(d);
  for (uint32_t i = 0; i < n; ++i) {
    U want = f.reference(a[i], b[i], c[i]), got = R.as<U>()[i];
    if (got != want) {
      ADD_FAILURE() << f.glsl << text(" of %08x, %08x, %08x is %08x instead of %08x", a[i], b[i], c[i], got, want);
      return;
    }
  }
}

}  // namespace

void registerBuiltins() {
  for (auto& f : functions)
    if (f.reference)
      for (bool fragment : {false, true})
        add(text("spirv.builtin.%s.%s", f.name, fragment ? "fragment" : "compute"),
            [&f, fragment](Gpu& gpu) { runFunction(gpu, f, fragment); });
  for (auto& f : bitFunctions) add(text("spirv.bits.%s", f.name), [&f](Gpu& gpu) { runBits(gpu, f); });
}

}  // namespace etzel::cts
