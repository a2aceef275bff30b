// Products of cooperative vectors with matrices in memory. Values are chosen so that every order of sums gives the
// same; the conversions to 8 bits that some products begin with are compared with all numbers of the format.
#include <algorithm>
#include <cmath>

#include "cts-subset/cases/shader/cooperative_vector_tools.h"

namespace etzel::cts::vectors {
namespace {

struct Types {
  const char* name;
  Kind input, interpretation, matrix, result;
};
constexpr Types kTypes[] = {{"f16", kF16, kF16, kF16, kF16},
                            {"e4m3", kF16, kE4M3, kE4M3, kF16},
                            {"e5m2", kF16, kE5M2, kE5M2, kF16},
                            {"f32", kF32, kF32, kF32, kF32},
                            {"s8_of_f32", kF32, kS8, kS8, kS32},
                            {"s8", kS8, kS8, kS8, kS32},
                            {"s8_u8", kS8, kS8, kU8, kS32},
                            {"u8_s8", kU8, kU8, kS8, kS32},
                            {"u8", kU8, kU8, kU8, kS32},
                            {"s8_of_s32", kS32, kS8, kS8, kS32},
                            {"s8_packed", kU32, kS8Packed, kS8, kS32},
                            {"u8_packed", kU32, kU8Packed, kS8, kS32}};

/// VkCooperativeVectorPropertiesNV
struct Combination {
  VkStructureType sType = VkStructureType(1000491002);
  void* pNext = nullptr;
  Kind input, interpretation, matrix, bias, result;
  VkBool32 transpose;
};
using CombinationsFn = VkResult(VKAPI_PTR*)(VkPhysicalDevice, uint32_t*, Combination*);
CombinationsFn combinationsOf(Gpu& gpu) {
  return reinterpret_cast<CombinationsFn>(
      vkGetInstanceProcAddr(gpu.instance, "vkGetPhysicalDeviceCooperativeVectorPropertiesNV"));
}

bool isSupported(Gpu& gpu, const Types& t, bool isTransposed) {
  const CombinationsFn get = combinationsOf(gpu);
  uint32_t count = 0;
  CTS_VK(get(gpu.physical, &count, nullptr));
  std::vector<Combination> all(count);
  CTS_VK(get(gpu.physical, &count, all.data()));
  return std::any_of(all.begin(), all.end(), [&](const Combination& p) {
    return p.input == t.input && p.interpretation == t.interpretation && p.matrix == t.matrix && p.bias == t.result &&
           p.result == t.result && (p.transpose || !isTransposed);
  });
}
void requireTypes(Gpu& gpu, const Types& t, bool isTransposed = false) {
  gpu.requireExtension("VK_NV_cooperative_vector");
  gpu.require(isSupported(gpu, t, isTransposed), "products of these types");
}

struct Shape {
  uint32_t m, k, layout;
  bool hasBias = false, isTransposed = false;
};

/// "Convert" of an input's component: to the nearest number of 8 bits, or the even one; integers saturate.
double taken(const Types& t, double x) {
  if (t.interpretation == kE4M3 || t.interpretation == kE5M2) return std::nearbyint(x * 2) / 2;  // see inputOf()
  if (t.interpretation == kS8) return std::clamp(std::nearbyint(x), -128.0, 127.0);
  return x;
}
/// A component of the input: floats of 8 bits are half apart there, halves are not.
double inputOf(const Types& t, Random& random) {
  const uint32_t n = random.next() >> 8;
  if (t.interpretation == kE4M3) return 4 + double(n & 63) / 16;
  if (t.interpretation == kE5M2) return 2 + double(n & 31) / 16;
  if (t.input == kF16 || t.interpretation == kF32) return (double(n & 7) - 3) / 2;
  if (t.input == kF32) return (double(n % 600) - 300) / 2;
  if (t.input == kS32) return double(n % 600) - 300;
  const bool isSigned = t.interpretation == kS8 || t.interpretation == kS8Packed;
  return isSigned ? double(n & 255) - 128 : double(n & 255);
}
double elementOf(const Types& t, Random& random) {
  const uint32_t n = random.next() >> 8;
  if (isFloat(t.matrix)) return (double(n & 7) - 3) / 2;
  return t.matrix == kS8 ? double(n & 255) - 128 : double(n & 255);
}

/// Each of some groups of lanes has a matrix and a bias of its own.
void multiply(Gpu& gpu, const Types& t, const Shape& s) {
  constexpr uint32_t kSharing = 5, kMatrices = (kLanes + kSharing - 1) / kSharing;
  requireTypes(gpu, t, s.isTransposed);
  Random random(s.m * 31 + s.k + t.matrix);
  const bool isPacked = t.interpretation == kS8Packed || t.interpretation == kU8Packed;
  const Kind stored = isPacked ? kU8 : t.input;
  const uint32_t inBytes = aligned(s.k * bytesOf(stored), 16), outBytes = aligned(s.m * bytesOf(t.result), 16);
  // Stored: rows that lie `stride` bytes apart, or columns, or what the driver makes of such rows.
  const uint32_t rows = s.isTransposed ? s.k : s.m, columns = s.isTransposed ? s.m : s.k;
  const uint32_t inner = s.layout == kColumns ? rows : columns, outer = s.layout == kColumns ? columns : rows;
  const uint32_t stride = aligned(inner * bytesOf(t.matrix), 16) + 16, plain = outer * stride;
  const bool isOptimal = s.layout >= kInferencing;
  const Placed source{t.matrix, isOptimal ? kRows : s.layout, stride}, target{t.matrix, s.layout, stride};
  const uint32_t size = aligned(isOptimal ? uint32_t(convertedSize(gpu, rows, columns, source, target)) : plain, 64);
  const uint32_t biasAt = kMatrices * size;
  Bytes a(kLanes * inBytes), b(biasAt + kMatrices * outBytes);
  std::vector<double> in(kLanes * s.k), matrix(kMatrices * s.m * s.k), bias(kMatrices * s.m);
  for (uint32_t i = 0; i < in.size(); ++i) {
    in[i] = inputOf(t, random);
    a.put(stored, i / s.k * inBytes + i % s.k * bytesOf(stored), encode(stored, in[i]));
  }
  for (uint32_t n = 0; n < kMatrices; ++n) {
    Bytes one(plain);
    for (uint32_t m = 0; m < s.m; ++m)
      for (uint32_t k = 0; k < s.k; ++k) {
        const double value = matrix[(n * s.m + m) * s.k + k] = elementOf(t, random);
        const uint32_t row = s.isTransposed ? k : m, column = s.isTransposed ? m : k;
        const uint32_t far = s.layout == kColumns ? column : row, near = s.layout == kColumns ? row : column;
        one.put(t.matrix, far * stride + near * bytesOf(t.matrix), encode(t.matrix, value));
      }
    if (isOptimal)
      convertOnHost(gpu, rows, columns, source, one.bytes(), target, b.bytes() + n * size);
    else
      std::memcpy(b.bytes() + n * size, one.bytes(), plain);
    for (uint32_t m = 0; m < s.m; ++m) {
      bias[n * s.m + m] = double(random.next() >> 8 & 15);
      b.put(t.result, biasAt + n * outBytes + m * bytesOf(t.result), encode(t.result, bias[n * s.m + m]));
    }
  }

  Shader shader;
  const std::string type = shader.vector(t.input, isPacked ? (s.k + 3) / 4 : s.k);
  const std::string result = shader.vector(t.result, s.m);
  shader.op(kLoad, type + " %x %aw " + shader.bytes("%lane", inBytes));
  shader.line("%which = OpUDiv %u32 %lane " + shader.u(kSharing));
  const std::string matrixAt = shader.bytes("%which", size);
  std::string operands =
      result + " %y %x" + shader.numbers({t.interpretation}) + " %bw " + matrixAt + shader.numbers({t.matrix});
  if (s.hasBias) operands += " %bw " + shader.bytes("%which", outBytes, biasAt) + shader.numbers({t.result});
  const bool isInputSigned = t.input == kS8 || t.input == kS32 || t.interpretation == kS8Packed;
  const uint32_t mask = (t.matrix == kS8 ? 1 : 0) | (isInputSigned ? 2 : 0) | (t.result == kS32 ? 8 : 0);
  operands += shader.numbers({s.m, s.k, s.layout}) + (s.isTransposed ? " %true" : " %false") +
              shader.numbers({stride}) + " " + std::to_string(mask);
  shader.op(s.hasBias ? kMulAdd : kMul, operands);
  const std::string out = shader.bytes("%lane", outBytes);
  shader.op(kStore, "%rw " + out + " %y");

  const Buffer got = shader.run(gpu, a, b, Bytes(kLanes * outBytes));
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    for (uint32_t m = 0; m < s.m; ++m) {
      const uint32_t n = lane / kSharing;
      double want = s.hasBias ? bias[n * s.m + m] : 0;
      for (uint32_t k = 0; k < s.k; ++k) want += taken(t, in[lane * s.k + k]) * matrix[(n * s.m + m) * s.k + k];
      EXPECT_EQ(decode(t.result, codeIn(got, t.result, lane * outBytes + m * bytesOf(t.result))), want)
          << lane << "," << m;
    }
}

/// Matrices of one element each, in an optimal layout, `each` bytes apart.
Bytes ofElements(Gpu& gpu, Kind kind, uint32_t layout, const std::vector<double>& values, uint32_t* each) {
  const Kind from = isFloat(kind) ? kF32 : kind;
  const Placed source{from, kRows, 16}, target{kind, layout, 0};
  const uint32_t size = aligned(uint32_t(convertedSize(gpu, 1, 1, source, target)), 64);
  if (each) *each = size;
  Bytes all(values.size() * size);
  for (size_t i = 0; i < values.size(); ++i) {
    Bytes one(16);
    one.put(from, 0, encode(from, values[i]));
    convertOnHost(gpu, 1, 1, source, one.bytes(), target, all.bytes() + i * size);
  }
  return all;
}

/// x * (1) for `inputs`, one for each lane: what they are taken for.
std::vector<double> throughProduct(Gpu& gpu, const Types& t, const std::vector<uint32_t>& inputs) {
  const auto groups = uint32_t(inputs.size() + kLanes - 1) / kLanes;
  Bytes a(groups * kLanes * 16);
  for (size_t i = 0; i < inputs.size(); ++i) a.put(t.input, i * 16, inputs[i]);
  const Bytes one = ofElements(gpu, t.matrix, kInferencing, {1}, nullptr);
  Shader shader;
  const std::string type = shader.vector(t.input, 1), result = shader.vector(t.result, 1);
  const std::string at = shader.bytes("%lane", 16);
  shader.op(kLoad, type + " %x %aw " + at);
  shader.op(kMul, result + " %y %x" + shader.numbers({t.interpretation}) + " %bw " + shader.u(0) +
                      shader.numbers({t.matrix, 1, 1, kInferencing}) + " %false" + shader.numbers({16}) + " 15");
  shader.op(kStore, "%rw " + at + " %y");
  const Buffer got = shader.run(gpu, a, one, Bytes(groups * kLanes * 16), groups);
  std::vector<double> all;
  for (size_t i = 0; i < inputs.size(); ++i) all.push_back(decode(t.result, codeIn(got, t.result, i * 16)));
  return all;
}

/// Every third half becomes the nearest number of 8 bits, of two the one with an even code.
void roundInputs(Gpu& gpu, const Types& t) {
  requireTypes(gpu, t);
  std::vector<double> finite;  // of positive codes, which ascend
  for (uint32_t code = 0; code < 0x7f && std::isfinite(decode(t.interpretation, code)); ++code)
    finite.push_back(decode(t.interpretation, code));
  const double greatest = finite.back(), step = greatest - finite[finite.size() - 2];
  std::vector<uint32_t> halves;
  for (uint32_t code = 0; code < 1u << 16; code += 3) halves.push_back(code);
  const std::vector<double> got = throughProduct(gpu, t, halves);
  uint32_t wrong = 0;
  for (size_t i = 0; i < halves.size(); ++i) {
    const double x = decode(kF16, halves[i]), size = std::abs(x);
    double want = NAN;
    if (t.interpretation == kE5M2 && size >= greatest + step / 2) {
      want = std::copysign(INFINITY, x);
    } else if (size <= greatest + step / 2) {
      const size_t above = size_t(std::lower_bound(finite.begin(), finite.end(), size) - finite.begin());
      size_t nearest = std::min(above, finite.size() - 1);
      if (nearest && above < finite.size()) {
        const double up = finite[above] - size, down = size - finite[above - 1];
        if (down < up || (down == up && above % 2)) nearest = above - 1;
      }
      want = std::copysign(finite[nearest], x);
    }
    wrong += std::isnan(want) ? !std::isnan(got[i]) : got[i] != want;
  }
  EXPECT_EQ(wrong, 0u);
}

/// Numbers that are no integers of 8 bits.
void saturate(Gpu& gpu) {
  const Types ofFloat{"", kF32, kS8, kS8, kS32}, ofWord{"", kS32, kS8, kS8, kS32};
  requireTypes(gpu, ofFloat);
  const std::vector<double> floats = {-1e10, -128.6, -128.5, -127.5, -0.5, 0.5, 1.5, 2.5, 126.5, 127.4, 128, 1e20};
  std::vector<uint32_t> codes;
  for (double f : floats) codes.push_back(encode(kF32, f));
  const std::vector<double> got = throughProduct(gpu, ofFloat, codes);
  for (size_t i = 0; i < floats.size(); ++i)
    EXPECT_EQ(got[i], std::clamp(std::nearbyint(floats[i]), -128.0, 127.0)) << floats[i];
  if (!isSupported(gpu, ofWord, false)) return;
  const std::vector<uint32_t> words = {0x80000000u, uint32_t(-129), uint32_t(-128), 0, 127, 128, 0x7fffffffu};
  const std::vector<double> gotWords = throughProduct(gpu, ofWord, words);
  for (size_t i = 0; i < words.size(); ++i)
    EXPECT_EQ(gotWords[i], std::clamp(double(int32_t(words[i])), -128.0, 127.0)) << words[i];
}

/// Every number of a format of 8 bits as a matrix of one element.
void readCodes(Gpu& gpu, const Types& t) {
  constexpr uint32_t kCodes = 256;
  requireTypes(gpu, t);
  Bytes one(16);
  one.put(kF16, 0, encode(kF16, 1));
  std::vector<double> values;
  for (uint32_t code = 0; code < kCodes; ++code) values.push_back(decode(t.matrix, code));
  uint32_t each = 0;
  const Bytes codes = ofElements(gpu, t.matrix, kTraining, values, &each);
  Shader shader;
  const std::string type = shader.vector(kF16, 1);
  shader.op(kLoad, type + " %x %aw " + shader.u(0));
  const std::string at = shader.bytes("%lane", each);
  shader.op(kMul, type + " %y %x" + shader.numbers({t.interpretation}) + " %bw " + at +
                      shader.numbers({t.matrix, 1, 1, kTraining}) + " %false");
  const std::string out = shader.bytes("%lane", 16);
  shader.op(kStore, "%rw " + out + " %y");
  const Buffer got = shader.run(gpu, one, codes, Bytes(kCodes * 16), kCodes / kLanes);
  for (uint32_t code = 0; code < kCodes; ++code) {
    const double want = decode(t.matrix, code), is = decode(kF16, codeIn(got, kF16, code * 16));
    EXPECT_TRUE(std::isnan(want) ? std::isnan(is) : is == want) << code << ": " << is;
  }
}

/// The combinations of types that every device has.
void properties(Gpu& gpu) {
  gpu.requireExtension("VK_NV_cooperative_vector");
  for (const Types& t : {kTypes[0], kTypes[10], kTypes[5], kTypes[4], kTypes[1], kTypes[2]})
    EXPECT_TRUE(isSupported(gpu, t, false)) << t.name;
  uint32_t few = 1;
  Combination one;
  EXPECT_EQ(combinationsOf(gpu)(gpu.physical, &few, &one), VK_INCOMPLETE);
}

}  // namespace

void registerProducts() {
  const auto add = [](const std::string& name, CaseBody body) { cts::add("cooperative_vector." + name, body); };
  const std::pair<const char*, uint32_t> layouts[] = {
      {"rows", kRows}, {"columns", kColumns}, {"optimal", kInferencing}, {"training", kTraining}};
  for (const Types& t : kTypes)
    for (const auto& [layoutName, layout] : layouts) {
      const bool isSmall = t.matrix == kE4M3 || t.matrix == kE5M2;
      if (isSmall && layout < kInferencing) continue;
      const std::string name = std::string(t.name) + "." + layoutName;
      add("multiply." + name, [=, l = layout](Gpu& gpu) { multiply(gpu, t, {7, 13, l}); });
      add("multiply_add." + name, [=, l = layout](Gpu& gpu) { multiply(gpu, t, {32, 24, l, true}); });
      if (layout >= kInferencing)
        add("transposed." + name, [=, l = layout](Gpu& gpu) { multiply(gpu, t, {9, 6, l, true, true}); });
    }
  for (const Types& t : {kTypes[1], kTypes[2]}) {
    add(std::string("round.") + t.name, [=](Gpu& gpu) { roundInputs(gpu, t); });
    add(std::string("codes.") + t.name, [=](Gpu& gpu) { readCodes(gpu, t); });
  }
  add("saturate", saturate);
  add("properties", properties);
}

}  // namespace etzel::cts::vectors
