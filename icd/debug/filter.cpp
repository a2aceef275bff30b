#include "icd/debug/filter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "compiler/isa/info.h"
#include "icd/debug/numbers.h"
#include "icd/object/debug_name.h"
#include "runtime/base/float_text.h"

namespace etzel::icd {
namespace {

using abi::Stage;
using abi::SysValue;

uint32_t sysOf(const abi::Warp& warp, SysValue v, uint32_t lane) {
  return warp.sys[static_cast<uint32_t>(v)].lane[lane];
}

uint32_t pixelOf(const abi::Warp& warp, SysValue v, uint32_t lane) {
  return static_cast<uint32_t>(std::floor(std::bit_cast<float>(sysOf(warp, v, lane))));
}

constexpr std::pair<const char*, Filter::Which> kWhich[] = {
    {"group", Filter::Which::Group}, {"first", Filter::Which::First}, {"each", Filter::Which::Each}};

}  // namespace

bool Filter::addWord(const std::string& key, const std::string& value) {
  if (key == "label") return label = value, !value.empty();
  if (key == "pipeline") return pipeline = value, !value.empty();
  if (key == "covered") return partly = true, value == "partly";
  if (key == "mask") return maskChanges = true, value == "changes";
  if (key == "stage") {
    for (const Stage s :
         {Stage::Vertex, Stage::TessControl, Stage::TessEvaluation, Stage::Geometry, Stage::Fragment, Stage::Compute})
      if (value == isa::stageName(s)) return stage = s, true;
    return false;
  }
  const auto known =
      std::find_if(std::begin(kWhich), std::end(kWhich), [&](const auto& w) { return value == w.first; });
  if (known != std::end(kWhich)) which = known->second;
  return known != std::end(kWhich);
}

bool Filter::add(const std::string& word) {
  const size_t equals = word.find('=');
  if (equals == std::string::npos) return false;
  const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
  for (const char* name : {"label", "pipeline", "covered", "mask", "stage", "which"})
    if (key == name) return addWord(key, value);
  const auto numbers = numbersIn<uint32_t>(value, ',');
  if (!numbers || numbers->size() != (key == "pixel" ? 2u : key == "workgroup" ? 3u : 1u)) return false;
  const std::vector<uint32_t>& n = *numbers;
  if (key == "pixel") {
    pixel = {n[0], n[1]};
    return true;
  }
  if (key == "workgroup") {
    workgroup = {n[0], n[1], n[2]};
    return true;
  }
  const std::pair<const char*, std::optional<uint32_t>*> plain[] = {
      {"sample", &sample},       {"layer", &layer},           {"view", &view},
      {"draw", &draw},           {"vertex", &vertex},         {"instance", &instance},
      {"primitive", &primitive}, {"invocation", &invocation}, {"patch", &patch}};
  for (const auto& [name, to] : plain) {
    if (key != name) continue;
    *to = n[0];
    return true;
  }
  return false;
}

bool Filter::admits(const CommandPlace& command) const {
  if (draw && *draw != command.number) return false;
  const auto is = [&](const char* open) { return label == open; };
  if (!label.empty() && std::none_of(command.labels.begin(), command.labels.end(), is)) return false;
  return pipeline.empty() || (command.pipeline && debugNameOf(*command.pipeline) == pipeline);
}

LaneMask Filter::lanes(Stage of, const abi::Warp& warp) const {
  if (!admitsStage(of)) return 0;
  const auto is = [&](const std::optional<uint32_t>& wanted, SysValue v, uint32_t lane) {
    return !wanted || sysOf(warp, v, lane) == *wanted;
  };
  LaneMask lanes = 0;
  for (LaneMask left = warp.active & ~warp.helper; left; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    bool in = true;
    switch (of) {
      case Stage::Vertex:
        in = is(vertex, SysValue::VertexIndex, lane) && is(instance, SysValue::InstanceIndex, lane);
        break;
      case Stage::Fragment:
        if (pixel)
          in = pixelOf(warp, SysValue::PosX, lane) == pixel->first &&
               pixelOf(warp, SysValue::PosY, lane) == pixel->second;
        if (in && sample)
          in = warp.context->perSample ? is(sample, SysValue::SampleId, lane)
                                       : *sample < 32 && (sysOf(warp, SysValue::SampleMaskIn, lane) >> *sample & 1);
        in = in && is(primitive, SysValue::PrimitiveId, lane) && is(layer, SysValue::Layer, lane) &&
             !(partly && sysOf(warp, SysValue::FullyCovered, lane));
        break;
      case Stage::Compute:
        for (uint32_t i = 0; workgroup && i < 3; ++i)
          in = in && sysOf(warp, SysValue(uint32_t(SysValue::WorkgroupIdX) + i), lane) == (*workgroup)[i];
        in = in && is(invocation, SysValue::LocalIndex, lane);
        break;
      case Stage::TessEvaluation:
        in = is(primitive, SysValue::PrimitiveId, lane) && is(patch, SysValue::PrimitiveId, lane);
        break;
      case Stage::TessControl: in = is(patch, SysValue::PrimitiveId, lane); [[fallthrough]];
      case Stage::Geometry:
        in = in && is(primitive, SysValue::PrimitiveId, lane) && is(invocation, SysValue::InvocationId, lane);
        break;
    }
    if (of != Stage::Compute) in = in && is(view, SysValue::ViewIndex, lane);
    if (in) lanes |= static_cast<LaneMask>(1u << lane);
  }
  return lanes;
}

InvocationPlace placeOf(Stage stage, const abi::Warp& warp, uint32_t lane) {
  InvocationPlace p;
  p.stage = stage;
  const auto take = [&](uint32_t to, SysValue v) { p.at[to] = sysOf(warp, v, lane); };
  switch (stage) {
    case Stage::Vertex: take(0, SysValue::VertexIndex), take(1, SysValue::InstanceIndex); break;
    case Stage::TessControl:
    case Stage::Geometry: take(0, SysValue::PrimitiveId), take(1, SysValue::InvocationId); break;
    case Stage::TessEvaluation:
      take(0, SysValue::PrimitiveId);
      take(1, SysValue::TessCoordX), take(2, SysValue::TessCoordY), take(3, SysValue::TessCoordZ);
      break;
    case Stage::Fragment:
      p.at[0] = pixelOf(warp, SysValue::PosX, lane), p.at[1] = pixelOf(warp, SysValue::PosY, lane);
      take(2, SysValue::SampleId), take(3, SysValue::PrimitiveId);
      p.perSample = warp.context->perSample, p.helper = warp.helper >> lane & 1;
      p.layer = sysOf(warp, SysValue::Layer, lane);
      break;
    case Stage::Compute:
      take(0, SysValue::WorkgroupIdX), take(1, SysValue::WorkgroupIdY), take(2, SysValue::WorkgroupIdZ);
      take(3, SysValue::LocalIndex);
      return p;
  }
  p.view = sysOf(warp, SysValue::ViewIndex, lane);
  return p;
}

std::string nameOf(const InvocationPlace& p) {
  const auto number = [&](uint32_t i) { return std::to_string(p.at[i]); };
  const auto real = [&](uint32_t i) { return shortestText(std::bit_cast<float>(p.at[i])); };
  std::string name;
  switch (p.stage) {
    case Stage::Vertex: name = "vertex " + number(0) + ", instance " + number(1); break;
    case Stage::TessControl: name = "patch " + number(0) + ", control point " + number(1); break;
    case Stage::TessEvaluation:
      name = "patch " + number(0) + ", at (" + real(1) + ", " + real(2) + ", " + real(3) + ")";
      break;
    case Stage::Geometry: name = "primitive " + number(0) + ", invocation " + number(1); break;
    case Stage::Fragment:
      name = "pixel (" + number(0) + ", " + number(1) + ")";
      if (p.perSample) name += ", sample " + number(2);
      break;
    case Stage::Compute:
      name = "workgroup (" + number(0) + ", " + number(1) + ", " + number(2) + "), invocation " + number(3);
      break;
  }
  if (p.layer) name += ", layer " + std::to_string(p.layer);
  if (p.view) name += ", view " + std::to_string(p.view);
  if (p.helper) name += ", helper";
  return name;
}

}  // namespace etzel::icd
