// A bug: a fence discards where one sees through it, but tests depth before that, so its depth hides what is drawn
// behind it later. --fixed tests late.
#include "stage.h"

#include "average.frag.h"
#include "fence.frag.h"
#include "fence_late.frag.h"
#include "label.vert.h"
#include "meadow.frag.h"
#include "meadow.vert.h"

int main(int argc, char** argv) {
  example::Stage stage;
  const bool fixed = example::isFixed(argc, argv);
  stage.draw(label_vert, fixed ? example::Code(fence_late_frag) : example::Code(fence_frag), true);
  stage.draw(meadow_vert, meadow_frag, true);
  return example::show(stage.finish(0.0f, average_frag), "early_depth", 19, 30);
}
