// etzel-debug: looks inside shader invocations of a running program.
//
//   etzel-debug run --pixel X,Y [--sample N] [--draw N] [--mask changes] [--json] -- PROGRAM…
//   etzel-debug run --workgroup X,Y,Z --invocation I [--draw N] [--json] -- PROGRAM…
//       runs a program on the Vulkan driver of the environment, and prints every source line that the invocation ran,
//       with the variables that it changed
//
//   etzel-debug console [--KEY VALUE]... -- PROGRAM…
//   etzel-debug console [--KEY VALUE]... --attach ADDRESS
//       debugs a program, or one that runs with ETZEL_DEBUGGER=ADDRESS, with commands on standard input, in the manner
//       of gdb
//
//   etzel-debug --dap [--port N]
//       a debug adapter for editors, on standard input and output or on a port of the loopback interface
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "adapter.h"
#include "console.h"
#include "tools/common/run_program.h"
#include "trace_text.h"

namespace {

constexpr char kUsage[] =
    "usage: etzel-debug run --pixel X,Y [--sample N] [OPTIONS] -- PROGRAM…               a fragment invocation\n"
    "       etzel-debug run --workgroup X,Y,Z --invocation I [OPTIONS] -- PROGRAM…       a compute invocation\n"
    "       etzel-debug run --vertex N | --patch N | --primitive N [--stage NAME] [OPTIONS] -- PROGRAM…   of the "
    "others\n"
    "       etzel-debug console [--KEY VALUE]... -- PROGRAM…       commands from standard input, in the manner of gdb\n"
    "       etzel-debug console [--KEY VALUE]... --attach ADDRESS  the same of a program that runs with "
    "ETZEL_DEBUGGER=ADDRESS\n"
    "       etzel-debug --dap [--port N]          a debug adapter (DAP) on standard input and output, or on a local "
    "port\n"
    "run prints each line of the shader's source that the invocation runs, with the variables that it changes. "
    "Everything\n"
    "else runs as always. Shaders have their source and names where they were compiled with debug information\n"
    "(glslang -gVS, DXC -fspv-debug=vulkan-with-source).\n"
    "console stops in the invocations that its options name (--pixel X,Y, --draw N, --mask changes: "
    "docs/debugging.md);\n"
    "`help` lists its commands.\n"
    "  --sample N        the invocation that shades this sample\n"
    "  --draw N          of this draw or dispatch, counted from 0 in the order in which the queue runs them; else the\n"
    "                    first that comes along\n"
    "  --mask changes    the first one whose primitive changes the fragment mask of the pixel\n"
    "  --json            JSON lines instead of text\n"
    "  --output FILE     where the trace goes (default: standard output)\n";

int fail(const std::string& message) {
  std::fprintf(stderr, "etzel-debug: %s\n", message.c_str());
  return 1;
}

struct Options {
  std::string subject, output;
  bool json = false, named = false;
  char** program = nullptr;
};

bool isOneOf(const std::string& word, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool parse(int argc, char** argv, Options& o) {
  if (argc < 2 || std::strcmp(argv[1], "run") != 0) return false;
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--") {
      o.program = argv + i + 1;
      return o.named && *o.program;
    }
    if (word == "--json") {
      o.json = true;
      continue;
    }
    if (i + 1 >= argc) return false;
    const std::string value = argv[++i];
    if (word == "--output") {
      o.output = value;
    } else if (word == "--mask" && value == "changes") {
      o.subject += std::string(o.subject.empty() ? "" : ";") + "mask=changes";
    } else if (const bool names =
                   isOneOf(word, {"--pixel", "--workgroup", "--vertex", "--instance", "--patch", "--primitive"});
               names || isOneOf(word, {"--invocation", "--sample", "--draw", "--layer", "--view", "--stage"})) {
      const char* const allowed = word == "--stage" ? "abcdefghijklmnopqrstuvwxyz" : "0123456789,";
      if (value.empty() || value.find_first_not_of(allowed) != std::string::npos) return false;
      o.subject += (o.subject.empty() ? "" : ";") + word.substr(2) + "=" + value;
      o.named |= names;
    } else {
      return false;
    }
  }
  return false;
}

