// The program that is debugged, when the adapter has started it. Single-threaded.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace etzel_debug {

class Target {
 public:
  ~Target();

  struct Launch {
    std::vector<std::string> command;                              ///< program and arguments
    std::vector<std::pair<std::string, std::string>> environment;  ///< beside the adapter's own
    std::string folder;                                            ///< empty: the adapter's
    bool apart = false;                                            ///< keys of the terminal are not for it
  };
  /// Starts it with its output in pipes. \returns why it could not be started; empty where it was
  std::string start(const Launch& launch);

  bool running() const { return pid_ > 0; }
  /// Descriptors of its standard output and error; -1 once they are at their end.
  int output(size_t which) const { return pipe_[which]; }
  /// What has come there; nothing at its end.
  std::string read(size_t which);
  /// Its status, as a shell has it, when it has ended.
  std::optional<int> ended();
  void signal(int number) const;
  /// Ends it, if it has not ended yet, and waits until it is gone.
  void kill();
  /// Nobody waits for it any more.
  void forget() { pid_ = -1; }

 private:
  bool apart_ = false;  ///< a process group of its own, all of which gets signals
  pid_t pid_ = -1;
  int pipe_[2] = {-1, -1};
};

}  // namespace etzel_debug
