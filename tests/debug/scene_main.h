// What programs that tests debug have in common: scenes by their names, one for each run.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <string>

#include "cts-subset/support/gpu.h"

namespace etzel::tests {

struct NamedScene {
  const char* name;
  std::function<void(cts::Gpu&)> run;
};

/// Runs the scene that the program's only argument names, with the source in its shaders. The device is there first, so
/// that a debugger meets those too that have no such scene. \returns the exit status
inline int runScene(const char* program, int argc, char** argv, std::initializer_list<NamedScene> scenes) {
  setenv("ETZEL_CTS_SOURCE", "1", 1);
  const std::string wanted = argc == 2 ? argv[1] : "";
  std::string names;
  try {
    cts::Gpu gpu;
    for (const NamedScene& scene : scenes) {
      if (wanted == scene.name) return scene.run(gpu), 0;
      names += (names.empty() ? "" : "|") + std::string(scene.name);
    }
  } catch (const std::exception& reason) {
    std::fprintf(stderr, "%s: %s\n", program, reason.what());
    return 1;
  }
  std::fprintf(stderr, "usage: %s %s\n", program, names.c_str());
  return 2;
}

}  // namespace etzel::tests
