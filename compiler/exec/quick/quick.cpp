#include "compiler/exec/quick/quick.h"

#include <sys/mman.h>

#include <cstring>

#include "compiler/exec/interp/execute.h"
#include "compiler/exec/quick/host.h"
#include "runtime/base/code_memory.h"

namespace etzel::quick {
namespace {

abi::WarpStatus runQuick(const void* self, abi::Warp* warp) {
  const auto& layout = *static_cast<const Layout*>(self);
  return interp::execute(layout.code.get(), warp, [&](const interp::Op* op, interp::Frame& f) {
    layout.enter(&f, layout.addresses[static_cast<size_t>(op - layout.code->ops.data())]);
  });
}

class QuickCode final : public exec::MachineCode {
 public:
  explicit QuickCode(interp::CodePtr code) { layout_.code = std::move(code); }
  ~QuickCode() override {
    if (memory_) munmap(memory_, size_);
  }
  const abi::Executable* executable() const override { return &executable_; }
  const Layout& layout() const { return layout_; }

  /// Puts the code where it may run. False: the system has no memory for it.
  bool load(const Assembled& code) {
    size_ = code.bytes.size();
    void* p = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return false;
    memory_ = p;
    std::memcpy(p, code.bytes.data(), size_);
    if (!makeExecutable(p, size_)) return false;
    layout_.addresses.reserve(code.ops.size());
    for (uint32_t op : code.ops) layout_.addresses.push_back(at(op));
    layout_.enter = reinterpret_cast<decltype(layout_.enter)>(reinterpret_cast<uintptr_t>(at(code.enter)));
    executable_ = {runQuick, &layout_};
    return true;
  }

 private:
  const std::byte* at(uint32_t offset) const { return static_cast<const std::byte*>(memory_) + offset; }

  Layout layout_;
  abi::Executable executable_;
  void* memory_ = nullptr;
  size_t size_ = 0;
};

}  // namespace

bool available() { return hostGenerator() != nullptr; }

Result<std::shared_ptr<exec::MachineCode>> make(const isa::Program& program) {
  const Generate generate = hostGenerator();
  if (!generate || isCodeRefused()) return Error{ErrorCode::Unsupported, "no quick code for this host"};
  auto decoded = interp::decode(program);
  if (!decoded) return decoded.error();
  auto quick = std::make_shared<QuickCode>(std::move(*decoded));
  if (!quick->load(generate(program, quick->layout())))
    return Error{ErrorCode::OutOfHostMemory, "no memory to run code from"};
  return std::shared_ptr<exec::MachineCode>(std::move(quick));
}

}  // namespace etzel::quick
