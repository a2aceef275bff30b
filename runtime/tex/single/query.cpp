// "Image Query Instructions".
#include "runtime/tex/single/group.h"
#include "runtime/tex/single/texel_fetch.h"

namespace etzel::tex {

void runQuery(const Group& g) {
  const ImageView& view = *g.view;
  if (g.inst.kind != abi::TexKind::QuerySize) {
    const uint32_t value = g.inst.kind == abi::TexKind::QueryLevels ? view.mipCount : view.samples;
    forLanes(g.lanes, [&](uint32_t lane) { g.result[0].lane[lane] = value; });
    return;
  }
  const TexelReader reader(view);
  forLanes(g.lanes, [&](uint32_t lane) {
    uint32_t index = 0;
    if (g.inst.lod == abi::LodMode::Explicit) index = g.word(g.inst.argLod(), lane);
    if (view.layout && index >= view.mipCount) return;  // undefined: the zeros stay
    const Level l = reader.level(index);
    uint32_t words[3] = {static_cast<uint32_t>(l.width), 0, 0}, n = 1;
    switch (g.inst.dim) {
      case abi::TexDim::D1:
      case abi::TexDim::Buffer: break;
      case abi::TexDim::D3:
        words[n++] = static_cast<uint32_t>(l.height), words[n++] = static_cast<uint32_t>(l.depth);
        break;
      default: words[n++] = static_cast<uint32_t>(l.height);
    }
    if (g.inst.arrayed) words[n] = static_cast<uint32_t>(g.inst.dim == abi::TexDim::Cube ? l.layers / 6 : l.layers);
    for (uint32_t i = 0; i < 3; ++i) g.result[i].lane[lane] = words[i];
  });
}

}  // namespace etzel::tex
