// Keeps what a power failure would leave of the files of one folder: their contents when they were synced last, until the folder
// is synced without them. It is preloaded; SYNCED is the folder of the copies.
// Nothing is opened here but the copy: closing another descriptor of a database would drop SQLite's locks on it.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t copying = PTHREAD_MUTEX_INITIALIZER;

static void die(const char *what) {
  perror(what);
  abort();
}

// What was deleted stays deleted.
static void keep_names(const char *path, const char *folder) {
  DIR *kept = opendir(folder);
  if (!kept) die("power_cut: opendir");
  for (struct dirent *entry; (entry = readdir(kept));) {
    char there[8192], copy[8192];
    if (entry->d_name[0] == '.') continue;
    snprintf(there, sizeof there, "%s/%s", path, entry->d_name);
    snprintf(copy, sizeof copy, "%s/%s", folder, entry->d_name);
    if (access(there, F_OK)) unlink(copy);
  }
  closedir(kept);
}

static void keep(int file) {
  const char *folder = getenv("SYNCED");
  struct stat status;
  if (!folder || fstat(file, &status)) return;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) die("power_cut: readlink");
  path[length] = 0;
  if (S_ISDIR(status.st_mode)) {
    pthread_mutex_lock(&copying);
    keep_names(path, folder);
    pthread_mutex_unlock(&copying);
  }
  if (!S_ISREG(status.st_mode)) return;
  const char *name = strrchr(path, '/');
  char copy[8192], whole[8192];
  snprintf(copy, sizeof copy, "%s/%s.part", folder, name ? name + 1 : path);
  snprintf(whole, sizeof whole, "%s/%s", folder, name ? name + 1 : path);
  pthread_mutex_lock(&copying);
  int to = open(copy, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  if (to < 0) die("power_cut: open");
  static char bytes[1 << 16];
  off_t place = 0;
  for (ssize_t got; (got = pread(file, bytes, sizeof bytes, place)) != 0; place += got) {
    if (got < 0 || write(to, bytes, got) != got) die("power_cut: copy");
  }
  close(to);
  if (rename(copy, whole)) die("power_cut: rename");
  pthread_mutex_unlock(&copying);
}

static int call(const char *name, int file) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  int result = real(file);
  if (result == 0) keep(file);
  return result;
}

int fsync(int file) { return call("fsync", file); }
int fdatasync(int file) { return call("fdatasync", file); }
