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

#include "testing/vk/device.h"

namespace etzel::cts {

class Gpu;

struct NotSupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};
using Failure = vktest::Failure;

using CaseBody = std::function<void(Gpu&)>;

struct Case {
  std::string name;  ///< etzel.<group>.<...>
  CaseBody body;
};

/// Every registered case, in order of registration.
std::vector<Case>& cases();

/// Registers a case; `name` is without the leading "etzel.".
void add(const std::string& name, CaseBody body);

/// The case or group of Khronos' conformance suite that checks the same rule, as a name or a prefix of names in its
/// case list ("dEQP-VK.draw.renderpass.instanced"); empty when there is none.
std::string mirrorOf(const std::string& name);

/// printf into a string.
std::string text(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// A number as a part of a name: "4p5", "m3" for -3.
std::string named(double number);

}  // namespace etzel::cts
