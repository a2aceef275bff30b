#include "icd/debug/filter.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <vector>

namespace etzel::icd {
namespace {

using abi::Stage;
using abi::SysValue;

std::optional<std::vector<uint32_t>> numbersOf(const std::string& text, size_t count) {
  std::vector<uint32_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    uint32_t value = 0;
    const auto read = std::from_chars(at, end, value);
    if (read.ec != std::errc()) return {};
    numbers.push_back(value);
    if (read.ptr == end) break;
    if (*read.ptr != ',') return {};
    at = read.ptr + 1;
  }
  if (numbers.size() != count) return {};
  return numbers;
}

uint32_t sysOf(const abi::Warp& warp, SysValue v, uint32_t lane) {
  return warp.sys[static_cast<uint32_t>(v)].lane[lane];
}

uint32_t pixelOf(const abi::Warp& warp, SysValue v, uint32_t lane) {
  return static_cast<uint32_t>(std::floor(std::bit_cast<float>(sysOf(warp, v, lane))));
}

constexpr std::pair<const char*, Stage> kStages[] = {
    {"vertex", Stage::Vertex},     {"control", Stage::TessControl}, {"evaluation", Stage::TessEvaluation},
    {"geometry", Stage::Geometry}, {"fragment", Stage::Fragment},   {"compute", Stage::Compute},
};

}  // namespace

bool Filter::add(const std::string& word) {
  const size_t equals = word.find('=');
  if (equals == std::string::npos) return false;
  const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
  if (key == "stage") {
    for (const auto& [name, s] : kStages) {
      if (value != name) continue;
      stage = s;
      return true;
    }
    return false;
  }
  const auto numbers = numbersOf(value, key == "pixel" ? 2 : key == "workgroup" ? 3 : 1);
  if (!numbers) return false;
  const std::vector<uint32_t>& n = *numbers;
  if (key == "pixel") {
    pixel = {n[0], n[1]};
  } else if (key == "workgroup") {
    workgroup = {n[0], n[1], n[2]};
  } else if (key == "sample") {
    sample = n[0];
  } else if (key == "draw") {
    draw = n[0];
  } else if (key == "vertex") {
    vertex = n[0];
  } else if (key == "instance") {
    instance = n[0];
  } else if (key == "primitive") {
    primitive = n[0];
  } else if (key == "invocation") {
    invocation = n[0];
  } else {
    return false;
  }
  return true;
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
        in = in && is(primitive, SysValue::PrimitiveId, lane);
        break;
      case Stage::Compute:
        for (uint32_t i = 0; workgroup && i < 3; ++i)
          in = in && sysOf(warp, SysValue(uint32_t(SysValue::WorkgroupIdX) + i), lane) == (*workgroup)[i];
        in = in && is(invocation, SysValue::LocalIndex, lane);
        break;
      case Stage::TessEvaluation: in = is(primitive, SysValue::PrimitiveId, lane); break;
      default: in = is(primitive, SysValue::PrimitiveId, lane) && is(invocation, SysValue::InvocationId, lane); break;
    }
    if (in) lanes |= static_cast<LaneMask>(1u << lane);
  }
  return lanes;
}

uint64_t placeSysValues(Stage stage) {
  const auto bits = [](auto... values) { return (abi::sysBit(values) | ...); };
  switch (stage) {
    case Stage::Vertex: return bits(SysValue::VertexIndex, SysValue::InstanceIndex);
    case Stage::TessControl:
    case Stage::Geometry: return bits(SysValue::PrimitiveId, SysValue::InvocationId);
    case Stage::TessEvaluation:
      return bits(SysValue::PrimitiveId, SysValue::TessCoordX, SysValue::TessCoordY, SysValue::TessCoordZ);
    case Stage::Fragment:
      return bits(SysValue::PosX, SysValue::PosY, SysValue::SampleId, SysValue::SampleMaskIn, SysValue::PrimitiveId);
    default: return bits(SysValue::LocalIndex, SysValue::WorkgroupIdX, SysValue::WorkgroupIdY, SysValue::WorkgroupIdZ);
  }
}

std::string invocationName(Stage stage, const abi::Warp& warp, uint32_t lane) {
  const auto number = [&](SysValue v) { return std::to_string(sysOf(warp, v, lane)); };
  const auto real = [&](SysValue v) {
    char text[32];
    return std::string(text, std::to_chars(text, text + sizeof text, std::bit_cast<float>(sysOf(warp, v, lane))).ptr);
  };
  switch (stage) {
    case Stage::Vertex:
      return "vertex " + number(SysValue::VertexIndex) + ", instance " + number(SysValue::InstanceIndex);
    case Stage::TessControl:
      return "patch " + number(SysValue::PrimitiveId) + ", control point " + number(SysValue::InvocationId);
    case Stage::TessEvaluation:
      return "patch " + number(SysValue::PrimitiveId) + ", at (" + real(SysValue::TessCoordX) + ", " +
             real(SysValue::TessCoordY) + ", " + real(SysValue::TessCoordZ) + ")";
    case Stage::Geometry:
      return "primitive " + number(SysValue::PrimitiveId) + ", invocation " + number(SysValue::InvocationId);
    case Stage::Fragment: {
      std::string name = "pixel (" + std::to_string(pixelOf(warp, SysValue::PosX, lane)) + ", " +
                         std::to_string(pixelOf(warp, SysValue::PosY, lane)) + ")";
      if (warp.context->perSample) name += ", sample " + number(SysValue::SampleId);
      if (warp.helper >> lane & 1) name += ", helper";
      return name;
    }
    default:
      return "workgroup (" + number(SysValue::WorkgroupIdX) + ", " + number(SysValue::WorkgroupIdY) + ", " +
             number(SysValue::WorkgroupIdZ) + "), invocation " + number(SysValue::LocalIndex);
  }
}

}  // namespace etzel::icd
