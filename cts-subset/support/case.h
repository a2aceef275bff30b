// A case: a dotted name and a body that runs on a device and reports through GoogleTest's assertions.
//
// Helpers deep inside a case end it by throwing: NotSupported when the device lacks something optional, Failure when a
// call that must succeed did not. Only this test program uses exceptions.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace etzel::cts {

class Gpu;

struct NotSupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using CaseBody = std::function<void(Gpu&)>;

struct Case {
  std::string name;  ///< etzel.<group>.<...>, or the CTS's own path dEQP-VK.<...> where the case mirrors one
  CaseBody body;
};

/// Every registered case, in order of registration.
std::vector<Case>& cases();

/// Registers a case; `name` is without the leading "etzel." unless it starts with "dEQP-VK.".
void add(const std::string& name, CaseBody body);

/// printf into a string.
std::string text(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace etzel::cts
