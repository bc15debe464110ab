#pragma once
#include <stddef.h>

// Asks for memory to be brought into the processor's cache, without waiting for it. Any address will do.
static inline void prefetch(const void *address) { __builtin_prefetch(address, 1, 3); }

// The same for `size` bytes, a cache line at a time.
static inline void prefetch_lines(const void *address, size_t size) {
  for (size_t offset = 0; offset < size; offset += 64) __builtin_prefetch((const char *)address + offset, 1, 3);
}
