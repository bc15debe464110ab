#pragma once
#include <sqlite3.h>
#include <sys/vfs.h>

// The type of the file system that a path lies on, as statfs(2) has it (Swift's module of glibc leaves it out); 0: unknown.
static inline unsigned int csqlite_file_system(const char *path) {
  struct statfs status;
  return statfs(path, &status) == 0 ? (unsigned int)status.f_type : 0;
}
