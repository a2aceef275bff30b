// Targets: the instruction sets that hot files are compiled for, and how the rest of the program speaks of them.
//
// A file named *_simd.cpp is compiled once per target (cmake/etzel_targets.cmake). Everything in it and in the headers
// that only such files include lives in `namespace etzel::<folder>::ETZEL_TARGET`, so that each compilation has names
// of its own. To the others it shows a few functions or tables, which they choose among once:
//
//   ETZEL_PER_TARGET(extern const RowLanes kRowLanes;)                  // in the header of the interface
//   const RowLanes& rowLanes() { static const RowLanes& best = ETZEL_CHOOSE(kRowLanes); return best; }
//
// All targets give the same bytes. Such files have no static initializers: those would run on every machine.
#pragma once

// A kind of host has a list of targets, the baseline first; cmake/etzel_targets.cmake has their compilers' options.
#ifdef __aarch64__

/// The target of this compilation: neon (every AArch64).
#ifndef ETZEL_TARGET
#define ETZEL_TARGET neon
#endif
#define ETZEL_BASELINE neon
#define ETZEL_TARGETS(DO) DO(neon)
#define ETZEL_PER_TARGET(...) \
  namespace neon {            \
  __VA_ARGS__                 \
  }
#define ETZEL_CHOOSE(name) neon::name

#else

/// The target of this compilation: x86_64_v1 (every x86-64), x86_64_v3 (AVX2, FMA, F16C, BMI2: the psABI's level 3).
#ifndef ETZEL_TARGET
#define ETZEL_TARGET x86_64_v1
#endif
/// The target that every host of this kind runs.
#define ETZEL_BASELINE x86_64_v1
/// Every target of this kind of host, the baseline first.
#define ETZEL_TARGETS(DO) DO(x86_64_v1) DO(x86_64_v3)

/// Declares the same in the namespace of each target.
#define ETZEL_PER_TARGET(...) \
  namespace x86_64_v1 {       \
  __VA_ARGS__                 \
  }                           \
  namespace x86_64_v3 {       \
  __VA_ARGS__                 \
  }

/// The variant of a function or table, declared by ETZEL_PER_TARGET, that this host runs best (simd::target()).
#define ETZEL_CHOOSE(name) ::etzel::simd::choose(x86_64_v1::name, x86_64_v3::name)

#endif

/// Inlined at every optimization level: vectors must not pass through calls, which know other registers per target.
#define ETZEL_INLINE inline __attribute__((always_inline))

/// For larger pieces of loops: inlined where speed counts; what few machines need stays small.
#if defined(__AVX2__) || defined(__aarch64__)
#define ETZEL_INLINE_LOOP ETZEL_INLINE
#else
#define ETZEL_INLINE_LOOP inline
#endif
