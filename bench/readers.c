// Readers of rooms' events, and how long after its `at` each instruction reached them.
//
//   cc -O2 -o readers bench/readers.c -lz
//   readers PORT READERS ROOMS SECONDS [gzip]     rooms r0, r1, …, in turn; "gzip": the streams are compressed
//
// One thread. Of compressed streams it unpacks every 20th, as unpacking all would measure this program. The clocks of service and
// readers are the same. The figures are of the last SECONDS, after all readers have their first bytes.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

enum { SLOTS = 60001 };
typedef struct reader {
  int fd, has_begun, is_sample;
  long left;            // of the present chunk, for a sample
  char size[24];        // the line with the next chunk's size
  int size_count;
  int is_in_head;
  unsigned head_end;    // the last four bytes of the head
  char carry[64];       // what may be the beginning of an `at`
  int carry_count;
  z_stream zip;
} reader;

static long counts[SLOTS], events, bytes_read, began, gone;
static int measures;

static long now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void look(reader *r, const char *text, long count, long now) {
  static char joined[(1 << 18) + 64];
  memcpy(joined, r->carry, r->carry_count);
  memcpy(joined + r->carry_count, text, count);
  long total = r->carry_count + count, from = 0;
  for (;;) {
    char *found = memmem(joined + from, total - from, ",\"at\":", 6);
    if (found == NULL) break;
    long place = found - joined;
    if (place + 20 > total) { from = place; break; }
    long late = now - atol(found + 6);
    if (measures && late > -1000 && late < 600000) {
      events += 1;
      counts[late < 0 ? 0 : late >= SLOTS ? SLOTS - 1 : late] += 1;
    }
    from = place + 20;
  }
  long keep = total - from < 40 ? total - from : 40;
  memcpy(r->carry, joined + total - keep, keep);
  r->carry_count = keep;
}

static void unpack(reader *r, const char *text, long count, long now) {
  static char out[1 << 18];
  r->zip.next_in = (Bytef *)text;
  r->zip.avail_in = count;
  do {
    r->zip.next_out = (Bytef *)out;
    r->zip.avail_out = sizeof out;
    int said = inflate(&r->zip, Z_SYNC_FLUSH);
    if (said != Z_OK && said != Z_BUF_ERROR && said != Z_STREAM_END) { fprintf(stderr, "inflate: %d\n", said); exit(1); }
    if (sizeof out > r->zip.avail_out) look(r, out, sizeof out - r->zip.avail_out, now);
  } while (r->zip.avail_out == 0);
}

// Takes the chunks of HTTP apart.
static void unchunk(reader *r, const char *text, long count, long now) {
  while (count > 0) {
    if (r->is_in_head) {
      r->head_end = r->head_end << 8 | (unsigned char)*text++;
      count -= 1;
      if (r->head_end == 0x0d0a0d0a) r->is_in_head = 0;
    } else if (r->left > 0) {
      long piece = r->left < count ? r->left : count;
      unpack(r, text, piece, now);
      r->left -= piece; text += piece; count -= piece;
    } else {
      char c = *text++;
      count -= 1;
      if (c != '\n') { if (r->size_count < 20 && c != '\r') r->size[r->size_count++] = c; continue; }
      r->size[r->size_count] = 0;
      if (r->size_count > 0) r->left = strtol(r->size, NULL, 16);
      r->size_count = 0;
    }
  }
}

static double cpu(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return u.ru_utime.tv_sec + u.ru_stime.tv_sec + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

int main(int argc, char **argv) {
  if (argc < 5) { fprintf(stderr, "usage: readers PORT READERS ROOMS SECONDS [gzip]\n"); return 2; }
  int port = atoi(argv[1]), n = atoi(argv[2]), rooms = atoi(argv[3]), seconds = atoi(argv[4]), zips = argc > 5;
  struct rlimit limit = {n + 64, n + 64};
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) { getrlimit(RLIMIT_NOFILE, &limit); limit.rlim_cur = limit.rlim_max; setrlimit(RLIMIT_NOFILE, &limit); }
  reader *all = calloc(n, sizeof *all);
  int poll = epoll_create1(0);
  static char buffer[1 << 18];
  for (int i = 0; i < n; i++) {
    reader *r = &all[i];
    r->fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = inet_addr("127.0.0.1")};
    if (r->fd < 0 || connect(r->fd, (struct sockaddr *)&to, sizeof to) != 0) { perror("connect"); return 1; }
    int length = snprintf(buffer, sizeof buffer, "GET /rooms/r%d/events HTTP/1.1\r\nHost: localhost\r\n%s\r\n", i % rooms, zips ? "Accept-Encoding: gzip\r\n" : "");
    if (send(r->fd, buffer, length, 0) != length) { perror("send"); return 1; }
    fcntl(r->fd, F_SETFL, O_NONBLOCK);
    r->is_sample = zips && i % 20 == 0;
    r->is_in_head = 1;
    if (r->is_sample) inflateInit2(&r->zip, 31);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = r};
    epoll_ctl(poll, EPOLL_CTL_ADD, r->fd, &event);
  }
  long start = now_ms(), until = 0;
  double cpu_before = 0;
  struct epoll_event ready[512];
  while (until == 0 || now_ms() < until) {
    int count = epoll_wait(poll, ready, 512, 100);
    long now = now_ms();
    for (int i = 0; i < count; i++) {
      reader *r = ready[i].data.ptr;
      long got = recv(r->fd, buffer, sizeof buffer, 0);
      if (got <= 0) {
        if (got < 0 && errno == EAGAIN) continue;
        epoll_ctl(poll, EPOLL_CTL_DEL, r->fd, NULL);
        gone += 1;
        continue;
      }
      if (!r->has_begun) { r->has_begun = 1; began += 1; }
      if (measures) bytes_read += got;
      if (r->is_sample) unchunk(r, buffer, got, now);
      else if (!zips) look(r, buffer, got, now);
    }
    if (until == 0 && (began == n || now - start > 60000)) {
      // What the beginning has held up is over after three seconds.
      static long settled;
      if (settled == 0) settled = now + 3000;
      if (now >= settled) { until = now + seconds * 1000L; measures = 1; cpu_before = cpu(); }
    }
  }
  long sum = 0, at = 0, half = 0, most99 = 0, most = 0;
  for (at = 0; at < SLOTS; at++) {
    sum += counts[at];
    if (half == 0 && sum * 2 >= events) half = at;
    if (most99 == 0 && sum * 100 >= events * 99) most99 = at;
    if (counts[at]) most = at;
  }
  printf("readers %ld of %d, gone %ld, events %ld, p50 %ld ms, p99 %ld ms, max %ld ms, %.0f KB/s, own cpu %.2f s/s\n", began, n, gone, events, half, most99, most,
         bytes_read / 1000.0 / seconds, (cpu() - cpu_before) / seconds);
  return 0;
}
