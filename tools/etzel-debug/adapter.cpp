// The adapter's two ends: the editor's messages, the program's life. What requests mean is in requests.cpp.
#include "adapter.h"

#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

namespace etzel_debug {
namespace {

/// How often is looked whether a program that was started listens, or has ended.
constexpr int kTickMs = 20;
/// What a program has left to end of itself.
constexpr int kGraceTicks = 100;

}  // namespace

Adapter::Adapter(int in, int out, bool apart)
    : stream_(in, out), engine_([this](const Json& e) { driverSays(e); }), settings_(Json::object()), apart_(apart) {}

Adapter::~Adapter() {
  engine_.close();
  if (!folder_.empty()) {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
}

void Adapter::run() {
  while (!goodbye_) {
    pollfd fds[4] = {{stream_.in(), POLLIN, 0}, {-1, POLLIN, 0}, {-1, POLLIN, 0}, {-1, POLLIN, 0}};
    if (engine_.connected()) fds[1].fd = engine_.descriptor();
    for (size_t i = 0; i < 2; ++i) fds[2 + i].fd = target_.output(i);
    if (poll(fds, 4, target_.running() || connecting_ ? kTickMs : -1) < 0) continue;
    if (fds[0].revents) {
      if (!stream_.fill()) break;
      Json message;
      for (auto next = stream_.next(message); next != DapStream::Next::Nothing; next = stream_.next(message)) {
        if (next == DapStream::Next::Message)
          receive(message);
        else
          refuse(Json::object(), "this is no message of the protocol");
        if (goodbye_) break;
      }
    }
    for (size_t i = 0; i < 2; ++i)
      if (fds[2 + i].revents && target_.output(i) >= 0)
        if (const std::string text = target_.read(i); !text.empty()) output(i ? "stderr" : "stdout", text);
    if (fds[1].revents && engine_.connected() && !engine_.receive()) {
      engine_.close();
      stops_.clear(), pasts_.clear(), pixels_.clear();
      if (!target_.running()) over();
    }
    lookAtTarget();
  }
  // The editor is gone: a program that it had started goes as well, one that it had attached to lives on.
  engine_.close();
  if (!launched_ || !target_.running()) return;
  target_.signal(SIGTERM);
  for (int tick = 0; tick < kGraceTicks && !target_.ended(); ++tick) usleep(kTickMs * 1000);
  target_.kill();
}

void Adapter::lookAtTarget() {
  if (connecting_ && engine_.connect(address_)) {
    connecting_ = false;
    connected();
  }
  if (!target_.running()) return;
  const auto status = target_.ended();
  if (!status) return;
  for (size_t i = 0; i < 2; ++i)
    while (target_.output(i) >= 0)
      if (const std::string text = target_.read(i); !text.empty()) output(i ? "stderr" : "stdout", text);
  connecting_ = false;
  // What the driver said last, before the process ended.
  while (engine_.connected() && engine_.receive()) continue;
  engine_.close();
  stops_.clear(), pasts_.clear(), pixels_.clear();
  event("exited", {{"exitCode", *status}});
  over();
}

void Adapter::over() {
  if (over_) return;
  over_ = true;
  event("terminated");
}

void Adapter::receive(const Json& message) {
  try {
    handle(message);
  } catch (const std::exception& e) {
    refuse(message, std::string("the request's arguments are not as the protocol has them: ") + e.what());
  }
}

void Adapter::handle(const Json& message) {
  if (message.value("type", "") != "request") return;  // responses are to what was never asked
  const std::string command = message.value("command", "");
  const auto verb = verbs().find(command);
  if (verb == verbs().end()) return refuse(message, "'" + command + "' is not supported");
  if (verb->second.needs != Needs::Nothing && !initialized_) return refuse(message, "initialize comes first");
  if (verb->second.needs == Needs::Program && !engine_.connected()) return refuse(message, "no program is attached");
  const Json arguments = message.value("arguments", Json::object());
  if (!arguments.is_object()) return refuse(message, "arguments are no object");
  if (handlePast(message, arguments)) return;
  (this->*verb->second.handler)(message, arguments);
}

void Adapter::respond(const Json& request, Json body) {
  stream_.write({{"seq", sequence_++},
                 {"type", "response"},
                 {"request_seq", request.value("seq", int64_t{0})},
                 {"command", request.value("command", "")},
                 {"success", true},
                 {"body", std::move(body)}});
}

void Adapter::refuse(const Json& request, const std::string& why) {
  // Whatever the request is, its number and name are told back if they are such.
  const auto seq = request.find("seq");
  const auto command = request.find("command");
  stream_.write({{"seq", sequence_++},
                 {"type", "response"},
                 {"request_seq", seq != request.end() && seq->is_number_integer() ? *seq : Json(0)},
                 {"command", command != request.end() && command->is_string() ? *command : Json("")},
                 {"success", false},
                 {"message", why},
                 {"body", {{"error", {{"id", 1}, {"format", why}, {"showUser", false}}}}}});
}

void Adapter::event(const std::string& name, Json body) {
  stream_.write({{"seq", sequence_++}, {"type", "event"}, {"event", name}, {"body", std::move(body)}});
}

void Adapter::output(const std::string& category, const std::string& text) {
  event("output", {{"category", category}, {"output", text}});
}

void Adapter::relay(const Json& request, const std::string& verb, const std::vector<std::string>& words,
                    std::function<Json(const Json&)> body) {
  const auto seq = request.value("seq", int64_t{0});
  pending_.insert(seq);
  engine_.ask(verb, words, [this, request, seq, body = std::move(body)](const Json& answer, const std::string& error) {
    if (!pending_.erase(seq)) return;  // it was cancelled
    if (!error.empty()) return refuse(request, error);
    try {
      respond(request, body(answer));
    } catch (const Json::exception& e) {
      refuse(request, std::string("the driver's answer is not understood: ") + e.what());
    }
  });
}

void Adapter::cancel(const Json& request, const Json& arguments) {
  const auto seq = arguments.value("requestId", int64_t{0});
  if (pending_.erase(seq)) refuse({{"seq", seq}}, "cancelled");
  respond(request);
}

void Adapter::driverSays(const Json& e) {
  try {
    hear(e);
  } catch (const Json::exception& why) {
    output("important", std::string("the driver said what is not understood: ") + why.what() + "\n");
  }
}

void Adapter::hear(const Json& e) {
  const std::string name = e.value("event", "");
  if (name == "output") {
    output("console", e.value("text", "") + "\n");
  } else if (name == "stopped") {
    stopped(e);
  } else if (name == "past") {
    past(e);
  } else if (name == "left") {
    stops_.erase(e.value("stop", uint64_t{0}));
    pasts_.erase(e.value("stop", uint64_t{0})), pixels_.erase(e.value("stop", uint64_t{0}));
  } else if (name == "breakpoint") {
    Json rule = e.value("breakpoint", Json::object());
    const auto path = pathOf_.find(rule.value("id", uint64_t{0}));
    if (path != pathOf_.end() && rule.contains("name")) paths_[rule["name"]] = path->second;
    rule.erase("name");
    shiftLine(rule);
    event("breakpoint", {{"reason", "changed"}, {"breakpoint", rule}});
  } else if (name == "module") {
    const Json m = e.value("module", Json::object());
    event("module", {{"reason", "new"}, {"module", moduleOf(m)}});
    uint64_t index = 0;
    for (const Json& file : m.value("files", Json::array())) {
      const std::string file_name = file.value("name", "");
      if (files_.try_emplace(file_name, m.value("id", uint64_t{0}), index).second)
        event("loadedSource",
              {{"reason", "new"},
               {"source", sourceOf(file_name, m.value("id", uint64_t{0}), index, file.value("embedded", false))}});
      ++index;
    }
  }
}

void Adapter::stopped(const Json& e) {
  const uint64_t thread = e.value("thread", uint64_t{0});
  stops_[e.value("stop", uint64_t{0})] = e;
  lastThread_ = thread;
  Json body = {{"reason", e.value("reason", "")}, {"threadId", thread}};
  if (const std::string text = e.value("text", ""); !text.empty()) body["text"] = body["description"] = text;
  if (const Json ids = e.value("breakpoints", Json::array()); !ids.empty()) body["hitBreakpointIds"] = ids;
  tellStop(std::move(body));
}

// Threads are listed only while they are stopped, so all that an editor knows of are. One that is told less takes the
// rest of the group for running, and lets nobody look at them.
void Adapter::tellStop(Json body) {
  body["allThreadsStopped"] = true;
  event("stopped", std::move(body));
}

}  // namespace etzel_debug
