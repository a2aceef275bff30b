// All targets.
#pragma once

#include "tests/fuzz/core/target.h"

namespace etzel::fuzz {

std::unique_ptr<Target> makeShaders();
std::unique_ptr<Target> makeCaches();
std::unique_ptr<Target> makePrograms();
std::unique_ptr<Target> makeBinaries();
std::unique_ptr<Target> makeSurfaces();
std::unique_ptr<Target> makeDescriptors();

}  // namespace etzel::fuzz
