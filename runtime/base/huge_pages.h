// Pages of 2 MiB, for memory that is written all over and read from everywhere: with those of 4 KiB, who reads here and
// there waits for addresses to be looked up as often as for memory. Only a wish: systems that have none, or keep them
// for those that ask (Documentation/admin-guide/mm/transhuge.rst of Linux), give what they have. Any thread.
#pragma once

#include <cstddef>

namespace etzel {

inline constexpr size_t kHugePageBytes = size_t{2} << 20;

/// Asks for such pages. What lies in none keeps what it has. \param at a multiple of the system's pages
void wishHugePages(void* at, size_t bytes);

/// Zeros at a multiple of kHugePageBytes, private to the process, of which parts can become such pages; there as soon
/// as they are written, to be given back by munmap(2). \param bytes a multiple of the system's pages
/// \returns null when the system has no addresses
void* mapForHugePages(size_t bytes);

}  // namespace etzel
