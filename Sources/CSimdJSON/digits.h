#pragma once

#include <cstdint>

inline bool is_digit(uint8_t c) { return uint8_t(c - '0') < 10; }

inline int hex_value(uint8_t c) {
  if (is_digit(c)) return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Returns the value of four hexadecimal digits, or -1.
inline int32_t hex4(const uint8_t *p) {
  const int a = hex_value(p[0]), b = hex_value(p[1]), c = hex_value(p[2]), d = hex_value(p[3]);
  if ((a | b | c | d) < 0) return -1;
  return a << 12 | b << 8 | c << 4 | d;
}
