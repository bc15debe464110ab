// Texts of which many are alike: records of one kind from one program have the same members in the same order, written the same way.
//
// Such a text is a row of pieces that never change (`,"level":`, `},"gift":{"id":`) with a scalar between each two. The pieces of a text
// that was read are kept; a later one is compared with them, piece by piece, and only its scalars are looked at: no stage 1, no names. Where
// it differs from one shape, those that are the same up to there are tried from there on. What is of no known shape is read by the
// walk over all tokens, and so may become the next to be known.
#include "bytes16.h"
#include "lexer.h"
#include "parser.h"

#include <cstdlib>
#include <cstring>

namespace {

// What stands between two scalars.
struct Piece {
  uint32_t at;      // where its bytes are among those of all pieces
  uint32_t length;  // bytes
  uint32_t scalar;  // the token of the scalar behind it; the last piece has none
  uint64_t others;  // a bit for each shape that has the same pieces before this one, and another one here
};
static_assert(CSJ_SHAPES <= 64, "each shape needs a bit");

// A place in a text, as bytes behind where a piece begins.
struct Place {
  uint32_t piece;
  uint32_t behind;
};

struct Name {
  uint32_t token;
  Place start;
};

struct Container {
  uint32_t token;
  Place start, end;
};

struct Gap {
  Place from;
  uint32_t length;
};

// Texts with more bytes or tokens are read each for itself: what is known of all shapes takes 18 MB at most.
constexpr uint32_t kLengthMax = 32768, kTokensMax = 2048, kOpenMax = 64;

struct Shape {
  uint64_t id;    // 0: none is known
  uint64_t used;  // when it was met last, as texts met before
  uint32_t token_count, piece_count, name_count, container_count, gap_count;
  // In one allocation, in this order.
  csj_token *tokens;  // the tape of the text it was learnt from; what is not the same in each text is filled in
  Piece *pieces;
  Name *names;
  Container *containers;
  Gap *gaps;
  uint8_t *bytes;  // of all pieces, with 16 more that can be read behind them
  csj_event event;
};

// The strings of a text that are not plain ASCII: from the first one's beginning to the last one's end.
struct Unusual {
  uint32_t from = UINT32_MAX, to = 0;
};

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
};

