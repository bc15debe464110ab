/**
 * combo-client.js: a room's instructions over HTTP.
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

import { Pacer } from "./combo-pacer.js";
import { Sequence } from "./combo-sequence.js";

/** The options of a stream. Times are in milliseconds. */
export const STREAM_DEFAULTS = Object.freeze({
  /** The service's address; "" for the page's own origin. */
  base: "",
  /** The time without a byte after which the connection is dead. The service sends something every 6 s at least. */
  silenceMs: 10000,
  /** The first and the longest wait before a retry. Each varies by up to a third, so that clients do not return all at once. */
  retryMs: 500,
  retryMostMs: 8000,
  /** How long banners stay on screen without a connection. */
  staleMs: 10000,
  /** The longest delay that evens out instructions that arrive irregularly; 0 to draw each on arrival. */
  paceMs: 500,
  /** How long a gap waits for the room's next `screen` before the client requests a new stream, which begins with one. */
  gapMs: 2500,
  fetch: (...all) => fetch(...all),
});

/** The size limit of an event, in characters. Every instruction is shorter. */
const MOST_EVENT = 4 << 20;

/**
 * Reads a room's instructions as server-sent events: first the screen, then each instruction. It reconnects when the
 * connection breaks, is silent, is dropped by the service for being slow, or stays in a gap. While the banners are still on
 * screen, it requests only the events after the last one received.
 *
 * States (`state` is called at each change, with { name, sentence, retryAt, code }): "connecting", "live", "waiting" (live, but
 * in a gap), "broken" (it retries at `retryAt`, in the time of performance.now()), "refused" (like "broken", with a reason from
 * the service) and "stopped".
 *
 * `code` is the reason, for pages in other languages: "unreachable", "ended", "silent", "gap", "long", "slow" (dropped),
 * "stopping", or "said" if only the service's own sentence explains it; "" without a reason.
 */
