// The eight-lane paths for every x86-64.
#include <emmintrin.h>

#include <array>
#include <utility>

#include "runtime/format/convert.h"
#include "runtime/msaa/fragment_surface.h"
#include "runtime/tex/address.h"
#include "runtime/tex/quick.h"

#define ETZEL_QUICK quickSse2
#define ETZEL_EXECUTE executeSse2
namespace etzel::tex {
namespace {
#include "runtime/tex/quick_vec.inl.h"
#include "runtime/tex/quick_formats.inl.h"
#include "runtime/tex/quick_kernels.inl.h"
#include "runtime/tex/quick_address.inl.h"
#include "runtime/tex/quick_square.inl.h"
#include "runtime/tex/quick_sample.inl.h"
#include "runtime/tex/quick_gather.inl.h"
#include "runtime/tex/quick_samples.inl.h"
#include "runtime/tex/quick_access.inl.h"
#include "runtime/tex/quick_execute.inl.h"
}  // namespace etzel::tex
