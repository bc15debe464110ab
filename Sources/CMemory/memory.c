#include "memory.h"

#include <stddef.h>

// Not by its header, which declares glibc's functions a second time.
int mallctl(const char *name, void *old, size_t *old_length, void *new_value, size_t new_length);

// Read by jemalloc when the process starts; MALLOC_CONF in the environment takes precedence.
//
// thp: rooms and waiting records are spread over hundreds of MiB. With pages of 4 KiB most accesses miss the processor's table of
// pages, too, which is dearer than the missed cache where there is a hypervisor. Where the kernel allows it
// (/sys/kernel/mm/transparent_hugepage/enabled: madvise or always), they are in pages of 2 MiB. A CPU second then handles a
// quarter more gifts of the benchmark "wide"; mimalloc and tcmalloc are not better.
// narenas: what one arena has free another cannot use; few threads here allocate much at the same time.
// background_thread: memory of a backlog is returned even if nothing happens any more.
// dirty_decay_ms: what a rush needed is given back 5 s after it. Sooner, the memory of librdkafka's buffers, which come and go all the
// time, would be given back and asked for again, and each time the kernel clears a page of 2 MiB.
// oversize_threshold: a fetch of all partitions is above the 8 MiB from which jemalloc otherwise gives back at once.
const char *malloc_conf =
    "thp:always,metadata_thp:auto,narenas:2,background_thread:true,dirty_decay_ms:5000,oversize_threshold:0";

const char *cmemory_version(void) {
  const char *version = "";
  size_t length = sizeof version;
  return mallctl("version", &version, &length, NULL, 0) == 0 ? version : "";
}
