// The history of a pixel (ETZEL_HISTORY, icd/debug/history.h) for people: a program is run, JSON comes in, text
// and a strip of pictures go out.
#pragma once

#include <vector>

#include "pictures.h"
#include "tools/common/history_text.h"

namespace inspect {

using etzel_tools::Json;

struct HistoryOptions {
  std::string subject;  ///< for ETZEL_HISTORY
  std::optional<unsigned> sample;
  std::string strip;  ///< a PNG file; empty: none
  bool json = false;
  char** program = nullptr;
};

/// The words behind "etzel-inspect history". \returns false where they mean nothing
bool parseHistory(int argc, char** argv, HistoryOptions& o);
/// Runs the program, shows the history of the pixel. \returns the exit status of the tool
int showHistory(const HistoryOptions& o);

/// What the samples looked like after each event: a column for each, a row for each attachment or image.
Picture historyStrip(const std::vector<Json>& events);

}  // namespace inspect