namespace {

// Reads up to 15 bytes behind both.
inline bool are_equal(const uint8_t *a, const uint8_t *b, uint32_t length) {
  for (; length > 16; a += 16, b += 16, length -= 16) {
    if (unequal(load16(a), load16(b))) return false;
  }
  return (unequal(load16(a), load16(b)) & ((1u << length) - 1)) == 0;
}

// Where the string that begins at `p` ends, its closing quote included; 0: nowhere, or something in it is wrong. Reads up to 15 bytes
// behind the text.
inline uint32_t string_end(const uint8_t *text, uint32_t p, uint32_t length, uint8_t &flags, Unusual &unusual) {
  bool is_ascii = true;
  uint32_t q = p + 1;
  while (q < length) {
    const Bytes16 bytes = load16(text + q);
    const uint32_t special = special_bits(bytes), high = high_bits(bytes);
    if (special == 0) {
      is_ascii &= high == 0;
      q += 16;
      continue;
    }
    const uint32_t at = uint32_t(__builtin_ctz(special));
    is_ascii &= (high & ((1u << at) - 1)) == 0;
    q += at;
    if (q >= length) return 0;  // what stands behind the text is no string's end
    if (text[q] == '"') {
      if (!is_ascii) {
        if (unusual.to == 0) unusual.from = p;
        unusual.to = q;
      }
      return q + 1;
    }
    if (text[q] != '\\') return 0;
    flags = CSJ_ESCAPED;
    // What is escaped, be it a quote, is passed over; that it is right is seen to at the end.
    if (text[q + 1] < 0x20 || text[q + 1] >= 0x80) return 0;
    q += 2;
  }
  return 0;
}

// A number with a sign, a fraction or more than 15 digits, or a word.
__attribute__((noinline)) uint8_t other_scalar(const uint8_t *text, uint32_t p, uint32_t &end) {
  return number_or_word(text, p, p + 17, end);
}

inline bool is_white(uint8_t byte) { return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t'; }

// A string, number or word that begins at `p`: its kind, and where it ends; 0 if it is none or a wrong one.
inline uint8_t scalar(const uint8_t *text, uint32_t p, uint32_t length, uint32_t &end, uint8_t &flags, Unusual &unusual) {
  if (text[p] == '"') {
    end = string_end(text, p, length, flags, unusual);
    if (end == 0) return 0;
    const uint8_t *where;
    if (flags && csj::check_escapes(text + p + 1, text + end - 1, where)) return 0;
    return CSJ_STRING;
  }
  // Whether the number really ends there, the next piece shows; but a fraction is no end.
  const uint32_t digits = uint32_t(__builtin_ctz(~digit_bits(load16(text + p))));
  if (digits > 0 && digits < 16 && kEnds.at[text[p + digits]] && (text[p] != '0' || digits == 1)) {
    end = p + digits;
    return CSJ_INTEGER;
  }
  return other_scalar(text, p, end);
}

// Finds the shape of a text that begins at `from`, writes the tokens of its scalars, and notes where its pieces begin; null: it is of
// none, or has a fault.
//
// Why no read leaves the text: a piece is compared only where there is room for it, a string ends before the text does, and the text's
// last byte is a bracket, at which numbers and words stop at the latest.
const Shape *match(csj_shapes *shapes, csj_token *tokens, const uint8_t *text, uint32_t from, uint32_t length) {
  uint64_t left = ~uint64_t(0);  // the shapes that may still be right at the piece in hand
  uint32_t place = shapes->last, n = 0;
  const Shape *shape = shapes->shapes + place;
  if (!shape->id) return nullptr;
  Unusual unusual;
  uint32_t *const starts = shapes->starts;
  for (;;) {
    const Piece &piece = shape->pieces[n];
    const uint32_t p = from + piece.length;
    if (p <= length && are_equal(text + from, shape->bytes + piece.at, piece.length)) {
      starts[n] = from;
      if (n == shape->piece_count - 1) {
        if (p == length) break;
      } else if (p < length) {
        uint32_t end;
        uint8_t flags = 0;
        if (const uint8_t kind = scalar(text, p, length, end, flags, unusual)) {
          tokens[piece.scalar] = {p, end - p, piece.scalar + 1, kind, flags, 0};
          from = end;
          ++n;
          left = ~uint64_t(0);
          continue;
        }
      }
    }
    // Those that have this piece too would fail as this shape did.
    left &= piece.others;
    if (!left) return nullptr;
    place = uint32_t(__builtin_ctzll(left));
    shape = shapes->shapes + place;
  }
  // Pieces are UTF-8, and what is between two of them too if all of it is.
  if (unusual.to && !csj_is_utf8(text + unusual.from, unusual.to - unusual.from)) return nullptr;
  shapes->last = place;
  return shape;
}

// Writes the tokens of a text's objects and arrays, and the gaps.
inline void fill_containers(const Shape &shape, const uint32_t *starts, csj_parser *parser) {
  for (uint32_t i = 0; i < shape.container_count; ++i) {
    const Container &container = shape.containers[i];
    csj_token &token = parser->tokens[container.token];
    token = shape.tokens[container.token];
    token.start = starts[container.start.piece] + container.start.behind;
    token.length = starts[container.end.piece] + container.end.behind - token.start;
  }
  for (uint32_t i = 0; i < shape.gap_count; ++i) {
    const Gap &gap = shape.gaps[i];
    const uint32_t from = starts[gap.from.piece] + gap.from.behind;
    parser->gaps[i] = {from, from + gap.length};
  }
  parser->count = shape.token_count;
  parser->gap_count = shape.gap_count;
}

// A text of a known shape; null: it is of none.
inline const Shape *known(csj_parser *parser, const uint8_t *text, size_t length, uint32_t depth_max) {
  csj_shapes *const shapes = parser->shapes;
  if (!shapes || shapes->depth_max != depth_max || length > kLengthMax) return nullptr;
  uint32_t from = 0;
  while (length > 0 && is_white(text[length - 1])) --length;
  while (from < length && is_white(text[from])) ++from;
  if (from == length || (text[length - 1] != '}' && text[length - 1] != ']')) return nullptr;
  const Shape *const shape = match(shapes, parser->tokens, text, from, uint32_t(length));
  if (!shape) return nullptr;
  shapes->shapes[shapes->last].used = ++shapes->clock;
  parser->shape = shapes->last;
  parser->shape_id = shape->id;
  parser->fault_at = 0;
  parser->is_nameless = 1;
  fill_containers(*shape, shapes->starts, parser);
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
    container.end = here(tokens[container.token].start + tokens[container.token].length);
  };
  const auto finish = [&](uint32_t to) {
    *piece = {at, to - from, 0, 0};
    memcpy(shape.bytes + at, text + from, to - from);
    at += to - from;
    for (; gap < parser->gap_count && parser->gaps[gap].to <= to; ++gap) {
      const csj_gap &between = parser->gaps[gap];
      shape.gaps[gap] = {here(between.from), between.to - between.from};
    }
  };
  for (uint32_t n = 0; n < parser->count; ++n) {
    while (depth > 0 && tokens[open[depth - 1].container->token].next == n) close();
    const csj_token &token = tokens[n];
    bool is_name = false;
    if (depth > 0 && tokens[open[depth - 1].container->token].kind == CSJ_OBJECT) {
      is_name = open[depth - 1].name_next;
      open[depth - 1].name_next = !is_name;
    }
    if (token.kind == CSJ_OBJECT || token.kind == CSJ_ARRAY) {
      if (depth == kOpenMax) return false;
      Container &container = shape.containers[shape.container_count++];
      container = {n, here(token.start), {}};
      open[depth++] = {&container, true};
    } else if (is_name) {
      shape.names[shape.name_count++] = {n, here(token.start)};
    } else {
      finish(token.start);
      piece->scalar = n;
      ++piece;
      from = token.start + token.length;
    }
  }
  while (depth > 0) close();
  finish(tokens[0].start + tokens[0].length);
  shape.piece_count = uint32_t(piece - shape.pieces) + 1;
  return true;
}

// Lets two shapes know of each other at the first piece that they do not have in common.
void tell_apart(Shape &a, uint32_t place_of_a, Shape &b, uint32_t place_of_b) {
  // Neither is the other's beginning: it would be a text before its end.
  uint32_t n = 0;
  while (n + 1 < a.piece_count && n + 1 < b.piece_count && a.pieces[n].length == b.pieces[n].length &&
         memcmp(a.bytes + a.pieces[n].at, b.bytes + b.pieces[n].at, a.pieces[n].length) == 0) {
    ++n;
  }
  a.pieces[n].others |= uint64_t(1) << place_of_b;
  b.pieces[n].others |= uint64_t(1) << place_of_a;
}

void forget(csj_shapes *shapes, uint32_t place) {
  for (Shape &shape : shapes->shapes) {
    if (!shape.id) continue;
    for (uint32_t n = 0; n < shape.piece_count; ++n) shape.pieces[n].others &= ~(uint64_t(1) << place);
  }
  free(shapes->shapes[place].tokens);
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
    count * (sizeof(csj_token) + sizeof(Name) + sizeof(Container)) + (count + 1) * sizeof(Piece) + gap_count * sizeof(Gap) +
    parser->tokens[0].length + 64));
  if (!memory) return;
  shape.tokens = take<csj_token>(memory, count);
  shape.pieces = take<Piece>(memory, count + 1);
  shape.names = take<Name>(memory, count);
  shape.containers = take<Container>(memory, count);
  shape.gaps = take<Gap>(memory, gap_count);
  shape.bytes = memory;
  shape.token_count = count;
  shape.gap_count = gap_count;
  memcpy(shape.tokens, parser->tokens, count * sizeof(csj_token));
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
  for (Shape &shape : shapes->shapes) free(shape.tokens);
  free(shapes);
}

extern "C" csj_fault csj_parse_alike(csj_parser *parser, const uint8_t *text, size_t length, uint32_t depth_max) noexcept {
  if (known(parser, text, length, depth_max)) return CSJ_FINE;
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
    csj_token &token = parser->tokens[name.token];
    token = shape.tokens[name.token];
    token.start = parser->shapes->starts[name.start.piece] + name.start.behind;
  }
}

extern "C" csj_fault csj_parse_event(
  csj_parser *parser, const uint8_t *text, size_t length, uint32_t depth_max, csj_event *event) noexcept {
  if (const Shape *shape = known(parser, text, length, depth_max)) {
    *event = shape->event;
    return CSJ_FINE;
  }
  if (!is_due(parser, depth_max)) return csj::scan_event(parser, text, length, depth_max, event);
  *event = {};
  if (csj_fault fault = csj_parse(parser, text, length, depth_max)) return fault;
  csj::find_members(parser, text, event);
  learn(parser, text);
  return CSJ_FINE;
}
