// Result files. PNG is written with stored (uncompressed) blocks: small, exact, and no library needed.
#include "cts-subset/support/result.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <sstream>

namespace etzel::cts {
namespace {

std::vector<Picture>& kept() {
  static auto* pictures = new std::vector<Picture>;
  return *pictures;
}

std::string escape(const std::string& s) {
  std::string out;
  for (unsigned char c : s) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c >= 32 || c == '\n' || c == '\t')
      out += char(c);
  }
  return out;
}

void word(std::string& s, uint32_t v) {
  for (int i = 3; i >= 0; --i) s += char(v >> (8 * i));
}

void chunk(std::string& file, const char* type, const std::string& data) {
  word(file, uint32_t(data.size()));
  std::string body = type + data;
  uint32_t crc = ~0u;
  for (unsigned char c : body) {
    crc ^= c;
    for (int k = 0; k < 8; ++k) crc = crc & 1 ? 0xedb88320u ^ (crc >> 1) : crc >> 1;
  }
  file += body;
  word(file, ~crc);
}

}  // namespace

const char* statusName(Status status) {
  switch (status) {
    case Status::Pass: return "Pass";
    case Status::Fail: return "Fail";
    case Status::NotSupported: return "NotSupported";
    case Status::Crash: return "Crash";
    case Status::Timeout: return "Timeout";
  }
  return "InternalError";
}

