// jemalloc instead of glibc's malloc, for the whole process that links this. memory.c has its settings and their reasons.
#pragma once

// Returns its version, such as `5.3.0-0-g54eaed1…`. Any thread; never NULL.
const char *cmemory_version(void);
