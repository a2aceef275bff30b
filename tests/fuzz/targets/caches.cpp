// Pipeline cache data, damaged and forged: a cache is made from them, then the pipeline that they are for from the
// cache alone, and it draws or dispatches. The targets differ in how they change the data: "caches" as bytes, with
// sizes and checksums often put right, "programs" as programs of the instruction set that mostly pass the verifier.
// What a program writes is compared with nothing undefined in it (defined_program.h), or it runs as it is.
#include <algorithm>
#include <cstring>

#include "compiler/isa/container.h"
#include "compiler/isa/encode.h"
#include "compiler/isa/verify.h"
#include "tests/fuzz/targets/cache_data.h"
#include "tests/fuzz/targets/defined_program.h"
#include "tests/fuzz/targets/rig_target.h"
#include "tests/fuzz/targets/targets.h"

namespace etzel::fuzz {
namespace {

/// The program of an entry; nothing when it is none.
std::optional<isa::Program> programOf(const CacheEntry& entry) {
  auto program = isa::readContainer(std::as_bytes(std::span(entry.container)));
  if (!program.ok()) return std::nullopt;
  return std::move(*program);
}
void setProgram(CacheEntry& entry, const isa::Program& program) {
  const std::vector<std::byte> written = isa::writeContainer(program);
  entry.container.resize(written.size());
  std::memcpy(entry.container.data(), written.data(), written.size());
}

bool anyNamesMemory(const CacheData& data) {
  return std::any_of(data.entries.begin(), data.entries.end(), [](const CacheEntry& entry) {
    const std::optional<isa::Program> program = programOf(entry);
    return program && namesMemory(*program);
  });
}

/// Puts programs with nothing undefined in the place of those that the data hold. \returns false where one has to stay
bool define(CacheData& data, bool quietNans) {
  for (CacheEntry& entry : data.entries) {
    const std::optional<isa::Program> program = programOf(entry);
    if (!program) continue;  // the driver does not take it either
    if (!isa::verify(*program, isa::VerifyMode::RealRegisters)) return false;
    const std::optional<isa::Program> own = defined(*program, quietNans);
    if (!own) return false;
    setProgram(entry, *own);
  }
  return true;
}

class Caches : public RigTarget {
 public:
  std::vector<Bytes> seeds() override {
    std::vector<Bytes> all;
    for (uint32_t i = 0; i < corpus().size(); ++i) {
      VkPipelineCache cache = VK_NULL_HANDLE;
      const VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
      if (vkCreatePipelineCache(rig().device, &info, nullptr, &cache) != VK_SUCCESS) continue;
      if (rig().run(corpus()[i], cache).verdict == Verdict::Ran) {
        size_t size = 0;
        vkGetPipelineCacheData(rig().device, cache, &size, nullptr);
        Bytes data(size);
        vkGetPipelineCacheData(rig().device, cache, &size, data.data());
        if (!takeApart(data)) throw vktest::Failure("pipeline cache data have another form (cache_data.h)");
        all.push_back(withNumber(i, data));
      }
      vkDestroyPipelineCache(rig().device, cache, nullptr);
    }
    return all;
  }

  void mutate(Bytes& input, const Bytes& other, Random& random) override {
    const Bytes number(input.begin(), input.begin() + ptrdiff_t(std::min<size_t>(4, input.size())));
    std::optional<CacheData> data;
    if (pick(random, 3)) data = takeApart(std::span(input).subspan(number.size()));
    if (!data || data->entries.empty()) {
      mutateRaw(input, other, random);
      return;
    }
    CacheEntry& entry = data->entries[pick(random, data->entries.size())];
    if (pick(random, 12) == 0)
      std::swap(entry.key, data->entries[pick(random, data->entries.size())].key);
    else
      mutateRaw(entry.container, other, random);
    const Bytes all = putTogether(*data);
    input = number;
    input.insert(input.end(), all.begin(), all.end());
    if (pick(random, 4) == 0) toggleAsItIs(input);
  }

  Bytes settled(std::span<const uint8_t> input) override {
    const Numbered parts = numbered(input);
    std::optional<CacheData> data = takeApart(parts.bytes);
    if (parts.asItIs || !data || !define(*data, true)) return {};
    return withNumber(parts.number, putTogether(*data));
  }

 protected:
  Outcome runOn(Rig& rig, std::span<const uint8_t> input) override {
    const Numbered parts = numbered(input);
    Bytes bytes(parts.bytes.begin(), parts.bytes.end());
    std::optional<CacheData> data = takeApart(bytes);
    if (data && anyNamesMemory(*data)) return make(rig, parts, bytes, false);
    const bool isDefined = data && !parts.asItIs && define(*data, false);
    if (isDefined) bytes = putTogether(*data);
    Outcome outcome = make(rig, parts, bytes, true);
    if (!isDefined) outcome.digest = 0;
    return outcome;
  }

