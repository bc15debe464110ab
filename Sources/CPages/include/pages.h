// The files of Sources/ComboHTTP/Pages/web, by name.
#pragma once
#include <stddef.h>

typedef struct cpages_page {
  const char *name;  // relative to that folder; NULL behind the last
  const unsigned char *bytes;
  size_t count;
} cpages_page;

// The first of them; the others follow it.
const cpages_page *cpages_first(void);
