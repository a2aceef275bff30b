// Ctrl-C: something to read on a descriptor, for whoever waits for that and for other things. One object at a time.
#pragma once

namespace etzel_debug {

class Interrupts {
 public:
  /// `listen`: the process no longer ends by Ctrl-C.
  explicit Interrupts(bool listen);
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// Has something to read since Ctrl-C was pressed; -1: nobody listens.
  int descriptor() const { return pipe_[0]; }
  /// What was pressed until now means nothing any more.
  void clear();
  /// Once less: who pressed it twice meant it twice.
  void take();
  /// As if it were pressed now.
  void press();

 private:
  int pipe_[2] = {-1, -1};
};

}  // namespace etzel_debug
