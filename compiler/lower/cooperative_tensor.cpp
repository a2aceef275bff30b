// Tensor layouts and views, and cooperative matrices that are loaded and stored through them
// (SPV_NV_tensor_addressing, SPV_NV_cooperative_matrix2). Both are values of words, which instructions copy and change;
// an access computes the place of each element in a loop.
#include <algorithm>

#include "compiler/lower/cooperative_matrix.h"
#include "runtime/mutant/mutant.h"

namespace etzel::lower {
namespace {

using isa::CmpI;
using isa::Space;
using isa::Type;
using spirv::TensorClamp;

/// What a layout of `dimensions` holds: arrays one behind the other, then the clamp value.
enum class LayoutPart : uint32_t { BlockSize, Dimension, Stride, Offset, Span, ClampValue };
/// What a view holds: two arrays, then the clip's row offset, row span, column offset and column span.
enum class ViewPart : uint32_t { Dimension, Stride, Clip };

uint32_t wordOf(LayoutPart part, uint32_t dimensions) { return static_cast<uint32_t>(part) * dimensions; }
uint32_t wordOf(ViewPart part, uint32_t dimensions) { return static_cast<uint32_t>(part) * dimensions; }

// --- Layouts and views as values

void lowerCreateLayout(Lowerer& l, const spirv::Instruction& inst) {
  const spirv::Type& t = l.type(inst.type);
  if (t.kind != TypeKind::TensorLayout) return l.error(ErrorCode::InvalidShader, "a result is no tensor layout");
  std::vector<Operand> words(t.components, l.imm(0));
  std::fill_n(words.begin() + wordOf(LayoutPart::BlockSize, t.count), t.count, l.imm(1));
  l.setResult(inst, words);
}
void lowerCreateView(Lowerer& l, const spirv::Instruction& inst) {
  const spirv::Type& t = l.type(inst.type);
  if (t.kind != TypeKind::TensorView) return l.error(ErrorCode::InvalidShader, "a result is no tensor view");
  std::vector<Operand> words(t.components, l.imm(0));
  const uint32_t clip = wordOf(ViewPart::Clip, t.count);
  words[clip + 1] = words[clip + 3] = l.imm(~0u);
  l.setResult(inst, words);
}

/// The words of the layout or view that an instruction changes, and the numbers that it is given; none after an error.
struct Change {
  std::vector<Operand> words, numbers;
  uint32_t dimensions = 0;
};
Change changeOf(Lowerer& l, const spirv::Instruction& inst, TypeKind kind, uint32_t numbers) {
  const spirv::Type& t = l.type(inst.type);
  Change c;
  c.dimensions = t.count;
  if (t.kind != kind || l.typeOf(inst.operand(0)) != inst.type || inst.size() != 1 + numbers) {
    l.error(ErrorCode::InvalidShader, "a tensor layout or view has other dimensions than what it is given");
    return c;
  }
  c.words = l.components(inst.operand(0));
  for (uint32_t i = 0; i < numbers; ++i)
    c.numbers.push_back(l.toWord(l.scalar(inst.operand(1 + i)), l.typeOf(inst.operand(1 + i))));
  return c;
}
uint32_t dimensionsOf(Lowerer& l, const spirv::Instruction& inst) { return l.type(inst.type).count; }

/// An instruction that sets one array.
template <auto part, TypeKind kind>
void lowerSetArray(Lowerer& l, const spirv::Instruction& inst) {
  Change c = changeOf(l, inst, kind, dimensionsOf(l, inst));
  if (l.failed()) return;
  std::copy(c.numbers.begin(), c.numbers.end(), c.words.begin() + wordOf(part, c.dimensions));
  l.setResult(inst, c.words);
}

void lowerSetLayoutDimension(Lowerer& l, const spirv::Instruction& inst) {
  Change c = changeOf(l, inst, TypeKind::TensorLayout, dimensionsOf(l, inst));
  if (l.failed()) return;
  const auto at = [&](LayoutPart part, uint32_t i) -> Operand& { return c.words[wordOf(part, c.dimensions) + i]; };
  Operand stride = l.imm(1);
  for (uint32_t i = c.dimensions; i-- > 0;) {
    const Operand size = c.numbers[i], block = at(LayoutPart::BlockSize, i);
    at(LayoutPart::Dimension, i) = at(LayoutPart::Span, i) = size;
    at(LayoutPart::Offset, i) = l.imm(0);
    at(LayoutPart::Stride, i) = stride;
    if (i == 0) break;
    const Operand rounded =
        l.b.value(Opcode::ISub, Type::I32, l.b.value(Opcode::IAdd, Type::I32, size, block), l.imm(1));
    stride = l.b.value(Opcode::IMul, Type::I32, stride, l.b.value(Opcode::UDiv, Type::I32, rounded, block));
  }
  l.setResult(inst, c.words);
}

void lowerSlice(Lowerer& l, const spirv::Instruction& inst) {
  Change c = changeOf(l, inst, TypeKind::TensorLayout, 2 * dimensionsOf(l, inst));
  if (l.failed()) return;
  for (uint32_t i = 0; i < c.dimensions; ++i) {
    Operand& offset = c.words[wordOf(LayoutPart::Offset, c.dimensions) + i];
    offset = l.b.value(Opcode::IAdd, Type::I32, offset, c.numbers[2 * i]);
    c.words[wordOf(LayoutPart::Span, c.dimensions) + i] = c.numbers[2 * i + 1];
  }
  l.setResult(inst, c.words);
}

void lowerSetClampValue(Lowerer& l, const spirv::Instruction& inst) {
  Change c = changeOf(l, inst, TypeKind::TensorLayout, 1);
  if (l.failed()) return;
  c.words[wordOf(LayoutPart::ClampValue, c.dimensions)] = c.numbers[0];
  l.setResult(inst, c.words);
}

void lowerSetViewDimension(Lowerer& l, const spirv::Instruction& inst) {
  Change c = changeOf(l, inst, TypeKind::TensorView, dimensionsOf(l, inst));
  if (l.failed()) return;
  Operand stride = l.imm(1);
  for (uint32_t i = c.dimensions; i-- > 0;) {
    c.words[wordOf(ViewPart::Dimension, c.dimensions) + i] = c.numbers[i];
    c.words[wordOf(ViewPart::Stride, c.dimensions) + i] = stride;
    if (i) stride = l.b.value(Opcode::IMul, Type::I32, stride, c.numbers[i]);
  }
  l.setResult(inst, c.words);
}

void lowerSetClip(Lowerer& l, const spirv::Instruction& inst) {
  constexpr uint32_t kNumbers = 4;
  Change c = changeOf(l, inst, TypeKind::TensorView, kNumbers);
  if (l.failed()) return;
  std::copy(c.numbers.begin(), c.numbers.end(), c.words.begin() + wordOf(ViewPart::Clip, c.dimensions));
  l.setResult(inst, c.words);
}

// --- Addresses

/// The functions of "Tensor Layout and View" in SPV_NV_cooperative_matrix2, by their names.
class TensorAddressing {
 public:
  TensorAddressing(Lowerer& l, uint32_t layoutId, uint32_t viewId, bool isStore) : l_(l) {
    const spirv::Type& layout = l.typeOfValue(layoutId);
    if (layout.kind != TypeKind::TensorLayout || (viewId && l.typeOfValue(viewId).kind != TypeKind::TensorView)) {
      l.error(ErrorCode::InvalidShader, "an operand is no tensor layout or view");
      return;
    }
    dimensions_ = layout.count, clamp_ = static_cast<TensorClamp>(layout.members[0]);
    if (isStore && clamp_ != TensorClamp::Undefined) clamp_ = TensorClamp::Constant;
    layout_ = l.components(layoutId);
    if (!viewId) return;
    const spirv::Type& view = l.typeOfValue(viewId);
    view_ = l.components(viewId);
    viewDimensions_ = view.count, viewHasDimensions_ = view.members[0] != 0;
    permutation_.assign(view.members.begin() + 1, view.members.end());
    if (!viewHasDimensions_ && viewDimensions_ != dimensions_)
      l.error(ErrorCode::InvalidShader, "a tensor view without dimensions has not as many as the layout");
  }

