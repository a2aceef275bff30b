#include "cts-subset/cases/shader/cooperative_vector.h"

#include "cts-subset/cases/shader/cooperative_vector_tools.h"

namespace etzel::cts {

void registerCooperativeVectors() {
  vectors::registerProducts();
  vectors::registerMemory();
}

}  // namespace etzel::cts
