/** The JavaScript client as a program for Tests/Clients/run: lines in, verdicts and screens out. */

import { readFileSync } from "node:fs";
import { Sequence } from "../lib/combo-sequence.js";

let rooms = new Map();
let sequence = new Sequence();
const out = [];
const lines = readFileSync(0, "utf8").split("\n");
lines.pop();

for (const line of lines) {
  const at = line.indexOf(" ");
  const [word, text] = [line.slice(0, at), line.slice(at + 1)];
  if (word === "case") {
    rooms = new Map();
    sequence = new Sequence();
    continue;
  }
  const said = parse(text);
  let verdict = "ignore";
  if (isReadable(said)) {
    sequence = rooms.get(said.room) ?? new Sequence();
    rooms.set(said.room, sequence);
    verdict = word === "joined" ? sequence.acceptScreen(said) : sequence.accept(said);
  }
  out.push(`${JSON.stringify({ verdict, screen: sequence.banners })}\n`);
}
process.stdout.write(out.join(""));

/** Whether the value is an instruction of a room: a page has one `Sequence` for each room that it draws. */
function isReadable(said) {
  const isWhole = (value) => Number.isSafeInteger(value) && value >= 0;
  return typeof said?.room === "string" && typeof said.op === "string" && isWhole(said.epoch) && isWhole(said.seq);
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
