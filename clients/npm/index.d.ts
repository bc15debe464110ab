/** The display data of a sender, a receiver or a gift: every field of the event. The sender of the gift chose it. */
export interface DisplayData {
  id: string | number;
  name?: string;
  [field: string]: unknown;
}

/** The fields of every instruction. There may be others that this version does not know. */
export interface InstructionHead {
  v: number;
  room: string;
  /** When the room's engine began, in milliseconds since 1970 by the service's clock. */
  epoch: number;
  /** Counts within the epoch, from 1 on, without gaps. */
  seq: number;
  /** When it takes effect, in milliseconds since 1970 by the service's clock. */
  at: number;
}

/** A banner as a `show` or a `screen` has it. */
export interface ShownBanner {
  banner: number;
  slot: number;
  /** The number to draw. */
  count: number;
  /** The part of `count` that an earlier banner of this combo has shown. Never add it to `count`. */
  base: number;
  sender: DisplayData;
  receiver?: DisplayData;
  gift: DisplayData;
}

export interface ShowInstruction extends InstructionHead, ShownBanner {
  op: "show";
  milestone?: number;
}

export interface UpdateInstruction extends InstructionHead {
  op: "update";
  banner: number;
  slot: number;
  count: number;
  added: number;
  milestone?: number;
}

export interface MoveUpInstruction extends InstructionHead {
  op: "move_up";
  banner: number;
  slot: number;
}

export interface DismissInstruction extends InstructionHead {
  op: "dismiss";
  banner: number;
  slot: number;
  count: number;
  /** `idle`, `busy`, `turn`, `closed`, `retracted`, or one of a later version. */
  reason: string;
}

export interface ScreenInstruction extends InstructionHead {
  op: "screen";
  /** The number of slots, in a screen over HTTP. */
  slots?: number;
  /** How long banners move in, numbers change and banners move out, in milliseconds, in a screen over HTTP. */
  enter_ms?: number;
  count_ms?: number;
  exit_ms?: number;
  banners: ShownBanner[];
}

/** A banner that will never be on screen. */
export interface SkippedBanner extends InstructionHead {
  op: "skip";
  banner: number;
  count: number;
  reason: string;
  sender: DisplayData;
  receiver?: DisplayData;
  gift: DisplayData;
}

/** Banners that will never be on screen, summed over some time. */
export interface SkippedSum extends InstructionHead {
  op: "skip";
  /** The number of banners. */
  banners: number;
  /** The number of their gifts, and what these are worth. */
  count: number;
  value: number;
  reason: string;
}

export type SkipInstruction = SkippedBanner | SkippedSum;

export interface FinalInstruction extends InstructionHead {
  op: "final";
  banner: number;
  count: number;
  reason: string;
  sender: DisplayData;
  receiver?: DisplayData;
  gift: DisplayData;
}

/** A display instruction of an op that this version knows. Others may come: `Sequence` ignores them. */
export type Instruction =
  | ShowInstruction
  | UpdateInstruction
  | MoveUpInstruction
  | DismissInstruction
  | ScreenInstruction
  | SkipInstruction
  | FinalInstruction;

/** What to do with an instruction. */
export type Verdict = "draw" | "clear" | "clear, draw" | "wait" | "ignore";

/** A banner on screen, without `sender`, `receiver` and `gift` that are missing in the instruction, or no objects there. */
export interface BannerOnScreen {
  banner: number;
  slot: number;
  count: number;
  base: number;
  sender?: DisplayData;
  receiver?: DisplayData;
  gift?: DisplayData;
}

/** Decides which instructions of one room to draw, and keeps the resulting screen. Never throws. */
export class Sequence {
  epoch: number;
  seq: number;
  /** Whether everything on screen is known. */
  isKnown: boolean;
  gaps: number;
  missed: number;
  repeated: number;
  malformed: number;
  /** The banners on screen that are not leaving, lowest slot first. */
  get banners(): BannerOnScreen[];
  /** Accepts one parsed instruction. */
  accept(instruction: unknown): Verdict;
  /** Accepts the screen that begins a stream over HTTP. */
  acceptScreen(screen: unknown): Verdict;
}

/** The time for a `Pacer`: milliseconds that never go back. */
export interface PacerClock {
  now(): number;
  after(ms: number, call: () => void): unknown;
  cancelAfter(id: any): void;
}

/** Restores the timing of instructions that arrive in batches. */
export class Pacer {
  constructor(paceMs: number, clock?: PacerClock);
  /** The number of held instructions. */
  get length(): number;
  /** Calls `act` when an instruction of time `at` is due; at once if it is due now. */
  hold(at: unknown, act: () => void): void;
  /** Draws everything that is held. */
  flush(): void;
  /** Draws everything that is held, and discards the delays, since another connection may have another clock. */
  reset(): void;
}

/** A server-sent event. */
export interface StreamEvent {
  type: string;
  data: string;
}

/** Parses server-sent events from pieces of text. */
export class EventParser {
  /** The id of the last complete event. An id stays until another one arrives. */
  lastId: string;
  isTooLong: boolean;
  /** Returns the events that this piece completes. */
  push(text: string): StreamEvent[];
}

export type StreamStateName = "connecting" | "live" | "waiting" | "broken" | "refused" | "stopped";

export interface StreamState {
  name: StreamStateName;
  /** An explanation in English; empty if all is well. */
  sentence: string;
  /** The time of the next retry, by `performance.now()`; null if there is none. */
  retryAt: number | null;
  /** A code for pages in other languages; "said" if only the service's sentence explains it, "" if nothing happened. */
  code: "" | "unreachable" | "ended" | "silent" | "gap" | "long" | "slow" | "stopping" | "said";
}

