// Events: their members found while the text is checked, so that no tape of all its tokens is written and gone over.
#include "lexer.h"
#include "parser.h"

namespace {

constexpr uint64_t word(const char *name) {
  uint64_t word = 0;
  for (int i = 0; name[i]; ++i) word |= uint64_t(uint8_t(name[i])) << (8 * i);
  return word;
}

// A name's bytes, the first the lowest; 0 for one that is empty or longer than 8, as none of ours is. Reads 8 bytes.
inline uint64_t word(const uint8_t *name, uint32_t length) {
  if (length - 1 >= 8) return 0;
  uint64_t word;
  memcpy(&word, name, 8);
  return word & (~uint64_t(0) >> (64 - 8 * length));
}

inline size_t *member_of_event(csj_event *event, uint64_t name) {
  switch (name) {
  case word("type"): return &event->type;
  case word("room"): return &event->room;
  case word("ts"): return &event->ts;
  case word("id"): return &event->id;
  case word("count"): return &event->count;
  case word("total"): return &event->total;
  case word("streak"): return &event->streak;
  case word("settings"): return &event->settings;
  case word("sender"): return &event->sender;
  case word("receiver"): return &event->receiver;
  case word("gift"): return &event->gift;
  default: return nullptr;
  }
}

// A member of sender, receiver or gift, whose own place is `owner`.
inline size_t *member_of_object(csj_event *event, const size_t *owner, uint64_t name) {
  if (name == word("value")) return owner == &event->gift ? &event->gift_value : nullptr;
  if (name != word("id")) return nullptr;
  if (owner == &event->sender) return &event->sender_id;
  if (owner == &event->receiver) return &event->receiver_id;
  return owner == &event->gift ? &event->gift_id : nullptr;
}

// How far a scan has come. A value, so that it stays in registers.
struct Cursor {
  const uint32_t *at;  // the next listed byte
  csj_gap *gap;        // where the next gap goes
  uint32_t end;        // where the token before ended
  uint32_t count;      // tokens so far

  inline uint32_t step() {
    const uint32_t p = *at++;
    if (p != end) *gap++ = {end, p};
    return p;
  }
};

// A string, number or word that begins at `p`: its kind, and where it ends; 0 if it is none or a wrong one. The text has no
// backslash.
__attribute__((always_inline)) inline uint8_t scalar(const uint8_t *text, uint32_t p, Cursor &c) {
  if (text[p] != '"') return number_or_word(text, p, *c.at, c.end);
  const uint32_t quote = closing_quote(text, *c.at);
  c.end = quote + 1;
  return quote > p ? CSJ_STRING : 0;
}

// A member's name and the colon behind it: whether they stand at `p`, and if so where the value begins.
__attribute__((always_inline)) inline bool name(const uint8_t *text, uint32_t p, Cursor &c, uint64_t &name, uint32_t &value) {
  if (text[p] != '"') return false;
  const uint32_t quote = closing_quote(text, *c.at);
  if (quote <= p) return false;
  name = word(text + p + 1, quote - p - 1);
  c.end = quote + 1;
  const uint32_t colon = c.step();
  if (text[colon] != ':') return false;
  c.end = colon + 1;
  value = c.step();
  return true;
}

struct Scan {
  const uint8_t *text;
  const uint32_t *at_end;
  csj_parser *parser;
  csj_event *event;

  // An object or array in which there is nothing of ours: where it ends, or no place if there is anything unusual.
  __attribute__((noinline)) Cursor skip(uint32_t p, Cursor c, uint32_t depth_left) const {
    const Cursor unusual{nullptr, nullptr, 0, 0};
    if (depth_left == 0) return unusual;
    const bool is_object = text[p] == '{';
    const uint8_t close = is_object ? '}' : ']';
    c.end = p + 1;
    if (c.at == at_end) return unusual;
    p = c.step();
    if (text[p] != close) {
      for (;;) {
        uint64_t ignored;
        if (is_object && !name(text, p, c, ignored, p)) return unusual;
        if (text[p] == '{' || text[p] == '[') {
          c = skip(p, c, depth_left - 1);
          if (!c.at || c.at == at_end) return unusual;
        } else if (!scalar(text, p, c)) {
          return unusual;
        }
        p = c.step();
        if (text[p] != ',') break;
        c.end = p + 1;
        p = c.step();
      }
      if (text[p] != close) return unusual;
    }
    c.end = p + 1;
    return c;
  }

