#include "history.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tools/common/run_program.h"

namespace inspect {
namespace {

int fail(const std::string& message) {
  std::fprintf(stderr, "etzel-inspect: %s\n", message.c_str());
  return 1;
}

}  // namespace

bool parseHistory(int argc, char** argv, HistoryOptions& o) {
  std::string pixel;
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--") {
      o.program = argv + i + 1;
      if (pixel.empty() || !*o.program) return false;
      o.subject = "pixel=" + pixel + o.subject;
      return true;
    }
    if (word == "--json") {
      o.json = true;
      continue;
    }
    if (i + 1 >= argc) return false;
    const std::string value = argv[++i];
    if (value.empty() || value.find(';') != std::string::npos) return false;
    unsigned x, y, s;
    int end = 0;
    if (word == "--pixel") {
      if (std::sscanf(value.c_str(), "%u,%u%n", &x, &y, &end) != 2) return false;
      pixel = value.substr(0, size_t(end));
      if (!value[size_t(end)]) continue;
      if (std::sscanf(value.c_str() + end, ",%u", &s) != 1 || s >= 16) return false;
      o.sample = s;
      o.subject += ";sample=" + std::to_string(s);
    } else if (word == "--strip") {
      o.strip = value;
    } else if (word == "--image" || word == "--frame" || word == "--layer") {
      o.subject += ";" + word.substr(2) + "=" + value;
    } else {
      return false;
    }
  }
  return false;
}

int showHistory(const HistoryOptions& o) {
  std::string path = (std::filesystem::temp_directory_path() / "etzel-inspect-XXXXXX").string();
  const int file = mkstemp(path.data());
  if (file < 0) return fail("can't write " + path + ": " + std::strerror(errno));
  close(file);
  const int status = etzel_tools::runProgram(o.program, {{"ETZEL_HISTORY", o.subject}, {"ETZEL_HISTORY_FILE", path}},
                                             etzel_tools::Output::Tools);
  std::vector<Json> events;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (o.json) std::printf("%s\n", line.c_str());
    events.push_back(Json::parse(line, nullptr, false));
    if (events.back().is_discarded()) events.pop_back();  // the program ended in the middle of it
  }
  std::filesystem::remove(path);
  if (!o.json)
    for (const Json& event : events) std::printf("%s", etzel_tools::eventText(event, o.sample).c_str());
  if (!o.strip.empty() && !writePng(historyStrip(events), o.strip)) return fail("can't write " + o.strip);
  if (status) return fail("the program ended with status " + std::to_string(status));
  if (events.empty()) return fail("nothing happened to the pixel: " + o.subject);
  return 0;
}

}  // namespace inspect
