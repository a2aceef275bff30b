// Vertex input ("Fixed-Function Vertex Processing"): reads attributes of every format from the bound buffers into a
// warp's input words. Reads outside a binding give zero, as robustBufferAccess2 asks. prepare() or rebind() once per
// draw; fetch() from any thread.
#pragma once

#include "raster/draw.h"

namespace etzel::raster {

class VertexFetch {
 public:
  void prepare(const DrawState& state, uint64_t inputLocations, uint32_t firstInstance);
  /// prepare() where nothing but bindings and the first instance differs from the last time.
  void rebind(const DrawState& state, uint32_t firstInstance);

  /// Fills in[attributeWord(L, C)] for lanes [0, lanes): lane i reads vertex `vertex[i]` of instance `instance[i]`
  /// (counted from 0). Other lanes get anything.
  void fetch(const uint32_t* vertex, const uint32_t* instance, uint32_t lanes, LaneWords* in) const;

  /// Four words of the attribute of `location` from element element[i] of its binding, for the lanes i of `lanes`,
  /// whatever its input rate. Attributes that prepare() left out give zeros.
  void fetchElement(uint32_t location, LaneMask lanes, const LaneWords& element, LaneWords* result) const;

 private:
  enum class Kind : uint8_t {
    Words,    ///< 32-bit components, taken as they are
    Words64,  ///< 64-bit components, two words each
    Decode,   ///< through the format table
  };
  struct Attribute {
    const std::byte* data = nullptr;
    uint64_t size = 0;
    uint32_t stride = 0, offset = 0, bytes = 0;
    uint32_t divisor = 0;
    uint32_t inWord = 0;
    uint32_t alpha = 0;  ///< of formats without one
    format::DecodeFn decode = nullptr;
    Kind kind = Kind::Decode;
    uint8_t components = 4;
    uint8_t binding = 0;
    bool perInstance = false;
    bool isUnorm8 = false;  ///< four components of eight bits at `shift`
    uint8_t shift[4] = {};
  };
  static void bind(Attribute& a, const VertexBinding& binding);
  /// Where an element lies; null outside of the binding.
  static const std::byte* locate(const Attribute& a, uint64_t element);
  /// Converts one attribute of `lanes` lanes to at most `words` words each.
  static void convert(const Attribute& a, const std::byte* const* source, uint32_t lanes, LaneWords* to,
                      uint32_t words);
  /// The same for eight lanes that all lie inside of the binding. \returns false for formats that it does not know.
  static bool convertAll(const Attribute& a, const std::byte* const* source, LaneWords* to);

  Attribute attribute_[kMaxVertexAttributes];
  uint32_t count_ = 0;
  uint32_t firstInstance_ = 0;
};

}  // namespace etzel::raster
