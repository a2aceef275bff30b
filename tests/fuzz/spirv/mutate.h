// Mutations that know SPIR-V: most results still follow the grammar, many are valid.
#pragma once

#include "tests/fuzz/core/target.h"

namespace etzel::fuzz {

/// One to four changes. Words that do not follow the grammar are changed as bytes.
void mutateModule(Bytes& input, const Bytes& other, Random& random);

}  // namespace etzel::fuzz
