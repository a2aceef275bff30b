// A bug: a coordinate that is not declared `centroid` is extrapolated where a pixel's centre is not covered, so the
// side of a label shows its neighbour in the atlas. --fixed declares it.
#include "stage.h"

#include "average.frag.h"
#include "label.frag.h"
#include "label.vert.h"
#include "label_centroid.frag.h"

int main(int argc, char** argv) {
  example::Stage stage;
  const bool fixed = example::isFixed(argc, argv);
  stage.draw(label_vert, fixed ? example::Code(label_centroid_frag) : example::Code(label_frag));
  return example::show(stage.finish(1.0f, average_frag), "centroid", 40, 30);
}
