// The files of Sources/ComboMaps/BuiltIn, by name.
#pragma once
#include <stddef.h>

typedef struct cmaps_file {
  const char *name;  // without .json; NULL behind the last
  const unsigned char *bytes;
  size_t count;
} cmaps_file;

// The first of them; the others follow it.
const cmaps_file *cmaps_first(void);

// The words by which map --infer finds fields: Sources/ComboMaps/Inference/vocabulary.json.
cmaps_file cmaps_vocabulary(void);
