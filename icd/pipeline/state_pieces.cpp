// Copies pieces of fixed-function state: what binding a pipeline does, and joining pipeline libraries.
#include <algorithm>
#include <iterator>

#include "icd/pipeline/pipeline.h"

namespace etzel::icd {

using raster::DrawState;
using P = StatePiece;

void copyState(DrawState& to, const DrawState& from, const StateSet& set) {
  const auto has = [&](P p) { return set.test(static_cast<size_t>(p)); };
  const auto faces = [&](auto copyFace) {
    copyFace(to.front, from.front);
    copyFace(to.back, from.back);
  };
  const auto blends = [&](auto copyBlend) {
    for (uint32_t i = 0; i < raster::kMaxColorAttachments; ++i) copyBlend(to.blend[i], from.blend[i]);
  };
  using Face = raster::StencilFace;
  using Blend = raster::BlendAttachment;
  if (has(P::VertexInput)) {
    std::copy(std::begin(from.attribute), std::end(from.attribute), to.attribute);
    for (uint32_t i = 0; i < raster::kMaxVertexBindings; ++i) {
      to.binding[i].perInstance = from.binding[i].perInstance;
      to.binding[i].divisor = from.binding[i].divisor;
    }
  }
  if (has(P::VertexStride))
    for (uint32_t i = 0; i < raster::kMaxVertexBindings; ++i) to.binding[i].stride = from.binding[i].stride;
  if (has(P::Topology)) to.topology = from.topology;
  if (has(P::PrimitiveRestart)) to.primitiveRestart = from.primitiveRestart;
  if (has(P::PatchControlPoints)) to.patchControlPoints = from.patchControlPoints;
  if (has(P::DomainOrigin)) to.tessDomainOriginLowerLeft = from.tessDomainOriginLowerLeft;
  if (has(P::RasterizerDiscard)) to.rasterizerDiscard = from.rasterizerDiscard;
  if (has(P::DepthClamp)) to.depthClamp = from.depthClamp;
  if (has(P::DepthClip)) to.depthClip = from.depthClip;
  if (has(P::DepthBiasEnable)) to.depthBias = from.depthBias;
  if (has(P::DepthBias)) {
    to.depthBiasConstant = from.depthBiasConstant;
    to.depthBiasClamp = from.depthBiasClamp;
    to.depthBiasSlope = from.depthBiasSlope;
    to.depthBiasUnit = from.depthBiasUnit;
  }
  if (has(P::PolygonMode)) to.polygonMode = from.polygonMode;
  if (has(P::CullMode)) to.cullMode = from.cullMode;
  if (has(P::FrontFace)) to.frontFace = from.frontFace;
  if (has(P::LineWidth)) to.lineWidth = from.lineWidth;
  if (has(P::LineMode)) to.lineMode = from.lineMode;
  if (has(P::LineStippleEnable)) to.lineStipple = from.lineStipple;
  if (has(P::LineStipple)) {
    to.lineStippleFactor = from.lineStippleFactor;
    to.lineStipplePattern = from.lineStipplePattern;
  }
  if (has(P::ProvokingVertex)) to.provokingVertexLast = from.provokingVertexLast;
  if (has(P::NegativeOneToOne)) to.negativeOneToOne = from.negativeOneToOne;
  if (has(P::Conservative)) to.conservative = from.conservative;
  if (has(P::RasterizationStream)) to.rasterizationStream = from.rasterizationStream;
  if (has(P::ViewportCount)) to.viewportCount = from.viewportCount;
  if (has(P::Viewport)) std::copy(std::begin(from.viewport), std::end(from.viewport), to.viewport);
  if (has(P::ScissorCount)) to.scissorCount = from.scissorCount;
  if (has(P::Scissor)) std::copy(std::begin(from.scissor), std::end(from.scissor), to.scissor);
  if (has(P::DepthClampRange)) {
    to.depthClampRangeSet = from.depthClampRangeSet;
    to.depthClampMin = from.depthClampMin;
    to.depthClampMax = from.depthClampMax;
  }
  if (has(P::DiscardRectangleEnable)) to.discardRectangleEnable = from.discardRectangleEnable;
  if (has(P::DiscardRectangleMode)) to.discardRectangleMode = from.discardRectangleMode;
  if (has(P::DiscardRectangleCount)) to.discardRectangleCount = from.discardRectangleCount;
  if (has(P::DiscardRectangle))
    std::copy(std::begin(from.discardRectangle), std::end(from.discardRectangle), to.discardRectangle);
  if (has(P::Samples)) to.samples = from.samples;
  if (has(P::SampleShading)) {
    to.sampleShading = from.sampleShading;
    to.minSampleShading = from.minSampleShading;
  }
  if (has(P::SampleMask)) to.sampleMask = from.sampleMask;
  if (has(P::AlphaToCoverage)) to.alphaToCoverage = from.alphaToCoverage;
  if (has(P::AlphaToOne)) to.alphaToOne = from.alphaToOne;
  if (has(P::CoverageReduction)) to.coverage.reduction = from.coverage.reduction;
  if (has(P::CoverageModulation)) to.coverage.modulation = from.coverage.modulation;
  if (has(P::CoverageTableEnable)) to.coverage.modulationTable = from.coverage.modulationTable;
  if (has(P::CoverageTable))
    std::copy(std::begin(from.coverage.table), std::end(from.coverage.table), to.coverage.table);
  if (has(P::CoverageToColorEnable)) to.coverage.toColor = from.coverage.toColor;
  if (has(P::CoverageToColorLocation)) to.coverage.toColorLocation = from.coverage.toColorLocation;
  if (has(P::SampleLocationsEnable)) to.customSampleLocations = from.customSampleLocations;
  if (has(P::SampleLocations))
    std::copy(std::begin(from.sampleLocation), std::end(from.sampleLocation), to.sampleLocation);
  if (has(P::DepthTest)) to.depthTest = from.depthTest;
  if (has(P::DepthWrite)) to.depthWrite = from.depthWrite;
  if (has(P::DepthCompare)) to.depthCompare = from.depthCompare;
  if (has(P::DepthBoundsTest)) to.depthBoundsTest = from.depthBoundsTest;
  if (has(P::DepthBounds)) {
    to.depthBoundsMin = from.depthBoundsMin;
    to.depthBoundsMax = from.depthBoundsMax;
  }
  if (has(P::StencilTest)) to.stencilTest = from.stencilTest;
  if (has(P::StencilOp))
    faces([](Face& t, const Face& f) {
      t.fail = f.fail, t.pass = f.pass, t.depthFail = f.depthFail, t.compare = f.compare;
    });
  if (has(P::StencilCompareMask)) faces([](Face& t, const Face& f) { t.compareMask = f.compareMask; });
  if (has(P::StencilWriteMask)) faces([](Face& t, const Face& f) { t.writeMask = f.writeMask; });
  if (has(P::StencilReference)) faces([](Face& t, const Face& f) { t.reference = f.reference; });
  if (has(P::LogicOpEnable)) to.logicOpEnable = from.logicOpEnable;
  if (has(P::LogicOp)) to.logicOp = from.logicOp;
  if (has(P::BlendEnable)) blends([](Blend& t, const Blend& f) { t.enable = f.enable; });
  if (has(P::BlendEquation))
    blends([](Blend& t, const Blend& f) {
      t.srcColor = f.srcColor, t.dstColor = f.dstColor, t.colorOp = f.colorOp;
      t.srcAlpha = f.srcAlpha, t.dstAlpha = f.dstAlpha, t.alphaOp = f.alphaOp;
    });
  if (has(P::ColorWriteMask)) blends([](Blend& t, const Blend& f) { t.writeMask = f.writeMask; });
  if (has(P::ColorWriteEnable)) blends([](Blend& t, const Blend& f) { t.writeEnable = f.writeEnable; });
  if (has(P::BlendConstants)) std::copy_n(from.blendConstants, 4, to.blendConstants);
  if (has(P::AttachmentsDeclared)) {
    blends([](Blend& t, const Blend& f) { t.declared = f.declared; });
    to.depthDeclared = from.depthDeclared;
    to.stencilDeclared = from.stencilDeclared;
  }
}

}  // namespace etzel::icd
