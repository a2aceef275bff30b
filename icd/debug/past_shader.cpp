#include "icd/debug/past_shader.h"

#include <chrono>

#include "icd/debug/json.h"
#include "icd/debug/session_past.h"

namespace etzel::icd {
namespace {

/// How often who sleeps tells the watchdog that all is well.
constexpr std::chrono::milliseconds kNap(100);

thread_local std::optional<SteppedFragment> ended;

}  // namespace

void noteEndOfStep(const SteppedFragment& fragment) { ended = fragment; }
bool takeEndOfStep(const SteppedFragment& fragment) { return std::exchange(ended, std::nullopt) == fragment; }

PastShader showPastShader(const std::string& event, std::atomic<uint32_t>* progress) {
  return Session::get().showPast(event, progress);
}

PastShader Session::showPast(const std::string& event, std::atomic<uint32_t>* progress, const Reason* why) {
  Past past;
  std::unique_lock lock(mutex_);
  const auto nap = [&] {
    changed_.wait_for(lock, kNap);
    if (progress) progress->store(1, std::memory_order_relaxed);
  };
  while (turns_.count(progress) && attached_.load()) nap();
  if (!attached_.load()) return PastShader::On;
  turns_[progress] = nullptr;
  const uint32_t id = nextStop_;
  nextStop_ = nextStop_ % kMostStops + 1;
  pasts_[id] = &past;
  lock.unlock();
  JsonObject told;
  told.text("event", "past").number("stop", id).raw("history", event);
  if (why) {
    JsonArray ids;
    for (const uint32_t rule : why->rules) ids.add(std::to_string(rule));
    told.text("reason", why->name).text("text", why->text).raw("breakpoints", ids.done());
  }
  wire_.send(told.done());
  lock.lock();
  while (!past.goes && attached_.load()) nap();
  pasts_.erase(id);
  turns_.erase(progress);
  changed_.notify_all();
  lock.unlock();
  wire_.send(JsonObject().text("event", "left").number("stop", id).done());
  return past.goes.value_or(PastShader::On);
}

bool Session::answerPast(const WireRequest& r, uint32_t number) {
  const auto past = pasts_.find(number);
  if (past == pasts_.end() || r.verb != "continue") return false;
  past->second->goes = r.words.size() > 1 && r.words[1] == "resolve" ? PastShader::ToResolve : PastShader::On;
  changed_.notify_all();
  if (r.id) wire_.answer(r.id, "{}");
  return true;
}

void Session::resumePasts() {
  for (const auto& [id, past] : pasts_) past->goes = PastShader::On;
}

}  // namespace etzel::icd
