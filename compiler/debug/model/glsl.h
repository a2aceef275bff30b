// GLSL that knows what it computes: every expression and statement is a pair of its text and its meaning, so a program
// (random_program.h) can be compiled on one side and evaluated here on the other, for one invocation, without anything
// of the compiler. Floats are rounded after every operation. Tests only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/types.h"

namespace etzel::debugger::model {

struct Type {
  enum class Kind : uint8_t { Bool, Int, Uint, Float, Vector, Matrix, Array, Struct } kind = Kind::Int;
  struct Member {
    std::string name;
    const Type* type;
  };
  std::string name;               ///< as GLSL writes it
  const Type* element = nullptr;  ///< Vector, Matrix (a column), Array
  uint32_t count = 0;
  std::vector<Member> members;
  uint32_t words = 1;  ///< scalars that it consists of
  bool isScalar() const { return kind <= Kind::Float; }
  /// Of all scalars of a scalar, vector or matrix.
  Kind scalar() const { return isScalar() ? kind : element->scalar(); }
};

/// A value's scalars in order: bits of floats, 0 or 1 for bool.
using Words = std::vector<uint32_t>;

struct Variable {
  std::string name;
  const Type* type = nullptr;
};

class Run;

struct Expression {
  const Type* type = nullptr;
  std::string text;
  std::function<Words(Run&)> value;
};

/// Scalars of a variable.
struct Place {
  uint32_t variable = 0;
  bool global = false;
  std::vector<uint32_t> words;
};

/// What can be stored to.
struct Target {
  const Type* type = nullptr;
  std::string text;
  std::function<Place(Run&)> place;
};

enum class Flow : uint8_t { Next, Break, Continue, Return };

struct Statement {
  uint32_t line = 0;
  bool mayBeSkipped = false;        ///< perhaps nothing is left of it that a debugger could stop at
  std::vector<uint32_t> visible;    ///< variables of the function that are in scope in front of it
  std::vector<Expression> watches;  ///< expressions of the same, which a debugger may be asked for
  std::function<Flow(Run&)> run;
};
using Block = std::vector<Statement>;

struct Parameter {
  enum class Mode : uint8_t { In, Out, InOut } mode = Mode::In;
  uint32_t variable = 0;
};

struct Function {
  std::string name;
  const Type* result = nullptr;
  std::vector<Parameter> parameters;
  std::vector<Variable> variables;  ///< parameters first
  bool pure = true;                 ///< changes nothing but its own variables
  Block body;
};

/// What a debugger has to show when it stops.
struct Stop {
  struct Known {
    std::string name;
    const Type* type = nullptr;
    Words value;
  };
  struct Frame {
    std::string function;
    uint32_t line = 0;
    std::vector<Known> locals;
  };
  bool mayBeSkipped = false;
  std::vector<Frame> frames;  ///< innermost first
  std::vector<Known> globals, watches;
};

/// The evaluation of a program for one invocation.
class Run {
 public:
  /// `in`: what the program reads.
  Run(uint32_t id, const std::vector<uint32_t>& in, const std::vector<Variable>& globals)
      : id(id), in(in), globals_(globals), globalValues_(globals.size()) {}

  const uint32_t id;  ///< of the invocation
  const std::vector<uint32_t>& in;
  std::vector<uint32_t> out;

  std::optional<Words>& value(uint32_t variable) { return stack_.back().values[variable]; }
  std::optional<Words>& global(uint32_t variable) { return globalValues_[variable]; }
  void store(const Place& place, const Words& value);
  Words load(const Place& place);

  /// A statement is about to run: a debugger stops here.
  void arrive(const Statement& s);
  Flow run(const Block& block);
  /// Arguments of Out parameters are not looked at. `back`: values of the parameters afterwards.
  Words call(const Function& f, const std::vector<Words>& arguments, std::vector<Words>* back = nullptr);
  /// What the function that runs gives back.
  void giveBack(Words value) { result_ = std::move(value); }

  const std::vector<Stop>& stops() const { return stops_; }

 private:
  struct Frame {
    const Function* function;
    std::vector<std::optional<Words>> values;
    const Statement* at = nullptr;
  };
  void note(bool mayBeSkipped, bool watches);

  const std::vector<Variable>& globals_;
  std::vector<std::optional<Words>> globalValues_;
  std::vector<Frame> stack_;
  Words result_;
  std::vector<Stop> stops_;
};

}  // namespace etzel::debugger::model
