// Learns the shapes of texts. Records of one kind from one program have the same members in the same order, written the same way.
//
// Such a text is a row of constant pieces (`,"level":`, `},"gift":{"id":`) with a scalar between each two. The pieces of a text
// that was read are stored. A later text is compared with them piece by piece (match.cpp), without stage 1 and without its names.
// Where it differs from one shape, the shapes that are the same up to there are tried next. A text of an unknown shape is read by
// the walk over all tokens, and its shape may be learnt.
#include "parser.h"
#include "shape.h"

#include <cstdlib>
#include <cstring>

namespace {

using csj::Container, csj::Gap, csj::Name, csj::Piece, csj::Place, csj::Shape;
using csj::kLengthMax, csj::kNowhere, csj::kOpenMax, csj::kTokensMax;

// Whether to learn the shape of a text: at first every unknown one, later only one of many, so that a topic with endless shapes
// is hardly slowed down.
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

// Cuts a text whose tape was just written into pieces. Returns false if it is too deep.
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

// Makes each of two shapes an alternative to the other at the first piece in which they differ.
void tell_apart(Shape &a, uint32_t place_of_a, Shape &b, uint32_t place_of_b) {
  // Neither can be the beginning of the other, because a text ends with the bracket that closes it.
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

// Keeps the shape of the text whose tape was just written, in the place of the one that was used longest ago.
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

extern "C" csj_fault csj_parse_alike(
  csj_parser *parser, const uint8_t *source, uint8_t *text, size_t length, uint32_t depth_max) noexcept {
  if (csj::match_shape(parser, source, text, length, depth_max)) return CSJ_FINE;
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
