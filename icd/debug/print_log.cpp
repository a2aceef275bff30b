#include "icd/debug/print_log.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdio>
#include <tuple>

#include "compiler/isa/info.h"
#include "icd/debug/debugger.h"
#include "icd/debug/print_text.h"
#include "icd/object/report.h"
#include "runtime/base/debug_flags.h"

namespace etzel::icd {
namespace {

/// Where an invocation stands among those of its stage and draw.
std::pair<uint64_t, uint64_t> orderOf(const InvocationPlace& p, const abi::Warp& warp, uint32_t lane) {
  const auto pair = [](uint32_t high, uint32_t low) { return uint64_t{high} << 32 | low; };
  switch (p.stage) {
    case abi::Stage::Fragment: return {pair(p.view, p.layer), pair(p.at[1], p.at[0])};
    case abi::Stage::Compute: return {pair(p.at[2], p.at[1]), pair(p.at[0], p.at[3])};
    case abi::Stage::TessControl: return {uint64_t{p.view} << 58 | warp.order, p.at[1]};
    default: return {uint64_t{p.view} << 58 | warp.order, lane};
  }
}

}  // namespace

bool printing() {
  // Once and for all: what was numbered for somebody is not looked at again when they are gone.
  static std::atomic<bool> ever{false};
  if (ever.load(std::memory_order_relaxed)) return true;
  if (!debug(DebugFlag::Printf) && !debugging() && !anybodyWantsInformation()) return false;
  ever.store(true, std::memory_order_relaxed);
  return true;
}

bool PrintLog::isBefore(const Record& a, const Record& b) {
  const auto key = [](const Record& r) {
    return std::tuple(r.draw, r.who.stage, r.place[0], r.place[1], r.time, r.lane);
  };
  return key(a) < key(b);
}

bool PrintLog::isSamePlace(const Record& a, const Record& b) {
  return a.draw == b.draw && a.who.stage == b.who.stage && a.place[0] == b.place[0] && a.place[1] == b.place[1];
}

void PrintLog::add(uint32_t draw, const abi::Warp& warp, const abi::PrintFormat& format, uint32_t first, LaneMask lanes,
                   std::span<const LaneWords> words) {
  std::lock_guard lock(mutex_);
  ++time_;
  for (LaneMask left = lanes; left; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    Record r;
    r.draw = draw, r.time = time_, r.lane = static_cast<uint8_t>(lane);
    r.format = &format, r.first = static_cast<uint16_t>(first);
    r.who = placeOf(warp.kernel->info.stage, warp, lane);
    std::tie(r.place[0], r.place[1]) = orderOf(r.who, warp, lane);
    r.count = static_cast<uint8_t>(std::min<size_t>(words.size(), kPieceWords));
    for (uint32_t w = 0; w < r.count; ++w) r.words[w] = words[w].lane[lane];
    records_.push_back(r);
  }
  if (records_.size() >= 2 * kMessages) dropLast();
}

/// Those that stay are the same whichever came first.
void PrintLog::dropLast() {
  const auto end = records_.begin() + kMessages;
  std::nth_element(records_.begin(), end, records_.end(), isBefore);
  dropped_ += static_cast<uint64_t>(std::count_if(end, records_.end(), [](const Record& r) { return r.first == 0; }));
  records_.resize(kMessages);
}

std::vector<std::string> PrintLog::take() {
  std::lock_guard lock(mutex_);
  if (records_.size() > kMessages) dropLast();
  std::sort(records_.begin(), records_.end(), isBefore);
  struct Message {
    const Record* start;
    std::vector<uint32_t> words;
  };
  std::vector<Message> messages;
  size_t open[kWarpLanes] = {};  ///< the message of a lane that further pieces belong to, counted from 1
  for (size_t i = 0; i < records_.size(); ++i) {
    const Record& r = records_[i];
    if (i && !isSamePlace(r, records_[i - 1])) std::fill(std::begin(open), std::end(open), 0);
    if (r.first == 0) messages.push_back({&r, {}}), open[r.lane] = messages.size();
    if (!open[r.lane]) continue;
    auto& words = messages[open[r.lane] - 1].words;
    words.insert(words.end(), r.words, r.words + r.count);
  }
  std::vector<std::string> texts;
  for (const Message& m : messages) {
    if (m.words.size() < m.start->format->words()) {  // its end was dropped
      ++dropped_;
      continue;
    }
    const InvocationPlace& who = m.start->who;
    std::string text = (who.stage == abi::Stage::Compute ? "dispatch " : "draw ") + std::to_string(m.start->draw) +
                       ", " + isa::stageName(who.stage) + " shader, " + nameOf(who) + ": " +
                       printText(*m.start->format, m.words);
    while (text.ends_with('\n')) text.pop_back();
    texts.push_back(std::move(text));
  }
  if (dropped_)
    texts.push_back(std::to_string(dropped_) + " further messages of shaders were dropped: there is room for " +
                    std::to_string(kMessages) + " of 8 words in a pass or dispatch");
  records_.clear();
  dropped_ = 0;
  return texts;
}

void PrintLog::flush() {
  if (records_.empty()) return;
  for (const std::string& text : take()) {
    if (debug(DebugFlag::Printf)) std::fprintf(stderr, "etzel: %s\n", text.c_str());
    if (debugging()) tellDebugger(text);
    reportToMessengers(LogLevel::Info, text.c_str(), "DebugPrintf");
  }
}

}  // namespace etzel::icd
