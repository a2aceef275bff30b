// From SPIR-V to numbers: what compiled kernels reach per second, and what compiling costs. Everything goes the way a
// dispatch of an application goes: compileKernel, native code, task::dispatch. Set ETZEL_BENCH_LISTING to a kernel's
// name to read its code.
#include <benchmark/benchmark.h>
#include <immintrin.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "compiler/compiler.h"
#include "compiler/exec/native/native.h"
#include "compiler/exec/quick/quick.h"
#include "compiler/isa/builder.h"
#include "compiler/isa/disassemble.h"
#include "dot_rows.comp.h"
#include "fma_chains.comp.h"
#include "iterate.comp.h"
#include "matvec_batches.comp.h"
#include "matvec_f16.comp.h"
#include "matvec_q4_0.comp.h"
#include "matvec_q8_0.comp.h"
#include "mixed_100.comp.h"
#include "reduce.comp.h"
#include "runtime/task/dispatch.h"
#include "runtime/tex/unit/texture_unit.h"
#include "sgemm.comp.h"
#include "uniform_chain.comp.h"
#include "varying_chain.comp.h"

namespace etzel::native {
namespace {

enum class Executor { Interpreter, Quick, Optimized };

Compiler& theCompiler() {
  static Compiler& jit = *Compiler::create().release();
  return jit;
}

double cpuSeconds(int who = RUSAGE_SELF) {
  rusage usage;
  getrusage(who, &usage);
  return double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

/// A kernel with up to three storage buffers and push constants, ready to dispatch.
struct Setup {
  std::shared_ptr<abi::Kernel> kernel;
  std::shared_ptr<exec::MachineCode> native;
  std::vector<float> buffers[3];
  abi::BufferDescriptor descriptors[3] = {};
  alignas(64) std::byte push[256] = {};
  std::byte zeros[abi::kNullBytes] = {};
  abi::DispatchContext context;

  template <size_t N>
  Setup(const char* name, const uint32_t (&words)[N], Executor executor, std::initializer_list<size_t> sizes,
        uint32_t specialization = 0) {
    compiler::ShaderSource source;
    source.spirv = words;
    if (specialization) {
      source.specialization[0].resize(4);
      std::memcpy(source.specialization[0].data(), &specialization, 4);
    }
    for (uint32_t i = 0; i < 3; ++i) source.bindings[{0, i}] = {0, 32 * i};
    auto made = compiler::compileKernel(source);
    if (!made.ok()) std::fprintf(stderr, "%s: %s\n", name, made.error().message.c_str()), std::abort();
    kernel = *made;
    const isa::Program& program = compiler::programOf(*kernel);
    const char* wanted = std::getenv("ETZEL_BENCH_LISTING");
    if (wanted && std::strcmp(wanted, name) == 0)
      std::printf("%s\n%s\n", isa::disassemble(program).c_str(), (*theCompiler().listing(program)).c_str());
    if (executor != Executor::Interpreter) {
      auto code = executor == Executor::Quick ? quick::make(program) : theCompiler().compile(program);
      if (!code.ok()) std::fprintf(stderr, "%s: %s\n", name, code.error().message.c_str()), std::abort();
      native = *code;
      kernel->executable.store(native->executable());
    }
    uint32_t i = 0;
    for (size_t n : sizes) {
      buffers[i].resize(n);
      for (size_t k = 0; k < n; ++k) buffers[i][k] = float(k % 61) * 0.125f;
      descriptors[i] = {reinterpret_cast<uint64_t>(buffers[i].data()), n * 4, {}};
      ++i;
    }
    context.table[0] = reinterpret_cast<const std::byte*>(descriptors);
    context.tableBytes[0] = sizeof descriptors;
    context.table[abi::kNullTable] = zeros;
    context.tableBytes[abi::kNullTable] = 32;
    context.pushConstants = push;
    context.functions = &tex::functionTable();
  }
  template <class T>
  void set(size_t at, T value) {
    std::memcpy(push + at, &value, sizeof value);
  }
  void dispatch(task::Pool& pool, uint32_t x, uint32_t y = 1) {
    task::dispatch(pool, *kernel, context, {{0, 0, 0}, {x, y, 1}});
  }
};

task::Pool& poolOf(uint32_t threads) {
  static task::Pool* pools[3] = {};
  if (!pools[threads]) pools[threads] = new task::Pool(threads);
  return *pools[threads];
}

/// Adds a rate per second of CPU time of all threads, times the threads: what an idle machine would give.
void setRate(benchmark::State& state, const char* name, double count, double cpu, uint32_t threads = 1) {
  state.counters[name] = count / cpu * threads;
}

// --- Arithmetic

[[gnu::target("avx2,fma")]] void peak256(float* out, int rounds) {
  __m256 v[12];
  for (int i = 0; i < 12; ++i) v[i] = _mm256_set1_ps(float(i));
  const __m256 m = _mm256_set1_ps(0.5f), a = _mm256_set1_ps(1.0f);
  for (int r = 0; r < rounds; ++r) {
#pragma GCC unroll 12
    for (int i = 0; i < 12; ++i) v[i] = _mm256_fmadd_ps(v[i], m, a);
  }
  for (int i = 1; i < 12; ++i) v[0] = _mm256_add_ps(v[0], v[i]);
  _mm256_storeu_ps(out, v[0]);
}

void BM_PeakOfTheMachine256(benchmark::State& state) {
  float out[8];
  const double before = cpuSeconds();
  for (auto _ : state) {
    peak256(out, 100000);
    benchmark::DoNotOptimize(out);
  }
  setRate(state, "GFLOPS", double(state.iterations()) * 100000 * 12 * 8 * 2 * 1e-9, cpuSeconds() - before);
}
BENCHMARK(BM_PeakOfTheMachine256);

void BM_MultiplyAddChains(benchmark::State& state) {
  Setup s("fma_chains", fma_chains_comp, static_cast<Executor>(state.range(0)), {65536});
  const uint32_t rounds = 2000;
  s.set(0, rounds), s.set(4, 0.5f), s.set(8, 1.0f);
  const double before = cpuSeconds();
  for (auto _ : state) s.dispatch(poolOf(1), 16);
  setRate(state, "GFLOPS", double(state.iterations()) * rounds * 16 * 2 * 64 * 16 * 1e-9, cpuSeconds() - before);
}
BENCHMARK(BM_MultiplyAddChains)->Arg(0)->Arg(1)->Arg(2);

void BM_Mixed100(benchmark::State& state) {
  Setup s("mixed_100", mixed_100_comp, static_cast<Executor>(state.range(0)), {4 * 65536});
  const double before = cpuSeconds();
  for (auto _ : state) s.dispatch(poolOf(1), 1024);
  setRate(state, "Minvocations", double(state.iterations()) * 65536 * 1e-6, cpuSeconds() - before);
}
BENCHMARK(BM_Mixed100)->Arg(0)->Arg(1)->Arg(2);

// --- Uniform work

void BM_UniformChain(benchmark::State& state) {
  Setup s("uniform_chain", uniform_chain_comp, Executor::Optimized, {1024});
  s.set(0, 1000u);
  const double before = cpuSeconds();
  for (auto _ : state) s.dispatch(poolOf(1), 64);
  setRate(state, "Mrounds", double(state.iterations()) * 64 * 1000 * 1e-6, cpuSeconds() - before);
}
BENCHMARK(BM_UniformChain);
void BM_VaryingChain(benchmark::State& state) {
  Setup s("varying_chain", varying_chain_comp, Executor::Optimized, {1024});
  s.set(0, 1000u);
  const double before = cpuSeconds();
  for (auto _ : state) s.dispatch(poolOf(1), 64);
  setRate(state, "Mrounds", double(state.iterations()) * 64 * 1000 * 1e-6, cpuSeconds() - before);
}
BENCHMARK(BM_VaryingChain);

/// Two matrices of n by n, in workgroups of 16 by 16.
template <size_t N>
void multiplyMatrices(benchmark::State& state, const char* name, const uint32_t (&words)[N], uint32_t n,
                      uint32_t threads) {
  Setup s(name, words, Executor::Optimized, {n * n, n * n, n * n});
  s.set(0, n);
  const double before = cpuSeconds();
  for (auto _ : state) s.dispatch(poolOf(threads), n / 16, n / 16);
  setRate(state, "GFLOPS", double(state.iterations()) * 2.0 * n * n * n * 1e-9, cpuSeconds() - before, threads);
}

// --- Loops whose rounds wait for one another: warps side by side (analysis/strands.h)

void BM_DotRows256(benchmark::State& state) { multiplyMatrices(state, "dot_rows", dot_rows_comp, 256, 1); }
BENCHMARK(BM_DotRows256);

void BM_Iterate(benchmark::State& state) {
  const uint32_t width = 512, rounds = 200;
  Setup s("iterate", iterate_comp, Executor::Optimized, {width * width});
  s.set(0, rounds), s.set(4, 2.0f / float(width)), s.set(8, width);
  const double before = cpuSeconds();
  for (auto _ : state) s.dispatch(poolOf(1), width / 16, width / 16);
  setRate(state, "Minvocations", double(state.iterations()) * width * width * 1e-6, cpuSeconds() - before);
}
BENCHMARK(BM_Iterate);

// --- Shared memory and barriers

void BM_Reduce(benchmark::State& state) {
  const uint32_t count = static_cast<uint32_t>(state.range(0)), groups = (1u << 20) / (256 * count);
  Setup s("reduce", reduce_comp, Executor::Optimized, {1 << 20, groups}, count);
  const double before = cpuSeconds();
  for (auto _ : state) s.dispatch(poolOf(2), groups);
  setRate(state, "Melements", double(state.iterations()) * (1 << 20) * 1e-6, cpuSeconds() - before, 2);
}
BENCHMARK(BM_Reduce)->Arg(1)->Arg(4)->Arg(16)->UseRealTime();

void BM_Sgemm512(benchmark::State& state) { multiplyMatrices(state, "sgemm", sgemm_comp, 512, 2); }
BENCHMARK(BM_Sgemm512)->UseRealTime();

// --- Matrices of halves and of quantized blocks times a vector: loads of lanes that lie in blocks (emit_rows.cpp)

template <size_t N>
void multiplyVector(benchmark::State& state, const char* name, const uint32_t (&words)[N], size_t bytesOfRow) {
  const uint32_t rows = 512, columns = 4096;
  Setup s(name, words, Executor::Optimized, {rows * bytesOfRow / 4, columns, rows});
  s.set(0, columns), s.set(4, 1u), s.set(8, rows * columns), s.set(12, columns);
  const double before = cpuSeconds();
  for (auto _ : state) s.dispatch(poolOf(1), rows / 2);
  setRate(state, "GB", double(state.iterations()) * double(rows * bytesOfRow) * 1e-9, cpuSeconds() - before);
}
void BM_MatVecF16(benchmark::State& state) { multiplyVector(state, "matvec_f16", matvec_f16_comp, 4096 * 2); }
BENCHMARK(BM_MatVecF16);
void BM_MatVecQ8(benchmark::State& state) { multiplyVector(state, "matvec_q8_0", matvec_q8_0_comp, 128 * 34); }
BENCHMARK(BM_MatVecQ8);
void BM_MatVecBatches(benchmark::State& state) {
  multiplyVector(state, "matvec_batches", matvec_batches_comp, 128 * 34);
}
BENCHMARK(BM_MatVecBatches);
void BM_MatVecQ4(benchmark::State& state) { multiplyVector(state, "matvec_q4_0", matvec_q4_0_comp, 128 * 18); }
BENCHMARK(BM_MatVecQ4);

// --- Compile time

/// Arithmetic, a few branches and loads: about `size` instructions.
isa::Program largeProgram(uint32_t size) {
  isa::Program program;
  program.info.stage = abi::Stage::Vertex;
  program.resources.push_back({0, 0, abi::makeHandle(0, 0), 32, 1});
  program.constants.push_back({0x3F800000, 0x40000000, 3, 0xFFC});
  isa::Builder b(program);
  std::mt19937 random(1);
  const isa::Operand handle = b.descriptor(0);
  std::vector<isa::Operand> values;
  for (uint32_t i = 0; i < 16; ++i) {
    values.push_back(program.newTemp());
    b.move(values.back(), {isa::Bank::In, i});
  }
  const auto any = [&] { return values[random() % values.size()]; };
  using isa::Opcode;
  static constexpr Opcode floats[] = {Opcode::FAdd, Opcode::FSub, Opcode::FMul,
                                      Opcode::FMin, Opcode::FMax, Opcode::FFma};
  static constexpr Opcode integers[] = {Opcode::IAdd, Opcode::Xor, Opcode::And, Opcode::IMul};
  while (program.code.size() < size) {
    const isa::Operand to = any();
    switch (random() % 24) {
      case 0:
        b.ifBegin(b.fcmp(isa::CmpF::OLt, isa::Type::F32, any(), any()));
        b.moveMasked(any(), any());
        b.ifEnd();
        break;
      case 1: {
        const isa::Operand at = b.value(Opcode::And, isa::Type::I32, any(), {isa::Bank::Param, 3});
        b.moveMasked(to, b.load(isa::Space::Buffer, isa::Type::I32, handle, at));
        break;
      }
      case 2: b.into(to, Opcode::FSqrt, isa::Type::F32, any()); break;
      case 3:
      case 4:
      case 5:
      case 6: b.into(to, integers[random() % 4], isa::Type::I32, any(), any()); break;
      default: b.into(to, floats[random() % 6], isa::Type::F32, any(), any(), any());
    }
    if (isa::srcWords(program.code.back(), 2) == 0) program.code.back().src[2] = {};
    if (isa::srcWords(program.code.back(), 1) == 0) program.code.back().src[1] = {};
  }
  for (uint32_t i = 0; i < 16; ++i) b.moveMasked({isa::Bank::Out, i}, values[i]);
  return program;
}

Result<std::shared_ptr<exec::MachineCode>> compile(const isa::Program& program, bool quick) {
  return quick ? quick::make(program) : theCompiler().compile(program);
}

void BM_Compile1000(benchmark::State& state) {
  auto kernel = compiler::makeKernel(largeProgram(1000));
  if (!kernel.ok()) return state.SkipWithError(kernel.error().message.c_str());
  const bool quick = state.range(0) == 0;
  const char* wanted = std::getenv("ETZEL_BENCH_LISTING");
  if (wanted && std::strcmp(wanted, "compile_1000") == 0)
    std::printf("%s\n", (*theCompiler().listing(compiler::programOf(**kernel))).c_str());
  theCompiler();
  const double before = cpuSeconds(RUSAGE_THREAD);
  for (auto _ : state) benchmark::DoNotOptimize(compile(compiler::programOf(**kernel), quick));
  state.counters["ms"] = (cpuSeconds(RUSAGE_THREAD) - before) * 1e3 / double(state.iterations());
}
BENCHMARK(BM_Compile1000)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

template <size_t N>
void compileShader(benchmark::State& state, const char* name, const uint32_t (&words)[N]) {
  Setup s(name, words, Executor::Interpreter, {});
  const bool quick = state.range(0) == 0;
  theCompiler();
  const double before = cpuSeconds(RUSAGE_THREAD);
  for (auto _ : state) benchmark::DoNotOptimize(compile(compiler::programOf(*s.kernel), quick));
  state.counters["ms"] = (cpuSeconds(RUSAGE_THREAD) - before) * 1e3 / double(state.iterations());
  state.counters["instructions"] = double(compiler::programOf(*s.kernel).code.size());
}
void BM_CompileMixed100(benchmark::State& state) { compileShader(state, "mixed_100", mixed_100_comp); }
BENCHMARK(BM_CompileMixed100)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
void BM_CompileSgemm(benchmark::State& state) { compileShader(state, "sgemm", sgemm_comp); }
BENCHMARK(BM_CompileSgemm)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace etzel::native
