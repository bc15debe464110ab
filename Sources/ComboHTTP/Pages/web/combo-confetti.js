/** combo-confetti.js: confetti that flies from a banner's number at a milestone. Its position depends on the time alone. */

import { make } from "./combo-banner.js";
import { hash } from "./combo-text.js";

const COLOURS = ["#ffd166", "#ff5d8f", "#7cf5ff", "#b892ff", "#8affa1", "#ffffff"];
const PIECES = 34;

export class Confetti {
  /** @param {number} effectMs the duration of each burst */
  constructor(effectMs) {
    this.#effectMs = effectMs;
    this.node = make("canvas", "combo-effects");
    this.node.setAttribute("aria-hidden", "true");
  }

  #effectMs;
  #bursts = [];

  /** Begins a burst. It replaces an earlier one of the same banner's node, so that bursts do not pile up. */
  begin(banner, milestone, now) {
    this.#bursts = this.#bursts.filter((burst) => burst.banner !== banner);
    this.#bursts.push({ banner, number: banner.number, at: now, seed: hash(`${banner.number}/${milestone}`) });
  }

  /** Removes all bursts at once. */
  clear() {
    if (this.#bursts.length === 0) return;
    this.#bursts = [];
    this.#erase();
  }

  /** Draws all bursts as they are at `now`. Returns whether any is still running. */
  draw(now) {
    if (this.#bursts.length === 0) return false;
    this.#bursts = this.#bursts.filter(({ at }) => now - at < this.#effectMs);
    this.#erase();
    for (const burst of this.#bursts) this.#drawOne(burst, now);
    return this.#bursts.length > 0;
  }

  #drawOne(burst, now) {
    const context = this.node.getContext("2d");
    if (context === null || (burst.origin === undefined && !this.#prepare(burst))) return;
    const { origin, scale, seed } = burst;
    const age = (now - burst.at) / this.#effectMs;
    const seconds = (now - burst.at) / 1000;
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
      context.fillStyle = COLOURS[piece % COLOURS.length];
      context.fillRect(-size / 2, -size / 4, size, size / 2);
    }
  }

  /** Reads the layout, once per burst. Returns false if the burst cannot be drawn. */
  #prepare(burst) {
    const area = this.node.parentElement.getBoundingClientRect();
    if (area.width === 0 || burst.banner.number !== burst.number || burst.banner.node.hidden) return false;
    burst.scale = Math.min(2, globalThis.devicePixelRatio || 1);
    const width = Math.round(area.width * burst.scale);
    const height = Math.round(area.height * burst.scale);
    if (this.node.width !== width) this.node.width = width;
    if (this.node.height !== height) this.node.height = height;
    // The final position of the number: the banner may still be sliding in.
    burst.origin = { x: burst.banner.numberLeft, y: burst.banner.middle - area.top };
    return true;
  }

  #erase() {
    const context = this.node.getContext("2d");
    context?.setTransform(1, 0, 0, 1, 0, 0);
    context?.clearRect(0, 0, this.node.width, this.node.height);
  }
}
