#include "limits.h"

#include <immintrin.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

#include "harness/clock.h"

namespace vkbench {
namespace {

// Keeps a value alive without storing it.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

__attribute__((target("avx2"))) void readBytes(const char* p, size_t bytes) {
  __m256i s[8] = {};
  for (size_t i = 0; i + 256 <= bytes; i += 256)
    for (int k = 0; k < 8; ++k)
      s[k] = _mm256_xor_si256(s[k], _mm256_load_si256(reinterpret_cast<const __m256i*>(p + i + 32 * k)));
  keep(s);
}

__attribute__((target("avx2"))) void writeBytes(char* p, size_t bytes, bool stream) {
  const __m256i v = _mm256_set1_epi32(0x01020304);
  for (size_t i = 0; i + 32 <= bytes; i += 32) {
    auto* q = reinterpret_cast<__m256i*>(p + i);
    stream ? _mm256_stream_si256(q, v) : _mm256_store_si256(q, v);
  }
  _mm_sfence();
  keep(p);
}

__attribute__((target("avx2"))) void copyBytes(char* to, const char* from, size_t bytes, bool stream) {
  for (size_t i = 0; i + 32 <= bytes; i += 32) {
    const __m256i v = _mm256_load_si256(reinterpret_cast<const __m256i*>(from + i));
    auto* q = reinterpret_cast<__m256i*>(to + i);
    stream ? _mm256_stream_si256(q, v) : _mm256_store_si256(q, v);
  }
  _mm_sfence();
  keep(to);
}

// Twelve independent chains hide the latency of a multiply-add on two ports. They have names of their own because the
// elements of an array would be stored and loaded after every step, and begin with different numbers because equal ones
// would be computed once.
__attribute__((target("avx2,fma"))) void fma256(long rounds) {
  const __m256 by = _mm256_set1_ps(0.999f), add = _mm256_set1_ps(0.001f);
  __m256 a = _mm256_set1_ps(0), b = _mm256_set1_ps(1), c = _mm256_set1_ps(2), d = _mm256_set1_ps(3),
         e = _mm256_set1_ps(4), f = _mm256_set1_ps(5), g = _mm256_set1_ps(6), h = _mm256_set1_ps(7),
         i = _mm256_set1_ps(8), j = _mm256_set1_ps(9), k = _mm256_set1_ps(10), l = _mm256_set1_ps(11);
  for (long round = 0; round < rounds; ++round) {
    a = _mm256_fmadd_ps(a, by, add);
    b = _mm256_fmadd_ps(b, by, add);
    c = _mm256_fmadd_ps(c, by, add);
    d = _mm256_fmadd_ps(d, by, add);
    e = _mm256_fmadd_ps(e, by, add);
    f = _mm256_fmadd_ps(f, by, add);
    g = _mm256_fmadd_ps(g, by, add);
    h = _mm256_fmadd_ps(h, by, add);
    i = _mm256_fmadd_ps(i, by, add);
    j = _mm256_fmadd_ps(j, by, add);
    k = _mm256_fmadd_ps(k, by, add);
    l = _mm256_fmadd_ps(l, by, add);
  }
  a = _mm256_add_ps(a, b);
  a = _mm256_add_ps(a, c);
  a = _mm256_add_ps(a, d);
  a = _mm256_add_ps(a, e);
  a = _mm256_add_ps(a, f);
  a = _mm256_add_ps(a, g);
  a = _mm256_add_ps(a, h);
  a = _mm256_add_ps(a, i);
  a = _mm256_add_ps(a, j);
  a = _mm256_add_ps(a, k);
  a = _mm256_add_ps(a, l);
  keep(a);
}

__attribute__((target("avx512f"))) void fma512(long rounds) {
  const __m512 by = _mm512_set1_ps(0.999f), add = _mm512_set1_ps(0.001f);
  __m512 a = _mm512_set1_ps(0), b = _mm512_set1_ps(1), c = _mm512_set1_ps(2), d = _mm512_set1_ps(3),
         e = _mm512_set1_ps(4), f = _mm512_set1_ps(5), g = _mm512_set1_ps(6), h = _mm512_set1_ps(7),
         i = _mm512_set1_ps(8), j = _mm512_set1_ps(9), k = _mm512_set1_ps(10), l = _mm512_set1_ps(11);
  for (long round = 0; round < rounds; ++round) {
    a = _mm512_fmadd_ps(a, by, add);
    b = _mm512_fmadd_ps(b, by, add);
    c = _mm512_fmadd_ps(c, by, add);
    d = _mm512_fmadd_ps(d, by, add);
    e = _mm512_fmadd_ps(e, by, add);
    f = _mm512_fmadd_ps(f, by, add);
    g = _mm512_fmadd_ps(g, by, add);
    h = _mm512_fmadd_ps(h, by, add);
    i = _mm512_fmadd_ps(i, by, add);
    j = _mm512_fmadd_ps(j, by, add);
    k = _mm512_fmadd_ps(k, by, add);
    l = _mm512_fmadd_ps(l, by, add);
  }
  a = _mm512_add_ps(a, b);
  a = _mm512_add_ps(a, c);
  a = _mm512_add_ps(a, d);
  a = _mm512_add_ps(a, e);
  a = _mm512_add_ps(a, f);
  a = _mm512_add_ps(a, g);
  a = _mm512_add_ps(a, h);
  a = _mm512_add_ps(a, i);
  a = _mm512_add_ps(a, j);
  a = _mm512_add_ps(a, k);
  a = _mm512_add_ps(a, l);
  keep(a);
}

constexpr size_t kBig = 256u << 20, kSmall = 8u << 20;

struct Arrays {
  Arrays() : from(static_cast<char*>(aligned_alloc(4096, kBig))), to(static_cast<char*>(aligned_alloc(4096, kBig))) {
    std::memset(from, 1, kBig);
    std::memset(to, 2, kBig);
  }
  ~Arrays() {
    free(from);
    free(to);
  }
  char *from, *to;
};

/// The best rate of a few rounds in which every thread does its part of `work` at once.
template <class F>
double rate(unsigned threads, double work, int rounds, F part) {
  double best = 1e30, start = 0;
  std::barrier gate(threads);
  std::vector<std::thread> pool;
  for (unsigned t = 0; t < threads; ++t)
    pool.emplace_back([&, t] {
      for (int r = 0; r < rounds; ++r) {
        gate.arrive_and_wait();
        if (t == 0) start = now();
        part(t);
        gate.arrive_and_wait();
        if (t == 0) best = std::min(best, now() - start);
      }
    });
  for (std::thread& t : pool) t.join();
  return work / best / 1e9;
}

Limits::Set measure(unsigned n, const Arrays& a) {
  Limits::Set s;
  const auto both = [&](size_t bytes, int rounds, int repeat, auto f) {
    const size_t part = bytes / n / 4096 * 4096;
    double best = 0;
    for (const bool stream : {false, true})
      best = std::max(best, rate(n, double(part) * n * repeat, rounds, [&](unsigned t) {
                        for (int i = 0; i < repeat; ++i) f(t * part, part, stream);
                      }));
    return best;
  };
  const auto read = [&](size_t at, size_t bytes, bool) { readBytes(a.from + at, bytes); };
  const auto write = [&](size_t at, size_t bytes, bool stream) { writeBytes(a.to + at, bytes, stream); };
  const auto copy = [&](size_t at, size_t bytes, bool stream) { copyBytes(a.to + at, a.from + at, bytes, stream); };
  s.read = both(kBig, 3, 1, read);
  s.write = both(kBig, 3, 1, write);
  s.copy = both(kBig, 3, 1, copy);
  s.cacheRead = both(kSmall, 5, 8, read);
  s.cacheWrite = both(kSmall, 5, 8, write);
  s.cacheCopy = both(kSmall, 5, 8, copy);
  constexpr long kRounds = 2000000;
  s.fma256 = rate(n, double(kRounds) * 12 * 16 * n, 5, [](unsigned) { fma256(kRounds); });
  s.fma = s.fma256;
  if (__builtin_cpu_supports("avx512f"))
    s.fma = std::max(s.fma, rate(n, double(kRounds) * 12 * 32 * n, 5, [](unsigned) { fma512(kRounds); }));
  return s;
}

}  // namespace

double Limits::of(const Scenario& scenario) const {
  if (scenario.perUnit <= 0) return 0;
  switch (scenario.bound) {
    case Bound::None: return 0;
    case Bound::Read: return all.read / scenario.perUnit;
    case Bound::Write: return all.write / scenario.perUnit;
    case Bound::Copy: return all.copy / scenario.perUnit;
    case Bound::CacheWrite: return all.cacheWrite / scenario.perUnit;
    case Bound::CacheCopy: return all.cacheCopy / scenario.perUnit;
    case Bound::Fma: return all.fma / scenario.perUnit;
  }
  return 0;
}

Limits measureLimits() {
  Limits l;
  l.threads = std::max(1u, std::thread::hardware_concurrency());
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line) && l.cpu.empty();)
    if (line.starts_with("model name")) l.cpu = line.substr(line.find(':') + 2);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    l.features = __builtin_cpu_supports("avx512f") ? "AVX2, AVX-512" : "AVX2";
    const Arrays arrays;
    l.one = measure(1, arrays);
    l.all = measure(l.threads, arrays);
  }
  return l;
}

}  // namespace vkbench
