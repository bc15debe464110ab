// Texts of which many are alike: records of one kind from one program have the same members in the same order, written the same way.
//
// Such a text is a row of pieces that never change (`,"level":`, `},"gift":{"id":`) with a scalar between each two. The pieces of a text
// that was read are kept; a later one is compared with them, piece by piece, and only its scalars are looked at. Whatever differs is read
// by the walk over all tokens, and so may become the next shape to be known.
#include "lexer.h"
#include "parser.h"

#include <cstdlib>
#include <cstring>

namespace {

// A place in a text, as bytes behind where its piece begins.
struct Place {
  uint32_t token;
  uint32_t behind;
};

// What stands between two scalars.
struct Piece {
  uint32_t length;   // bytes
  uint32_t listed;   // bytes of them that stage 1 lists
  uint32_t lead;     // bytes of white space it begins with
  uint32_t starts;   // how many tokens begin in it: names, objects and arrays
  uint32_t ends;     // how many objects and arrays end in it
  uint32_t gaps;     // how many gaps are in it
  uint32_t scalar;   // the token of the scalar behind it; the last piece has none
};

// Longer texts are read each for itself.
constexpr uint32_t kLengthMax = 32768, kOpenMax = 64;

struct Shape {
  uint64_t id;         // 0: none is known
  uint32_t listed;     // bytes that stage 1 lists
  uint32_t depth_max;
  uint32_t token_count, piece_count, gap_count;
  // In one allocation, in this order.
  csj_token *tokens;   // the tape; what is not the same in each text is filled in
  Piece *pieces;
  Place *starts, *ends;
  csj_gap *gaps;       // as bytes behind where their piece begins
  uint8_t *bytes;      // of all pieces, with 8 more that can be read behind them
  // After how many texts of other shapes, one behind the other, it is learnt anew: where there are many shapes, that seldom pays.
  uint8_t patience, misses;
};

}  // namespace

struct csj_shapes {
  Shape shapes[CSJ_SHAPES];
  uint64_t last_id;
};

