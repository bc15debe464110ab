// Compares texts with known shapes piece by piece, and reads only their scalars. That takes less than half the instructions of
// our own walk. The walk exists because each record is checked against RFC 8259, and display data is copied byte for byte:
// simdjson's DOM keeps no positions, and its on-demand parser does not check what it skips.
#include "lexer.h"
#include "parser.h"
#include "shape.h"

#include <cstring>
#include <type_traits>

namespace {

using csj::Container, csj::Gap, csj::Piece, csj::Shape, csj::kLengthMax, csj::kStride;

// Bytes are read in vectors of 16, which every current processor has. Vectors of 32 (AVX2) would save 20 ns per record of 300
// bytes, which is less than 2 % of the total cost of a gift.
constexpr uint32_t kBlock = 16;
typedef uint8_t Block __attribute__((ext_vector_type(kBlock)));

inline Block load(const uint8_t *p) {
  Block bytes;
  memcpy(&bytes, p, kBlock);
  return bytes;
}

// Returns a bit for each byte for which a comparison holds; the lowest bit is that of the first byte.
template <typename Comparison>
inline uint32_t bits(Comparison holds) {
  typedef bool Bits __attribute__((ext_vector_type(kBlock)));
  const Bits all = __builtin_convertvector(holds, Bits);
  uint16_t word = 0;
  memcpy(&word, &all, kBlock / 8);
  return word;
}

// The marks of 64 bytes.
struct Marks {
  uint64_t special = 0, high = 0;

