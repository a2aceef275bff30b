// Loads and stores of cooperative vectors, sums that they add to memory, and conversions of matrices. Every order of
// the sums gives the same.
#include <algorithm>
#include <cmath>

#include "cts-subset/cases/shader/cooperative_vector_tools.h"

namespace etzel::cts::vectors {
namespace {

/// Through workgroup memory to a neighbour, doubled there.
void loadAndStore(Gpu& gpu, Kind k) {
  constexpr uint32_t kCount = 11;
  const uint32_t each = aligned(kCount * bytesOf(k), 16);
  Bytes a(kLanes * each);
  Random random(k);
  std::vector<double> in(kLanes * kCount);
  for (uint32_t i = 0; i < in.size(); ++i) {
    in[i] = double(random.next() >> 8 & 31) - (k == kU8 || k == kU32 ? 0 : 16);
    a.put(k, i / kCount * each + i % kCount * bytesOf(k), encode(k, in[i]));
  }
  Shader shader;
  const std::string type = shader.vector(k, kCount), at = shader.bytes("%lane", each);
  shader.op(kLoad, type + " %x %aw " + at);
  constexpr uint32_t kNotPrivate = 0x20, kReleasedAndSeen = 0x6108;  // memory operands; semantics of the barrier
  shader.op(kStore, "%shared " + at + text(" %%x %u", kNotPrivate));
  shader.line("OpControlBarrier " + shader.u(2) + " " + shader.u(2) + " " + shader.u(kReleasedAndSeen));
  shader.line("%next = OpBitwiseXor %u32 %lane " + shader.u(1));
  shader.op(kLoad, type + " %y %shared " + shader.bytes("%next", each) + text(" %u", kNotPrivate));
  shader.line(std::string("%z = ") + (isFloat(k) ? "OpFAdd " : "OpIAdd ") + type + " %y %y");
  shader.op(kStore, "%rw " + at + " %z 0");
  const Buffer got = shader.run(gpu, a, Bytes(16), Bytes(kLanes * each));
  for (uint32_t i = 0; i < in.size(); ++i)
    EXPECT_EQ(decode(k, codeIn(got, k, i / kCount * each + i % kCount * bytesOf(k))),
              2 * in[(i / kCount ^ 1) * kCount + i % kCount])
        << i;
}

// --- Sums in memory

void requireTraining(Gpu& gpu, Kind sum) {
  gpu.requireExtension("VK_NV_cooperative_vector");
  // VkPhysicalDeviceCooperativeVectorPropertiesNV
  struct {
    VkStructureType sType = VkStructureType(1000491001);
    void* pNext = nullptr;
    VkShaderStageFlags stages = 0;
    VkBool32 sumsHalves = VK_FALSE, sumsFloats = VK_FALSE;
    uint32_t maxComponents = 0;
  } limits;
  VkPhysicalDeviceProperties2 p{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &limits};
  vkGetPhysicalDeviceProperties2(gpu.physical, &p);
  gpu.require(sum == kF16 ? limits.sumsHalves : limits.sumsFloats, "training with sums of this type");
}

constexpr uint32_t kAdding = 9;  ///< lanes that add to the same place
constexpr uint32_t kSums = (kLanes + kAdding - 1) / kAdding;

std::vector<double> halves(Bytes& bytes, uint32_t count, uint32_t each, uint32_t seed) {
  Random random(seed);
  std::vector<double> all(kLanes * count);
  for (uint32_t i = 0; i < all.size(); ++i) {
    all[i] = (double(random.next() >> 8 & 7) - 3) / 2;
    bytes.put(kF16, i / count * each + i % count * 2, encode(kF16, all[i]));
  }
  return all;
}

void outerProduct(Gpu& gpu, Kind sum, uint32_t m, uint32_t n) {
  requireTraining(gpu, sum);
  const uint32_t eachA = aligned(m * 2, 16), eachB = aligned(n * 2, 16);
  Bytes a(kLanes * eachA), b(kLanes * eachB);
  const std::vector<double> inA = halves(a, m, eachA, m), inB = halves(b, n, eachB, n + 7);
  const Placed optimal{sum, kTraining, 0}, rows{sum, kRows, n * bytesOf(sum) + 16};
  const uint32_t size = aligned(uint32_t(convertedSize(gpu, m, n, rows, optimal)), 64);
  Shader shader;
  const std::string typeA = shader.vector(kF16, m), typeB = shader.vector(kF16, n);
  shader.op(kLoad, typeA + " %x %aw " + shader.bytes("%lane", eachA));
  shader.op(kLoad, typeB + " %y %bw " + shader.bytes("%lane", eachB));
  shader.line("%which = OpUDiv %u32 %lane " + shader.u(kAdding));
  shader.op(kOuterProduct, "%rw " + shader.bytes("%which", size) + " %x %y" + shader.numbers({kTraining, sum}));
  const Buffer got = shader.run(gpu, a, b, Bytes(kSums * size));
  for (uint32_t group = 0; group < kSums; ++group) {
    Bytes found(m * rows.stride);
    convertOnHost(gpu, m, n, optimal, got.as<std::byte>() + group * size, rows, found.bytes());
    for (uint32_t i = 0; i < m; ++i)
      for (uint32_t j = 0; j < n; ++j) {
        double want = 0;
        for (uint32_t lane = group * kAdding; lane < std::min((group + 1) * kAdding, kLanes); ++lane)
          want += inA[lane * m + i] * inB[lane * n + j];
        uint32_t code = 0;
        std::memcpy(&code, found.bytes() + i * rows.stride + j * bytesOf(sum), bytesOf(sum));
        EXPECT_EQ(decode(sum, code), want) << group << ":" << i << "," << j;
      }
  }
}

void reduceSum(Gpu& gpu, Kind k) {
  requireTraining(gpu, k);
  constexpr uint32_t kCount = 21;
  const uint32_t each = aligned(kCount * bytesOf(k), 16);
  Bytes a(kLanes * each), r(kSums * each);
  Random random(k);
  std::vector<double> in(kLanes * kCount);
  for (uint32_t i = 0; i < in.size(); ++i) {
    in[i] = (double(random.next() >> 8 & 31) - 16) / 4;
    a.put(k, i / kCount * each + i % kCount * bytesOf(k), encode(k, in[i]));
  }
  for (uint32_t i = 0; i < kSums * kCount; ++i)
    r.put(k, i / kCount * each + i % kCount * bytesOf(k), encode(k, i % kCount));
  Shader shader;
  shader.op(kLoad, shader.vector(k, kCount) + " %x %aw " + shader.bytes("%lane", each));
  shader.line("%which = OpUDiv %u32 %lane " + shader.u(kAdding));
  shader.op(kReduceSum, "%rw " + shader.bytes("%which", each) + " %x");
  const Buffer got = shader.run(gpu, a, Bytes(16), r);
  for (uint32_t i = 0; i < kSums * kCount; ++i) {
    const uint32_t group = i / kCount, component = i % kCount;
    double want = component;
    for (uint32_t lane = group * kAdding; lane < std::min((group + 1) * kAdding, kLanes); ++lane)
      want += in[lane * kCount + component];
    EXPECT_EQ(decode(k, codeIn(got, k, group * each + component * bytesOf(k))), want) << group << "," << component;
  }
}

// --- Conversions

/// From rows to every layout and back to columns, on the host or on the device; bytes between rows stay.
void convertLayouts(Gpu& gpu, Kind k, bool onDevice) {
  constexpr uint32_t kM = 5, kN = 9, kPart = 512, kUntouched = 0xCC;
  gpu.requireExtension("VK_NV_cooperative_vector");
  const uint32_t bytes = bytesOf(k);
  for (uint32_t layout : {kRows, kColumns, kInferencing, kTraining}) {
    if ((k == kE4M3 || k == kE5M2) && layout < kInferencing) continue;
    const Placed steps[] = {{k, kRows, kN * bytes + 4 * bytes},
                            {k, layout, (layout == kRows ? kN : kM) * bytes + 2 * bytes},
                            {k, kColumns, kM * bytes + 4 * bytes}};
    std::vector<uint8_t> initial(3 * kPart, kUntouched);
    for (uint32_t i = 0; i < kM * kN; ++i)
      for (uint32_t byte = 0; byte < bytes; ++byte)
        initial[i / kN * steps[0].stride + i % kN * bytes + byte] = uint8_t(i * 4 + byte + 1);
    Buffer buffer = gpu.buffer(initial);
    const auto step = [&](uint32_t s, VkCommandBuffer commands) {
      size_t size = convertedSize(gpu, kM, kN, steps[s], steps[s + 1]);
      ConvertInfo info = infoOf(kM, kN, steps[s], steps[s + 1], &size);
      if (commands) {
        info.source.deviceAddress = buffer.address + s * kPart;
        info.target.deviceAddress = buffer.address + (s + 1) * kPart;
        using Fn = void(VKAPI_PTR*)(VkCommandBuffer, uint32_t, const ConvertInfo*);
        gpu.proc<Fn>("vkCmdConvertCooperativeVectorMatrixNV")(commands, 1, &info);
        return;
      }
      info.source.hostAddress = buffer.as<std::byte>() + s * kPart;
      info.target.hostAddress = buffer.as<std::byte>() + (s + 1) * kPart;
      CTS_VK(gpu.proc<ConvertFn>("vkConvertCooperativeVectorMatrixNV")(gpu.device, &info));
    };
    for (uint32_t s = 0; s < 2; ++s)
      if (onDevice)
        gpu.submit([&](VkCommandBuffer commands) { step(s, commands); });
      else
        step(s, VK_NULL_HANDLE);
    const uint8_t* last = buffer.as<uint8_t>() + 2 * kPart;
    for (uint32_t column = 0; column < kN; ++column)
      for (uint32_t byte = 0; byte < steps[2].stride; ++byte) {
        const uint32_t row = byte / bytes;
        const uint32_t want = row < kM ? uint8_t((row * kN + column) * 4 + byte % bytes + 1) : kUntouched;
        EXPECT_EQ(last[column * steps[2].stride + byte], want) << layout << ": " << row << "," << column;
      }
  }
}

/// All numbers of 8 bits from halves or floats and back: how they lie in between is the driver's.
void convertNumbers(Gpu& gpu, Kind small, Kind large) {
  constexpr uint32_t kCount = 256;
  gpu.requireExtension("VK_NV_cooperative_vector");
  Bytes wide(kCount * 4), back(kCount * 4);
  for (uint32_t i = 0; i < kCount; ++i) wide.put(large, i * bytesOf(large), encode(large, decode(small, i)));
  const Placed narrow{small, kInferencing, 0}, rows{large, kRows, 16 * bytesOf(large)};
  Bytes codes(convertedSize(gpu, 16, 16, rows, narrow));
  convertOnHost(gpu, 16, 16, rows, wide.bytes(), narrow, codes.bytes());
  convertOnHost(gpu, 16, 16, narrow, codes.bytes(), rows, back.bytes());
  for (uint32_t i = 0; i < kCount; ++i) {
    uint32_t found = 0;
    std::memcpy(&found, back.bytes() + i * bytesOf(large), bytesOf(large));
    const double want = decode(small, i), is = decode(large, found);
    EXPECT_TRUE(std::isnan(want) ? std::isnan(is) : is == want) << i << ": " << is;
  }
}

/// Sizes that are asked for, and rooms that are too small.
void sizes(Gpu& gpu) {
  gpu.requireExtension("VK_NV_cooperative_vector");
  const Placed rows{kU8, kRows, 16}, optimal{kU8, kTraining, 0};
  const size_t size = convertedSize(gpu, 7, 13, rows, optimal);
  EXPECT_GE(size, 7u * 13u);
  EXPECT_EQ(size % 64, 0u);  // matrices behind one another are aligned
  std::vector<uint8_t> from(7 * 16, 1), to(size, 9);
  size_t room = size - 1;
  ConvertInfo info = infoOf(7, 13, rows, optimal, &room);
  info.source.hostAddress = from.data(), info.target.hostAddress = to.data();
  EXPECT_EQ(gpu.proc<ConvertFn>("vkConvertCooperativeVectorMatrixNV")(gpu.device, &info), VK_INCOMPLETE);
  EXPECT_EQ(to, std::vector<uint8_t>(size, 9));
}

}  // namespace

void registerMemory() {
  const auto add = [](const std::string& name, CaseBody body) { cts::add("cooperative_vector." + name, body); };
  const std::pair<const char*, Kind> kinds[] = {{"f16", kF16}, {"f32", kF32}, {"s8", kS8},
                                                {"u8", kU8},   {"s32", kS32}, {"u32", kU32}};
  for (const auto& [name, kind] : kinds)
    add(std::string("load_store.") + name, [k = kind](Gpu& gpu) { loadAndStore(gpu, k); });
  for (const auto& [name, kind] : {kinds[0], kinds[1]}) {
    add(std::string("outer_product.") + name, [k = kind](Gpu& gpu) { outerProduct(gpu, k, 7, 13); });
    add(std::string("outer_product.large.") + name, [k = kind](Gpu& gpu) { outerProduct(gpu, k, 32, 24); });
    add(std::string("reduce_sum.") + name, [k = kind](Gpu& gpu) { reduceSum(gpu, k); });
    add(std::string("convert.numbers.e4m3_") + name, [k = kind](Gpu& gpu) { convertNumbers(gpu, kE4M3, k); });
    add(std::string("convert.numbers.e5m2_") + name, [k = kind](Gpu& gpu) { convertNumbers(gpu, kE5M2, k); });
  }
  const std::pair<const char*, Kind> elements[] = {{"f16", kF16}, {"f32", kF32},   {"s8", kS8},
                                                   {"u8", kU8},   {"e4m3", kE4M3}, {"e5m2", kE5M2}};
  for (const auto& [name, kind] : elements)
    for (bool onDevice : {false, true})
      add(std::string("convert.layouts.") + name + (onDevice ? ".device" : ".host"),
          [=, k = kind](Gpu& gpu) { convertLayouts(gpu, k, onDevice); });
  add("convert.sizes", sizes);
}

}  // namespace etzel::cts::vectors
