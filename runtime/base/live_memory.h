// ETZEL_DEBUG=check-addresses: which memory shaders may reach by address (VK_KHR_buffer_device_address). Applications
// make addresses of their own, so nothing can check them but a list of all buffers that are alive, which costs a search
// for each access and each lane. Any thread.
#pragma once

#include <cstdint>

namespace etzel {

/// The flag. Read it where code is made, not where it runs.
bool checksAddresses();

/// A buffer got an address. No-ops unless checksAddresses().
void addLiveMemory(const void* begin, uint64_t bytes);
/// It is gone: one such range.
void removeLiveMemory(const void* begin, uint64_t bytes);
/// Memory is freed, under whatever buffers it had.
void removeLiveMemoryWithin(const void* begin, uint64_t bytes);

/// Whether one buffer holds all of it. The first accesses that none holds are reported in the log.
bool isLiveMemory(uint64_t address, uint64_t bytes);

}  // namespace etzel
