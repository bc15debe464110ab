// Reads numbers, words and strings of a JSON text. simdjson's first stage has listed the positions of its brackets, colons,
// commas and opening quotes, and the first bytes of anything else.
#pragma once

#include "csimdjson.h"
#include "digits.h"

#include <cstdint>
#include <cstring>
#include <initializer_list>

// Bytes at which a number or a word may end: white space and the structural characters.
struct Ends {
  bool at[256] = {};
  constexpr Ends() {
    for (unsigned char c : {' ', '\t', '\n', '\r', ',', ':', '[', ']', '{', '}'}) at[c] = true;
  }
};
inline constexpr Ends kEnds;

// Returns the kind of the number at `p` and sets `end`, or returns 0. A byte that cannot be part of a number must follow.
inline uint8_t scan_number(const uint8_t *p, const uint8_t *&end) {
  uint8_t kind = CSJ_INTEGER;
  if (*p == '-') ++p;
  if (*p == '0') {
    ++p;
  } else {
    if (!is_digit(*p)) return 0;
    do ++p; while (is_digit(*p));
  }
  if (*p == '.') {
    kind = CSJ_NUMBER;
    ++p;
    if (!is_digit(*p)) return 0;
    do ++p; while (is_digit(*p));
  }
  if ((*p | 0x20) == 'e') {
    kind = CSJ_NUMBER;
    ++p;
    if (*p == '+' || *p == '-') ++p;
    if (!is_digit(*p)) return 0;
    do ++p; while (is_digit(*p));
  }
  end = p;
  return kEnds.at[*p] ? kind : 0;
}

// Whether all of the first `length` bytes at `p` are digits; `length` is 1 to 8. Reads 8 bytes.
inline bool are_digits(const uint8_t *p, uint32_t length) {
  uint64_t word;
  memcpy(&word, p, 8);
  // Bytes after the end become zeros. All eight are digits if each high half is 3, and stays so when 6 is added.
  const uint64_t zeros = 0x3030303030303030;
  const uint64_t mask = ~uint64_t(0) >> (64 - 8 * length);
  word = (word & mask) | (zeros & ~mask);
  return ((word & 0xF0F0F0F0F0F0F0F0) | (((word + 0x0606060606060606) & 0xF0F0F0F0F0F0F0F0) >> 4)) == 0x3333333333333333;
}

// Whether a number consists of at most 16 digits up to the next listed byte, as most do. Its digits are checked all at once.
__attribute__((always_inline)) inline bool is_plain_integer(const uint8_t *p, uint32_t length) {
  if (*p == '0') return length == 1;
  if (length <= 8) return are_digits(p, length);
  return length <= 16 && are_digits(p, 8) && are_digits(p + 8, length - 8);
}

// Returns the position of a string's closing quote, which is the last one before the next listed byte.
inline uint32_t closing_quote(const uint8_t *text, uint32_t next) {
  do --next; while (text[next] != '"');
  return next;
}

// Returns the length of the word true, false or null at `p`, or 0 if none of them is there.
inline uint32_t word_length(const uint8_t *p) {
  const uint32_t size = *p == 'f' ? 5 : 4;
  const char *word = *p == 't' ? "true" : *p == 'f' ? "false" : "null";
  return memcmp(p, word, size) == 0 && kEnds.at[p[size]] ? size : 0;
}

// Reads the number or word at `p`; `next` is the next listed byte. Returns its kind and sets `end`, or returns 0.
__attribute__((always_inline)) inline uint8_t number_or_word(const uint8_t *text, uint32_t p, uint32_t next, uint32_t &end) {
  switch (text[p]) {
  case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
    if (is_plain_integer(text + p, next - p)) {
      end = next;
      return CSJ_INTEGER;
    }
    [[fallthrough]];
  case '-': {
    const uint8_t *stop = text + p;
    const uint8_t kind = scan_number(text + p, stop);
    end = uint32_t(stop - text);
    return kind;
  }
  case 't': case 'f': case 'n': {
    const uint32_t size = word_length(text + p);
    end = p + size;
    return size == 0 ? 0 : text[p] == 't' ? CSJ_TRUE : text[p] == 'f' ? CSJ_FALSE : CSJ_NULL;
  }
  default: return 0;
  }
}
