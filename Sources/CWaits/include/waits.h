#pragma once
#include <stdint.h>

// Returns the end of a wait for `until` by the monotonic clock, in nanoseconds. `timespec_get` is ahead of that clock by
// `steady`; `told` is the last result of `gettimeofday` in this thread, at `told_at` by that clock, or 0. For tests.
int64_t waits_end(int64_t until, int64_t steady, int64_t told, int64_t told_at);

// Waits as librdkafka does, on a condition that is never signalled. Returns 1 after the timeout. For tests.
int waits_try(int64_t ms, int by_gettimeofday);

// Whether shared libraries find the functions here. For tests.
int waits_are_in_place(void);
