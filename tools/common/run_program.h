// A program that a tool runs to see what its driver writes meanwhile.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

namespace etzel_tools {

/// Whose standard output is.
enum class Output {
  Programs,
  Tools,  ///< what the program prints goes to standard error
};

/// Runs `program` (its words, null at the end) with `environment` added to the tool's, and waits until it has ended.
/// \returns its exit status, or 128 and the signal that ended it; 127 or 1, with a message, where it cannot be run
int runProgram(char** program, std::initializer_list<std::pair<const char*, std::string>> environment, Output output);

}  // namespace etzel_tools
