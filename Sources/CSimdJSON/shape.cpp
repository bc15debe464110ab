// Texts of which many are alike: records of one kind from one program have the same members in the same order, written the same way.
//
// Such a text is a row of pieces that never change (`,"level":`, `},"gift":{"id":`) with a scalar between each two. The pieces of a text
// that was read are kept; a later one is compared with them, piece by piece, and only its scalars are looked at: no stage 1, no names. Where
// it differs from one shape, those that are the same up to there are tried from there on. What is of no known shape is read by the
// walk over all tokens, and so may become the next to be known.
#include "lexer.h"
#include "parser.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace {

// What stands between two scalars.
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

// A place in a text, as bytes behind where a piece begins.
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
  csj_event event;
};

// Behind the end of any text.
constexpr uint32_t kNowhere = 2 * kLengthMax;

// Of a text, not more than this is looked at before its first piece is compared, nor before each that lies behind that.
constexpr uint32_t kStride = 1024;

}  // namespace

struct csj_shapes {
  Shape shapes[CSJ_SHAPES];
  uint64_t last_id, clock;
  uint32_t last;       // the place of the shape that was met last
  uint32_t depth_max;  // what all shapes keep to
  // How many texts of unknown shapes there were since the last one was learnt, and how many there must be before the next is.
  uint32_t misses, patience;
  // Where each piece of the text in hand begins.
  uint32_t starts[kTokensMax + 1];
  // A bit for each byte of the text in hand, up to `limit`, and behind that 64 more that are set. Special is what ends a string or cannot stand in it
  // as it is; high what is not ASCII.
  uint64_t special[kLengthMax / 64 + 2], high[kLengthMax / 64 + 2];
  uint32_t limit;
};

