// Every arithmetic, integer and conversion instruction against plain scalar code, on values where they differ.
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "compiler/exec/interp/evaluate.h"
#include "compiler/exec/interp/test/test_machine.h"

namespace etzel::interp {
namespace {

using isa::Opcode;
using isa::Type;
using test::input;
using test::Machine;
using test::output;

// --- binary16, the slow and obvious way
double halfValue(uint32_t h) {
  const int e = h >> 10 & 31, m = h & 0x3FF;
  const double sign = h & 0x8000 ? -1 : 1;
  if (e == 31) return m ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  return sign * (e ? std::ldexp(1024 + m, e - 25) : std::ldexp(m, -24));
}
uint32_t halfBits(double v, bool towardZero = false) {
  if (v != v) return 0x7E00;
  const uint32_t sign = std::signbit(v) ? 0x8000 : 0;
  const double a = std::fabs(v);
  if (std::isinf(a)) return sign | 0x7C00;
  uint32_t best = 0;  // the largest not above a; doubles compare exactly
  for (uint32_t step = 1u << 14; step; step >>= 1)
    if (best + step <= 0x7BFF && halfValue(best + step) <= a) best += step;
  if (towardZero) return sign | best;
  const double low = halfValue(best), high = best == 0x7BFF ? 65536.0 : halfValue(best + 1);
  if (a - low > high - a || (a - low == high - a && (best & 1))) ++best;
  return sign | best;
}

double decode(Type t, uint64_t bits) {
  switch (t) {
    case Type::F32: return std::bit_cast<float>(static_cast<uint32_t>(bits));
    case Type::F64: return std::bit_cast<double>(bits);
    default: return halfValue(static_cast<uint32_t>(bits));
  }
}
bool isNanBits(Type t, uint64_t b) { return std::isnan(decode(t, b)); }

std::vector<uint64_t> floatSamples(Type t) {
  std::vector<uint64_t> s;
  const double values[] = {0.0,   -0.0,          1,          -1,           0.5,    1.5,    2.5,     -2.5,  3,    7.25,
                           -7.75, 1e-3,          1024.3,     65504,        -65519, 1e9,    -3e9,    5e-8,  6e-5, 1e-40,
                           3e38,  0.33333333333, 2147483647, 4294967295.0, 9.3e18, 1.9e19, -9.3e18, 1e300, 2049};
  for (double v : values) {
    if (t == Type::F32)
      s.push_back(std::bit_cast<uint32_t>(static_cast<float>(v)));
    else if (t == Type::F64)
      s.push_back(std::bit_cast<uint64_t>(v));
    else
      s.push_back(halfBits(v));
  }
  if (t == Type::F32) s.insert(s.end(), {0x7F800000, 0xFF800000, 0x7FC00000, 1, 0x807FFFFF, 0x33000001, 0x477FF001});
  if (t == Type::F64) s.insert(s.end(), {0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 1});
  if (t == Type::F16) s.insert(s.end(), {0x7C00, 0xFC00, 0x7E00, 1, 0x83FF, 0x3C01, 0x6801});
  return s;
}
std::vector<uint64_t> intSamples(Type t) {
  const uint32_t bits = 8 * isa::typeBytes(t);
  const uint64_t ones = ~0ull >> (64 - bits), top = 1ull << (bits - 1);
  return {
      0,         1,   2,       3, 7, 13, ones, ones - 1, top, top - 1, top + 1, 0x5A & ones, 0x1234567890ABCDEF & ones,
      ones >> 1, 100, ones / 3};
}
std::vector<uint64_t> samples(Type t) {
  return t == Type::F32 || t == Type::F64 || t == Type::F16 ? floatSamples(t) : intSamples(t);
}

struct Case {
  Opcode op;
  Type type;
  uint8_t sub = 0;
  std::vector<Type> sources;  ///< a type per operand
  Type result;
  std::function<uint64_t(uint64_t, uint64_t, uint64_t)> expected;
};

/// Runs all combinations of samples, eight at a time.
void check(const Case& c) {
  isa::Inst probe;
  probe.op = c.op, probe.type = c.type, probe.sub = c.sub;
  std::vector<std::array<uint64_t, 3>> inputs;
  const auto a = samples(c.sources[0]);
  const auto b = c.sources.size() > 1 ? samples(c.sources[1]) : std::vector<uint64_t>{0};
  const auto d = c.sources.size() > 2 ? samples(c.sources[2]) : std::vector<uint64_t>{0};
  for (uint64_t x : a)
    for (uint64_t y : b)
      for (size_t k = 0; k < d.size(); k += 3) inputs.push_back({x, y, d[k]});
  while (inputs.size() % kWarpLanes) inputs.push_back(inputs.back());
  Machine m;
  isa::Builder builder(m.program);
  isa::Inst& inst = builder.emit(c.op, c.type, {}, {}, c.sub);
  inst.dst = m.program.newTemp(2);
  for (size_t i = 0; i < c.sources.size(); ++i) inst.src[i] = input(2 * static_cast<uint32_t>(i));
  const uint32_t words = isa::dstWords(inst);
  builder.move(output(0), isa::temp(0), words);
  m.program.groups.clear();
  int failures = 0;
  for (size_t at = 0; at < inputs.size() && failures < 3; at += kWarpLanes) {
    for (uint32_t l = 0; l < kWarpLanes; ++l)
      for (uint32_t i = 0; i < 3; ++i) {
        m.in[2 * i].lane[l] = static_cast<uint32_t>(inputs[at + l][i]);
        m.in[2 * i + 1].lane[l] = static_cast<uint32_t>(inputs[at + l][i] >> 32);
      }
    for (const simd::Target target : test::hostTargets()) {
      m.runOn(target);
      for (uint32_t l = 0; l < kWarpLanes; ++l) {
        const auto& in = inputs[at + l];
        uint64_t got = m.out[0].lane[l];
        if (words == 2) got |= static_cast<uint64_t>(m.out[1].lane[l]) << 32;
        const uint64_t want = c.expected(in[0], in[1], in[2]);
        const bool resultFloat = c.result == Type::F32 || c.result == Type::F64 || c.result == Type::F16;
        if (resultFloat && isNanBits(c.result, want) && isNanBits(c.result, got)) continue;
        if (got == want) continue;
        ++failures;
        ADD_FAILURE() << isa::toText(m.program.code[0]) << " on " << simd::targetName(target) << std::hex << ": 0x"
                      << in[0] << ", 0x" << in[1] << ", 0x" << in[2] << " gave 0x" << got << ", not 0x" << want;
      }
    }
  }
}

// --- Floating point. The reference computes in the type itself (binary16 in float).
template <class S>
S minimum(S a, S b) {
  if (a != a) return b;
  if (b != b) return a;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
template <class S>
S maximum(S a, S b) {
  if (a != a) return b;
  if (b != b) return a;
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}
template <class S>
S sign(S a) {
  return a > 0 ? S(1) : a < 0 ? S(-1) : a == 0 ? a : S(0);
}

template <class S>
void floatCases(Type t, std::function<S(uint64_t)> in, std::function<uint64_t(S)> out) {
  auto unary = [&](Opcode op, std::function<S(S)> fn) {
    check({op, t, 0, {t}, t, [&](uint64_t a, uint64_t, uint64_t) { return out(fn(in(a))); }});
  };
  auto binary = [&](Opcode op, std::function<S(S, S)> fn) {
    check({op, t, 0, {t, t}, t, [&](uint64_t a, uint64_t b, uint64_t) { return out(fn(in(a), in(b))); }});
  };
  binary(Opcode::FAdd, [](S a, S b) { return a + b; });
  binary(Opcode::FSub, [](S a, S b) { return a - b; });
  binary(Opcode::FMul, [](S a, S b) { return a * b; });
  binary(Opcode::FDiv, [](S a, S b) { return a / b; });
  binary(Opcode::FRem, [](S a, S b) { return a - b * std::trunc(a / b); });
  binary(Opcode::FMod, [](S a, S b) { return a - b * std::floor(a / b); });
  binary(Opcode::FMin, minimum<S>);
  binary(Opcode::FMax, maximum<S>);
  unary(Opcode::FNeg, [](S a) { return -a; });
  unary(Opcode::FAbs, [](S a) { return std::fabs(a); });
  unary(Opcode::FSqrt, [](S a) { return std::sqrt(a); });
  unary(Opcode::FRsq, [](S a) { return S(1) / std::sqrt(a); });
  unary(Opcode::FFloor, [](S a) { return std::floor(a); });
  unary(Opcode::FCeil, [](S a) { return std::ceil(a); });
  unary(Opcode::FTrunc, [](S a) { return std::trunc(a); });
  unary(Opcode::FRoundE, [](S a) { return std::nearbyint(a); });
  unary(Opcode::FFract, [](S a) { return a - std::floor(a); });
  unary(Opcode::FSign, sign<S>);
  unary(Opcode::FFrexpM, [](S a) {
    int e;
    return std::isfinite(a) ? std::frexp(a, &e) : a;
  });
  check({Opcode::FFrexpE, t, 0, {t}, Type::I32, [&](uint64_t a, uint64_t, uint64_t) {
           int e = 0;
           if (std::isfinite(in(a))) std::frexp(in(a), &e);
           return static_cast<uint32_t>(e);
         }});
  check({Opcode::FFma, t, 0, {t, t, t}, t, [&](uint64_t a, uint64_t b, uint64_t c) {
           return out(std::fma(in(a), in(b), in(c)));
         }});
  check({Opcode::FLdexp, t, 0, {t, Type::I32}, t, [&](uint64_t a, uint64_t b, uint64_t) {
           const int32_t e = std::clamp(static_cast<int32_t>(b), -100000, 100000);
           return out(std::ldexp(in(a), e));
         }});
  check({Opcode::FIsNan, t, 0, {t}, Type::I32, [&](uint64_t a, uint64_t, uint64_t) {
           return std::isnan(in(a)) ? ~0u : 0u;
         }});
  check({Opcode::FIsInf, t, 0, {t}, Type::I32, [&](uint64_t a, uint64_t, uint64_t) {
           return std::isinf(in(a)) ? ~0u : 0u;
         }});
  using Cmp = std::function<bool(S, S)>;
  const Cmp ordered[] = {[](S a, S b) { return a == b; }, [](S a, S b) { return a < b || a > b; },
                         [](S a, S b) { return a < b; },  [](S a, S b) { return a <= b; },
                         [](S a, S b) { return a > b; },  [](S a, S b) { return a >= b; }};
  for (uint8_t sub = 0; sub < 14; ++sub)
    check({Opcode::FCmp, t, sub, {t, t}, Type::I32, [&](uint64_t a, uint64_t b, uint64_t) {
             const S x = in(a), y = in(b);
             const bool unordered = x != x || y != y;
             const bool r = sub < 6    ? ordered[sub](x, y)
                            : sub < 12 ? unordered || ordered[sub - 6](x, y)
                                       : (sub == 13) == unordered;
             return r ? ~0u : 0u;
           }});
}

TEST(Interpreter, Float32) {
  floatCases<float>(
      Type::F32, [](uint64_t b) { return std::bit_cast<float>(static_cast<uint32_t>(b)); },
      [](float v) { return std::bit_cast<uint32_t>(v); });
}
TEST(Interpreter, Float64) {
  floatCases<double>(
      Type::F64, [](uint64_t b) { return std::bit_cast<double>(b); },
      [](double v) { return std::bit_cast<uint64_t>(v); });
}
TEST(Interpreter, Float16RoundsOnce) {
  floatCases<float>(
      Type::F16, [](uint64_t b) { return static_cast<float>(halfValue(static_cast<uint32_t>(b))); },
      [](float v) { return halfBits(v); });
}

// --- Integers: the reference sees the operand's bits and its signed value
using Signed = __int128;
struct Int {
  uint64_t u;
  int64_t s;
};
void intCases(Type t) {
  const uint32_t bits = 8 * isa::typeBytes(t);
  const uint64_t ones = ~0ull >> (64 - bits);
  auto in = [=](uint64_t v) { return Int{v, static_cast<int64_t>(v << (64 - bits)) >> (64 - bits)}; };
  using Fn = std::function<Signed(Int, Int)>;
  auto binary = [&](Opcode op, Fn fn) {
    check({op, t, 0, {t, t}, t, [&](uint64_t a, uint64_t b, uint64_t) {
             return static_cast<uint64_t>(fn(in(a), in(b))) & ones;
           }});
  };
  auto shift = [&](Opcode op, Fn fn) {
    check({op, t, 0, {t, Type::I32}, t, [&](uint64_t a, uint64_t b, uint64_t) {
             return static_cast<uint64_t>(fn(in(a), {b % bits, 0})) & ones;
           }});
  };
  auto word = [&](Opcode op, Fn fn) {
    check({op, t, 0, {t}, Type::I32, [&](uint64_t a, uint64_t, uint64_t) {
             return static_cast<uint32_t>(fn(in(a), {}));
           }});
  };
  auto unary = [&](Opcode op, Fn fn) {
    check({op, t, 0, {t}, t, [&](uint64_t a, uint64_t, uint64_t) {
             return static_cast<uint64_t>(fn(in(a), {})) & ones;
           }});
  };
  binary(Opcode::IAdd, [](Int a, Int b) { return Signed(a.u) + b.u; });
  binary(Opcode::ISub, [](Int a, Int b) { return Signed(a.u) - b.u; });
  binary(Opcode::IMul, [](Int a, Int b) { return Signed(a.u * b.u); });
  binary(Opcode::SDiv, [](Int a, Int b) { return b.s ? Signed(a.s) / b.s : Signed(-1); });
  binary(Opcode::UDiv, [](Int a, Int b) { return b.u ? Signed(a.u / b.u) : Signed(-1); });
  binary(Opcode::SRem, [](Int a, Int b) { return b.s ? Signed(a.s) % b.s : Signed(a.s); });
  binary(Opcode::SMod, [](Int a, Int b) {
    if (!b.s) return Signed(a.s);
    const Signed r = Signed(a.s) % b.s;
    return r != 0 && (r < 0) != (b.s < 0) ? r + b.s : r;
  });
  binary(Opcode::UMod, [](Int a, Int b) { return b.u ? Signed(a.u % b.u) : Signed(a.u); });
  binary(Opcode::SMin, [](Int a, Int b) { return Signed(std::min(a.s, b.s)); });
  binary(Opcode::SMax, [](Int a, Int b) { return Signed(std::max(a.s, b.s)); });
  binary(Opcode::UMin, [](Int a, Int b) { return Signed(std::min(a.u, b.u)); });
  binary(Opcode::UMax, [](Int a, Int b) { return Signed(std::max(a.u, b.u)); });
  unary(Opcode::INeg, [](Int a, Int) { return -Signed(a.s); });
  unary(Opcode::IAbs, [](Int a, Int) { return a.s < 0 ? -Signed(a.s) : Signed(a.s); });
  unary(Opcode::Not, [](Int a, Int) { return Signed(~a.u); });
  unary(Opcode::BRev, [=](Int a, Int) {
    uint64_t r = 0;
    for (uint32_t i = 0; i < bits; ++i) r |= (a.u >> i & 1) << (bits - 1 - i);
    return Signed(r);
  });
  shift(Opcode::Shl, [](Int a, Int b) { return Signed(a.u << b.u); });
  shift(Opcode::Shr, [](Int a, Int b) { return Signed(a.u >> b.u); });
  shift(Opcode::Sar, [](Int a, Int b) { return Signed(a.s >> b.u); });
  word(Opcode::BCnt, [](Int a, Int) { return Signed(std::popcount(a.u)); });
  word(Opcode::Flsb, [](Int a, Int) { return a.u ? Signed(std::countr_zero(a.u)) : Signed(-1); });
  word(Opcode::Fmsbu, [](Int a, Int) { return Signed(63 - std::countl_zero(a.u)); });
  word(Opcode::Fmsbs, [=](Int a, Int) {
    for (int i = static_cast<int>(bits) - 2; i >= 0; --i)
      if ((a.u >> i & 1) != (a.u >> (bits - 1))) return Signed(i);
    return Signed(-1);
  });
  const std::function<bool(Int, Int)> compare[] = {
      [](Int a, Int b) { return a.u == b.u; }, [](Int a, Int b) { return a.u != b.u; },
      [](Int a, Int b) { return a.s < b.s; },  [](Int a, Int b) { return a.s <= b.s; },
      [](Int a, Int b) { return a.s > b.s; },  [](Int a, Int b) { return a.s >= b.s; },
      [](Int a, Int b) { return a.u < b.u; },  [](Int a, Int b) { return a.u <= b.u; },
      [](Int a, Int b) { return a.u > b.u; },  [](Int a, Int b) { return a.u >= b.u; }};
  for (uint8_t sub = 0; sub < 10; ++sub)
    check({Opcode::ICmp, t, sub, {t, t}, Type::I32, [&](uint64_t a, uint64_t b, uint64_t) {
             return compare[sub](in(a), in(b)) ? ~0u : 0u;
           }});
  if (bits < 32) return;
  binary(Opcode::And, [](Int a, Int b) { return Signed(a.u & b.u); });
  binary(Opcode::Or, [](Int a, Int b) { return Signed(a.u | b.u); });
  binary(Opcode::Xor, [](Int a, Int b) { return Signed(a.u ^ b.u); });
  binary(Opcode::SMulH, [=](Int a, Int b) { return (Signed(a.s) * b.s) >> bits; });
  binary(Opcode::UMulH,
         [=](Int a, Int b) { return static_cast<Signed>((static_cast<unsigned __int128>(a.u) * b.u) >> bits); });
}
TEST(Interpreter, Int32) { intCases(Type::I32); }
TEST(Interpreter, Int64) { intCases(Type::I64); }
TEST(Interpreter, Int16) { intCases(Type::I16); }
TEST(Interpreter, Int8) { intCases(Type::I8); }

uint64_t evaluated(Opcode op, Type t, uint64_t a, uint32_t b, uint32_t c) {
  isa::Inst inst;
  inst.op = op, inst.type = t, inst.dst = isa::temp(0), inst.src = {isa::temp(0), isa::temp(0), isa::temp(0)};
  uint32_t sources[3][kEvaluateWords] = {{static_cast<uint32_t>(a), static_cast<uint32_t>(a >> 32)}, {b}, {c}};
  uint32_t result[kEvaluateWords] = {};
  EXPECT_TRUE(evaluate(inst, sources, result));
  return result[0] | static_cast<uint64_t>(result[1]) << 32;
}
TEST(Interpreter, BitFieldsOfEveryPlaceAndWidth) {
  for (Type t : {Type::I32, Type::I64}) {
    const uint32_t bits = 8 * isa::typeBytes(t);
    for (uint64_t a : intSamples(t))
      for (uint32_t offset = 0; offset < bits; ++offset)
        for (uint32_t count = 0; offset + count <= bits; ++count) {
          const uint64_t mask = count == 64 ? ~0ull : (1ull << count) - 1, ones = ~0ull >> (64 - bits);
          const uint64_t field = a >> offset & mask;
          const uint64_t extended = count && field >> (count - 1) & 1 ? (field | ~mask) & ones : field;
          ASSERT_EQ(evaluated(Opcode::UBfe, t, a, offset, count), field) << offset << " " << count;
          ASSERT_EQ(evaluated(Opcode::SBfe, t, a, offset, count), extended) << offset << " " << count;
          ASSERT_EQ(evaluated(Opcode::Bfm, t, offset, count, 0), mask << offset & ones) << offset << " " << count;
        }
  }
}

// --- Conversions
const Type kFloats[] = {Type::F16, Type::F32, Type::F64};
const Type kInts[] = {Type::I8, Type::I16, Type::I32, Type::I64};

uint64_t encodeFloat(Type t, double v) {
  return t == Type::F32   ? std::bit_cast<uint32_t>(static_cast<float>(v))
         : t == Type::F64 ? std::bit_cast<uint64_t>(v)
                          : halfBits(v);
}
TEST(Interpreter, FloatToFloat) {
  for (Type to : kFloats)
    for (Type from : kFloats) {
      check({Opcode::CvtFF, to, static_cast<uint8_t>(from), {from}, to, [=](uint64_t a, uint64_t, uint64_t) {
               return encodeFloat(to, decode(from, a));
             }});
      check(
          {Opcode::CvtFFz, to, static_cast<uint8_t>(from), {from}, to, [=](uint64_t a, uint64_t, uint64_t) -> uint64_t {
             const double v = decode(from, a);
             if (to == Type::F16) return halfBits(v, true);
             if (to == Type::F64) return std::bit_cast<uint64_t>(v);
             float f = static_cast<float>(v);
             if (std::fabs(static_cast<double>(f)) > std::fabs(v)) f = std::nextafter(f, 0.0f);
             return std::bit_cast<uint32_t>(f);
           }});
    }
}
TEST(Interpreter, FloatToIntegerSaturates) {
  for (Type to : kInts)
    for (Type from : kFloats) {
      const uint32_t bits = 8 * isa::typeBytes(to);
      const uint64_t ones = ~0ull >> (64 - bits);
      check(
          {Opcode::CvtFS, to, static_cast<uint8_t>(from), {from}, to, [=](uint64_t a, uint64_t, uint64_t) -> uint64_t {
             const double v = std::trunc(decode(from, a)), top = std::ldexp(1.0, static_cast<int>(bits) - 1);
             if (v != v) return 0;
             if (v >= top) return ones >> 1;
             return v < -top ? (ones >> 1) + 1 : static_cast<uint64_t>(static_cast<int64_t>(v)) & ones;
           }});
      check(
          {Opcode::CvtFU, to, static_cast<uint8_t>(from), {from}, to, [=](uint64_t a, uint64_t, uint64_t) -> uint64_t {
             const double v = std::trunc(decode(from, a));
             if (!(v > 0)) return 0;
             return v >= std::ldexp(1.0, static_cast<int>(bits)) ? ones : static_cast<uint64_t>(v);
           }});
    }
}
TEST(Interpreter, IntegerConversions) {
  for (Type from : kInts) {
    const uint32_t bits = 8 * isa::typeBytes(from);
    auto asSigned = [=](uint64_t v) { return static_cast<int64_t>(v << (64 - bits)) >> (64 - bits); };
    for (Type to : kFloats) {
      auto encode = [=](auto v) -> uint64_t {
        if (to == Type::F64) return std::bit_cast<uint64_t>(static_cast<double>(v));
        if (to == Type::F32) return std::bit_cast<uint32_t>(static_cast<float>(v));
        return halfBits(static_cast<double>(v));
      };
      check({Opcode::CvtSF, to, static_cast<uint8_t>(from), {from}, to, [=](uint64_t a, uint64_t, uint64_t) {
               return encode(asSigned(a));
             }});
      check({Opcode::CvtUF, to, static_cast<uint8_t>(from), {from}, to, [=](uint64_t a, uint64_t, uint64_t) {
               return encode(a);
             }});
    }
    for (Type to : kInts) {
      const uint64_t ones = ~0ull >> (64 - 8 * isa::typeBytes(to));
      check({Opcode::CvtSS, to, static_cast<uint8_t>(from), {from}, to, [=](uint64_t a, uint64_t, uint64_t) {
               return static_cast<uint64_t>(asSigned(a)) & ones;
             }});
      check({Opcode::CvtUU, to, static_cast<uint8_t>(from), {from}, to, [=](uint64_t a, uint64_t, uint64_t) {
               return a & ones;
             }});
    }
  }
}

}  // namespace
}  // namespace etzel::interp
