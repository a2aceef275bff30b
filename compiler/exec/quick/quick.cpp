#include "compiler/exec/quick/quick.h"

#include <sys/mman.h>

#include "compiler/exec/interp/execute.h"
#include "compiler/exec/quick/x64/generator.h"

namespace etzel::quick {
namespace {

using interp::Frame;
using interp::Op;
using x64::Generator;
using x64::Layout;

abi::WarpStatus runQuick(const void* self, abi::Warp* warp) {
  const auto& layout = *static_cast<const Layout*>(self);
  return interp::execute(layout.code.get(), warp, [&](const Op* op, Frame& f) {
    layout.enter(&f, layout.addresses[static_cast<size_t>(op - layout.code->ops.data())]);
  });
}

class QuickCodeImpl final : public QuickCode {
 public:
  ~QuickCodeImpl() override {
    if (memory_) munmap(memory_, size_);
  }
  const abi::Executable* executable() const override { return &executable_; }
  size_t bytes() const override { return size_; }

  bool load(const std::vector<uint8_t>& machineCode) {
    size_ = machineCode.size();
    void* p = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return false;
    memory_ = p;
    std::memcpy(p, machineCode.data(), size_);
    return mprotect(p, size_, PROT_READ | PROT_EXEC) == 0;
  }
  const std::byte* at(uint32_t offset) const { return static_cast<const std::byte*>(memory_) + offset; }
  void finish() { executable_ = {runQuick, &layout}; }

  Layout layout;

 private:
  abi::Executable executable_;
  void* memory_ = nullptr;
  size_t size_ = 0;
};

}  // namespace

Result<std::shared_ptr<QuickCode>> makeQuick(const isa::Program& program) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return Error{ErrorCode::Unsupported, "quick code needs AVX2 and FMA"};
  auto decoded = interp::decode(program);
  if (!decoded) return decoded.error();
  auto quick = std::make_shared<QuickCodeImpl>();
  Layout& layout = quick->layout;
  layout.code = std::move(*decoded);
  Generator generator(program, *layout.code);
  generator.run();
  generator.setLayout(&layout);
  if (!quick->load(generator.a.bytes)) return Error{ErrorCode::OutOfHostMemory, "no memory to run code from"};
  for (uint32_t i = 0; i < layout.code->ops.size(); ++i)
    layout.addresses.push_back(quick->at(generator.a.addressOf(generator.firstLabel + i)));
  layout.enter = reinterpret_cast<decltype(layout.enter)>(reinterpret_cast<uintptr_t>(quick->at(generator.entry)));
  quick->finish();
  return std::shared_ptr<QuickCode>(std::move(quick));
}

}  // namespace etzel::quick
