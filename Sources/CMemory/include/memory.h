// jemalloc in the place of glibc's malloc, for the whole process that links this. How it is set up, and why, is in
// memory.c.
#pragma once

// Its version, such as `5.3.0-0-g54eaed1…`. Any thread; never NULL.
const char *cmemory_version(void);
