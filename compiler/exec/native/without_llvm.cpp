// Stands in for the whole folder in a build without LLVM.
#include "compiler/exec/native/digest.h"
#include "compiler/exec/native/native.h"

namespace etzel::native {

std::unique_ptr<Compiler> Compiler::create() { return nullptr; }

Result<std::shared_ptr<exec::MachineCode>> load(const isa::Program&, std::span<const std::byte>) {
  return Error{ErrorCode::Unsupported, "this build has no native code"};
}

bool Hasher::available() { return false; }
Hasher::Hasher(const Digest*) {}
void Hasher::bytes(const void*, size_t) {}
Digest Hasher::finish() const { return {}; }

}  // namespace etzel::native
