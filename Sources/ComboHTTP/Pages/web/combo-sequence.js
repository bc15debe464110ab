/** combo-sequence.js: a client's state of a room, for any transport. No DOM, no network, no dependencies. */

/**
 * Decides which instructions of a room to draw, and keeps what is then on its screen (docs/client.md has the rules).
 *
 * It keeps (`epoch`, `seq`): instructions not above that are repetitions. A new epoch begins with an empty screen. After a gap,
 * or when it joins in mid-stream, it does not know what is on screen until the next `screen`; until then it draws the banners
 * whose `show` it sees.
 */
export class Sequence {
  epoch = -1;
  seq = 0;
  /** Whether every banner on screen is known. */
  isKnown = false;
  /** Counters: gaps; instructions missed, or about banners unknown for that reason; repetitions; malformed instructions. */
  gaps = 0;
  missed = 0;
  repeated = 0;
  malformed = 0;
  /** Banners by number: { banner, slot, count, base, sender, receiver, gift }. */
  #banners = new Map();

  /** The banners on screen that are not leaving, lowest slot first: { banner, slot, count, base, sender, receiver, gift }. */
  get banners() {
    return [...this.#banners.values()].sort((a, b) => a.slot - b.slot || a.banner - b.banner).map((one) => ({ ...one }));
  }

  /**
   * Accepts one instruction. Never throws. Returns what to do:
   *
   * - `"draw"`: draw it.
   * - `"clear"`: remove the drawn banners, which are no longer known; do not draw this one.
   * - `"clear, draw"`: remove the drawn banners, then draw this one.
   * - `"wait"`: nothing; it is about a banner that is not known before the next `screen`.
   * - `"ignore"`: nothing; a repetition, malformed, or nothing that changes the screen (`skip`, `final`, ops of later versions).
   */
  accept(instruction) {
    if (!isInstruction(instruction) || instruction.seq === 0) {
      this.malformed += 1;
      return "ignore";
    }
    const { epoch, seq } = instruction;
    if (epoch < this.epoch || (epoch === this.epoch && seq <= this.seq)) {
      this.repeated += 1;
      return "ignore";
    }
    let isCleared = false;
    if (epoch > this.epoch) {
      // An epoch begins with seq 1; otherwise its beginning was missed.
      if (seq !== 1 && this.epoch >= 0) this.#lose(seq - 1);
      isCleared = this.#removeAll();
      this.isKnown = seq === 1;
    } else if (seq !== this.seq + 1) {
      this.#lose(seq - this.seq - 1);
      // A screen is complete, so banners that stay need not be removed first.
      if (instruction.op !== "screen" || !Array.isArray(instruction.banners)) isCleared = this.#removeAll();
      this.isKnown = false;
    }
    this.epoch = epoch;
    this.seq = seq;
    const verdict = this.#apply(instruction);
    if (verdict === "wait") this.missed += 1;
    if (!isCleared) return verdict;
    return verdict === "draw" ? "clear, draw" : "clear";
  }

  /**
   * Accepts the screen that begins a stream over HTTP; its `seq` is that of the last instruction it includes. Returns what to
   * do, as `accept` does. A room that sleeps has epoch 0 and seq 0: its screen is empty, and the earlier epoch and seq stay.
   */
  acceptScreen(screen) {
    if (!isInstruction(screen) || screen.op !== "screen" || !Array.isArray(screen.banners)) {
      this.malformed += 1;
      return "ignore";
    }
    const { epoch, seq } = screen;
    if (epoch === 0 && seq === 0) {
      this.#banners.clear();
      this.isKnown = true;
      return "draw";
    }
    // Older than the known screen: the service is still catching up. Its next instructions are also older, and are ignored.
    if (epoch < this.epoch || (epoch === this.epoch && seq < this.seq)) {
      this.repeated += 1;
      return "ignore";
    }
    // Banners of another epoch are different ones, even if their numbers are equal.
    const isCleared = epoch > this.epoch && this.#removeAll();
    this.epoch = epoch;
    this.seq = seq;
    this.#apply(screen);
    return isCleared ? "clear, draw" : "draw";
  }

  #lose(count) {
    this.gaps += 1;
    this.missed += count;
  }

  /** Removes all banners. Returns whether there were any. */
  #removeAll() {
    if (this.#banners.size === 0) return false;
    this.#banners.clear();
    return true;
  }

  #apply(said) {
    switch (said.op) {
      case "show": {
        const banner = bannerOf(said);
        // No room has more slots than this, so the map does not grow.
        if (banner === null || (this.#banners.size >= MOST && !this.#banners.has(banner.banner))) return this.#refuse();
        this.#banners.set(banner.banner, banner);
        return "draw";
      }
      case "screen":
        if (!Array.isArray(said.banners)) return this.#refuse();
        this.#banners.clear();
        for (const entry of said.banners.slice(0, MOST)) {
          const banner = bannerOf(entry);
          if (banner !== null) this.#banners.set(banner.banner, banner);
        }
        this.isKnown = true;
        return "draw";
      case "update":
      case "move_up":
      case "dismiss":
        return this.#change(said);
      default:
        // skip, final, and ops of later versions.
        return "ignore";
    }
  }

  #change({ op, banner, slot, count }) {
    if (!isNumber(banner) || (op === "update" && !isWhole(count)) || (op === "move_up" && !isSlot(slot))) return this.#refuse();
    const one = this.#banners.get(banner);
    if (one === undefined) return this.isKnown ? "ignore" : "wait";
    if (op === "dismiss") {
      this.#banners.delete(banner);
      return "draw";
    }
    if (isSlot(slot)) one.slot = slot;
    if (op === "update") one.count = count;
    return "draw";
  }

  #refuse() {
    this.malformed += 1;
    return "ignore";
  }
}

/** The most banners on screen. */
const MOST = 100;

function bannerOf(entry) {
  if (!isObject(entry)) return null;
  const { banner, slot, count, base, sender, receiver, gift } = entry;
  if (!isNumber(banner) || !isSlot(slot) || !isWhole(count)) return null;
  const one = { banner, slot, count, base: isWhole(base) ? base : 0 };
  if (isObject(sender)) one.sender = sender;
  if (isObject(receiver)) one.receiver = receiver;
  if (isObject(gift)) one.gift = gift;
  return one;
}

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isWhole = (value) => Number.isSafeInteger(value) && value >= 0;
const isNumber = (value) => Number.isSafeInteger(value) && value > 0;
const isSlot = (value) => Number.isSafeInteger(value) && value >= 0 && value < MOST;
const isInstruction = (value) =>
  isObject(value) && isWhole(value.epoch) && isWhole(value.seq) && typeof value.op === "string";
