// Where the records of vertices end: programs out of pipeline caches index them as they like, and records of vertices
// are as long as the shaders of a draw mention, which is less than the most that there may be. Interpreted, as quick
// code and by LLVM nothing behind a record is read or written, neither the next vertex's nor what lies behind the last
// one.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "compiler/compiler.h"
#include "compiler/exec/test/machine_codes.h"
#include "compiler/isa/assemble.h"

namespace etzel::tiers {
namespace {

constexpr uint32_t kStride = 20, kVertices = 3;  // words; vertices of a patch, in and out
constexpr uint32_t kRead = 1000, kKept = 5000;   // what input records hold, and output records before the program runs

/// What a patch's program leaves behind, and reads from.
struct Patch {
  // Behind the last record as much as a record may have.
  std::vector<uint32_t> in = std::vector<uint32_t>((kVertices - 1) * kStride + abi::kRecordWords);
  std::vector<uint32_t> out = in;
  std::vector<uint32_t> patch = std::vector<uint32_t>(kWarpLanes * abi::kRecordWords);  ///< one for each lane
};

/// Control programs with this body; r0.x is the lane's number, c0 is (0, 1, 2, 7).
std::shared_ptr<abi::Kernel> control(const std::string& body) {
  auto program = isa::assemble(".stage control\n.temps 16\n.const 0 1 2 7\nsys r0.x, #" +
                               std::to_string(static_cast<uint32_t>(abi::SysValue::LaneId)) + "\n" + body + "ret\n");
  EXPECT_TRUE(program.ok()) << program.error().message;
  if (!program.ok()) return nullptr;
  program->info.outputVertices = kVertices;
  auto kernel = compiler::makeKernel(std::move(*program));
  EXPECT_TRUE(kernel.ok()) << kernel.error().message;
  return kernel.ok() ? *kernel : nullptr;
}

Patch run(const abi::Kernel& k, const abi::Executable& executable) {
  Patch p;
  for (uint32_t i = 0; i < p.in.size(); ++i) p.in[i] = kRead + i, p.out[i] = kKept + i;
  alignas(64) LaneWords sys[abi::kSysValueCount] = {}, out[abi::kRecordWords] = {};
  std::vector<LaneWords> registers(k.registerWords + 1), state(k.stateBytes / sizeof(LaneWords) + 1), scratch(1);
  for (uint32_t l = 0; l < kWarpLanes; ++l) sys[static_cast<uint32_t>(abi::SysValue::LaneId)][l] = l;
  abi::DispatchContext context;
  abi::Warp warp;
  warp.context = &context, warp.kernel = &k, warp.executable = &executable, warp.active = kAllLanes;
  warp.sys = sys, warp.out = out, warp.registers = registers.data(), warp.executorState = state.data();
  warp.scratch = reinterpret_cast<std::byte*>(scratch.data());
  warp.inRecordStride = warp.outRecordStride = kStride, warp.inRecordCount = kVertices;
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    warp.inRecords[l] = p.in.data(), warp.outRecords[l] = p.out.data();
    warp.patchRecord[l] = p.patch.data() + l * abi::kRecordWords;
  }
  EXPECT_EQ(executable.entry(executable.code, &warp), abi::WarpStatus::Done);
  return p;
}

/// Runs a body in every executor, and shows what came of it to `check`.
template <class Check>
void everywhere(const std::string& body, Check&& check) {
  const auto kernel = control(body);
  ASSERT_TRUE(kernel);
  {
    SCOPED_TRACE("interpreted: " + body);
    check(run(*kernel, *kernel->executable.load()));
  }
  for (const auto& [name, code] : exec::test::machineCodes(compiler::programOf(*kernel))) {
    SCOPED_TRACE(name + (": " + body));
    check(run(*kernel, *code->executable()));
  }
}

/// Words that lanes 0 to 7 begin with: four inside of the record and four behind it, all behind it, the last there may
/// be.
constexpr uint32_t kFirst[] = {kStride - 4, kStride, abi::kRecordWords - 12};

/// `lane`'s word is `first` + `lane`, of the vertex that c0's component names.
std::string access(const char* instruction, char vertex, const char* data, uint32_t first) {
  return std::string(instruction) + "c0." + vertex + ", r0.x" + data + ", #" + std::to_string(first) + "\n";
}

TEST(RecordEnds, NothingBehindThemIsRead) {
  for (const uint32_t first : kFirst)
    for (const bool own : {false, true})
      for (uint32_t vertex = 0; vertex < kVertices; ++vertex) {
        const std::string load = own ? "ld.outrec.i32.x4 r4.x, " : "ld.inrec.i32.x4 r4.x, ";
        const std::string body = access(load.c_str(), "xyz"[vertex], "", first) + "st.patch.i32.x4 -, c0.x, r4.x, #0\n";
        everywhere(body, [&](const Patch& p) {
          for (uint32_t lane = 0; lane < kWarpLanes; ++lane)
            for (uint32_t i = 0; i < 4; ++i) {
              const uint32_t word = first + lane + i, held = (own ? kKept : kRead) + vertex * kStride + word;
              EXPECT_EQ(p.patch[lane * abi::kRecordWords + i], word < kStride ? held : 0) << lane << ", " << i;
            }
        });
      }
}

/// What `out` is when all words of one vertex from `first` to `last` become their number, as far as they are the
/// record's.
std::vector<uint32_t> stored(uint32_t vertex, uint32_t first, uint32_t last, uint32_t value) {
  std::vector<uint32_t> out(Patch().out.size());
  for (uint32_t i = 0; i < out.size(); ++i) out[i] = kKept + i;
  for (uint32_t word = first; word < std::min(last, kStride); ++word) out[vertex * kStride + word] = value;
  return out;
}

TEST(RecordEnds, NothingBehindThemIsWritten) {
  for (const uint32_t first : kFirst)
    for (uint32_t vertex = 0; vertex < kVertices; ++vertex) {
      // Lanes in order, so where they collide the highest wins: all write the same.
      everywhere(access("st.outrec.i32 ", "xyz"[vertex], ", c0.w", first),
                 [&](const Patch& p) { EXPECT_EQ(p.out, stored(vertex, first, first + kWarpLanes, 7)); });
      const std::string four = "xmov.m r4.x, c0.w\nxmov.m r4.y, c0.w\nxmov.m r4.z, c0.w\nxmov.m r4.w, c0.w\n";
      everywhere(four + access("st.outrec.i32.x4 ", "xyz"[vertex], ", r4.x", first),
                 [&](const Patch& p) { EXPECT_EQ(p.out, stored(vertex, first, first + kWarpLanes + 3, 7)); });
    }
}

TEST(RecordEnds, NothingBehindThemIsChangedAtOnce) {
  for (const uint32_t first : kFirst)
    for (uint32_t vertex = 0; vertex < kVertices; ++vertex)
      everywhere(access("atom.outrec.xchg.i32 r4.x, ", "xyz"[vertex], ", c0.w", first),
                 [&](const Patch& p) { EXPECT_EQ(p.out, stored(vertex, first, first + kWarpLanes, 7)); });
}

}  // namespace
}  // namespace etzel::tiers