  // An object whose members are ours: the event's own if `owner` is null, else those of the member `owner`.
  template <bool IsEvent>
  __attribute__((always_inline)) inline bool object(uint32_t p, Cursor &c, const size_t *owner, uint32_t depth_left) const {
    if (depth_left == 0) return false;
    csj_token *const token = parser->tokens + c.count++;
    csj_gap *const first_gap = c.gap;
    const uint32_t start = p;
    c.end = p + 1;
    if (c.at == at_end) return false;
    p = c.step();
    if (text[p] != '}') {
      for (;;) {
        uint64_t word;
        if (!name(text, p, c, word, p)) return false;
        size_t *const place = IsEvent ? member_of_event(event, word) : member_of_object(event, owner, word);
        const bool is_new = place && *place == 0;
        if (is_new) *place = c.count;
        if (text[p] == '{' || text[p] == '[') {
          if (!is_new) {
            c = skip(p, c, depth_left - 1);
          } else if constexpr (IsEvent) {
            // An array is a fault, and what settings say is looked at on the whole tape.
            if (text[p] == '[' || place == &event->settings || !object<false>(p, c, place, depth_left - 1)) return false;
          } else {
            return false;
          }
          if (!c.at || c.at == at_end) return false;
        } else {
          const uint8_t kind = scalar(text, p, c);
          if (!kind) return false;
          if (is_new) {
            const uint32_t n = c.count++;
            parser->tokens[n] = {p, c.end - p, n + 1, kind, 0, 0};
          }
        }
        p = c.step();
        if (text[p] != ',') break;
        c.end = p + 1;
        p = c.step();
      }
      if (text[p] != '}') return false;
    }
    c.end = p + 1;
    const auto gaps = first_gap - parser->gaps;
    *token = {start, c.end - start, c.count, CSJ_OBJECT, uint8_t(c.gap > first_gap ? CSJ_SPACED : 0),
              uint16_t(gaps < CSJ_GAPS_MAX ? gaps : CSJ_GAPS_MAX)};
    return true;
  }
};

// Levels that a scan goes down itself: each is a call.
constexpr uint32_t kScanDepth = 64;

// Whether a listed text is an object with nothing unusual in it: no fault, no escape, and none of our members where the whole
// tape is needed. If so, its members are found.
bool scan(csj_parser *parser, const uint8_t *text, size_t length, csj::Listed listed, uint32_t depth_max, csj_event *event) {
  const uint32_t *const at_end = listed.at + listed.count;
  if (text[*listed.at] != '{' || (text[at_end[-1]] != '}') || memchr(text, '\\', length)) return false;
  const Scan scan{text, at_end, parser, event};
  // White space before the first token is no gap.
  Cursor c{listed.at + 1, parser->gaps, *listed.at, 0};
  if (!scan.object<true>(*listed.at, c, nullptr, depth_max < kScanDepth ? depth_max : kScanDepth) || c.at != at_end) return false;
  parser->count = c.count;
  parser->gap_count = uint32_t(c.gap - parser->gaps);
  return true;
}

// A name on the tape, as a word.
uint64_t word(const uint8_t *text, const csj_token &token) {
  const uint8_t *inside = text + token.start + 1;
  const uint32_t length = token.length - 2;
  if (!(token.flags & CSJ_ESCAPED)) return word(inside, length);
  uint8_t plain[64] = {};
  if (length > 48) return 0;  // 8 characters of 6 bytes each
  const auto written = uint32_t(csj_unescape(inside, length, plain));
  // A NUL would look like the name's end.
  return memchr(plain, 0, written) ? 0 : word(plain, written);
}

}  // namespace

void csj::find_members(const csj_parser *parser, const uint8_t *text, csj_event *event) noexcept {
  const csj_token *const tokens = parser->tokens;
  if (tokens[0].kind != CSJ_OBJECT) return;
  for (uint32_t member = 1; member < tokens[0].next; member = tokens[member + 1].next) {
    size_t *const place = member_of_event(event, word(text, tokens[member]));
    const uint32_t value = member + 1;
    if (!place || *place != 0) continue;
    *place = value;
    if (tokens[value].kind != CSJ_OBJECT) continue;
    for (uint32_t inner = value + 1; inner < tokens[value].next; inner = tokens[inner + 1].next) {
      size_t *const inside = member_of_object(event, place, word(text, tokens[inner]));
      if (inside && *inside == 0) *inside = inner + 1;
    }
  }
}

csj_fault csj::scan_event(
  csj_parser *parser, const uint8_t *text, size_t length, uint32_t depth_max, csj_event *event) noexcept {
  *event = {};
  Listed listed;
  if (csj_fault fault = list(parser, text, length, listed)) return fault;
  if (scan(parser, text, length, listed, depth_max, event)) return CSJ_FINE;
  // Whatever it is, the walk over all tokens tells.
  *event = {};
  if (csj_fault fault = walk(parser, text, length, listed, depth_max)) return fault;
  find_members(parser, text, event);
  return CSJ_FINE;
}
