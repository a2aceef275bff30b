#include "compiler/debug/model/glsl.h"

namespace etzel::debugger::model {

void Run::store(const Place& place, const Words& value) {
  Words& whole = place.global ? *globalValues_[place.variable] : *stack_.back().values[place.variable];
  for (size_t i = 0; i < place.words.size(); ++i) whole[place.words[i]] = value[i];
}

Words Run::load(const Place& place) {
  const Words& whole = place.global ? *globalValues_[place.variable] : *stack_.back().values[place.variable];
  Words value;
  for (const uint32_t word : place.words) value.push_back(whole[word]);
  return value;
}

void Run::note(bool mayBeSkipped, bool watches) {
  Stop stop;
  stop.mayBeSkipped = mayBeSkipped;
  for (size_t k = stack_.size(); k-- > 0;) {
    const Frame& frame = stack_[k];
    Stop::Frame shown{frame.function->name, frame.at->line, {}};
    for (const uint32_t v : frame.at->visible)
      if (frame.values[v])
        shown.locals.push_back(
            {frame.function->variables[v].name, frame.function->variables[v].type, *frame.values[v]});
    stop.frames.push_back(std::move(shown));
  }
  for (size_t v = 0; v < globals_.size(); ++v)
    if (globalValues_[v]) stop.globals.push_back({globals_[v].name, globals_[v].type, *globalValues_[v]});
  if (watches)
    for (const Expression& e : stack_.back().at->watches) stop.watches.push_back({e.text, e.type, e.value(*this)});
  stops_.push_back(std::move(stop));
}

void Run::arrive(const Statement& s) {
  stack_.back().at = &s;
  note(s.mayBeSkipped, true);
}

Flow Run::run(const Block& block) {
  for (const Statement& s : block) {
    arrive(s);
    if (const Flow flow = s.run(*this); flow != Flow::Next) return flow;
  }
  return Flow::Next;
}

Words Run::call(const Function& f, const std::vector<Words>& arguments, std::vector<Words>* back) {
  Frame frame{&f, std::vector<std::optional<Words>>(f.variables.size()), nullptr};
  for (size_t i = 0; i < f.parameters.size(); ++i)
    if (f.parameters[i].mode != Parameter::Mode::Out) frame.values[f.parameters[i].variable] = arguments[i];
  stack_.push_back(std::move(frame));
  run(f.body);
  if (back)
    for (const Parameter& p : f.parameters) back->push_back(stack_.back().values[p.variable].value_or(Words{}));
  stack_.pop_back();
  // Back in the middle of the line that called.
  if (!stack_.empty()) note(true, false);
  return std::exchange(result_, {});
}

}  // namespace etzel::debugger::model
