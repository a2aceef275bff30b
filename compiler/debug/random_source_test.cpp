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
/// Statements one after the other of which nothing may be left.
constexpr uint32_t kMostPassed = 8;
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
  size_t stops() const { return stops_.size(); }
  size_t passed() const { return passed_; }

  /// The ordinary program has to agree with the model before anything is debugged.
  void runOrdinary(Group& group, const compiler::ShaderSource& source) {
    std::copy(in_.begin(), in_.end(), group.in);
    auto kernel = compiler::compileKernel(source);
    ASSERT_TRUE(kernel.ok()) << kernel.error().message;
    std::vector<LaneWords> registers((*kernel)->registerWords + 1), scratch((*kernel)->scratchBytes / 4 + 1);
    std::vector<std::byte> state((*kernel)->stateBytes + 64);
    abi::Warp warp = group.list()[0];
    warp.registers = registers.data(), warp.scratch = reinterpret_cast<std::byte*>(scratch.data());
    warp.executorState = state.data();
    ASSERT_EQ((*kernel)->run(&warp), abi::WarpStatus::Done);
    ASSERT_NO_FATAL_FAILURE(compareOutput(group)) << "without a debugger";
    std::fill(std::begin(group.out), std::end(group.out), 0);
  }

  void run(Group& group) {
    GroupRun run(group.what, group.list(), kUndoBytes);
    std::vector<std::string> way;
    size_t next = 0;
    while (run.forward(Go::Into, lane_, {}) == Halt::Step) {
      ASSERT_NO_FATAL_FAILURE(stopped(run, next));
      way.push_back(everything(run));
    }
    for (; next < stops_.size(); ++next) passed_ += !stops_[next].mayBeSkipped;
    EXPECT_LE(passed_ * 10, stops_.size()) << "too many lines were passed over";
    run.forward(Go::On, lane_, {});
    ASSERT_NO_FATAL_FAILURE(compareOutput(group));
    for (size_t i = way.size(); i-- > 0;) {
      ASSERT_EQ(run.back(Go::Into, lane_, {}), Halt::Step);
      ASSERT_EQ(everything(run), way[i]) << "on the way back";
    }
    EXPECT_EQ(run.back(Go::Into, lane_, {}), Halt::Beginning);
  }

 private:
  /// Floats in every second word.
  void compareOutput(const Group& group) const {
    for (uint32_t i = 0; i < 8; ++i)
      ASSERT_TRUE(isSame(i % 2 ? model::Type::Kind::Float : model::Type::Kind::Uint, group.out[lane_ * 8 + i], out_[i]))
          << "word " << i << " is " << group.out[lane_ * 8 + i] << ", in the model " << out_[i];
  }

  /// Finds the stop that this is, from `next` on: the first one in its line where everything has its value. Statements
  /// of which nothing is left are passed over; few are.
  void stopped(const GroupRun& run, size_t& next) {
    const std::vector<StackFrame> stack = run.callStack(0);
    const uint32_t line = stack[0].position.line;
    std::string why = "nobody expects line " + std::to_string(line);
    uint32_t passed = 0;
    for (size_t i = next; i < stops_.size() && passed <= kMostPassed; ++i) {
      if (stops_[i].frames.size() == stack.size() && stops_[i].frames[0].line == line) {
        const std::string difference = compare(run, stack, stops_[i]);
        if (difference.empty()) {
          passed_ += passed;
          next = i + 1;
          return;
        }
        if (why.starts_with("nobody")) why = "line " + std::to_string(line) + ", " + difference;
      }
      passed += !stops_[i].mayBeSkipped;
    }
    FAIL() << why;
  }

  std::string compare(const GroupRun& run, const std::vector<StackFrame>& stack, const Stop& stop) {
    for (size_t k = 0; k < stack.size(); ++k) {
      const Stop::Frame& frame = stop.frames[k];
      if (stack[k].function != frame.function || stack[k].position.line != frame.line)
        return stack[k].function + " called from line " + std::to_string(stack[k].position.line);
      const std::vector<uint32_t> locals = variablesOf(run, lane_, k, ScopeKind::Locals);
      for (const Stop::Known& known : frame.locals)
        if (const std::string why = compare(run, locals, known); !why.empty()) return why;
    }
    const std::vector<uint32_t> globals = variablesOf(run, lane_, 0, ScopeKind::Globals);
    for (const Stop::Known& known : stop.globals)
      if (const std::string why = compare(run, globals, known); !why.empty()) return why;
    for (const Stop::Known& known : stop.watches) {
      const auto value = evaluate(run.program(), known.name, namesIn(run, lane_, 0));
      if (!value) return known.name + ": " + value.error().message;
      if (const std::string why = compare(run, *value, known); !why.empty()) return why;
    }
    return {};
  }

  std::string compare(const GroupRun& run, const std::vector<uint32_t>& variables, const Stop::Known& known) {
    const DebugProgram& p = run.program();
    const auto found =
        std::find_if(variables.begin(), variables.end(), [&](uint32_t v) { return p.variables[v].name == known.name; });
    if (found == variables.end()) return known.name + " is not there";
    return compare(run, run.value(lane_, *found), known);
  }

  std::string compare(const GroupRun& run, const Value& value, const Stop::Known& known) {
    ++values_;
    const std::string& type = run.program().types[value.type].name;
    if (type != known.type->name) return known.name + " is of type " + type;
    const std::string shown = known.name + " = " + toText(run.program(), value);
    model::Words words;
    std::vector<model::Type::Kind> kinds;
    scalarsOf(*known.type, kinds);
    if (!flatten(value, words) || words.size() != kinds.size()) return shown;
    for (size_t i = 0; i < words.size(); ++i)
      if (!isSame(kinds[i], words[i], known.value[i]))
        return shown + ", scalar " + std::to_string(i) + " is " + std::to_string(known.value[i]) + " = " +
               std::to_string(std::bit_cast<float>(known.value[i])) + " in the model";
    return {};
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
  size_t values_ = 0, passed_ = 0;
};

TEST(RandomSource, EveryVariableHasItsValueAtEveryStop) {
  uint32_t left = setting("ETZEL_TEST_SHADERS", 12);
  size_t values = 0, stops = 0, passed = 0;
  for (uint32_t seed = setting("ETZEL_TEST_FIRST", 1); left; ++seed) {
    const RandomProgram program(seed);
    Comparison comparison(program, seed % kWarpLanes, seed);
    if (!comparison.isShort()) continue;
    --left;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + program.text());
    std::vector<uint32_t> words = compileGlsl(program.text(), "comp");
    ASSERT_FALSE(words.empty());
    if (!program.isExact()) words = withoutContraction(words);
    Group group(words, 1);
    ASSERT_TRUE(group.what);
    ASSERT_NO_FATAL_FAILURE(comparison.runOrdinary(group, sourceOf(words, abi::Stage::Compute)));
    comparison.run(group);
    if (HasFailure()) return;
    values += comparison.values(), stops += comparison.stops(), passed += comparison.passed();
  }
  std::printf("%zu values at %zu stops; %zu statements without a stop\n", values, stops, passed);
}

}  // namespace
}  // namespace etzel::debugger::test
