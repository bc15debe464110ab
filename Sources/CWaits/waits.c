// Lets librdkafka's threads wait by the monotonic clock.
//
// librdkafka waits until a time of UTC (`timespec_get` or `gettimeofday`, then `cnd_timedwait`). If the wall clock is set back by
// an hour meanwhile, by NTP or because a machine was resumed, each of its waits lasts an hour longer (librdkafka's issue 2145).
// The program's own definitions of these functions take precedence over libc's in every shared library, so librdkafka uses these.

#define _GNU_SOURCE
#include "waits.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>

static const int64_t second = 1000000000;

static int64_t now_of(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * second + time.tv_nsec;
}

// UTC minus the monotonic clock when it was first needed, or 0 before that.
static _Atomic int64_t offset;

static int64_t steady_offset(void) {
  int64_t known = atomic_load_explicit(&offset, memory_order_relaxed);
  if (known != 0) return known;
  int64_t found = now_of(CLOCK_REALTIME) - now_of(CLOCK_MONOTONIC);
  if (found == 0) found = 1;
  // The first caller decides for all.
  return atomic_compare_exchange_strong(&offset, &known, found) ? found : known;
}

// Continues evenly from the time that the wall clock showed first.
int timespec_get(struct timespec *time, int base) {
  if (base != TIME_UTC) return 0;
  int64_t now = now_of(CLOCK_MONOTONIC) + steady_offset();
  time->tv_sec = now / second;
  time->tv_nsec = now % second;
  return base;
}

// The last result of `gettimeofday` in this thread, and its time by the monotonic clock; 0 before the first call.
static _Thread_local int64_t told;
static _Thread_local int64_t told_at;

// Returns the time of the wall clock, because it becomes the timestamp of records.
int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  int64_t now = now_of(CLOCK_REALTIME) / 1000 * 1000;
  time->tv_sec = now / second;
  time->tv_usec = now % second / 1000;
  if (zone) memset(zone, 0, sizeof(struct timezone));
  told = now;
  told_at = now_of(CLOCK_MONOTONIC);
  return 0;
}

int64_t waits_end(int64_t until, int64_t steady, int64_t told, int64_t told_at) {
  // librdkafka adds whole milliseconds to the result of `gettimeofday`. A time of `timespec_get`, which has nanoseconds, matches
  // by chance once in a million waits, and then both ways differ only if the wall clock was set.
  if (told != 0 && until >= told && (until - told) % 1000000 == 0) return told_at + until - told;
  return until - steady;
}

// Waits until a time that was derived from one of the two functions above.
int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict until) {
  struct timespec monotonic = {0, 0};
  int64_t at = 0;
  // A time beyond 2200 means forever.
  if (until->tv_sec > 7258118400) at = INT64_MAX;
  else if (until->tv_sec >= 0) at = waits_end(until->tv_sec * second + until->tv_nsec, steady_offset(), told, told_at);
  if (at > 0) {
    monotonic.tv_sec = at / second;
    monotonic.tv_nsec = at % second;
  }
  // glibc's cnd_t and mtx_t are its pthread_cond_t and pthread_mutex_t.
  switch (pthread_cond_clockwait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex, CLOCK_MONOTONIC, &monotonic)) {
    case 0: return thrd_success;
    case ETIMEDOUT: return thrd_timedout;
    default: return thrd_error;
  }
}

int waits_try(int64_t ms, int by_gettimeofday) {
  cnd_t condition;
  mtx_t mutex;
  if (cnd_init(&condition) != thrd_success || mtx_init(&mutex, mtx_plain) != thrd_success) return -1;
  struct timespec until;
  if (by_gettimeofday) {
    struct timeval now;
    gettimeofday(&now, 0);
    until.tv_sec = now.tv_sec;
    until.tv_nsec = now.tv_usec * 1000;
  } else {
    timespec_get(&until, TIME_UTC);
  }
  int64_t at = until.tv_sec * second + until.tv_nsec + ms * 1000000;
  until.tv_sec = at / second;
  until.tv_nsec = at % second;
  mtx_lock(&mutex);
  int outcome = cnd_timedwait(&condition, &mutex, &until);
  mtx_unlock(&mutex);
  mtx_destroy(&mutex);
  cnd_destroy(&condition);
  return outcome == thrd_timedout;
}

int waits_are_in_place(void) {
  return dlsym(RTLD_DEFAULT, "cnd_timedwait") == (void *)cnd_timedwait && dlsym(RTLD_DEFAULT, "timespec_get") == (void *)timespec_get
    && dlsym(RTLD_DEFAULT, "gettimeofday") == (void *)gettimeofday;
}
