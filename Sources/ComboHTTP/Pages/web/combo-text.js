/** combo-text.js: what others wrote, made fit to be drawn. Nothing of it may break a page or reach where it should not. */

/**
 * The address of a picture that may be shown, or null: https:, or a data: address of a bitmap. Nothing with a name and a
 * password in it, and nothing that is longer than `most`.
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
 * A text as it can be drawn in one line: no lone surrogates, no control characters, no marks that reorder the text next to
 * them, white space as single blanks, and at most `most` characters (as a reader counts them).
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

/** What to call a sender, a receiver or a gift: its name, else its id. */
export function nameOf(who, most) {
  for (const value of [who.name, who.id]) {
    if (typeof value !== "string" && typeof value !== "number") continue;
    const text = drawable(String(value), most);
    if (text !== "") return text;
  }
  return "?";
}

/** A gift's picture that is an emoji: one or two characters, and no address. */
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

/** A number below 2^32 that is always the same for a text, and seldom for two: FNV-1a. */
export function hash(text) {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length && index < 256; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  // The low bits of FNV are weak.
  return (value ^ (value >>> 15)) >>> 0;
}
