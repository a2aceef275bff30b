// What a debugger asks of the process as a whole: breakpoints, shaders, sources, threads.
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "compiler/isa/disassemble.h"
#include "icd/debug/json.h"
#include "icd/debug/session_stop.h"

namespace etzel::icd {
namespace {

Error wrong(std::string what) { return {ErrorCode::InvalidArgument, std::move(what)}; }

std::optional<uint32_t> numberOf(const std::string& word) {
  uint32_t value = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
  if (read.ec != std::errc() || read.ptr != word.data() + word.size()) return {};
  return value;
}

const char* nameOf(abi::Stage stage) {
  static constexpr const char* kNames[] = {
      "vertex", "tessellation control", "tessellation evaluation", "geometry", "fragment", "compute"};
  return kNames[static_cast<size_t>(stage)];
}

constexpr uint32_t kMostInstructions = 10000;

/// The first shader's place that the rule has one in.
Verified whereOf(const Rule& rule, const std::vector<DebugShader*>& shaders) {
  for (DebugShader* const s : shaders)
    if (Verified where = verify(rule, *s); where.anywhere) return where;
  return {};
}

}  // namespace

template <class F>
void Session::want(F&& change) {
  std::lock_guard lock(mutex_);
  auto next = std::make_unique<Wanted>(*wanted());
  change(*next);
  next->generation = kept_.size();
  wanted_.store(next.get(), std::memory_order_release);
  kept_.push_back(std::move(next));
  taken_.store(false);
}

void Session::detach() {
  attached_.store(false), pause_.store(false), entry_.store(false);
  stopHistory();
  want([](Wanted& w) { w = Wanted{}; });
  std::lock_guard lock(mutex_);
  mayGo_ = true;
  for (debugger::GroupRun* run : running_) run->interrupt();
  changed_.notify_all();
}

void Session::request(WireRequest r) {
  if (const auto verb = verbs_.find(r.verb); verb != verbs_.end()) {
    const Body body = (this->*verb->second)(r.words);
    return body ? wire_.answer(r.id, *body) : wire_.refuse(r.id, body.error().message);
  }
  if (r.verb == "go") return go(r);
  if (r.verb == "continue" && r.words.empty()) return resumeAll(r);
  // Everything else is about a stop: its number, or that of a thread or a reference of it.
  const uint32_t number = r.words.empty() ? 0 : numberOf(r.words[0]).value_or(0);
  const uint32_t bits = r.verb == "variables" ? kReferenceBits : r.verb == "continue" ? 0 : kThreadBits;
  std::lock_guard lock(mutex_);
  if (answerPast(r, number >> bits)) return;
  const auto stop = stops_.find(number >> bits);  // their numbers begin with 1
  if (stop == stops_.end()) return wire_.refuse(r.id, "nothing of that number is stopped, or no such request is known");
  stop->second->requests.push_back(std::move(r));
  changed_.notify_all();
}

// The answer goes first: a program that ends at once would take it along.
void Session::go(const WireRequest& r) {
  entry_.store(!r.words.empty() && r.words[0] == "entry");
  std::lock_guard lock(mutex_);
  wire_.answer(r.id, "{}");
  mayGo_ = true;
  changed_.notify_all();
}

void Session::resumeAll(const WireRequest& r) {
  std::lock_guard lock(mutex_);
  for (const auto& [id, stop] : stops_) {
    WireRequest one = r;
    one.id = 0;
    one.words = {std::to_string(id)};
    stop->requests.push_back(std::move(one));
  }
  resumePasts();
  wire_.answer(r.id, "{}");
  changed_.notify_all();
}

Session::Body Session::hello(const Words&) {
  std::lock_guard lock(mutex_);
  return JsonObject()
      .number("pid", static_cast<uint64_t>(getpid()))
      .number("version", 1)
      .truth("waits", !mayGo_)
      .done();
}

Session::Body Session::setFilter(const Words& words) {
  Filter filter;
  for (const std::string& word : words)
    if (!filter.add(word)) return wrong("'" + word + "' names no invocation");
  if (filter.maskChanges && !filter.pixel) return wrong("mask=changes is about a pixel, which is not named");
  want([&](Wanted& w) { w.filter = filter; });
  return std::string("{}");
}

std::string Session::describe(const Rule& rule, const Verified& where) {
  JsonObject out;
  out.number("id", rule.id).truth("verified", where.anywhere);
  if (where.line) out.number("line", where.line);
  if (!where.file.empty()) out.text("name", where.file);
  if (!where.anywhere) out.text("message", "no shader that has code there is known yet");
  return out.done();
}

Session::Body Session::setLines(const Words& words) {
  if (words.size() % 4 != 1) return wrong("lines: a source, then line, condition, hits and log of each");
  std::vector<Rule> rules;
  for (size_t i = 1; i < words.size(); i += 4) {
    const auto line = numberOf(words[i]);
    if (!line) return wrong("'" + words[i] + "' is no line");
    if (!isHitCondition(words[i + 2])) return wrong("'" + words[i + 2] + "' is no hit count");
    Rule rule;
    rule.source = words[0], rule.line = *line;
    rule.condition = words[i + 1], rule.hits = words[i + 2], rule.log = words[i + 3];
    rule.id = nextRule_++;
    rules.push_back(std::move(rule));
  }
  want([&](Wanted& w) {
    std::erase_if(w.rules, [&](const Rule& r) { return r.kind == Rule::Kind::Line && r.source == words[0]; });
    w.rules.insert(w.rules.end(), rules.begin(), rules.end());
  });
  JsonArray all;
  for (const Rule& rule : rules) all.add(describe(rule, whereOf(rule, shaders())));
  return all.done();
}

Session::Body Session::setFunctions(const Words& words) {
  if (words.size() % 3) return wrong("functions: name, condition and hits of each");
  std::vector<Rule> rules;
  JsonArray all;
  for (size_t i = 0; i < words.size(); i += 3) {
    if (!isHitCondition(words[i + 2])) return wrong("'" + words[i + 2] + "' is no hit count");
    Rule rule;
    rule.kind = Rule::Kind::Function, rule.source = words[i];
    rule.condition = words[i + 1], rule.hits = words[i + 2];
    rule.id = nextRule_++;
    all.add(describe(rule, whereOf(rule, shaders())));
    rules.push_back(std::move(rule));
  }
  want([&](Wanted& w) {
    std::erase_if(w.rules, [](const Rule& r) { return r.kind == Rule::Kind::Function; });
    w.rules.insert(w.rules.end(), rules.begin(), rules.end());
  });
  return all.done();
}

Session::Body Session::setInstructions(const Words& words) {
  if (words.size() % 4) return wrong("instructions: shader, index, condition and hits of each");
  std::vector<Rule> rules;
  JsonArray all;
  for (size_t i = 0; i < words.size(); i += 4) {
    if (!isHitCondition(words[i + 3])) return wrong("'" + words[i + 3] + "' is no hit count");
    DebugShader* const of = shader(words[i]);
    const auto index = numberOf(words[i + 1]);
    const auto what = of ? of->debuggable() : nullptr;
    Rule rule;
    rule.kind = Rule::Kind::Instruction;
    rule.id = nextRule_++;
    const bool known = what && index && *index < what->program->program.code.size();
    if (known) rule.shader = of->id(), rule.instruction = *index;
    rule.condition = words[i + 2], rule.hits = words[i + 3];
    all.add(describe(rule, {known, 0, {}}));
    if (known) rules.push_back(std::move(rule));
  }
  want([&](Wanted& w) {
    std::erase_if(w.rules, [](const Rule& r) { return r.kind == Rule::Kind::Instruction; });
    w.rules.insert(w.rules.end(), rules.begin(), rules.end());
  });
  return all.done();
}

Session::Body Session::setFaults(const Words& words) {
  uint32_t faults = 0;
  for (const std::string& word : words) {
    uint32_t bit = 0;
    for (uint32_t k = 0; k < static_cast<uint32_t>(debugger::FaultKind::kCount); ++k)
      if (word == debugger::nameOf(static_cast<debugger::FaultKind>(k)))
        bit = bitOf(static_cast<debugger::FaultKind>(k));
    if (!bit) return wrong("'" + word + "' is no kind of fault");
    faults |= bit;
  }
  want([&](Wanted& w) { w.faults = faults; });
  return std::string("{}");
}

Session::Body Session::setData(const Words& words) {
  if (words.size() % 3) return wrong("data: what is watched, condition and hits of each");
  std::vector<DataRule> data;
  JsonArray all;
  for (size_t i = 0; i < words.size(); i += 3) {
    if (!isHitCondition(words[i + 2])) return wrong("'" + words[i + 2] + "' is no hit count");
    DataRule d;
    d.what = words[i], d.memory = MemoryPlace::read(words[i]), d.pixel = PixelPlace::read(words[i]);
    d.rule.id = nextRule_++, d.rule.condition = words[i + 1], d.rule.hits = words[i + 2];
    std::string why;
    if (d.pixel && !d.rule.condition.empty())
      why = "there is no invocation behind it that a condition could be about";
    else if (d.pixel)
      why = recordFor(*d.pixel);
    JsonObject told;
    told.number("id", d.rule.id).truth("verified", why.empty());
    if (!why.empty()) told.text("message", why);
    all.add(told.done());
    if (why.empty()) data.push_back(std::move(d));
  }
  want([&](Wanted& w) { w.data = data; });
  return all.done();
}

Session::Body Session::pause(const Words&) {
  pause_.store(true);
  std::lock_guard lock(mutex_);
  for (debugger::GroupRun* run : running_) run->interrupt();
  return std::string("{}");
}

std::vector<DebugShader*> Session::shaders() {
  std::lock_guard lock(mutex_);
  return shaders_;
}

DebugShader* Session::shader(const std::string& number) {
  const auto id = numberOf(number);
  std::lock_guard lock(mutex_);
  return id && *id && *id <= shaders_.size() ? shaders_[*id - 1] : nullptr;
}

std::string Session::describeModule(DebugShader& s) {
  JsonArray files;
  for (const debugger::SourceFile& file : s.files())
    files.add(JsonObject().text("name", file.name).truth("embedded", !file.text.empty()).done());
  files.add(JsonObject().text("name", s.listingName()).truth("embedded", true).done());  // the last is the module's own
  return JsonObject()
      .number("id", s.id())
      .text("stage", nameOf(s.stage()))
      .text("entry", s.entryPoint())
      .number("words", s.words())
      .number("looked", s.warpsLookedAt.load(std::memory_order_relaxed))
      .raw("files", files.done())
      .done();
}

Session::Body Session::modules(const Words&) {
  JsonArray all;
  for (DebugShader* s : shaders()) all.add(describeModule(*s));
  return all.done();
}

Session::Body Session::source(const Words& words) {
  DebugShader* const of = words.size() == 2 ? shader(words[0]) : nullptr;
  const auto file = of ? numberOf(words[1]) : std::nullopt;
  if (!file || *file > of->files().size()) return wrong("there is no such source");
  if (*file == of->files().size()) return JsonObject().text("text", of->listing().text).done();
  return JsonObject().text("text", of->files()[*file].text).done();
}

Session::Body Session::places(const Words& words) {
  if (words.size() != 3) return wrong("places: a source, its first line and its last");
  const uint32_t first = numberOf(words[1]).value_or(0), last = numberOf(words[2]).value_or(0);
  std::map<uint32_t, bool> lines;
  for (DebugShader* s : shaders()) {
    const auto& files = s->files();
    if (isSameSource(words[0], s->listingName()))
      for (const auto& [line, code] : s->listingCode())
        if (line >= first && line <= last) lines[line] = true;
    for (uint32_t f = 0; f < files.size(); ++f) {
      if (!isSameSource(words[0], files[f].name)) continue;
      if (const auto what = s->debuggable())
        for (const uint32_t line : what->places.linesOf(f))
          if (line >= first && line <= last) lines[line] = true;
    }
  }
  JsonArray all;
  for (const auto& [line, is] : lines) all.add(std::to_string(line));
  return all.done();
}

Session::Body Session::disassemble(const Words& words) {
  DebugShader* const of = words.size() == 3 ? shader(words[0]) : nullptr;
  const auto what = of ? of->debuggable() : nullptr;
  if (!what) return wrong("there is no such shader");
  const debugger::DebugProgram& p = *what->program;
  const uint32_t first = numberOf(words[1]).value_or(0), count = numberOf(words[2]).value_or(0);
  JsonArray all;
  for (uint32_t i = first; i < p.program.code.size() && i - first < std::min(count, kMostInstructions); ++i) {
    JsonObject one;
    one.number("index", i).text("text", isa::toText(p.program.code[i]));
    if (const debugger::Position at = p.positionOf(i); at.known())
      one.number("file", at.file).text("name", p.info.files[at.file].name).number("line", at.line);
    all.add(one.done());
  }
  return JsonObject().number("size", p.program.code.size()).raw("instructions", all.done()).done();
}

Session::Body Session::threads(const Words& words) {
  uint32_t numbers[3] = {};  // the first one, how many (0: all), of which stop (0: of all)
  if (words.size() > 3) return wrong("threads: the first one, how many, and a stop");
  for (size_t i = 0; i < words.size(); ++i) {
    const auto n = numberOf(words[i]);
    if (!n) return wrong("'" + words[i] + "' is no number");
    numbers[i] = *n;
  }
  uint64_t skip = numbers[0], left = numbers[1] ? numbers[1] : UINT64_MAX;
  // A stop does not move while it is in the list, and it is in no hurry to leave: what its thread does meanwhile to
  // serve requests changes nothing that is told here.
  std::lock_guard lock(mutex_);
  JsonArray all;
  for (const auto& [id, stop] : stops_) {
    if (numbers[2] && id != numbers[2]) continue;
    const uint64_t total = stop->inspector.invocations(), start = std::min(skip, total);
    const uint64_t count = std::min(left, total - start);
    skip -= start, left -= count;
    all.add(JsonObject()
                .number("stop", id)
                .number("total", total)
                .raw("threads", stop->inspector.threads(stop->firstThread(), start, count))
                .done());
  }
  return all.done();
}

}  // namespace etzel::icd
