// JSON texts as a flat tape of tokens: simdjson finds the structure, a walk over it checks the grammar.
//
// A parser belongs to one thread at a time. Its buffers grow to the largest text seen and are used again, so that in the
// steady state nothing is allocated. All functions are total: whatever the bytes are, they return, and read nothing
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

// Bytes after a text that must be readable. Their values do not matter.
#define CSJ_PADDING 64

// The index of a gap that a token can name; a container whose first gap has this or a higher one does not know it.
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

// Further facts about it.
enum {
  CSJ_ESCAPED = 1,  // a string in which a backslash stands
  CSJ_SPACED = 2    // an object or array with white space between its tokens, at any depth
};

// A value, or the name of a member. An object's members follow it as name, value, name, value; an array's elements
// follow it one by one.
typedef struct csj_token {
  uint32_t start;   // where its first byte stands, quote or bracket included
  uint32_t length;  // bytes, quotes or brackets included
  uint32_t next;    // the index of the first token that is not part of it
  uint8_t kind;
  uint8_t flags;
  uint16_t first_gap;  // of a container: the index of the first gap in it, or CSJ_GAPS_MAX if that is higher
} csj_token;

// White space between two tokens.
typedef struct csj_gap {
  uint32_t from;  // where it begins
  uint32_t to;    // where the next token begins
} csj_gap;

// Why a text is refused.
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
  uint32_t count;      // how many
  uint32_t fault_at;   // where the fault was seen; 0 where that is not known
  uint32_t room;       // tokens, and gaps, that there is memory for
  uint32_t gap_count;  // how many
  csj_gap *gaps;       // of the last text, those behind its last byte left out
  void *stage1;
  csj_shapes *shapes;
  uint64_t shape_id;   // of the last text: the same for all that were of its shape; 0: not known
  uint32_t shape;      // its place among the shapes, below CSJ_SHAPES
  uint32_t is_nameless;  // whether the tape's names are those of another text
} csj_parser;

// A new parser, or NULL without memory.
csj_parser *csj_parser_new(void) CSJ_NOEXCEPT;
void csj_parser_free(csj_parser *parser) CSJ_NOEXCEPT;

// Checks a text against RFC 8259 and writes its tape. The outermost value must be an object or an array, and is level
// 1; more than `depth_max` levels are a fault. CSJ_PADDING bytes after the text must be readable.
csj_fault csj_parse(csj_parser *parser, const uint8_t *text, size_t length, uint32_t depth_max) CSJ_NOEXCEPT;

// The same, faster for texts of a shape that came before: all but their scalars is the same, byte for byte. Two texts with one `shape_id`
// have the same tape except for `start`, `length` and, of scalars, `kind` and `flags`. So a caller that has seen one need not look at the
// names of the other: they are on its tape only after csj_write_names.
// The text is at `source` and is copied to `text`, which has the padding. If it is there already, both are the same, and nothing is written.
csj_fault csj_parse_alike(
  csj_parser *parser, const uint8_t *source, uint8_t *text, size_t length, uint32_t depth_max) CSJ_NOEXCEPT;

// Writes the names of the text that was parsed last where its tape lacks them.
void csj_write_names(csj_parser *parser) CSJ_NOEXCEPT;

// Writes what a string means. `string` is what is between the quotes in a text that was found good. Returns the
// number of bytes written, never above `length`.
size_t csj_unescape(const uint8_t *string, size_t length, uint8_t *out) CSJ_NOEXCEPT;

// Writes a value of the text that was parsed last and found good, without the white space between its tokens. `out` must
// have room for the value's length and CSJ_PADDING more bytes. Returns the number of bytes that count.
size_t csj_minify(const csj_parser *parser, const uint8_t *text, uint32_t token, uint8_t *out) CSJ_NOEXCEPT;

// Whether bytes are UTF-8 (surrogates and overlong forms are not).
int csj_is_utf8(const uint8_t *bytes, size_t length) CSJ_NOEXCEPT;

// The double nearest to a number token: infinite if that is too large, zero if too small.
double csj_double(const uint8_t *number, size_t length) CSJ_NOEXCEPT;

// Writes the shortest decimal that reads back as the same double; it must be finite. `out` must have room for 32 bytes.
size_t csj_write_double(double value, uint8_t *out) CSJ_NOEXCEPT;

// simdjson's version, and which of its implementations this processor gets (`haswell`, `icelake`…). Both live as long as the program.
const char *csj_version(void) CSJ_NOEXCEPT;
const char *csj_implementation(void) CSJ_NOEXCEPT;

#ifdef __cplusplus
}
#endif
