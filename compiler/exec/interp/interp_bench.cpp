// What one instruction costs in the interpreter: straight arithmetic, a divergent loop, buffer access.
#include <benchmark/benchmark.h>

#include "compiler/exec/interp/interp.h"
#include "compiler/isa/builder.h"
#include "compiler/opt/pipeline.h"
#include "compiler/regalloc/regalloc.h"

namespace etzel::interp {
namespace {

using isa::Opcode;
using isa::Operand;
using isa::Type;

struct Runner {
  isa::Program program;
  isa::Builder b{program};
  std::vector<LaneWords> in{abi::kAttributeWords}, out{abi::kRecordWords}, registers, sys{abi::kSysValueCount};
  std::vector<uint32_t> buffer = std::vector<uint32_t>(1024);
  Runner() {
    program.info.stage = abi::Stage::Vertex;
    program.resources.push_back({0, 0, 0, 32, 1});
    for (uint32_t l = 0; l < kWarpLanes; ++l) in[0].lane[l] = l;
  }
  void run(benchmark::State& state) {
    const size_t before = program.code.size();
    if (!opt::optimize(program).ok() || !regalloc::allocate(program).ok())
      return state.SkipWithError("allocation failed");
    auto code = decode(program);
    if (!code.ok()) return state.SkipWithError("decode failed");
    registers.resize(program.tempWords + 1);
    static const std::byte zeros[abi::kNullBytes] = {};
    abi::BufferDescriptor descriptor{reinterpret_cast<uint64_t>(buffer.data()), buffer.size() * 4, {}};
    abi::DispatchContext context;
    context.table[0] = reinterpret_cast<const std::byte*>(&descriptor), context.tableBytes[0] = sizeof descriptor;
    context.pushConstants = zeros;
    for (auto _ : state) {
      abi::Warp warp;
      warp.context = &context, warp.active = kAllLanes;
      warp.in = in.data(), warp.out = out.data(), warp.registers = registers.data(), warp.sys = sys.data();
      benchmark::DoNotOptimize(interp::run(code->get(), &warp));
    }
    state.counters["insts"] = static_cast<double>(program.code.size());
    state.counters["before"] = static_cast<double>(before);
  }
};

void BM_Empty(benchmark::State& state) {
  Runner r;
  r.run(state);
}
void BM_Arithmetic1000(benchmark::State& state) {
  Runner r;
  std::vector<Operand> v;
  for (uint32_t i = 0; i < 8; ++i) v.push_back(r.b.convert(Opcode::CvtSF, Type::F32, Type::I32, {isa::Bank::In, i}));
  for (uint32_t i = 0; i < 1000; ++i)
    v.push_back(
        r.b.value(i % 2 ? Opcode::FMul : Opcode::FAdd, Type::F32, v[v.size() - 1 - i % 3], v[v.size() - 4 - i % 5]));
  r.b.moveMasked({isa::Bank::Out, 0}, v.back());
  r.run(state);
}
void BM_DivergentLoop1000(benchmark::State& state) {
  Runner r;
  const Operand i = r.program.newTemp(), x = r.program.newTemp();
  r.b.move(i, r.b.imm(0)), r.b.move(x, r.b.imm(1.0f));
  const Operand bound = r.b.value(Opcode::IAdd, Type::I32, {isa::Bank::In, 0}, r.b.imm(993));
  r.b.blockBegin();
  r.b.loopBegin();
  r.b.brIf(r.b.icmp(isa::CmpI::UGe, Type::I32, i, bound), 0);
  r.b.moveMasked(x, r.b.value(Opcode::FMul, Type::F32, x, r.b.imm(0.999f)));
  r.b.moveMasked(i, r.b.value(Opcode::IAdd, Type::I32, i, r.b.imm(1)));
  r.b.loopEnd();
  r.b.blockEnd();
  r.b.moveMasked({isa::Bank::Out, 0}, x);
  r.run(state);
}
void BM_BufferLoads100(benchmark::State& state) {
  Runner r;
  const bool scattered = state.range(0);
  Operand sum = r.b.imm(0);
  const Operand handle = r.b.descriptor(0);
  const Operand offset = r.b.value(Opcode::IMul, Type::I32, {isa::Bank::In, 0}, r.b.imm(scattered ? 20 : 4));
  for (uint32_t i = 0; i < 100; ++i)
    sum = r.b.value(Opcode::IAdd, Type::I32, sum,
                    r.b.load(isa::Space::Buffer, Type::I32, handle, state.range(0) == 2 ? Operand{} : offset, 4 * i));
  r.b.moveMasked({isa::Bank::Out, 0}, sum);
  r.run(state);
}

BENCHMARK(BM_Empty);
BENCHMARK(BM_Arithmetic1000);
BENCHMARK(BM_DivergentLoop1000);
BENCHMARK(BM_BufferLoads100)->Arg(0)->Arg(1)->Arg(2);

}  // namespace
}  // namespace etzel::interp