namespace {

// What is wrong with two bytes as a part of UTF-8, each fault a bit: those that the upper half of the first allows, and its lower half, and the
// upper half of the second. See Keiser and Lemire, "Validating UTF-8 in less than one instruction per byte".
struct Pairs {
  enum : uint8_t {
    kShort = 1 << 0,       // a character begins before the one before it has ended
    kLong = 1 << 1,        // one byte, and yet it goes on
    kOverlong3 = 1 << 2,
    kLarge = 1 << 3,       // beyond U+10FFFF, by the second byte
    kSurrogate = 1 << 4,
    kOverlong2 = 1 << 5,
    kLarger = 1 << 6,      // beyond U+10FFFF, by the first byte
    kOverlong4 = 1 << 6,
    kTwo = 1 << 7,         // both go on
    kAny = kShort | kLong | kTwo,
    kHigh = kAny | kLarge | kLarger
  };
  uint8_t first_upper[16] = {kLong, kLong, kLong, kLong, kLong, kLong, kLong, kLong, kTwo, kTwo, kTwo, kTwo, kShort | kOverlong2, kShort,
                             kShort | kOverlong3 | kSurrogate, kShort | kLarge | kLarger | kOverlong4};
  uint8_t first_lower[16] = {kAny | kOverlong2 | kOverlong3 | kOverlong4, kAny | kOverlong2, kAny, kAny, kAny | kLarge, kHigh, kHigh,
                             kHigh, kHigh, kHigh, kHigh, kHigh, kHigh, kHigh | kSurrogate, kHigh, kHigh};
  uint8_t second_upper[16] = {kShort, kShort, kShort, kShort, kShort, kShort, kShort, kShort,
                              kLong | kTwo | kOverlong2 | kOverlong3 | kOverlong4 | kLarger, kLong | kTwo | kOverlong2 | kOverlong3 | kLarge,
                              kLong | kTwo | kOverlong2 | kSurrogate | kLarge, kLong | kTwo | kOverlong2 | kSurrogate | kLarge,
                              kShort, kShort, kShort, kShort};
};
constexpr Pairs kPairs;

namespace plain {
#include "match.h"
}

#if defined(__x86_64__)
#define CSJ_AVX2 1
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2"))), apply_to = function)
namespace wide {
#include "match.h"
}
#pragma clang attribute pop
#else
namespace wide = plain;
#endif

inline bool is_bracket(uint8_t byte) { return byte == '}' || byte == ']'; }
inline bool is_white(uint8_t byte) { return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t'; }

// A text of a known shape; null: it is of none. It is at `source`, and is copied to `text` if that is elsewhere.
inline const Shape *known(csj_parser *parser, const uint8_t *source, uint8_t *text, size_t length, uint32_t depth_max) {
  csj_shapes *const shapes = parser->shapes;
  const bool is_tried = shapes && shapes->depth_max == depth_max && shapes->shapes[shapes->last].id && length > 0 && length <= kLengthMax;
  // What is tried is copied on the way, if that is not more than what is looked at anyway.
  if (source != text && !(is_tried && length >= 64 && length <= kStride && is_bracket(source[length - 1]))) {
    memcpy(text, source, length);
    source = text;
  }
  if (!is_tried) return nullptr;
  uint32_t from = 0;
  while (length > 0 && is_white(source[length - 1])) --length;
  while (from < length && is_white(source[from])) ++from;
  if (from == length || !is_bracket(source[length - 1])) return nullptr;
  Shape *const shape = parser->is_wide ? wide::match(shapes, parser->tokens, source, text, from, uint32_t(length))
                                       : plain::match(shapes, parser->tokens, source, text, from, uint32_t(length));
  if (!shape) return nullptr;
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
  return shape;
}

// Whether a text of an unknown shape is to be learnt: at first at once, later only one of many, so that a topic of endless shapes pays
// little for it.
bool is_due(csj_parser *parser, uint32_t depth_max) {
  if (!parser->shapes) {
    parser->shapes = static_cast<csj_shapes *>(calloc(1, sizeof(csj_shapes)));
    if (!parser->shapes) return false;
  }
  csj_shapes *const shapes = parser->shapes;
  if (shapes->depth_max != depth_max) {
    for (Shape &shape : shapes->shapes) shape.id = 0;
    shapes->depth_max = depth_max;
    shapes->misses = shapes->patience = 0;
  }
  return shapes->misses++ >= shapes->patience;
}

template <typename T>
T *take(uint8_t *&memory, size_t count) {
  T *const taken = reinterpret_cast<T *>(memory);
  memory += (count * sizeof(T) + 7) & ~size_t(7);
  return taken;
}

// Cuts a text whose tape was just written into pieces. False: it is too deep.
bool cut(const csj_parser *parser, const uint8_t *text, Shape &shape) {
  const csj_token *const tokens = parser->tokens;
  uint32_t at = 0, from = tokens[0].start, gap = 0;
  Piece *piece = shape.pieces;
  const auto here = [&](uint32_t where) { return Place{uint32_t(piece - shape.pieces), where - from}; };
  // The objects and arrays that are open, and whether a name comes next in them.
  struct Open {
    Container *container;
    bool name_next;
  } open[kOpenMax];
  uint32_t depth = 0;
  const auto close = [&]() {
    Container &container = *open[--depth].container;
    container.end = here(container.token.start + container.token.length);
  };
  const auto finish = [&](uint32_t to) {
    const uint32_t bytes = to - from;
    const uint32_t first = bytes < 32 ? bytes : 32;
    *piece = {{}, bytes < 32 ? (1u << bytes) - 1 : ~0u, bytes > 32 ? kNowhere : bytes, 0, bytes, 0, at};
    memcpy(piece->bytes, text + from, first);
    memcpy(shape.bytes + at, text + from + first, bytes - first);
    at += bytes - first;
    for (; gap < parser->gap_count && parser->gaps[gap].to <= to; ++gap) {
      const csj_gap &between = parser->gaps[gap];
      shape.gaps[gap] = {here(between.from), between.to - between.from};
    }
  };
  for (uint32_t n = 0; n < parser->count; ++n) {
    while (depth > 0 && open[depth - 1].container->token.next == n) close();
    const csj_token &token = tokens[n];
    bool is_name = false;
    if (depth > 0 && open[depth - 1].container->token.kind == CSJ_OBJECT) {
      is_name = open[depth - 1].name_next;
      open[depth - 1].name_next = !is_name;
    }
    if (token.kind == CSJ_OBJECT || token.kind == CSJ_ARRAY) {
      if (depth == kOpenMax) return false;
      Container &container = shape.containers[shape.container_count++];
      container = {token, n, here(token.start), {}};
      open[depth++] = {&container, true};
    } else if (is_name) {
      shape.names[shape.name_count++] = {token, n, here(token.start)};
    } else {
      finish(token.start);
      piece->scalar = n;
      ++piece;
      from = token.start + token.length;
    }
  }
  while (depth > 0) close();
  finish(tokens[0].start + tokens[0].length);
  piece->to_scalar = kNowhere;
  shape.piece_count = uint32_t(piece - shape.pieces) + 1;
  return true;
}

bool are_equal(const Shape &a, const Piece &piece, const Shape &b, const Piece &other) {
  return piece.length == other.length && memcmp(piece.bytes, other.bytes, 32) == 0 &&
    (piece.length <= 32 || memcmp(a.bytes + piece.at, b.bytes + other.at, piece.length - 32) == 0);
}

// Lets two shapes know of each other at the first piece that they do not have in common.
void tell_apart(Shape &a, uint32_t place_of_a, Shape &b, uint32_t place_of_b) {
  // Neither is the other's beginning: it would be a text before its end.
  uint32_t n = 0;
  while (n + 1 < a.piece_count && n + 1 < b.piece_count && are_equal(a, a.pieces[n], b, b.pieces[n])) ++n;
  a.pieces[n].others |= uint64_t(1) << place_of_b;
  b.pieces[n].others |= uint64_t(1) << place_of_a;
}

void forget(csj_shapes *shapes, uint32_t place) {
  for (Shape &shape : shapes->shapes) {
    if (!shape.id) continue;
    for (uint32_t n = 0; n < shape.piece_count; ++n) shape.pieces[n].others &= ~(uint64_t(1) << place);
  }
  free(shapes->shapes[place].pieces);
  shapes->shapes[place] = {};
}

void be_patient(csj_shapes *shapes) { shapes->patience = shapes->patience < 128 ? 2 * shapes->patience + 1 : 255; }

// Keeps the shape of the text whose tape was just written, in the place of the one that was met longest ago.
void learn(csj_parser *parser, const uint8_t *text) {
  csj_shapes *const shapes = parser->shapes;
  const uint32_t count = parser->count, gap_count = parser->gap_count;
  shapes->misses = 0;
  if (parser->tokens[0].length > kLengthMax || count > kTokensMax) {
    be_patient(shapes);
    return;
  }
  uint32_t place = 0;
  for (uint32_t other = 1; other < CSJ_SHAPES; ++other) {
    const Shape &a = shapes->shapes[place], &b = shapes->shapes[other];
    if (a.id && (!b.id || b.used < a.used)) place = other;
  }
  Shape &shape = shapes->shapes[place];
  if (shape.id) be_patient(shapes);
  forget(shapes, place);
  auto *memory = static_cast<uint8_t *>(malloc(
    count * (sizeof(Name) + sizeof(Container)) + (count + 1) * sizeof(Piece) + gap_count * sizeof(Gap) +
    parser->tokens[0].length + 64));
  if (!memory) return;
  shape.pieces = take<Piece>(memory, count + 1);
  shape.names = take<Name>(memory, count);
  shape.containers = take<Container>(memory, count);
  shape.gaps = take<Gap>(memory, gap_count);
  shape.bytes = memory;
  shape.token_count = count;
  shape.gap_count = gap_count;
  if (!cut(parser, text, shape)) {
    be_patient(shapes);
    return;
  }
  csj::find_members(parser, text, &shape.event);
  shape.id = ++shapes->last_id;
  shape.used = ++shapes->clock;
  for (uint32_t other = 0; other < CSJ_SHAPES; ++other) {
    if (other != place && shapes->shapes[other].id) tell_apart(shape, place, shapes->shapes[other], other);
  }
  shapes->last = place;
  parser->shape = place;
  parser->shape_id = shape.id;
}

}  // namespace

void csj::free_shapes(csj_shapes *shapes) noexcept {
  if (!shapes) return;
  for (Shape &shape : shapes->shapes) free(shape.pieces);
  free(shapes);
}

extern "C" csj_fault csj_parse_alike(csj_parser *parser, const uint8_t *text, size_t length, uint32_t depth_max) noexcept {
  // A text that is where it shall be is not written to.
  if (known(parser, text, const_cast<uint8_t *>(text), length, depth_max)) return CSJ_FINE;
  if (csj_fault fault = csj_parse(parser, text, length, depth_max)) return fault;
  if (is_due(parser, depth_max)) learn(parser, text);
  return CSJ_FINE;
}

extern "C" void csj_write_names(csj_parser *parser) noexcept {
  if (!parser->is_nameless) return;
  parser->is_nameless = 0;
  const Shape &shape = parser->shapes->shapes[parser->shape];
  for (uint32_t i = 0; i < shape.name_count; ++i) {
    const Name &name = shape.names[i];
    csj_token &token = parser->tokens[name.index];
    token = name.token;
    token.start = parser->shapes->starts[name.start.piece] + name.start.behind;
  }
}

extern "C" csj_fault csj_parse_event(
  csj_parser *parser, const uint8_t *source, uint8_t *text, size_t length, uint32_t depth_max) noexcept {
  if (const Shape *shape = known(parser, source, text, length, depth_max)) {
    parser->event = &shape->event;
    return CSJ_FINE;
  }
  parser->event = &parser->found;
  if (!is_due(parser, depth_max)) return csj::scan_event(parser, text, length, depth_max, &parser->found);
  parser->found = {};
  if (csj_fault fault = csj_parse(parser, text, length, depth_max)) return fault;
  csj::find_members(parser, text, &parser->found);
  learn(parser, text);
  return CSJ_FINE;
}
