#pragma once
#include <sqlite3.h>
#include <sys/vfs.h>

// Returns the type of a path's file system by statfs(2), which Swift's module of glibc leaves out, or 0 if it is unknown.
static inline unsigned int csqlite_file_system(const char *path) {
  struct statfs status;
  return statfs(path, &status) == 0 ? (unsigned int)status.f_type : 0;
}

// Sets whether closing a connection leaves the write-ahead log as it is. Swift cannot call the variadic function.
static inline void csqlite_leave_files(sqlite3 *database, int leaves) { sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, leaves, (int *)0); }
