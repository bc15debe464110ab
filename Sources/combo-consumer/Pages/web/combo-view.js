/**
 * combo-view.js: draws the banners of one room, as a viewer sees them.
 *
 *     import { ComboView } from "./combo-view.js";
 *     const view = new ComboView(document.querySelector("#stage"), { slots: 2 });
 *     view.draw(instruction);            // one display instruction, in the order of their seq
 *
 * It knows no network and no seq: what to do about repetitions, gaps and new epochs is told by `Sequence` in combo-client.js.
 * All that it draws is a function of what it was told and of the clock, so that a test with a clock of its own sees each frame.
 *
 * Nodes: one a banner, made when needed and used again: never more than slots + 1. Whatever stands in an instruction is drawn
 * as text; pictures are shown from https: and data: addresses alone. Needs combo-view.css. No dependencies, no markup parsed,
 * no inline style attributes: a page with `script-src 'self'; style-src 'self'; img-src https: data:` can use it as it is.
 */

/** The times are those of the service's settings; a service with others is told here. All are milliseconds. */
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
  /** Characters of a name that are drawn at most; CSS cuts earlier where there is less room. */
  maxName: 40,
  /** Which pictures are loaded: "all" (https: and data:), "data" (nothing from the network) or "none". */
  pictures: "all",
  /** true, false, or null: as the viewer's system says. */
  reducedMotion: null,
  /** From which worth (gift value × count) on a banner is drawn in the next more splendid tone. */
  tones: Object.freeze([100, 1000, 10000]),
  /** Of the numbers; undefined: the browser's. */
  locale: undefined,
  /** What the list of banners is called to a screen reader. */
  label: "Gift banners",
  words: Object.freeze({ sends: "sends", to: "to" }),
  /** What a screen reader is told: of the most worthy banner since the last time, and of how many others. */
  describe: ({ sender, gift, receiver, count, others }) =>
    `${sender} sent ${gift}${receiver ? ` to ${receiver}` : ""}, ${count} ${count === 1 ? "time" : "times"}` +
    (others > 0 ? `, and ${others} more ${others === 1 ? "combo" : "combos"}.` : "."),
  /** Where the pictures are in what the gift's sender handed in: an address, or for a gift also an emoji. */
  giftPicture: (gift) => gift.picture ?? gift.image ?? gift.icon ?? gift.emoji,
  avatar: (sender) => sender.avatar ?? sender.picture,
  /** { now(), frame(callback), cancelFrame(id), after(ms, callback), cancelAfter(id) }; now() in milliseconds, never back. */
  clock: Object.freeze({
    now: () => performance.now(),
    frame: (callback) => requestAnimationFrame(callback),
    cancelFrame: (id) => cancelAnimationFrame(id),
    after: (ms, callback) => setTimeout(callback, ms),
    cancelAfter: (id) => clearTimeout(id),
  }),
});

/** The engine allows no more slots than this. */
const MOST_SLOTS = 100;
const NEVER = -Infinity;
const CONFETTI = ["#ffd166", "#ff5d8f", "#7cf5ff", "#b892ff", "#8affa1", "#ffffff"];
const PIECES = 34;

