// The rows of raster/draw_state.def at work: copying pieces, which is what binding a pipeline and joining libraries
// are, and which dynamic state each belongs to.
#include <algorithm>
#include <iterator>

#include "icd/pipeline/pipeline.h"

namespace etzel::icd {
namespace {

#include "icd/dynamic_states.inc"

constexpr VkDynamicState kDynamicStateOf[] = {
#define STATE(piece, dynamicState, setter, ...) dynamicState,
#include "raster/draw_state.def"
};

/// Dynamic states that some row of the table knows.
constexpr VkDynamicState kKnown[] = {
#define STATE(piece, dynamicState, setter, ...) dynamicState,
#define WITHOUT_EFFECT(dynamicState, command) dynamicState,
#include "raster/draw_state.def"
};

static_assert(std::all_of(std::begin(kOfferedDynamicState), std::end(kOfferedDynamicState),
                          [](VkDynamicState s) { return std::find(kKnown, std::end(kKnown), s) != std::end(kKnown); }),
              "a dynamic state of the offered versions and extensions has no row in raster/draw_state.def");

template <class T, size_t N>
void copyValue(T (&to)[N], const T (&from)[N]) {
  std::copy_n(from, N, to);
}
template <class T>
void copyValue(T& to, const T& from) {
  to = from;
}
template <class T, size_t N, class Copy>
void copyEach(T (&to)[N], const T (&from)[N], Copy copy) {
  for (size_t i = 0; i < N; ++i) copy(to[i], from[i]);
}

}  // namespace

VkDynamicState dynamicStateOf(StatePiece piece) { return kDynamicStateOf[static_cast<size_t>(piece)]; }

void copyState(raster::DrawState& to, const raster::DrawState& from, const StateSet& set) {
#define STATE(piece, dynamicState, setter, ...)           \
  if (set.test(static_cast<size_t>(StatePiece::piece))) { \
    __VA_ARGS__                                           \
  }
#define FIELD(type, name, initial) copyValue(to.name, from.name);
#define ARRAY(type, name, count) copyValue(to.name, from.name);
#define LIST(type, name, count) copyValue(to.name, from.name);
#define COVERAGE(type, name, initial) copyValue(to.coverage.name, from.coverage.name);
#define COVERAGE_ARRAY(type, name, count) copyValue(to.coverage.name, from.coverage.name);
#define FACE(type, name, initial) to.front.name = from.front.name, to.back.name = from.back.name;
#include "raster/draw_state.def"

  // Members of what there are many of: one loop for each row that has some.
#define COPY_EACH(many, piece, ...)                     \
  if (set.test(static_cast<size_t>(StatePiece::piece))) \
    copyEach(to.many, from.many, [](auto& to, const auto& from) { __VA_ARGS__ });
#define STATE(piece, dynamicState, setter, ...) COPY_EACH(binding, piece, __VA_ARGS__)
#define BINDING(type, name, initial) to.name = from.name;
#include "raster/draw_state.def"
#define STATE(piece, dynamicState, setter, ...) COPY_EACH(blend, piece, __VA_ARGS__)
#define BLEND(type, name, initial) to.name = from.name;
#include "raster/draw_state.def"
#undef COPY_EACH
}

}  // namespace etzel::icd
