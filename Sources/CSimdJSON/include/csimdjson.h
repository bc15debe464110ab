// JSON texts as a flat tape of tokens: simdjson finds the structure, and a walk over it checks the grammar.
//
// A parser belongs to one thread at a time. Its buffers grow to the largest text and are reused, so that nothing is
// allocated in the steady state. All functions are total: whatever the bytes are, they return, and read nothing
// outside what they were given (and its padding).
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define CSJ_NOEXCEPT noexcept
#else
#define CSJ_NOEXCEPT
#endif

// The number of bytes after a text that must be readable. Their values do not matter.
#define CSJ_PADDING 64

// The limit of gap indices in tokens: a container whose first gap has this index or a higher one stores this instead.
#define CSJ_GAPS_MAX 65535

// The kind of a token.
enum {
  CSJ_OBJECT = 1,
  CSJ_ARRAY = 2,
  CSJ_STRING = 3,
  CSJ_INTEGER = 4,  // a number without fraction or exponent
  CSJ_NUMBER = 5,   // any other number
  CSJ_TRUE = 6,
  CSJ_FALSE = 7,
  CSJ_NULL = 8
};

// The flags of a token.
enum {
  CSJ_ESCAPED = 1,  // a string with a backslash
  CSJ_SPACED = 2    // an object or array with white space between its tokens, at any depth
};

// A value, or the name of a member. An object's members follow it as name, value, name, value; an array's elements
// follow it one by one.
typedef struct csj_token {
  uint32_t start;   // the position of its first byte, quote or bracket included
  uint32_t length;  // in bytes, quotes or brackets included
  uint32_t next;    // the index of the first token that is not part of it
  uint8_t kind;
  uint8_t flags;
  uint16_t first_gap;  // the index of the first gap in a container, at most CSJ_GAPS_MAX
} csj_token;

// White space between two tokens.
typedef struct csj_gap {
  uint32_t from;  // its position
  uint32_t to;    // the position of the next token
} csj_gap;

// The reason why a text is refused.
typedef enum csj_fault {
  CSJ_FINE = 0,
  CSJ_NO_MEMORY,        // or longer than 1 GiB
  CSJ_EMPTY,            // nothing but white space
  CSJ_BAD_UTF8,
  CSJ_CONTROL,          // an unescaped control character in a string
  CSJ_OPEN_STRING,      // a string that does not end
  CSJ_NO_CONTAINER,     // begins with something that is neither object nor array
  CSJ_TOO_DEEP,
  CSJ_BAD_NUMBER,
  CSJ_BAD_WORD,         // neither a value nor true, false or null
  CSJ_BAD_ESCAPE,
  CSJ_LONE_SURROGATE,   // half of a \u pair
  CSJ_NO_NAME,          // a member that does not begin with a string
  CSJ_NO_COLON,
  CSJ_NO_COMMA,         // neither a comma nor the container's end
  CSJ_UNCLOSED,         // ends before its object or array does
  CSJ_MORE              // something after the text's end
} csj_fault;

// The number of shapes of texts that a parser knows at a time.
#define CSJ_SHAPES 64

typedef struct csj_shapes csj_shapes;

typedef struct csj_parser {
  csj_token *tokens;   // of the last text; the first is the whole text. Valid until the next parse
  uint32_t count;      // the number of tokens
  uint32_t fault_at;   // the position of the fault, or 0 if it is unknown
  uint32_t room;       // the number of tokens, and of gaps, for which there is memory
  uint32_t gap_count;  // the number of gaps
  csj_gap *gaps;       // of the last text, except after its last byte
  void *stage1;
  csj_shapes *shapes;
  uint64_t shape_id;   // the number of the last text's shape, or 0 if it is unknown
  uint32_t shape;      // its place among the shapes, below CSJ_SHAPES
  uint32_t is_nameless;  // whether the tape's names are those of another text
} csj_parser;

// Creates a parser, or returns NULL if there is no memory.
csj_parser *csj_parser_new(void) CSJ_NOEXCEPT;
void csj_parser_free(csj_parser *parser) CSJ_NOEXCEPT;

// Checks a text against RFC 8259 and writes its tape. The outermost value must be an object or an array, and is level
// 1; more than `depth_max` levels are a fault. CSJ_PADDING bytes after the text must be readable.
csj_fault csj_parse(csj_parser *parser, const uint8_t *text, size_t length, uint32_t depth_max) CSJ_NOEXCEPT;

// Does the same as csj_parse, but faster for texts of a known shape, whose bytes are the same except for scalars. Two texts with
// one `shape_id` have the same tape except for `start`, `length` and, in scalars, `kind` and `flags`. So a caller that has read
// one need not read the names of the other: they are on its tape only after csj_write_names.
// The text is at `source` and is copied to `text`, which has the padding. If it is there already, pass the same address for both.
csj_fault csj_parse_alike(
  csj_parser *parser, const uint8_t *source, uint8_t *text, size_t length, uint32_t depth_max) CSJ_NOEXCEPT;

// Writes the names of the text that was parsed last where its tape lacks them.
void csj_write_names(csj_parser *parser) CSJ_NOEXCEPT;

// Writes the value of a string. `string` has the bytes between its quotes, in a text without faults. Returns the number of
// bytes written, at most `length`.
size_t csj_unescape(const uint8_t *string, size_t length, uint8_t *out) CSJ_NOEXCEPT;

// Writes a value of the last text, which must have no fault, without the white space between its tokens. `out` must have
// room for the value's length and CSJ_PADDING more bytes. Returns the length of the result.
size_t csj_minify(const csj_parser *parser, const uint8_t *text, uint32_t token, uint8_t *out) CSJ_NOEXCEPT;

// Whether bytes are UTF-8 (surrogates and overlong forms are not).
int csj_is_utf8(const uint8_t *bytes, size_t length) CSJ_NOEXCEPT;

// Returns the double nearest to a number token: infinity if it is too large, zero if it is too small.
double csj_double(const uint8_t *number, size_t length) CSJ_NOEXCEPT;

// Writes the shortest decimal that reads back as the same double; it must be finite. `out` must have room for 32 bytes.
size_t csj_write_double(double value, uint8_t *out) CSJ_NOEXCEPT;

// Return simdjson's version, and its implementation for this processor (`haswell`, `icelake`…). Both are valid permanently.
const char *csj_version(void) CSJ_NOEXCEPT;
const char *csj_implementation(void) CSJ_NOEXCEPT;

#ifdef __cplusplus
}
#endif
