// Image instructions. Each builds the argument block that abi/tex_inst.h describes and one texture instruction; the
// texture units do the rest ("Image Operations" chapter).
#include "compiler/lower/image.h"

#include <algorithm>

#include "compiler/lower/instructions.h"

#include "runtime/mutant/mutant.h"

namespace etzel::lower {

using abi::LodMode;
using abi::TexDim;
using abi::TexInst;
using abi::TexKind;
using abi::TexType;
using isa::Type;
using spv::Op;

TexInst texInstOf(Lowerer& l, const spirv::Type& image, TexKind kind) {
  TexInst t;
  t.kind = kind;
  t.lod = LodMode::Zero;
  t.arrayed = image.arrayed;
  t.multisampled = image.multisampled;
  switch (image.dim) {
    case spv::Dim::Dim1D: t.dim = TexDim::D1; break;
    case spv::Dim::Dim3D: t.dim = TexDim::D3; break;
    case spv::Dim::Cube: t.dim = TexDim::Cube; break;
    case spv::Dim::Rect: t.dim = TexDim::Rect; break;
    case spv::Dim::Buffer: t.dim = TexDim::Buffer; break;
    case spv::Dim::SubpassData: t.dim = TexDim::Subpass; break;
    default: t.dim = TexDim::D2; break;
  }
  const auto& sampled = l.type(image.element);
  if (sampled.kind == TypeKind::Int) {
    if (sampled.width == 64)
      t.type = sampled.isSigned ? TexType::Sint64 : TexType::Uint64;
    else
      t.type = sampled.isSigned ? TexType::Sint : TexType::Uint;
  }
  return t;
}

const spirv::Type& imageTypeOf(Lowerer& l, uint32_t valueId) {
  const spirv::Type* t = &l.typeOfValue(valueId);
  if (t->kind == TypeKind::SampledImage) t = &l.type(t->element);
  return *t;
}

static Operand asFloatWord(Lowerer& l, Operand o, uint32_t scalarType) {
  const Type t = l.isaType(scalarType);
  return t == Type::F32 || l.type(scalarType).kind != TypeKind::Float ? o : l.b.convert(Opcode::CvtFF, Type::F32, t, o);
}

std::vector<Operand> wordsOf(Lowerer& l, uint32_t id, bool asFloat) {
  std::vector<Operand> c = l.components(id);
  const uint32_t scalarType = l.scalarTypeOf(l.typeOf(id));
  for (Operand& o : c) o = asFloat ? asFloatWord(l, o, scalarType) : l.toWord(o, scalarType);
  return c;
}

namespace {

/// The optional image operands (SPIR-V "Image Operands"), as ids; 0 = absent.
struct ImageOperands {
  uint32_t bias = 0, lod = 0, gradX = 0, gradY = 0, offset = 0, offsets = 0, sample = 0, minLod = 0;
  bool signExtend = false, zeroExtend = false;

  ImageOperands(const spirv::Instruction& inst, size_t at) {
    if (at >= inst.size()) return;
    const uint32_t mask = inst.operand(at++);
    auto has = [&](spv::ImageOperandsMask m) { return (mask & uint32_t(m)) != 0; };
    auto take = [&](spv::ImageOperandsMask m) { return has(m) ? inst.operand(at++) : 0; };
    using M = spv::ImageOperandsMask;
    bias = take(M::Bias);
    lod = take(M::Lod);
    if (has(M::Grad)) gradX = inst.operand(at++), gradY = inst.operand(at++);
    offset = take(M::ConstOffset);
    if (const uint32_t dynamic = take(M::Offset)) offset = dynamic;
    offsets = take(M::ConstOffsets);
    sample = take(M::Sample);
    minLod = take(M::MinLod);
    take(M::MakeTexelAvailable);
    take(M::MakeTexelVisible);
    signExtend = has(M::SignExtend);
    zeroExtend = has(M::ZeroExtend);
  }
};

/// One image instruction under construction: the descriptor of its operation and its argument words in order.
class ImageOp {
 public:
  ImageOp(Lowerer& lowerer, const spirv::Instruction& instruction, TexKind kind, bool sparse = false)
      : l_(lowerer), inst_(instruction), t(texInstOf(lowerer, imageTypeOf(lowerer, instruction.operand(0)), kind)) {
    t.sparse = sparse;
    const auto& c = l_.components(inst_.operand(0));
    image_ = l_.componentOf(inst_.operand(0), 0);
    if (c.size() > 1) sampler_ = c[1];
  }