export interface StreamOptions {
  /** The address of the service, without a slash at the end; default: the page's. Another origin needs `--http-origin` there. */
  base: string;
  /** A connection without a byte for this long is closed (10000). The service sends something every 6 s. */
  silenceMs: number;
  /** The first wait before a retry (500), varied by up to a third. */
  retryMs: number;
  /** The longest wait before a retry (8000), varied by up to a third. */
  retryMostMs: number;
  /** How long banners stay on screen without a connection (10000). */
  staleMs: number;
  /** The maximum delay by the pacer (500); 0: each instruction is drawn when it arrives. */
  paceMs: number;
  /** How long to wait for the next `screen` after a gap before a new stream is opened (2500). */
  gapMs: number;
  /** The function that sends requests: the browser's or, for example, one that adds a header. */
  fetch: (input: string, init: RequestInit) => Promise<Response>;
}

export const STREAM_DEFAULTS: Readonly<StreamOptions>;

export interface StreamTarget {
  draw(instruction: Instruction): void;
  clear(): void;
  state?(state: StreamState): void;
  /** Called for every instruction, also for malformed ones. */
  seen?(instruction: unknown, verdict: Verdict): void;
}

/**
 * Reads a room's instructions over HTTP. It reconnects when the connection breaks, is silent, or stays in a gap. While the
 * banners are still on screen, it requests only the events after the last one received.
 */
export class RoomStream {
  constructor(room: string, to: StreamTarget, options?: Partial<StreamOptions>);
  readonly room: string;
  readonly sequence: Sequence;
  readonly reconnects: number;
  get state(): StreamStateName;
  start(): void;
  stop(): void;
  /** Retries now rather than after the wait. */
  retryNow(): void;
}

export interface ViewClock extends PacerClock {
  frame(call: () => void): unknown;
  cancelFrame(id: any): void;
}

/** The facts for `describe`. */
export interface Told {
  number: number;
  count: number;
  sender: string;
  gift: string;
  receiver: string;
  worth: number;
  others: number;
}

/** The texts of banners: whole sentences with places such as `{gift}`. */
export interface Words {
  dir: "ltr" | "rtl";
  label: string;
  sends: string;
  sendsTo: string;
  told: string;
  toldTo: string;
  more: string;
}

/** The texts by language. */
export const WORDS: Readonly<Record<string, Words>>;

/** The requested language, else the first supported one of the browser's, else English. */
export function languageOf(wish: string | null | undefined, browser?: readonly string[]): string;

/** Durations are in milliseconds. A stream over HTTP brings the room's own `slots`, `enterMs`, `countMs` and `exitMs`. */
export interface ViewOptions {
  /** The number of banners on screen at once (2). A room that has more gets more nodes. */
  slots: number;
  /** How long a banner slides in, or moves up (250). */
  enterMs: number;
  /** How long a number change is animated (250). */
  countMs: number;
  /** How long a banner slides out (250). */
  exitMs: number;
  /** How long a milestone's effect lasts (1400). */
  effectMs: number;
  /** The minimum time between two announcements to a screen reader (6000); 0: none. */
  announceMs: number;
  /** The maximum number of characters drawn of a name (40). */
  maxName: number;
  /** "data": load nothing from the network. Default: "all". */
  pictures: "all" | "data" | "none";
  /** Whether motion is reduced; null (the default) for the setting of the viewer's system. */
  reducedMotion: boolean | null;
  /** The worth (gift value × count) from which a banner gets the next tone (100, 1000, 10000). */
  tones: readonly number[];
  /** "en", "zh", "ja", "ko", "pt" or "ar"; null: the browser's, or English. */
  lang: string | null;
  /** The locale of the numbers; default: `lang`. */
  locale: string | undefined;
  /** Texts that replace some of the language's: `{ sends: "gave {gift}" }`. */
  words: Readonly<Partial<Words>>;
  /** The side on which banners stand; null: where lines begin in the language. */
  align: "left" | "right" | null;
  /** Banners in slots above this number are not drawn. */
  slotsMost: number;
  /** The sentence for a screen reader. */
  describe: (told: Told, words: Words, numbers: Intl.NumberFormat) => string;
  /** A picture's address or an emoji; default: `picture`, `image`, `icon` or `emoji` of the gift. */
  giftPicture: (gift: Record<string, unknown>) => unknown;
  /** A picture's address; default: `avatar` or `picture` of the sender. */
  avatar: (sender: Record<string, unknown>) => unknown;
  /** The browser's clock, or one that a test controls. */
  clock: Readonly<ViewClock>;
}

export const DEFAULTS: Readonly<ViewOptions>;

/** Draws the banners of one room into an element. Needs combo-view.css. */
export class ComboView {
  constructor(element: HTMLElement, options?: Partial<ViewOptions>);
  /** The banners on screen that are not leaving, lowest slot first. */
  get banners(): { banner: number; slot: number; count: number }[];
  /** Whether combos are announced to screen readers. */
  announces: boolean;
  /** The number of banner nodes, in use or not. */
  get nodes(): number;
  /** Draws one instruction; returns whether the screen changed. Never throws. */
  draw(instruction: unknown): boolean;
  /** Lets every banner slide out, because the state of the screen is no longer known. */
  clear(): void;
  /** Removes everything at once, for another room. */
  reset(): void;
  /** Removes the view's nodes, timers and listeners. */
  destroy(): void;
}

/** Returns the text as it can be drawn in one line, with at most this many characters. */
export function drawable(text: string, most?: number): string;
/** The name of a sender, a receiver or a gift. */
export function nameOf(who: Record<string, unknown>, most?: number): string;
/** Returns the address if its picture may be shown, else null. */
export function pictureAddress(value: unknown, pictures?: "all" | "data" | "none", most?: number): string | null;
