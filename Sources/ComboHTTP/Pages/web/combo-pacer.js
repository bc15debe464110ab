/** combo-pacer.js: restores the rhythm in which a room emitted its instructions. */

/**
 * Restores the timing of instructions. They arrive in batches, as the service commits; drawn on arrival, a banner would count
 * before it has slid in. So each is held until its delay after `at` equals the largest delay of the last seconds, but at most
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
  /** { due, act } in order of arrival: one that is due waits for those before it. */
  #held = [];
  #timer = null;
  /** The smallest and the largest delay, in the present and in the previous interval. */
  #now = null;
  #last = null;

  get length() {
    return this.#held.length;
  }

  /** Calls `act` when an instruction of time `at` is due; at once if it is due now. */
  hold(at, act) {
    const now = this.#clock.now();
    const due = Number.isFinite(at) ? at + this.#delay(now - at, now) : now;
    this.#held.push({ due, act });
    this.#release(this.#held.length > HELD_MOST ? Infinity : now);
  }

  /** Draws everything that is held, so that nothing after it has to wait. */
  flush() {
    this.#release(Infinity);
  }

  /** Starts over for another connection, whose clock may differ. */
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

  #release(now) {
    if (this.#timer !== null) this.#clock.cancelAfter(this.#timer);
    this.#timer = null;
    let count = 0;
    while (count < this.#held.length && this.#held[count].due <= now) count += 1;
    for (const { act } of this.#held.splice(0, count)) act();
    if (this.#held.length === 0 || this.#timer !== null) return;
    this.#timer = this.#clock.after(this.#held[0].due - now, () => {
      this.#timer = null;
      this.#release(this.#clock.now());
    });
  }
}

const PAGE_CLOCK = Object.freeze({
  now: () => performance.now(),
  after: (ms, call) => setTimeout(call, Math.max(0, ms)),
  cancelAfter: (id) => clearTimeout(id),
});
/** The length of an interval. Delays are remembered for one to two of them. */
const STRETCH_MS = 5000;
/** The most instructions held: a limit for a page that sleeps in the background. */
const HELD_MOST = 1000;
