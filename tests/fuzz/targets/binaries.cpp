// Shader object binaries (VK_EXT_shader_object), damaged and forged: a shader is made from them, and one of compute
// dispatches.
#include <cstring>

#include "icd/vulkan_newer.h"
#include "tests/fuzz/spirv/mutate.h"
#include "tests/fuzz/targets/rig_target.h"
#include "tests/fuzz/targets/targets.h"

namespace etzel::fuzz {
namespace {

// Not all headers have the extension's commands yet.
using CreateShaders = VkResult(VKAPI_PTR*)(VkDevice, uint32_t, const VkShaderCreateInfoEXT*,
                                           const VkAllocationCallbacks*, VkShaderEXT*);
using DestroyShader = void(VKAPI_PTR*)(VkDevice, VkShaderEXT, const VkAllocationCallbacks*);
using GetShaderBinaryData = VkResult(VKAPI_PTR*)(VkDevice, VkShaderEXT, size_t*, void*);
using CmdBindShaders = void(VKAPI_PTR*)(VkCommandBuffer, uint32_t, const VkShaderStageFlagBits*, const VkShaderEXT*);

/// As icd/pipeline/shader_object.cpp writes it.
struct BinaryHeader {
  uint8_t uuid[VK_UUID_SIZE];
  uint32_t version, stage, words, specializations;
  uint64_t checksum, bytes;
};

class Binaries final : public RigTarget {
 public:
  std::vector<Bytes> seeds() override {
    std::vector<Bytes> all;
    for (uint32_t i = 0; i < corpus().size(); ++i) {
      const VkShaderEXT shader = make(rig(), corpus()[i], VK_SHADER_CODE_TYPE_SPIRV_EXT, bytesOf(corpus()[i]));
      if (shader) {
        const auto get = function<GetShaderBinaryData>(rig(), "vkGetShaderBinaryDataEXT");
        size_t size = 0;
        get(rig().device, shader, &size, nullptr);
        Bytes data(size);
        get(rig().device, shader, &size, data.data());
        BinaryHeader header;
        std::memcpy(&header, data.data(), sizeof header);
        if (digest(std::span(data).subspan(sizeof header)) != header.checksum)
          throw vktest::Failure("shader binaries have another form");
        all.push_back(withNumber(i, data));
        destroy(rig(), shader);
      }
      rig().endRun();
    }
    return all;
  }

  void mutate(Bytes& input, const Bytes& other, Random& random) override {
    constexpr size_t kBody = 4 + sizeof(BinaryHeader);
    BinaryHeader header;
    if (input.size() < kBody + 20 || pick(random, 4) == 0) return mutateRaw(input, other, random);
    std::memcpy(&header, input.data() + 4, sizeof header);
    Bytes body(input.begin() + kBody, input.end());
    if (pick(random, 3)) {
      // The module alone; a specialization behind it stays.
      Bytes module(body.begin(), body.begin() + ptrdiff_t(std::min<size_t>(header.words * size_t{4}, body.size())));
      const Bytes rest(body.begin() + ptrdiff_t(module.size()), body.end());
      mutateModule(module, other.size() > kBody ? Bytes(other.begin() + kBody, other.end()) : other, random);
      header.words = uint32_t(module.size() / 4);
      body = module;
      body.insert(body.end(), rest.begin(), rest.end());
    } else {
      mutateRaw(body, other, random);
      if (pick(random, 4) == 0) header.words = interesting(random);
      if (pick(random, 4) == 0) header.specializations = interesting(random);
    }
    header.checksum = digest(body);
    header.bytes = body.size();
    input.resize(4);
    const auto* p = reinterpret_cast<const uint8_t*>(&header);
    input.insert(input.end(), p, p + sizeof header);
    input.insert(input.end(), body.begin(), body.end());
  }

 protected:
  Outcome runOn(Rig& rig, std::span<const uint8_t> input) override {
    const Numbered parts = numbered(input);
    // Another place in memory than the input: code must be aligned to words.
    const VkShaderEXT shader =
        make(rig, parts.module, VK_SHADER_CODE_TYPE_BINARY_EXT, Bytes(parts.bytes.begin(), parts.bytes.end()));
    Outcome outcome;
    if (shader) outcome.verdict = Verdict::Ran;  // only compute really does
    const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
    if (shader && interface_.stage == stage && !interface_.usesAddresses)
      outcome = rig.dispatch(VK_NULL_HANDLE, bindings_, 0, [&](VkCommandBuffer commands) {
        function<CmdBindShaders>(rig, "vkCmdBindShadersEXT")(commands, 1, &stage, &shader);
      });
    if (shader) destroy(rig, shader);
    rig.endRun();
    outcome.digest = 0;  // of modules with something undefined in them; "shaders" compares
    return outcome;
  }

 private:
  template <class F>
  static F function(Rig& rig, const char* name) {
    return reinterpret_cast<F>(vkGetDeviceProcAddr(rig.device, name));
  }

  VkShaderEXT make(Rig& rig, std::span<const uint32_t> module, VkShaderCodeTypeEXT type, const Bytes& code) {
    interface_ = interfaceOf(module).value();
    bindings_ = rig.bind(interface_);
    const VkPushConstantRange push{VK_SHADER_STAGE_ALL, 0, Rig::kPushBytes};
    VkShaderCreateInfoEXT info{VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT};
    info.stage = interface_.stage;
    info.codeType = type;
    info.codeSize = code.size();
    info.pCode = code.data();
    info.pName = interface_.entryPoint.c_str();
    info.setLayoutCount = uint32_t(bindings_.setLayouts.size());
    info.pSetLayouts = bindings_.setLayouts.data();
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &push;
    VkShaderEXT shader = VK_NULL_HANDLE;
    const auto create = function<CreateShaders>(rig, "vkCreateShadersEXT");
    return create(rig.device, 1, &info, nullptr, &shader) == VK_SUCCESS ? shader : VK_NULL_HANDLE;
  }
  void destroy(Rig& rig, VkShaderEXT shader) {
    function<DestroyShader>(rig, "vkDestroyShaderEXT")(rig.device, shader, nullptr);
  }

  Interface interface_;
  Rig::Bindings bindings_;
};

}  // namespace

std::unique_ptr<Target> makeBinaries() { return std::make_unique<Binaries>(); }

}  // namespace etzel::fuzz
