// What quick code asks of a kind of host: a generator. Each kind has a folder (x64/), and none/ stands for those that
// have no generator; the build takes one of them. Private to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/exec/interp/frame.h"
#include "compiler/isa/program.h"

namespace etzel::quick {

/// What generated code refers to while it runs; it has this one's address in it.
struct Layout {
  interp::CodePtr code;
  /// Runs from a place in the code until the warp leaves.
  void (*enter)(interp::Frame* frame, const void* at) = nullptr;
  std::vector<const std::byte*> addresses;  ///< of every Op
};

/// Machine code that may be put anywhere. Places are bytes from its start.
struct Assembled {
  std::vector<uint8_t> bytes;
  uint32_t enter = 0;         ///< what becomes Layout::enter
  std::vector<uint32_t> ops;  ///< what becomes Layout::addresses
};

/// Of a layout, only `code` is there yet.
using Generate = Assembled (*)(const isa::Program& program, const Layout& layout);

/// The generator for this host, or null where it has none.
Generate hostGenerator();

}  // namespace etzel::quick
