// Every header that handlers.inc needs, included before any target is chosen.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "compiler/exec/interp/frame.h"
#include "compiler/exec/interp/sample_location.h"
