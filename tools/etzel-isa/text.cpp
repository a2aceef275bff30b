#include "tools/etzel-isa/text.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>

#include "compiler/isa/assemble.h"

namespace etzel::tool {

int fail(const std::string& message) {
  std::fprintf(stderr, "etzel-isa: %s\n", message.c_str());
  return 1;
}

int failIn(const std::string& text, const std::string& message) {
  unsigned line = 0, column = 0;
  fail(message);
  if (std::sscanf(message.c_str(), "line %u, column %u", &line, &column) != 2) return 1;
  std::istringstream lines(text);
  std::string source;
  for (unsigned i = 0; i < line; ++i) std::getline(lines, source);
  std::string mark = source.substr(0, column - 1);
  for (char& c : mark) c = c == '\t' ? '\t' : ' ';
  std::fprintf(stderr, "  %s\n  %s^\n", source.c_str(), mark.c_str());
  return 1;
}

bool read(const char* path, std::string& bytes) {
  if (std::string_view(path) == "-") {
    char chunk[4096];
    while (const size_t n = std::fread(chunk, 1, sizeof chunk, stdin)) bytes.append(chunk, n);
    return !std::ferror(stdin);
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return false;
  bytes.assign(std::istreambuf_iterator<char>(file), {});
  return true;
}

bool readProgram(const std::string& text, isa::Program& program) {
  auto assembled = isa::assemble(text);
  if (!assembled) return failIn(text, assembled.error().message), false;
  program = std::move(*assembled);
  return true;
}

}  // namespace etzel::tool
