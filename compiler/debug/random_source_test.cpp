// What a debugger shows of random programs against a model that evaluates their source: where it stops, line by line,
// and the value of every variable in scope there, forward and on the way back.
#include <bit>
#include <cmath>

#include "compiler/debug/model/random_program.h"
#include "compiler/debug/scope.h"
#include "compiler/debug/test_group.h"

namespace etzel::debugger::test {
namespace {

using model::RandomProgram;
using model::Stop;

/// ETZEL_TEST_SHADERS asks for more than the usual 12, ETZEL_TEST_FIRST for others: seeds from there on.
uint32_t setting(const char* name, uint32_t usual) {
  const char* wanted = std::getenv(name);
  return wanted ? static_cast<uint32_t>(std::atoi(wanted)) : usual;
}

/// Programs that stop more often are passed over.
constexpr size_t kMostStops = 3000;
constexpr size_t kUndoBytes = size_t{256} << 20;

/// The module with its arithmetic decorated NoContraction, as `precise` everywhere would.
std::vector<uint32_t> withoutContraction(const std::vector<uint32_t>& words) {
  std::vector<uint32_t> decorations;
  size_t firstType = 0;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    const auto op = static_cast<spv::Op>(words[at] & 0xffff);
    if (!firstType && op == spv::Op::OpTypeVoid) firstType = at;
    const bool arithmetic = (op >= spv::Op::OpSNegate && op <= spv::Op::OpFMod) ||
                            (op >= spv::Op::OpVectorTimesScalar && op <= spv::Op::OpDot);
    if (!arithmetic) continue;
    constexpr uint32_t kLength = 3;
    for (const uint32_t word : {kLength << 16 | static_cast<uint32_t>(spv::Op::OpDecorate), words[at + 2],
                                static_cast<uint32_t>(spv::Decoration::NoContraction)})
      decorations.push_back(word);
  }
  std::vector<uint32_t> out = words;
  out.insert(out.begin() + static_cast<ptrdiff_t>(firstType), decorations.begin(), decorations.end());
  return out;
}

/// All scalars of a value; nothing where one of them is not known.
bool flatten(const Value& value, model::Words& out) {
  if (value.state != Value::State::Known) return false;
  if (value.parts.empty()) out.push_back(static_cast<uint32_t>(value.bits));
  return std::all_of(value.parts.begin(), value.parts.end(), [&](const Value& part) { return flatten(part, out); });
}

void scalarsOf(const model::Type& type, std::vector<model::Type::Kind>& out) {
  if (type.isScalar()) return out.push_back(type.kind);
  for (const model::Type::Member& m : type.members) scalarsOf(*m.type, out);
  for (uint32_t i = 0; type.element && i < type.count; ++i) scalarsOf(*type.element, out);
}

/// Zeros of both signs are the same, and so is every NaN.
bool isSame(model::Type::Kind kind, uint32_t a, uint32_t b) {
  if (kind == model::Type::Kind::Bool) return (a != 0) == (b != 0);
  if (kind != model::Type::Kind::Float) return a == b;
  const auto x = std::bit_cast<float>(a), y = std::bit_cast<float>(b);
  return x == y || (std::isnan(x) && std::isnan(y));
}

class Comparison {
 public:
  Comparison(const RandomProgram& program, uint32_t lane, uint32_t seed) : lane_(lane) {
    std::mt19937 random(seed);
    for (uint32_t i = 0; i < 64; ++i) in_.push_back(random() % 40 - 20);
    stops_ = program.run(lane, in_, out_);
  }
  bool isShort() const { return stops_.size() <= kMostStops; }
  size_t values() const { return values_; }

  void run(Group& group) {
    std::copy(in_.begin(), in_.end(), group.in);
    GroupRun run(group.what, group.list(), kUndoBytes);
    std::vector<std::string> way;
    size_t next = 0;
    while (run.forward(Go::Into, lane_, {}) == Halt::Step) {
      ASSERT_NO_FATAL_FAILURE(stopped(run, next));
      way.push_back(everything(run));
    }
    for (; next < stops_.size(); ++next)
      ASSERT_TRUE(stops_[next].mayBeSkipped) << "never came to line " << stops_[next].frames[0].line;
    run.forward(Go::On, lane_, {});
    EXPECT_EQ(std::vector<uint32_t>(group.out + lane_ * 8, group.out + lane_ * 8 + 8), out_);
    for (size_t i = way.size(); i-- > 0;) {
      ASSERT_EQ(run.back(Go::Into, lane_, {}), Halt::Step);
      ASSERT_EQ(everything(run), way[i]) << "on the way back";
    }
    EXPECT_EQ(run.back(Go::Into, lane_, {}), Halt::Beginning);
  }

