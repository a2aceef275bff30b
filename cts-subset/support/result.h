// What came of a case, the files it is kept in, and the pictures that explain a failure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace etzel::cts {

enum class Status { Pass, Fail, NotSupported, Crash, Timeout };

struct Picture {
  std::string label;  ///< rendered, expected, difference
  std::string png;    ///< base64
  uint32_t width = 0, height = 0;
};

struct Result {
  std::string name;
  Status status = Status::Crash;
  double seconds = 0;
  std::string message;
  std::vector<Picture> pictures;
  std::string mirrors;  ///< what mirrorOf() says of the case
  uint64_t digest = 0;  ///< of what the case read (RunOptions::digests)
};

/// The CTS's word for a status ("Pass", "Fail", "NotSupported", "Crash", "Timeout").
const char* statusName(Status status);

/// The log format of the CTS's executor, one #beginTestCaseResult … #endTestCaseResult block a case.
void writeQpa(const std::string& path, const std::string& driver, const std::vector<Result>& results);
void writeJunit(const std::string& path, const std::string& driver, const std::vector<Result>& results);
/// A page with every failure and its pictures.
void writeHtml(const std::string& path, const std::string& driver, const std::vector<Result>& results);
/// A line for each case: digest, status, name.
void writeDigests(const std::string& path, const std::vector<Result>& results);
/// Status by case name of a .qpa file, this program's or the CTS's.
std::map<std::string, std::string> readQpa(const std::string& path);

std::string base64(const std::string& bytes);
std::string unbase64(const std::string& coded);
/// An RGBA8 image as a PNG file.
std::string png(const std::vector<uint8_t>& rgba, uint32_t width, uint32_t height);

/// Shows a failure: keeps both pictures and their amplified difference with the running case.
void showPictures(const std::vector<uint8_t>& rendered, const std::vector<uint8_t>& expected, uint32_t width,
                  uint32_t height);
/// The pictures kept since the last call.
std::vector<Picture> takePictures();

}  // namespace etzel::cts
