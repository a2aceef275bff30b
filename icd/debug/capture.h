// ETZEL_CAPTURE=FOLDER: writes every multisampled attachment of one frame as it is at the end of each subpass, before
// resolves, for tools/etzel-inspect. ETZEL_CAPTURE_FRAME=N picks the frame: N presents have happened; an application
// that presents nothing has frame 0 only. Costs one test per subpass when off.
#pragma once

#include "icd/resources.h"
#include "raster/draw.h"

namespace etzel::icd {

/// Whether ETZEL_CAPTURE is set at all; read once.
bool capturing();

/// A present has been asked for and everything before it is done.
void captureFrameDone();

/// Writes the multisampled attachments of a subpass that has just run. Problems with files are reported in the log.
/// Queue threads.
void captureSubpass(const raster::Attachments& attachments);

}  // namespace etzel::icd