std::string base64(const std::string& bytes) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t v = 0;
    for (size_t k = 0; k < 3; ++k) v = v << 8 | (i + k < bytes.size() ? uint8_t(bytes[i + k]) : 0);
    for (size_t k = 0; k < 4; ++k) out += i + k <= bytes.size() ? digits[v >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::string unbase64(const std::string& coded) {
  std::string out;
  uint32_t v = 0, bits = 0;
  for (char c : coded) {
    int d = c >= 'A' && c <= 'Z'   ? c - 'A'
            : c >= 'a' && c <= 'z' ? c - 'a' + 26
            : c >= '0' && c <= '9' ? c - '0' + 52
            : c == '+'             ? 62
            : c == '/'             ? 63
                                   : -1;
    if (d < 0) continue;
    v = v << 6 | uint32_t(d);
    if ((bits += 6) >= 8) out += char(v >> (bits -= 8));
  }
  return out;
}

std::string png(const std::vector<uint8_t>& rgba, uint32_t width, uint32_t height) {
  std::string raw;
  for (uint32_t y = 0; y < height; ++y) {
    raw += '\0';
    raw.append(reinterpret_cast<const char*>(&rgba[y * width * 4]), width * 4);
  }
  std::string stream = "\x78\x01";
  for (size_t at = 0; at < raw.size(); at += 65535) {
    size_t n = std::min<size_t>(65535, raw.size() - at);
    stream += char(at + n == raw.size());
    stream += char(n), stream += char(n >> 8), stream += char(~n), stream += char(~n >> 8);
    stream.append(raw, at, n);
  }
  uint32_t a = 1, b = 0;
  for (unsigned char c : raw) a = (a + c) % 65521, b = (b + a) % 65521;
  word(stream, b << 16 | a);
  std::string file = "\x89PNG\r\n\x1a\n", header;
  word(header, width), word(header, height);
  header += std::string("\x08\x06\0\0\0", 5);
  chunk(file, "IHDR", header), chunk(file, "IDAT", stream), chunk(file, "IEND", "");
  return file;
}

void showPictures(const std::vector<uint8_t>& rendered, const std::vector<uint8_t>& expected, uint32_t width,
                  uint32_t height) {
  std::vector<uint8_t> difference(rendered.size(), 255);
  for (size_t i = 0; i < rendered.size() && i < expected.size(); ++i)
    if (i % 4 != 3) difference[i] = uint8_t(std::min(255, 8 * std::abs(int(rendered[i]) - int(expected[i]))));
  kept().push_back({"rendered", base64(png(rendered, width, height)), width, height});
  kept().push_back({"expected", base64(png(expected, width, height)), width, height});
  kept().push_back({"difference x8", base64(png(difference, width, height)), width, height});
}

std::vector<Picture> takePictures() { return std::move(kept()); }

void writeQpa(const std::string& path, const std::string& driver, const std::vector<Result>& results) {
  std::ofstream out(path);
  out << "#sessionInfo releaseName etzel-cts\n#sessionInfo targetName \"" << driver << "\"\n#beginSession\n";
  for (auto& r : results) {
    out << "\n#beginTestCaseResult " << r.name
        << "\n<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<TestCaseResult Version=\"0.3.4\" CasePath=\""
        << escape(r.name) << "\" CaseType=\"SelfValidate\">\n";
    if (!r.mirrors.empty()) out << " <Text>Mirrors " << escape(r.mirrors) << "</Text>\n";
    if (!r.pictures.empty()) out << " <ImageSet Name=\"Pictures\" Description=\"Rendered, expected, difference\">\n";
    for (auto& p : r.pictures)
      out << "  <Image Name=\"" << escape(p.label) << "\" Width=\"" << p.width << "\" Height=\"" << p.height
          << "\" Format=\"RGBA8888\" CompressionMode=\"PNG\" Description=\"" << escape(p.label) << "\">" << p.png
          << "</Image>\n";
    if (!r.pictures.empty()) out << " </ImageSet>\n";
    if (!r.message.empty()) out << " <Text>" << escape(r.message) << "</Text>\n";
    std::string line = r.message.substr(0, r.message.find('\n'));
    out << " <Number Name=\"TestDuration\" Description=\"Test case duration in microseconds\" Tag=\"Time\" Unit=\"us\">"
        << uint64_t(r.seconds * 1e6) << "</Number>\n <Result StatusCode=\"" << statusName(r.status) << "\">"
        << escape(line) << "</Result>\n</TestCaseResult>\n#endTestCaseResult\n";
  }
  out << "\n#endSession\n";
}

void writeJunit(const std::string& path, const std::string& driver, const std::vector<Result>& results) {
  std::ofstream out(path);
  size_t failures = 0, skipped = 0, errors = 0;
  for (auto& r : results) {
    failures += r.status == Status::Fail;
    skipped += r.status == Status::NotSupported;
    errors += r.status == Status::Crash || r.status == Status::Timeout;
  }
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"etzel-cts on " << escape(driver)
      << "\" tests=\"" << results.size() << "\" failures=\"" << failures << "\" errors=\"" << errors << "\" skipped=\""
      << skipped << "\">\n";
  for (auto& r : results) {
    size_t dot = r.name.rfind('.');
    out << "  <testcase classname=\"" << escape(r.name.substr(0, dot)) << "\" name=\"" << escape(r.name.substr(dot + 1))
        << "\" time=\"" << r.seconds << "\">";
    if (!r.mirrors.empty())
      out << "<properties><property name=\"mirrors\" value=\"" << escape(r.mirrors) << "\"/></properties>";
    const char* tag = r.status == Status::NotSupported ? "skipped" : r.status == Status::Fail ? "failure" : "error";
    if (r.status != Status::Pass)
      out << "<" << tag << " message=\"" << statusName(r.status) << "\">" << escape(r.message) << "</" << tag << ">";
    out << "</testcase>\n";
  }
  out << "</testsuite>\n";
}

static const char pageHead[] =
    "<!doctype html><meta charset=utf-8><title>etzel-cts</title><style>"
    "body{font:14px sans-serif;max-width:70em;margin:2em auto}"
    "img{image-rendering:pixelated;width:256px;border:1px solid #888;background:#222}"
    "figure{display:inline-block;margin:.5em}"
    "pre{background:#eee;padding:.5em;white-space:pre-wrap;max-height:20em;overflow:auto}"
    "table{border-collapse:collapse}td{padding:.1em 1em .1em 0}</style>";

void writeHtml(const std::string& path, const std::string& driver, const std::vector<Result>& results) {
  std::ofstream out(path);
  out << pageHead << "<h1>etzel-cts on " << escape(driver) << "</h1>\n<table>\n";
  std::map<std::string, size_t> counts;
  for (auto& r : results) ++counts[statusName(r.status)];
  for (auto& [status, count] : counts) out << "<tr><td>" << status << "<td>" << count << "\n";
  out << "</table>\n<ul>\n";
  auto bad = [](const Result& r) { return r.status != Status::Pass && r.status != Status::NotSupported; };
  for (auto& r : results)
    if (bad(r)) out << "<li><a href=\"#" << escape(r.name) << "\">" << escape(r.name) << "</a>\n";
  out << "</ul>\n";
  for (auto& r : results) {
    if (!bad(r)) continue;
    out << "<h3 id=\"" << escape(r.name) << "\">" << escape(r.name) << " — " << statusName(r.status) << "</h3>\n";
    if (!r.mirrors.empty()) out << "<p>mirrors " << escape(r.mirrors) << "</p>\n";
    out << "<pre>" << escape(r.message) << "</pre>\n";
    for (auto& p : r.pictures)
      out << "<figure><img alt=\"\" src=\"data:image/png;base64," << p.png << "\"><figcaption>" << escape(p.label)
          << ", " << p.width << " × " << p.height << "</figcaption></figure>\n";
  }
}

void writeDigests(const std::string& path, const std::vector<Result>& results) {
  std::ofstream out(path);
  out << std::hex << std::setfill('0');
  for (auto& r : results) out << std::setw(16) << r.digest << " " << statusName(r.status) << " " << r.name << "\n";
}

std::map<std::string, std::string> readQpa(const std::string& path) {
  std::map<std::string, std::string> statuses;
  std::ifstream in(path);
  std::string line, name;
  while (std::getline(in, line)) {
    if (line.rfind("#beginTestCaseResult ", 0) == 0) {
      name = line.substr(21);
      statuses[name] = "Crash";  // unless a result follows
    } else if (line.rfind("#terminateTestCaseResult ", 0) == 0) {
      statuses[name] = line.substr(25);
    } else if (size_t at = line.find("<Result StatusCode=\""); at != std::string::npos) {
      statuses[name] = line.substr(at + 20, line.find('"', at + 20) - at - 20);
    }
  }
  return statuses;
}

}  // namespace etzel::cts
