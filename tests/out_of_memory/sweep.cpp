#include "tests/out_of_memory/sweep.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "tests/out_of_memory/origin.h"

namespace oom {
namespace {

const char* textOf(Fault fault) {
  switch (fault) {
    case Fault::Once: return "once";
    case Fault::FromThenOn: return "from then on";
    case Fault::CallbackOnce: return "callback, once";
    case Fault::CallbackFromThenOn: return "callback, from then on";
    case Fault::AddressSpace: return "address space";
    default: return "no failure";
  }
}

bool isOutOfMemory(VkResult r) { return r == VK_ERROR_OUT_OF_HOST_MEMORY || r == VK_ERROR_OUT_OF_DEVICE_MEMORY; }

/// Whether all went well in a trial without failures.
bool isFine(const Report& r) {
  return r.done && !r.prepared && !r.result && !r.reopened && !r.probe && !r.again && !r.callbacksHeld;
}

std::string textOf(const Report& r) {
  const auto number = [](const char* name, VkResult result) { return name + std::to_string(result); };
  return number("prepared ", r.prepared) + number(", result ", r.result) + number(", reopened ", r.reopened) +
         number(", probe ", r.probe) + number(", again ", r.again);
}

/// Room that the process still gets, in even ratios: a thread's stack is 8 MiB, its arena of memory 128.
std::vector<uint64_t> roomsToTry() {
  std::vector<uint64_t> all;
  for (double bytes = 64 << 10; bytes < 1.5 * (1 << 30); bytes *= 1.25) all.push_back(uint64_t(bytes));
  return all;
}

}  // namespace

void Counts::add(const Counts& o) {
  points += o.points, outOfMemory += o.outOfMemory, lost += o.lost, unharmed += o.unharmed;
  died += o.died, hung += o.hung, wrong += o.wrong, leaked += o.leaked;
}

Sweep::Sweep(const Options& options) : options_(options), slots_(std::max(1u, options.jobs)) {
  for (Slot& s : slots_)
    s.report =
        static_cast<Report*>(mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
}

bool Sweep::run(const Entry& entry, Counts& counts) {
  Reference own;
  if (!entry.warm) return refer(entry, Fault::None, own) && runAll(entry, std::move(own), counts);
  char folder[] = "/tmp/etzel-oom-XXXXXX";
  if (!mkdtemp(folder)) return false;
  size_t cold = 0;
  bool fine = fill(entry, folder, cold);
  filled_ = folder;
  fine = fine && refer(entry, Fault::None, own);
  if (fine && own.points.size() * 2 > cold) {
    std::fprintf(stderr, "%s: %zu requests, %zu with nothing on disk: it does not come from there\n",
                 entry.name.c_str(), own.points.size(), cold);
    fine = false;
  }
  fine = fine && runAll(entry, std::move(own), counts);
  filled_.clear();
  std::filesystem::remove_all(folder);
  return fine;
}

bool Sweep::fill(const Entry& entry, const std::string& folder, size_t& requests) {
  Slot& s = slots_[0];
  s.trial = {&entry};
  s.trial.fills = folder;
  waitpid(start(s.trial, *s.report), nullptr, 0);
  const Report& r = *s.report;
  requests = size_t(std::count(r.own, r.own + std::min<uint64_t>(r.requests, Report::kMaxRequests), true));
  if (!isFine(r)) std::fprintf(stderr, "%s: fails while its cache is filled\n", entry.name.c_str());
  return isFine(r);
}

bool Sweep::runAll(const Entry& entry, Reference own, Counts& counts) {
  Reference callbacks;
  if (!refer(entry, Fault::NoCallbackFault, callbacks)) return false;
  for (Fault fault : {Fault::Once, Fault::FromThenOn}) tryAll(entry, fault, own, counts);
  own.points = roomsToTry();
  tryAll(entry, Fault::AddressSpace, own, counts);
  for (Fault fault : {Fault::CallbackOnce, Fault::CallbackFromThenOn}) tryAll(entry, fault, callbacks, counts);
  return true;
}

bool Sweep::refer(const Entry& entry, Fault fault, Reference& reference) {
  // Some rounds: what threads hold in the end differs a little.
  for (int round = 0; round < 3; ++round) {
    Slot& s = slots_[0];
    s.trial = {&entry, fault};
    s.trial.filled = filled_;
    const pid_t child = start(s.trial, *s.report);
    int status = 0;
    waitpid(child, &status, 0);
    const Report& r = *s.report;
    if (!isFine(r)) {
      std::fprintf(stderr, "%s: fails with all memory: status %#x, %s\n", entry.name.c_str(), unsigned(status),
                   textOf(r).c_str());
      return false;
    }
    size_t bytes = 0;
    for (size_t i = 0; i < r.sizeCount; ++i) {
      bytes += r.sizes[i] * size_t(r.counts[i]);
      int64_t& most = reference.held[r.sizes[i]];
      most = std::max(most, r.counts[i]);
    }
    reference.bytes = round ? std::min(reference.bytes, bytes) : bytes;
    reference.descriptors = std::max(reference.descriptors, r.descriptors);
    reference.threads = std::max(reference.threads, r.threads);
    reference.points.clear();
    for (uint64_t n = 0; n < std::min<uint64_t>(r.requests, Report::kMaxRequests); ++n)
      if (fault == Fault::NoCallbackFault || r.own[n]) reference.points.push_back(n);
  }
  return true;
}

void Sweep::tryAll(const Entry& entry, Fault fault, const Reference& reference, Counts& counts) {
  std::vector<uint64_t> points = reference.points;
  if (options_.points && points.size() > options_.points) {
    std::vector<uint64_t> some;
    for (uint64_t i = 0; i < options_.points; ++i) some.push_back(points[i * points.size() / options_.points]);
    points = std::move(some);
  }
  if (options_.at >= 0) points = {uint64_t(options_.at)};
  for (uint64_t n : points) {
    Slot& s = freeSlot(reference, counts);
    s.trial = {&entry, fault, n};
    s.trial.place = unsigned(&s - slots_.data());
    s.trial.filled = filled_;
    s.child = start(s.trial, *s.report);
  }
  while (std::any_of(slots_.begin(), slots_.end(), [](const Slot& s) { return s.child != 0; }))
    waitForOne(reference, counts);
}

Sweep::Slot& Sweep::freeSlot(const Reference& reference, Counts& counts) {
  for (;;) {
    for (Slot& s : slots_)
      if (!s.child) return s;
    waitForOne(reference, counts);
  }
}

void Sweep::waitForOne(const Reference& reference, Counts& counts) {
  int status = 0;
  const pid_t child = wait(&status);
  for (Slot& s : slots_)
    if (s.child == child) {
      s.child = 0;
      judge(s, status, reference, counts);
    }
}

void Sweep::judge(Slot& s, int status, const Reference& reference, Counts& counts) {
  const Report& r = *s.report;
  // Threads may ask for less than another time.
  const bool reached = !r.done || r.refused || s.trial.fault == Fault::AddressSpace;
  counts.points += reached;
  if (!r.done) {
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    ++(signal == SIGALRM ? counts.hung : counts.died);
    complain(s, signal == SIGALRM ? "hangs"
                : signal          ? "dies of signal " + std::to_string(signal)
                                  : "exits with " + std::to_string(WEXITSTATUS(status)));
    return;
  }
  // libxcb gives a connection up when it gets no memory itself: then the surface is lost with it.
  const bool lost = r.result == VK_ERROR_DEVICE_LOST ||
                    (r.result == VK_ERROR_SURFACE_LOST_KHR && s.trial.fault == Fault::AddressSpace);
  counts.outOfMemory += isOutOfMemory(r.result);
  counts.lost += lost;
  counts.unharmed += reached && r.result == VK_SUCCESS;
  const bool known = isOutOfMemory(r.result) || lost || r.result == VK_SUCCESS;
  if (!known || r.prepared || r.reopened || r.probe || r.again) {
    ++counts.wrong;
    complain(s, textOf(r));
    return;
  }
  judgeLeaks(s, reference, counts);
}

void Sweep::judgeLeaks(Slot& s, const Reference& reference, Counts& counts) {
  const Report& r = *s.report;
  std::string text;
  size_t leaked = 0, bytes = 0;
  for (size_t i = 0; i < r.sizeCount; ++i) {
    bytes += r.sizes[i] * size_t(r.counts[i]);
    const auto it = reference.held.find(r.sizes[i]);
    const int64_t extra = r.counts[i] - (it == reference.held.end() ? 0 : it->second);
    if (extra <= 0) continue;
    leaked = r.sizes[i];
    text += " " + std::to_string(extra) + "x" + std::to_string(r.sizes[i]);
  }
  // A kernel that could not be optimized is kept as quick code: other pieces than those of the reference, but fewer.
  if (bytes < reference.bytes) text.clear();
  if (r.callbacksHeld) text += " " + std::to_string(r.callbacksHeld) + " of the callbacks'";
  if (r.descriptors > reference.descriptors) text += " a file descriptor";
  if (r.threads > reference.threads) text += " a thread";
  if (text.empty()) return;
  ++counts.leaked;
  complain(s, "leaks" + text);
  if (!options_.explain || !leaked) return;
  Trial again = s.trial;
  again.explained = leaked;
  int status = 0;
  waitpid(start(again, *s.report), &status, 0);
}

void Sweep::complain(const Slot& s, const std::string& what) {
  std::string place;
  for (int i = 0, shown = 0; i < int(Report::kMaxFrames) && s.report->refusedAt[i] && shown < 7; ++i)
    if (originOf(s.report->refusedAt[i]) != Origin::Outside)
      ++shown, place += "    " + nameOf(s.report->refusedAt[i]) + "\n";
  std::fprintf(stderr, "%s, %s %llu: %s\n", s.trial.entry->name.c_str(), textOf(s.trial.fault),
               static_cast<unsigned long long>(s.trial.at), what.c_str());
  if (seen_.insert(place + what).second) std::fputs(place.c_str(), stderr);
}

}  // namespace oom
