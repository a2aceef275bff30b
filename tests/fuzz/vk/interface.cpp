#include "tests/fuzz/vk/interface.h"

#include <algorithm>
#include <map>
#include <spirv/unified1/spirv.hpp11>

#include "tests/fuzz/spirv/module.h"

namespace etzel::fuzz {
namespace {

using spv::Op;

struct Decorations {
  std::optional<uint32_t> set, binding;
  bool bufferBlock = false;
};

VkFormat storageFormat(spv::ImageFormat format, VkFormat otherwise) {
  switch (format) {
    case spv::ImageFormat::Rgba16f: return VK_FORMAT_R16G16B16A16_SFLOAT;
    case spv::ImageFormat::R32f: return VK_FORMAT_R32_SFLOAT;
    case spv::ImageFormat::Rgba8: return VK_FORMAT_R8G8B8A8_UNORM;
    case spv::ImageFormat::Rgba8Snorm: return VK_FORMAT_R8G8B8A8_SNORM;
    case spv::ImageFormat::R32i: return VK_FORMAT_R32_SINT;
    case spv::ImageFormat::R32ui: return VK_FORMAT_R32_UINT;
    case spv::ImageFormat::Rgba8ui: return VK_FORMAT_R8G8B8A8_UINT;
    case spv::ImageFormat::Rgba8i: return VK_FORMAT_R8G8B8A8_SINT;
    case spv::ImageFormat::R64i: return VK_FORMAT_R64_SINT;
    case spv::ImageFormat::R64ui: return VK_FORMAT_R64_UINT;
    default: return otherwise;
  }
}

class Reader {
 public:
  explicit Reader(const Module& module) {
    for (const Instruction& inst : module.code) {
      if (inst.result) definitions_[inst.result] = &inst;
      read(inst);
    }
  }
  Interface result;
  bool hasEntryPoint = false;

  void readVariables() {
    for (const auto& [id, decoration] : decorations_) {
      const Instruction* variable = find(id, Op::OpVariable);
      if (!variable || !decoration.binding) continue;
      Binding b;
      b.set = decoration.set.value_or(0), b.binding = *decoration.binding;
      const Instruction* pointer = find(variable->type, Op::OpTypePointer);
      if (!pointer || b.set >= kMaxSets || b.binding > kMaxBinding) continue;
      if (describe(spv::StorageClass(variable->words[3]), pointer->words[3], b)) add(b);
    }
  }

 private:
  const Instruction* find(uint32_t id, Op op) const {
    const auto it = definitions_.find(id);
    return it != definitions_.end() && it->second->opcode == uint16_t(op) ? it->second : nullptr;
  }

  void read(const Instruction& inst) {
    const std::vector<uint32_t>& w = inst.words;
    switch (Op(inst.opcode)) {
      case Op::OpCapability:
        result.usesAddresses |= w[1] == uint32_t(spv::Capability::PhysicalStorageBufferAddresses);
        result.usesClock |= w[1] == uint32_t(spv::Capability::ShaderClockKHR);
        break;
      case Op::OpEntryPoint: readEntryPoint(inst); break;
      case Op::OpExecutionMode: readMode(spv::ExecutionMode(w[2])); break;
      case Op::OpDecorate: {
        Decorations& d = decorations_[w[1]];
        const auto decoration = spv::Decoration(w[2]);
        if (decoration == spv::Decoration::DescriptorSet && w.size() > 3) d.set = w[3];
        if (decoration == spv::Decoration::Binding && w.size() > 3) d.binding = w[3];
        d.bufferBlock |= decoration == spv::Decoration::BufferBlock;
        break;
      }
      default: break;
    }
  }

  void readEntryPoint(const Instruction& inst) {
    if (hasEntryPoint) return;
    static constexpr VkShaderStageFlagBits kStages[] = {VK_SHADER_STAGE_VERTEX_BIT,
                                                        VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
                                                        VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
                                                        VK_SHADER_STAGE_GEOMETRY_BIT,
                                                        VK_SHADER_STAGE_FRAGMENT_BIT,
                                                        VK_SHADER_STAGE_COMPUTE_BIT};
    if (inst.words[1] >= std::size(kStages)) return;
    hasEntryPoint = true;
    result.stage = kStages[inst.words[1]];
    for (const Operand& o : inst.operands)
      if (o.type == SPV_OPERAND_TYPE_LITERAL_STRING) {
        const auto* text = reinterpret_cast<const char*>(inst.words.data() + o.at);
        result.entryPoint.assign(text, std::find(text, text + o.words * 4, '\0'));
      }
  }

