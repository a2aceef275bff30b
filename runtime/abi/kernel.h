// The contract between compiled shaders and the C++ that runs them: what a warp is given, and how it is called. All
// executors implement it, so any draw, tile or quad can run on any of them. Plain data only.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "runtime/abi/descriptor.h"
#include "runtime/abi/shader_io.h"
#include "runtime/abi/tex_inst.h"
#include "runtime/base/types.h"

namespace etzel::abi {

struct Warp;
struct Kernel;
struct Executable;
struct PrintFormat;
struct DelayedAtomics;
class AbortListener;

/// The vertices of a primitive as the API numbers them ("Barycentric Interpolation"), for programs that ask.
struct PrimitiveVertices {
  const uint32_t* record[3];  ///< missing vertices (of lines, points) repeat the last one that exists
  /// BaryCoord and BaryCoordNoPersp at the three corners of the PrimitiveSetup: unit vectors, but for what clipping
  /// made.
  float barycentric[3][kBarycentricWords];
};

/// What one triangle (line, point) gives to fragment invocations. Barycentrics of vertices 1 and 2 are planes in
/// framebuffer pixels, relative to vertex 0's snapped position (x0, y0):
///   l1 = (x - x0) * l1dx + (y - y0) * l1dy        (same for l2), linear in screen space
///   W  = w0 + l1 * (w1 - w0) + l2 * (w2 - w0)     with wk = 1 / clip w of vertex k
///   perspective: i = l1 * w1 / W,  j = l2 * w2 / W
///   attribute = a0 + i * (a1 - a0) + j * (a2 - a0), each operation rounded to f32, no fusing
/// Lines use vertex 2 = vertex 0 with l2 = 0; points have l1 = l2 = 0.
struct PrimitiveSetup {
  float x0, y0;
  float l1dx, l1dy, l2dx, l2dy;
  float w[3];
  uint32_t frontFacing;               ///< 0 or ~0
  const uint32_t* record[3];          ///< vertex records (shader_io.h)
  const uint32_t* flatRecord;         ///< the provoking vertex
  const PrimitiveVertices* vertices;  ///< valid when the program's readsVertices is set
};

/// Services that generated code calls. One table per process; the executors call through it, never by address.
struct FunctionTable {
  /// Runs one texture or image instruction for the lanes of `active`. `handle[i]` names lane i's image descriptor,
  /// `sampler[i]` its sampler descriptor (equal handles for combined ones). `args`/`result` follow tex_inst.h;
  /// implicit LOD uses quads {0-3}, {4-7}: lane 1 is right of lane 0, lane 2 below it. Helper lanes take part.
  void (*texture)(Warp* warp, uint32_t texInst, LaneMask active, const LaneWords* handle, const LaneWords* sampler,
                  const LaneWords* args, LaneWords* result);
  /// Takes what the lanes of `lanes` print: `count` words of a message of `format`, from its word `first` on. A message
  /// comes in order, its words at once or in a few pieces. Null: nobody listens.
  void (*print)(const Warp* warp, const PrintFormat& format, uint32_t first, LaneMask lanes, const LaneWords* words,
                uint32_t count) = nullptr;
};

/// Everything that is the same for all warps of a draw or dispatch.
struct DispatchContext {
  const std::byte* table[kTableCount] = {};  ///< descriptor tables; entry kNullTable points to zeros
  uint32_t tableBytes[kTableCount] = {};     ///< a handle past the end acts as kNullHandle
  const std::byte* pushConstants = nullptr;  ///< 256 bytes, always readable
  const FunctionTable* functions = nullptr;
  AbortListener* aborts = nullptr;                ///< hears of invocations that abort (abort.h); null: nobody does
  const std::atomic<uint32_t>* cancel = nullptr;  ///< nonzero: give up (the watchdog); polled at loop ends
  std::atomic<uint32_t>* progress = nullptr;      ///< nonzero: something was finished since the watchdog looked
  uint32_t sampleCount = 1;                       ///< rasterization samples
  bool perSample = false;                         ///< fragment stage: one invocation per sample
  const uint8_t* sampleLocations = nullptr;       ///< pairs (x, y) in 1/16 pixel; null: the standard locations

