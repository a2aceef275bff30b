// Shader object binaries (VK_EXT_shader_object), damaged and forged: a shader is made from them, and draws or
// dispatches. The module inside is compared between executors with nothing undefined in it, or runs as it is.
#include <cstring>

#include "tests/fuzz/spirv/module.h"
#include "tests/fuzz/spirv/mutate.h"
#include "tests/fuzz/targets/rig_target.h"
#include "tests/fuzz/targets/targets.h"
#include "tests/fuzz/vk/shader_objects.h"

namespace etzel::fuzz {
namespace {

/// As icd/pipeline/shader_object.cpp writes it.
struct BinaryHeader {
  uint8_t uuid[VK_UUID_SIZE];
  uint32_t version, stage, words, specializations, mappings, slots;
  uint64_t checksum, bytes;
};

/// A bit of the header's third word (vk/rig.h).
constexpr uint32_t kAsItIs = 16;

/// The module that a binary holds, where sizes and the checksum say that it is whole, and what comes behind it.
struct Parts {
  BinaryHeader header;
  std::vector<uint32_t> module;
  Bytes rest;
};
std::optional<Parts> takeApart(std::span<const uint8_t> binary) {
  Parts parts;
  if (binary.size() < sizeof parts.header) return std::nullopt;
  std::memcpy(&parts.header, binary.data(), sizeof parts.header);
  const std::span<const uint8_t> body = binary.subspan(sizeof parts.header);
  if (parts.header.bytes != body.size() || digest(body) != parts.header.checksum ||
      parts.header.words > body.size() / 4)
    return std::nullopt;
  const size_t moduleBytes = parts.header.words * size_t{4};
  parts.module.resize(parts.header.words);
  std::copy_n(body.begin(), moduleBytes, reinterpret_cast<uint8_t*>(parts.module.data()));
  parts.rest.assign(body.begin() + ptrdiff_t(moduleBytes), body.end());
  return parts;
}
Bytes putTogether(BinaryHeader header, std::span<const uint8_t> body) {
  header.checksum = digest(body);
  header.bytes = body.size();
  Bytes binary(sizeof header + body.size());
  std::memcpy(binary.data(), &header, sizeof header);
  std::copy(body.begin(), body.end(), binary.begin() + sizeof header);
  return binary;
}
/// A binary with a module in which nothing is undefined.
Bytes defined(const Parts& parts, Module module, bool quiet) {
  define(module);
  if (quiet) quietNans(module);
  Bytes body = bytesOf(write(module));
  BinaryHeader header = parts.header;
  header.words = uint32_t(body.size() / 4);
  body.insert(body.end(), parts.rest.begin(), parts.rest.end());
  return putTogether(header, body);
}

class Binaries final : public RigTarget {
 public:
  std::vector<Bytes> seeds() override {
    std::vector<Bytes> all;
    for (uint32_t i = 0; i < corpus().size(); ++i) {
      const ShaderObjects objects(rig());
      const Interface interface = interfaceOf(corpus()[i]).value();
      const Rig::Bindings bindings = rig().bind(interface);
      const Bytes code = bytesOf(corpus()[i]);
      if (const VkShaderEXT shader = objects.make(interface, bindings, VK_SHADER_CODE_TYPE_SPIRV_EXT, code)) {
        const Bytes data = objects.binaryOf(shader);
        if (!takeApart(data)) throw vktest::Failure("shader binaries have another form");
        all.push_back(withNumber(i, data));
        objects.destroy(shader);
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
    const Bytes binary = putTogether(header, body);
    input.resize(4);
    input.insert(input.end(), binary.begin(), binary.end());
  }

  Bytes settled(std::span<const uint8_t> input) override {
    const Numbered parts = numbered(input);
    const std::optional<Parts> binary = takeApart(parts.bytes);
    const std::optional<Module> module = binary ? parse(binary->module) : std::nullopt;
    return module ? withNumber(parts.number, defined(*binary, *module, true)) : Bytes{};
  }

 protected:
  Outcome runOn(Rig& rig, std::span<const uint8_t> input) override {
    const Numbered parts = numbered(input);
    const std::optional<Parts> binary = takeApart(parts.bytes);
    const std::optional<Module> module = binary ? parse(binary->module) : std::nullopt;
    const uint32_t options = module ? module->header[2] : 0;
    const bool compared = module && !(options & kAsItIs);
    // Another place in memory than the input: code must be aligned to words.
    const Bytes code = compared ? defined(*binary, *module, false) : Bytes(parts.bytes.begin(), parts.bytes.end());

    const ShaderObjects objects(rig);
    const Interface interface = interfaceOf(parts.module).value();
    const Rig::Bindings bindings = rig.bind(interface);
    const VkShaderEXT shader = objects.make(interface, bindings, VK_SHADER_CODE_TYPE_BINARY_EXT, code);
    // What the module inside wants may be something else than what the descriptors are for.
    const std::optional<Interface> inside = binary ? interfaceOf(binary->module) : std::nullopt;
    Outcome outcome;
    if (shader && inside && !inside->usesAddresses) outcome = objects.run(shader, interface, bindings, options);
    if (shader) objects.destroy(shader);
    rig.endRun();
    if (!compared || !inside || inside->usesClock) outcome.digest = 0;
    return outcome;
  }
};

}  // namespace

std::unique_ptr<Target> makeBinaries() { return std::make_unique<Binaries>(); }

}  // namespace etzel::fuzz
