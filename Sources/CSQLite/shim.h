#pragma once
#include <sqlite3.h>
#include <sys/vfs.h>

// The type of the file system of a path, from statfs(2) (Swift's module of glibc leaves it out); 0: unknown.
static inline unsigned int csqlite_file_system(const char *path) {
  struct statfs status;
  return statfs(path, &status) == 0 ? (unsigned int)status.f_type : 0;
}

// Closing a connection leaves the write-ahead log as it is. (Swift cannot call what takes a variable number of arguments.)
static inline void csqlite_leave_files(sqlite3 *database, int leaves) { sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, leaves, (int *)0); }
