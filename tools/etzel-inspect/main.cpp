// etzel-inspect: looks inside multisampled surfaces that a running application drew, and at what happens to a pixel.
//
//   etzel-inspect history --pixel X,Y[,SAMPLE] [OPTIONS] -- PROGRAM…   runs a program on the Vulkan driver of the
//       environment, and prints everything that happens to the pixel in a frame
//   etzel-inspect run [--frame N] [--output FOLDER] -- PROGRAM…   runs a program on the Vulkan driver of the
//   environment,
//       lets it capture frame N (presents before it; default 0), then shows every surface it wrote
//   etzel-inspect [--output FOLDER] [--pixel X,Y]… [--crop X,Y,W,H,ZOOM] FILE…   shows captured surfaces
//
// For each surface: NAME.txt (states, fragments, bytes) and NAME-{resolved,fragments,tiles,coverage}.png. For several:
// totals.txt.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

#include "history.h"
#include "legend.h"
#include "pictures.h"
#include "report.h"
#include "tools/common/run_program.h"

namespace {

namespace fs = std::filesystem;
using namespace inspect;

struct Point {
  unsigned x, y;
};
struct Options {
  std::string output = ".", frame = "0";
  std::vector<Point> pixels;
  unsigned crop[5] = {0, 0, 0, 0, 1};  ///< x, y, width (0: all), height, zoom
  std::vector<std::string> files;
  bool bare = false;  ///< no frames around pictures
  char** program = nullptr;
};

constexpr char kUsage[] =
    "usage: etzel-inspect run [--frame N] [OPTIONS] -- PROGRAM…   capture frame N of a program and show it\n"
    "       etzel-inspect [OPTIONS] FILE…                         show captured surfaces (*.etzsurf)\n"
    "       etzel-inspect history --pixel X,Y[,SAMPLE] [--image NAME] [--frame N] [--layer N] [--json] [--strip "
    "FILE.png]\n"
    "                             -- PROGRAM…                everything that happens to a pixel in a frame\n"
    "  --image NAME         history: of an image's debug name or number (\"image 2\"), or \"color 0\", \"depth\", "
    "\"stencil\"\n"
    "  --frame N            presents before the frame (default 0); history: \"all\" too\n"
    "  --output FOLDER      where pictures and texts go (default: .)\n"
    "  --pixel X,Y          print the fragment mask of a pixel as a table; may be repeated\n"
    "  --crop X,Y,W,H,ZOOM  pictures of a part only, magnified\n"
    "  --bare               pictures without coordinates and legends\n"
    "A surface is captured at the end of each subpass. Without etzel-inspect: ETZEL_CAPTURE=FOLDER, "
    "ETZEL_CAPTURE_FRAME=N.\n";

int fail(const std::string& message) {
  std::fprintf(stderr, "etzel-inspect: %s\n", message.c_str());
  return 1;
}

bool parse(int argc, char** argv, Options& o) {
  int i = 1;
  const bool run = argc > 1 && !std::strcmp(argv[1], "run");
  if (run) ++i;
  for (; i < argc; ++i) {
    const std::string arg = argv[i];
    const bool more = i + 1 < argc;
    Point p{};
    if (arg == "--" && run && more) {
      o.program = argv + i + 1;
      return true;
    }
    if (arg == "--output" && more)
      o.output = argv[++i];
    else if (arg == "--frame" && more && run)
      o.frame = argv[++i];
    else if (arg == "--pixel" && more && std::sscanf(argv[++i], "%u,%u", &p.x, &p.y) == 2)
      o.pixels.push_back(p);
    else if (arg == "--crop" && more) {
      unsigned* c = o.crop;
      if (std::sscanf(argv[++i], "%u,%u,%u,%u,%u", c, c + 1, c + 2, c + 3, c + 4) != 5 || c[4] == 0 || c[4] > 64)
        return false;
    } else if (arg == "--bare")
      o.bare = true;
    else if (arg[0] == '-' || run)
      return false;
    else
      o.files.push_back(arg);
  }
  return !run && !o.files.empty();
}

/// Totals by CaptureHeader::surface, so that a surface which was captured again counts once, and their order.
struct Totals {
  std::map<uint64_t, SurfaceTotals> of;
  std::vector<uint64_t> order;
  void take(const CapturedSurface& s, const std::string& name) {
    const etzel::msaa::CaptureHeader& h = s.header();
    if (!of.count(h.surface)) order.push_back(h.surface);
    const uint64_t plain = uint64_t{h.width} * h.height * h.texelBytes * h.samples;
    of[h.surface] = {name, storedBytes(s), plain, h.residentBytes, totalOf(h.traffic)};
  }
};

int show(const Options& o, const std::string& file, Totals& all) {
  CapturedSurface s;
  if (const std::string problem = s.open(file); !problem.empty()) return fail(problem);
  all.take(s, fs::path(file).stem().string());
  std::string words = report(s);
  for (const Point& p : o.pixels) words += "\n" + pixelTable(s, p.x, p.y);
  std::printf("%s\n%s\n", file.c_str(), words.c_str());
  const std::string stem = (fs::path(o.output) / fs::path(file).stem()).string();
  std::ofstream(stem + ".txt") << words;
  auto write = [&](const char* what, Picture p, const Legend& legend) {
    const unsigned* c = o.crop;
    if (c[2]) p = magnified(p, c[0], c[1], c[2], c[3], c[4]);
    if (!o.bare) p = c[2] ? framed(p, legend, c[0], c[1], c[4]) : framed(p, legend, 0, 0, 1);
    const std::string path = stem + "-" + what + ".png";
    return writePng(p, path) || fail("can't write " + path) == 0;
  };
  bool ok = write("resolved", resolvedPicture(s), resolvedLegend(s));
  // Where nothing is compressed the other pictures would be of one colour.
  if (s.compressed()) ok = write("tiles", tilePicture(s), tileLegend(s)) && ok;
  if (!s.surface()) return !ok;
  ok = write("fragments", fragmentPicture(s), fragmentLegend(s)) && ok;
  return !(write("coverage", coveragePicture(s), coverageLegend(s)) && ok);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && !std::strcmp(argv[1], "--help")) return std::fputs(kUsage, stdout), 0;
  if (HistoryOptions history; argc > 1 && !std::strcmp(argv[1], "history")) {
    if (parseHistory(argc, argv, history)) return showHistory(history);
    std::fputs(kUsage, stderr);
    return 2;
  }
  Options o;
  if (!parse(argc, argv, o)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  std::error_code error;
  fs::create_directories(o.output, error);
  if (error) return fail("can't make the folder " + o.output);
  if (o.program) {
    const auto begin = fs::file_time_type::clock::now();
    const int status = etzel_tools::runProgram(
        o.program, {{"ETZEL_CAPTURE", o.output}, {"ETZEL_CAPTURE_FRAME", o.frame}}, etzel_tools::Output::Programs);
    if (status) return fail("the program ended with status " + std::to_string(status));
    for (const auto& entry : fs::directory_iterator(o.output))
      if (entry.path().extension() == ".etzsurf" && entry.last_write_time() >= begin) o.files.push_back(entry.path());
    if (o.files.empty()) return fail("no multisampled attachment was drawn in frame " + o.frame);
    std::sort(o.files.begin(), o.files.end());
  }
  int status = 0;
  Totals all;
  for (const std::string& file : o.files) status |= show(o, file, all);
  if (all.order.size() > 1) {
    std::vector<SurfaceTotals> list;
    for (uint64_t surface : all.order) list.push_back(all.of[surface]);
    const std::string words = totals(list);
    std::printf("%s", words.c_str());
    std::ofstream((fs::path(o.output) / "totals.txt").string()) << words;
  }
  return status;
}
