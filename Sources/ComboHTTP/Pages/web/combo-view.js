/**
 * combo-view.js: draws the banners of one room, as a viewer sees them.
 *
 *     import { ComboView } from "./combo-view.js";
 *     const view = new ComboView(document.querySelector("#stage"), { slots: 2 });
 *     view.draw(instruction);            // one display instruction, in the order of their seq
 *
 * It uses neither the network nor seq: `Sequence` in combo-sequence.js handles repetitions, gaps and new epochs. The drawing is
 * a function of the instructions and of the clock, so that a test with its own clock sees each frame.
 *
 * Each banner has one node, made when needed and reused; there are never more than slots + 1. Texts of instructions are drawn
 * as text, and pictures are loaded from https: and data: addresses only. Needs combo-view.css. No dependencies, no markup parsed,
 * no inline style attributes: a page with `script-src 'self'; style-src 'self'; img-src https: data:` can use it as it is.
 */

import { Banner, NEVER, clamp, make } from "./combo-banner.js";
import { Confetti } from "./combo-confetti.js";
import { emoji, firstLetter, hash, nameOf, pictureAddress } from "./combo-text.js";
import { WORDS, fill, languageOf } from "./combo-words.js";

/** The options of a view. Times are in milliseconds; change them if the service's settings differ from its defaults. */
export const DEFAULTS = Object.freeze({
  /** Banners on screen at once. A room that turns out to have more gets more nodes. */
  slots: 2,
  enterMs: 250,
  countMs: 250,
  exitMs: 250,
  /** How long a milestone is celebrated. */
  effectMs: 1400,
  /** The least time between two announcements to a screen reader; 0 = none at all. */
  announceMs: 6000,
  /** The most characters drawn of a name; CSS cuts earlier where there is less room. */
  maxName: 40,
  /** Which pictures are loaded: "all" (https: and data:), "data" (nothing from the network) or "none". */
  pictures: "all",
  /** Whether motion is reduced: true, false, or null for the setting of the viewer's system. */
  reducedMotion: null,
  /** The worths (gift value × count) from which on a banner is drawn in the next more splendid tone. */
  tones: Object.freeze([100, 1000, 10000]),
  /** The language of the texts and numbers ("en", "zh", "ja", "ko", "pt", "ar"); null for the browser's, or English. */
  lang: null,
  /** The locale of the numbers; undefined for that of `lang`. */
  locale: undefined,
  /** Texts that replace those of the language; see combo-words.js. */
  words: Object.freeze({}),
  /** The side of the banners: "left", "right", or null for the side where a line begins in the language. */
  align: null,
  /** Banners in slots above this many are not drawn. */
  slotsMost: Infinity,
  /** The announcement to screen readers: the banner of greatest worth since the last one, and the number of other banners. */
  describe: ({ sender, gift, receiver, count, others }, words, numbers) =>
    fill(receiver === "" ? words.told : words.toldTo, { sender, gift, receiver, count: numbers.format(count) }) +
    (others > 0 ? ` ${fill(words.more, { others: numbers.format(others) })}` : ""),
  /** The pictures of a gift and of a sender: an address, or for a gift also an emoji. */
  giftPicture: (gift) => gift.picture ?? gift.image ?? gift.icon ?? gift.emoji,
  avatar: (sender) => sender.avatar ?? sender.picture,
  /** { now(), frame(callback), cancelFrame(id), after(ms, callback), cancelAfter(id) }; now(), in ms, never goes back. */
  clock: Object.freeze({
    now: () => performance.now(),
    frame: (callback) => requestAnimationFrame(callback),
    cancelFrame: (id) => cancelAnimationFrame(id),
    after: (ms, callback) => setTimeout(callback, ms),
    cancelAfter: (id) => clearTimeout(id),
  }),
});

const SAID_TIMES = Object.freeze([["enter_ms", "enterMs"], ["count_ms", "countMs"], ["exit_ms", "exitMs"]]);

/** The engine allows no more slots than this. */
const MOST_SLOTS = 100;

