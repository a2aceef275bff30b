// A bug: light is averaged before it is made a colour, so the sides of what is bright have steps as without
// multisampling. --fixed does it sample by sample.
#include "stage.h"

#include "average_of_tone_mapped.frag.h"
#include "lamp.frag.h"
#include "lamp.vert.h"
#include "tone_mapped_average.frag.h"

int main(int argc, char** argv) {
  example::Stage stage;
  stage.draw(lamp_vert, lamp_frag);
  const bool fixed = example::isFixed(argc, argv);
  const demo::Picture picture =
      stage.finish(0.02f, fixed ? example::Code(average_of_tone_mapped_frag) : example::Code(tone_mapped_average_frag));
  return example::show(picture, "tone_mapping", 40, 33);
}
