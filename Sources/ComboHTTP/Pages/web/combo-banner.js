/** combo-banner.js: draws one banner as it is at a given moment: sliding in, counting, moving up or sliding out. */

import { parts } from "./combo-words.js";

/** The time of something that has not begun. */
export const NEVER = -Infinity;

/** A node and the banner that it shows. Its times are the clock's, or NEVER. */
export class Banner {
  constructor(words) {
    this.node = make("li", "combo-banner");
    this.node.hidden = true;
    const pill = make("div", "combo-pill");
    const shine = make("span", "combo-shine");
    this.avatar = new Picture("combo-avatar");
    this.gift = new Picture("combo-gift");
    const text = make("span", "combo-text");
    // A <bdi> ends the effect of the direction marks in a name.
    this.#sender = make("bdi", "combo-sender");
    this.#line = make("span", "combo-line");
    this.#giftName = make("bdi", "combo-gift-name");
    this.#receiver = make("bdi", "combo-receiver");
    const places = { gift: this.#giftName, receiver: this.#receiver };
    const nodes = (sentence) => parts(sentence).map((one) => (typeof one === "string" ? one : (places[one.name] ?? "")));
    this.#lines = { alone: nodes(words.sends), to: nodes(words.sendsTo) };
    this.#line.append(...this.#lines.alone);
    text.append(this.#sender, this.#line);
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
  #receiver;
  /** The line below the name, and its contents without and with a receiver. */
  #line;
  #lines;
  #isTo = false;
  #count;
  #number;
  #badge;
  #shine;
  /** The values written last, so that none is written twice. */
  #written = {};

  isUsed = false;
  number = 0;
  slot = 0;
  fromSlot = 0;
  count = 0;
  worth = 0;
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
    const isTo = receiver !== "";
    if (isTo !== this.#isTo) this.#line.replaceChildren(...(isTo ? this.#lines.to : this.#lines.alone));
    this.#isTo = isTo;
  }

  setColour(hue) {
    this.node.style.setProperty("--combo-hue", String(hue));
  }

  setBadge(text) {
    this.#badge.textContent = `★ ${text}`;
  }

  /** The middle of the number, from the left edge of the view, when the banner is at rest. */
  get numberLeft() {
    const list = this.node.parentElement;
    return list.offsetLeft + this.node.offsetLeft + this.#count.offsetLeft + this.#count.offsetWidth / 2;
  }

  /** The middle of the banner, from the top of the window. */
  get middle() {
    const box = this.node.getBoundingClientRect();
    return (box.top + box.bottom) / 2;
  }

  /** Makes the number count up to `count` from its present value. */
  countTo(count, now, times) {
    this.#countBefore = this.countShown(now, times);
    this.count = count;
    this.countedAt = now;
  }

  /** Sets the number to `count` at once. */
  setCount(count, now) {
    this.#countBefore = count;
    this.count = count;
    this.countedAt = now;
  }

  leave(now) {
    if (this.leftAt === NEVER) this.leftAt = now;
  }

  /** Frees the node, and drops its names and pictures. */
  release() {
    this.isUsed = false;
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

  /** The number at `now`, while it counts up. */
  countShown(now, { countMs }) {
    const part = progress(now, this.countedAt, countMs);
    return part >= 1 ? this.count : this.#countBefore + Math.floor((this.count - this.#countBefore) * easeOut(part));
  }

  /** The height at `now` in slots from the bottom; a fraction while the banner moves up. */
  place(now, { enterMs, isStill }) {
    if (isStill) return this.slot;
    return this.fromSlot + (this.slot - this.fromSlot) * easeOut(progress(now, this.movedAt, enterMs));
  }

  /**
   * Draws the banner as it is at `now`. Returns whether it is still moving.
   * @param {{numbers: Intl.NumberFormat, tones: readonly number[], side: number, slotsMost: number}} look `side`: 1 if the banner
   *   slides in from the left, -1 if from the right
   */
  drawAt(now, times, { numbers, tones, side, slotsMost }) {
    const isStill = times.isStill === true;
    const entry = progress(now, this.enteredAt, times.enterMs);
    const exit = this.leftAt === NEVER ? 0 : progress(now, this.leftAt, times.exitMs);
    const counting = progress(now, this.countedAt, times.countMs);
    const moving = progress(now, this.movedAt, times.enterMs);
    const celebration = progress(now, this.milestoneAt, times.effectMs);
    const isLeaving = this.leftAt !== NEVER;
    const phase = isLeaving ? "leaving" : entry < 1 ? "entering" : counting < 1 ? "counting" : "lingering";

    const aside = isStill ? 0 : side * -112 * (1 - easeOut(entry) + easeIn(exit));
    const up = this.place(now, times);
    // It fades on its way to a slot that is not shown.
    const inside = clamp(slotsMost - up, 0, 1);
    const jump = isStill || counting >= 1 ? 1 : 1 + 0.62 * (1 - counting) * (1 - counting);
    this.#write(this.node.style, "transform", `translate(${fixed(aside)}%, calc(var(--combo-step) * ${fixed(-up)}))`);
    this.#write(this.node.style, "opacity", fixed(inside * easeOut(entry) * (1 - easeIn(exit))));
    this.#write(this.#count.style, "transform", jump === 1 ? "none" : `scale(${fixed(jump)})`, "jump");
    const text = numbers.format(this.countShown(now, times));
    this.#write(this.#number, "textContent", text);
    // A long number is drawn smaller, so that the name keeps its place.
    this.#write(this.node.dataset, "digits", text.length > 8 ? "many" : text.length > 5 ? "some" : "few");
    const isCelebrated = celebration < 1;
    this.#write(this.#badge, "hidden", !isCelebrated);
    if (isCelebrated && !isStill) {
      const light = `${fixed(-30 + 160 * easeInOut(Math.min(1, celebration * 1.5)))}%`;
      if (this.#written.light !== light) this.#shine.style.setProperty("--combo-light", (this.#written.light = light));
      const pop = celebration < 0.15 ? easeOut(celebration / 0.15) : celebration > 0.85 ? (1 - celebration) / 0.15 : 1;
      this.#write(this.#badge.style, "transform", `scale(${fixed(pop)})`, "pop");
    } else {
      this.#write(this.#badge.style, "transform", "none", "pop");
    }
    this.#write(this.node.dataset, "praised", isCelebrated ? "yes" : "no");
    this.#write(this.node.dataset, "phase", phase);
    this.#write(this.node.dataset, "slot", String(this.slot));
    this.#write(this.node.dataset, "tone", String(tones.filter((value) => this.worth * this.count >= value).length));
    if (this.node.hidden) this.node.hidden = false;
    return entry < 1 || counting < 1 || moving < 1 || isCelebrated || isLeaving;
  }

  #write(target, name, value, as = name) {
    if (this.#written[as] === value) return;
    this.#written[as] = value;
    target[name] = value;
  }
}

/** A picture, and a substitute that is shown unless the picture has loaded. */
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

export const clamp = (value, least, most) => Math.min(most, Math.max(least, value));

/** The progress, from 0 at `start` to 1 after `duration`; 1 if it never started. */
function progress(now, start, duration) {
  if (start === NEVER || !(duration > 0)) return 1;
  return clamp((now - start) / duration, 0, 1);
}

const easeOut = (part) => 1 - (1 - part) * (1 - part) * (1 - part);
const easeIn = (part) => part * part * part;
const easeInOut = (part) => part * part * (3 - 2 * part);
const fixed = (value) => String(Math.round(value * 1000) / 1000);

export function make(tag, className = "", text = "") {
  const node = document.createElement(tag);
  if (className !== "") node.className = className;
  if (text !== "") node.textContent = text;
  return node;
}