namespace {

// Reads up to 8 bytes behind both.
inline bool are_equal(const uint8_t *a, const uint8_t *b, uint32_t length) {
  uint64_t x, y;
  for (; length > 8; a += 8, b += 8, length -= 8) {
    memcpy(&x, a, 8);
    memcpy(&y, b, 8);
    if (x != y) return false;
  }
  memcpy(&x, a, 8);
  memcpy(&y, b, 8);
  return length == 0 || (x ^ y) << (64 - 8 * length) == 0;
}

// The flags of the string that begins at `p` and seems to end before `end`; -1: that quote is itself an escape, or another one is wrong.
// By itself, so that texts without any escape need no registers for it.
__attribute__((noinline)) int escapes(const uint8_t *text, uint32_t p, uint32_t end, uint32_t next) {
  if (closing_quote(text, next) != end - 1) return -1;
  if (!memchr(text + p, '\\', end - p)) return 0;
  const uint8_t *where;
  return csj::check_escapes(text + p + 1, text + end - 1, where) ? -1 : CSJ_ESCAPED;
}

// Reads a text by a known shape, and writes its tape. False: it is of another, or has a fault.
//
// As many bytes are listed as in the text that the shape was learnt from, and each piece takes as many as there: so `at` stays
// within the list, and there is one behind each scalar.
bool follow(csj_parser *parser, const uint8_t *text, size_t length, csj::Listed listed, const Shape &shape) {
  const uint32_t *at = listed.at;
  // As for the walk: this bracket is where numbers and words stop at the latest.
  if (const uint8_t last = text[at[listed.count - 1]]; last != '}' && last != ']') return false;
  const bool has_escapes = memchr(text, '\\', length) != nullptr;
  csj_token *const tokens = parser->tokens;
  memcpy(tokens, shape.tokens, shape.token_count * sizeof(csj_token));
  const Place *start = shape.starts, *end = shape.ends;
  const csj_gap *gap = shape.gaps;
  csj_gap *gap_out = parser->gaps;
  const uint8_t *bytes = shape.bytes;
  uint32_t from = *at;
  for (const Piece *piece = shape.pieces;; ++piece) {
    if (from + piece->length > length || !are_equal(text + from, bytes, piece->length)) return false;
    bytes += piece->length;
    at += piece->listed;
    for (uint32_t n = piece->starts; n > 0; --n, ++start) tokens[start->token].start = from + start->behind;
    for (uint32_t n = piece->ends; n > 0; --n, ++end) {
      tokens[end->token].length = from + end->behind - tokens[end->token].start;
    }
    for (uint32_t n = piece->gaps; n > 0; --n, ++gap) *gap_out++ = {from + gap->from, from + gap->to};
    if (piece == shape.pieces + shape.piece_count - 1) break;
    const uint32_t p = from + piece->length;
    if (*at++ != p) return false;
    const uint32_t lead = piece[1].lead;
    if (*at - p <= lead) return false;
    from = *at - lead;
    uint8_t kind, flags = 0;
    if (text[p] == '"') {
      if (from - p < 2 || text[from - 1] != '"') return false;
      kind = CSJ_STRING;
      if (has_escapes) {
        const int found = escapes(text, p, from, *at);
        if (found < 0) return false;
        flags = uint8_t(found);
      }
    } else {
      uint32_t stop;
      kind = number_or_word(text, p, from, stop);
      if (!kind || stop != from) return false;
    }
    tokens[piece->scalar] = {p, from - p, piece->scalar + 1, kind, flags, 0};
  }
  parser->count = shape.token_count;
  parser->gap_count = shape.gap_count;
  return true;
}

template <typename T>
T *take(uint8_t *&memory, size_t count) {
  T *const taken = reinterpret_cast<T *>(memory);
  memory += (count * sizeof(T) + 7) & ~size_t(7);
  return taken;
}

// Keeps the shape of the text whose tape was just written.
void learn(const csj_parser *parser, const uint8_t *text, csj::Listed listed, uint32_t depth_max, Shape &shape) {
  const csj_token *const tokens = parser->tokens;
  const uint32_t count = parser->count, gap_count = parser->gap_count;
  shape.id = 0;
  if (tokens[0].length > kLengthMax) return;
  free(shape.tokens);
  auto *memory = static_cast<uint8_t *>(malloc(
    count * (sizeof(csj_token) + 2 * sizeof(Place)) + (count + 1) * sizeof(Piece) + gap_count * sizeof(csj_gap) + tokens[0].length + 64));
  shape.tokens = reinterpret_cast<csj_token *>(memory);
  if (!memory) return;
  memory += count * sizeof(csj_token);
  shape.pieces = take<Piece>(memory, count + 1);
  shape.starts = take<Place>(memory, count);
  shape.ends = take<Place>(memory, count);
  shape.gaps = take<csj_gap>(memory, gap_count);
  shape.bytes = memory;
  memcpy(shape.tokens, tokens, count * sizeof(csj_token));

  Place *start = shape.starts, *end = shape.ends;
  csj_gap *gap_out = shape.gaps;
  const csj_gap *gap = parser->gaps, *const gap_end = gap + gap_count;
  const uint32_t *at = listed.at, *const at_end = at + listed.count;
  Piece *piece = shape.pieces;
  *piece = {};
  uint32_t from = tokens[0].start;
  // The objects and arrays that are open, and whether a name comes next in them.
  struct Open {
    uint32_t token;
    bool name_next;
  } open[kOpenMax];
  uint32_t depth = 0;
  const auto close = [&]() {
    const csj_token &token = tokens[open[--depth].token];
    *end++ = {open[depth].token, token.start + token.length - from};
    ++piece->ends;
  };
  const auto finish = [&](uint32_t to) {
    piece->length = to - from;
    memcpy(memory, text + from, piece->length);
    memory += piece->length;
    if (at != at_end) piece->lead = *at - from;
    for (; at != at_end && *at < to; ++at) ++piece->listed;
    for (; gap != gap_end && gap->to <= to; ++gap, ++piece->gaps) *gap_out++ = {gap->from - from, gap->to - from};
  };
  for (uint32_t n = 0; n < count; ++n) {
    while (depth > 0 && tokens[open[depth - 1].token].next == n) close();
    const csj_token &token = tokens[n];
    bool is_name = false;
    if (depth > 0 && tokens[open[depth - 1].token].kind == CSJ_OBJECT) {
      is_name = open[depth - 1].name_next;
      open[depth - 1].name_next = !is_name;
    }
    if (token.kind == CSJ_OBJECT || token.kind == CSJ_ARRAY) {
      if (depth == kOpenMax) return;
      open[depth++] = {n, true};
    } else if (!is_name) {
      finish(token.start);
      piece->scalar = n;
      *++piece = {};
      ++at;
      from = token.start + token.length;
      continue;
    }
    *start++ = {n, token.start - from};
    ++piece->starts;
  }
  while (depth > 0) close();
  finish(tokens[0].start + tokens[0].length);
  shape.listed = listed.count;
  shape.depth_max = depth_max;
  shape.token_count = count;
  shape.gap_count = gap_count;
  shape.piece_count = uint32_t(piece - shape.pieces) + 1;
  shape.id = ++parser->shapes->last_id;
}

}  // namespace

void csj::free_shapes(csj_shapes *shapes) noexcept {
  if (!shapes) return;
  for (Shape &shape : shapes->shapes) free(shape.tokens);
  free(shapes);
}

extern "C" csj_fault csj_parse_alike(csj_parser *parser, const uint8_t *text, size_t length, uint32_t depth_max) noexcept {
  csj::Listed listed;
  if (csj_fault fault = csj::list(parser, text, length, listed)) return fault;
  if (!parser->shapes) parser->shapes = static_cast<csj_shapes *>(calloc(1, sizeof(csj_shapes)));
  if (!parser->shapes) return CSJ_NO_MEMORY;
  parser->shape = (listed.count * 0x9E3779B1u) >> (32 - CSJ_SHAPE_BITS);
  Shape &shape = parser->shapes->shapes[parser->shape];
  if (shape.id && shape.listed == listed.count && shape.depth_max == depth_max && follow(parser, text, length, listed, shape)) {
    parser->shape_id = shape.id;
    shape.misses = 0;
    return CSJ_FINE;
  }
  if (csj_fault fault = csj::walk(parser, text, length, listed, depth_max)) return fault;
  if (shape.misses++ < shape.patience) return CSJ_FINE;
  shape.misses = 0;
  shape.patience = shape.patience < 32 ? uint8_t(2 * shape.patience + 1) : 63;
  learn(parser, text, listed, depth_max, shape);
  parser->shape_id = shape.id;
  return CSJ_FINE;
}
