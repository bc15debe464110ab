/**
 * combo-client.js: what a client keeps of a room (`Sequence`), and a room's instructions over HTTP (`RoomStream`).
 *
 *     const stream = new RoomStream("r1", {
 *       draw: (instruction) => view.draw(instruction),
 *       clear: () => view.clear(),
 *       state: (state) => console.log(state.name, state.sentence),
 *     });
 *     stream.start();   // … stream.stop();
 *
 * No DOM is needed. No dependencies.
 */

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

/**
 * Gives instructions their rhythm back. They are said in batches, as the service commits; drawn as they come, a banner would
 * count before it has slid in. So each is held until as long after its `at` as the latest of the last seconds came, but never
 * longer than `paceMs` after it could have come. What comes later than that is drawn at once. Only differences count: the two
 * clocks need not agree.
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
    this.#now = this.#last = null;
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

/** The times of a stream, in milliseconds. */
export const STREAM_DEFAULTS = Object.freeze({
  /** Where the service is; "" = where the page came from. */
  base: "",
  /** The service says something every 10 s at least: after this long without a byte the connection is dead. */
  silenceMs: 25000,
  /** Waits before trying again: the first, and the longest. Each is up to a third shorter or longer: not all come at once. */
  retryMs: 500,
  retryMostMs: 8000,
  /** How long what is drawn stays without a connection. */
  staleMs: 10000,
  /** How much is made up for by waiting where instructions come unevenly; 0: each is drawn as it comes. */
  paceMs: 500,
  /** How long a gap may wait for the room's own `screen` before a new stream, which begins with one, is asked for. */
  gapMs: 2500,
  fetch: (...all) => fetch(...all),
});

/** Longer than any instruction can be. */
const MOST_EVENT = 4 << 20;

/**
 * A room's instructions as server-sent events: first the screen, then each one. Connects again when the connection breaks, is
 * silent, is dropped by the service for being slow, or stays in a gap.
 *
 * States (`state` is called at each change, with { name, sentence, retryAt }): "connecting", "live", "waiting" (live, but in a
 * gap), "broken" (will try again at `retryAt`, of performance.now()), "refused" (the same, and the service said why) and "stopped".
 */
export class RoomStream {
  /**
   * @param {string} room
   * @param {{draw: Function, clear: Function, state?: Function, seen?: Function}} to `seen(instruction, verdict)` is told of all,
   *   after what is drawn was drawn.
   * @param {Partial<typeof STREAM_DEFAULTS>} options
   */
  constructor(room, to, options = {}) {
    this.room = room;
    this.#to = to;
    this.#options = { ...STREAM_DEFAULTS, ...options };
    this.#pacer = new Pacer(this.#options.paceMs);
  }

  sequence = new Sequence();
  reconnects = 0;
  #to;
  #options;
  #pacer;
  #state = "stopped";
  #abort = null;
  #failures = 0;
  /** When this connection first said something. */
  #heardAt = null;
  #timers = new Map();

  get state() {
    return this.#state;
  }

  start() {
    if (this.#abort === null && this.#state === "stopped") this.#connect();
  }

  stop() {
    for (const name of [...this.#timers.keys()]) this.#cancel(name);
    this.#pacer.reset();
    this.#abort?.abort();
    this.#abort = null;
    this.#enter("stopped", "");
  }

  /** Does not wait for the next try: the network is back, the page is looked at again. */
  retryNow() {
    if (this.#timers.has("retry")) this.#connect();
  }

  async #connect() {
    this.#cancel("retry");
    const abort = new AbortController();
    this.#abort = abort;
    this.#enter("connecting", "Connecting.");
    this.#watchSilence(abort);
    let ending = "The connection ended.";
    let name = "broken";
    try {
      const answer = await this.#options.fetch(`${this.#options.base}/rooms/${encodeURIComponent(this.room)}/events`, {
        headers: { Accept: "text/event-stream" },
        cache: "no-store",
        credentials: "same-origin",
        signal: abort.signal,
      });
      if (!answer.ok || answer.body === null) {
        name = "refused";
        ending = await sentenceOf(answer);
      } else {
        ending = (await this.#read(answer.body, abort)) ?? ending;
      }
    } catch {
      ending = abort.signal.reason?.sentence ?? "The service cannot be reached.";
    }
    abort.abort();
    // Another connection has taken its place, or none is wanted.
    if (this.#abort !== abort) return;
    this.#again(name, ending);
  }

  /** Reads events until the end. Returns why it ended, if it was said. */
  async #read(body, abort) {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    const parser = new EventParser();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || abort.signal.aborted) return null;
      this.#watchSilence(abort);
      for (const event of parser.push(decoder.decode(value, { stream: true }))) {
        const end = this.#take(event);
        if (end !== null) return end;
      }
      if (parser.isTooLong) return "The service sent an event that is longer than any can be.";
    }
  }

  /** One event. Returns a sentence if it is the last. */
  #take({ type, data }) {
    if (type === "dropped") return sentence(parse(data)?.sentence) ?? "This page read too slowly, and was dropped.";
    if (type === "closing") return sentence(parse(data)?.sentence) ?? "The service is stopping.";
    if (type !== "screen" && type !== "instruction") return null;
    const instruction = parse(data);
    const verdict = type === "screen" ? this.sequence.acceptScreen(instruction) : this.sequence.accept(instruction);
    this.#cancel("stale");
    this.#heardAt ??= performance.now();
    const act = () => {
      if (verdict === "clear" || verdict === "clear, draw") this.#to.clear();
      if (verdict === "draw" || verdict === "clear, draw") this.#to.draw(instruction);
      this.#to.seen?.(instruction, verdict);
    };
    if (type === "instruction" && verdict === "draw") {
      this.#pacer.hold(instruction.at, act);
    } else {
      // Not a step in time: how things are.
      this.#pacer.flush();
      act();
    }
    if (this.sequence.isKnown) {
      this.#cancel("gap");
      this.#enter("live", "");
    } else {
      this.#enter("waiting", "Something was missed. Waiting for the room's next screen.");
      this.#after("gap", this.#options.gapMs, () => this.#drop("Something was missed. Asking for the screen."));
    }
    return null;
  }

