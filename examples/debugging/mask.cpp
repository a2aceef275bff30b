// A bug: a resolve reads the fragment mask from its second sample on, so the side of a triangle is not where it was
// drawn.
// --fixed reads it from the first on.
#include "stage.h"

#include "label.vert.h"
#include "resolve_by_mask.frag.h"
#include "resolve_by_mask_fixed.frag.h"
#include "white.frag.h"

int main(int argc, char** argv) {
  example::Stage stage;
  stage.draw(label_vert, white_frag);
  const bool fixed = example::isFixed(argc, argv);
  const demo::Picture picture =
      stage.finish(0.0f, fixed ? example::Code(resolve_by_mask_fixed_frag) : example::Code(resolve_by_mask_frag));
  return example::show(picture, "mask", 40, 30);
}
