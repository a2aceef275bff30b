// Depth bounds, stencil and depth tests of one sample of a 4x2 group ("Fragment Operations"). Part of the tile code:
// included once per instruction set.

template <class V>  // F8 or I8
ETZEL_INLINE I8 compareOp(VkCompareOp op, V a, V b) {
  switch (op) {
    case VK_COMPARE_OP_NEVER: return splatI(0);
    case VK_COMPARE_OP_LESS: return a < b;
    case VK_COMPARE_OP_EQUAL: return a == b;
    case VK_COMPARE_OP_LESS_OR_EQUAL: return a <= b;
    case VK_COMPARE_OP_GREATER: return a > b;
    case VK_COMPARE_OP_NOT_EQUAL: return a != b;
    case VK_COMPARE_OP_GREATER_OR_EQUAL: return a >= b;
    default: return splatI(-1);
  }
}

ETZEL_INLINE I8 stencilOp(VkStencilOp op, I8 value, I8 reference) {
  switch (op) {
    case VK_STENCIL_OP_ZERO: return splatI(0);
    case VK_STENCIL_OP_REPLACE: return reference & 255;
    case VK_STENCIL_OP_INCREMENT_AND_CLAMP: return value < 255 ? value + 1 : splatI(255);
    case VK_STENCIL_OP_DECREMENT_AND_CLAMP: return value > 0 ? value - 1 : splatI(0);
    case VK_STENCIL_OP_INVERT: return ~value & 255;
    case VK_STENCIL_OP_INCREMENT_AND_WRAP: return (value + 1) & 255;
    case VK_STENCIL_OP_DECREMENT_AND_WRAP: return (value - 1) & 255;
    default: return value;
  }
}

/// What the tests of a group have in common for all its samples.
struct TestInput {
  bool frontFacing;
  float minDepth, maxDepth;     ///< of the viewport, for depth clamping
  const LaneWords* stencilRef;  ///< shader-exported references, or null
};

/// The words of a depth attachment that `z` becomes: codes for fixed point, float bits otherwise.
ETZEL_INLINE U8 depthCode(DepthFormat format, F8 z) {
  switch (format) {
    case DepthFormat::D16: return (U8)roundScaledI(clampF(z, 0.0f, 1.0f), 65535.0);
    case DepthFormat::D24: return (U8)roundScaledI(clampF(z, 0.0f, 1.0f), 16777215.0);
    default: return asU(z);
  }
}

/// Runs the enabled tests on `lanes` of one sample, updates stencil and depth when `write`, and returns the lanes that
/// pass. `z` is the sample's depth before clamping.
inline LaneMask testSample(const DepthStencilState& d, const TestInput& in, const Group& g, uint32_t sample,
                           LaneMask lanes, F8 z, bool write) {
  U8 oldDepth = {}, code = {};
  I8 depthPass = splatI(-1);
  if (d.depthTest || d.boundsTest) {
    oldDepth = loadTexels(d.depth, g, sample, lanes);
    U8 stored = d.format == DepthFormat::D24 ? oldDepth & 0xFFFFFFu : oldDepth;
    if (d.boundsTest) {
      // "Depth Bounds Test": what is stored against the bounds, both in the attachment's representation.
      U8 low = depthCode(d.format, splat(d.boundsMin)), high = depthCode(d.format, splat(d.boundsMax));
      I8 inside = d.format == DepthFormat::D32F ? (asF(stored) >= asF(low)) & (asF(stored) <= asF(high))
                                                : ((I8)stored >= (I8)low) & ((I8)stored <= (I8)high);
      lanes &= signs(inside);
      if (lanes == 0) return 0;
    }
    if (d.depthTest) {
      // "Depth Clamping and Range Adjustment". Without it float depth keeps any value (unrestricted depth range), and
      // fixed point clamps to [0, 1] in its conversion.
      if (d.depthClamp) z = clampF(z, in.minDepth, in.maxDepth);
      code = depthCode(d.format, z);
      depthPass = d.format == DepthFormat::D32F ? compareOp(d.compare, asF(code), asF(stored))
                                                : compareOp(d.compare, (I8)code, (I8)stored);
    }
  }
  if (d.stencilTest) {
    const StencilFace& face = in.frontFacing ? d.front : d.back;
    I8 reference = in.stencilRef ? loadAs<I8>(in.stencilRef) : splatI(static_cast<int32_t>(face.reference));
    U8 oldWords = loadTexels(d.stencil, g, sample, lanes);
    I8 old = (I8)oldWords, compareMask = splatI(static_cast<int32_t>(face.compareMask & 255));
    I8 stencilPass = compareOp(face.compare, reference & compareMask, old & compareMask);
    if (write) {
      I8 failed = stencilOp(face.fail, old, reference), depthFailed = stencilOp(face.depthFail, old, reference);
      I8 passed = stencilOp(face.pass, old, reference);
      I8 next = stencilPass ? (depthPass ? passed : depthFailed) : failed;
      I8 writeMask = splatI(static_cast<int32_t>(face.writeMask & 255));
      next = (old & ~writeMask) | (next & writeMask);
      storeTexels(d.stencil, g, sample, lanes, (U8)next, oldWords);
    }
    depthPass &= stencilPass;
  }
  LaneMask passed = lanes & signs(depthPass);
  if (write && d.depthWrite && passed) storeTexels(d.depth, g, sample, passed, code, oldDepth);
  return passed;
}

/// testSample for the common case: a float depth test alone, on a whole group.
ETZEL_INLINE LaneMask testFloatDepth(const DepthStencilState& d, const TestInput& in, const Group& g, uint32_t sample,
                                     LaneMask lanes, F8 z, bool write) {
  std::byte* at = d.depth.at(static_cast<uint32_t>(g.x), static_cast<uint32_t>(g.y), g.layer, sample);
  U8 old = loadGroup32(at, d.depth.rowPitch);
  if (d.depthClamp) z = clampF(z, in.minDepth, in.maxDepth);
  I8 passes = compareOp(d.compare, z, asF(old)) & maskOf(lanes);
  LaneMask passed = signs(passes);
  if (write && d.depthWrite && passed) storeGroup32(at, d.depth.rowPitch, selectU(passes, asU(z), old));
  return passed;
}
