/** given.js: totals of finished combos, from `final` instructions: one row per sender, gift and receiver, the latest first. */

import { drawable, emoji, nameOf } from "/assets/combo-text.js";
import { lang, word } from "/assets/page-words.js";

/** The most rows kept; the one that grew longest ago is removed first. */
const MOST = 100;
const whole = new Intl.NumberFormat(lang);

export class Given {
  /**
   * @param {HTMLElement} list the rows
   * @param {HTMLElement} note the text while there are no rows
   */
  constructor(list, note) {
    this.#list = list;
    this.#note = note;
    this.clear();
  }

  #list;
  #note;
  /** Rows by sender, gift and receiver; the one that grew last is at the end. */
  #rows = new Map();
  /** Epoch and seq of the latest `final`, so that none counts twice. */
  #epoch = -1;
  #seq = 0;

  clear() {
    this.#epoch = -1;
    this.#rows.clear();
    this.#list.replaceChildren();
    this.#note.textContent = word("givenNone");
  }

  /** Processes one instruction; only a `final` changes anything. */
  take({ op, epoch, seq, sender, receiver, gift, count }) {
    if (op !== "final" || ![epoch, seq, count].every(Number.isSafeInteger) || count < 0) return;
    if (epoch < this.#epoch || (epoch === this.#epoch && seq <= this.#seq)) return;
    this.#epoch = epoch;
    this.#seq = seq;
    const key = JSON.stringify([sender?.id ?? "", gift?.id ?? "", receiver?.id ?? ""]);
    const row = this.#rows.get(key) ?? this.#make();
    this.#rows.delete(key);
    this.#rows.set(key, row);
    row.total = Math.min(Number.MAX_SAFE_INTEGER, row.total + count);
    const name = (who) => nameOf(who !== null && typeof who === "object" ? who : {}, 40);
    const to = receiver === undefined || receiver === null ? "" : ` ${word("givenTo", { receiver: name(receiver) })}`;
    const [icon, giver, what, total] = row.node.children;
    icon.textContent = emoji(gift?.picture ?? gift?.icon ?? gift?.emoji) ?? "🎁";
    giver.textContent = name(sender);
    what.textContent = drawable(`${name(gift)}${to}`, 120);
    total.textContent = `×${whole.format(row.total)}`;
    this.#list.prepend(row.node);
    this.#note.textContent = "";
    if (this.#rows.size <= MOST) return;
    const [oldest, last] = this.#rows.entries().next().value;
    this.#rows.delete(oldest);
    last.node.remove();
  }

  #make() {
    const node = document.createElement("li");
    const icon = document.createElement("i");
    icon.setAttribute("aria-hidden", "true");
    const what = document.createElement("small");
    what.dir = "auto";
    node.append(icon, document.createElement("bdi"), what, document.createElement("b"));
    return { node, total: 0 };
  }
}
