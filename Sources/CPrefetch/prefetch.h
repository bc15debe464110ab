#pragma once
#include <stddef.h>

// Prefetches memory into the processor's cache, without waiting for it. Any address is allowed.
static inline void prefetch(const void *_Nullable address) { __builtin_prefetch(address, 1, 3); }

// Prefetches memory at `count` addresses.
static inline void prefetch_all(const void *_Nonnull const *_Nonnull addresses, ptrdiff_t count) {
  for (ptrdiff_t n = 0; n < count; n++) prefetch(addresses[n]);
}

// Prefetches `size` bytes, a cache line at a time.
static inline void prefetch_lines(const void *_Nullable address, size_t size) {
  for (size_t offset = 0; offset < size; offset += 64) __builtin_prefetch((const char *)address + offset, 1, 3);
}
