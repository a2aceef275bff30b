// What the commands of etzel-isa share: reading files, and messages that show the place they are about.
#pragma once

#include <string>
#include <string_view>

#include "compiler/isa/program.h"

namespace etzel::tool {

/// Prints "etzel-isa: message". \returns 1, the exit status
int fail(const std::string& message);

/// The same of a text: when the message starts with "line L, column C", the line follows with a mark under the column.
int failIn(const std::string& text, const std::string& message);

/// A whole file, or standard input for "-". \returns false when it can't be read
bool read(const char* path, std::string& bytes);

/// Assembles a listing. \returns false when it has errors; they have been printed
bool readProgram(const std::string& text, isa::Program& program);

/// One command each; \returns the exit status.
int compileFile(std::string bytes, const char* path, const char* stageName, const char* entry);
int runFile(int count, char** arguments);
int printTables();

}  // namespace etzel::tool
