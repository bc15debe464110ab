/** rooms.js: the preview page. Pick or search a room, and see its banners as a viewer would. */

import { drawable } from "/assets/combo-text.js";
import { ComboView } from "/assets/combo-view.js";
import { RoomStream } from "/assets/combo-client.js";
import { RoomList, ask } from "/assets/room-list.js";

const $ = (id) => document.getElementById(id);
const REFRESH_MS = 2000;
const LOG_ROWS = 40;
const whole = new Intl.NumberFormat();
const tenths = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

const view = new ComboView($("stage"), { label: "Banners on screen" });
let stream = null;
/** The room that is watched; null = none. */
let room = null;

// The room that is watched is in the address, so that it can be kept and sent: #room=ID.

function roomOfAddress() {
  const match = /^#room=(.+)$/.exec(location.hash);
  if (match === null) return null;
  try {
    return decodeURIComponent(match[1]);
  } catch {
    return null;
  }
}

const addressOf = (id) => {
  try {
    return `#room=${encodeURIComponent(id)}`;
  } catch {
    // A lone surrogate: no service has such a room.
    return "#";
  }
};

function watch(id) {
  if (id === room && stream !== null) return;
  stream?.stop();
  view.reset();
  clearLog();
  room = id;
  const name = id === null ? "No room" : drawable(id, 60) || "?";
  $("room-name").textContent = name;
  document.title = id === null ? "Rooms · combo-consumer" : `${name} · combo-consumer`;
  for (const fact of ["banners", "queued", "rate", "gifts", "epoch", "seq"]) $(`fact-${fact}`).textContent = "–";
  list.choose(id);
  if (id === null) {
    stream = null;
    showState({ name: "idle", sentence: "" });
    return;
  }
  $("state").dataset.state = "idle";
  stream = new RoomStream(id, {
    draw: (instruction) => view.draw(instruction),
    clear: () => view.clear(),
    seen: (instruction, verdict) => {
      if (instruction !== null && typeof instruction === "object") log(instruction, verdict);
      showPlace();
    },
    state: showState,
  });
  stream.start();
  showPlace();
}

const STATES = {
  idle: "Pick a room",
  connecting: "Connecting",
  live: "Live",
  waiting: "Waiting for the screen",
  broken: "Reconnecting",
  refused: "Not available",
  stopped: "Stopped",
};

function showState({ name, sentence }) {
  // Trying again changes nothing for the viewer, and is not said each time.
  const before = $("state").dataset.state;
  if (name === "connecting" && (before === "broken" || before === "refused")) return;
  $("state").dataset.state = name;
  setText($("state-text"), STATES[name] ?? name);
  $("stage").dataset.stale = name === "broken" || name === "refused" ? "yes" : "no";
  const isTold = name === "broken" || name === "refused" || name === "waiting";
  setText($("stage-note"), name === "idle" ? "Pick a room, or type its id." : isTold ? drawable(sentence, 300) : "");
  showPlace();
}

function showPlace() {
  if (stream === null) return;
  const { epoch, seq, gaps } = stream.sequence;
  setText($("fact-epoch"), epoch > 0 ? String(epoch) : "–");
  setText($("fact-seq"), epoch > 0 ? whole.format(seq) : "–");
  setText($("fact-gaps"), whole.format(gaps));
  setText($("fact-reconnects"), whole.format(stream.reconnects));
  setText($("fact-banners"), whole.format(view.banners.length));
}

// The last instructions. Rows are used again; drawn once a frame at most, however many come.

const logRows = [];
const logged = [];
let logFrame = null;

function log(instruction, verdict) {
  logged.push({
    op: drawable(String(instruction.op), 12),
    text: wordsOf(instruction),
    count: Number.isSafeInteger(instruction.count) ? `×${whole.format(instruction.count)}` : "",
    isMissed: verdict === "wait" || verdict === "clear",
  });
  if (logged.length > LOG_ROWS) logged.shift();
  logFrame ??= requestAnimationFrame(drawLog);
}

function wordsOf({ op, banner, slot, sender, gift, banners, reason }) {
  const name = (who) => drawable(String(who?.name ?? who?.id ?? "?").slice(0, 400), 24);
  switch (op) {
    case "show":
    case "skip": return `#${banner} ${name(sender)} · ${name(gift)}`;
    case "move_up": return `#${banner} to slot ${slot}`;
    case "dismiss": return `#${banner} ${drawable(String(reason ?? ""), 12)}`;
    case "screen": {
      const count = Array.isArray(banners) ? banners.length : 0;
      return count === 1 ? "1 banner" : `${count} banners`;
    }
    default: return banner === undefined ? "" : `#${banner}`;
  }
}

