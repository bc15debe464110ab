/** Measures how many instructions per second are parsed and accepted: node test/speed.mjs FILE…, of JSON lines. */

import { readFileSync } from "node:fs";
import { Sequence } from "../lib/combo-sequence.js";

const lines = process.argv.slice(2).flatMap((name) => readFileSync(name, "utf8").split("\n").filter((line) => line !== ""));
const said = lines.map((line) => JSON.parse(line));

function measure(name, take) {
  let best = 0;
  for (let round = 0; round < 8; round += 1) {
    const began = process.cpuUsage();
    let count = 0;
    let spent = 0;
    while (spent < 500_000) {
      const rooms = new Map();
      take((instruction) => {
        let sequence = rooms.get(instruction.room);
        if (sequence === undefined) rooms.set(instruction.room, (sequence = new Sequence()));
        sequence.accept(instruction);
      });
      count += lines.length;
      spent = process.cpuUsage(began).user;
    }
    best = Math.max(best, count / spent);
  }
  console.log(`JavaScript: ${best.toFixed(2)} million instructions a second of processor time, ${name}`);
}

measure("taken in", (accept) => said.forEach(accept));
measure("parsed and taken in", (accept) => lines.forEach((line) => accept(JSON.parse(line))));
