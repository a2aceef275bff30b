// Loads whose lanes lie anywhere, or as the program says: of every size and count, with lanes that do not run or lie
// behind the buffer's end.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "compiler/exec/native/native.h"
#include "compiler/exec/test/workgroup.h"

namespace etzel::native {
namespace {

using exec::test::Group, exec::test::Shape, exec::test::kWords;

/// Where D's own word says.
const char kAnywhere[] = "ld.buffer.i32 r3.x, c1.w, r0.x, #0\n";

/// Loads `words` from A from where r3.x says after `place`, if B's own word says so; what came goes into one word.
std::string loading(const std::string& place, const std::string& load, uint32_t words, bool always) {
  const auto word = [](uint32_t first, uint32_t w) {
    return "r" + std::to_string(first + w / 4) + "." + "xyzw"[w % 4];
  };
  std::string text = place + "ld.buffer.i32 r3.y, c1.y, r0.x, #0\nxmov.m r4.x, c0.y\n";
  for (uint32_t w = 0; w < words; ++w) text += "xmov.m " + word(1, w) + ", c0.x\n";
  if (!always) text += "if r3.y\n";
  text += load;
  for (uint32_t w = 0; w < words; ++w) text += "xmov.m " + word(1, w) + ", " + word(5, w) + "\n";
  if (!always) text += "endif\n";
  for (uint32_t w = 0; w < words; ++w) text += "imul.i32 r4.y, r4.x, c2.z\niadd.i32 r4.x, r4.y, " + word(1, w) + "\n";
  return text + "st.buffer.i32 c1.z, r0.x, r4.x, #0\n";
}

/// Fills D with places, and B with who reads.
struct Placing {
  std::string name;
  std::function<void(Group&, uint32_t bytesOfLoad)> fill;
};

/// What a lane reads: `bytes` from where r3.x says, 6 further on, into `words` words from r5 on.
struct Load {
  std::string text;
  uint32_t words, bytes;
};

/// Every size and count, by one instruction.
std::vector<Load> loadsOfMany() {
  std::vector<Load> all;
  for (const uint32_t bytes : {1u, 2u, 4u, 8u})
    for (const uint32_t count : {1u, 2u, 3u, 4u, 8u}) {
      if (bytes * count > 32) continue;
      const std::string several = count > 1 ? ".x" + std::to_string(count) : "";
      all.push_back({"ld.buffer.i" + std::to_string(bytes * 8) + several + " r5.x, c1.x, r3.x, #6\n",
                     count * std::max(bytes / 4, 1u), bytes * count});
    }
  return all;
}

/// Elements side by side, each by an instruction and from an offset of its own.
std::vector<Load> loadsSideBySide() {
  std::vector<Load> all;
  for (const auto& [bytes, constant] : {std::pair(1u, "c0.y"), {2u, "c0.z"}, {4u, "c0.w"}})
    for (const uint32_t count : {2u, 3u, 4u, 6u}) {
      static constexpr const char* kOffsets[] = {"r3.x", "r3.z", "r3.w", "r2.z", "r2.w", "r4.z"};
      std::string text;
      for (uint32_t i = 0; i < count; ++i) {
        if (i) text += std::string("iadd.i32 ") + kOffsets[i] + ", " + kOffsets[i - 1] + ", " + constant + "\n";
        text += "ld.buffer.i" + std::to_string(bytes * 8) + " r" + std::to_string(5 + i / 4) + "." + "xyzw"[i % 4] +
                ", c1.x, " + kOffsets[i] + ", #6\n";
      }
      all.push_back({text, count, bytes * count});
    }
  return all;
}

/// By LLVM's code and by the interpreter.
void compare(const std::vector<Load>& loads, const std::vector<Placing>& placings, const char* place = kAnywhere,
             Shape shape = Shape::Line) {
  const std::unique_ptr<Compiler> jit = Compiler::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  for (const Load& load : loads)
    for (const bool always : {false, true}) {
      const auto kernel = exec::test::assembled(loading(place, load.text, load.words, always), shape);
      ASSERT_TRUE(kernel);
      auto native = jit->compile(compiler::programOf(*kernel));
      ASSERT_TRUE(native.ok()) << native.error().message;
      for (const Placing& placing : placings) {
        Group expected(*kernel, shape), actual(*kernel, shape);
        for (Group* g : {&expected, &actual}) placing.fill(*g, load.bytes);
        ASSERT_EQ(expected.run(*kernel->executable.load()), abi::WarpStatus::Done);
        ASSERT_EQ(actual.run(*(*native)->executable()), abi::WarpStatus::Done);
        for (uint32_t i = 0; i < kWords; ++i)
          ASSERT_EQ(actual.memory[2][i], expected.memory[2][i]) << place << load.text << placing.name << ", word " << i;
      }
    }
}

/// Where lanes read, of 1,024 bytes.
enum class Places { Inside, SomeOutside, IdleOutside, Wrapping, Row };

void place(Group& g, Places places, uint32_t bytesOfLoad) {
  std::minstd_rand random(static_cast<uint32_t>(places) + bytesOfLoad);
  for (uint32_t i = 0; i < kWords; ++i) {
    const uint32_t inside = random() % (1024 - 80), far = 1024 - random() % 32;
    const bool odd = random() % 3 == 0;
    const bool runs = random() % 4 != 0;
    g.memory[1][i] = places == Places::IdleOutside ? !odd : runs;
    g.memory[3][i] = places == Places::Row        ? i * bytesOfLoad
                     : places == Places::Inside   ? inside
                     : !odd                       ? inside
                     : places == Places::Wrapping ? 0u - random() % 70
                                                  : far;
  }
}

std::vector<Placing> everyPlaces() {
  std::vector<Placing> placings;
  for (const Places p : {Places::Inside, Places::SomeOutside, Places::IdleOutside, Places::Wrapping, Places::Row})
    placings.push_back({"places " + std::to_string(static_cast<int>(p)),
                        [p](Group& g, uint32_t bytesOfLoad) { place(g, p, bytesOfLoad); }});
  return placings;
}

TEST(ScatteredLoads, GiveTheInterpretersBytes) { compare(loadsOfMany(), everyPlaces()); }

TEST(ScatteredLoads, SideBySideTheyGiveTheSame) { compare(loadsSideBySide(), everyPlaces()); }

/// Where lanes read, from a warp's place on.
const struct {
  const char* name;
  uint32_t (*offset)(uint32_t base, uint32_t lane);
} kNear[] = {
    {"blocks of 18 bytes", [](uint32_t base, uint32_t lane) { return base + lane / 4 * 18 + lane % 4 * 4; }},
    {"odd places", [](uint32_t base, uint32_t lane) { return base + 3 * lane + 1; }},
    {"backwards", [](uint32_t base, uint32_t lane) { return base + 40 - 5 * lane; }},
    {"one place", [](uint32_t base, uint32_t) { return base; }},
    {"words in any order", [](uint32_t base, uint32_t lane) { return base + lane * 5 % 8 * 4; }},
    {"two lanes a word", [](uint32_t base, uint32_t lane) { return base + lane / 2 * 4; }},
    {"one word too far", [](uint32_t base, uint32_t lane) { return base + (lane == 6 ? 8 : lane) * 4; }},
    {"as far as a window reaches", [](uint32_t base, uint32_t lane) { return base + (lane == 5 ? 127u : lane); }},
    {"one far outside", [](uint32_t base, uint32_t lane) { return lane == 3 ? 0x80000000u : base + 2 * lane; }},
    {"the first one far outside", [](uint32_t base, uint32_t lane) { return lane == 0 ? ~0u : base + 2 * lane; }},
    {"around the end of numbers", [](uint32_t base, uint32_t lane) { return 0xFFFFFFF0u + base % 7 + 3 * lane; }},
};

// Warps come closer to the end of a buffer, behind which is not nothing.
std::vector<Placing> nearPlaces() {
  constexpr uint32_t kBytes = 300, kStep = 33;
  std::vector<Placing> placings;
  for (const auto& near : kNear)
    for (const uint32_t idle : {~0u, 0u, 3u})  // which lane of each warp reads nothing
      placings.push_back({near.name + std::string(", idle ") + std::to_string(int(idle)), [=](Group& g, uint32_t) {
                            for (uint32_t i = 0; i < kWords; ++i) {
                              g.memory[1][i] = i % kWarpLanes != idle;
                              g.memory[3][i] = near.offset(i / kWarpLanes * kStep, i % kWarpLanes);
                            }
                            g.bind(0, g.memory[0], kBytes);
                          }});
  return placings;
}

TEST(ScatteredLoads, NearEachOtherTheyGiveTheSame) { compare(loadsOfMany(), nearPlaces()); }

TEST(ScatteredLoads, NearAndSideBySideTheyGiveTheSame) { compare(loadsSideBySide(), nearPlaces()); }

/// Programs that say how the lanes lie.
const char* const kKnown[] = {
    // blocks of 18 bytes and of 34
    "shr.i32 r2.x, r7.x, c0.z\nimul.i32 r2.y, r2.x, c3.y\nand.i32 r2.x, r7.x, c2.x\nshl.i32 r6.x, r2.x, c0.z\n"
    "iadd.i32 r3.x, r2.y, r6.x\n",
    "udiv.i32 r2.x, r7.x, c0.w\nimul.i32 r2.y, r2.x, c3.z\numod.i32 r2.x, r7.x, c0.w\nshl.i32 r6.x, r2.x, c2.x\n"
    "iadd.i32 r3.x, r2.y, r6.x\n",
    // rows, of every distance that one vector, two or four of them reach
    "shl.i32 r3.x, r7.x, c0.y\n", "shl.i32 r3.x, r7.x, c2.x\n", "shl.i32 r3.x, r7.x, c0.w\n",
    "shl.i32 r3.x, r7.x, c3.x\n", "imul.i32 r3.x, r7.x, c3.y\n", "imul.i32 r3.x, r7.x, c2.z\n",
    // two lanes of each four read the same, in groups that are far from each other
    "shr.i32 r2.x, r7.x, c0.y\nand.i32 r2.y, r2.x, c0.y\nshl.i32 r2.x, r2.y, c0.w\nand.i32 r6.x, r7.x, c0.w\n"
    "shl.i32 r6.y, r6.x, c3.x\niadd.i32 r3.x, r2.x, r6.y\n",
    // backwards
    "isub.i32 r2.x, c2.y, r7.x\nshl.i32 r3.x, r2.x, c0.z\n"};

TEST(ScatteredLoads, PlacesThatTheProgramSaysGiveTheSame) {
  std::vector<Placing> placings;
  for (const uint32_t bytes : {1024u, 317u, 64u})
    for (const uint32_t first : {0u, 37u, 0xFFFFFFC0u})
      placings.push_back({std::to_string(bytes) + " bytes from " + std::to_string(first), [=](Group& g, uint32_t) {
                            for (uint32_t i = 0; i < kWords; ++i) g.memory[1][i] = i % 11 != 3;
                            g.push(0, first);
                            g.bind(0, g.memory[0], bytes);
                          }});
  std::vector<Load> loads = loadsOfMany();
  for (Load& load : loadsSideBySide()) loads.push_back(load);
  // Halves that are read as such.
  loads.push_back(
      {"ld.buffer.i16.x4 r5.x, c1.x, r3.x, #6\ncvtff.f16.f32 r5.x, r5.x\ncvtff.f16.f32 r5.y, r5.y\n"
       "cvtff.f16.f32 r5.z, r5.z\ncvtff.f16.f32 r5.w, r5.w\n",
       4, 8});
  // Each place with some of the loads, the halves among them.
  for (size_t p = 0; p < std::size(kKnown); ++p) {
    std::vector<Load> some = {loads.back()};
    for (size_t l = p % 5; l + 1 < loads.size(); l += 5) some.push_back(loads[l]);
    for (const Shape shape : {Shape::Rows, Shape::Line})
      compare(some, placings, (kKnown[p] + std::string("iadd.i32 r3.x, r3.x, r0.z\n")).c_str(), shape);
  }
}

TEST(ScatteredLoads, FourWordsAndTheNextFourGiveTheSame) {
  const Load load = {
      "ld.buffer.i32.x4 r5.x, c1.x, r3.x, #4\nshl.i32 r7.y, r7.x, c0.y\niadd.i32 r7.y, r7.y, c0.y\n"
      "shl.i32 r7.y, r7.y, c0.w\nld.buffer.i32.x4 r6.x, c1.x, r7.y, #4\n",
      8, 32};
  std::vector<Placing> placings;
  for (const uint32_t bytes : {2048u, 1024u, 317u, 64u})
    placings.push_back({std::to_string(bytes) + " bytes", [=](Group& g, uint32_t) {
                          for (uint32_t i = 0; i < kWords; ++i) g.memory[1][i] = i % 11 != 3;
                          g.bind(0, g.memory[0], bytes);
                        }});
  for (const Shape shape : {Shape::Rows, Shape::Line}) compare({load}, placings, "shl.i32 r3.x, r7.x, c3.x\n", shape);
}

}  // namespace
}  // namespace etzel::native
