/** rooms.js: the preview page. Pick or search a room, and see its banners as a viewer would. */

import { drawable } from "/assets/combo-text.js";
import { ComboView } from "/assets/combo-view.js";
import { RoomStream, STREAM_DEFAULTS } from "/assets/combo-client.js";
import { Given } from "/assets/given.js";
import { lang, setText, translate, word } from "/assets/page-words.js";
import { RoomList, ask } from "/assets/room-list.js";

const $ = (id) => document.getElementById(id);
const REFRESH_MS = 2000;
const LOG_ROWS = 40;
const whole = new Intl.NumberFormat(lang);
const tenths = new Intl.NumberFormat(lang, { maximumFractionDigits: 1 });
const FACTS = ["banners", "queued", "rate", "gifts", "epoch", "seq"];

translate();
const view = new ComboView($("stage"), { lang, words: { label: word("bannersOnScreen") } });
const given = new Given($("given"), $("given-note"));
let stream = null;
/** The room that is watched, or null. */
let room = null;

// The address contains the watched room, so that it can be bookmarked and shared: #room=ID. ?room=ID works, too.

function roomOfAddress() {
  const match = /^#room=(.+)$/.exec(location.hash);
  if (match === null) return new URLSearchParams(location.search).get("room") || null;
  try {
    return decodeURIComponent(match[1]);
  } catch {
    return null;
  }
}

// Only the hash changes, so the language in the address stays.
const addressOf = (id) => {
  try {
    return `#room=${encodeURIComponent(id)}`;
  } catch {
    // A lone surrogate: no room has such an id.
    return "#";
  }
};

function watch(id) {
  if (id === room && stream !== null) return;
  stream?.stop();
  view.reset();
  clearLog();
  room = id;
  given.clear();
  const name = id === null ? word("noRoom") : drawable(id, 60) || "?";
  $("room-name").textContent = name;
  document.title = `${id === null ? word("rooms") : name} · combo-consumer`;
  forgetFacts();
  list.choose(id);
  if (id === null) {
    stream = null;
    showState({ name: "idle" });
    return;
  }
  $("state").dataset.state = "idle";
  isAsleep = false;
  stream = new RoomStream(id, {
    draw: (instruction) => view.draw(instruction),
    clear: () => view.clear(),
    seen: (instruction, verdict) => {
      if (instruction !== null && typeof instruction === "object") {
        log(instruction, verdict);
        given.take(instruction);
        // Only a room that is awake emits instructions; the stream of a sleeping one begins with an empty screen with epoch 0.
        setAsleep(instruction.op === "screen" && instruction.epoch === 0);
      }
      showPlace();
    },
    state: showState,
  });
  stream.start();
  showPlace();
}

/** The connection's last reported state, and whether the room sleeps. */
let lastState = { name: "idle" };
let isAsleep = false;
let countdown = null;

/** Sets whether the room sleeps. A sleeping or unknown room is not live, even if the connection is. */
function setAsleep(isNow) {
  if (isAsleep === isNow) return;
  isAsleep = isNow;
  if (lastState.name === "live") showState(lastState);
}

function showState(state) {
  lastState = state;
  const { name } = state;
  clearInterval(countdown);
  const isAway = name === "broken" || name === "refused";
  // A retry changes nothing for the viewer, so the state is not updated.
  const before = $("state").dataset.state;
  if (name === "connecting" && (before === "broken" || before === "refused")) {
    setText($("stage-note"), word("trying"));
    return;
  }
  const shown = name === "live" && isAsleep ? "asleep" : name;
  $("state").dataset.state = shown;
  setText($("state-text"), word(`state${shown[0].toUpperCase()}${shown.slice(1)}`));
  $("stage").dataset.stale = isAway ? "yes" : "no";
  showNote(shown);
  if (isAway) {
    // The room's data may be outdated.
    forgetFacts();
    countdown = setInterval(() => showNote(shown), 500);
  } else showPlace();
}

function showNote(shown) {
  setText($("stage-note"), noteOf(shown));
}

function noteOf(shown) {
  if (shown === "idle") return word("pick");
  if (shown === "asleep") return word("asleep");
  const { code, sentence, retryAt } = lastState;
  if (shown === "waiting") return word("gap");
  if (shown !== "broken" && shown !== "refused") return "";
  // The service's own sentence, if there is no other explanation.
  const why = code === "said" ? drawable(sentence, 300) : word(code, { s: whole.format(STREAM_DEFAULTS.silenceMs / 1000) });
  const seconds = Math.ceil((retryAt - performance.now()) / 1000);
  return `${why} ${seconds > 0 ? word("retry", { s: whole.format(seconds) }) : word("trying")}`;
}

