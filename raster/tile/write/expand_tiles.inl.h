// DebugFlag::ExpandColor: drawing on expanded tiles only. Tests compare its bytes with those of compressed tiles. Part
// of the tile code: included once per instruction set.

/// Expands the tiles of the compressed colour attachments where the block at (x, y) is about to be drawn. They stay so
/// until a clear or a copy replaces the whole tile: the block after that starts from these states, as without the flag.
__attribute__((noinline)) inline void expandTiles(const PrimitiveContext& p, int32_t x, int32_t y) {
  for (uint32_t i = 0; i < p.draw->colorCount; ++i) {
    const Surface& s = p.draw->color[i].surface;
    if (s.meta) s.fragments(p.primitive->layer).expand(tileAt(s, x, y));
  }
}
