#include "history.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace inspect {
namespace {

int fail(const std::string& message) {
  std::fprintf(stderr, "etzel-inspect: %s\n", message.c_str());
  return 1;
}

/// Runs the program with its history going to `path`. \returns its exit status
int run(const HistoryOptions& o, const std::string& path) {
  const pid_t child = fork();
  if (child < 0) return fail(std::string("cannot start a process: ") + std::strerror(errno));
  if (child == 0) {
    setenv("ETZEL_HISTORY", o.subject.c_str(), 1);
    setenv("ETZEL_HISTORY_FILE", path.c_str(), 1);
    dup2(STDERR_FILENO, STDOUT_FILENO);  // standard output is the history's
    execvp(o.program[0], o.program);
    std::fprintf(stderr, "etzel-inspect: can't run %s: %s\n", o.program[0], std::strerror(errno));
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
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
  const int status = run(o, path);
  std::vector<Json> events;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (o.json) std::printf("%s\n", line.c_str());
    events.push_back(Json::parse(line, nullptr, false));
    if (events.back().is_discarded()) events.pop_back();  // the program ended in the middle of it
  }
  std::filesystem::remove(path);
  if (!o.json)
    for (const Json& event : events) std::printf("%s", eventText(event, o.sample).c_str());
  if (!o.strip.empty() && !writePng(historyStrip(events), o.strip)) return fail("can't write " + o.strip);
  if (status) return fail("the program ended with status " + std::to_string(status));
  if (events.empty()) return fail("nothing happened to the pixel: " + o.subject);
  return 0;
}

}  // namespace inspect
