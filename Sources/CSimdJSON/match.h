// What looks at every byte of a text whose shape may be known. Part of shape.cpp, which has it once for every processor and, with
// CSJ_AVX2, once more for those with AVX2. Blocks are vectors, of which clang makes whatever the processor has.

#if CSJ_AVX2
constexpr uint32_t kBlock = 32;
#else
constexpr uint32_t kBlock = 16;
#endif

template <uint32_t Size>
using Vector = uint8_t __attribute__((ext_vector_type(Size)));

template <uint32_t Size = kBlock>
inline Vector<Size> load(const uint8_t *p) {
  Vector<Size> bytes;
  memcpy(&bytes, p, Size);
  return bytes;
}

// A bit for each byte that a comparison holds for, the first byte's the lowest.
template <uint32_t Size = kBlock, typename Comparison>
inline uint32_t bits(Comparison holds) {
  typedef bool Bits __attribute__((ext_vector_type(Size)));
  const Bits all = __builtin_convertvector(holds, Bits);
  uint32_t word = 0;
  memcpy(&word, &all, Size / 8);
  return word;
}

// The marks of 64 bytes.
struct Marks {
  uint64_t special = 0, high = 0;

  template <bool Copies>
  inline Marks(const uint8_t *from, uint8_t *to, std::bool_constant<Copies>) {
    for (uint32_t at = 0; at < 64; at += kBlock) {
      const auto bytes = load(from + at);
      if (Copies) memcpy(to + at, &bytes, kBlock);
      special |= uint64_t(bits((bytes < uint8_t(0x20)) | (bytes == uint8_t('"')) | (bytes == uint8_t('\\')))) << at;
      high |= uint64_t(bits(bytes >= uint8_t(0x80))) << at;
    }
  }
};

inline void finish_marks(csj_shapes *shapes, uint32_t limit) {
  // What was not looked at ends every search.
  if (limit % 64) {
    const uint64_t unseen = ~uint64_t(0) << limit % 64;
    shapes->special[limit / 64] |= unseen;
    shapes->high[limit / 64] |= unseen;
  }
  const uint32_t behind = (limit + 63) / 64;
  shapes->special[behind] = shapes->high[behind] = ~uint64_t(0);
  shapes->limit = limit;
}

// Makes the marks from `from` on, a multiple of 64, for at most kStride bytes. Reads up to 63 bytes behind the text.
inline void mark(csj_shapes *shapes, const uint8_t *text, uint32_t from, uint32_t length) {
  const uint32_t limit = length - from > kStride ? from + kStride : length;
  for (uint32_t at = from; at < limit; at += 64) {
    const Marks marks(text + at, nullptr, std::false_type());
    shapes->special[at / 64] = marks.special;
    shapes->high[at / 64] = marks.high;
  }
  finish_marks(shapes, limit);
}

// Copies a text of 64 to kStride bytes and makes its marks.
inline void mark_copy(csj_shapes *shapes, const uint8_t *source, uint8_t *text, uint32_t length) {
  uint32_t at = 0;
  for (; at + 64 <= length; at += 64) {
    const Marks marks(source + at, text + at, std::true_type());
    shapes->special[at / 64] = marks.special;
    shapes->high[at / 64] = marks.high;
  }
  if (at < length) {
    // The last 64 bytes, of which those before `at` were looked at already.
    const Marks marks(source + length - 64, text + length - 64, std::true_type());
    shapes->special[at / 64] = marks.special >> (at + 64 - length);
    shapes->high[at / 64] = marks.high >> (at + 64 - length);
  }
  finish_marks(shapes, length);
}

// The first place from `at` on that has a mark.
inline size_t next_mark(const uint64_t *marks, size_t at) {
  uint64_t word;  // 57 marks at least
  memcpy(&word, reinterpret_cast<const uint8_t *>(marks) + at / 8, 8);
  word >>= at % 8;
  while (__builtin_expect(word == 0, 0)) {
    at += 57;
    memcpy(&word, reinterpret_cast<const uint8_t *>(marks) + at / 8, 8);
    word >>= at % 8;
  }
  return at + size_t(__builtin_ctzll(word));
}

