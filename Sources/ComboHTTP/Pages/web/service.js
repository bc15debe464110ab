/** service.js: the service page. Requests the service's figures once a second, and plots the differences. */

import { drawable } from "/assets/combo-text.js";
import { here, lang, setText, translate, word } from "/assets/page-words.js";
import { Plot } from "/assets/plot.js";
import { RoomList, ask, number } from "/assets/room-list.js";

const $ = (id) => document.getElementById(id);
const POLL_MS = 1000;
const BUSIEST = 8;
/** The most rows of partitions; the rest is counted. */
const MOST_PARTITIONS = 512;
translate();
document.title = `${word("service")} · combo-consumer`;
const whole = new Intl.NumberFormat(lang);
const short = new Intl.NumberFormat(lang, { notation: "compact", maximumSignificantDigits: 3 });
const compact = (value) => (Math.abs(value) < 10 ? whole.format(Math.round(value * 10) / 10) : short.format(value));
const milliseconds = (value) => word("ms", { n: compact(value) });

const plots = $("plots");
const shares = ["median", "p99", "longest"].map((name) => word(name));
const plot = (title, series, format) => new Plot(plots, { title, series, format, least: 10 });
const throughput = plot(word("throughput"), [word("events"), word("instructions")], compact);
const lag = plot(word("lagEvents"), [word("lag")], compact);
const commits = plot(word("commitTime"), shares, milliseconds);
const lateness = plot(word("lateness"), shares, milliseconds);
const busiest = new RoomList($("busiest"), (id) => {
  try {
    return here(`/#room=${encodeURIComponent(id)}`);
  } catch {
    return "/";
  }
});

let before = null;
let failures = 0;
let timer = null;
let isAsking = false;
/** The origin of the plots' times, on the page's own clock, since the service's may jump. */
const begin = performance.now();

const STATES = ["running", "restoring", "draining", "joining", "stopped"];
const stateWord = (name) => (STATES.includes(name) ? word(name) : drawable(String(name ?? ""), 24));

const FIGURES = ["uptime", "rooms", "gifts", "instructions", "bad", "commits", "aborts"];

async function poll() {
  clearTimeout(timer);
  if (isAsking) return;
  isAsking = true;
  const started = performance.now();
  const at = (started - begin) / 1000;
  try {
    const [now, rooms] = await Promise.all([ask("/service/data"), ask(`/rooms?limit=${BUSIEST}`)]);
    failures = 0;
    show(now, at);
    const awake = Array.isArray(rooms.rooms) ? rooms.rooms.slice(0, BUSIEST) : [];
    busiest.show(awake);
    setText($("busiest-note"), awake.length === 0 ? word("noneAwake") : "");
  } catch (error) {
    failures += 1;
    setState("broken", error.sentence ?? word("unreachableRetry"));
    leaveOut(at);
    // The last figures may be outdated.
    for (const name of FIGURES) setText($(`fact-${name}`), "–");
    showPartitions([]);
    setText($("partitions-note"), "");
    busiest.forget();
  }
  isAsking = false;
  if (document.hidden) return leaveOut(at);
  // Once per second while the service answers, less often while it does not.
  const wait = failures === 0 ? POLL_MS : Math.min(5000, POLL_MS * failures);
  timer = setTimeout(poll, Math.max(100, wait - (performance.now() - started)));
}

/** Adds a hole to the plots, for a time without figures. */
function leaveOut(at) {
  before = null;
  throughput.add(at, [null, null]);
  lag.add(at, [null]);
  commits.add(at, [null, null, null]);
  lateness.add(at, [null, null, null]);
}

