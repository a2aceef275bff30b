// What two invocations that are stopped together hold otherwise.
#include "icd/debug/inspector.h"
#include "icd/debug/json.h"

namespace etzel::icd {

using debugger::ScopeKind;
using debugger::Thread;
using debugger::Value;

namespace {

constexpr size_t kMostDifferences = 1000;

class Comparison {
 public:
  explicit Comparison(const debugger::DebugProgram& program) : program_(program) {}

  void add(const std::string& name, const Value& a, const Value& b) {
    const size_t parts = a.parts.size();
    if (parts && parts == b.parts.size()) {
      for (size_t i = 0; i < parts; ++i) add(partExpression(name, program_.types[a.type], i), a.parts[i], b.parts[i]);
      return;
    }
    const std::string one = toText(program_, a), other = toText(program_, b);
    if (one == other || count_ == kMostDifferences) return;
    ++count_;
    all_.add(JsonObject().text("name", name).text("value", one).text("other", other).done());
  }
  std::string done() { return all_.done(); }

 private:
  const debugger::DebugProgram& program_;
  JsonArray all_;
  size_t count_ = 0;
};

}  // namespace

std::string Inspector::compare(Thread t, uint32_t frame, Thread other) const {
  Comparison all(run_.program());
  for (const ScopeKind kind : {ScopeKind::Inputs, ScopeKind::Locals, ScopeKind::Outputs, ScopeKind::Globals})
    for (const uint32_t v : variablesOf(run_, t, frame, kind))
      all.add(run_.program().variables[v].name, run_.value(t, v), run_.value(other, v));
  return all.done();
}

}  // namespace etzel::icd
