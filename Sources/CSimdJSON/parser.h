// The parts of csj_parse and csj_parse_alike.
#pragma once

#include "csimdjson.h"

namespace csj {

// The places of a text's tokens, as found by stage 1.
struct Listed {
  const uint32_t *at;
  uint32_t count;
};

// Lists a text's tokens by simdjson's first stage, and makes room for their tape.
csj_fault list(csj_parser *parser, const uint8_t *text, size_t length, Listed &listed) noexcept;

// Checks the grammar of a text that was listed, and writes its tape.
csj_fault walk(csj_parser *parser, const uint8_t *text, size_t length, Listed listed, uint32_t depth_max) noexcept;

// Checks the escapes in the bytes [p, end) of a string. A quote follows them, so reads after `end` find no hexadecimal digit.
csj_fault check_escapes(const uint8_t *p, const uint8_t *end, const uint8_t *&at) noexcept;

void free_shapes(csj_shapes *shapes) noexcept;

}  // namespace csj