/// Serves editors on a port of the loopback interface, one after the other.
int servePort(const char* text) {
  char* end = nullptr;
  const unsigned long port = std::strtoul(text, &end, 10);
  if (end == text || *end || port > 65535) return fail(std::string(text) + " is no port");
  const int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
  setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET, address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(listening, reinterpret_cast<const sockaddr*>(&address), size) || listen(listening, 1) ||
      getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size))
    return fail(std::string("cannot listen: ") + std::strerror(errno));
  std::printf("etzel-debug: listening on port %u\n", ntohs(address.sin_port));
  std::fflush(stdout);
  for (;;) {
    const int peer = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
    if (peer < 0) continue;
    etzel_debug::Adapter(peer, peer).run();
    close(peer);
  }
}

int serveDap(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);  // an editor that is gone is found out by reading
  if (argc == 2) {
    etzel_debug::Adapter(STDIN_FILENO, STDOUT_FILENO).run();
    return 0;
  }
  if (argc == 4 && std::strcmp(argv[2], "--port") == 0) return servePort(argv[3]);
  std::fputs(kUsage, stderr);
  return 2;
}

/// Options are what `stop` has in configurations of editors.
int debugInConsole(int argc, char** argv) {
  std::vector<std::string> stop;
  etzel_debug::Debuggee debuggee;
  int i = 2;
  for (; i + 1 < argc && std::strcmp(argv[i], "--") != 0; i += 2) {
    if (std::strncmp(argv[i], "--", 2) != 0) break;
    if (std::strcmp(argv[i], "--attach") == 0)
      debuggee.address = argv[i + 1];
    else
      stop.push_back(std::string(argv[i] + 2) + "=" + argv[i + 1]);
  }
  if (i + 1 < argc && std::strcmp(argv[i], "--") == 0) debuggee.program.assign(argv + i + 1, argv + argc), i = argc;
  if (i != argc || debuggee.program.empty() == debuggee.address.empty()) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  return etzel_debug::runConsole(debuggee, stop);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) return std::fputs(kUsage, stdout), 0;
  if (argc > 1 && std::strcmp(argv[1], "--dap") == 0) return serveDap(argc, argv);
  if (argc > 1 && std::strcmp(argv[1], "console") == 0) return debugInConsole(argc, argv);
  Options o;
  if (!parse(argc, argv, o)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  std::string folder = (std::filesystem::temp_directory_path() / "etzel-debug-XXXXXX").string();
  if (!mkdtemp(folder.data())) return fail("cannot write " + folder + ": " + std::strerror(errno));
  const std::string path = folder + "/trace";
  const int status = etzel_tools::runProgram(o.program, {{"ETZEL_TRACE", o.subject}, {"ETZEL_TRACE_FILE", path}},
                                             etzel_tools::Output::Tools);
  std::ifstream trace(path);
  std::ofstream written;
  if (!o.output.empty()) written.open(o.output);
  std::ostream& out = o.output.empty() ? std::cout : written;
  const bool hadShaders = trace.is_open(), traced = trace.peek() != std::ifstream::traits_type::eof();
  if (traced && o.json)
    out << trace.rdbuf();
  else
    etzel_debug::printTrace(trace, out);
  std::filesystem::remove_all(folder);
  if (!out) return fail("cannot write " + o.output);
  if (status) return fail("the program ended with status " + std::to_string(status));
  if (!hadShaders)
    return fail("the program gave Etzel no shader of that stage: is Etzel its driver? (./etzel env, VK_DRIVER_FILES)");
  if (!traced) return fail("no such invocation ran: " + o.subject);
  return 0;
}