 private:
  /// A cache of `bytes`, and the pipeline from it alone, which runs. Buffers alone may be named by forged handles: sets
  /// that have images among them are not used.
  static Outcome make(Rig& rig, const Numbered& parts, const Bytes& bytes, bool runs) {
    VkPipelineCache cache = VK_NULL_HANDLE;
    const VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, nullptr, 0, bytes.size(),
                                         bytes.data()};
    if (vkCreatePipelineCache(rig.device, &info, nullptr, &cache) != VK_SUCCESS) return {};
    Outcome outcome;
    if (runs && !interfaceOf(parts.module)->hasImages())
      outcome = rig.run(parts.module, cache, VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT);
    vkDestroyPipelineCache(rig.device, cache, nullptr);
    return outcome;
  }
};

/// Another register, near or anywhere.
void changeOperand(isa::Operand& o, const isa::Program& program, Random& random) {
  switch (pick(random, 4)) {
    case 0: o.word = pick(random, program.tempWords + size_t{4}); break;
    case 1: o.word += pick(random, 5) - 2; break;
    case 2: o.bank = isa::Bank(pick(random, 8)); break;
    default: o = isa::temp(pick(random, program.tempWords + size_t{1}));
  }
}

void changeInstruction(isa::Inst& inst, const isa::Program& program, Random& random) {
  switch (pick(random, 12)) {
    case 0: inst.op = isa::Opcode(pick(random, 256)); break;
    case 1: inst.type = isa::Type(pick(random, isa::kTypeCount)); break;
    case 2: inst.sub = uint8_t(pick(random, 24)); break;
    case 3: inst.atomic = uint8_t(pick(random, 20)); break;
    case 4: inst.count = uint8_t(1 + pick(random, 8)); break;
    case 5: inst.imm = interesting(random); break;
    case 6: inst.imm += pick(random, 9) - 4; break;
    case 7: changeOperand(inst.dst, program, random); break;
    case 8: inst.masked = !inst.masked; break;
    case 9: inst.predicated = !inst.predicated, inst.predicate = uint8_t(pick(random, 32)); break;
    default: changeOperand(inst.src[pick(random, 3)], program, random);
  }
}

/// Info, constants, resources and sizes.
void changeTables(isa::Program& p, Random& random) {
  switch (pick(random, 8)) {
    case 0: p.tempWords = pick(random, 2) ? p.tempWords + pick(random, 9) - 4 : interesting(random) % 2048; break;
    case 1: p.scratchBytes = interesting(random); break;
    case 2: p.info.sharedBytes = interesting(random); break;
    case 3: p.info.localSize[pick(random, 3)] = interesting(random); break;
    case 4:
      if (!p.constants.empty()) p.constants[pick(random, p.constants.size())][pick(random, 4)] = interesting(random);
      break;
    case 5:
      if (!p.table.empty()) p.table[pick(random, p.table.size())] = interesting(random);
      break;
    case 6:
      if (!p.resources.empty()) {
        isa::Resource& r = p.resources[pick(random, p.resources.size())];
        (pick(random, 3) == 0 ? r.baseHandle : pick(random, 2) ? r.count : r.strideBytes) = interesting(random);
      }
      break;
    default: p.info.outputVertices = interesting(random);
  }
}

/// As many mutations as leave a program that can be written.
void changeProgram(isa::Program& program, Random& random) {
  if (program.code.empty() || pick(random, 6) == 0) return changeTables(program, random);
  const size_t at = pick(random, program.code.size());
  const isa::Inst before = program.code[at];
  switch (pick(random, 8)) {
    case 0: program.code.insert(program.code.begin() + ptrdiff_t(pick(random, program.code.size())), before); return;
    case 1:
      if (program.code.size() > 1) program.code.erase(program.code.begin() + ptrdiff_t(at));
      return;
    default: changeInstruction(program.code[at], program, random);
  }
  const isa::Inst& now = program.code[at];
  const auto encodable = [](const isa::Operand& o) { return o.word < isa::kMaxTempWords; };
  const bool fits = encodable(now.dst) && encodable(now.src[0]) && encodable(now.src[1]) && encodable(now.src[2]);
  if (!fits || !isa::decode(isa::encode(now)).ok()) program.code[at] = before;
}

class Programs final : public Caches {
 public:
  void mutate(Bytes& input, const Bytes& other, Random& random) override {
    const Bytes number(input.begin(), input.begin() + ptrdiff_t(std::min<size_t>(4, input.size())));
    std::optional<CacheData> data = takeApart(std::span(input).subspan(number.size()));
    if (!data || data->entries.empty()) return Caches::mutate(input, other, random);
    CacheEntry& entry = data->entries[pick(random, data->entries.size())];
    std::optional<isa::Program> program = programOf(entry);
    if (!program || pick(random, 16) == 0) {
      mutateRaw(entry.container, other, random);
    } else {
      for (uint32_t i = 1 + pick(random, 3); i; --i) changeProgram(*program, random);
      setProgram(entry, *program);
    }
    const Bytes all = putTogether(*data);
    input = number;
    input.insert(input.end(), all.begin(), all.end());
    if (pick(random, 4) == 0) toggleAsItIs(input);
  }
};

}  // namespace

std::unique_ptr<Target> makeCaches() { return std::make_unique<Caches>(); }
std::unique_ptr<Target> makePrograms() { return std::make_unique<Programs>(); }

}  // namespace etzel::fuzz