export class RoomStream {
  /**
   * @param {string} room
   * @param {{draw: Function, clear: Function, state?: Function, seen?: Function}} to `seen(instruction, verdict)` is called for
   *   every instruction, after it is drawn.
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
  /** The time at which this connection delivered its first data, or null. */
  #heardAt = null;
  /** The id of the last event received; "" if the next stream must begin with a screen. */
  #lastId = "";
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
    this.#lastId = "";
    this.#enter("stopped");
  }

  /** Retries now rather than after the wait: for when the network is back, or the page visible again. */
  retryNow() {
    if (this.#timers.has("retry")) this.#connect();
  }

  async #connect() {
    this.#cancel("retry");
    const abort = new AbortController();
    this.#abort = abort;
    this.#enter("connecting", { code: "", sentence: "Connecting." });
    this.#watchSilence(abort);
    let ending = ENDED;
    let name = "broken";
    const lastId = this.#lastId;
    const headers = { Accept: "text/event-stream" };
    let address = `${this.#options.base}/rooms/${encodeURIComponent(this.room)}/events`;
    // This header would cause a preflight request to another origin; the query does not.
    if (lastId !== "" && this.#options.base === "") headers["Last-Event-ID"] = lastId;
    else if (lastId !== "") address += `?last_event_id=${encodeURIComponent(lastId)}`;
    try {
      const answer = await this.#options.fetch(address, {
        headers,
        cache: "no-store",
        credentials: "same-origin",
        signal: abort.signal,
      });
      if (!answer.ok || answer.body === null) {
        name = "refused";
        ending = { code: "said", sentence: await sentenceOf(answer) };
      } else {
        ending = (await this.#read(answer.body, abort, lastId !== "")) ?? ending;
      }
    } catch {
      ending = abort.signal.reason?.code ? abort.signal.reason : UNREACHABLE;
    }
    abort.abort();
    // Another connection has replaced this one, or none is needed.
    if (this.#abort !== abort) return;
    this.#again(name, ending);
  }

  /**
   * Reads events until the stream ends. Returns the reason, or null.
   * @param {boolean} continues whether the stream resumes after the last event, so that it need not begin with one.
   */
  async #read(body, abort, continues) {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    const parser = new EventParser();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || abort.signal.aborted) return null;
      this.#watchSilence(abort);
      if (continues && this.#heardAt === null) {
        this.#heard();
        this.#reportState();
      }
      const events = parser.push(decoder.decode(value, { stream: true }));
      this.#lastId = parser.lastId || this.#lastId;
      for (const event of events) {
        if (abort.signal.aborted) return null;
        const end = this.#take(event);
        if (end !== null) return end;
      }
      if (parser.isTooLong) return { code: "long", sentence: "The service sent an event that is too long." };
    }
  }

  /** Processes one event. Returns the reason if it is the last, else null. */
  #take({ type, data }) {
    if (type === "dropped" || type === "closing") {
      const own = type === "dropped" ? SLOW : STOPPING;
      const said = parse(data);
      return { code: said?.reason === "moved" ? "said" : own.code, sentence: sentence(said?.sentence) ?? own.sentence };
    }
    if (type !== "screen" && type !== "instruction") return null;
    const instruction = parse(data);
    const verdict = type === "screen" ? this.sequence.acceptScreen(instruction) : this.sequence.accept(instruction);
    this.#heard();
    const act = () => {
      if (verdict.startsWith("clear")) this.#to.clear();
      if (verdict.endsWith("draw")) this.#to.draw(instruction);
      this.#to.seen?.(instruction, verdict);
    };
    if (type === "instruction" && !verdict.startsWith("clear")) {
      this.#pacer.hold(instruction?.at, act);
    } else {
      // A screen is the present state, so it is not paced.
      this.#pacer.flush();
      act();
    }
    this.#reportState();
    return null;
  }

  /** Notes that this connection delivers data, so that the banners stay on screen. */
  #heard() {
    this.#cancel("stale");
    this.#heardAt ??= performance.now();
  }

  #reportState() {
    if (this.sequence.isKnown) {
      this.#cancel("gap");
      this.#enter("live");
    } else {
      this.#enter("waiting", { code: "gap", sentence: "Some instructions were missed. Waiting for the room's next screen." });
      const asking = { code: "gap", sentence: "Some instructions were missed. Asking for the screen." };
      this.#after("gap", this.#options.gapMs, () => this.#drop(asking));
    }
  }

  /** Removes the banners after too long without a connection. They may be wrong, so the next stream must begin with a screen. */
  #clearStale() {
    const continues = this.#lastId !== "";
    this.#lastId = "";
    this.#to.clear();
    // A stream that was just asked to resume would do so without a screen.
    if (continues && this.#state === "connecting") this.#drop(ENDED);
  }

  #watchSilence(abort) {
    this.#after("silence", this.#options.silenceMs, () => {
      if (this.#abort === abort) this.#drop({ code: "silent", sentence: "The service does not respond." });
    }, true);
  }

  /** Ends this connection; #connect then schedules the next one. */
  #drop(ending) {
    this.#abort?.abort(ending);
  }

  #again(name, ending) {
    for (const one of ["silence", "gap"]) this.#cancel(one);
    this.#pacer.reset();
    this.reconnects += 1;
    // In a gap, only a screen helps.
    if (!this.sequence.isKnown) this.#lastId = "";
    const { retryMs, retryMostMs, staleMs } = this.#options;
    // After a connection that lasted for a while, the waits start again; after short ones they grow.
    if (this.#heardAt !== null && performance.now() - this.#heardAt > retryMostMs) this.#failures = 0;
    this.#heardAt = null;
    const wait = Math.min(retryMostMs, retryMs * 1.7 ** Math.min(this.#failures, 20)) * (0.67 + 0.66 * Math.random());
    this.#failures += 1;
    this.#after("retry", wait, () => this.#connect());
    // Does not restart a running timer: the total time without a connection counts, not that since the last retry.
    this.#after("stale", staleMs, () => this.#clearStale());
    this.#enter(name, ending, performance.now() + wait);
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

  #enter(name, { code, sentence } = NOTHING, retryAt = null) {
    if (this.#state === name && name !== "broken" && name !== "refused") return;
    this.#state = name;
    this.#to.state?.({ name, sentence, retryAt, code });
  }
}

const NOTHING = { code: "", sentence: "" };
const ENDED = { code: "ended", sentence: "The connection ended." };
const UNREACHABLE = { code: "unreachable", sentence: "The service cannot be reached." };
const SLOW = { code: "slow", sentence: "This page read too slowly and was dropped." };
const STOPPING = { code: "stopping", sentence: "The service is stopping." };

/** Parses server-sent events, as the HTML standard defines them, from pieces of text. */
export class EventParser {
  #rest = "";
  #type = "";
  #data = null;
  #endedWithReturn = false;
  #id = "";
  /** The id of the last complete event. An id stays until another one arrives. */
  lastId = "";
  isTooLong = false;

  /** Returns the events that this piece completes. */
  push(text) {
    const events = [];
    if (this.#endedWithReturn && text.startsWith("\n")) text = text.slice(1);
    if (text === "") return events;
    this.#endedWithReturn = text.endsWith("\r");
    const lines = (this.#rest + text).split(/\r\n|\n|\r/);
    this.#rest = lines.pop();
    for (const line of lines) {
      if (line === "") {
        this.lastId = this.#id;
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
      else if (field === "id" && !value.includes("\0")) this.#id = value;
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

/** Returns the text as a sentence, or null if it is no text. The service's own begin in lower case. */
function sentence(text) {
  if (typeof text !== "string" || text === "") return null;
  return text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}

/** Returns the service's own error message, or a sentence with the status if there is none. */
export async function sentenceOf(answer) {
  try {
    const said = sentence(parse((await answer.text()).slice(0, 4096))?.error);
    if (said !== null) return said;
  } catch {
    // The connection broke before the sentence arrived: use the status.
  }
  return `The service answered ${answer.status}.`;
}
