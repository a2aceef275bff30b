// ETZEL_CAPTURE=FOLDER: writes every multisampled attachment of one frame as it is at the end of each subpass, before
// resolves, for tools/etzel-inspect. ETZEL_CAPTURE_FRAME=N picks the frame: N presents have happened; an application
// that presents nothing has frame 0 only. The bytes that the frame moves in them are counted too
// (runtime/msaa/traffic.h). Costs one test per subpass and submission when off.
#pragma once

#include "icd/debugger_built.h"
#ifndef ETZEL_DEBUGGER_BUILT
#include "icd/debug/absent.h"
#else

#include "icd/memory/resources.h"
#include "raster/draw.h"

namespace etzel::icd {

/// Whether ETZEL_CAPTURE is set at all; read once, which begins to count traffic for frame 0.
bool capturing();

/// Brings the files of this frame up to date with what has moved since they were written: resolves and copies follow
/// the subpass that draws. Queue threads, between batches.
void captureTraffic();

/// A present has been asked for and everything before it is done.
void captureFrameDone();

/// Writes the multisampled attachments of a subpass that has just run. Problems with files are reported in the log.
/// Queue threads.
void captureSubpass(const raster::Attachments& attachments);

}  // namespace etzel::icd

#endif
