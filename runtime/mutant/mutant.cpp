#include "runtime/mutant/mutant.h"

#ifdef ETZEL_MUTANTS

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace etzel {
namespace {

Mutant chosen() {
  const char* text = secure_getenv("ETZEL_MUTANT");
  if (!text) return Mutant::None;
#define ETZEL_MUTANT(Id, name, description, witness) \
  if (std::strcmp(text, name) == 0) return Mutant::Id;
#include "runtime/mutant/mutants.def"
#undef ETZEL_MUTANT
  std::fprintf(stderr, "ETZEL_MUTANT: no mutant is called '%s'\n", text);
  std::abort();
}

}  // namespace

Mutant activeMutant() {
  static const Mutant mutant = chosen();
  return mutant;
}

}  // namespace etzel

#endif
