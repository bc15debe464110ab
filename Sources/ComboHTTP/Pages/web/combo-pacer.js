/** combo-pacer.js: instructions in the rhythm in which they were said. */

/**
 * Restores the timing of instructions. They come in batches, as the service commits; drawn on arrival, a banner would count
 * before it has slid in. So each is held until its delay after `at` equals the largest of the last seconds, but at most
 * `paceMs` more than the smallest. Later instructions are drawn at once. Only differences count: the two clocks need not
 * agree.
 */
export class Pacer {
  /** @param {{now: Function, after: Function, cancelAfter: Function}} clock */
  constructor(paceMs, clock = PAGE_CLOCK) {
    this.#paceMs = paceMs;
    this.#clock = clock;
  }

  #paceMs;
  #clock;
  /** { due, act } in the order in which they came: one that is due waits for those before it. */
  #held = [];
  #timer = null;
  /** The least and the most that instructions were late, in the present and in the last stretch of time. */
  #now = null;
  #last = null;

  get length() {
    return this.#held.length;
  }

  /** Calls `act` when an instruction of time `at` is to be drawn; at once, if that is now. */
  hold(at, act) {
    const now = this.#clock.now();
    const due = Number.isFinite(at) ? at + this.#delay(now - at, now) : now;
    this.#held.push({ due, act });
    this.#letGo(this.#held.length > HELD_MOST ? Infinity : now);
  }

  /** Everything that is held, now: what follows does not wait. */
  flush() {
    this.#letGo(Infinity);
  }

  /** Another connection: perhaps another clock, too. */
  reset() {
    this.flush();
    this.#now = null;
  }

  #delay(late, now) {
    if (this.#now === null || now - this.#now.since > STRETCH_MS) {
      this.#last = this.#now;
      this.#now = { since: now, least: late, most: late };
    }
    this.#now.least = Math.min(this.#now.least, late);
    this.#now.most = Math.max(this.#now.most, late);
    const least = Math.min(this.#now.least, this.#last?.least ?? Infinity);
    return Math.min(Math.max(this.#now.most, this.#last?.most ?? -Infinity), least + this.#paceMs);
  }

  #letGo(now) {
    if (this.#timer !== null) this.#clock.cancelAfter(this.#timer);
    this.#timer = null;
    let count = 0;
    while (count < this.#held.length && this.#held[count].due <= now) count += 1;
    for (const { act } of this.#held.splice(0, count)) act();
    if (this.#held.length === 0 || this.#timer !== null) return;
    this.#timer = this.#clock.after(this.#held[0].due - now, () => {
      this.#timer = null;
      this.#letGo(this.#clock.now());
    });
  }
}

const PAGE_CLOCK = Object.freeze({
  now: () => performance.now(),
  after: (ms, call) => setTimeout(call, Math.max(0, ms)),
  cancelAfter: (id) => clearTimeout(id),
});
/** So long is remembered how late instructions were: once or twice this. */
const STRETCH_MS = 5000;
/** A page that sleeps in the background holds no more than this. */
const HELD_MOST = 1000;
