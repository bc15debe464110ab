#pragma once
#include <stdlib.h>
#include <zlib.h>

// Wrappers of zlib's functions that are macros, which Swift cannot call.

// Creates a stream for raw deflate, or returns NULL. Level 1 has most of the gain in half of the time.
static inline z_stream *czlib_make(void) {
  z_stream *stream = calloc(1, sizeof *stream);
  if (stream == NULL) return NULL;
  if (deflateInit2(stream, 1, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK) return stream;
  free(stream);
  return NULL;
}

// Deflates `count` bytes into blocks that need no earlier data and end at a byte. Returns their length, or 0 if they do not fit.
static inline size_t czlib_blocks(z_stream *stream, const void *bytes, size_t count, void *out, size_t room) {
  deflateReset(stream);
  stream->next_in = (Bytef *)bytes;
  stream->avail_in = (uInt)count;
  stream->next_out = (Bytef *)out;
  stream->avail_out = (uInt)room;
  if (deflate(stream, Z_FULL_FLUSH) != Z_OK || stream->avail_in != 0 || stream->avail_out == 0) return 0;
  return room - stream->avail_out;
}
