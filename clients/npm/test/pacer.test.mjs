import assert from "node:assert/strict";
import { test } from "node:test";
import { Pacer } from "../index.js";

class Clock {
  time = 0;
  timers = new Map();
  number = 0;
  now = () => this.time;
  after = (ms, call) => (this.timers.set(++this.number, { at: this.time + ms, call }), this.number);
  cancelAfter = (id) => this.timers.delete(id);

  goTo(time) {
    for (;;) {
      const due = [...this.timers].filter(([, { at }]) => at <= time).sort((a, b) => a[1].at - b[1].at)[0];
      if (due === undefined) break;
      this.timers.delete(due[0]);
      this.time = Math.max(this.time, due[1].at);
      due[1].call();
    }
    this.time = time;
  }
}

function drawn(paceMs, arrivals) {
  const clock = new Clock();
  const pacer = new Pacer(paceMs, clock);
  const out = [];
  for (const [came, at] of arrivals) {
    clock.goTo(came);
    pacer.hold(at, () => out.push([at, clock.time]));
  }
  clock.goTo(1e9);
  return out;
}

test("batches of 100 ms get their rhythm back, whatever the clocks say", () => {
  for (const skew of [0, 86_400_000, -3_600_000]) {
    const said = Array.from({ length: 200 }, (_, index) => index * 30);
    const out = drawn(500, said.map((at) => [Math.floor(at / 100) * 100 + 150, at + skew]));
    const steps = out.map(([, time], index) => time - (out[index - 1]?.[1] ?? 0)).slice(20);
    assert.deepEqual(new Set(steps), new Set([30]));
  }
});

test("nothing waits longer than paceMs, and what is later is drawn at once", () => {
  const said = Array.from({ length: 300 }, (_, index) => index * 90);
  const arrivals = said.map((at) => [at > 5000 && at < 9000 ? 9000 : at + 30, at]);
  for (const [index, [, time]] of drawn(500, arrivals).entries()) assert.ok(time - arrivals[index][0] <= 500);
});

test("a delay counts for its stretch of time and the next one, and not for another connection", () => {
  const clock = new Clock();
  const pacer = new Pacer(500, clock);
  const out = [];
  const hold = (name, at) => pacer.hold(at, () => out.push([name, clock.time]));
  clock.goTo(400);
  hold("a", 0);
  clock.goTo(1000);
  hold("b", 1000);
  assert.deepEqual(out, [["a", 400]]);
  pacer.reset();
  assert.deepEqual(out.pop(), ["b", 1000]);
  hold("c", 1000);
  assert.deepEqual(out.pop(), ["c", 1000]);
  clock.goTo(1400);
  hold("d", 1000);
  clock.goTo(7000);
  hold("e", 7000);
  assert.deepEqual(out.pop(), ["d", 1400]);
  clock.goTo(12_001);
  assert.deepEqual(out.pop(), ["e", 7400]);
  hold("f", 12_001);
  assert.deepEqual(out.pop(), ["f", 12_001]);
});

test("a page that sleeps holds no more than a thousand", () => {
  const clock = new Clock();
  const pacer = new Pacer(500, clock);
  let drawn = 0;
  const hold = (count) => {
    for (let number = 0; number < count; number++) pacer.hold(clock.time, () => (drawn += 1));
  };
  clock.goTo(900);
  pacer.hold(0, () => {});
  hold(1000);
  assert.equal(clock.timers.size, 1);
  clock.goTo(1399);
  assert.equal(drawn, 0);
  clock.goTo(1400);
  assert.equal(drawn, 1000);
  hold(1000);
  assert.equal(drawn, 1000);
  hold(1);
  assert.equal(drawn, 2001);
});

test("what has no time is drawn as it comes", () => {
  assert.deepEqual(drawn(500, [[5, undefined], [7, "x"]]), [[undefined, 5], ["x", 7]]);
});
