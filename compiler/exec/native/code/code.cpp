#include "compiler/exec/native/code/code.h"

#include <sys/mman.h>

#include <cstring>

#include "compiler/exec/interp/interp.h"
#include "compiler/exec/native/code/header.h"
#include "runtime/base/code_memory.h"

namespace etzel::native {
namespace {

class NativeCode final : public exec::MachineCode {
 public:
  explicit NativeCode(const abi::Executable* otherwise) : header_{&NativeCode::step, this, otherwise} {
    executable_.code = &header_;
  }
  ~NativeCode() override {
    if (memory_) munmap(memory_, size_);
  }
  const abi::Executable* executable() const override { return &executable_; }
  void setOtherwise(const abi::Executable& executable) override {
    header_.otherwise.store(&executable, std::memory_order_release);
  }

  Result<void> prepareSteps(const isa::Program& program) {
    steps_.resize(program.code.size());
    for (uint32_t i : image_.steps) {
      if (i >= program.code.size()) return Error{ErrorCode::Io, "machine code of another program"};
      isa::Program one;
      one.info = program.info;
      one.info.usesBarrier = false;
      one.resources = program.resources;
      one.constants = program.constants;
      one.tempWords = program.tempWords;
      one.scratchBytes = program.scratchBytes;
      one.code = {program.code[i]};
      one.code[0].masked = false;                                        // native code blends
      if (one.code[0].op == isa::Opcode::Ld) one.table = program.table;  // may be large
      if (one.code[0].op == isa::Opcode::Print) {
        one.prints = {program.prints[one.code[0].imm & 0xFFFF]};
        one.code[0].imm &= ~0xFFFFu;
      }
      if (one.code[0].op == isa::Opcode::Abort) {
        one.aborts = {program.aborts[one.code[0].imm & 0xFFFF]};
        one.code[0].imm &= ~0xFFFFu;
      }
      Result<interp::CodePtr> code = interp::decode(one);
      if (!code) return code.error();
      steps_[i] = std::move(*code);
    }
    return {};
  }

  Result<void> load(const Image& image, const isa::Program& program) {
    image_.imports = image.imports, image_.steps = image.steps;
    image_.entry = image.entry, image_.workgroup = image.workgroup, image_.fragments = image.fragments;
    image_.abreast = image.abreast, image_.strands = image.strands;
    ETZEL_TRY(prepareSteps(program));
    textBytes_ = image.text.size(), dataOffset_ = image.dataOffset();
    const size_t bytes = dataOffset_ + image.data.size();
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return noMemory();
    memory_ = static_cast<std::byte*>(p), size_ = bytes;
    std::memcpy(memory_, image.text.data(), image.text.size());
    if (!image.data.empty()) std::memcpy(memory_ + dataOffset_, image.data.data(), image.data.size());
    for (size_t i = 0; i < image.imports.size(); ++i) {
      const void* address = importAddress(image.imports[i]);
      std::memcpy(memory_ + dataOffset_ + 8 * i, &address, sizeof address);
    }
    if (!makeExecutable(memory_, dataOffset_) ||
        (!image.data.empty() && mprotect(memory_ + dataOffset_, image.data.size(), PROT_READ) != 0))
      return noMemory();
    executable_.entry = at<decltype(executable_.entry)>(image.entry);
    executable_.workgroup = at<decltype(executable_.workgroup)>(image.workgroup);
    executable_.fragments = at<decltype(executable_.fragments)>(image.fragments);
    executable_.abreast = at<decltype(executable_.abreast)>(image.abreast);
    executable_.strands = image.strands;
    return {};
  }

  std::vector<std::byte> save() const override {
    if (header_.otherwise) return {};
    Image image = image_;
    image.text.assign(memory_, memory_ + textBytes_);
    image.data.assign(memory_ + dataOffset_, memory_ + size_);
    std::fill_n(image.data.begin(), 8 * image.imports.size(), std::byte{});
    return writeImage(image);
  }

 private:
  static Error noMemory() { return {ErrorCode::OutOfHostMemory, "no memory to run code from"}; }

  template <class F>
  F at(uint32_t offset) const {
    if (offset == Image::kNowhere) return nullptr;
    return reinterpret_cast<F>(reinterpret_cast<uintptr_t>(memory_ + offset));
  }

  /// One instruction in the interpreter, for the lanes that are active in native code.
  static void step(const void* self, uint32_t index, abi::Warp* warp, uint32_t lanes) {
    if (!lanes) return;
    const LaneMask active = warp->active;
    const uint32_t resume = warp->resume;
    warp->active = lanes, warp->resume = 0;
    interp::run(static_cast<const NativeCode*>(self)->steps_[index].get(), warp);
    warp->active = active, warp->resume = resume;
  }

  CodeHeader header_;
  abi::Executable executable_;
  std::vector<interp::CodePtr> steps_;
  Image image_;  ///< without text and data, which are in memory
  std::byte* memory_ = nullptr;
  size_t size_ = 0, textBytes_ = 0, dataOffset_ = 0;
};

}  // namespace

Result<std::shared_ptr<exec::MachineCode>> loadImage(const Image& image, const isa::Program& program,
                                                     const abi::Executable* otherwise) {
  auto code = std::make_shared<NativeCode>(otherwise);
  ETZEL_TRY(code->load(image, program));
  return std::shared_ptr<exec::MachineCode>(std::move(code));
}

}  // namespace etzel::native
