// The part of libIndexStore that TidyTests uses, after indexstore/indexstore.h of Swift's toolchain. The library is loaded at run
// time, because the linker does not look into the toolchain's folder.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  const char *data;
  size_t length;
} IndexText;

typedef void *IndexObject;

typedef IndexObject (*IndexCreateStore)(const char *path, IndexObject *error);
typedef IndexObject (*IndexCreateReader)(IndexObject store, const char *name, IndexObject *error);
typedef void (*IndexDispose)(IndexObject object);
typedef bool (*IndexUnitsApply)(IndexObject store, unsigned sorted, void *context, bool (*body)(void *context, IndexText name));
typedef bool (*IndexApply)(IndexObject object, void *context, bool (*body)(void *context, IndexObject part));
typedef IndexText (*IndexGetText)(IndexObject object);
typedef int (*IndexGetKind)(IndexObject object);
typedef uint64_t (*IndexGetRoles)(IndexObject object);
typedef IndexObject (*IndexGetObject)(IndexObject object);
typedef void (*IndexGetPlace)(IndexObject occurrence, unsigned *line, unsigned *column);
