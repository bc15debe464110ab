#include "memory.h"

#include <stddef.h>

// Declared here, because jemalloc's header declares glibc's functions a second time.
int mallctl(const char *name, void *old, size_t *old_length, void *new_value, size_t new_length);

// Read by jemalloc when the process starts; MALLOC_CONF in the environment takes precedence.
//
// thp: rooms and waiting records are spread over hundreds of MiB. With pages of 4 KiB, most accesses also miss the TLB, which
// under a hypervisor is more expensive than the cache miss. Where the kernel allows it
// (/sys/kernel/mm/transparent_hugepage/enabled: madvise or always), the memory is in pages of 2 MiB. A CPU second then handles a
// quarter more gifts of the benchmark "wide"; mimalloc and tcmalloc are not better.
// narenas: an arena cannot use the free memory of another, and few threads here allocate much at the same time.
// background_thread: memory of a backlog is returned to the system even if nothing happens any more.
// dirty_decay_ms: the memory of a rush is returned 5 s after it. With a shorter time, the memory of librdkafka's short-lived
// buffers would be returned and requested again all the time, and each time the kernel clears a page of 2 MiB.
// oversize_threshold: a fetch of all partitions exceeds the 8 MiB from which jemalloc otherwise returns memory at once.
const char *malloc_conf =
    "thp:always,metadata_thp:auto,narenas:2,background_thread:true,dirty_decay_ms:5000,oversize_threshold:0";

const char *cmemory_version(void) {
  const char *version = "";
  size_t length = sizeof version;
  return mallctl("version", &version, &length, NULL, 0) == 0 ? version : "";
}