 private:
  Lowerer& l_;
  const spirv::Instruction& inst_;

 public:
  TexInst t;

  void push(Operand o) { args_.push_back(o); }
  void push(const std::vector<Operand>& words, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) args_.push_back(i < words.size() ? words[i] : l_.imm(0));
  }
  /// Coordinates; floats for filtered operations. `divide`: projective, the last one divides the others.
  void coordinates(uint32_t id, bool isFloat, bool divide = false) {
    std::vector<Operand> c = wordsOf(l_, id, isFloat);
    if (divide) {
      q_ = c[std::min<size_t>(t.spatialDims(), c.size() - 1)];
      for (uint32_t i = 0; i < t.spatialDims(); ++i) c[i] = l_.b.value(Opcode::FDiv, Type::F32, c[i], q_);
    }
    if (t.dim == TexDim::Subpass) {
      // "Input attachments": relative to the fragment. The texture unit adds its pixel and layer.
      using abi::SysValue;
      for (SysValue v : {SysValue::PosX, SysValue::PosY, SysValue::Layer, SysValue::ViewIndex})
        l_.info().sysValues |= uint64_t(1) << uint32_t(v);
      l_.info().readsAttachments = true;
    }
    push(c, t.argCoordWords());
  }
  void depthReference(uint32_t id) {
    t.dref = true;
    Operand d = wordsOf(l_, id, true)[0];
    if (q_.present()) d = l_.b.value(Opcode::FDiv, Type::F32, d, q_);
    push(d);
  }
  /// Everything behind the coordinates and the depth reference. `implicit`: the LOD comes from derivatives.
  void operands(const ImageOperands& o, bool implicit) {
    const bool inGroups = l_.module.hasMode(spv::ExecutionMode::DerivativeGroupQuadsNV) ||
                          l_.module.hasMode(spv::ExecutionMode::DerivativeGroupLinearNV);
    if (implicit && (inGroups || l_.stage() == abi::Stage::Fragment)) t.lod = LodMode::Implicit;
    const bool floatLod = t.kind == TexKind::Sample || t.kind == TexKind::Gather;
    if (o.bias && t.lod == LodMode::Implicit) {
      t.lod = LodMode::Bias;
      push(wordsOf(l_, o.bias, true)[0]);
    } else if (o.lod && t.kind != TexKind::Gather) {
      t.lod = LodMode::Explicit;
      push(wordsOf(l_, o.lod, floatLod)[0]);
    } else if (o.gradX) {
      t.lod = LodMode::Grad;
      push(wordsOf(l_, o.gradX, true), t.spatialDims());
      push(wordsOf(l_, o.gradY, true), t.spatialDims());
    }
    if (o.offset) {
      t.offset = true;
      push(wordsOf(l_, o.offset, false), t.offsetDims());
    }
    if (o.offsets) {
      t.offsets4 = true;
      push(wordsOf(l_, o.offsets, false), 8);
    }
    if (o.minLod) {
      t.minLod = true;
      push(wordsOf(l_, o.minLod, true)[0]);
    }
    if (t.hasSample() && t.kind != TexKind::FragmentFetch) push(o.sample ? wordsOf(l_, o.sample, false)[0] : l_.imm(0));
    if (o.signExtend || o.zeroExtend) {
      const bool wide = t.type == TexType::Sint64 || t.type == TexType::Uint64;
      t.signExtend = o.signExtend;
      if (t.type != TexType::Float)
        t.type = o.signExtend ? (wide ? TexType::Sint64 : TexType::Sint) : (wide ? TexType::Uint64 : TexType::Uint);
    }
  }
  Operand emit() {
    const Operand block = args_.empty() ? Operand{} : l_.consecutive(args_);
    return l_.b.texture(t, image_, block, sampler_);
  }
  /// Emits and binds the texel (and the residency code of sparse forms).
  void emitTexel() {
    const Operand r = emit();
    const bool wide = t.type == TexType::Sint64 || t.type == TexType::Uint64;
    uint32_t texelType = inst_.type;
    std::vector<Operand> result;
    if (t.sparse) {
      const auto& s = l_.type(inst_.type);
      texelType = s.members.size() > 1 ? s.members[1] : inst_.type;
      result.push_back(Lowerer::word(r, wide ? 8 : 4));
    }
    const uint32_t scalarType = l_.scalarTypeOf(texelType);
    const auto& texel = l_.type(texelType);
    const uint32_t count = texel.kind == TypeKind::Vector ? texel.count : 1;
    for (Operand o : Lowerer::split(r, count, wide ? 2 : 1)) result.push_back(narrowed(o, scalarType));
    if (mutated(Mutant::GatherOrder) && t.kind == TexKind::Gather) std::swap(result.end()[-4], result.end()[-3]);
    l_.setResult(inst_, std::move(result));
  }

