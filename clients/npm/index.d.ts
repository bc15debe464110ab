/** The display data of a sender, a receiver or a gift: every field of the event. The sender of the gift chose it. */
export interface DisplayData {
  id: string | number;
  name?: string;
  [field: string]: unknown;
}

/** What every instruction carries. Fields that this version does not know may be there. */
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
  /** How much of `count` an earlier banner of this combo has shown. Never to be added to it. */
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
  banners: ShownBanner[];
}

export interface SkipInstruction extends InstructionHead {
  op: "skip";
  banner: number;
  count: number;
  reason: string;
  sender: DisplayData;
  receiver?: DisplayData;
  gift: DisplayData;
}

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

/** A banner on screen. `sender`, `receiver` and `gift` are missing if they were not there or no objects. */
export interface BannerOnScreen {
  banner: number;
  slot: number;
  count: number;
  base: number;
  sender?: DisplayData;
  receiver?: DisplayData;
  gift?: DisplayData;
}

/** Which instructions of one room to draw, and what is then on its screen. Throws nothing, whatever it is given. */
export class Sequence {
  epoch: number;
  seq: number;
  /** Whether all that is on screen is known. */
  isKnown: boolean;
  gaps: number;
  missed: number;
  repeated: number;
  malformed: number;
  /** What is on screen and not leaving, lowest slot first. */
  get banners(): BannerOnScreen[];
  /** Takes in one instruction, parsed. */
  accept(instruction: unknown): Verdict;
  /** Takes in the screen with which a stream over HTTP begins. */
  acceptScreen(screen: unknown): Verdict;
}

/** Where a `Pacer` has its time from. Milliseconds, never back. */
export interface PacerClock {
  now(): number;
  after(ms: number, call: () => void): unknown;
  cancelAfter(id: any): void;
}

/** Gives instructions that came in batches their rhythm back. */
export class Pacer {
  constructor(paceMs: number, clock?: PacerClock);
  /** How many are held. */
  get length(): number;
  /** Calls `act` when an instruction of time `at` is to be drawn; at once, if that is now. */
  hold(at: unknown, act: () => void): void;
  /** Everything that is held, now. */
  flush(): void;
  /** The same; and forgets how late instructions came, because another connection may lead to another clock. */
  reset(): void;
}

/** A server-sent event. */
export interface StreamEvent {
  type: string;
  data: string;
}

/** Server-sent events out of pieces of text. */
export class EventParser {
  /** The id of the last event; an id stays until another one comes. */
  lastId: string;
  isTooLong: boolean;
  /** The events that this piece brings to an end. */
  push(text: string): StreamEvent[];
}

export type StreamStateName = "connecting" | "live" | "waiting" | "broken" | "refused" | "stopped";

export interface StreamState {
  name: StreamStateName;
  /** What happened, as text; empty if all is well. */
  sentence: string;
  /** When it tries again, by `performance.now()`. */
  retryAt: number | null;
  /** A code for pages in other languages; "said" if only the service's sentence explains it, "" if nothing happened. */
  code: "" | "unreachable" | "ended" | "silent" | "gap" | "long" | "slow" | "stopping" | "said";
}

export interface StreamOptions {
  /** Where the service is, without a slash at the end; "" for where the page came from. Another origin must be allowed there. */
  base: string;
  silenceMs: number;
  retryMs: number;
  retryMostMs: number;
  staleMs: number;
  paceMs: number;
  gapMs: number;
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
 * A room's instructions over HTTP. Connects again when the connection breaks, is silent, or stays in a gap. While the banners are
 * still drawn, it asks the service to continue after the last event.
 */
export class RoomStream {
  constructor(room: string, to: StreamTarget, options?: Partial<StreamOptions>);
  readonly room: string;
  readonly sequence: Sequence;
  readonly reconnects: number;
  get state(): StreamStateName;
  start(): void;
  stop(): void;
  /** Does not wait for the next try. */
  retryNow(): void;
}

export interface ViewClock extends PacerClock {
  frame(call: () => void): unknown;
  cancelFrame(id: any): void;
}

/** What `describe` makes a sentence of, for screen readers. */
export interface Told {
  number: number;
  count: number;
  sender: string;
  gift: string;
  receiver: string;
  worth: number;
  others: number;
}

/** What banners say: whole sentences with places such as `{gift}`. */
export interface Words {
  dir: "ltr" | "rtl";
  label: string;
  sends: string;
  sendsTo: string;
  told: string;
  toldTo: string;
  more: string;
}

/** By language. */
export const WORDS: Readonly<Record<string, Words>>;

/** The requested language, else the first supported one of the browser's, else English. */
export function languageOf(wish: string | null | undefined, browser?: readonly string[]): string;

export interface ViewOptions {
  slots: number;
  enterMs: number;
  countMs: number;
  exitMs: number;
  effectMs: number;
  announceMs: number;
  maxName: number;
  pictures: "all" | "data" | "none";
  reducedMotion: boolean | null;
  tones: readonly number[];
  /** "en", "zh", "ja", "ko", "pt" or "ar"; null: the browser's, or English. */
  lang: string | null;
  locale: string | undefined;
  /** Sentences of your own in place of some of the language's. */
  words: Readonly<Partial<Words>>;
  /** The side on which banners stand; null: where lines begin in the language. */
  align: "left" | "right" | null;
  /** Banners in slots above this number are not drawn. */
  slotsMost: number;
  describe: (told: Told, words: Words, numbers: Intl.NumberFormat) => string;
  giftPicture: (gift: Record<string, unknown>) => unknown;
  avatar: (sender: Record<string, unknown>) => unknown;
  clock: Readonly<ViewClock>;
}

export const DEFAULTS: Readonly<ViewOptions>;

/** Draws the banners of one room into an element. Needs combo-view.css. */
export class ComboView {
  constructor(element: HTMLElement, options?: Partial<ViewOptions>);
  /** What is on screen and not leaving, lowest slot first. */
  get banners(): { banner: number; slot: number; count: number }[];
  /** Whether combos are announced to screen readers. */
  announces: boolean;
  /** How many banner nodes there are, in use or not. */
  get nodes(): number;
  /** Draws one instruction; returns whether that changed what is to be seen. Throws nothing, whatever it is given. */
  draw(instruction: unknown): boolean;
  /** Lets every banner slide out. */
  clear(): void;
  /** Takes everything away at once. */
  reset(): void;
  /** Removes its nodes, and gives back frames, timers and listeners. */
  destroy(): void;
}

/** A text that can be drawn in one line, of at most this many characters. */
export function drawable(text: string, most?: number): string;
/** What to call a sender, a receiver or a gift. */
export function nameOf(who: Record<string, unknown>, most?: number): string;
/** The address of a picture that may be shown, or null. */
export function pictureAddress(value: unknown, pictures?: "all" | "data" | "none", most?: number): string | null;
