// Statements and functions of random programs.
#include <algorithm>
#include <bit>
#include <regex>

#include "compiler/debug/model/random_program.h"

namespace etzel::debugger::model {

using Kind = Type::Kind;

namespace {

/// Whether an expression names no variable: those are letters and a number, and id.
bool isConstant(const std::string& text) {
  static const std::regex kVariable("\\b([vpgwinx][0-9]+|id|source|gl_\\w+)\\b");
  return !std::regex_search(text, kVariable);
}

std::function<Flow(Run&)> storing(Target to, Expression value) {
  return [to = std::move(to), value = std::move(value)](Run& run) {
    const Words words = value.value(run);
    run.store(to.place(run), words);
    return Flow::Next;
  };
}

}  // namespace

void RandomProgram::line(const std::string& text) {
  text_ += std::string(indent_, ' ') + text + "\n";
  ++lines_;
}

Statement RandomProgram::statement(bool mayBeSkipped) {
  Statement s;
  s.line = lines_ + 1, s.mayBeSkipped = mayBeSkipped, s.visible = visible_;
  // Debuggers evaluate numbers.
  const Type* const type = any();
  if (type->kind != Kind::Array && type->kind != Kind::Struct) s.watches.push_back(expression(type, 2));
  return s;
}

uint32_t RandomProgram::declare(const std::string& name, const Type* type) {
  function_->variables.push_back({name, type});
  visible_.push_back(static_cast<uint32_t>(function_->variables.size() - 1));
  return visible_.back();
}

/// Statements of a scope of their own.
Block RandomProgram::block(uint32_t statements, uint32_t depth) {
  Block all;
  const size_t outside = visible_.size();
  indent_ += 2;
  for (uint32_t i = 0; i < statements; ++i) all.push_back(any(depth));
  indent_ -= 2;
  visible_.resize(outside);
  return all;
}

Statement RandomProgram::any(uint32_t depth) {
  switch (below(depth ? 14 : 7)) {
    case 0:
    case 1:
      if (inSwitch_) return assignment();
      {
        const Type* const type = any();
        return declaration(fresh("v"), type, expression(type, 3));
      }
    case 2: return compound();
    case 3:
      if (!inSwitch_ && !functions_.empty() && function_ != &functions_.front()) return callStatement();
      return assignment();
    case 4:
    case 5:
    case 6: return assignment();
    case 7: return forLoop(depth);
    case 8: return whileLoop(depth);
    case 9: return switchOver(depth);
    case 10: return doLoop(depth);
    default: return branch(depth);
  }
}

Statement RandomProgram::declaration(const std::string& name, const Type* type, Expression value) {
  // What is constant may lie where constants do from the beginning.
  Statement s = statement(isConstant(value.text));
  line(type->name + " " + name + " = " + value.text + ";");
  const uint32_t variable = declare(name, type);
  s.run = [variable, value = std::move(value.value)](Run& run) {
    Words words = value(run);
    run.value(variable) = std::move(words);
    return Flow::Next;
  };
  return s;
}

Statement RandomProgram::assignment() {
  Statement s = statement();
  std::optional<Target> to;
  while (!to) to = part(any(), true);
  const Expression value = expression(to->type, 3);
  line(to->text + " = " + value.text + ";");
  s.run = storing(*to, value);
  return s;
}

/// += and the like, of numbers; an assignment where there are none.
Statement RandomProgram::compound() {
  const auto isNumber = [](const Type& t) {
    return (t.isScalar() || t.kind == Kind::Vector) && t.scalar() != Kind::Bool;
  };
  std::optional<Target> to;
  for (uint32_t attempt = 0; attempt < 20 && !to; ++attempt)
    if (const Type* const type = any(); isNumber(*type)) to = part(type, true);
  if (!to) return assignment();
  Statement s = statement();
  const bool product = to->type->scalar() != Kind::Float || !exact_;
  const char* const op = product && in(3) ? "*" : in(2) ? "+" : "-";
  const Expression other = expression(to->type, 2), sum = binary(to->type, op, loaded(*to), other);
  line(to->text + " " + op + "= " + other.text + ";");
  s.run = storing(*to, sum);
  return s;
}

Expression RandomProgram::pureCall(const Function& f) {
  std::vector<Expression> arguments;
  std::string text = f.name + "(";
  for (const Parameter& p : f.parameters) {
    arguments.push_back(expression(f.variables[p.variable].type, 1));
    text += (arguments.size() > 1 ? ", " : "") + arguments.back().text;
  }
  return {f.result, text + ")", [&f, arguments](Run& run) {
            std::vector<Words> values;
            for (const Expression& a : arguments) values.push_back(a.value(run));
            return run.call(f, values);
          }};
}

/// A call whose result begins a variable, and whose out parameters are variables of their own.
Statement RandomProgram::callStatement() {
  const uint32_t known = static_cast<uint32_t>(functions_.size()) - 1;
  const Function& f = functions_[below(known)];
  if (function_->pure && !f.pure) return assignment();
  if (f.pure) {
    Expression value = pureCall(f);
    if (!f.result->isScalar() || f.result->kind == Kind::Bool || in(2)) return declaration(fresh("v"), f.result, value);
    return declaration(fresh("v"), f.result, binary(f.result, "+", value, pureCall(f)));
  }
  // Variables for what comes back stand in front of the call, in a scope of their own.
  Statement s = statement(true);
  line("{");
  const size_t outside = visible_.size();
  indent_ += 2;
  Block all;
  std::vector<Expression> arguments;
  std::vector<Target> back;
  std::string text = f.name + "(";
  for (const Parameter& p : f.parameters) {
    const Type* const type = f.variables[p.variable].type;
    if (p.mode == Parameter::Mode::In) {
      arguments.push_back(expression(type, 1));
      back.emplace_back();
    } else {
      all.push_back(declaration(fresh("v"), type, expression(type, 1)));
      back.push_back(whole(visible_.back(), false));
      arguments.push_back(loaded(back.back()));
    }
    text += (arguments.size() > 1 ? ", " : "") + arguments.back().text;
  }
  const Expression value{f.result, text + ")", [&f, arguments, back](Run& run) {
                           std::vector<Words> values, changed;
                           for (const Expression& a : arguments) values.push_back(a.value(run));
                           Words result = run.call(f, values, &changed);
                           for (size_t i = 0; i < back.size(); ++i)
                             if (back[i].type) run.store(back[i].place(run), changed[i]);
                           return result;
                         }};
  all.push_back(declaration(fresh("v"), f.result, value));
  all.push_back(assignment());
  indent_ -= 2;
  visible_.resize(outside);
  line("}");
  s.run = [all = std::move(all)](Run& run) { return run.run(all); };
  return s;
}

Statement RandomProgram::branch(uint32_t depth) {
  Statement s = statement(true);
  const Expression condition = logical(2);
  line("if (" + condition.text + ") {");
  Block yes = block(1 + below(3), depth - 1), no;
  indent_ += 2;
  if (loops_ && in(4))
    yes.push_back(leave());
  else if (function_->name != "main" && in(3))
    yes.push_back(giveBack());
  indent_ -= 2;
  if (in(2)) {
    line("} else {");
    no = block(1 + below(2), depth - 1);
  }
  line("}");
  s.run = [condition, yes = std::move(yes), no = std::move(no)](Run& run) {
    return run.run(condition.value(run)[0] ? yes : no);
  };
  return s;
}

/// break or continue.
Statement RandomProgram::leave() {
  Statement s = statement(true);
  const bool ends = inSwitch_ || in(2);
  line(ends ? "break;" : "continue;");
  s.run = [ends](Run&) { return ends ? Flow::Break : Flow::Continue; };
  return s;
}

Statement RandomProgram::giveBack() {
  Statement s = statement(true);
  const Expression value = expression(function_->result, 2);
  line("return " + value.text + ";");
  s.run = [value](Run& run) {
    run.giveBack(value.value(run));
    return Flow::Return;
  };
  return s;
}

/// What goes round; `first` makes a statement that stands before all others.
Block RandomProgram::loopBody(uint32_t depth, const std::function<Statement()>& first) {
  ++loops_;
  const bool around = std::exchange(inSwitch_, false);
  Block body;
  indent_ += 2;
  if (first) body.push_back(first());
  indent_ -= 2;
  for (Statement& s : block(1 + below(3), depth - 1)) body.push_back(std::move(s));
  inSwitch_ = around;
  --loops_;
  return body;
}

Statement RandomProgram::counting(const std::string& name, uint32_t variable, uint32_t step) {
  Statement count = statement();
  line(name + " += " + std::to_string(step) + ";");
  count.run = [=](Run& run) {
    (*run.value(variable))[0] += step;
    return Flow::Next;
  };
  return count;
}

Statement RandomProgram::forLoop(uint32_t depth) {
  Statement s = statement();
  // A number of rounds, or what a variable holds then; at most three.
  const std::string name = fresh("i");
  std::optional<Target> bound;
  if (in(2)) bound = part(scalar(Kind::Int), false);
  const uint32_t rounds = 1 + below(3);
  const std::string limit = bound ? "(" + bound->text + " & 3)" : std::to_string(rounds);
  const size_t outside = visible_.size();
  line("for (int " + name + " = 0; " + name + " < " + limit + "; ++" + name + ") {");
  const uint32_t variable = declare(name, scalar(Kind::Int));
  fixed_.push_back(variable);
  auto again = std::make_shared<Statement>(statement());
  // Behind it the condition: a loop of one line goes round there.
  auto once = std::make_shared<Statement>(statement(true));
  again->line = once->line = s.line;
  Block body = loopBody(depth);
  line("}");
  visible_.resize(outside);
  s.run = [=, body = std::move(body)](Run& run) {
    run.value(variable) = Words{0};
    for (;;) {
      const uint32_t end = bound ? run.load(bound->place(run))[0] & 3 : rounds;
      if (static_cast<int32_t>((*run.value(variable))[0]) >= static_cast<int32_t>(end)) return Flow::Next;
      const Flow flow = run.run(body);
      if (flow == Flow::Return) return flow;
      if (flow == Flow::Break) return Flow::Next;
      run.arrive(*again);
      ++(*run.value(variable))[0];
      run.arrive(*once);
    }
  };
  return s;
}

/// Both loops count in a variable of their own, first thing in the body.
Statement RandomProgram::whileLoop(uint32_t depth) {
  Statement outer = statement();
  const std::string name = fresh("w");
  const size_t outside = visible_.size();
  line("for (int " + name + " = 0; " + name + " < 3;) {");
  const uint32_t variable = declare(name, scalar(Kind::Int));
  fixed_.push_back(variable);
  auto head = std::make_shared<Statement>(statement(true));
  head->line = outer.line;
  Block body = loopBody(depth, [&] { return counting(name, variable, 1 + below(2)); });
  line("}");
  visible_.resize(outside);
  outer.run = [=, body = std::move(body)](Run& run) {
    run.value(variable) = Words{0};
    while (static_cast<int32_t>((*run.value(variable))[0]) < 3) {
      const Flow flow = run.run(body);
      if (flow == Flow::Return) return flow;
      if (flow == Flow::Break) return Flow::Next;
      run.arrive(*head);
    }
    return Flow::Next;
  };
  return outer;
}

Statement RandomProgram::doLoop(uint32_t depth) {
  Statement outer = statement(true);
  line("{");
  const size_t outside = visible_.size();
  indent_ += 2;
  const std::string name = fresh("w");
  Block all;
  Expression zero = literal(scalar(Kind::Int));
  zero.text = "0", zero.value = [](Run&) { return Words{0}; };
  all.push_back(declaration(name, scalar(Kind::Int), zero));
  const uint32_t variable = visible_.back();
  fixed_.push_back(variable);
  Statement loop = statement(true);
  line("do {");
  Block body = loopBody(depth, [&] { return counting(name, variable, 1); });
  auto tail = std::make_shared<Statement>(statement(true));
  line("} while (" + name + " < 2);");
  loop.run = [=, body = std::move(body)](Run& run) {
    for (;;) {
      const Flow flow = run.run(body);
      if (flow == Flow::Return) return flow;
      if (flow == Flow::Break) return Flow::Next;
      run.arrive(*tail);
      if ((*run.value(variable))[0] >= 2) return Flow::Next;
    }
  };
  all.push_back(std::move(loop));
  indent_ -= 2;
  visible_.resize(outside);
  line("}");
  outer.run = [all = std::move(all)](Run& run) { return run.run(all); };
  return outer;
}

/// Three cases, of which the second may fall through to the last.
Statement RandomProgram::switchOver(uint32_t depth) {
  Statement s = statement(true);
  const Expression value = expression(scalar(Kind::Int), 2);
  line("switch (" + value.text + " & 3) {");
  const bool around = std::exchange(inSwitch_, true);
  const bool falls = in(2);
  Block cases[3];
  indent_ += 2;
  for (uint32_t c = 0; c < 3; ++c) {
    line(c < 2 ? "case " + std::to_string(c) + ":" : "default:");
    cases[c] = block(1 + below(2), depth - 1);
    if (c < 2 && !(c == 1 && falls)) {
      indent_ += 2;
      cases[c].push_back(leave());
      indent_ -= 2;
    }
  }
  indent_ -= 2;
  inSwitch_ = around;
  line("}");
  s.run = [value, first = std::move(cases[0]), second = std::move(cases[1]), last = std::move(cases[2])](Run& run) {
    const uint32_t which = value.value(run)[0] & 3;
    Flow flow = Flow::Next;
    if (which == 0) flow = run.run(first);
    if (which == 1) flow = run.run(second);
    if (which >= 1 && flow == Flow::Next) flow = run.run(last);
    return flow == Flow::Break ? Flow::Next : flow;
  };
  return s;
}

void RandomProgram::makeGlobals() {
  for (uint32_t i = 0; i < 3; ++i) {
    const Type* type = any();
    while (type->words > 16) type = any();
    globals_.push_back({fresh("g"), type});
    line(type->name + " " + globals_.back().name + ";");
  }
}

/// What holds nothing yet is stored to: the value consists of literals.
Statement RandomProgram::firstValue(const Variable& v, std::function<void(Run&, Words)> store) {
  Statement s = statement();
  s.watches.clear();
  const std::vector<uint32_t> all = std::exchange(visible_, {});
  const bool pure = std::exchange(function_->pure, true);
  const Expression value = v.type->isScalar() ? literal(v.type) : constructor(v.type, 0);
  visible_ = all, function_->pure = pure;
  line(v.name + " = " + value.text + ";");
  s.run = [value, store = std::move(store)](Run& run) {
    store(run, value.value(run));
    return Flow::Next;
  };
  return s;
}

void RandomProgram::makeFunction() {
  functions_.emplace_back();
  Function& f = functions_.back();
  function_ = &f;
  visible_.clear(), fixed_.clear();
  f.name = fresh("f"), f.result = any(), f.pure = in(2);
  std::string text = f.result->name + " " + f.name + "(";
  for (uint32_t i = 0, count = 1 + below(3); i < count; ++i) {
    const Type* const type = any();
    const auto mode = f.pure ? Parameter::Mode::In : static_cast<Parameter::Mode>(below(3));
    const std::string name = fresh("p");
    f.parameters.push_back({mode, declare(name, type)});
    static constexpr const char* kModes[] = {"", "out ", "inout "};
    text += (i ? ", " : "") + std::string(kModes[static_cast<size_t>(mode)]) + type->name + " " + name;
  }
  line(text + ") {");
  indent_ = 2;
  for (const Parameter& p : f.parameters)
    if (p.mode == Parameter::Mode::Out)
      f.body.push_back(firstValue(f.variables[p.variable],
                                  [v = p.variable](Run& run, Words value) { run.value(v) = std::move(value); }));
  indent_ = 0;
  for (Statement& s : block(2 + below(4), 2)) f.body.push_back(std::move(s));
  indent_ = 2;
  f.body.push_back(giveBack());
  indent_ = 0;
  line("}");
}

void RandomProgram::makeMain() {
  functions_.emplace_back();
  Function& f = functions_.back();
  function_ = &f;
  visible_.clear(), fixed_.clear();
  f.name = "main", f.pure = false;
  line("void main() {");
  indent_ = 2;
  for (uint32_t g = 0; g < globals_.size(); ++g)
    f.body.push_back(firstValue(globals_[g], [g](Run& run, Words value) { run.global(g) = std::move(value); }));
  const auto known = [&](const std::string& name, Kind kind, const std::string& text, auto value) {
    f.body.push_back(declaration(name, scalar(kind), {scalar(kind), text, value}));
    f.body.back().watches.clear();
  };
  known("id", Kind::Uint, "gl_LocalInvocationIndex", [](Run& run) { return Words{run.id}; });
  fixed_.push_back(0);
  for (uint32_t i = 0; i < 2; ++i) {
    const std::string read = "int(source.a[id * 8u + " + std::to_string(i) + "u])";
    known(fresh("n"), Kind::Int, read, [i](Run& run) { return Words{run.in[run.id * 8 + i]}; });
    known(fresh("x"), Kind::Float, "float(" + read + ") * 0.25", [i](Run& run) {
      return Words{std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(run.in[run.id * 8 + i])) * 0.25f)};
    });
  }
  for (uint32_t i = 0, count = 6 + below(6); i < count; ++i) f.body.push_back(any(3));
  for (uint32_t i = 0; i < 8; ++i) {
    Statement s = statement();
    const Expression value = expression(scalar(i % 2 ? Kind::Float : Kind::Uint), 1);
    line("result.b[id * 8u + " + std::to_string(i) +
         "u] = " + (i % 2 ? "floatBitsToUint(" + value.text + ")" : value.text) + ";");
    s.run = [value](Run& run) {
      run.out.push_back(value.value(run)[0]);
      return Flow::Next;
    };
    f.body.push_back(std::move(s));
  }
  indent_ = 0;
  line("}");
}

RandomProgram::RandomProgram(uint32_t seed) : random_(seed), exact_(seed % 2) {
  line("#version 450");
  line("layout(local_size_x = 8) in;");
  line("layout(binding = 0) readonly buffer In { uint a[]; } source;");
  line("layout(binding = 1) buffer Result { uint b[]; } result;");
  makeTypes();
  makeGlobals();
  for (uint32_t i = 0; i < 3; ++i) makeFunction();
  makeMain();
}

std::vector<Stop> RandomProgram::run(uint32_t id, const std::vector<uint32_t>& in, std::vector<uint32_t>& out) const {
  Run run(id, in, globals_);
  run.call(functions_.back(), {});
  out = std::move(run.out);
  return run.stops();
}

}  // namespace etzel::debugger::model