  /// To be called when a workgroup, a primitive or a batch of them is done. Writes only when it is news, so that the
  /// word stays in every core's cache.
  void madeProgress() const {
    if (progress && progress->load(std::memory_order_relaxed) == 0) progress->store(1, std::memory_order_relaxed);
  }
};

enum class WarpStatus : uint32_t {
  Done,
  AtBarrier,  ///< call again to go on, after every warp of the workgroup got here
  Cancelled,
};

/// What fragments read of the attachments that they are drawn to.
enum class AttachmentAspect : uint32_t {
  Color,  ///< of the attachment that a location is written to
  Depth,
  Stencil,
  kCount
};

/// One warp in flight. The caller fills it, keeps it unchanged between barrier re-entries, and owns all memory.
struct Warp {
  const DispatchContext* context = nullptr;
  const Kernel* kernel = nullptr;
  const Executable* executable = nullptr;  ///< chosen by Kernel::run at the first call, kept across barriers
  LaneMask active = 0;                     ///< lanes that run
  LaneMask helper = 0;             ///< of those, helper invocations: no stores, no atomics. Updated by demotion.
  LaneMask killed = 0;             ///< result: lanes that were discarded (OpKill, terminate, demote)
  uint32_t resume = 0;             ///< executor's own; 0 before the first call
  LaneWords* sys = nullptr;        ///< [kSysValueCount], indexed by SysValue
  LaneWords* in = nullptr;         ///< vertex stage: [kAttributeWords]; fragment stage unused (see primitive)
  LaneWords* out = nullptr;        ///< vertex, evaluation, geometry: [kRecordWords]; fragment: [kFragmentOutWords]
  LaneWords* registers = nullptr;  ///< [kernel->registerWords], need not be initialized
  std::byte* scratch = nullptr;    ///< kernel->scratchBytes * kWarpLanes, interleaved: word w of lane l at (w*8+l)*4
  std::byte* shared = nullptr;     ///< workgroup memory, kernel->sharedBytes
  void* executorState = nullptr;   ///< kernel->stateBytes, need not be initialized (mask stacks across barriers)
  const PrimitiveSetup* primitive = nullptr;  ///< fragment: lanes 0-3 and 4-7 belong to the same primitive

