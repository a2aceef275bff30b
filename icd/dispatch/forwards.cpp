// Commands that are other ones with their parameters put differently: generated from forwards.txt.
#include <algorithm>
#include <iterator>
#include <vector>

#include "icd/entry_points.h"

namespace etzel::icd {

#include "icd/forwards.inc"

}  // namespace etzel::icd