 private:
  /// Finds the stop that this is, from `next` on, and compares what is shown.
  void stopped(const GroupRun& run, size_t& next) {
    const std::vector<StackFrame> stack = run.callStack(0);
    const uint32_t line = stack[0].position.line;
    const auto is = [&](const Stop& s) { return s.frames.size() == stack.size() && s.frames[0].line == line; };
    while (next < stops_.size() && !is(stops_[next])) {
      ASSERT_TRUE(stops_[next].mayBeSkipped)
          << "line " << stops_[next].frames[0].line << " was passed over on the way to " << line;
      ++next;
    }
    ASSERT_LT(next, stops_.size()) << "nobody expects line " << line;
    const Stop& stop = stops_[next++];
    for (size_t k = 0; k < stack.size(); ++k) {
      SCOPED_TRACE("line " + std::to_string(line) + ", frame " + std::to_string(k));
      ASSERT_EQ(stack[k].function, stop.frames[k].function);
      ASSERT_EQ(stack[k].position.line, stop.frames[k].line);
      const std::vector<uint32_t> locals = variablesOf(run, lane_, k, ScopeKind::Locals);
      for (const Stop::Known& known : stop.frames[k].locals) ASSERT_NO_FATAL_FAILURE(compare(run, locals, known));
    }
    SCOPED_TRACE("line " + std::to_string(line));
    const std::vector<uint32_t> globals = variablesOf(run, lane_, 0, ScopeKind::Globals);
    for (const Stop::Known& known : stop.globals) ASSERT_NO_FATAL_FAILURE(compare(run, globals, known));
    for (const Stop::Known& known : stop.watches) {
      const auto value = evaluate(run.program(), known.name, namesIn(run, lane_, 0));
      ASSERT_TRUE(value.ok()) << known.name << ": " << value.error().message;
      ASSERT_NO_FATAL_FAILURE(compare(run, *value, known));
    }
  }

  void compare(const GroupRun& run, const std::vector<uint32_t>& variables, const Stop::Known& known) {
    const DebugProgram& p = run.program();
    const auto found =
        std::find_if(variables.begin(), variables.end(), [&](uint32_t v) { return p.variables[v].name == known.name; });
    ASSERT_NE(found, variables.end()) << known.name << " is not there";
    ASSERT_NO_FATAL_FAILURE(compare(run, run.value(lane_, *found), known));
  }

  void compare(const GroupRun& run, const Value& value, const Stop::Known& known) {
    ++values_;
    ASSERT_EQ(run.program().types[value.type].name, known.type->name) << known.name;
    model::Words words;
    ASSERT_TRUE(flatten(value, words)) << known.name << " = " << toText(run.program(), value);
    std::vector<model::Type::Kind> kinds;
    scalarsOf(*known.type, kinds);
    ASSERT_EQ(words.size(), kinds.size()) << known.name;
    for (size_t i = 0; i < words.size(); ++i)
      ASSERT_TRUE(isSame(kinds[i], words[i], known.value[i]))
          << known.name << " = " << toText(run.program(), value) << ", scalar " << i << " is " << known.value[i]
          << " = " << std::bit_cast<float>(known.value[i]) << " in the model";
  }

  /// All that is shown, as text.
  std::string everything(const GroupRun& run) const {
    std::string all;
    const std::vector<StackFrame> stack = run.callStack(0);
    for (size_t k = 0; k < stack.size(); ++k) {
      all += stack[k].function + ":" + std::to_string(stack[k].position.line) + "\n";
      for (const ScopeKind kind : {ScopeKind::Locals, ScopeKind::Globals})
        for (const uint32_t v : variablesOf(run, lane_, k, kind))
          all += run.program().variables[v].name + " = " + toText(run.program(), run.value(lane_, v)) + "\n";
    }
    return all;
  }

  const Thread lane_;
  std::vector<uint32_t> in_, out_;
  std::vector<Stop> stops_;
  size_t values_ = 0;
};

TEST(RandomSource, EveryVariableHasItsValueAtEveryStop) {
  uint32_t left = setting("ETZEL_TEST_SHADERS", 12);
  size_t values = 0;
  for (uint32_t seed = setting("ETZEL_TEST_FIRST", 1); left; ++seed) {
    const RandomProgram program(seed);
    Comparison comparison(program, seed % kWarpLanes, seed);
    if (!comparison.isShort()) continue;
    --left;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + program.text());
    std::vector<uint32_t> words = compileGlsl(program.text(), "comp");
    ASSERT_FALSE(words.empty());
    if (!program.isExact()) words = withoutContraction(words);
    Group group(std::move(words), 1);
    ASSERT_TRUE(group.what);
    comparison.run(group);
    if (HasFailure()) return;
    values += comparison.values();
  }
  RecordProperty("values", std::to_string(values));
}

}  // namespace
}  // namespace etzel::debugger::test
