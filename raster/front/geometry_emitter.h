// Collects what the lanes of a geometry warp emit, and turns their strips into primitives, stream by stream, in the
// order of the invocations.
#pragma once

#include <vector>

#include "raster/front/front_worker.h"

namespace etzel::raster {

using abi::kMaxStreams;

struct FrontWorker::Emitter {
  struct Vertex {
    uint8_t stream;
    bool startsStrip;
  };
  struct Lane {
    uint32_t count = 0;
    bool cut[kMaxStreams] = {};
  };

  void begin(const abi::ProgramInfo& info, const RecordShape& recordShape, bool lastProvokes) {
    shape = &recordShape;
    maxVertices = info.geometryVerticesOut;
    outputKind = info.geometryOutput;
    provokingLast = lastProvokes;
    const size_t slots = size_t(kWarpLanes) * maxVertices;
    if (buffer.size() < slots * recordShape.stride()) buffer.resize(slots * recordShape.stride());
    if (vertices.size() < slots) vertices.resize(slots);
    filled = false;
  }
  /// `memory`: where to put all records that the warp may emit, one after the other; null: in the buffer
  void beginWarp(uint32_t* memory) {
    records = memory ? memory : buffer.data();
    for (Lane& l : lane) {
      l.count = 0;
      for (bool& c : l.cut) c = true;
    }
  }
  uint32_t* record(uint32_t laneIndex, uint32_t i) {
    return records + (size_t(laneIndex) * maxVertices + i) * shape->stride();
  }
  Vertex& vertex(uint32_t laneIndex, uint32_t i) { return vertices[size_t(laneIndex) * maxVertices + i]; }

  /// Copies the vertices of lanes [0, lanes) to `out`, which has room or is where they are, and makes their strips
  /// primitives, lane by lane.
  /// `laneId`: each lane's primitive; `laneInstance`: its instance, or null
  void assemble(uint32_t lanes, const uint32_t* laneId, const uint32_t* laneInstance, VertexBlock& out);

  const RecordShape* shape = nullptr;
  uint32_t maxVertices = 0;
  uint8_t outputKind = 0;
  bool provokingLast = false;
  bool filled = false;  ///< the last warp's lanes emitted all vertices that they may: the next ones will, most likely
  Lane lane[kWarpLanes];
  uint32_t* records = nullptr;
  std::vector<uint32_t> buffer;
  std::vector<Vertex> vertices;
  std::vector<uint32_t> indices[kMaxStreams], ids[kMaxStreams], instances[kMaxStreams];
  std::vector<uint8_t> continues[kMaxStreams];
};

}  // namespace etzel::raster