  template <bool Copies>
  inline Marks(const uint8_t *from, uint8_t *to, std::bool_constant<Copies>) {
    for (uint32_t at = 0; at < 64; at += kBlock) {
      const auto bytes = load(from + at);
      if (Copies) memcpy(to + at, &bytes, kBlock);
      special |= uint64_t(bits((bytes < uint8_t(0x20)) | (bytes == uint8_t('"')) | (bytes == uint8_t('\\')))) << at;
      high |= uint64_t(bits(bytes >= uint8_t(0x80))) << at;
    }
  }
};

inline void finish_marks(csj_shapes *shapes, uint32_t limit) {
  // Every search ends at a byte that has not been marked yet.
  if (limit % 64) {
    const uint64_t unseen = ~uint64_t(0) << limit % 64;
    shapes->special[limit / 64] |= unseen;
    shapes->high[limit / 64] |= unseen;
  }
  const uint32_t behind = (limit + 63) / 64;
  shapes->special[behind] = shapes->high[behind] = ~uint64_t(0);
  shapes->limit = limit;
}

// Makes the marks from `from` on, a multiple of 64, for at most kStride bytes. Reads up to 63 bytes after the text.
inline void mark(csj_shapes *shapes, const uint8_t *text, uint32_t from, uint32_t length) {
  const uint32_t limit = length - from > kStride ? from + kStride : length;
  for (uint32_t at = from; at < limit; at += 64) {
    const Marks marks(text + at, nullptr, std::false_type());
    shapes->special[at / 64] = marks.special;
    shapes->high[at / 64] = marks.high;
  }
  finish_marks(shapes, limit);
}

// Copies a text of 64 to kStride bytes and makes its marks.
inline void mark_copy(csj_shapes *shapes, const uint8_t *source, uint8_t *text, uint32_t length) {
  uint32_t at = 0;
  for (; at + 64 <= length; at += 64) {
    const Marks marks(source + at, text + at, std::true_type());
    shapes->special[at / 64] = marks.special;
    shapes->high[at / 64] = marks.high;
  }
  if (at < length) {
    // The last 64 bytes, of which those before `at` were read already.
    const Marks marks(source + length - 64, text + length - 64, std::true_type());
    shapes->special[at / 64] = marks.special >> (at + 64 - length);
    shapes->high[at / 64] = marks.high >> (at + 64 - length);
  }
  finish_marks(shapes, length);
}

// Returns the first marked position from `at` on.
inline size_t next_mark(const uint64_t *marks, size_t at) {
  uint64_t word;  // at least 57 marks
  memcpy(&word, reinterpret_cast<const uint8_t *>(marks) + at / 8, 8);
  word >>= at % 8;
  while (__builtin_expect(word == 0, 0)) {
    at += 57;
    memcpy(&word, reinterpret_cast<const uint8_t *>(marks) + at / 8, 8);
    word >>= at % 8;
  }
  return at + size_t(__builtin_ctzll(word));
}

// Whether the first 32 bytes of a piece are at `from`. Reads up to 32 bytes after that.
inline bool begins(const uint8_t *text, size_t from, const Piece &piece) {
  if (bits(load(text + from) != load(piece.bytes)) & piece.mask & 0xFFFF) return false;
  return piece.length <= 16 || (bits(load(text + from + 16) != load(piece.bytes + 16)) & (piece.mask >> 16)) == 0;
}

// Returns the position after the string that begins at `p`, or 0 if the string does not end or has a fault.
inline uint32_t string_end(csj_shapes *shapes, const uint8_t *text, uint32_t p, uint32_t length, uint8_t &flags) {
  for (uint32_t q = p + 1;;) {
    if (q < shapes->limit) q = uint32_t(next_mark(shapes->special, q));
    if (q >= shapes->limit) {
      if (shapes->limit == length) return 0;
      mark(shapes, text, shapes->limit, length);
    } else if (text[q] == '"') {
      const uint8_t *where;
      return flags && csj::check_escapes(text + p + 1, text + q, where) ? 0 : q + 1;
    } else {
      // An escaped character, even a quote, is skipped; the end checks that escapes are right.
      if (text[q] != '\\' || text[q + 1] < 0x20 || text[q + 1] >= 0x80) return 0;
      flags = CSJ_ESCAPED;
      q += 2;
    }
  }
}

// Returns the number of digits at `p`, at most 16.
inline uint32_t digits(const uint8_t *p) {
  return uint32_t(__builtin_ctz(~bits(load(p) - uint8_t('0') < uint8_t(10))));
}

// Reads the string, number or word that begins at `p`. Returns its kind and sets `end`, or returns 0 if it is invalid.
inline uint8_t scalar(csj_shapes *shapes, const uint8_t *text, uint32_t p, uint32_t length, uint32_t &end, uint8_t &flags) {
  if (text[p] == '"') {
    end = string_end(shapes, text, p, length, flags);
    return end ? CSJ_STRING : 0;
  }
  return number_or_word(text, p, p + 17, end);
}

// Reads a piece and the scalar after it, whatever they are. Returns the end of the scalar or of the text, or 0 if the text does
// not have this shape or has a fault.
__attribute__((noinline)) uint32_t step(
  csj_shapes *shapes, csj_token *tokens, const uint8_t *text, uint32_t from, uint32_t length, const Shape &shape, const Piece &piece) {
  if (!begins(text, from, piece) || from + piece.length > length) return 0;
  if (piece.length > 32 && memcmp(text + from + 32, shape.bytes + piece.at, piece.length - 32) != 0) return 0;
  const uint32_t p = from + piece.length;
  shapes->starts[&piece - shape.pieces] = from;
  if ((piece.scalar == 0) != (p == length)) return 0;
  if (p == length) return p;
  while (p >= shapes->limit) mark(shapes, text, shapes->limit, length);
  uint32_t end;
  uint8_t flags = 0;
  const uint8_t kind = scalar(shapes, text, p, length, end, flags);
  if (!kind) return 0;
  tokens[piece.scalar] = {p, end - p, piece.scalar + 1, kind, flags, 0};
  return end;
}

// Whether a text is UTF-8: only the part from its first to its last byte that is not ASCII is checked.
inline bool is_utf8(const uint64_t *high, const uint8_t *text, uint32_t length) {
  size_t at = next_mark(high, 0);
  if (at >= length) return true;
  uint32_t last = length - 1;
  while (text[last] < 0x80) --last;
  return csj_is_utf8(text + at, last + 1 - at);
}

// Finds the shape of a text that begins at `from`, writes the tokens of its scalars, and stores the beginnings of its pieces.
// Returns null if its shape is unknown or it has a fault.
//
// No read leaves the text and its padding: a string ends with the text at the latest, at most 32 bytes after the text are read
// before a position is checked, and the last byte of the text is a bracket, at which numbers and words stop.
Shape *match(csj_shapes *shapes, csj_token *tokens, const uint8_t *source, uint8_t *text, size_t from, uint32_t length) {
  uint64_t left = 0;  // the shapes that may still match at the piece `failed`
  uint32_t place = shapes->last, failed = UINT32_MAX;
  Shape *shape = shapes->shapes + place;
  if (source == text) {
    mark(shapes, text, 0, length);
  } else {
    mark_copy(shapes, source, text, length);
  }
  const Piece *piece = shape->pieces;
  uint32_t *start = shapes->starts;
  for (;;) {
    // The usual case: a short piece, and after it a string without escapes or a number of a few digits.
    for (const size_t limit = shapes->limit; begins(text, from, *piece);) {
      const size_t p = from + piece->to_scalar;
      *start = uint32_t(from);
      if (p >= limit) {
        if (piece->scalar || piece->length > 32 || limit < length || from + piece->length != length) break;
        if (!is_utf8(shapes->high, text, length)) return nullptr;
        shapes->last = place;
        return shape;
      }
      csj_token &token = tokens[piece->scalar];
      const auto set = [&](size_t end, uint32_t kind) __attribute__((always_inline)) {
        token.start = uint32_t(p);
        token.length = uint32_t(end - p);
        token.next = piece->scalar + 1;
        memcpy(&token.kind, &kind, 4);  // without flags and gaps
        from = end;
      };
      if (text[p] == '"') {
        // The quote may be after the marks, or even after the text; then so is the next piece.
        const size_t quote = next_mark(shapes->special, p + 1);
        if (text[quote] != '"') break;
        set(quote + 1, CSJ_STRING);
      } else {
        // A number may continue after its digits.
        const size_t count = digits(text + p);
        if (count - 1 > 14 || text[p + count] != piece[1].bytes[0]) break;
        if (text[p] == '0' && count > 1) break;
        set(p + count, CSJ_INTEGER);
      }
      ++piece;
      ++start;
    }
    if (const uint32_t end = step(shapes, tokens, text, uint32_t(from), length, *shape, *piece)) {
      from = end;
      if (from == length) break;
      ++piece;
      ++start;
      continue;
    }
    // Shapes that have the same piece here would fail like this one.
    const auto n = uint32_t(piece - shape->pieces);
    left = (n == failed ? left : ~uint64_t(0)) & piece->others;
    failed = n;
    if (!left) return nullptr;
    place = uint32_t(__builtin_ctzll(left));
    shape = shapes->shapes + place;
    piece = shape->pieces + n;
  }
  while (shapes->limit < length) mark(shapes, text, shapes->limit, length);
  if (!is_utf8(shapes->high, text, length)) return nullptr;
  shapes->last = place;
  return shape;
}

inline bool is_bracket(uint8_t byte) { return byte == '}' || byte == ']'; }
inline bool is_white(uint8_t byte) { return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t'; }

}  // namespace

bool csj::match_shape(csj_parser *parser, const uint8_t *source, uint8_t *text, size_t length, uint32_t depth_max) noexcept {
  csj_shapes *const shapes = parser->shapes;
  const bool is_tried = shapes && shapes->depth_max == depth_max && shapes->shapes[shapes->last].id && length > 0 && length <= kLengthMax;
  // The text is copied while it is compared, if all of it is read anyway.
  if (source != text && !(is_tried && length >= 64 && length <= kStride && is_bracket(source[length - 1]))) {
    memcpy(text, source, length);
    source = text;
  }
  if (!is_tried) return false;
  uint32_t from = 0;
  while (length > 0 && is_white(source[length - 1])) --length;
  while (from < length && is_white(source[from])) ++from;
  if (from == length || !is_bracket(source[length - 1])) return false;
  Shape *const shape = match(shapes, parser->tokens, source, text, from, uint32_t(length));
  if (!shape) return false;
  shape->used = ++shapes->clock;
  parser->shape = shapes->last;
  parser->shape_id = shape->id;
  parser->fault_at = 0;
  parser->is_nameless = 1;
  parser->count = shape->token_count;
  parser->gap_count = shape->gap_count;
  const uint32_t *const starts = shapes->starts;
  csj_token *const tokens = parser->tokens;
  for (const Container *container = shape->containers, *const end = container + shape->container_count; container < end; ++container) {
    csj_token token = container->token;
    token.start = starts[container->start.piece] + container->start.behind;
    token.length = starts[container->end.piece] + container->end.behind - token.start;
    tokens[container->index] = token;
  }
  csj_gap *to = parser->gaps;
  for (const Gap *gap = shape->gaps, *const end = gap + shape->gap_count; gap < end; ++gap, ++to) {
    const uint32_t from = starts[gap->from.piece] + gap->from.behind;
    *to = {from, from + gap->length};
  }
  return true;
}
