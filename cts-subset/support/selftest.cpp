// Cases that pass, fail, crash and hang on purpose: selftest.py runs them and looks at every kind of result file.
#include <signal.h>
#include <unistd.h>

#include "cts-subset/support/draw.h"
#include "cts-subset/support/runner.h"

namespace etzel::cts {

void registerSelftest() {
  add("selftest.pass", [](Gpu&) { EXPECT_EQ(1, 1); });
  add("selftest.fail", [](Gpu&) { EXPECT_EQ(1, 2) << "with <markup> & \"quotes\""; });
  add("selftest.picture", [](Gpu& gpu) {
    // Rendered red on the left, expected red on the right: both halves differ.
    Image target = gpu.image({.width = 16, .height = 8, .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
    DrawState s;
    s.vert = coverAll();
    s.frag = writes("gl_FragCoord.x < 8.0 ? vec4(1, 0, 0, 1) : vec4(0, 0, 0, 1)");
    s.colors = {target};
    draw(gpu, s);
    std::vector<uint8_t> want(16 * 8 * 4);
    for (uint32_t i = 0; i < 128; ++i) want[i * 4] = i % 16 < 8 ? 0 : 255, want[i * 4 + 3] = 255;
    expectPicture(gpu.download(target, 4), want, 16, 8);
  });
  add("selftest.not_supported", [](Gpu& gpu) { gpu.require(false, "something optional"); });
  add("selftest.throws", [](Gpu&) { throw Failure("a call that must succeed did not"); });
  add("selftest.crash", [](Gpu&) { raise(SIGSEGV); });
  add("selftest.exit", [](Gpu&) { _exit(7); });
  add("selftest.hang", [](Gpu&) {
    for (;;) sleep(1);
  });
  add("selftest.after", [](Gpu&) {});
}

}  // namespace etzel::cts