  void readMode(spv::ExecutionMode mode) {
    switch (mode) {
      case spv::ExecutionMode::InputPoints: result.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST; break;
      case spv::ExecutionMode::InputLines: result.topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST; break;
      case spv::ExecutionMode::InputLinesAdjacency:
        result.topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY;
        break;
      case spv::ExecutionMode::InputTrianglesAdjacency:
        result.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY;
        break;
      default: break;
    }
  }

  /// Fills in type, count and shape. \returns false for what is no descriptor
  bool describe(spv::StorageClass storage, uint32_t type, Binding& b) const {
    if (const Instruction* array = find(type, Op::OpTypeArray)) {
      const Instruction* length = find(array->words[3], Op::OpConstant);
      b.count = length && length->words.size() > 3 ? std::clamp(length->words[3], 1u, kMaxElements) : 2;
      type = array->words[2];
    } else if (const Instruction* endless = find(type, Op::OpTypeRuntimeArray)) {
      b.count = 4;
      type = endless->words[2];
    }
    const auto decorations = decorations_.find(type);
    const bool bufferBlock = decorations != decorations_.end() && decorations->second.bufferBlock;
    switch (storage) {
      case spv::StorageClass::StorageBuffer: b.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER; return true;
      case spv::StorageClass::Uniform:
        b.type = bufferBlock ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
        return true;
      case spv::StorageClass::UniformConstant: return describeImage(type, b);
      default: return false;
    }
  }

  bool describeImage(uint32_t type, Binding& b) const {
    b.type = VK_DESCRIPTOR_TYPE_SAMPLER;
    if (find(type, Op::OpTypeSampler)) return true;
    b.type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    if (const Instruction* sampled = find(type, Op::OpTypeSampledImage)) {
      b.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
      type = sampled->words[2];
    }
    const Instruction* image = find(type, Op::OpTypeImage);
    if (!image || image->words.size() < 9 || image->words[3] > uint32_t(spv::Dim::Buffer)) return false;
    ImageShape& s = b.image;
    s.dim = image->words[3];
    s.arrayed = image->words[5] == 1 && s.dim != uint32_t(spv::Dim::Dim3D);
    s.multisampled = image->words[6] == 1 && s.dim == uint32_t(spv::Dim::Dim2D);
    s.storage = image->words[7] == 2;
    s.format = formatOf(*image);
    const bool buffer = s.dim == uint32_t(spv::Dim::Buffer);
    const bool noTexels =
        s.format == VK_FORMAT_D32_SFLOAT || s.format == VK_FORMAT_R64_SINT || s.format == VK_FORMAT_R64_UINT;
    if (buffer && noTexels) s.format = VK_FORMAT_R32_UINT;
    if (s.storage)
      b.type = buffer ? VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    else if (buffer)
      b.type = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    return true;
  }

  VkFormat formatOf(const Instruction& image) const {
    VkFormat format = VK_FORMAT_R32G32B32A32_SFLOAT;
    if (const Instruction* number = find(image.words[2], Op::OpTypeInt)) {
      const bool isSigned = number->words[3];
      format = isSigned ? VK_FORMAT_R32G32B32A32_SINT : VK_FORMAT_R32G32B32A32_UINT;
      if (number->words[2] == 64) format = isSigned ? VK_FORMAT_R64_SINT : VK_FORMAT_R64_UINT;
    }
    if (image.words[7] == 2) return storageFormat(spv::ImageFormat(image.words[8]), format);
    return image.words[4] == 1 ? VK_FORMAT_D32_SFLOAT : format;
  }

  /// Several variables may share a binding: the first decides, with the most elements.
  void add(const Binding& b) {
    for (Binding& have : result.bindings)
      if (have.set == b.set && have.binding == b.binding) {
        have.count = std::max(have.count, b.count);
        return;
      }
    result.bindings.push_back(b);
  }

  std::map<uint32_t, const Instruction*> definitions_;
  std::map<uint32_t, Decorations> decorations_;
};

}  // namespace

bool Interface::hasImages() const {
  return std::any_of(bindings.begin(), bindings.end(), [](const Binding& b) {
    return b.type != VK_DESCRIPTOR_TYPE_STORAGE_BUFFER && b.type != VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
  });
}

std::optional<Interface> interfaceOf(std::span<const uint32_t> words) {
  const std::optional<Module> module = parse(words);
  if (!module) return std::nullopt;
  Reader reader(*module);
  if (!reader.hasEntryPoint) return std::nullopt;
  reader.readVariables();
  return std::move(reader.result);
}

}  // namespace etzel::fuzz
