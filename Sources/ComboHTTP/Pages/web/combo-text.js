/** combo-text.js: makes foreign texts and addresses safe to draw. None may break a page or reach where it should not. */

/**
 * Returns the address if its picture may be shown, else null. Accepted are https: addresses without a user name and password,
 * and data: addresses of bitmaps, of at most `most` characters.
 */
export function pictureAddress(value, pictures = "all", most = 65536) {
  if (typeof value !== "string" || value.length > most || pictures === "none") return null;
  if (/^data:image\/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/]+={0,2}$/.test(value)) return value;
  if (pictures !== "all" || value.length > 4096 || !/^https:\/\//i.test(value)) return null;
  try {
    const url = new URL(value);
    return url.protocol === "https:" && url.username === "" && url.password === "" ? url.href : null;
  } catch {
    return null;
  }
}

/**
 * Returns the text as it can be drawn in one line: no lone surrogates, no control characters, no marks that reorder the text
 * next to them, white space as single blanks, and at most `most` characters (as a reader counts them).
 */
export function drawable(text, most = 40) {
  // Enough for the longest result, and cheap for a text of megabytes; it is cut between characters below.
  const start = text.slice(0, most * 8);
  const clean = wellFormed(start)
    .replace(/[\u202a-\u202e\u2066-\u2069\u206a-\u206f\ufff9-\ufffb\ufeff]/g, "")
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\s]+/g, " ")
    .trim();
  const isCut = start.length < text.length;
  let cut = "";
  let left = most;
  for (const { segment } of segmenter.segment(clean)) {
    // A letter with many marks counts as one character, so its marks are limited.
    if (left === 0) return `${cut}…`;
    cut += segment.length > 24 ? segment.slice(0, 8) : segment;
    left -= 1;
  }
  return isCut ? `${cut}…` : cut;
}

const segmenter =
  typeof Intl.Segmenter === "function"
    ? new Intl.Segmenter(undefined, { granularity: "grapheme" })
    : { segment: (text) => Array.from(text, (segment) => ({ segment })) };

function wellFormed(text) {
  if (typeof text.toWellFormed === "function") return text.toWellFormed();
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}

/** The displayed name of a sender, a receiver or a gift: its name, else its id, else "?". */
export function nameOf(who, most) {
  for (const value of [who.name, who.id]) {
    if (typeof value !== "string" && typeof value !== "number") continue;
    const text = drawable(String(value), most);
    if (text !== "") return text;
  }
  return "?";
}

/** Returns a gift's picture if it is an emoji (at most two characters, no address), else null. */
export function emoji(value) {
  if (typeof value !== "string" || value.length === 0 || value.length > 32) return null;
  if (!/\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u.test(value)) return null;
  const text = drawable(value, 2);
  return text === "" ? null : text;
}

export function firstLetter(name) {
  for (const { segment } of segmenter.segment(name)) return segment.toLocaleUpperCase();
  return "?";
}

/** A hash below 2^32 of the text's first 256 characters: FNV-1a, with its high bits mixed into the low ones. */
export function hash(text) {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length && index < 256; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  // The low bits of FNV are weak.
  return (value ^ (value >>> 15)) >>> 0;
}