 private:
  /// A 32-bit texel component in the result's narrower type.
  Operand narrowed(Operand o, uint32_t scalarType) {
    const Type to = l_.isaType(scalarType);
    if (to == Type::F16) return l_.b.convert(Opcode::CvtFF, Type::F16, Type::F32, o);
    if (to == Type::I16 || to == Type::I8) return l_.b.convert(Opcode::CvtUU, to, Type::I32, o);
    return o;
  }

  Operand image_, sampler_, q_;
  std::vector<Operand> args_;
};

/// Shape of a sampling opcode.
struct SampleForm {
  Op op;
  bool implicit, dref, proj, sparse;
};
constexpr SampleForm kSampleForms[] = {
    {Op::OpImageSampleImplicitLod, true, false, false, false},
    {Op::OpImageSampleExplicitLod, false, false, false, false},
    {Op::OpImageSampleDrefImplicitLod, true, true, false, false},
    {Op::OpImageSampleDrefExplicitLod, false, true, false, false},
    {Op::OpImageSampleProjImplicitLod, true, false, true, false},
    {Op::OpImageSampleProjExplicitLod, false, false, true, false},
    {Op::OpImageSampleProjDrefImplicitLod, true, true, true, false},
    {Op::OpImageSampleProjDrefExplicitLod, false, true, true, false},
    {Op::OpImageSparseSampleImplicitLod, true, false, false, true},
    {Op::OpImageSparseSampleExplicitLod, false, false, false, true},
    {Op::OpImageSparseSampleDrefImplicitLod, true, true, false, true},
    {Op::OpImageSparseSampleDrefExplicitLod, false, true, false, true},
};

void lowerSample(Lowerer& l, const spirv::Instruction& inst) {
  const SampleForm& f = *std::find_if(std::begin(kSampleForms), std::end(kSampleForms),
                                      [&](const SampleForm& form) { return form.op == inst.op; });
  ImageOp op(l, inst, TexKind::Sample, f.sparse);
  op.coordinates(inst.operand(1), true, f.proj);
  if (f.dref) op.depthReference(inst.operand(2));
  op.operands(ImageOperands(inst, f.dref ? 3 : 2), f.implicit);
  op.emitTexel();
}

template <bool dref, bool sparse>
void lowerGather(Lowerer& l, const spirv::Instruction& inst) {
  ImageOp op(l, inst, TexKind::Gather, sparse);
  op.coordinates(inst.operand(1), true);
  if (dref)
    op.depthReference(inst.operand(2));
  else
    op.t.component = l.constantOr(inst.operand(2), 0) & 3;
  op.operands(ImageOperands(inst, 3), false);
  op.emitTexel();
}

/// OpImageFetch and OpImageRead; input attachments are read through the texture path.
template <bool storage, bool sparse>
void lowerTexelRead(Lowerer& l, const spirv::Instruction& inst) {
  const bool subpass = imageTypeOf(l, inst.operand(0)).dim == spv::Dim::SubpassData;
  ImageOp op(l, inst, storage && !subpass ? TexKind::ImageRead : TexKind::Fetch, sparse);
  op.coordinates(inst.operand(1), false);
  op.operands(ImageOperands(inst, 2), false);
  op.emitTexel();
}

void lowerWrite(Lowerer& l, const spirv::Instruction& inst) {
  ImageOp op(l, inst, TexKind::ImageWrite);
  op.coordinates(inst.operand(1), false);
  op.operands(ImageOperands(inst, 3), false);
  const uint32_t texelId = inst.operand(2);
  const uint32_t scalarType = l.scalarTypeOf(l.typeOf(texelId));
  const bool isFloat = l.type(scalarType).kind == TypeKind::Float;
  if (op.t.type == TexType::Sint64 || op.t.type == TexType::Uint64) {
    const auto& c = l.components(texelId);
    for (uint32_t i = 0; i < 4; ++i)
      for (uint32_t w = 0; w < 2; ++w) op.push(i < c.size() ? Lowerer::word(c[i], w) : l.imm(0));
  } else {
    op.push(wordsOf(l, texelId, isFloat), 4);
  }
  op.emit();
  l.info().hasSideEffects = true;
}

void lowerQuery(Lowerer& l, const spirv::Instruction& inst) {
  switch (inst.op) {
    case Op::OpImageQuerySize:
    case Op::OpImageQuerySizeLod: {
      ImageOp op(l, inst, TexKind::QuerySize);
      if (inst.op == Op::OpImageQuerySizeLod) {
        op.t.lod = LodMode::Explicit;
        op.push(wordsOf(l, inst.operand(1), false)[0]);
      }
      const auto& t = l.type(inst.type);
      l.setResult(inst, Lowerer::split(op.emit(), t.kind == TypeKind::Vector ? t.count : 1));
      return;
    }
    case Op::OpImageQueryLod: {
      ImageOp op(l, inst, TexKind::QueryLod);
      op.coordinates(inst.operand(1), true);
      op.operands(ImageOperands(inst, 2), true);
      l.setResult(inst, Lowerer::split(op.emit(), 2));
      return;
    }
    case Op::OpImageQueryLevels: l.setResult(inst, ImageOp(l, inst, TexKind::QueryLevels).emit()); return;
    default: l.setResult(inst, ImageOp(l, inst, TexKind::QuerySamples).emit()); return;
  }
}

/// SPV_AMD_shader_fragment_mask.
template <bool fetch>
void lowerFragmentMask(Lowerer& l, const spirv::Instruction& inst) {
  ImageOp op(l, inst, fetch ? TexKind::FragmentFetch : TexKind::FragmentMask);
  op.coordinates(inst.operand(1), false);
  if (fetch) {
    op.push(wordsOf(l, inst.operand(2), false)[0]);
    op.emitTexel();
  } else {
    Operand mask = op.emit();
    if (mutated(Mutant::FragmentMask)) mask = l.b.value(isa::Opcode::Shl, isa::Type::I32, mask, l.imm(4));
    l.setResult(inst, mask);
  }
}

void lowerTexelPointer(Lowerer& l, const spirv::Instruction& inst) {
  const Pointer image = l.pointer(inst.operand(0));
  Pointer p;
  p.kind = Pointer::Kind::Texel;
  p.type = l.type(inst.type).element;
  p.storage = spv::StorageClass::Image;
  p.imageType = image.type;
  p.image = l.load(image);
  p.coords = wordsOf(l, inst.operand(1), false);
  p.sample = wordsOf(l, inst.operand(2), false)[0];
  l.setPointer(inst, std::move(p));
}

void lowerSampledImage(Lowerer& l, const spirv::Instruction& inst) {
  l.setResult(inst, {l.componentOf(inst.operand(0), 0), l.componentOf(inst.operand(1), 0)});
}

void lowerImageOf(Lowerer& l, const spirv::Instruction& inst) { l.setResult(inst, l.componentOf(inst.operand(0), 0)); }

void lowerTexelsResident(Lowerer& l, const spirv::Instruction& inst) {
  l.setResult(inst, l.b.icmp(isa::CmpI::Eq, Type::I32, l.scalar(inst.operand(0)), l.imm(0)));
}

}  // namespace

