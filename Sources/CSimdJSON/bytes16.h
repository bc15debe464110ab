// Sixteen bytes at a time, on any processor: clang makes of these vectors what it has (SSE2, NEON).
#pragma once

#include <cstdint>
#include <cstring>

typedef uint8_t Bytes16 __attribute__((ext_vector_type(16)));
typedef bool Bits16 __attribute__((ext_vector_type(16)));

inline Bytes16 load16(const uint8_t *p) {
  Bytes16 bytes;
  memcpy(&bytes, p, 16);
  return bytes;
}

// A bit for each byte that a comparison holds for, the first byte's the lowest.
template <typename Comparison>
inline uint32_t bits(Comparison holds) {
  const Bits16 all = __builtin_convertvector(holds, Bits16);
  uint16_t word;
  memcpy(&word, &all, 2);
  return word;
}

inline uint32_t unequal(Bytes16 a, Bytes16 b) { return bits(a != b); }
inline uint32_t digit_bits(Bytes16 bytes) { return bits(bytes - uint8_t('0') < uint8_t(10)); }
inline uint32_t high_bits(Bytes16 bytes) { return bits(bytes >= uint8_t(0x80)); }

// What cannot stand in a string as it is, and what ends it.
inline uint32_t special_bits(Bytes16 bytes) {
  return bits((bytes < uint8_t(0x20)) | (bytes == uint8_t('"')) | (bytes == uint8_t('\\')));
}
