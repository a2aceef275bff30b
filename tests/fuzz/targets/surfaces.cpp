// Captured surfaces as tools/etzel-inspect reads them: opened, described, drawn as pictures.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fuzz/targets/rig_target.h"
#include "tests/fuzz/targets/targets.h"
#include "tools/etzel-inspect/pictures.h"
#include "tools/etzel-inspect/report.h"

namespace etzel::fuzz {
namespace {

namespace fs = std::filesystem;

class Surfaces final : public Target {
 public:
  std::vector<Bytes> seeds() override {
    std::string folder = (fs::temp_directory_path() / "etzel-fuzz-XXXXXX").string();
    if (!mkdtemp(folder.data())) throw vktest::Failure("no temporary folder");
    setenv("ETZEL_CAPTURE", folder.c_str(), 1);
    {
      Rig rig;
      for (std::vector<uint32_t> module : corpus()) {
        module[2] = 1;  // four samples
        rig.run(module);
      }
    }
    std::vector<Bytes> all;
    for (const auto& entry : fs::directory_iterator(folder)) {
      std::ifstream file(entry.path(), std::ios::binary);
      if (const std::string bytes{std::istreambuf_iterator<char>(file), {}}; bytes.size() < 1 << 20)
        all.emplace_back(bytes.begin(), bytes.end());
    }
    fs::remove_all(folder);
    if (all.empty()) throw vktest::Failure("nothing was captured");
    all.push_back(all[0]);  // no driver writes a surface of one sample, but a file may say so
    const uint32_t one = 1;
    std::memcpy(all.back().data() + offsetof(msaa::CaptureHeader, samples), &one, sizeof one);
    return all;
  }

  void mutate(Bytes& input, const Bytes& other, Random& random) override {
    using Header = msaa::CaptureHeader;
    if (input.size() < sizeof(Header) || pick(random, 4) == 0) return mutateRaw(input, other, random);
    Header header;
    std::memcpy(&header, input.data(), sizeof header);
    if (pick(random, 2)) {  // a number of the header, as 32 or 64 bits
      const size_t at = pick(random, offsetof(Header, residentBytes) / 4) * 4;
      const uint32_t number = interesting(random);
      std::memcpy(input.data() + at, &number, 4);
    } else if (const size_t from = pick(random, 2) ? header.stateOffset : header.metaOffset; from < input.size()) {
      for (uint32_t i = 1 + pick(random, 4); i; --i)  // states and masks
        input[from + pick(random, std::min<size_t>(64, input.size() - from))] = uint8_t(random());
    }
  }

  Outcome run(std::span<const uint8_t> input) override {
    const int file = memfd_create("surface", MFD_CLOEXEC);
    if (file < 0) return {};
    const bool written = ::write(file, input.data(), input.size()) == ssize_t(input.size());
    Outcome outcome;
    inspect::CapturedSurface surface;
    if (written && surface.open("/proc/self/fd/" + std::to_string(file)).empty()) {
      outcome = {Verdict::Ran, look(surface)};
    }
    ::close(file);
    return outcome;
  }
  bool compared() const override { return false; }

 private:
  static uint64_t look(const inspect::CapturedSurface& s) {
    std::string words = inspect::report(s);
    for (const uint32_t x : {0u, 7u, s.header().width - 1, s.header().width}) words += inspect::pixelTable(s, x, x);
    size_t bytes = words.size() + inspect::resolvedPicture(s).rgb.size() + inspect::resolvedLegend(s).caption.size();
    if (s.compressed()) bytes += inspect::tilePicture(s).rgb.size() + inspect::tileLegend(s).caption.size();
    if (s.surface()) {
      bytes += inspect::fragmentPicture(s).rgb.size() + inspect::fragmentLegend(s).caption.size();
      bytes += inspect::coveragePicture(s).rgb.size() + inspect::coverageLegend(s).caption.size();
    }
    return bytes;
  }
};

}  // namespace

std::unique_ptr<Target> makeSurfaces() { return std::make_unique<Surfaces>(); }

}  // namespace etzel::fuzz
