#include "csimdjson.h"
#include "lexer.h"
#include "parser.h"

#include <simdjson.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

static_assert(CSJ_PADDING >= simdjson::SIMDJSON_PADDING, "simdjson wants more padding");

using Stage1 = simdjson::internal::dom_parser_implementation;

namespace {

constexpr size_t kLengthMax = size_t(1) << 30;

csj_fault grow(csj_parser *parser, size_t length) {
  auto *stage1 = static_cast<Stage1 *>(parser->stage1);
  if (length > stage1->capacity()) {
    size_t capacity = 4096;
    while (capacity < length) capacity *= 2;
    if (stage1->set_capacity(capacity) != simdjson::SUCCESS) return CSJ_NO_MEMORY;
  }
  return CSJ_FINE;
}

csj_fault grow_tokens(csj_parser *parser, uint32_t count) {
  if (count <= parser->room) return CSJ_FINE;
  uint32_t room = 1024;
  while (room < count) room *= 2;
  auto *tokens = static_cast<csj_token *>(malloc(size_t(room) * sizeof(csj_token)));
  auto *gaps = static_cast<csj_gap *>(malloc(size_t(room) * sizeof(csj_gap)));
  if (!tokens || !gaps) {
    free(tokens);
    free(gaps);
    return CSJ_NO_MEMORY;
  }
  free(parser->tokens);
  free(parser->gaps);
  parser->tokens = tokens;
  parser->gaps = gaps;
  parser->room = room;
  return CSJ_FINE;
}

csj_fault translate(simdjson::error_code error) {
  switch (error) {
  case simdjson::EMPTY: return CSJ_EMPTY;
  case simdjson::UTF8_ERROR: return CSJ_BAD_UTF8;
  case simdjson::UNESCAPED_CHARS: return CSJ_CONTROL;
  case simdjson::UNCLOSED_STRING: return CSJ_OPEN_STRING;
  case simdjson::MEMALLOC: case simdjson::CAPACITY: return CSJ_NO_MEMORY;
  default: return CSJ_BAD_WORD;
  }
}

}  // namespace

csj_fault csj::check_escapes(const uint8_t *p, const uint8_t *end, const uint8_t *&at) noexcept {
  while ((p = static_cast<const uint8_t *>(memchr(p, '\\', size_t(end - p))))) {
    at = p;
    switch (p[1]) {
    case '"': case '\\': case '/': case 'b': case 'f': case 'n': case 'r': case 't':
      p += 2;
      break;
    case 'u': {
      if (end - p < 6) return CSJ_BAD_ESCAPE;
      const int32_t unit = hex4(p + 2);
      if (unit < 0) return CSJ_BAD_ESCAPE;
      p += 6;
      if ((unit & 0xF800) != 0xD800) break;
      if (unit >= 0xDC00 || end - p < 6 || p[0] != '\\' || p[1] != 'u') return CSJ_LONE_SURROGATE;
      const int32_t low = hex4(p + 2);
      if (low < 0) return CSJ_BAD_ESCAPE;
      if ((low & 0xFC00) != 0xDC00) return CSJ_LONE_SURROGATE;
      p += 6;
      break;
    }
    default:
      return CSJ_BAD_ESCAPE;
    }
  }
  return CSJ_FINE;
}

