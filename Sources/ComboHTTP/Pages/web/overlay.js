/**
 * overlay.js: the banners of one room and nothing else, for a browser source: /overlay?room=ID&slots=2&size=24&align=right&lang=ja
 *
 * It shows no text of its own. Without a connection it shows nothing, and it reconnects by itself. While it is hidden, it holds
 * no connection, because a browser has six for all its sources together.
 */

import { RoomStream } from "/assets/combo-client.js";
import { ComboView } from "/assets/combo-view.js";

/** The page's origin: its address may contain a user name and a password, which a request must not. */
const BASE = location.origin;
/** How long banners stay without a connection. */
const STALE_MS = 2000;
/** How long a hidden source keeps its connection, since a change of scenes may hide it for a moment only. */
const HIDDEN_MS = 5000;
const SEARCH_MS = 2000;

const query = new URLSearchParams(location.search);
const whole = (name, least, most) => {
  const value = Number(query.get(name) ?? NaN);
  return Number.isFinite(value) && value >= least && value <= most ? value : null;
};
const slots = whole("slots", 1, 100);
const size = whole("size", 8, 200);
const align = ["left", "right"].includes(query.get("align")) ? query.get("align") : null;

const stage = document.querySelector("#stage");
if (size !== null) stage.style.setProperty("--overlay-size", `${size}px`);
if (slots !== null) stage.style.setProperty("--overlay-slots", String(Math.trunc(slots)));
const view = new ComboView(stage, {
  ...(slots === null ? {} : { slots: Math.trunc(slots), slotsMost: Math.trunc(slots) }),
  align,
  lang: query.get("lang"),
  announceMs: 0,
});

let stream = null;
let room = query.get("room") || null;
let searching = null;
let hiding = null;

function begin() {
  clearTimeout(hiding);
  if (stream !== null) return stream.retryNow();
  if (room === null) return search();
  stream = new RoomStream(
    room,
    {
      draw: (instruction) => view.draw(instruction),
      clear: () => view.clear(),
      state: ({ name, sentence }) => {
        document.body.dataset.state = name;
        // For debugging, in the browser source's console rather than in the stream.
        if (sentence !== "" && name !== "connecting") console.info(`combo overlay: ${sentence}`);
      },
    },
    { base: BASE, staleMs: STALE_MS },
  );
  stream.start();
}

function end() {
  clearTimeout(searching);
  stream?.stop();
  stream = null;
  view.reset();
}

/** Finds the room if the address has none: the one that is awake, if there is just one. */
async function search() {
  clearTimeout(searching);
  try {
    const answer = await fetch(`${BASE}/rooms?limit=2`, { cache: "no-store", headers: { Accept: "application/json" } });
    const { rooms } = await answer.json();
    if (rooms.length === 1 && typeof rooms[0].room === "string") room = rooms[0].room;
    document.body.dataset.state = rooms.length > 1 ? "several-rooms" : "no-room";
    if (rooms.length > 1) console.info("combo overlay: several rooms are awake. Add ?room=ID to the address.");
  } catch {
    document.body.dataset.state = "broken";
  }
  if (document.visibilityState === "hidden") return;
  if (room !== null) return begin();
  searching = setTimeout(search, SEARCH_MS);
}

document.addEventListener("visibilitychange", () => {
  clearTimeout(hiding);
  if (document.visibilityState === "hidden") hiding = setTimeout(end, HIDDEN_MS);
  else begin();
});
addEventListener("online", () => stream?.retryNow());
addEventListener("pagehide", end);
addEventListener("pageshow", (event) => {
  if (event.persisted) begin();
});

if (document.visibilityState !== "hidden") begin();