  // Control, evaluation and geometry stages: per lane, the vertex records it reads, recordStride words apart
  // (control: the input patch; evaluation: the control stage's output vertices; geometry: the input primitive).
  const uint32_t* inRecords[kWarpLanes] = {};
  uint32_t inRecordStride = 0;
  uint32_t inRecordCount = 0;  ///< vertices per patch or primitive; an index past it reads 0
  // Control stage: the output patch of each lane's invocation; evaluation stage reads patchRecord.
  uint32_t* outRecords[kWarpLanes] = {};
  uint32_t outRecordStride = 0;
  uint32_t* patchRecord[kWarpLanes] = {};
  // Vertex stage: reads attribute `location` of element element[i] of its binding, whatever the input rate, for each
  // lane i of `lanes`. Four words of result are written there; elements and attributes that do not exist read as those
  // of vertex input do. Null where there is no vertex input.
  void (*fetchAttribute)(Warp* warp, uint32_t location, LaneMask lanes, const LaneWords* element,
                         LaneWords* result) = nullptr;
  // Geometry stage: appends the `out` record of each lane of `lanes` to its stream / ends its strip.
  void (*emitVertex)(Warp* warp, uint32_t stream, LaneMask lanes) = nullptr;
  void (*endPrimitive)(Warp* warp, uint32_t stream, LaneMask lanes) = nullptr;
  void* user = nullptr;  ///< the caller's own
  /// Stages before rasterization: grows from warp to warp of a stage and draw, as the API orders their primitives,
  /// whatever threads run them.
  uint64_t order = 0;
  // Fragment stage: what the attachments hold for the pixel of each lane of `lanes`, which PosX, PosY and Layer name:
  // of `sample`, four words, zeros where there is no such attachment, pixel or sample. `location` is looked at for
  // colours alone. Null: there are no attachments.
  void (*readAttachment)(Warp* warp, AttachmentAspect aspect, LaneMask lanes, const LaneWords* location,
                         const LaneWords* sample, LaneWords* result) = nullptr;
  // Fragment stage: a bit per sample and lane. Fetches of the sample SampleId clear the samples that would have given
  // other texels; that of SampleId stays. Null: nobody asks.
  LaneWords* sampleShare = nullptr;
  // Compute and fragment stage: where atomics may be put off to (delayed_atomics.h). Null: they are done at once.
  DelayedAtomics* delayed = nullptr;
};

using KernelEntry = WarpStatus (*)(const void* code, Warp* warp);

/// What a primitive says of the depth of its fragments and of their places in a point:
///   FragCoordZ = ((x - x0) * dzdx + z0) + (y - y0) * dzdy     at (PosX, PosY), with the setup's x0 and y0
///   PointCoord = half + (x - pointX) * pointInvSize           likewise y; of other primitives all of it is 0
/// FragCoordW is W of PrimitiveSetup, each operation rounded to f32, no fusing in any of them.
struct FragmentPlanes {
  float z0 = 0, dzdx = 0, dzdy = 0;
  float half = 0, pointX = 0, pointY = 0, pointInvSize = 0;
};

/// Several groups of 4x2 pixels of a block of 8x8: warps that differ in what is here alone. Group g lies right of group
/// g - 1 if g is odd, and below group g - 2. Words of 64 bits have a byte of lanes for each group.
struct FragmentGroups {
  static constexpr uint32_t kCount = 8;
  uint32_t groups = 0;                ///< those that run, a bit each; not 0
  uint64_t active = 0, helper = 0;    ///< as in a Warp
  uint64_t killed = 0;                ///< result, as in a Warp
  const LaneWords* place = nullptr;   ///< PosX and PosY of group 0
  const LaneWords* offset = nullptr;  ///< what is added to them for group 0, for group 1, ...
  LaneWords* color = nullptr;         ///< result: words of group 0, of group 1, ... (fragment_groups.h)
  /// For programs that read what follows from it (fragment_groups.h). Null: those values are in Warp::sys, and there is
  /// one group.
  const FragmentPlanes* planes = nullptr;
};

/// One way to run a program: the interpreter with its decoded instructions, or machine code.
struct Executable {
  KernelEntry entry = nullptr;
  const void* code = nullptr;
  /// Runs all warps of a workgroup to their ends, barrier by barrier: `count` (not 0) warps, prepared as for `entry`,
  /// one after the other in memory. Done or Cancelled. Null: the caller takes turns with `entry`.
  WarpStatus (*workgroup)(const void* code, Warp* warps, uint32_t count) = nullptr;
  /// Runs groups of fragments one after another, on a warp prepared as for `entry` but for PosX, PosY, `out` and its
  /// lanes, which it may change. Only for fragment programs that write colours and a depth for all samples alone, and
  /// read no system value that differs between pixels but those of fragment_groups.h. Done or Cancelled. Null: the
  /// caller runs `entry` for each.
  WarpStatus (*fragments)(const void* code, Warp* warp, FragmentGroups* groups) = nullptr;
  /// Runs `strands` warps of one workgroup to their ends, instruction by instruction side by side, with the same
  /// results as one after the other: `warps` are prepared as for `entry`, one after the other in memory. Only for
  /// compute programs without barriers. Done or Cancelled. Null: the caller runs `entry` for each.
  WarpStatus (*abreast)(const void* code, Warp* warps) = nullptr;
  uint32_t strands = 1;
};

enum class Stage : uint8_t { Vertex, TessControl, TessEvaluation, Geometry, Fragment, Compute };

/// What the fixed-function side must know of a program.
struct ProgramInfo {
  Stage stage = Stage::Compute;
  uint64_t inputLocations = 0;                    ///< bit L: reads location L
  uint64_t outputLocations = 0;                   ///< bit L: writes location L (fragment: colour attachments)
  uint64_t sysValues = 0;                         ///< bit per SysValue that the program reads
  uint32_t clipDistances = 0, cullDistances = 0;  ///< written by this stage
  bool writesPointSize = false, writesLayer = false, writesViewportIndex = false, writesPrimitiveId = false;
  bool writesShadingRate = false;
  bool hasSideEffects = false;  ///< stores or atomics to memory visible outside
  bool usesBarrier = false, usesDerivatives = false;
  // Fragment
  bool writesDepth = false, writesSampleMask = false, writesStencilRef = false, writesColorIndex1 = false;
  bool writesSampleDepth = false;  ///< with writesDepth: each sample has a depth of its own (kFragOutSampleDepth)
  bool discards = false;           ///< kill, terminate or demote
  bool earlyFragmentTests = false, postDepthCoverage = false;
  uint32_t integerOutputs = 0;  ///< bit L: the colour of location L was declared with integers
  uint64_t linearInputs = 0;    ///< bit g: record words 4g to 4g + 3 are interpolated without perspective
  bool readsVertices = false;   ///< PrimitiveSetup::vertices: barycentric coordinates, per-vertex inputs
  bool sampleRate = false;      ///< SampleId, SamplePosition or a Sample input forces one invocation per sample
  /// Where invocations run per sample: one that finds its inputs at the pixel's centre, whatever its sample, may stand
  /// for all samples of Warp::sampleShare. SampleId does no more than choose samples of fetches, FragCoord is rounded
  /// down to pixels, nothing is stored, and no lane looks at another.
  bool sharesSamples = false;
  uint8_t depthMode = 0;          ///< 0 any, 1 greater, 2 less, 3 unchanged
  uint8_t interlock = 0;          ///< fragment shader interlock: 0 none
  bool readsAttachments = false;  ///< input attachments: they must be read before the fragment's own writes
  bool readsTile = false;         ///< may read what it is drawn to (Warp::readAttachment): fragments are pixels
  // Compute and control
  uint32_t localSize[3] = {1, 1, 1};
  uint32_t sharedBytes = 0;
  uint32_t subgroupSize = kWarpLanes;  ///< or kMinSubgroupSize (limits.h): the shader's; or kSubgroupAbreast
  // Tessellation
  uint32_t outputVertices = 0;  ///< control: patch size
  uint8_t tessMode = 0;         ///< 0 triangles, 1 quads, 2 isolines
  uint8_t tessSpacing = 0;      ///< 0 equal, 1 fractional even, 2 fractional odd
  bool tessClockwise = false, tessPointMode = false;
  // Geometry
  uint32_t geometryVerticesOut = 0, geometryInvocations = 1;
  uint8_t geometryInput = 0;   ///< vertices per input primitive: 1, 2, 4, 3, 6
  uint8_t geometryOutput = 0;  ///< 0 points, 1 line strip, 2 triangle strip
  // Transform feedback (VK_EXT_transform_feedback): captured words, in order of buffer and offset
  struct XfbOutput {
    uint16_t word;  ///< record word
    uint8_t buffer, stream;
    uint32_t offset;  ///< bytes in the buffer's vertex
  };
  std::vector<XfbOutput> xfbOutputs;
  uint32_t xfbStride[4] = {};
};

/// A compiled program. `executable` may be swapped for a faster one at any time; both give the same bytes.
struct Kernel {
  ProgramInfo info;
  uint32_t registerWords = 0;
  uint32_t scratchBytes = 0;  ///< per lane
  uint32_t sharedBytes = 0;
  uint32_t stateBytes = 0;
  /// Fragment stage: colours are all that it gives, and the same ones to all fragments of a primitive.
  bool oneColor = false;
  std::atomic<const Executable*> executable{nullptr};
  mutable std::atomic<uint64_t> warpsRun{0};  ///< drives the tiers
  /// Called once, by whichever thread's countWarps crosses `hotWarps`: asks for a faster executable. May be null.
  void (*onHot)(const Kernel* kernel, void* user) = nullptr;
  void* onHotUser = nullptr;
  uint64_t hotWarps = ~0ull;
  /// Called before warps run, when `lookWarps` have, with onHotUser: looks for what an executable could be made for in
  /// what is bound, and raises `lookWarps`. Not null where that is no longer the largest number.
  void (*onLook)(const Kernel* kernel, const DispatchContext& context, void* user) = nullptr;
  mutable std::atomic<uint64_t> lookWarps{~0ull};
  /// What must live as long as the kernel: native code, tickets. Changed by the tiers only, after creation.
  std::vector<std::shared_ptr<void>> attachments;
  virtual ~Kernel() = default;

  /// To be called once per batch of warps, before or after they ran.
  void countWarps(uint64_t n) const {
    const uint64_t before = warpsRun.fetch_add(n, std::memory_order_relaxed);
    if (before < hotWarps && before + n >= hotWarps && onHot) onHot(this, onHotUser);
  }

  /// What warps run, some of which are about to.
  const Executable* choose(const DispatchContext* context) const {
    if (warpsRun.load(std::memory_order_relaxed) >= lookWarps.load(std::memory_order_relaxed))
      onLook(this, *context, onHotUser);
    return executable.load(std::memory_order_acquire);
  }

  WarpStatus run(Warp* warp) const {
    if (!warp->executable) warp->executable = choose(warp->context);
    return warp->executable->entry(warp->executable->code, warp);
  }
};

}  // namespace etzel::abi