function show(now, at) {
  const totals = now.totals ?? {};
  const name = typeof now.state === "string" ? now.state : "";
  setState(name, stateWord(name));
  setText($("fact-group"), text(now.group));
  setText($("fact-instance"), text(now.instance));
  setText($("fact-version"), text(now.version));
  setText($("fact-uptime"), duration(number(now.uptime_s)));
  setText($("fact-rooms"), whole.format(number(now.rooms)));
  for (const name of ["gifts", "instructions", "bad", "commits", "aborts"]) {
    setText($(`fact-${name}`), whole.format(number(totals[name])));
  }

  const partitions = Array.isArray(now.partitions) ? now.partitions.filter((one) => one !== null && typeof one === "object") : [];
  throughput.add(at, ["events", "instructions"].map((name) => rate(name, totals, number(now.now))));
  // Without partitions, the lag is unknown rather than 0.
  lag.add(at, [partitions.length === 0 ? null : partitions.reduce((sum, one) => sum + Math.max(0, number(one.lag)), 0)]);
  commits.add(at, times(now.commit_ms));
  lateness.add(at, times(now.lateness_ms));
  before = { totals, now: number(now.now), instance: now.instance };
  showPartitions(partitions);
}

/** The increase per second since the previous figures; null without those, or if the service restarted in between. */
function rate(name, totals, now) {
  if (before === null || now <= before.now) return null;
  const difference = number(totals[name]) - number(before.totals[name]);
  return difference < 0 ? null : (difference * 1000) / (now - before.now);
}

const times = (all) => ["p50", "p99", "max"].map((name) => (typeof all?.[name] === "number" ? all[name] : null));

const rows = [];

/** The input in front of a partition's number, where the process has several. */
function inputOf(one) {
  return typeof one.input === "string" ? one.input + " " : "";
}

function showPartitions(partitions) {
  const shown = [...partitions].sort((a, b) => inputOf(a).localeCompare(inputOf(b)) || number(a.partition) - number(b.partition)).slice(0, MOST_PARTITIONS);
  while (rows.length < shown.length) rows.push(makeRow());
  rows.forEach((row, index) => {
    const one = shown[index];
    row.node.hidden = one === undefined;
    if (one === undefined) return;
    const isRestoring = one.state === "restoring";
    setText(row.partition, inputOf(one) + String(number(one.partition)));
    setText(row.state, stateWord(one.state));
    row.progress.hidden = !isRestoring;
    row.progress.value = number(one.restored);
    row.progress.setAttribute("aria-label", word("restored", { n: whole.format(Math.round(100 * number(one.restored))) }));
    setText(row.lag, whole.format(Math.max(0, number(one.lag))));
    setText(row.rooms, whole.format(number(one.rooms)));
  });
  const left = partitions.length - shown.length;
  const note = left > 0 ? word("andMore", { n: whole.format(left) }) : "";
  setText($("partitions-note"), partitions.length === 0 ? word("noPartition") : note);
}

function makeRow() {
  const node = document.createElement("tr");
  const partition = document.createElement("th");
  partition.scope = "row";
  const [stateCell, lagCell, rooms] = [0, 1, 2].map(() => document.createElement("td"));
  const state = document.createElement("span");
  const progress = document.createElement("progress");
  progress.max = 1;
  stateCell.append(state, progress);
  node.append(partition, stateCell, lagCell, rooms);
  $("partitions").append(node);
  return { node, partition, state, progress, lag: lagCell, rooms };
}

function duration(seconds) {
  const units = [[86400, "day"], [3600, "hour"], [60, "minute"], [1, "second"]];
  const first = Math.max(0, units.findIndex(([size]) => seconds >= size));
  const isNone = seconds < 1;
  return (isNone ? units.slice(3) : units.slice(first, first + 2))
    .map(([size, unit], index) => [Math.floor((index === 0 ? seconds : seconds % units[first][0]) / size), unit])
    .filter(([value], index) => index === 0 || value > 0)
    .map(([value, unit]) => new Intl.NumberFormat(lang, { style: "unit", unit, unitDisplay: "short" }).format(value))
    .join(" ");
}

function setState(name, sentence) {
  $("state").dataset.state = name;
  setText($("state-text"), sentence);
}

const text = (value) => (typeof value === "string" && value !== "" ? drawable(value, 80) : "–");

document.addEventListener("visibilitychange", () => {
  // A hidden page makes no requests.
  clearTimeout(timer);
  if (document.hidden) leaveOut((performance.now() - begin) / 1000);
  else poll();
});

poll();
