// Whatever the driver asks the system for, counted, and refused on demand.
//
// This program brings malloc and its relatives, mmap, memfd_create, shmget, shmat and pthread_create of its own, which
// a library that is loaded later gets too. Calls that come from the driver's code are looked at; all others go through.
// So the driver is the one that applications load, and nothing in it knows of this.
//
// What the libraries inside of the driver ask for (LLVM, SPIRV-Tools: origin.h) is never refused: they cannot go on
// without memory, and the driver asks for room before it calls them. That question is refused like any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace oom {

enum class Mode { Count, Once, FromThenOn };

/// Looks at calls from here on that come from the module that `address` lies in. Once in a process.
void watch(const void* address);

/// From now on the `nth` request fails (0 is the next one; the libraries' count too, but the driver's next one fails
/// in their stead), with FromThenOn all of the driver's behind it as well, on whatever thread.
void arm(Mode mode, uint64_t nth);
void disarm();

/// The driver gets no shared memory segments from now on, as where there are none: that is no request.
void refuseSegments();

/// Since arm(): how many requests there were, and how many of them failed.
uint64_t requested();
uint64_t refused();
/// After Mode::Count, for each request: whether it was the driver's own.
std::vector<bool> ownRequests();
/// Where the first one that failed came from, innermost first; ends with null.
const void* const* refusedAt();

/// What the driver holds now, of each size how many. Mappings and segments count too.
std::map<size_t, int64_t> held();
/// From now on every piece remembers where it was asked for. Slow.
void traceHeld();
/// Prints where pieces of `bytes` were asked for that are held since traceHeld(), to stderr.
void printHeld(size_t bytes);

}  // namespace oom
