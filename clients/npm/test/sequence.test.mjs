import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { Sequence } from "../index.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const say = (op, seq, more = {}) => ({ v: 1, room: "r1", epoch: 1000, seq, at: 1000, op, ...more });

test("the client suite agrees with every verdict and screen", () => {
  const done = spawnSync(`${root}Tests/Clients/run`, ["node", fileURLToPath(new URL("suite-client.mjs", import.meta.url))], { encoding: "utf8" });
  assert.equal(done.status, 0, done.stdout + done.stderr);
});

test("whatever it is given, it throws nothing and stays small", () => {
  const sequence = new Sequence();
  for (const odd of [undefined, null, 5, "x", [], {}, () => {}, Symbol("x"), { epoch: 1, seq: 1 }, say("show", 1n), new Proxy({}, {})]) {
    assert.equal(sequence.accept(odd), "ignore");
    assert.equal(sequence.acceptScreen(odd), "ignore");
  }
  for (let seq = 1; seq <= 1000; seq += 1) sequence.accept(say("show", seq, { banner: seq, slot: 0, count: 1 }));
  assert.equal(sequence.banners.length, 100);
});

test("what it hands out is a copy", () => {
  const sequence = new Sequence();
  sequence.accept(say("show", 1, { banner: 1, slot: 0, count: 1 }));
  sequence.banners[0].count = 99;
  assert.equal(sequence.banners[0].count, 1);
});

test("gaps, missed instructions, repetitions and malformed ones are counted", () => {
  const sequence = new Sequence();
  for (const one of [say("show", 1, { banner: 1, slot: 0, count: 1 }), say("show", 1), say("update", 5, { banner: 1, count: 2 }), "x"]) sequence.accept(one);
  assert.deepEqual([sequence.gaps, sequence.missed, sequence.repeated, sequence.malformed], [1, 4, 1, 1]);
  for (const one of [say("screen", 4, { banners: [] }), say("screen", 9), say("show", 9)]) assert.equal(sequence.acceptScreen(one), "ignore");
  assert.deepEqual([sequence.gaps, sequence.missed, sequence.repeated, sequence.malformed], [1, 4, 2, 3]);
  for (const one of [say("update", 6, { banner: 1 }), say("show", 7), say("screen", 8)]) assert.equal(sequence.accept(one), "ignore");
  assert.deepEqual([sequence.gaps, sequence.missed, sequence.repeated, sequence.malformed], [1, 4, 2, 6]);
});