void addImages(LoweringTable& table) {
  for (const SampleForm& f : kSampleForms) table.add(f.op, lowerSample);
  table.add({
      {Op::OpSampledImage, lowerSampledImage},
      {Op::OpImage, lowerImageOf},
      {Op::OpImageTexelPointer, lowerTexelPointer},
      {Op::OpImageGather, lowerGather<false, false>},
      {Op::OpImageDrefGather, lowerGather<true, false>},
      {Op::OpImageSparseGather, lowerGather<false, true>},
      {Op::OpImageSparseDrefGather, lowerGather<true, true>},
      {Op::OpImageFetch, lowerTexelRead<false, false>},
      {Op::OpImageSparseFetch, lowerTexelRead<false, true>},
      {Op::OpImageRead, lowerTexelRead<true, false>},
      {Op::OpImageSparseRead, lowerTexelRead<true, true>},
      {Op::OpImageWrite, lowerWrite},
      {Op::OpImageQuerySize, lowerQuery},
      {Op::OpImageQuerySizeLod, lowerQuery},
      {Op::OpImageQueryLod, lowerQuery},
      {Op::OpImageQueryLevels, lowerQuery},
      {Op::OpImageQuerySamples, lowerQuery},
      {Op::OpImageSparseTexelsResident, lowerTexelsResident},
      {Op::OpFragmentMaskFetchAMD, lowerFragmentMask<false>},
      {Op::OpFragmentFetchAMD, lowerFragmentMask<true>},
  });
}

}  // namespace etzel::lower
