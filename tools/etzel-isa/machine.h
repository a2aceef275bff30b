// A machine for one program, described by text: what `etzel-isa run` runs on. One setting a line (or argument), "#"
// starts a comment. Values are separated by commas: integers, 0x bits, or floats (with a point or exponent); n*v is
// v n times.
//
//   i3=1.0,2.0           in registers from i3.x on, the same in every lane; i3.y=... with 8 values: a value per lane
//   sys NAME=v           a system value (FragCoordX, SampleId, ...): one value, or 8
//   push=v,...           push constants
//   buffer N=v,...       what the buffer descriptor of resource N shows; N is a number, or SET:BINDING
//   image N=FORMAT WxH[xD] [1d|2d|3d|cube|1d_array|2d_array|cube_array] [linear] [clamp|mirror|border|repeat]
//          [compare] : v,...      texels of four components, repeated until the image is full; with a sampler
//   attribute N=v,...    elements of four components that lda reads
//   vertex K=v,...       record of vertex K: position (4 values), then locations 0... (fragments: of the triangle;
//                        geometry, control, evaluation: of the input)
//   samples=N            rasterization samples; per_sample=1: an invocation per sample
//   lanes=MASK, helpers=MASK, groups=X,Y,Z
#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/isa/program.h"
#include "runtime/base/result.h"
#include "runtime/mem/image_layout.h"
#include "runtime/tex/view.h"

namespace etzel::tool {

/// An image with its sampler, as a descriptor shows it. Does not move once it is bound.
struct Image {
  mem::ImageLayout layout;
  std::vector<std::byte> bytes;
  tex::ImageView view;
  tex::Sampler sampler;
};

/// The memory around a program. Descriptors point into it, so it stays where it is.
class Machine {
 public:
  explicit Machine(const isa::Program& program);
  Machine(const Machine&) = delete;

  /// Applies one setting. Errors: "column C: why".
  Result<void> set(const std::string& setting);

  abi::DispatchContext context;
  LaneMask lanes = kAllLanes, helpers = 0;
  uint32_t groups[3] = {1, 1, 1};
  std::vector<LaneWords> in, sys;
  uint64_t sysGiven = 0;                                 ///< bit per SysValue that a setting named
  std::map<uint32_t, std::vector<uint32_t>> buffers;     ///< by resource
  std::map<uint32_t, std::vector<uint32_t>> attributes;  ///< by location
  std::vector<std::vector<uint32_t>> vertices;           ///< records of abi::kRecordWords

 private:
  friend class SettingParser;
  std::byte* slot(uint32_t resource);

  const isa::Program& program_;
  std::list<Image> images_;
  std::map<uint32_t, std::vector<std::byte>> tables_;
  std::vector<std::byte> push_ = std::vector<std::byte>(256);
};

}  // namespace etzel::tool
