/** A combo-view on a clock that stands still until it is told otherwise: what the tests drive. */

import { EventParser } from "/assets/combo-client.js";
import { Pacer } from "/assets/combo-pacer.js";
import { Sequence } from "/assets/combo-sequence.js";
import { drawable, pictureAddress } from "/assets/combo-text.js";
import { ComboView } from "/assets/combo-view.js";

class TestClock {
  time = 0;
  #number = 0;
  #frames = new Map();
  #timers = new Map();

  now = () => this.time;
  frame = (call) => (this.#frames.set(++this.#number, call), this.#number);
  cancelFrame = (number) => this.#frames.delete(number);
  after = (ms, call) => (this.#timers.set(++this.#number, { at: this.time + ms, call }), this.#number);
  cancelAfter = (number) => this.#timers.delete(number);

  get isIdle() {
    return this.#frames.size === 0;
  }

  /** Goes on to `time`; timers that are due then run at their own times. */
  goTo(time) {
    for (;;) {
      const due = [...this.#timers].filter(([, { at }]) => at <= time).sort((a, b) => a[1].at - b[1].at)[0];
      if (due === undefined) break;
      this.#timers.delete(due[0]);
      this.time = Math.max(this.time, due[1].at);
      due[1].call();
    }
    this.time = time;
  }

  draw() {
    const frames = [...this.#frames.values()];
    this.#frames.clear();
    for (const call of frames) call();
  }
}

let view = null;
let clock = null;

globalThis.harness = {
  drawable,
  pictureAddress,
  make(options = {}) {
    view?.destroy();
    clock = new TestClock();
    view = new ComboView(document.querySelector("#stage"), { ...options, clock });
  },
  get nodes() {
    return view.nodes;
  },
  get isIdle() {
    return clock.isIdle;
  },
  /** Steps are [time, instructions, "clear"?]; returns what is to be seen after each. */
  play(steps) {
    return steps.map(([time, said, clear]) => {
      clock.goTo(time);
      if (clear) view.clear();
      for (const instruction of said) view.draw(instruction);
      clock.draw();
      return harness.read();
    });
  },
  /** The same, looked at only at the end. */
  rush(steps) {
    for (const [time, said] of steps) {
      clock.goTo(time);
      for (const instruction of said) view.draw(instruction);
      clock.draw();
    }
    return harness.read();
  },
  /** What a viewer sees, read from the document as it is laid out. */
  read() {
    const list = document.querySelector(".combo-banners");
    const bottom = list.getBoundingClientRect().bottom;
    const seen = {};
    for (const node of list.children) {
      const style = getComputedStyle(node);
      if (style.display === "none") continue;
      const box = node.getBoundingClientRect();
      const text = (name) => {
        const part = node.querySelector(`.combo-${name}`);
        return part === null || getComputedStyle(part).display === "none" ? "" : part.textContent;
      };
      seen[node.dataset.banner] = {
        phase: node.dataset.phase,
        slot: Number(node.dataset.slot),
        place: (bottom - box.bottom) / (4.5 * parseFloat(style.fontSize)),
        aside: (100 * (box.left - list.getBoundingClientRect().left)) / box.width,
        opacity: Number(style.opacity),
        number: Number(text("number").replace(/\D/g, "")),
        praised: getComputedStyle(node.querySelector(".combo-badge")).display !== "none",
        sender: text("sender"),
        receiver: text("receiver"),
        gift: text("gift-name"),
      };
    }
    return seen;
  },
  set announces(isOn) {
    view.announces = isOn;
  },
  get spoken() {
    return document.querySelector(".combo-live").textContent;
  },
  /** A case of Tests/Clients: after each line its verdict, the view's banners, and the sender's name in each node. */
  suite(lines) {
    this.make();
    const sequence = new Sequence();
    return lines.map(([word, said]) => {
      const verdict = word === "joined" ? sequence.acceptScreen(said) : sequence.accept(said);
      if (verdict.startsWith("clear")) view.clear();
      if (verdict.endsWith("draw")) view.draw(said);
      clock.goTo(clock.time + 1000);
      clock.draw();
      const names = {};
      for (const node of document.querySelectorAll(".combo-banner:not([hidden])")) {
        names[node.dataset.banner] = node.querySelector(".combo-sender").textContent;
      }
      return { verdict, banners: view.banners, names };
    });
  },
  /** When instructions of [time of arrival, at] are drawn. */
  pace(paceMs, arrivals) {
    const clock = new TestClock();
    const pacer = new Pacer(paceMs, clock);
    const drawn = [];
    for (const [time, at] of arrivals) {
      clock.goTo(time);
      pacer.hold(at, () => drawn.push([at, clock.time]));
    }
    clock.goTo(1e9);
    return drawn;
  },
  parse(pieces) {
    const parser = new EventParser();
    return pieces.flatMap((piece) => parser.push(piece));
  },
};
