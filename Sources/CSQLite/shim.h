#pragma once
#include <sqlite3.h>
#include <sys/vfs.h>

// The type of the file system of a path, from statfs(2) (Swift's module of glibc leaves it out); 0: unknown.
static inline unsigned int csqlite_file_system(const char *path) {
  struct statfs status;
  return statfs(path, &status) == 0 ? (unsigned int)status.f_type : 0;
}
