// The values of tokens: strings without escapes, values without white space, doubles.
#include "csimdjson.h"
#include "digits.h"

#include <simdjson.h>

#include <charconv>
#include <cstring>
#include <limits>
#include <string>
#include <system_error>

extern "C" {

size_t csj_unescape(const uint8_t *string, size_t length, uint8_t *out) noexcept {
  const uint8_t *p = string, *const end = string + length;
  uint8_t *o = out;
  while (p < end) {
    const auto *slash = static_cast<const uint8_t *>(memchr(p, '\\', size_t(end - p)));
    const size_t run = size_t((slash ? slash : end) - p);
    memmove(o, p, run);
    o += run;
    if (!slash) break;
    p = slash + 2;
    switch (slash[1]) {
    case 'b': *o++ = '\b'; break;
    case 'f': *o++ = '\f'; break;
    case 'n': *o++ = '\n'; break;
    case 'r': *o++ = '\r'; break;
    case 't': *o++ = '\t'; break;
    case 'u': {
      uint32_t code = uint32_t(hex4(p));
      p += 4;
      if ((code & 0xFC00) == 0xD800) {
        code = 0x10000 + ((code & 0x3FF) << 10) + (uint32_t(hex4(p + 2)) & 0x3FF);
        p += 6;
      }
      if (code < 0x80) {
        *o++ = uint8_t(code);
      } else if (code < 0x800) {
        *o++ = uint8_t(0xC0 | code >> 6);
        *o++ = uint8_t(0x80 | (code & 0x3F));
      } else if (code < 0x10000) {
        *o++ = uint8_t(0xE0 | code >> 12);
        *o++ = uint8_t(0x80 | (code >> 6 & 0x3F));
        *o++ = uint8_t(0x80 | (code & 0x3F));
      } else {
        *o++ = uint8_t(0xF0 | code >> 18);
        *o++ = uint8_t(0x80 | (code >> 12 & 0x3F));
        *o++ = uint8_t(0x80 | (code >> 6 & 0x3F));
        *o++ = uint8_t(0x80 | (code & 0x3F));
      }
      break;
    }
    default: *o++ = slash[1]; break;  // a quote, a backslash or a slash
    }
  }
  return size_t(o - out);
}

size_t csj_minify(const csj_parser *parser, const uint8_t *text, uint32_t token, uint8_t *out) noexcept {
  const csj_token &value = parser->tokens[token];
  if (!(value.flags & CSJ_SPACED)) {
    memcpy(out, text + value.start, value.length);
    return value.length;
  }
  if (value.first_gap == CSJ_GAPS_MAX) {
    size_t written = 0;
    const simdjson::implementation *simd = simdjson::get_active_implementation();
    return simd->minify(text + value.start, value.length, out, written) == simdjson::SUCCESS ? written : 0;
  }
  const csj_gap *gap = parser->gaps + value.first_gap;
  const uint32_t end = value.start + value.length;
  uint32_t from = value.start;
  uint8_t *o = out;
  while (from < end) {
    // After the last gap there may be one of an earlier text, which must not be read.
    const bool inside = gap < parser->gaps + parser->gap_count && gap->from < end;
    const uint32_t run = (inside ? gap->from : end) - from;
    // Most runs are short, so 16 bytes are copied at once, and the next run overwrites those that are too many.
    uint8_t block[16];
    memcpy(block, text + from, 16);
    memcpy(o, block, 16);
    if (run > 16) memcpy(o + 16, text + from + 16, run - 16);
    o += run;
    if (!inside) break;
    from = gap->to;
    ++gap;
  }
  return size_t(o - out);
}

int csj_is_utf8(const uint8_t *bytes, size_t length) noexcept {
  return simdjson::validate_utf8(reinterpret_cast<const char *>(bytes), length);
}

double csj_double(const uint8_t *number, size_t length) noexcept {
  const char *first = reinterpret_cast<const char *>(number), *const last = first + length;
  double value = 0;
  const auto result = std::from_chars(first, last, value);
  if (result.ec != std::errc::result_out_of_range) return value;
  // Too large or too small: the power of ten of its first digit that is not 0 decides which.
  const bool negative = *first == '-';
  const char *p = first + (negative ? 1 : 0);
  long long power = 0;
  bool seen = false, fraction = false;
  for (; p < last && *p != 'e' && *p != 'E'; ++p) {
    if (*p == '.') {
      fraction = true;
    } else if (!seen) {
      if (fraction) --power;
      seen = *p != '0';
    } else if (!fraction) {
      ++power;
    }
  }
  if (p < last) {
    ++p;
    const bool down = *p == '-';
    if (*p == '-' || *p == '+') ++p;
    long long exponent = 0;
    for (; p < last; ++p) if (exponent < (1LL << 40)) exponent = exponent * 10 + (*p - '0');
    power += down ? -exponent : exponent;
  }
  value = seen && power > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  return negative ? -value : value;
}

size_t csj_write_double(double value, uint8_t *out) noexcept {
  char *first = reinterpret_cast<char *>(out);
  return size_t(std::to_chars(first, first + 32, value).ptr - first);
}

const char *csj_version(void) noexcept {
  // The macro of the whole version is a string in newer versions of simdjson only.
  static const std::string version = [] {
    using namespace simdjson;
    return std::to_string(SIMDJSON_VERSION_MAJOR) + "." + std::to_string(SIMDJSON_VERSION_MINOR) + "."
           + std::to_string(SIMDJSON_VERSION_REVISION);
  }();
  return version.c_str();
}

const char *csj_implementation(void) noexcept {
  static const std::string name = simdjson::get_active_implementation()->name();
  return name.c_str();
}

}  // extern "C"
