// One worker of the front end: takes batches of a draw's primitives from input assembly to the bins. Workers run
// batches of the same draw at the same time; each writes only its own memory. Results of a batch do not depend on
// which worker ran it.
#pragma once

#include <memory>

#include "raster/front/assemble/assembly.h"
#include "raster/front/assemble/vertex_reuse.h"
#include "raster/front/fetch/vertex_fetch.h"
#include "raster/front/primitive/primitive_stage.h"
#include "raster/front/tessellate/tessellator.h"
#include "raster/front/warp/warp_memory.h"

namespace etzel::raster {

/// What the tasks of a draw share. Immutable while they run.
struct FrontDraw {
  const DrawRecord* record = nullptr;
  const DrawState* state = nullptr;
  uint64_t preparation = 0;  ///< draws with the same number differ in record, state's resources, params and fetch only
  DrawParams params;
  Assembly assembly;
  VertexFetch fetch;
  RecordShape vertexShape, controlShape, evaluationShape, geometryShape;
  RasterState raster;
  bool rasterizes = true;  ///< false: rasterizer discard
  bool indexed = false;
};

/// A run of primitives: instance by instance, [first, first + count) counts primitives of all instances.
struct FrontBatch {
  uint64_t first = 0;
  uint32_t count = 0;
  uint32_t viewIndex = 0;
};

class FrontWorker {
 public:
  /// Gets ready for a draw; keeps memory from earlier ones.
  void begin(const FrontDraw& draw);
  /// Runs a batch; sink().items then holds its bins. \returns false when a kernel was cancelled.
  bool run(const FrontBatch& batch);

  BinSink& sink() { return sink_; }
  /// Counted since the caller last forgot it.
  Statistics& statistics() { return statistics_; }

 private:
  struct Emitter;
  /// begin() for a draw that is not like the last one.
  void prepare(const FrontDraw& draw);
  /// Where records of a stage live: until flush when they are rasterized, else until the batch ends.
  uint32_t* recordMemory(size_t words, bool lastStage);
  VertexBlock shadeVertices(const uint32_t* vertex, const uint32_t* instance, uint32_t count);
  bool tessellateAndShade(const VertexBlock& block, const PrimitiveList& patches);
  bool runControl(const uint32_t* input, uint32_t patchId, uint32_t* output, uint32_t* patchRecord);
  /// The warps of a patch, prepared: all by one call, or one after the other up to the next barrier.
  bool runControlAtOnce(const abi::Executable& executable, uint32_t warps);
  bool runControlInTurn(uint32_t warps);
  bool shadeDomainPoints();
  bool afterVertices(const VertexBlock& block, const PrimitiveList& list);
  void takeEmitted(uint32_t lanes, const uint32_t* laneId, const uint32_t* laneInstance);
  bool runGeometry(const VertexBlock& block, const PrimitiveList& list);
  void afterLastStage(uint32_t stream, const VertexBlock& block, const PrimitiveList& list);

  static void fetchAttribute(abi::Warp* warp, uint32_t location, LaneMask lanes, const LaneWords* element,
                             LaneWords* result);
  static void emitVertex(abi::Warp* warp, uint32_t stream, LaneMask lanes);
  static void endPrimitive(abi::Warp* warp, uint32_t stream, LaneMask lanes);

  const FrontDraw* draw_ = nullptr;
  uint64_t preparation_ = 0;  ///< of the draw that was prepared last
  BinSink sink_;
  Arena temporary_{256 * 1024};  ///< one batch
  Statistics statistics_;
  std::unique_ptr<PrimitiveStage> primitives_;
  WarpMemory vertex_, evaluation_, geometry_;
  std::vector<std::unique_ptr<WarpMemory>> control_;  ///< one per warp of a patch
  std::vector<LaneWords> controlShared_;
  uint32_t viewIndex_ = 0;

  VertexReuse reuse_;

  // Domain points of several patches, shaded together.
  struct PendingPoint {
    DomainPoint at;
    uint32_t* control;
    uint32_t* patch;
    uint32_t patchId;
  };
  TessOutput tess_;
  std::vector<PendingPoint> points_;
  std::vector<uint32_t> pointIndices_, pointPrimitiveIds_, pointInstances_;
  std::vector<uint32_t> indices_, ids_;  ///< afterVertices: adjacency removed
  std::unique_ptr<Emitter> emitter_;

 public:
  FrontWorker();
  ~FrontWorker();
};

}  // namespace etzel::raster