export class ComboView {
  /**
   * @param {HTMLElement} element the element to draw in. The view fills it, and banners stack up from its lower edge. It should
   *   be positioned (`position: relative`) and have a size of its own.
   * @param {Partial<typeof DEFAULTS>} options
   */
  constructor(element, options = {}) {
    this.#options = { ...DEFAULTS, ...options };
    const lang = languageOf(this.#options.lang);
    this.#words = { ...WORDS[lang], ...options.words };
    this.#clock = this.#options.clock;
    this.#announces = this.#options.announceMs > 0;
    this.#slots = clamp(Math.trunc(this.#options.slots) || 1, 1, MOST_SLOTS);
    this.#numbers = new Intl.NumberFormat(this.#options.locale ?? lang, { useGrouping: "min2", maximumFractionDigits: 0 });
    const align = this.#options.align ?? (this.#words.dir === "rtl" ? "right" : "left");
    this.#look = {
      numbers: this.#numbers, tones: this.#options.tones, side: align === "right" ? -1 : 1, slotsMost: this.#options.slotsMost,
    };

    this.#root = make("div", "combo-view");
    this.#root.lang = lang;
    this.#root.dir = this.#words.dir;
    this.#root.dataset.align = align;
    this.#list = make("ul", "combo-banners");
    this.#list.setAttribute("aria-label", this.#words.label);
    this.#confetti = new Confetti(this.#options.effectMs);
    this.#live = make("p", "combo-live");
    this.#live.setAttribute("aria-live", "polite");
    this.#root.append(this.#list, this.#confetti.node, this.#live);
    element.append(this.#root);

    if (this.#options.reducedMotion === null && typeof matchMedia === "function") {
      this.#motionQuery = matchMedia("(prefers-reduced-motion: reduce)");
      this.#motionQuery.addEventListener("change", this.#motionChanged);
    }
    this.#motionChanged();
  }

  #options;
  #words;
  #clock;
  #numbers;
  #look;
  #announces;
  #root;
  #list;
  #confetti;
  #live;
  #motionQuery = null;
  #isStill = false;
  /** The number of slots that the room is known to have. */
  #slots;
  /** @type {Banner[]} every node that was made, in use or not */
  #pool = [];
  #frame = null;
  #news = null;
  #spokenAt = NEVER;
  #speaking = null;
  #isGone = false;

  /** The banners on screen that are not leaving, lowest slot first: { banner, slot, count }. For tests and curious pages. */
  get banners() {
    return this.#pool
      .filter((one) => one.isUsed && one.leftAt === NEVER)
      .map((one) => ({ banner: one.number, slot: one.slot, count: one.count }))
      .sort((a, b) => a.slot - b.slot);
  }

  /** The number of banner nodes, used or not. */
  get nodes() {
    return this.#pool.length;
  }

  /** Whether combos are announced to screen readers. */
  get announces() {
    return this.#announces;
  }

  set announces(isOn) {
    this.#announces = Boolean(isOn) && this.#options.announceMs > 0;
    if (this.#announces) return;
    this.#news = null;
    this.#live.textContent = "";
  }

  /**
   * Draws one instruction. Returns whether it changed what is on screen: a `skip`, a malformed instruction, and one with an
   * unknown op or banner change nothing. Never throws, whatever the argument.
   */
  draw(instruction) {
    if (this.#isGone || instruction === null || typeof instruction !== "object") return false;
    const now = this.#clock.now();
    let isDrawn = false;
    switch (instruction.op) {
      case "show": isDrawn = this.#show(instruction, now); break;
      case "update": isDrawn = this.#update(instruction, now); break;
      case "move_up": isDrawn = this.#moveUp(instruction, now); break;
      case "dismiss": isDrawn = this.#dismiss(instruction, now); break;
      case "screen": isDrawn = this.#screen(instruction, now); break;
    }
    if (isDrawn) this.#wake();
    return isDrawn;
  }

  /** Lets every banner slide out, for when it is no longer known what is on screen. */
  clear() {
    const now = this.#clock.now();
    for (const one of this.#pool) if (one.isUsed) one.leave(now);
    this.#wake();
  }

  /** Removes everything at once, for example for another room; nodes above `slots` + 1, too. */
  reset() {
    for (const one of this.#pool) one.release();
    this.#haveSlots(clamp(Math.trunc(this.#options.slots) || 1, 1, MOST_SLOTS));
    while (this.#pool.length > this.#slots + 1) this.#pool.pop().node.remove();
    this.#confetti.clear();
    this.#news = null;
    this.#live.textContent = "";
  }

  /** Removes the view's nodes, and cancels its frames, timers and listeners. */
  destroy() {
    this.#isGone = true;
    this.#motionQuery?.removeEventListener("change", this.#motionChanged);
    if (this.#frame !== null) this.#clock.cancelFrame(this.#frame);
    if (this.#speaking !== null) this.#clock.cancelAfter(this.#speaking);
    for (const one of this.#pool) one.release();
    this.#pool = [];
    this.#root.remove();
  }

  // Instructions.

  #show(said, now) {
    if (!isBanner(said)) return false;
    const one = this.#find(said.banner) ?? this.#take(now);
    this.#put(one, said, now);
    this.#celebrate(one, said.milestone, now);
    return true;
  }

  #update(said, now) {
    const one = this.#find(said.banner);
    if (one === undefined || one.leftAt !== NEVER || !isCount(said.count)) return false;
    one.countTo(said.count, now, this.#times());
    if (isSlot(said.slot) && said.slot !== one.slot) this.#place(one, said.slot, now);
    this.#celebrate(one, said.milestone, now);
    return true;
  }

  #moveUp(said, now) {
    const one = this.#find(said.banner);
    if (one === undefined || one.leftAt !== NEVER || !isSlot(said.slot)) return false;
    this.#place(one, said.slot, now);
    return true;
  }

  #dismiss(said, now) {
    const one = this.#find(said.banner);
    if (one === undefined || one.leftAt !== NEVER) return false;
    // The gifts that `closed` and `retracted` add are shown at once, since the banner leaves soon.
    if (isCount(said.count) && said.count !== one.count) one.setCount(said.count, now);
    one.leave(now);
    this.#tell(one);
    return true;
  }

  /** Corrects the banners that differ from the screen, and leaves the others as they are. */
  #screen(said, now) {
    if (!Array.isArray(said.banners)) return false;
    // The room's own times, if the screen has them.
    for (const [name, option] of SAID_TIMES) if (isCount(said[name])) this.#options[option] = said[name];
    if (isCount(said.slots) && said.slots > 0) this.#haveSlots(clamp(said.slots, this.#slots, MOST_SLOTS));
    const there = said.banners.slice(0, MOST_SLOTS).filter(isBanner);
    for (const one of this.#pool) {
      if (one.isUsed && one.leftAt === NEVER && !there.some((entry) => entry.banner === one.number)) one.leave(now);
    }
    for (const entry of there) {
      const one = this.#find(entry.banner);
      if (one === undefined || one.leftAt !== NEVER) {
        this.#put(one ?? this.#take(now), entry, now);
      } else {
        if (one.count !== entry.count) one.setCount(entry.count, now);
        if (one.slot !== entry.slot) this.#place(one, entry.slot, now);
        // Gifts that joined since may have brought a new name or picture. Unchanged values are not written.
        this.#setContent(one, entry);
      }
    }
    return true;
  }

  // Nodes.

  #find(number) {
    return this.#pool.find((one) => one.isUsed && one.number === number);
  }

  /** Returns a node for a banner: a free one, a new one, or that of the banner that has been leaving for longest. */
  #take(now) {
    const times = this.#times();
    for (const one of this.#pool) if (one.isUsed && one.isOver(now, times)) one.release();
    const free = this.#pool.find((one) => !one.isUsed);
    if (free !== undefined) return free;
    const leaving = this.#pool.filter((one) => one.leftAt !== NEVER).sort((a, b) => a.leftAt - b.leftAt);
    // There are more banners than slots and none leaves, so the room has more slots than expected.
    if (leaving.length === 0) this.#haveSlots(clamp(this.#pool.length, this.#slots, MOST_SLOTS));
    if (this.#pool.length <= this.#slots) {
      const one = new Banner(this.#words);
      this.#pool.push(one);
      this.#list.append(one.node);
      return one;
    }
    const spare = leaving[0] ?? this.#pool[0];
    spare.release();
    return spare;
  }

  /** Lets a banner slide in at its slot. */
  #put(one, said, now) {
    one.number = said.banner;
    one.isUsed = true;
    one.enteredAt = now;
    one.leftAt = NEVER;
    one.slot = one.fromSlot = said.slot;
    one.movedAt = NEVER;
    this.#learn(said.slot);
    one.setCount(said.count, NEVER);
    this.#setContent(one, said);
  }

  #place(one, slot, now) {
    one.fromSlot = one.place(now, this.#times());
    one.movedAt = now;
    one.slot = slot;
    this.#learn(slot);
  }

  #learn(slot) {
    this.#haveSlots(Math.max(this.#slots, slot + 1));
  }

  #haveSlots(slots) {
    this.#slots = slots;
    // Lets a page make banners smaller if there are many.
    this.#root.style.setProperty("--combo-slots", String(slots));
  }

  /** Writes sender, receiver and gift as text, and sets their pictures if these may be shown. */
  #setContent(one, said) {
    const { maxName, pictures } = this.#options;
    const sender = object(said.sender);
    const gift = object(said.gift);
    const senderName = nameOf(sender, maxName);
    const receiverName = said.receiver === undefined || said.receiver === null ? "" : nameOf(object(said.receiver), maxName);
    one.worth = typeof gift.value === "number" && gift.value > 0 ? gift.value : 0;
    one.setText(senderName, nameOf(gift, maxName), receiverName);
    one.setColour(hash(`${typeof sender.id === "object" ? "" : sender.id}`) % 360);
    one.avatar.set(pictureAddress(safely(this.#options.avatar, sender), pictures), firstLetter(senderName));
    const picture = safely(this.#options.giftPicture, gift);
    one.gift.set(pictureAddress(picture, pictures), emoji(picture) ?? "🎁");
    one.node.dataset.banner = String(said.banner);
  }

  // Time.

  #times() {
    return this.#isStill ? { ...this.#options, countMs: 0, isStill: true } : this.#options;
  }

  #motionChanged = () => {
    this.#isStill = this.#options.reducedMotion ?? this.#motionQuery?.matches ?? false;
    this.#root.classList.toggle("combo-still", this.#isStill);
    if (this.#isStill) this.#confetti.clear();
    this.#wake();
  };

  #wake() {
    if (this.#frame === null && !this.#isGone) this.#frame = this.#clock.frame(this.#drawFrame);
  }

  #drawFrame = () => {
    this.#frame = null;
    const now = this.#clock.now();
    const times = this.#times();
    let isMoving = false;
    for (const one of this.#pool) {
      if (!one.isUsed) continue;
      if (one.isOver(now, times)) one.release();
      else if (one.drawAt(now, times, this.#look)) isMoving = true;
    }
    if (this.#confetti.draw(now)) isMoving = true;
    if (isMoving) this.#wake();
  };

  // Milestones.

  #celebrate(one, milestone, now) {
    if (!isCount(milestone) || milestone === 0) return;
    one.milestoneAt = now;
    one.setBadge(this.#numbers.format(milestone));
    if (!this.#isStill) this.#confetti.begin(one, milestone, now);
    this.#tell(one);
  }

  // Announcements for screen readers: the end of a combo and its milestones, one sentence at a time and not often.

  #tell(one) {
    if (!this.#announces) return;
    const news = { number: one.number, count: one.count, ...one.names, worth: one.worth * one.count };
    if (this.#news === null) this.#news = { best: news, numbers: new Set([one.number]) };
    else {
      // The count is limited, since a viewer does not need a larger one.
      if (this.#news.numbers.size < 1000) this.#news.numbers.add(one.number);
      if (news.number === this.#news.best.number || news.worth > this.#news.best.worth) this.#news.best = news;
    }
    if (this.#speaking !== null) return;
    const wait = Math.max(0, this.#spokenAt + this.#options.announceMs - this.#clock.now());
    this.#speaking = this.#clock.after(wait, () => {
      this.#speaking = null;
      if (this.#news === null || this.#isGone) return;
      const { best, numbers } = this.#news;
      this.#news = null;
      this.#spokenAt = this.#clock.now();
      this.#live.textContent = 
        safely(this.#options.describe, { ...best, others: numbers.size - 1 }, this.#words, this.#numbers) ?? "";
    });
  }
}

function object(value) {
  return value !== null && typeof value === "object" ? value : {};
}

/** Returns the call's result, or undefined if it throws: a page's own function must not stop the drawing. */
function safely(call, ...all) {
  try {
    return call(...all);
  } catch {
    return undefined;
  }
}

const isCount = (value) => Number.isSafeInteger(value) && value >= 0;
const isSlot = (value) => Number.isSafeInteger(value) && value >= 0 && value < MOST_SLOTS;
const isBanner = (value) =>
  value !== null && typeof value === "object" && isCount(value.banner) && value.banner > 0 && isSlot(value.slot) && isCount(value.count);