// Whether the first 32 bytes of a piece stand at `from`. Reads up to 32 bytes behind that.
inline bool begins(const uint8_t *text, size_t from, const Piece &piece) {
  const auto differ = bits(load(text + from) != load(piece.bytes));
  if (kBlock == 32) return (differ & piece.mask) == 0;
  if (differ & piece.mask & 0xFFFF) return false;
  return piece.length <= 16 || (bits(load(text + from + 16) != load(piece.bytes + 16)) & (piece.mask >> 16)) == 0;
}

// Where the string that begins at `p` ends, its closing quote included; 0: nowhere, or something in it is wrong.
inline uint32_t string_end(csj_shapes *shapes, const uint8_t *text, uint32_t p, uint32_t length, uint8_t &flags) {
  for (uint32_t q = p + 1;;) {
    if (q < shapes->limit) q = uint32_t(next_mark(shapes->special, q));
    if (q >= shapes->limit) {
      if (shapes->limit == length) return 0;
      mark(shapes, text, shapes->limit, length);
    } else if (text[q] == '"') {
      const uint8_t *where;
      return flags && csj::check_escapes(text + p + 1, text + q, where) ? 0 : q + 1;
    } else {
      // What is escaped, be it a quote, is passed over; that it is right is seen to at the end.
      if (text[q] != '\\' || text[q + 1] < 0x20 || text[q + 1] >= 0x80) return 0;
      flags = CSJ_ESCAPED;
      q += 2;
    }
  }
}

// How many digits stand at `p`, or 16.
inline uint32_t digits(const uint8_t *p) {
  return uint32_t(__builtin_ctz(~bits<16>(load<16>(p) - uint8_t('0') < uint8_t(10))));
}

// A string, number or word that begins at `p`: its kind, and where it ends; 0 if it is none or a wrong one.
inline uint8_t scalar(csj_shapes *shapes, const uint8_t *text, uint32_t p, uint32_t length, uint32_t &end, uint8_t &flags) {
  if (text[p] == '"') {
    end = string_end(shapes, text, p, length, flags);
    return end ? CSJ_STRING : 0;
  }
  return number_or_word(text, p, p + 17, end);
}

// Goes from the beginning of a piece to the end of the scalar behind it, or of the text, whatever there is; 0: this shape is not the text's, or
// it has a fault.
__attribute__((noinline)) uint32_t step(
  csj_shapes *shapes, csj_token *tokens, const uint8_t *text, uint32_t from, uint32_t length, const Shape &shape, const Piece &piece) {
  if (!begins(text, from, piece) || from + piece.length > length) return 0;
  if (piece.length > 32 && memcmp(text + from + 32, shape.bytes + piece.at, piece.length - 32) != 0) return 0;
  const uint32_t p = from + piece.length;
  shapes->starts[&piece - shape.pieces] = from;
  if ((piece.scalar == 0) != (p == length)) return 0;
  if (p == length) return p;
  while (p >= shapes->limit) mark(shapes, text, shapes->limit, length);
  uint32_t end;
  uint8_t flags = 0;
  const uint8_t kind = scalar(shapes, text, p, length, end, flags);
  if (!kind) return 0;
  tokens[piece.scalar] = {p, end - p, piece.scalar + 1, kind, flags, 0};
  return end;
}

#if CSJ_AVX2
// For each byte of `places`, below 16, what stands there.
inline Vector<32> look_up(const uint8_t (&table)[16], Vector<32> places) {
  const __m256i twice = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i *>(table)));
  return (Vector<32>)_mm256_shuffle_epi8(twice, (__m256i)places);
}
#endif