function drawLog() {
  logFrame = null;
  while (logRows.length < Math.min(LOG_ROWS, logged.length)) {
    const row = document.createElement("li");
    row.append(document.createElement("b"), document.createElement("bdi"), document.createElement("span"));
    $("log").append(row);
    logRows.push(row);
  }
  logRows.forEach((row, index) => {
    // The newest stands first.
    const entry = logged[logged.length - 1 - index];
    row.hidden = entry === undefined;
    if (entry === undefined) return;
    row.dataset.op = entry.op;
    row.dataset.missed = entry.isMissed ? "yes" : "no";
    setText(row.children[0], entry.op);
    setText(row.children[1], entry.text);
    setText(row.children[2], entry.count);
  });
}

function clearLog() {
  logged.length = 0;
  drawLog();
}

// The rooms.

const list = new RoomList($("room-list"), addressOf);
let refreshTimer = null;
let asking = null;

async function refresh() {
  clearTimeout(refreshTimer);
  asking?.abort();
  const abort = (asking = new AbortController());
  const prefix = $("query").value.trim();
  try {
    const answer = await ask(`/rooms?limit=50&prefix=${encodeURIComponent(prefix.toWellFormed?.() ?? prefix)}`, abort);
    if (abort.signal.aborted) return;
    const rooms = Array.isArray(answer.rooms) ? answer.rooms : [];
    list.show(rooms);
    const isNone = rooms.length === 0;
    const whyNone = prefix === "" ? "No room has had gifts lately." : "No such room is awake. Enter opens it all the same.";
    setText($("rooms-note"), isNone ? whyNone : "");
    showFacts(rooms.find((one) => one.room === room) ?? (room !== null && (await alone(room, abort))));
    if (room === null && roomOfAddress() === null && !isNone && typeof rooms[0].room === "string") {
      // The busiest, so that there is something to see. Not into the history: going back leads out of the page.
      history.replaceState(null, "", addressOf(rooms[0].room));
      watch(rooms[0].room);
      showFacts(rooms[0]);
    }
  } catch (error) {
    if (!abort.signal.aborted) setText($("rooms-note"), error.sentence ?? "The service cannot be reached. Trying again.");
  } finally {
    if (asking === abort && !document.hidden) refreshTimer = setTimeout(refresh, REFRESH_MS);
  }
}

/** The room that is watched, where it is not among the busiest. */
async function alone(id, abort) {
  try {
    const answer = await ask(`/rooms?limit=1&prefix=${encodeURIComponent(id)}`, abort);
    return answer.rooms?.find((one) => one.room === id);
  } catch {
    return undefined;
  }
}

function showFacts(one) {
  if (!one) return;
  setText($("fact-queued"), whole.format(one.queued));
  setText($("fact-gifts"), whole.format(one.gifts));
  setText($("fact-rate"), tenths.format(one.rate));
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Keyboard: "/" searches, the arrows walk through the rooms, Escape empties the search.

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = event.target instanceof HTMLInputElement;
  if (event.key === "/" && !isTyping) {
    event.preventDefault();
    $("query").focus();
  } else if (event.key === "Escape" && event.target === $("query") && $("query").value !== "") {
    $("query").value = "";
    refresh();
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    if (list.walk(event.key === "ArrowDown" ? 1 : -1, event.target === $("query"))) event.preventDefault();
    else if (event.key === "ArrowUp" && list.hasFocus) {
      event.preventDefault();
      $("query").focus();
    }
  }
});

let typing = null;
$("query").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(refresh, 150);
});
$("search").addEventListener("submit", (event) => {
  event.preventDefault();
  const id = $("query").value.trim();
  if (id !== "") location.hash = addressOf(id);
});

addEventListener("hashchange", () => watch(roomOfAddress()));
document.querySelector(".skip-link").addEventListener("click", (event) => {
  // The room stays in the address.
  event.preventDefault();
  $("stage").focus();
});
addEventListener("online", () => stream?.retryNow());
document.addEventListener("visibilitychange", () => {
  if (document.hidden) clearTimeout(refreshTimer);
  else {
    stream?.retryNow();
    refresh();
  }
});
addEventListener("pagehide", () => stream?.stop());
addEventListener("pageshow", (event) => {
  if (event.persisted) stream?.start();
});

watch(roomOfAddress());
refresh();
