// What shaders print (debugPrintfEXT), while they run: kept, brought into an order that no thread and no tier has a say
// in, and told: to debug messengers that want information, to standard error with ETZEL_DEBUG=printf, and to a
// debugger.
//
// A message stands where its draw or dispatch, stage and invocation do: vertices, patches and primitives as the API
// orders them, fragments by view, layer and pixel (row by row), there as they are drawn, workgroups and invocations by
// their numbers. Memory is bounded: of more than kMessages the first in that order are kept, and the rest is counted.
#pragma once

#include "icd/debugger_built.h"
#ifndef ETZEL_DEBUGGER_BUILT
#include "icd/debug/absent.h"
#else

#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "icd/debug/filter.h"
#include "runtime/abi/print.h"

namespace etzel::icd {

/// Whether anybody would hear what shaders print, or could ever have heard it. Those that are compiled while nobody
/// would keep no trace of it.
bool printing();

/// Of one queue. add() on any thread, flush() while nothing runs.
class PrintLog {
 public:
  static constexpr size_t kMessages = 32 * 1024;  ///< pieces of 8 words, in fact

  /// See abi::FunctionTable::print. `format` lives until the next flush.
  void add(uint32_t draw, const abi::Warp& warp, const abi::PrintFormat& format, uint32_t first, LaneMask lanes,
           std::span<const LaneWords> words);

  /// Tells everybody, and forgets.
  void flush();

  /// The same for tests: the messages, in order.
  std::vector<std::string> take();

 private:
  static constexpr uint32_t kPieceWords = 8;
  struct Record {
    uint32_t draw = 0;
    uint64_t place[2] = {};  ///< orders invocations of a stage
    uint64_t time = 0;
    uint8_t lane = 0, count = 0;
    uint16_t first = 0;
    const abi::PrintFormat* format = nullptr;
    InvocationPlace who;
    uint32_t words[kPieceWords] = {};
  };
  static bool isBefore(const Record& a, const Record& b);
  static bool isSamePlace(const Record& a, const Record& b);
  void dropLast();

  std::mutex mutex_;
  std::vector<Record> records_;
  uint64_t time_ = 0, dropped_ = 0;
};

}  // namespace etzel::icd

#endif
