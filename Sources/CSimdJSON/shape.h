// The shapes of texts that were read, as match.cpp compares texts with them and shape.cpp learns them.
#pragma once

#include "csimdjson.h"

#include <cstddef>

namespace csj {

// The piece between two scalars.
struct Piece {
  uint8_t bytes[32];   // its first ones
  uint32_t mask;       // a bit for each of them
  uint32_t to_scalar;  // its length; of the last piece, and of longer ones, more than any text has
  uint32_t scalar;     // the token of the scalar behind it; 0: none, it is the last
  uint32_t length;     // bytes
  uint64_t others;     // a bit for each shape that has the same pieces before this one, and another one here
  uint32_t at;         // where those behind its first are among those of all pieces
};
static_assert(CSJ_SHAPES <= 64, "each shape needs a bit");
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "marks are read from any of their bytes on");
static_assert(offsetof(csj_token, kind) == 12 && sizeof(csj_token) == 16, "kind, flags and first gap are written at once");

// A place in a text, as bytes after where a piece begins.
struct Place {
  uint32_t piece;
  uint32_t behind;
};

struct Name {
  csj_token token;  // of the text it was learnt from
  uint32_t index;   // that token's
  Place start;
};

struct Container {
  csj_token token;
  uint32_t index;
  Place start, end;
};

struct Gap {
  Place from;
  uint32_t length;
};

// Texts with more bytes or tokens are read each for itself: what is known of all shapes takes 26 MB at most.
constexpr uint32_t kLengthMax = 32768, kTokensMax = 2048, kOpenMax = 64;

struct Shape {
  uint64_t id;    // 0: none is known
  uint64_t used;  // when it was met last, as texts met before
  uint32_t token_count, piece_count, name_count, container_count, gap_count;
  // In one allocation, in this order.
  Piece *pieces;
  Name *names;
  Container *containers;
  Gap *gaps;
  uint8_t *bytes;  // of all pieces, those behind their first 32
};

// Behind the end of any text.
constexpr uint32_t kNowhere = 2 * kLengthMax;

// Of a text, not more than this is read before its first piece is compared, nor before each that lies after that.
constexpr uint32_t kStride = 1024;

}  // namespace csj

struct csj_shapes {
  csj::Shape shapes[CSJ_SHAPES];
  uint64_t last_id, clock;
  uint32_t last;       // the place of the shape that was met last
  uint32_t depth_max;  // what all shapes keep to
  // How many texts of unknown shapes there were since the last one was learnt, and how many there must be before the next is.
  uint32_t misses, patience;
  // The beginnings of the pieces in the text in hand.
  uint32_t starts[csj::kTokensMax + 1];
  // A bit for each byte of the text in hand, up to `limit`, and behind that 64 more that are set. Special is what ends a string or cannot stand in it
  // as it is; high what is not ASCII.
  uint64_t special[csj::kLengthMax / 64 + 2], high[csj::kLengthMax / 64 + 2];
  uint32_t limit;
};

namespace csj {

// Writes the tape of a text of a known shape; false: it is of none, or has a fault. The text is at `source`, and is copied to `text` if that
// is elsewhere, whatever comes of it.
bool match_shape(csj_parser *parser, const uint8_t *source, uint8_t *text, size_t length, uint32_t depth_max) noexcept;

}  // namespace csj
