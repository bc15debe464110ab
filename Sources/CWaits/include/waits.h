#pragma once
#include <stdint.h>

// What UTC would be if nobody had set the wall clock since the process began, in milliseconds since 1970.
int64_t waits_steady_utc_ms(void);

// Waits for so long as librdkafka does, on a condition that nobody signals. Returns 1 if the time was over. For tests.
int waits_try(int64_t ms);

// Whether shared libraries find both functions here. For tests.
int waits_are_in_place(void);
