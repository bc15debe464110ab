// The shapes of texts. shape.cpp learns them, and match.cpp compares texts with them.
#pragma once

#include "csimdjson.h"

#include <cstddef>

namespace csj {

// The piece between two scalars.
struct Piece {
  uint8_t bytes[32];   // its first bytes
  uint32_t mask;       // a bit for each of them
  uint32_t to_scalar;  // its length, or kNowhere for the last piece and for those longer than 32 bytes
  uint32_t scalar;     // the token of the scalar after it, or 0 for the last piece
  uint32_t length;     // in bytes
  uint64_t others;     // a bit for each shape that has the same pieces before this one, and another one here
  uint32_t at;         // the index in Shape::bytes of those after its first 32
};
static_assert(CSJ_SHAPES <= 64, "each shape needs a bit");
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "marks are read from any of their bytes on");
static_assert(offsetof(csj_token, kind) == 12 && sizeof(csj_token) == 16, "kind, flags and first gap are written at once");

// A position in a text, as a number of bytes after the beginning of a piece.
struct Place {
  uint32_t piece;
  uint32_t behind;
};

struct Name {
  csj_token token;  // of the text from which it was learnt
  uint32_t index;   // the index of the token
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

// Texts with more bytes or tokens, or more levels, are not learnt, so that all shapes together take at most 26 MB.
constexpr uint32_t kLengthMax = 32768, kTokensMax = 2048, kOpenMax = 64;

struct Shape {
  uint64_t id;    // 0 if there is no shape in this place
  uint64_t used;  // the value of csj_shapes::clock when it was last used
  uint32_t token_count, piece_count, name_count, container_count, gap_count;
  // In one allocation, in this order.
  Piece *pieces;
  Name *names;
  Container *containers;
  Gap *gaps;
  uint8_t *bytes;  // of all pieces, those after their first 32
};

// A position after the end of any text.
constexpr uint32_t kNowhere = 2 * kLengthMax;

// The number of bytes that are marked at a time, so that little of a text is read if its first pieces do not match.
constexpr uint32_t kStride = 1024;

}  // namespace csj

struct csj_shapes {
  csj::Shape shapes[CSJ_SHAPES];
  uint64_t last_id, clock;
  uint32_t last;       // the place of the shape that was used last
  uint32_t depth_max;  // the limit of levels that all shapes satisfy
  // The number of texts of unknown shapes since one was last learnt, and the number before the next one is learnt.
  uint32_t misses, patience;
  // The beginnings of the pieces in the current text.
  uint32_t starts[csj::kTokensMax + 1];
  // A bit for each byte of the current text up to `limit`, and then 64 more that are set. Special bytes are quotes, backslashes
  // and control characters; high bytes are not ASCII.
  uint64_t special[csj::kLengthMax / 64 + 2], high[csj::kLengthMax / 64 + 2];
  uint32_t limit;
};

namespace csj {

// Writes the tape of a text of a known shape. Returns false if its shape is unknown, or if it has a fault. The text is at
// `source`; it is copied to `text` in any case, if that is elsewhere.
bool match_shape(csj_parser *parser, const uint8_t *source, uint8_t *text, size_t length, uint32_t depth_max) noexcept;

}  // namespace csj
