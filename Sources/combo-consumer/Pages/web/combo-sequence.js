/** combo-sequence.js: what a client keeps of a room, however its instructions come to it. No DOM, no network, no dependencies. */

/**
 * Which instructions of a room to draw. It keeps (epoch, seq): what is not above it is a repetition. After a gap, or joining in
 * mid-stream, it waits for the next `screen`, or for a `show` into a room with nothing on it. A new epoch begins with an empty
 * screen.
 */
export class Sequence {
  epoch = -1;
  seq = 0;
  /** Whether what is on screen is known. */
  isKnown = false;
  /** Instructions that were missed or could not be drawn because of that, repetitions, and gaps, so far. */
  missed = 0;
  repeated = 0;
  gaps = 0;
  /** The banners on screen. While nothing is known: those that a viewer elsewhere still sees, as far as can be told. */
  #banners = new Set();

  /**
   * Takes in one instruction. Returns what to do: "draw"; "clear" (draw nothing, and what is drawn is not known any more);
   * "clear, draw" (first the one, then the other); "wait"; "repeated"; or "bad" if it is none.
   */
  accept(instruction) {
    if (!isInstruction(instruction)) return "bad";
    const { epoch, seq } = instruction;
    if (epoch < this.epoch || (epoch === this.epoch && seq <= this.seq)) {
      this.repeated += 1;
      return "repeated";
    }
    const wasJoined = this.epoch >= 0;
    let isCleared = false;
    if (epoch > this.epoch) {
      isCleared = this.isKnown && this.#banners.size > 0;
      this.#banners.clear();
      // An epoch begins with seq 1; else its beginning was missed.
      this.isKnown = seq === 1;
      if (seq !== 1 && wasJoined) this.#lose(seq - 1);
    } else if (seq !== this.seq + 1) {
      this.#lose(seq - this.seq - 1);
      // Those drawn may be there still: they are kept in mind, since a room with them on it is no empty one.
      isCleared = this.isKnown && this.#banners.size > 0;
      this.isKnown = false;
    }
    this.epoch = epoch;
    this.seq = seq;
    const isDrawn = this.#follow(instruction);
    if (isDrawn) return isCleared ? "clear, draw" : "draw";
    this.missed += 1;
    return isCleared ? "clear" : "wait";
  }

  /**
   * Takes in a screen that was asked for, as it is now: the first event of a stream. The same answers. A room that sleeps says
   * epoch 0 and seq 0: nothing is on it, and what is kept stays.
   */
  acceptScreen(screen) {
    if (!isInstruction(screen) || !Array.isArray(screen.banners)) return "bad";
    if (screen.epoch === 0 && screen.seq === 0) {
      this.#banners.clear();
      this.isKnown = true;
      return "draw";
    }
    // Behind what was seen: a service that is still catching up. What it says next is behind too, and passed over.
    if (screen.epoch < this.epoch || (screen.epoch === this.epoch && screen.seq < this.seq)) {
      this.repeated += 1;
      return "repeated";
    }
    this.epoch = screen.epoch;
    this.seq = screen.seq;
    this.#follow(screen);
    return "draw";
  }

  #lose(count) {
    this.gaps += 1;
    this.missed += count;
  }

  #follow({ op, banner, banners }) {
    switch (op) {
      case "screen":
        if (!Array.isArray(banners)) return false;
        this.#banners = new Set(banners.slice(0, 100).map((one) => one?.banner));
        this.isKnown = true;
        break;
      case "show":
        if (!this.isKnown && this.#banners.size === 0) this.isKnown = true;
        this.#remember(banner);
        break;
      case "update":
      case "move_up":
        this.#remember(banner);
        break;
      case "dismiss":
        this.#banners.delete(banner);
        break;
    }
    return this.isKnown;
  }

  #remember(banner) {
    // No room has more slots: whatever it is told, this does not grow.
    if (this.#banners.size < 100) this.#banners.add(banner);
  }
}

const isWhole = (value) => Number.isSafeInteger(value) && value >= 0;
const isInstruction = (value) =>
  value !== null && typeof value === "object" && isWhole(value.epoch) && isWhole(value.seq) && typeof value.op === "string";
