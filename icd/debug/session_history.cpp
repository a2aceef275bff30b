// What a debugger asks of the history of a pixel (icd/debug/history.h).
#include <charconv>

#include "icd/debug/history.h"
#include "icd/debug/session.h"

namespace etzel::icd {

void Session::stopHistory() {
  if (recordsHistory_.exchange(false)) History::get().record(nullptr);
}

/// "pixel=X,Y" and more: records that from the next pass on. "off": nothing. "since=N", or nothing: {"events","next"}.
Session::Body Session::history(const Words& words) {
  const auto wrong = [](std::string what) { return Error{ErrorCode::InvalidArgument, std::move(what)}; };
  uint64_t since = 0;
  if (words.size() == 1 && words[0] == "off") {
    stopHistory();
  } else if (words.size() == 1 && words[0].starts_with("since=")) {
    const std::string& word = words[0];
    const char* const end = word.data() + word.size();
    if (std::from_chars(word.data() + 6, end, since).ptr != end) return wrong("'" + word + "' is no number");
  } else if (!words.empty()) {
    HistorySubject subject;
    subject.frame.reset();
    for (const std::string& word : words)
      if (!subject.add(word)) return wrong("'" + word + "' means nothing in a history");
    if (!subject.hasPixel) return wrong("a history is of a pixel: pixel=X,Y");
    recordsHistory_.store(true);
    History::get().record(&subject);
  }
  uint64_t next = 0;
  JsonArray all;
  for (const std::string& event : History::get().events(since, &next)) all.add(event);
  return JsonObject().raw("events", all.done()).number("next", next).done();
}

}  // namespace etzel::icd
