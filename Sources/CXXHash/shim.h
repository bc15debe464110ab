#pragma once
// Header-only: nothing to link, and the compiler can inline it.
#define XXH_INLINE_ALL
#include <xxhash.h>