export class ComboView {
  /**
   * @param {HTMLElement} element what to draw in; it is filled, and banners stack up from its lower edge. It should be
   *   positioned (`position: relative`) and have a size of its own.
   * @param {Partial<typeof DEFAULTS>} options
   */
  constructor(element, options = {}) {
    this.#options = { ...DEFAULTS, ...options, words: { ...DEFAULTS.words, ...options.words } };
    this.#clock = this.#options.clock;
    this.#slots = clamp(Math.trunc(this.#options.slots) || 1, 1, MOST_SLOTS);
    this.#numbers = new Intl.NumberFormat(this.#options.locale, { useGrouping: "min2", maximumFractionDigits: 0 });

    this.#root = make("div", "combo-view");
    this.#list = make("ul", "combo-banners");
    this.#list.setAttribute("aria-label", this.#options.label);
    this.#canvas = make("canvas", "combo-effects");
    this.#canvas.setAttribute("aria-hidden", "true");
    this.#live = make("p", "combo-live");
    this.#live.setAttribute("aria-live", "polite");
    this.#root.append(this.#list, this.#canvas, this.#live);
    element.append(this.#root);

    if (this.#options.reducedMotion === null && typeof matchMedia === "function") {
      this.#motionQuery = matchMedia("(prefers-reduced-motion: reduce)");
      this.#motionQuery.addEventListener("change", this.#motionChanged);
    }
    this.#motionChanged();
  }

  #options;
  #clock;
  #numbers;
  #root;
  #list;
  #canvas;
  #live;
  #motionQuery = null;
  #isStill = false;
  /** As many as the room is known to have. */
  #slots;
  /** @type {Banner[]} every node that was made, in use or not */
  #pool = [];
  #frame = null;
  #effects = [];
  #news = null;
  #spokenAt = NEVER;
  #speaking = null;
  #isGone = false;

  /** What is on screen and not leaving, lowest slot first: { banner, slot, count }. For tests and curious pages. */
  get banners() {
    return this.#pool
      .filter((one) => one.isUsed && one.leftAt === NEVER)
      .map((one) => ({ banner: one.number, slot: one.slot, count: one.count }))
      .sort((a, b) => a.slot - b.slot);
  }

  /** How many banner nodes there are, used or not. */
  get nodes() {
    return this.#pool.length;
  }

  /**
   * Draws one instruction. Returns whether it changed what is to be seen: not so for a `skip`, for an op or a banner that is
   * not known, and for one that is malformed. Never throws, whatever it is given.
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

  /** Lets every banner slide out: what is on screen is not known any more. */
  clear() {
    const now = this.#clock.now();
    for (const one of this.#pool) if (one.isUsed) one.leave(now);
    this.#wake();
  }

  /** Takes everything away at once, nodes above `slots` + 1 too: for another room, say. */
  reset() {
    for (const one of this.#pool) one.release();
    this.#haveSlots(clamp(Math.trunc(this.#options.slots) || 1, 1, MOST_SLOTS));
    while (this.#pool.length > this.#slots + 1) this.#pool.pop().node.remove();
    this.#effects = [];
    this.#eraseEffects();
    this.#news = null;
    this.#live.textContent = "";
  }

  /** Removes its nodes and gives back frames, timers and listeners. */
  destroy() {
    this.#isGone = true;
    this.#motionQuery?.removeEventListener("change", this.#motionChanged);
    if (this.#frame !== null) this.#clock.cancelFrame(this.#frame);
    if (this.#speaking !== null) this.#clock.cancelAfter(this.#speaking);
    for (const one of this.#pool) one.release();
    this.#pool = [];
    this.#root.remove();
  }

  // What instructions do.

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
    // What `closed` and `retracted` show on top is there at once: it will not be seen for long.
    if (isCount(said.count) && said.count !== one.count) one.setCount(said.count, now);
    one.leave(now);
    this.#tell(one);
    return true;
  }

  /** Mends what differs; what agrees goes on as it was. */
  #screen(said, now) {
    if (!Array.isArray(said.banners)) return false;
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
      }
    }
    return true;
  }

  // Nodes.

  #find(number) {
    return this.#pool.find((one) => one.isUsed && one.number === number);
  }

  /** A node for a banner: one that is free, a new one, or that of the banner which has been leaving for longest. */
  #take(now) {
    const times = this.#times();
    for (const one of this.#pool) if (one.isUsed && one.isOver(now, times)) one.release();
    const free = this.#pool.find((one) => !one.isUsed);
    if (free !== undefined) return free;
    const leaving = this.#pool.filter((one) => one.leftAt !== NEVER).sort((a, b) => a.leftAt - b.leftAt);
    // More banners than slots, and none leaves: the room has more slots than was known.
    if (leaving.length === 0) this.#haveSlots(clamp(this.#pool.length, this.#slots, MOST_SLOTS));
    if (this.#pool.length <= this.#slots) {
      const one = new Banner(this.#options.words);
      this.#pool.push(one);
      this.#list.append(one.node);
      return one;
    }
    const spare = leaving[0] ?? this.#pool[0];
    spare.release();
    return spare;
  }

  /** A banner enters: it slides in where it is to be. */
  #put(one, said, now) {
    one.number = said.banner;
    one.isUsed = true;
    one.enteredAt = now;
    one.leftAt = NEVER;
    one.slot = one.fromSlot = said.slot;
    one.movedAt = NEVER;
    this.#learn(said.slot);
    one.setCount(said.count, NEVER);
    this.#dress(one, said);
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
    // So that a page can make banners smaller where there are many.
    this.#root.style.setProperty("--combo-slots", String(slots));
  }

  /** Sender, receiver, gift: as text, and as pictures where there are any that may be shown. */
  #dress(one, said) {
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
      else if (one.drawAt(now, times, this.#numbers, this.#options.tones)) isMoving = true;
    }
    if (this.#drawEffects(now)) isMoving = true;
    if (isMoving) this.#wake();
  };

  // Milestones.

  #celebrate(one, milestone, now) {
    if (!isCount(milestone) || milestone === 0) return;
    one.milestone = milestone;
    one.milestoneAt = now;
    one.setBadge(this.#numbers.format(milestone));
    if (!this.#isStill) {
      // One a node: they do not pile up.
      this.#effects = this.#effects.filter(({ banner }) => banner !== one);
      this.#effects.push({ banner: one, number: one.number, at: now, seed: hash(`${one.number}/${milestone}`) });
    }
    this.#tell(one);
  }

  /** Confetti: where each piece is follows from the time alone. Returns whether there is more to come. */
  #drawEffects(now) {
    if (this.#effects.length === 0) return false;
    this.#effects = this.#isStill ? [] : this.#effects.filter(({ at }) => now - at < this.#options.effectMs);
    this.#eraseEffects();
    for (const effect of this.#effects) this.#drawEffect(effect, now);
    return this.#effects.length > 0;
  }

  #drawEffect(effect, now) {
    const context = this.#canvas.getContext("2d");
    if (context === null || (effect.origin === undefined && !this.#prepare(effect))) return;
    const { origin, scale, seed } = effect;
    const age = (now - effect.at) / this.#options.effectMs;
    const seconds = (now - effect.at) / 1000;
    const drag = (1 - Math.exp(-2.2 * seconds)) / 2.2;
    for (let piece = 0; piece < PIECES; piece += 1) {
      const random = (salt) => (hash(`${seed}.${piece}.${salt}`) % 10007) / 10007;
      const angle = -Math.PI * (0.05 + 0.9 * random("a"));
      const speed = 150 + 340 * random("v");
      const size = 4 + 5 * random("s");
      context.setTransform(scale, 0, 0, scale, 0, 0);
      context.translate(
        origin.x + Math.cos(angle) * speed * drag, origin.y + Math.sin(angle) * speed * drag + 120 * seconds * seconds);
      context.rotate((random("t") - 0.5) * 14 * seconds + random("r") * 6);
      context.globalAlpha = 1 - age * age * age;
      context.fillStyle = CONFETTI[piece % CONFETTI.length];
      context.fillRect(-size / 2, -size / 4, size, size / 2);
    }
  }

  /** Reads the layout once an effect. */
  #prepare(effect) {
    const area = this.#root.getBoundingClientRect();
    if (area.width === 0 || effect.banner.number !== effect.number || effect.banner.node.hidden) return false;
    effect.scale = Math.min(2, globalThis.devicePixelRatio || 1);
    const width = Math.round(area.width * effect.scale);
    const height = Math.round(area.height * effect.scale);
    if (this.#canvas.width !== width) this.#canvas.width = width;
    if (this.#canvas.height !== height) this.#canvas.height = height;
    // Where the number will be: the banner may be sliding in yet.
    effect.origin = { x: this.#list.offsetLeft + effect.banner.numberLeft, y: effect.banner.middle - area.top };
    return true;
  }

  #eraseEffects() {
    const context = this.#canvas.getContext("2d");
    context?.setTransform(1, 0, 0, 1, 0, 0);
    context?.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
  }

  // What a screen reader is told: the end of a combo and its milestones, one sentence at a time and not often.

  #tell(one) {
    if (!(this.#options.announceMs > 0)) return;
    const news = { number: one.number, count: one.count, ...one.names, worth: one.worth * one.count };
    if (this.#news === null) this.#news = { best: news, numbers: new Set([one.number]) };
    else {
      // Not more are counted than a viewer would care for.
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
      this.#live.textContent = safely(this.#options.describe, { ...best, others: numbers.size - 1 }) ?? "";
    });
  }
}

/** One node, and the banner that is on it. Its times are the clock's; NEVER where there is none. */
class Banner {
  constructor(words) {
    this.node = make("li", "combo-banner");
    this.node.hidden = true;
    const pill = make("div", "combo-pill");
    const shine = make("span", "combo-shine");
    this.avatar = new Picture("combo-avatar");
    this.gift = new Picture("combo-gift");
    const text = make("span", "combo-text");
    // <bdi>: whatever direction marks a name has end with it.
    this.#sender = make("bdi", "combo-sender");
    const line = make("span", "combo-line");
    this.#giftName = make("bdi", "combo-gift-name");
    this.#to = make("span", "combo-to", ` ${words.to} `);
    this.#receiver = make("bdi", "combo-receiver");
    line.append(make("span", "combo-sends", ` ${words.sends} `), this.#giftName, this.#to, this.#receiver);
    text.append(this.#sender, line);
    pill.append(shine, this.avatar.node, text, this.gift.node);
    this.#count = make("span", "combo-count");
    this.#number = make("span", "combo-number");
    this.#count.append(make("span", "combo-times", "×"), this.#number);
    this.#badge = make("span", "combo-badge");
    this.#badge.setAttribute("aria-hidden", "true");
    this.#badge.hidden = true;
    this.#shine = shine;
    this.node.append(pill, this.#count, this.#badge);
  }

  #sender;
  #giftName;
  #to;
  #receiver;
  #count;
  #number;
  #badge;
  #shine;
  /** What was written last, so that nothing is written twice. */
  #written = {};

  isUsed = false;
  number = 0;
  slot = 0;
  fromSlot = 0;
  count = 0;
  worth = 0;
  milestone = 0;
  names = { sender: "", gift: "", receiver: "" };
  enteredAt = NEVER;
  movedAt = NEVER;
  leftAt = NEVER;
  countedAt = NEVER;
  milestoneAt = NEVER;
  #countBefore = 0;

  setText(sender, gift, receiver) {
    this.names = { sender, gift, receiver };
    this.#sender.textContent = sender;
    this.#giftName.textContent = gift;
    this.#receiver.textContent = receiver;
    this.#to.hidden = this.#receiver.hidden = receiver === "";
  }

  setColour(hue) {
    this.node.style.setProperty("--combo-hue", String(hue));
  }

  setBadge(text) {
    this.#badge.textContent = `★ ${text}`;
  }

  /** The middle of the number, from the left edge of the list, when the banner is at rest. */
  get numberLeft() {
    return this.node.offsetLeft + this.#count.offsetLeft + this.#count.offsetWidth / 2;
  }

  /** The middle of the banner, from the top of the window. */
  get middle() {
    const box = this.node.getBoundingClientRect();
    return (box.top + box.bottom) / 2;
  }

  /** The number runs up to `count` from where it is. */
  countTo(count, now, times) {
    this.#countBefore = this.countShown(now, times);
    this.count = count;
    this.countedAt = now;
  }

  /** The number is `count` at once. */
  setCount(count, now) {
    this.#countBefore = count;
    this.count = count;
    this.countedAt = now;
  }

  leave(now) {
    if (this.leftAt === NEVER) this.leftAt = now;
  }

  /** The node is free again. Names and pictures are forgotten. */
  release() {
    this.isUsed = false;
    this.milestone = 0;
    this.enteredAt = this.movedAt = this.leftAt = this.countedAt = this.milestoneAt = NEVER;
    this.node.hidden = true;
    this.avatar.set(null, "");
    this.gift.set(null, "");
    this.setText("", "", "");
    delete this.node.dataset.banner;
  }

  isOver(now, times) {
    return this.leftAt !== NEVER && now - this.leftAt >= times.exitMs;
  }

  /** The number on its way. */
  countShown(now, { countMs }) {
    const part = progress(now, this.countedAt, countMs);
    return part >= 1 ? this.count : this.#countBefore + Math.floor((this.count - this.#countBefore) * easeOut(part));
  }

  /** In slots from the bottom, on its way up. */
  place(now, { enterMs, isStill }) {
    if (isStill) return this.slot;
    return this.fromSlot + (this.slot - this.fromSlot) * easeOut(progress(now, this.movedAt, enterMs));
  }

  /** Draws it as it is at `now`; returns whether it is still moving. */
  drawAt(now, times, numbers, tones) {
    const isStill = times.isStill === true;
    const entry = progress(now, this.enteredAt, times.enterMs);
    const exit = this.leftAt === NEVER ? 0 : progress(now, this.leftAt, times.exitMs);
    const counting = progress(now, this.countedAt, times.countMs);
    const moving = progress(now, this.movedAt, times.enterMs);
    const praise = progress(now, this.milestoneAt, times.effectMs);
    const isLeaving = this.leftAt !== NEVER;
    const phase = isLeaving ? "leaving" : entry < 1 ? "entering" : counting < 1 ? "counting" : "lingering";

    const aside = isStill ? 0 : -112 * (1 - easeOut(entry)) - 112 * easeIn(exit);
    const up = this.place(now, times);
    const jump = isStill || counting >= 1 ? 1 : 1 + 0.62 * (1 - counting) * (1 - counting);
    this.#write(this.node.style, "transform", `translate(${fixed(aside)}%, calc(var(--combo-step) * ${fixed(-up)}))`);
    this.#write(this.node.style, "opacity", fixed(easeOut(entry) * (1 - easeIn(exit))));
    this.#write(this.#count.style, "transform", jump === 1 ? "none" : `scale(${fixed(jump)})`, "jump");
    this.#write(this.#number, "textContent", numbers.format(this.countShown(now, times)));
    const isPraised = praise < 1;
    this.#write(this.#badge, "hidden", !isPraised);
    if (isPraised && !isStill) {
      const light = `${fixed(-30 + 160 * easeInOut(Math.min(1, praise * 1.5)))}%`;
      if (this.#written.light !== light) this.#shine.style.setProperty("--combo-light", (this.#written.light = light));
      const pop = praise < 0.15 ? easeOut(praise / 0.15) : praise > 0.85 ? (1 - praise) / 0.15 : 1;
      this.#write(this.#badge.style, "transform", `scale(${fixed(pop)})`, "pop");
    } else {
      this.#write(this.#badge.style, "transform", "none", "pop");
    }
    this.#write(this.node.dataset, "praised", isPraised ? "yes" : "no");
    this.#write(this.node.dataset, "phase", phase);
    this.#write(this.node.dataset, "slot", String(this.slot));
    this.#write(this.node.dataset, "tone", String(tones.filter((value) => this.worth * this.count >= value).length));
    if (this.node.hidden) this.node.hidden = false;
    return entry < 1 || counting < 1 || moving < 1 || isPraised || isLeaving;
  }

  #write(target, name, value, as = name) {
    if (this.#written[as] === value) return;
    this.#written[as] = value;
    target[name] = value;
  }
}

/** A picture with something to show in its place: where there is none, until it is there, and if it cannot be had. */
class Picture {
  constructor(className) {
    this.node = make("span", className);
    this.node.setAttribute("aria-hidden", "true");
    this.#instead = make("span", "combo-instead");
    this.#image = make("img");
    this.#image.alt = "";
    this.#image.decoding = "async";
    this.#image.referrerPolicy = "no-referrer";
    this.#image.draggable = false;
    this.#image.hidden = true;
    this.#image.addEventListener("load", () => this.#show(true));
    this.#image.addEventListener("error", () => this.#show(false));
    this.node.append(this.#instead, this.#image);
  }

  #instead;
  #image;
  #address = null;

  set(address, instead) {
    this.#instead.textContent = instead;
    if (address === this.#address) return;
    this.#address = address;
    this.#show(false);
    if (address === null) this.#image.removeAttribute("src");
    else this.#image.src = address;
  }

  #show(isLoaded) {
    const isThere = isLoaded && this.#address !== null;
    this.#image.hidden = !isThere;
    this.#instead.hidden = isThere;
  }
}

// Reading what others wrote.

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
 * A text as it can be drawn in one line: no lone surrogates, no control characters, no marks that reorder what stands beside
 * them, white space as single blanks, and at most `most` characters (as a reader counts them).
 */
export function drawable(text, most = 40) {
  // Enough for the longest, and little for one of megabytes; cut between characters again below.
  const start = text.slice(0, most * 8);
  const clean = wellFormed(start)
    .replace(/[\u202a-\u202e\u2066-\u2069\u206a-\u206f\ufff9-\ufffb\ufeff]/g, "")
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\s]+/g, " ")
    .trim();
  const isCut = start.length < text.length;
  let cut = "";
  let left = most;
  for (const { segment } of segmenter.segment(clean)) {
    // A letter with a heap of marks on it is one character, but not one that anybody writes.
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
function nameOf(who, most) {
  for (const value of [who.name, who.id]) {
    if (typeof value !== "string" && typeof value !== "number") continue;
    const text = drawable(String(value), most);
    if (text !== "") return text;
  }
  return "?";
}

/** A gift's picture that is an emoji: one or two characters, and no address. */
function emoji(value) {
  if (typeof value !== "string" || value.length === 0 || value.length > 32) return null;
  if (!/\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u.test(value)) return null;
  const text = drawable(value, 2);
  return text === "" ? null : text;
}

function firstLetter(name) {
  for (const { segment } of segmenter.segment(name)) return segment.toLocaleUpperCase();
  return "?";
}

function object(value) {
  return value !== null && typeof value === "object" ? value : {};
}

/** A page's own function must not stop the drawing. */
function safely(call, argument) {
  try {
    return call(argument);
  } catch {
    return undefined;
  }
}

const isCount = (value) => Number.isSafeInteger(value) && value >= 0;
const isSlot = (value) => Number.isSafeInteger(value) && value >= 0 && value < MOST_SLOTS;
const isBanner = (value) =>
  value !== null && typeof value === "object" && Number.isSafeInteger(value.banner) && isSlot(value.slot) && isCount(value.count);

// Arithmetic.

const clamp = (value, least, most) => Math.min(most, Math.max(least, value));

/** From 0 at `start` to 1 after `duration`; 1 if it never started. */
function progress(now, start, duration) {
  if (start === NEVER || !(duration > 0)) return 1;
  return clamp((now - start) / duration, 0, 1);
}

const easeOut = (part) => 1 - (1 - part) * (1 - part) * (1 - part);
const easeIn = (part) => part * part * part;
const easeInOut = (part) => part * part * (3 - 2 * part);
const fixed = (value) => String(Math.round(value * 1000) / 1000);

/** FNV-1a, for colours and confetti. */
function hash(text) {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length && index < 256; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  // The low bits of FNV are weak.
  return (value ^ (value >>> 15)) >>> 0;
}

function make(tag, className = "", text = "") {
  const node = document.createElement(tag);
  if (className !== "") node.className = className;
  if (text !== "") node.textContent = text;
  return node;
}
