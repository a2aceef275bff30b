// Breakpoints of the console, with the numbers that people call them by. The protocol sets all of a kind at once, those
// in lines source by source, so every change tells the adapter the whole list again. Single-threaded.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace etzel_debug {

struct Breakpoint {
  enum class Kind { Line, Function, Data, Fault } kind = Kind::Line;
  std::string where;        ///< the source, the function, the protocol's name of the data, the kind of fault
  uint64_t line = 0;        ///< Line
  std::string told;         ///< for people: "at case.frag:13"
  std::string condition;    ///< empty: always
  std::string hits, log;    ///< as the protocol has them; empty: every time, stop
  uint64_t number = 0;      ///< given by add()
  uint64_t id = 0;          ///< the adapter's, given by add()
  std::string whyNot = {};  ///< why it does not stop anywhere (yet); empty: it does
};

class Breakpoints {
 public:
  using Json = nlohmann::json;
  /// Asks the adapter; nothing where it refuses, which has been said then.
  using Ask = std::function<std::optional<Json>(const std::string& command, Json arguments)>;

  explicit Breakpoints(Ask ask) : ask_(std::move(ask)) {}

  /// Sets one. \returns what there is to say of it; nothing where it was refused
  std::optional<std::string> add(Breakpoint b);
  /// Nothing: there is none of that number.
  const Breakpoint* find(uint64_t number) const;
  /// Puts another in the place of the one of its number. \returns as add() does; the old one stays where it was refused
  std::optional<std::string> replace(const Breakpoint& b);
  /// \returns false where it was refused, and stays
  bool remove(uint64_t number);
  /// \returns false where some were refused, and stay
  bool removeAll();
  /// Says again which faults stop, as every new session has to.
  void begin() { send(Breakpoint::Kind::Fault, {}); }
  std::vector<std::string> list() const;
  /// The adapter says that one stops somewhere by now.
  void changed(const Json& breakpoint);

 private:
  /// Puts another list in place of the one that is, which stays where the adapter refuses. \returns whether it does not
  bool change(std::vector<Breakpoint> list, Breakpoint::Kind kind, const std::string& source);
  static void note(Breakpoint& b, const Json& answer);
  /// \returns whether the adapter took them
  bool send(Breakpoint::Kind kind, const std::string& source);

  Ask ask_;
  std::vector<Breakpoint> all_;
  uint64_t next_ = 1;
  bool shadersOwn_ = true;  ///< breaks and aborts that are written in shaders stop
};

}  // namespace etzel_debug
