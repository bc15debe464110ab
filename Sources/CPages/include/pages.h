// The files of Sources/ComboHTTP/Pages/web, by name.
#pragma once
#include <stddef.h>

typedef struct cpages_page {
  const char *name;  // relative to that folder; NULL after the last one
  const unsigned char *bytes;
  size_t count;
} cpages_page;

// Returns the first page; the others follow it in memory.
const cpages_page *cpages_first(void);
