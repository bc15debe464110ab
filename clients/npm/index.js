export { DEFAULTS, ComboView } from "./lib/combo-view.js";
export { EventParser, RoomStream, STREAM_DEFAULTS } from "./lib/combo-client.js";
export { Pacer } from "./lib/combo-pacer.js";
export { Sequence } from "./lib/combo-sequence.js";
export { drawable, nameOf, pictureAddress } from "./lib/combo-text.js";
export { WORDS, languageOf } from "./lib/combo-words.js";