  /// Whether an element is in the view's clip region; absent: there is none.
  Operand isUnclipped(Operand row, Operand column) const {
    if (view_.empty()) return {};
    const auto inside = [&](Operand x, uint32_t first) {
      return i32(Opcode::And, l_.b.icmp(CmpI::UGe, Type::I32, x, clip(first)),
                 l_.b.icmp(CmpI::ULt, Type::I32, i32(Opcode::ISub, x, clip(first)), clip(first + 1)));
    };
    return i32(Opcode::And, inside(row, 0), inside(column, 2));
  }

  struct Place {
    Operand index;     ///< tensorCoordToLinear
    Operand isInside;  ///< false: the element has the clamp value, or is not stored; absent: always true
    std::vector<Operand> block, inBlock;
  };
  Place of(Operand row, Operand column, uint32_t columns) const {
    return atSpanCoord(linearToSpanCoord(toLinear(row, column, columns)), true);
  }

  /// The condition under which rows and columns of a matrix are coordinates of the span, or the other way round, as
  /// they usually are, so that nothing need be divided but for blocks; without `hasBlocks` these are single elements as
  /// well. The same in all lanes; absent: never.
  Operand isDirect(const MatrixShape& shape, bool hasBlocks) const {
    if (dimensions_ != 2 || (!view_.empty() && viewDimensions_ != 2)) return {};
    Operand all;
    const auto require = [&](CmpI compare, Operand x, Operand y) {
      const Operand c = l_.b.icmp(compare, Type::I32, x, y);
      all = all.present() ? i32(Opcode::And, all, c) : c;
    };
    const uint32_t inner = isSwapped() ? 0 : 1;
    require(CmpI::Eq, at(LayoutPart::Span, inner), l_.imm(shape.columns));
    require(CmpI::UGe, at(LayoutPart::Span, 1 - inner), l_.imm(shape.rows));
    for (uint32_t i = 0; i < 2 && !hasBlocks; ++i) require(CmpI::Eq, at(LayoutPart::BlockSize, i), l_.imm(1));
    if (view_.empty()) return all;
    for (uint32_t i = 0; i < 2 && viewHasDimensions_; ++i) {
      require(CmpI::Eq, at(ViewPart::Dimension, i), at(LayoutPart::Span, i));
      require(CmpI::Eq, at(ViewPart::Stride, i), i ? l_.imm(1) : at(LayoutPart::Span, 1));
    }
    require(CmpI::Eq, i32(Opcode::Or, clip(0), clip(2)), l_.imm(0));
    require(CmpI::UGe, clip(3), l_.imm(shape.columns));
    return all;
  }
  Place direct(Operand row, Operand column, bool hasBlocks) const {
    return isSwapped() ? atSpanCoord({column, row}, hasBlocks) : atSpanCoord({row, column}, hasBlocks);
  }
  /// What elements outside of the tensor are: the low bits.
  Operand clampValue(const MatrixShape& shape) const {
    const uint32_t bits = 8 * shape.componentBytes;
    const Operand value = at(LayoutPart::ClampValue, 0);
    return bits < 32 ? i32(Opcode::And, value, l_.imm((1u << bits) - 1)) : value;
  }

