#pragma once
#include <stdint.h>

// UTC as if the wall clock had not been set since the process began, in milliseconds since 1970.
int64_t waits_steady_utc_ms(void);

// Waits as librdkafka does, on a condition that is never signalled. Returns 1 after the timeout. For tests.
int waits_try(int64_t ms);

// Whether shared libraries find both functions here. For tests.
int waits_are_in_place(void);
