#include "compiler/debug/undo_log.h"

#include <algorithm>
#include <cstring>

namespace etzel::debugger {

void UndoLog::watch(uint32_t owner, std::span<std::byte> memory) {
  if (memory.empty()) return;
  if (regions_.size() <= owner) regions_.resize(owner + 1);
  regions_[owner].push_back({memory.data(), memory.size(), {memory.begin(), memory.end()}});
}

void UndoLog::add(std::byte* at, const std::byte* old, uint32_t bytes) {
  Entry& e = entries_.emplace_back();
  e.at = at, e.bytes = bytes;
  std::memcpy(e.old, old, bytes);
  ++open_;
}

void UndoLog::save(std::byte* at, uint32_t bytes) {
  for (uint32_t done = 0; done < bytes; done += kPiece) add(at + done, at + done, std::min(bytes - done, kPiece));
}

void UndoLog::end(uint32_t owner) {
  for (Region& r : regions_[owner])
    for (size_t i = 0; i < r.bytes; i += kPiece) {
      const uint32_t bytes = static_cast<uint32_t>(std::min<size_t>(kPiece, r.bytes - i));
      if (std::memcmp(r.at + i, &r.copy[i], bytes) == 0) continue;
      add(r.at + i, &r.copy[i], bytes);
      std::memcpy(&r.copy[i], r.at + i, bytes);
    }
  steps_.push_back({owner, open_});
  while (entries_.size() > maxEntries_ && steps_.size() > 1) {
    entries_.erase(entries_.begin(), entries_.begin() + steps_.front().entries);
    steps_.pop_front();
  }
}

void UndoLog::forget() {
  entries_.clear(), steps_.clear();
  open_ = 0;
}

uint32_t UndoLog::back() {
  const Step step = steps_.back();
  steps_.pop_back();
  for (uint32_t i = 0; i < step.entries; ++i) {
    const Entry& e = entries_.back();
    std::memcpy(e.at, e.old, e.bytes);
    entries_.pop_back();
  }
  refresh(step.owner);
  return step.owner;
}

void UndoLog::refresh(uint32_t owner) {
  for (Region& r : regions_[owner]) std::memcpy(r.copy.data(), r.at, r.bytes);
}

std::vector<std::byte> UndoLog::held(uint32_t owner) const {
  std::vector<std::byte> held;
  for (const Region& r : regions_[owner]) held.insert(held.end(), r.at, r.at + r.bytes);
  return held;
}

void UndoLog::hold(uint32_t owner, std::span<const std::byte> held) {
  for (const Region& r : regions_[owner]) {
    std::memcpy(r.at, held.data(), r.bytes);
    held = held.subspan(r.bytes);
  }
  refresh(owner);
}

void UndoLog::rewind(uint32_t owner) {
  for (const Region& r : regions_[owner]) std::memcpy(r.at, r.copy.data(), r.bytes);
}

}  // namespace etzel::debugger
