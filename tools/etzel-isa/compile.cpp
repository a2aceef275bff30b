// etzel-isa compile: SPIR-V, or GLSL through glslangValidator, to a listing with source lines.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <sstream>

#include "compiler/compiler.h"
#include "compiler/isa/disassemble.h"
#include "compiler/isa/info.h"
#include "tools/etzel-isa/text.h"

namespace etzel::tool {
namespace {

/// SPIR-V of a GLSL file, by glslangValidator. \returns false when it failed; it has said why.
bool compileGlsl(const char* path, std::string& bytes) {
  char output[] = "/tmp/etzel-isa-XXXXXX";
  const int file = mkstemp(output);
  if (file < 0) return false;
  close(file);
  const char* argv[] = {"glslangValidator", "--quiet", "-g", "--target-env", "vulkan1.3", "-o", output, path, nullptr};
  pid_t child = 0;
  int status = 1;
  const bool started = posix_spawnp(&child, argv[0], nullptr, nullptr, const_cast<char**>(argv), environ) == 0;
  const bool done = started && waitpid(child, &status, 0) == child && status == 0;
  bytes.clear();
  const bool ok = done && read(output, bytes);
  unlink(output);
  return ok;
}

/// The listing, each source line's text behind its number.
void printListing(const std::string& listing, const std::string& source) {
  std::vector<std::string> lines;
  std::istringstream sourceLines(source), listingLines(listing);
  for (std::string line; std::getline(sourceLines, line);) lines.push_back(line);
  for (std::string line; std::getline(listingLines, line);) {
    std::fputs(line.c_str(), stdout);
    const size_t second = line.rfind(':'), first = second ? line.rfind(':', second - 1) : second;
    if (line.starts_with("; ") && first != std::string::npos) {
      const unsigned long n = std::strtoul(line.c_str() + first + 1, nullptr, 10);
      if (n >= 1 && n <= lines.size()) std::printf("  %s", lines[n - 1].c_str());
    }
    std::fputs("\n", stdout);
  }
}

}  // namespace

int compileFile(std::string bytes, const char* path, const char* stageName, const char* entry) {
  std::string glsl;
  uint32_t magic = 0;
  if (bytes.size() >= 4) std::memcpy(&magic, bytes.data(), 4);
  if (magic != 0x07230203) {
    glsl = bytes;
    if (!compileGlsl(path, bytes)) return fail(std::string("glslangValidator can't compile ") + path);
    constexpr const char* endings[] = {".vert", ".tesc", ".tese", ".geom", ".frag", ".comp"};
    for (size_t i = 0; !stageName && i < std::size(endings); ++i)
      if (std::string_view(path).ends_with(endings[i])) stageName = isa::stageName(static_cast<abi::Stage>(i));
  }
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  compiler::ShaderSource source;
  source.spirv = words;
  if (entry) source.entryPoint = entry;
  for (uint32_t i = 0; stageName && i <= static_cast<uint32_t>(abi::Stage::Compute); ++i)
    if (std::strcmp(isa::stageName(static_cast<abi::Stage>(i)), stageName) == 0)
      source.stage = static_cast<abi::Stage>(i);
  // Bindings lie side by side, as a layout with one of each would put them.
  for (uint32_t set = 0; set < 4; ++set)
    for (uint32_t binding = 0; binding < 32; ++binding)
      source.bindings[{set, binding}] = {set, 32 * binding, 32, 1, false};
  auto program = compiler::compileProgram(source);
  if (!program) return fail(program.error().message);
  printListing(isa::disassemble(*program), glsl);
  return 0;
}

}  // namespace etzel::tool
