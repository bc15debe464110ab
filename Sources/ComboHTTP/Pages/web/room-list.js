/** room-list.js: the list of the busiest rooms on both pages, and the pages' requests to the service. */

import { drawable } from "/assets/combo-text.js";
import { sentenceOf } from "/assets/combo-client.js";
import { lang, setText, word } from "/assets/page-words.js";

const whole = new Intl.NumberFormat(lang);
const tenths = new Intl.NumberFormat(lang, { maximumFractionDigits: 1 });
const WAIT_MS = 8000;

/** Requests JSON. Throws an error if there is none, with a `sentence` if the service refused. */
export async function ask(path, abort = new AbortController()) {
  const timer = setTimeout(() => abort.abort(), WAIT_MS);
  try {
    const answer = await fetch(path, { signal: abort.signal, cache: "no-store", headers: { Accept: "application/json" } });
    if (!answer.ok) throw Object.assign(new Error("refused"), { sentence: drawable(await sentenceOf(answer), 300) });
    const value = await answer.json();
    if (value === null || typeof value !== "object") throw new Error("no object");
    return value;
  } finally {
    clearTimeout(timer);
  }
}

/** A list of rooms, whose rows are reused. While it has the focus or the pointer, rooms keep their places. */
export class RoomList {
  constructor(element, addressOf) {
    this.#element = element;
    this.#addressOf = addressOf;
  }

  #element;
  #addressOf;
  #rows = [];
  #chosen = null;

  get hasFocus() {
    return this.#element.contains(document.activeElement);
  }

  show(rooms) {
    const known = rooms.filter((one) => one !== null && typeof one === "object" && typeof one.room === "string").slice(0, 1000);
    const isHeld = this.hasFocus || this.#element.matches(":hover");
    const order = isHeld ? this.#held(known) : known;
    const most = Math.max(1, ...known.map((one) => number(one.rate)));
    while (this.#rows.length < order.length) this.#rows.push(this.#make());
    this.#rows.forEach((row, index) => this.#fill(row, order[index], most));
  }

  /** Returns the rooms with those already listed in their places, and new ones last. */
  #held(rooms) {
    const byId = new Map(rooms.map((one) => [one.room, one]));
    const order = [];
    for (const { room } of this.#rows) {
      if (room === null) continue;
      order.push(byId.get(room) ?? { room, rate: 0 });
      byId.delete(room);
    }
    return [...order, ...byId.values()].slice(0, Math.max(rooms.length, order.length));
  }

  /** Clears the figures of the rooms but keeps their names, for when the service cannot be reached. */
  forget() {
    for (const row of this.#rows) {
      setText(row.rate, "–");
      setText(row.about, "–");
      row.fill.style.transform = "scaleX(0)";
    }
  }

  choose(id) {
    this.#chosen = id;
    for (const row of this.#rows) this.#mark(row);
  }

  /** Moves the focus by that many rooms, or from the search into the list. Returns false if there is no room. */
  walk(by, isFromSearch) {
    const rows = this.#rows.filter((row) => row.room !== null);
    const at = rows.findIndex((row) => row.link === document.activeElement);
    if (at < 0 && !(isFromSearch && by > 0)) return false;
    const next = rows[at < 0 ? 0 : at + by];
    next?.link.focus();
    return next !== undefined;
  }

  #make() {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.className = "room-row";
    const name = document.createElement("bdi");
    const rate = document.createElement("span");
    rate.className = "room-rate";
    const about = document.createElement("small");
    const unit = document.createElement("small");
    unit.textContent = word("perSecond");
    const bar = document.createElement("span");
    bar.className = "room-bar";
    bar.setAttribute("aria-hidden", "true");
    const fill = document.createElement("i");
    bar.append(fill);
    link.append(name, rate, about, unit, bar);
    item.append(link);
    this.#element.append(item);
    return { item, link, name, rate, about, fill, room: null };
  }

  #fill(row, one, most) {
    row.item.hidden = one === undefined;
    row.room = one?.room ?? null;
    if (one === undefined) return;
    row.link.href = this.#addressOf(one.room);
    setText(row.name, drawable(one.room, 60) || "?");
    setText(row.rate, tenths.format(number(one.rate)));
    const banners = whole.format(number(one.banners));
    setText(row.about, one.queued === undefined ? word("aboutShown", { banners }) : word("about", { banners, waiting: whole.format(number(one.queued)) }));
    row.fill.style.transform = `scaleX(${Math.min(1, number(one.rate) / most)})`;
    this.#mark(row);
  }

  #mark(row) {
    if (row.room !== null && row.room === this.#chosen) row.link.setAttribute("aria-current", "true");
    else row.link.removeAttribute("aria-current");
  }
}

export const number = (value) => (typeof value === "number" && Number.isFinite(value) ? value : 0);