 private:
  Operand i32(Opcode op, Operand x, Operand y) const { return l_.b.value(op, Type::I32, x, y); }
  Operand at(LayoutPart part, uint32_t i) const { return layout_[wordOf(part, dimensions_) + i]; }
  Operand at(ViewPart part, uint32_t i) const { return view_[wordOf(part, viewDimensions_) + i]; }
  Operand clip(uint32_t i) const { return at(ViewPart::Clip, i); }
  bool isSwapped() const { return !view_.empty() && permutation_[0] != 0; }

  /// "64-Bit Indexing": tensorCoordToLinear has as many.
  bool isWide() const { return l_.module.wideIndices; }
  Operand counted(Operand number) const {
    return isWide() ? l_.b.convert(Opcode::CvtUU, Type::I64, Type::I32, number) : number;
  }

  /// spanCoordToTensorCoord and tensorCoordToLinear.
  Place atSpanCoord(const std::vector<Operand>& span, bool hasBlocks) const {
    Place place;
    place.index = isWide() ? l_.imm64(0) : l_.imm(0);
    for (uint32_t i = 0; i < dimensions_; ++i) {
      const Operand c = clamped(i32(Opcode::IAdd, span[i], at(LayoutPart::Offset, i)), i, &place.isInside);
      const Operand size = at(LayoutPart::BlockSize, i);
      place.block.push_back(hasBlocks ? i32(Opcode::UDiv, c, size) : c);
      place.inBlock.push_back(hasBlocks ? i32(Opcode::ISub, c, i32(Opcode::IMul, place.block[i], size)) : l_.imm(0));
      const Type t = isWide() ? Type::I64 : Type::I32;
      const Operand step = l_.b.value(Opcode::IMul, t, counted(place.block[i]), counted(at(LayoutPart::Stride, i)));
      place.index = l_.b.value(Opcode::IAdd, t, place.index, step);
    }
    return place;
  }

