// Random compute shaders for the debugger: functions with parameters of every kind, loops, branches, arrays,
// structures, vectors and matrices, of which the model knows every value in every line (glsl.h). Tests only.
#pragma once

#include <deque>
#include <random>

#include "compiler/debug/model/glsl.h"

namespace etzel::debugger::model {

/// Its shader has 8 invocations; binding 0 is a storage buffer of 64 words for reading, binding 1 for writing.
class RandomProgram {
 public:
  explicit RandomProgram(uint32_t seed);

  const std::string& text() const { return text_; }
  /// Whether all sums of products are exact, so that it is no matter whether they are fused. Where they are not, they
  /// must not be (NoContraction).
  bool isExact() const { return exact_; }
  /// All that happens in one invocation; `out`: the words that it writes, from 8 * id on.
  std::vector<Stop> run(uint32_t id, const std::vector<uint32_t>& in, std::vector<uint32_t>& out) const;

 private:
  // --- Text and choices
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  bool in(uint32_t n) { return below(n) == 0; }
  void line(const std::string& text);
  /// The statement that stands in the next line, before it is known what it does.
  Statement statement(bool mayBeSkipped = false);
  std::string fresh(const char* prefix) { return prefix + std::to_string(names_++); }

  // --- Types (random_types.cpp)
  void makeTypes();
  const Type* add(Type type);
  const Type* scalar(Type::Kind kind) const;
  const Type* vector(Type::Kind kind, uint32_t count) const;
  const Type* any() { return choices_[below(static_cast<uint32_t>(choices_.size()))]; }

  // --- Expressions (random_expressions.cpp)
  Expression expression(const Type* type, uint32_t depth);
  Expression leaf(const Type* type);
  Expression literal(const Type* type);
  Expression constructor(const Type* type, uint32_t depth);
  Expression arithmetic(const Type* type, uint32_t depth);
  Expression logical(uint32_t depth);
  Expression binary(const Type* type, const std::string& op, const Expression& a, const Expression& b) const;
  /// A factor that makes products exact, where they must be.
  Expression factor(const Type* type, uint32_t depth);
  Expression loaded(const Target& target) const;
  /// A part of a variable that has a type; nothing where none was found.
  std::optional<Target> part(const Type* type, bool forWriting);
  Target whole(uint32_t variable, bool global) const;
  Target partOf(const Target& whole, uint32_t member) const;
  Target element(const Target& whole);
  Target swizzle(const Target& whole, uint32_t count, bool distinct);

  // --- Statements (random_statements.cpp)
  uint32_t declare(const std::string& name, const Type* type);
  Block block(uint32_t statements, uint32_t depth);
  Block loopBody(uint32_t depth, const std::function<Statement()>& first = {});
  Statement counting(const std::string& name, uint32_t variable, uint32_t step);
  Statement any(uint32_t depth);
  Statement declaration(const std::string& name, const Type* type, Expression value);
  Statement assignment();
  Statement compound();
  Statement callStatement();
  Expression pureCall(const Function& f);
  Statement branch(uint32_t depth);
  Statement forLoop(uint32_t depth);
  Statement whileLoop(uint32_t depth);
  Statement doLoop(uint32_t depth);
  Statement switchOver(uint32_t depth);
  Statement leave();
  Statement giveBack();
  Statement firstValue(const Variable& v, std::function<void(Run&, Words)> store);
  void makeGlobals();
  void makeFunction();
  void makeMain();

  std::mt19937 random_;
  bool exact_ = false;
  std::string text_;
  uint32_t lines_ = 0, indent_ = 0, names_ = 0, loops_ = 0;
  bool inSwitch_ = false;
  std::deque<Type> types_;
  std::vector<const Type*> choices_;  ///< types that variables have
  std::deque<Function> functions_;    ///< the last is main
  Function* function_ = nullptr;      ///< that is being made
  std::vector<uint32_t> visible_;     ///< of its variables
  std::vector<uint32_t> fixed_;       ///< variables that nobody may store to
  std::vector<Variable> globals_;
};

}  // namespace etzel::debugger::model
