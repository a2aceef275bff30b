// The invocations of what is stopped: lists of threads, whole or in pages, and going from one to another.
#include "adapter.h"

namespace etzel_debug {
namespace {

/// The thread that stands for the program while nothing is stopped.
constexpr uint64_t kProgram = 1;

}  // namespace

/// Of a group that has more threads than are listed: as many, those beside the one that has stopped.
Json Adapter::listed(const Json& stop) const {
  const Json& all = stop.at("threads");
  if (!listed_ || all.size() <= listed_) return all;
  const uint64_t focus = firstThreadOf(stop.at("stop").get<uint64_t>());
  uint64_t at = 0;
  while (at + 1 < all.size() && all[at].at("id") != focus) ++at;
  // Whole pages, so that the list stays the same while somebody steps.
  const uint64_t page = all[at].at("id") == focus ? at / listed_ * listed_ : 0;
  const uint64_t first = std::min<uint64_t>(page, all.size() - listed_);
  Json some = Json::array();
  for (uint64_t i = first; i < first + listed_; ++i) some.push_back(all[i]);
  return some;
}

// The protocol knows no pages of threads: `start` and `count` are ours, named as they are where it has pages.
void Adapter::threads(const Json& request, const Json& arguments) {
  const Json program = {{{"id", kProgram}, {"name", "the program"}}};
  if (!engine_.connected()) return respond(request, {{"threads", program}, {"totalThreads", 1}});
  const bool paged = arguments.contains("start") || arguments.contains("count");
  const auto number = [&](const char* name) {
    return std::min<uint64_t>(arguments.value(name, uint64_t{0}), UINT32_MAX);
  };
  const uint64_t start = number("start"), count = number("count");
  Json all = Json::array();
  uint64_t behind = 0;  // of those that come first: events behind shaders, a thread each
  for (const auto& [stop, past] : pasts_)
    if (behind++ >= start && (!count || all.size() < count))
      all.push_back({{"id", stop << kThreadBits}, {"name", past.title}});
  const bool full = count && all.size() == count;
  std::vector<std::string> words;
  if (paged) words = {std::to_string(start - std::min(start, behind)), std::to_string(full ? 1 : count - all.size())};
  if (paged && !count) words[1] = "0";
  relay(request, "threads", words, [this, program, paged, full, behind, all](const Json& answer) {
    Json listing = all;
    uint64_t total = behind;
    for (const Json& stop : answer) {
      total += stop.at("total").get<uint64_t>();
      if (full) continue;
      for (const Json& thread : paged ? stop.at("threads") : listed(stop)) listing.push_back(thread);
    }
    if (!total) return Json{{"threads", program}, {"totalThreads", 1}};
    return Json{{"threads", listing}, {"totalThreads", total}};
  });
}

uint64_t Adapter::threadNamed(const std::string& number, uint64_t other) {
  const uint64_t n = std::strtoull(number.c_str(), nullptr, 10);
  return n >> kThreadBits ? n : n | other >> kThreadBits << kThreadBits;
}

/// "$thread 517" in the console: editors look at that invocation from here on, whether they list it or not.
bool Adapter::evaluateThread(const Json& request, const Json& arguments, const std::string& expression) {
  constexpr std::string_view kName = "$thread ";
  const size_t digits = expression.find_first_not_of(' ', kName.size());
  if (arguments.value("context", "") != "repl" || !expression.starts_with(kName) || digits == std::string::npos ||
      expression.find_first_not_of("0123456789", digits) != std::string::npos)
    return false;
  const uint64_t thread = threadNamed(expression.substr(digits), frameOf(arguments).first);
  const auto seq = request.value("seq", int64_t{0});
  pending_.insert(seq);
  engine_.ask("stack", {std::to_string(thread)}, [this, request, seq, thread](const Json&, const std::string& error) {
    if (!pending_.erase(seq)) return;
    if (!error.empty()) return refuse(request, error);
    respond(request, {{"result", "thread " + std::to_string(thread)}, {"variablesReference", 0}});
    lastThread_ = thread;
    if (const auto stop = stops_.find(thread >> kThreadBits); stop != stops_.end()) stop->second["thread"] = thread;
    tellStop({{"reason", "goto"}, {"description", "another invocation"}, {"threadId", thread}});
  });
  return true;
}

}  // namespace etzel_debug
