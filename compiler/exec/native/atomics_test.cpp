// Atomics in optimized code: what they leave and what they give, at one place for all lanes and at many; which ones are
// put off.
#include <gtest/gtest.h>

#include "compiler/exec/native/native.h"
#include "compiler/exec/test/workgroup.h"
#include "runtime/task/delayed_atomics.h"

namespace etzel::native {
namespace {

using exec::test::Group, exec::test::Shape, exec::test::kWords;

constexpr const char* kIntegers[] = {"xchg", "add", "sub", "smin", "umin", "smax", "umax", "and", "or", "xor"};
constexpr const char* kFloats[] = {"fadd", "fmin", "fmax"};

/// The invocation's own word of B and its square in r1, what came in r3, which goes to C.
std::string around(const std::string& atomic, bool wanted, bool always) {
  std::string text =
      "ld.buffer.i32 r1.x, c1.y, r0.x, #0\nimul.i32 r1.y, r1.x, r1.x\nxmov.m r3.x, c0.x\nxmov.m r3.y, c0.x\n";
  if (!always) text += "and.i32 r2.x, r1.x, c0.y\nif r2.x\n";
  text += atomic;
  if (!always) text += "endif\n";
  return text + (wanted ? "iadd.i32 r3.x, r3.x, r3.y\nst.buffer.i32 c1.z, r0.x, r3.x, #0\n" : "");
}

struct Programs {
  std::shared_ptr<abi::Kernel> kernel;
  std::shared_ptr<exec::MachineCode> native;
};

Programs compiled(Compiler& jit, const std::string& body) {
  const auto kernel = exec::test::assembled(body, Shape::Line);
  if (!kernel) return {};
  auto native = jit.compile(compiler::programOf(*kernel));
  EXPECT_TRUE(native.ok()) << native.error().message;
  if (!native.ok()) return {};
  return {kernel, *native};
}

/// By LLVM's code and by the interpreter.
void compare(Compiler& jit, const std::string& body) {
  const Programs p = compiled(jit, body);
  ASSERT_TRUE(p.native) << body;
  Group expected(*p.kernel, Shape::Line), actual(*p.kernel, Shape::Line);
  ASSERT_EQ(expected.run(*p.kernel->executable.load()), abi::WarpStatus::Done);
  ASSERT_EQ(actual.run(*p.native->executable()), abi::WarpStatus::Done);
  for (uint32_t b = 0; b < exec::test::kBuffers; ++b)
    for (uint32_t i = 0; i < kWords; ++i)
      ASSERT_EQ(actual.memory[b][i], expected.memory[b][i]) << body << "buffer " << b << ", word " << i;
}

/// What is in the workgroup's memory after all, lane by lane.
const char kShow[] = "ld.shared.i32 r4.x, -, c0.x, #8\nst.buffer.i32 c1.w, r0.x, r4.x, #0\n";

TEST(Atomics, GiveTheInterpretersBytes) {
  const std::unique_ptr<Compiler> jit = Compiler::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  const struct {
    const char *space, *place, *after;
  } kPlaces[] = {
      {"buffer", "c1.x, c0.x, ", "#8\n"},                                      // one for all
      {"buffer", "c1.x, r0.z, ", "#3\n"},                                      // likewise: 37 + 3
      {"buffer", "c1.x, c0.x, ", "#4096\n"},                                   // outside
      {"buffer", "c1.x, c0.x, ", "#6\n"},                                      // at no multiple of its size
      {"buffer", "c1.x, r0.x, ", "#8\n"},                                      // one for each
      {"shared", "-, c0.x, ", "#8\n"},       {"shared", "-, r0.x, ", "#0\n"},  // some outside
  };
  for (const auto& place : kPlaces)
    for (const char* type : {"i32", "i64"})
      for (const char* op : kIntegers)
        for (const bool wanted : {false, true})
          for (const bool always : {false, true}) {
            const std::string atomic = std::string("atom.") + place.space + "." + op + "." + type +
                                       (wanted ? " r3.x, " : " -, ") + place.place + "r1.x, " + place.after;
            compare(*jit, around(atomic, wanted, always) + (place.space == std::string("shared") ? kShow : ""));
          }
}

TEST(Atomics, OnFloatsGiveTheInterpretersBytes) {
  const std::unique_ptr<Compiler> jit = Compiler::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  for (const char* place : {"buffer.", "shared."})
    for (const char* op : kFloats)
      for (const char* at : {"c0.x", "r0.x"}) {
        const std::string atomic = std::string("cvtuf.i32.f32 r1.x, r1.x\natom.") + place + op + ".f32.m r3.x, " +
                                   (place[0] == 'b' ? "c1.x, " : "-, ") + at + ", r1.x, #8\n";
        compare(*jit, around(atomic, true, false) + kShow);
      }
}

/// Runs a workgroup that may put atomics off. \returns whether A has changed before what was put off is done
bool changesAtOnce(const Programs& p, bool allowPlaces = true) {
  Group expected(*p.kernel, Shape::Line), actual(*p.kernel, Shape::Line);
  const std::vector<uint32_t> before(actual.memory[0], actual.memory[0] + kWords);
  EXPECT_EQ(expected.run(*p.kernel->executable.load()), abi::WarpStatus::Done);
  task::DelayedAtomics later;
  later.allowPlaces(allowPlaces);
  actual.delayed = later.slots();
  EXPECT_EQ(actual.run(*p.native->executable()), abi::WarpStatus::Done);
  const bool changed = !std::equal(before.begin(), before.end(), actual.memory[0]);
  later.flush();
  for (uint32_t i = 0; i < kWords; ++i) EXPECT_EQ(actual.memory[0][i], expected.memory[0][i]) << "word " << i;
  return changed;
}

TEST(DelayedAtomics, AreDoneWhenAskedForWithTheSameResult) {
  const std::unique_ptr<Compiler> jit = Compiler::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  for (const char* place : {"c0.x", "r0.x"})  // one for all, one for each
    for (const char* type : {"i32", "i64"})
      for (const char* op : kIntegers)
        for (const bool always : {false, true}) {
          if (op == kIntegers[0]) continue;
          const std::string atomic =
              std::string("atom.buffer.") + op + "." + type + " -, c1.x, " + place + ", r1.x, #8\n";
          const Programs p = compiled(*jit, around(atomic, false, always));
          ASSERT_TRUE(p.native);
          EXPECT_FALSE(changesAtOnce(p)) << atomic;
        }
}

TEST(DelayedAtomics, OfLanesWithPlacesOfTheirOwnAreDoneAtOnceWhereNoneAreAllowed) {
  const std::unique_ptr<Compiler> jit = Compiler::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  const Programs p = compiled(*jit, around("atom.buffer.sub.i32 -, c1.x, r0.x, r1.x, #8\n", false, false));
  ASSERT_TRUE(p.native);
  EXPECT_TRUE(changesAtOnce(p, false));
}

TEST(DelayedAtomics, OfSeveralPlacesAndOperationsKeepTheirOrder) {
  const std::unique_ptr<Compiler> jit = Compiler::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  for (const char* second : {"c1.x, c0.x, r1.y, #8", "c1.x, c0.x, r1.y, #12", "c1.x, r0.w, r1.y, #8"})
    for (const char* op : {"add", "smax", "xor"}) {
      const Programs p =
          compiled(*jit, around(std::string("atom.buffer.add.i32 -, c1.x, c0.x, r1.x, #8\natom.buffer.") + op +
                                    ".i32 -, " + second + "\n",
                                false, true));
      ASSERT_TRUE(p.native);
      changesAtOnce(p);
    }
}

TEST(DelayedAtomics, AreNotWhatOthersMayWaitFor) {
  const std::unique_ptr<Compiler> jit = Compiler::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  const std::string add = "atom.buffer.add.i32 -, c1.x, c0.x, r1.x, #8\n";
  const std::string programs[] = {
      "atom.buffer.add.i32 r3.x, c1.x, c0.x, r1.x, #8\nst.buffer.i32 c1.z, r0.x, r3.x, #0\n",  // its result is wanted
      add + "ld.buffer.i32 r3.x, c1.x, c0.x, #8\nst.buffer.i32 c1.z, r0.x, r3.x, #0\n",        // it is read later
      add + "st.buffer.i32 c1.z, r0.x, r1.x, #0\n",  // something is stored later
      add + "membar\n",
      "block\nloop\nld.buffer.i32 r1.x, c1.y, r0.x, #0\n" + add +
          "brc c0.y, #0\nendloop\nendblock\n",                                            // in a later round
      "atom.buffer.load.i32 r3.x, c1.y, c0.x, -, #8\niadd.i32 r1.x, r1.x, r3.x\n" + add,  // it may wait itself
      add + "atom.buffer.add.i64 -, c1.x, c0.x, r1.x, #8\n",                              // they may overlap
      add + "atom.buffer.smax.i32 -, c1.x, r0.x, r1.x, #8\n",  // another operation, perhaps there
      "atom.buffer.xchg.i32 -, c1.x, c0.x, r1.x, #8\n",
  };
  for (const std::string& body : programs) {
    const Programs p = compiled(*jit, around(body, false, true));
    ASSERT_TRUE(p.native) << body;
    EXPECT_TRUE(changesAtOnce(p)) << body;
  }
}

}  // namespace
}  // namespace etzel::native