// The walk. Stage 1 has checked UTF-8, control characters in strings and that every string ends. Outside of strings, it lists the
// positions of brackets, colons, commas, opening quotes, and the first byte of anything else.
//
// No read leaves the text: its last listed byte is a closing bracket (checked first), and after each closing bracket the walk
// checks whether there is more. Numbers and words stop at that bracket at the latest.
csj_fault csj::walk(csj_parser *parser, const uint8_t *text, size_t length, Listed listed, uint32_t depth_max) noexcept {
  constexpr uint32_t kNone = UINT32_MAX;
  const uint32_t *at = listed.at, *const at_end = at + listed.count;
  csj_token *const tokens = parser->tokens;
  const bool has_escapes = memchr(text, '\\', length) != nullptr;
  uint32_t n = 0;         // the number of tokens so far
  uint32_t open = kNone;  // the innermost container; its `next` holds its parent until it is closed
  uint32_t depth = 0;
  uint32_t p = *at++;     // the position of the current byte
  uint32_t end = p;       // the end of the token before it
  csj_gap *gap = parser->gaps;  // the place of the next one
  csj_fault fault;

#define FAIL(F) do { fault = F; goto fail; } while (0)
#define STEP()                              \
  do {                                      \
    p = *at++;                              \
    if (p != end) *gap++ = {end, p};        \
  } while (0)
#define EMIT(KIND, FLAGS) do { tokens[n] = {p, end - p, n + 1, KIND, FLAGS, 0}; ++n; } while (0)
#define OPEN(KIND)                                                                     \
  do {                                                                                 \
    if (++depth > depth_max) FAIL(CSJ_TOO_DEEP);                                       \
    const auto gaps = size_t(gap - parser->gaps);                                      \
    tokens[n] = {p, 0, open, KIND, 0, uint16_t(gaps < CSJ_GAPS_MAX ? gaps : CSJ_GAPS_MAX)};    \
    open = n++;                                                                        \
    end = p + 1;                                                                       \
    if (at == at_end) FAIL(CSJ_UNCLOSED);                                              \
    STEP();                                                                            \
  } while (0)
// Reads the string that begins at `p`.
#define STRING()                                                \
  do {                                                          \
    const uint32_t quote = closing_quote(text, *at);            \
    if (quote <= p) FAIL(CSJ_OPEN_STRING);                      \
    end = quote + 1;                                            \
    uint8_t flags = 0;                                          \
    if (has_escapes && memchr(text + p, '\\', quote - p)) {     \
      flags = CSJ_ESCAPED;                                      \
      const uint8_t *where = text + p;                          \
      fault = check_escapes(text + p + 1, text + quote, where); \
      if (fault) {                                              \
        p = uint32_t(where - text);                             \
        goto fail;                                              \
      }                                                         \
    }                                                           \
    EMIT(CSJ_STRING, flags);                                    \
  } while (0)

  if (const uint8_t last = text[at_end[-1]]; last != '}' && last != ']') {
    // After a string or a scalar, the walk could read beyond the text.
    if (text[p] != '{' && text[p] != '[') FAIL(CSJ_NO_CONTAINER);
    p = at_end[-1];
    FAIL(CSJ_UNCLOSED);
  }
  if (text[p] == '{') goto object;
  if (text[p] == '[') goto array;
  FAIL(CSJ_NO_CONTAINER);

object:
  OPEN(CSJ_OBJECT);
  if (text[p] == '}') goto close;

member:
  if (text[p] != '"') FAIL(CSJ_NO_NAME);
  STRING();
  STEP();
  if (text[p] != ':') FAIL(CSJ_NO_COLON);
  end = p + 1;
  STEP();
  if (text[p] == '"') {
    STRING();
  } else {
    goto other;
  }

after_member:
  STEP();
  if (text[p] == ',') {
    end = p + 1;
    STEP();
    goto member;
  }
  if (text[p] == '}') goto close;
  FAIL(CSJ_NO_COMMA);

array:
  OPEN(CSJ_ARRAY);
  if (text[p] == ']') goto close;

element:
  if (text[p] == '"') {
    STRING();
  } else {
    goto other;
  }

after_element:
  STEP();
  if (text[p] == ',') {
    end = p + 1;
    STEP();
    goto element;
  }
  if (text[p] == ']') goto close;
  FAIL(CSJ_NO_COMMA);

other:  // a value that is not a string
  if (text[p] == '{') goto object;
  if (text[p] == '[') goto array;
  if (const uint8_t kind = number_or_word(text, p, *at, end)) {
    EMIT(kind, 0);
  } else {
    FAIL(is_digit(text[p]) || text[p] == '-' ? CSJ_BAD_NUMBER : CSJ_BAD_WORD);
  }
  if (tokens[open].kind == CSJ_OBJECT) goto after_member;
  goto after_element;

close: {
  csj_token *const c = tokens + open;
  end = p + 1;
  c->length = end - c->start;
  if (gap > parser->gaps && gap[-1].to > c->start) c->flags = CSJ_SPACED;
  open = c->next;
  c->next = n;
  --depth;
  if (open == kNone) goto done;
  if (at == at_end) FAIL(CSJ_UNCLOSED);
  if (tokens[open].kind == CSJ_OBJECT) goto after_member;
  goto after_element;
}

done:
  if (at != at_end) {
    p = *at;
    FAIL(CSJ_MORE);
  }
  parser->count = n;
  parser->gap_count = uint32_t(gap - parser->gaps);
  return CSJ_FINE;

fail:
  parser->fault_at = p;
  return fault;
#undef FAIL
#undef STEP
#undef EMIT
#undef OPEN
#undef STRING
}

csj_fault csj::list(csj_parser *parser, const uint8_t *text, size_t length, Listed &listed) noexcept {
  parser->count = 0;
  parser->fault_at = 0;
  parser->shape_id = 0;
  parser->is_nameless = 0;
  if (length == 0) return CSJ_EMPTY;
  if (length > kLengthMax) return CSJ_NO_MEMORY;
  if (csj_fault fault = grow(parser, length)) return fault;
  auto *stage1 = static_cast<Stage1 *>(parser->stage1);
  const simdjson::error_code error = stage1->stage1(text, length, simdjson::stage1_mode::regular);
  if (error != simdjson::SUCCESS) return translate(error);
  listed = {stage1->structural_indexes.get(), stage1->n_structural_indexes};
  if (listed.count == 0) return CSJ_EMPTY;
  return grow_tokens(parser, listed.count);
}

extern "C" {

csj_parser *csj_parser_new(void) noexcept {
  auto *parser = static_cast<csj_parser *>(calloc(1, sizeof(csj_parser)));
  if (!parser) return nullptr;
  std::unique_ptr<Stage1> stage1;
  if (simdjson::get_active_implementation()->create_dom_parser_implementation(4096, 64, stage1) != simdjson::SUCCESS) {
    free(parser);
    return nullptr;
  }
  parser->stage1 = stage1.release();
  return parser;
}

void csj_parser_free(csj_parser *parser) noexcept {
  if (!parser) return;
  delete static_cast<Stage1 *>(parser->stage1);
  free(parser->tokens);
  free(parser->gaps);
  csj::free_shapes(parser->shapes);
  free(parser);
}

csj_fault csj_parse(csj_parser *parser, const uint8_t *text, size_t length, uint32_t depth_max) noexcept {
  csj::Listed listed;
  if (csj_fault fault = csj::list(parser, text, length, listed)) return fault;
  return csj::walk(parser, text, length, listed, depth_max);
}

}  // extern "C"