  /// matrixCoordToLinear, and with a view linearToViewCoord and viewCoordToLinear.
  Operand toLinear(Operand row, Operand column, uint32_t columns) const {
    if (view_.empty()) return i32(Opcode::IAdd, i32(Opcode::IMul, row, l_.imm(columns)), column);
    const Operand width = i32(Opcode::UMin, l_.imm(columns), clip(3));
    Operand index = i32(Opcode::IAdd, i32(Opcode::IMul, i32(Opcode::ISub, row, clip(0)), width),
                        i32(Opcode::ISub, column, clip(2)));
    std::vector<Operand> coord(viewDimensions_);
    for (uint32_t i = viewDimensions_; i-- > 0;) {
      const uint32_t dimension = permutation_[i];
      coord[dimension] =
          remainder(&index, viewHasDimensions_ ? at(ViewPart::Dimension, dimension) : at(LayoutPart::Span, dimension));
    }
    Operand linear = l_.imm(0), stride = l_.imm(1);
    for (uint32_t i = viewDimensions_; i-- > 0;) {
      linear =
          i32(Opcode::IAdd, linear, i32(Opcode::IMul, coord[i], viewHasDimensions_ ? at(ViewPart::Stride, i) : stride));
      if (!viewHasDimensions_ && i) stride = i32(Opcode::IMul, stride, at(LayoutPart::Span, i));
    }
    return linear;
  }
  /// *index modulo `size`; *index is divided by it.
  Operand remainder(Operand* index, Operand size) const {
    const Operand quotient = i32(Opcode::UDiv, *index, size);
    const Operand rest = i32(Opcode::ISub, *index, i32(Opcode::IMul, quotient, size));
    *index = quotient;
    return rest;
  }
  std::vector<Operand> linearToSpanCoord(Operand index) const {
    std::vector<Operand> coord(dimensions_);
    for (uint32_t i = dimensions_; i-- > 0;) coord[i] = remainder(&index, at(LayoutPart::Span, i));
    return coord;
  }
  /// spanCoordToTensorCoord for one dimension, without blocks.
  Operand clamped(Operand c, uint32_t i, Operand* isInside) const {
    const Operand size = at(LayoutPart::Dimension, i);
    const Operand last = i32(Opcode::ISub, size, l_.imm(1));
    const auto toEdge = [&](Operand x) { return i32(Opcode::SMin, i32(Opcode::SMax, x, l_.imm(0)), last); };
    switch (clamp_) {
      case TensorClamp::Undefined: return c;
      case TensorClamp::Constant: {
        const Operand inside = l_.b.icmp(CmpI::ULt, Type::I32, c, size);
        *isInside = isInside->present() ? i32(Opcode::And, *isInside, inside) : inside;
        return c;
      }
      case TensorClamp::ToEdge: return toEdge(c);
      case TensorClamp::Repeat: return mutated(Mutant::TensorClamp) ? toEdge(c) : i32(Opcode::SMod, c, size);
      case TensorClamp::Mirror: break;
    }
    const Operand period = i32(Opcode::Shl, last, l_.imm(1));
    const Operand m = i32(Opcode::SMod, c, period);
    // One element mirrors into itself, though the period is 0.
    return toEdge(l_.b.select(l_.b.icmp(CmpI::UGe, Type::I32, m, size), i32(Opcode::ISub, period, m), m));
  }