function forgetFacts() {
  for (const fact of FACTS) setText($(`fact-${fact}`), "–");
}

function showPlace() {
  if (stream === null) return;
  const { epoch, seq, gaps } = stream.sequence;
  setText($("fact-gaps"), whole.format(gaps));
  setText($("fact-reconnects"), whole.format(stream.reconnects));
  if (lastState.name === "broken" || lastState.name === "refused") return;
  setText($("fact-epoch"), epoch > 0 ? String(epoch) : "–");
  setText($("fact-seq"), epoch > 0 ? whole.format(seq) : "–");
  setText($("fact-banners"), whole.format(view.banners.length));
}

// The last instructions. Rows are reused, and drawn at most once per frame.

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
    case "final":
    case "skip": return `#${banner} ${name(sender)} · ${name(gift)}`;
    case "move_up": return `#${banner} ${word("toSlot", { slot })}`;
    case "dismiss": return `#${banner} ${drawable(String(reason ?? ""), 12)}`;
    case "screen": {
      const count = Array.isArray(banners) ? banners.length : 0;
      return word("bannerCount", { n: whole.format(count) });
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
    // The newest entry is first.
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

// The list of rooms.

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
    setText($("rooms-note"), isNone ? word(prefix === "" ? "noneAwake" : "noneFound") : "");
    const watched = room;
    const mine = rooms.find((one) => one.room === room) ?? (room !== null ? await alone(room, abort) : undefined);
    if (watched === room && !abort.signal.aborted) showFacts(mine);
    if (room === null && roomOfAddress() === null && !isNone && typeof rooms[0].room === "string") {
      // The busiest room, so that there is something to see. It replaces the history entry, so that going back leaves the page.
      history.replaceState(null, "", addressOf(rooms[0].room));
      watch(rooms[0].room);
      showFacts(rooms[0]);
    }
  } catch (error) {
    if (asking === abort) {
      setText($("rooms-note"), error.sentence ?? word("unreachableRetry"));
      list.forget();
      for (const fact of ["queued", "rate", "gifts"]) setText($(`fact-${fact}`), "–");
    }
  } finally {
    if (asking === abort && !document.hidden) refreshTimer = setTimeout(refresh, REFRESH_MS);
  }
}

/** Requests a room that is not among the busiest. Returns null if it is not awake, and undefined if that is not known. */
async function alone(id, abort) {
  try {
    const answer = await ask(`/rooms?limit=50&prefix=${encodeURIComponent(id)}`, abort);
    return answer.rooms.find((one) => one.room === id) ?? (answer.rooms.length < 50 ? null : undefined);
  } catch {
    return undefined;
  }
}

function showFacts(one) {
  if (one === undefined || lastState.name === "broken" || lastState.name === "refused") return;
  // A room that falls asleep while it is watched does not report it.
  if (one === null && view.banners.length === 0) setAsleep(true);
  if (one === null) {
    for (const fact of ["queued", "rate", "gifts"]) setText($(`fact-${fact}`), "–");
    return;
  }
  // `serve` reads only instructions: it knows which gifts were shown, but not which wait.
  const knowsAll = one.queued !== undefined;
  setText($("fact-queued"), knowsAll ? whole.format(one.queued) : "–");
  setText($("name-gifts"), word(knowsAll ? "gifts" : "giftsShown"));
  setText($("fact-gifts"), whole.format(knowsAll ? one.gifts : one.shown));
  setText($("fact-rate"), tenths.format(one.rate));
}

// Keyboard: "/" focuses the search, the arrows move through the rooms, Escape clears the search.

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
  // Keeps the room in the address.
  event.preventDefault();
  $("stage").focus();
});
addEventListener("online", () => stream?.retryNow());

// Two switches, stored for the next visit.

function switchOf(id, set) {
  const button = $(id);
  let isOn = true;
  try {
    isOn = localStorage.getItem(`combo-${id}`) !== "off";
  } catch {
    // Without storage, the switch is on.
  }
  const show = () => {
    button.setAttribute("aria-pressed", String(isOn));
    set(isOn);
  };
  button.addEventListener("click", () => {
    isOn = !isOn;
    try {
      localStorage.setItem(`combo-${id}`, isOn ? "on" : "off");
    } catch {
      // The setting lasts until the page is left.
    }
    show();
  });
  show();
}

switchOf("read-out", (isOn) => (view.announces = isOn));
switchOf("moving", (isOn) => ($("stage").dataset.moving = isOn ? "yes" : "no"));
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