  #watchSilence(abort) {
    this.#after("silence", this.#options.silenceMs, () => {
      if (this.#abort === abort) this.#drop("The service has fallen silent.");
    }, true);
  }

  /** Ends this connection; #connect goes on from there. */
  #drop(sentence) {
    this.#abort?.abort({ sentence });
  }

  #again(name, sentence) {
    for (const one of ["silence", "gap"]) this.#cancel(one);
    this.#pacer.reset();
    this.reconnects += 1;
    const { retryMs, retryMostMs, staleMs } = this.#options;
    // One that held for a while begins anew; those that break at once come ever more seldom.
    if (this.#heardAt !== null && performance.now() - this.#heardAt > retryMostMs) this.#failures = 0;
    this.#heardAt = null;
    const wait = Math.min(retryMostMs, retryMs * 1.7 ** Math.min(this.#failures, 20)) * (0.67 + 0.66 * Math.random());
    this.#failures += 1;
    this.#after("retry", wait, () => this.#connect());
    // Only the first time: the time without a connection counts, not that since the last try.
    this.#after("stale", staleMs, () => this.#to.clear());
    this.#enter(name, sentence, performance.now() + wait);
  }

  #after(name, ms, call, isNew = false) {
    if (isNew) this.#cancel(name);
    if (this.#timers.has(name)) return;
    this.#timers.set(name, setTimeout(() => {
      this.#timers.delete(name);
      call();
    }, ms));
  }

  #cancel(name) {
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
  }

  #enter(name, sentence, retryAt = null) {
    if (this.#state === name && name !== "broken" && name !== "refused") return;
    this.#state = name;
    this.#to.state?.({ name, sentence, retryAt });
  }
}

/** Server-sent events, as the HTML standard has them, out of pieces of text. */
export class EventParser {
  #rest = "";
  #type = "";
  #data = null;
  #endedWithReturn = false;
  isTooLong = false;

  /** The events that this piece brings to an end. */
  push(text) {
    const events = [];
    if (this.#endedWithReturn && text.startsWith("\n")) text = text.slice(1);
    if (text === "") return events;
    this.#endedWithReturn = text.endsWith("\r");
    const lines = (this.#rest + text).split(/\r\n|\n|\r/);
    this.#rest = lines.pop();
    for (const line of lines) {
      if (line === "") {
        if (this.#data !== null) events.push({ type: this.#type || "message", data: this.#data });
        this.#type = "";
        this.#data = null;
        continue;
      }
      const colon = line.indexOf(":");
      if (colon === 0) continue;
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
      if (field === "event") this.#type = value;
      else if (field === "data") this.#data = this.#data === null ? value : `${this.#data}\n${value}`;
    }
    this.isTooLong = this.#rest.length + (this.#data?.length ?? 0) > MOST_EVENT;
    return events;
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** As a sentence: the service's own begin in small letters. Null if it is none. */
function sentence(text) {
  if (typeof text !== "string" || text === "") return null;
  return text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}

/** What the service says against it, or what its status means. */
export async function sentenceOf(answer) {
  try {
    const said = sentence(parse((await answer.text()).slice(0, 4096))?.error);
    if (said !== null) return said;
  } catch {
    // The connection broke before the sentence was there: the status has to do.
  }
  return `The service answered ${answer.status}.`;
}