  Lowerer& l_;
  uint32_t dimensions_ = 0, viewDimensions_ = 0;
  TensorClamp clamp_ = TensorClamp::Undefined;
  std::vector<Operand> layout_, view_;
  bool viewHasDimensions_ = false;
  std::vector<uint32_t> permutation_;
};

// --- Loads and stores

/// `index` elements of `bytes` from the start of a tensor.
Pointer elementAt(Lowerer& l, const Pointer& tensor, Operand index, uint64_t bytes) {
  Pointer p = tensor;
  l.widenOffset(&p);
  if (l.module.wideIndices || p.space == Space::Global) {
    const Operand wide = l.module.wideIndices ? index : l.b.convert(Opcode::CvtUU, Type::I64, Type::I32, index);
    l.addLong(&p, l.b.value(Opcode::IMul, Type::I64, wide, l.imm64(bytes)));
  } else {
    l.addBytes(&p, l.b.value(Opcode::IMul, Type::I32, index, l.imm(static_cast<uint32_t>(bytes))));
  }
  return p;
}

/// The same memory by its address, as functions that decode elements want it; an error where it has none.
Pointer byAddress(Lowerer& l, const Pointer& from, uint32_t type) {
  Pointer p = from;
  p.type = type, p.storage = spv::StorageClass::PhysicalStorageBuffer, p.layout = Layout::Explicit;
  if (p.space == Space::Buffer || p.space == Space::WideBuffer) {
    p.space = Space::Global, p.address = l.b.value(Opcode::BufAddr, Type::I32, from.address), p.offset = {};
    if (from.space == Space::WideBuffer) l.addLong(&p, Lowerer::word(from.address, 1));
    if (from.offset.present()) l.addBytes(&p, from.offset);
  }
  if (p.space != Space::Global) l.error(ErrorCode::InvalidShader, "a tensor that is decoded is not in a buffer");
  return p;
}

/// `f(number of the component, place)` for each element of a lane that the view does not clip.
template <class F>
void forEachElement(Lowerer& l, const MatrixShape& shape, const TensorAddressing& addressing, bool hasBlocks, F&& f) {
  const auto elements = [&](bool isDirect) {
    forEachComponent(l, shape, [&](Operand index, Operand row, Operand column) {
      const Operand isUnclipped = addressing.isUnclipped(row, column);
      if (isUnclipped.present()) l.b.ifBegin(isUnclipped);
      f(index, isDirect ? addressing.direct(row, column, hasBlocks) : addressing.of(row, column, shape.columns));
      if (isUnclipped.present()) l.b.ifEnd();
    });
  };
  const Operand isDirect = addressing.isDirect(shape, hasBlocks);
  if (!isDirect.present()) return elements(false);
  l.b.ifBegin(isDirect);
  elements(true);
  l.b.elseBegin();
  elements(false);
  l.b.ifEnd();
}

/// OpCooperativeMatrixLoadTensorNV: operands 0 pointer, 1 matrix for what is clipped, 2 layout, then masks.
void lowerLoadTensor(Lowerer& l, const spirv::Instruction& inst) {
  const MatrixShape shape = shapeOf(l, inst.type);
  const spirv::TensorOperands extra = spirv::tensorOperands(inst.operands, 3);
  const TensorAddressing addressing(l, inst.operand(2), extra.view, false);
  Pointer tensor = matrixMemory(l, inst.operand(0), shape, inst.type);
  const std::vector<Operand> before = l.components(inst.operand(1));
  if (!extra.isWhole || l.typeOf(inst.operand(1)) != inst.type)
    l.error(ErrorCode::InvalidShader, "OpCooperativeMatrixLoadTensorNV: operands do not fit");
  uint64_t bytes = shape.componentBytes;
  if (extra.decodeFunction && !l.failed()) {
    const auto function = l.module.functions.find(extra.decodeFunction);
    if (function == l.module.functions.end() || function->second.parameters.size() != 3)
      return l.error(ErrorCode::InvalidShader, "a function that decodes elements has not three parameters");
    const uint32_t pointee = l.type(function->second.parameters[0].type).element;
    bytes = l.typeBytes(pointee, Layout::Explicit);
    tensor = byAddress(l, tensor, pointee);
  }
  if (l.failed()) return;
  const WorkingMatrix matrix(l, 0, shape.count);
  forOwners(l, shape, [&] {
    matrix.putAll(before);
    const bool hasBlocks = extra.decodeFunction != 0;
    forEachElement(l, shape, addressing, hasBlocks, [&](Operand index, const TensorAddressing::Place& place) {
      if (place.isInside.present()) l.b.ifBegin(place.isInside);
      const Pointer element = elementAt(l, tensor, place.index, bytes);
      std::vector<Operand> value;
      if (extra.decodeFunction) {
        std::vector<Lowerer::Argument> arguments(3);
        arguments[0].pointer = element, arguments[1].value = place.block, arguments[2].value = place.inBlock;
        value = l.inlineFunction(inst, extra.decodeFunction, arguments);
      } else {
        value = l.load(element);
      }
      if (!value.empty()) matrix.put(index, value[0]);
      if (!place.isInside.present()) return;
      l.b.elseBegin();
      matrix.put(index, addressing.clampValue(shape));
      l.b.ifEnd();
    });
  });
  l.setResult(inst, matrix.all());
}

/// OpCooperativeMatrixStoreTensorNV: operands 0 pointer, 1 matrix, 2 layout, then masks.
void lowerStoreTensor(Lowerer& l, const spirv::Instruction& inst) {
  const uint32_t type = l.typeOf(inst.operand(1));
  const MatrixShape shape = shapeOf(l, type);
  const spirv::TensorOperands extra = spirv::tensorOperands(inst.operands, 3);
  const TensorAddressing addressing(l, inst.operand(2), extra.view, true);
  const Pointer tensor = matrixMemory(l, inst.operand(0), shape, type);
  const std::vector<Operand> all = l.components(inst.operand(1));
  if (!extra.isWhole || extra.decodeFunction || all.size() != shape.count)
    l.error(ErrorCode::InvalidShader, "OpCooperativeMatrixStoreTensorNV: operands do not fit");
  if (l.failed()) return;
  const WorkingMatrix matrix(l, 0, shape.count);
  forOwners(l, shape, [&] {
    matrix.putAll(all);
    forEachElement(l, shape, addressing, false, [&](Operand index, const TensorAddressing::Place& place) {
      if (place.isInside.present()) l.b.ifBegin(place.isInside);
      l.store(elementAt(l, tensor, place.index, shape.componentBytes), {matrix.get(index)});
      if (place.isInside.present()) l.b.ifEnd();
    });
  });
}

}  // namespace

void addTensors(LoweringTable& table) {
  using enum TypeKind;
  table.add({
      {spirv::kOpCreateTensorLayout, lowerCreateLayout},
      {spirv::kOpTensorLayoutSetBlockSize, lowerSetArray<LayoutPart::BlockSize, TensorLayout>},
      {spirv::kOpTensorLayoutSetDimension, lowerSetLayoutDimension},
      {spirv::kOpTensorLayoutSetStride, lowerSetArray<LayoutPart::Stride, TensorLayout>},
      {spirv::kOpTensorLayoutSlice, lowerSlice},
      {spirv::kOpTensorLayoutSetClampValue, lowerSetClampValue},
      {spirv::kOpCreateTensorView, lowerCreateView},
      {spirv::kOpTensorViewSetDimension, lowerSetViewDimension},
      {spirv::kOpTensorViewSetStride, lowerSetArray<ViewPart::Stride, TensorView>},
      {spirv::kOpTensorViewSetClip, lowerSetClip},
      {spirv::kOpCooperativeMatrixLoadTensor, lowerLoadTensor},
      {spirv::kOpCooperativeMatrixStoreTensor, lowerStoreTensor},
  });
}

}  // namespace etzel::lower
