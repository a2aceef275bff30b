// What drivers tell of memory and addresses while objects come and go. Each case has a device of its own.
#pragma once

#include <string>
#include <vector>

#include "cts-subset/support/gpu.h"

namespace etzel::cts {

/// Skips the case unless the driver has these extensions of devices.
void requireOffered(const Gpu& gpu, const std::vector<const char*>& extensions);

void registerMemoryReports();
void registerAddressReports();

}  // namespace etzel::cts
