// JSON text, written member by member: what the driver answers debuggers in.
#pragma once

#include <string>

#include "compiler/debug/value.h"

namespace etzel::icd {

class JsonObject {
 public:
  JsonObject& text(const char* name, std::string_view value) { return raw(name, debugger::quoted(value)); }
  JsonObject& number(const char* name, uint64_t value) { return raw(name, std::to_string(value)); }
  JsonObject& truth(const char* name, bool value) { return raw(name, value ? "true" : "false"); }
  /// `value` is JSON already.
  JsonObject& raw(const char* name, std::string_view value) {
    out_ += out_.empty() ? "{\"" : ",\"";
    ((out_ += name) += "\":") += value;
    return *this;
  }
  std::string done() const { return out_.empty() ? "{}" : out_ + '}'; }

 private:
  std::string out_;
};

class JsonArray {
 public:
  /// `value` is JSON already.
  JsonArray& add(std::string_view value) {
    (out_ += out_.empty() ? '[' : ',') += value;
    return *this;
  }
  std::string done() const { return out_.empty() ? "[]" : out_ + ']'; }

 private:
  std::string out_;
};

}  // namespace etzel::icd