// Whether what stands between the pieces of a text is UTF-8, as they are.
inline bool is_utf8(const uint64_t *high, const uint8_t *text, uint32_t length) {
  size_t at = next_mark(high, 0);
  if (at >= length) return true;
#if CSJ_AVX2
  // A block is read with the three bytes before it.
  if (at < 3) return csj_is_utf8(text, length);
  do {
    const auto bytes = load(text + at), before = load(text + at - 1);
    const auto wrong = look_up(kPairs.first_upper, before >> 4) & look_up(kPairs.first_lower, before & uint8_t(0x0F)) &
      look_up(kPairs.second_upper, bytes >> 4);
    // Two bytes of the kind that goes on are right where the second is the third of a character, or the fourth.
    const auto third = __builtin_elementwise_sub_sat(load(text + at - 2), Vector<kBlock>(0xE0 - 0x80));
    const auto fourth = __builtin_elementwise_sub_sat(load(text + at - 3), Vector<kBlock>(0xF0 - 0x80));
    const auto faults = bits((((third | fourth) & uint8_t(0x80)) ^ wrong) != uint8_t(0));
    // Those behind the text are none.
    if (__builtin_expect(faults != 0, 0) && at + uint32_t(__builtin_ctz(faults)) < length) return false;
    // A character that begins in the last three bytes may end behind them.
    at = next_mark(high, at + kBlock - 3);
  } while (at < length);
  return true;
#else
  uint32_t last = length - 1;
  while (text[last] < 0x80) --last;
  return csj_is_utf8(text + at, last + 1 - at);
#endif
}

// Finds the shape of a text that begins at `from`, writes the tokens of its scalars, and notes where its pieces begin; null: it is of
// none, or has a fault.
//
// Why no read leaves the text and its padding: a string ends with the text at the latest, nothing is looked at further than 32 bytes behind that
// before it is known to be the text's, and the text's last byte is a bracket, at which numbers and words stop.
Shape *match(csj_shapes *shapes, csj_token *tokens, const uint8_t *source, uint8_t *text, size_t from, uint32_t length) {
  uint64_t left = 0;  // the shapes that may still be right at the piece `failed`
  uint32_t place = shapes->last, failed = UINT32_MAX;
  Shape *shape = shapes->shapes + place;
  if (source == text) {
    mark(shapes, text, 0, length);
  } else {
    mark_copy(shapes, source, text, length);
  }
  const Piece *piece = shape->pieces;
  uint32_t *start = shapes->starts;
  for (;;) {
    // The usual: a short piece, and behind it a string without escapes or a number of a few digits.
    for (const size_t limit = shapes->limit; begins(text, from, *piece);) {
      const size_t p = from + piece->to_scalar;
      *start = uint32_t(from);
      if (p >= limit) {
        if (piece->scalar || piece->length > 32 || limit < length || from + piece->length != length) break;
        if (!is_utf8(shapes->high, text, length)) return nullptr;
        shapes->last = place;
        return shape;
      }
      csj_token &token = tokens[piece->scalar];
      const auto set = [&](size_t end, uint32_t kind) __attribute__((always_inline)) {
        token.start = uint32_t(p);
        token.length = uint32_t(end - p);
        token.next = piece->scalar + 1;
        memcpy(&token.kind, &kind, 4);  // without flags and gaps
        from = end;
      };
      if (text[p] == '"') {
        // It may be behind the marks, even the text; the piece that follows it then is too.
        const size_t quote = next_mark(shapes->special, p + 1);
        if (text[quote] != '"') break;
        set(quote + 1, CSJ_STRING);
      } else {
        // A number may go on behind its digits.
        const size_t count = digits(text + p);
        if (count - 1 > 14 || text[p + count] != piece[1].bytes[0]) break;
        if (text[p] == '0' && count > 1) break;
        set(p + count, CSJ_INTEGER);
      }
      ++piece;
      ++start;
    }
    if (const uint32_t end = step(shapes, tokens, text, uint32_t(from), length, *shape, *piece)) {
      from = end;
      if (from == length) break;
      ++piece;
      ++start;
      continue;
    }
    // Those that have this piece too would fail as this shape did.
    const auto n = uint32_t(piece - shape->pieces);
    left = (n == failed ? left : ~uint64_t(0)) & piece->others;
    failed = n;
    if (!left) return nullptr;
    place = uint32_t(__builtin_ctzll(left));
    shape = shapes->shapes + place;
    piece = shape->pieces + n;
  }
  while (shapes->limit < length) mark(shapes, text, shapes->limit, length);
  if (!is_utf8(shapes->high, text, length)) return nullptr;
  shapes->last = place;
  return shape;
}
