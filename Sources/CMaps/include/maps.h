// The files of Sources/ComboMaps/BuiltIn, by name.
#pragma once
#include <stddef.h>

typedef struct cmaps_file {
  const char *name;  // without .json; NULL after the last one
  const unsigned char *bytes;
  size_t count;
} cmaps_file;

// Returns the first file; the others follow it in memory.
const cmaps_file *cmaps_first(void);

// Returns the words by which map --infer finds fields: Sources/ComboMaps/Inference/vocabulary.json.
cmaps_file cmaps_vocabulary(void);
