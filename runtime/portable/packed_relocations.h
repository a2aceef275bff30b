// Relocations that the driver leaves undone until they are needed.
#pragma once

extern "C" {

/// Relocates LLVM's tables of addresses, which nothing may have used before; once, in one thread. Only in drivers whose
/// linker packs relocations: null in other programs, where the dynamic linker has done it.
[[gnu::weak, gnu::visibility("hidden")]] void etzelRelocateLlvm();
}
