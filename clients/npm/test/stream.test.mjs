import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { EventParser, RoomStream } from "../index.js";

const say = (op, seq, more = {}) => ({ v: 1, room: "r1", epoch: 1000, seq, at: 1000, op, ...more });
const event = (type, value) => `event: ${type}\ndata: ${JSON.stringify(value)}\n\n`;

/** A service at an origin of its own. `answer(request, response, number)` is called for each request. */
async function service(answer) {
  const requests = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response, requests.length);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { base: `http://127.0.0.1:${server.address().port}`, requests, stop: () => (server.closeAllConnections(), server.close()) };
}

/** A stream, with a record of its calls. `until(is)` resolves once `is` holds, which is checked after each call. */
function follow(base, options = {}) {
  const heard = { drawn: [], cleared: 0, states: [] };
  const waits = [];
  const look = () => waits.filter(({ is }) => is(heard)).forEach((one) => (waits.splice(waits.indexOf(one), 1), one.resolve(heard)));
  const stream = new RoomStream("r 1/é", {
    draw: (one) => (heard.drawn.push(one), look()),
    clear: () => ((heard.cleared += 1), look()),
    state: (one) => (heard.states.push(one), look()),
  }, { base, retryMs: 1, retryMostMs: 5, paceMs: 0, ...options });
  return { stream, heard, until: (is) => new Promise((resolve) => (waits.push({ is, resolve }), look())) };
}

const begin = (response) => response.writeHead(200, { "Content-Type": "text/event-stream", "Access-Control-Allow-Origin": "*" });

test("another origin's stream is read, with a request that needs no preflight", async () => {
  const { base, requests, stop } = await service((_, response) => {
    begin(response);
    response.write(event("screen", say("screen", 4, { banners: [] })));
    response.write(event("instruction", say("show", 5, { banner: 1, slot: 0, count: 3 })));
  });
  const { stream, until } = follow(base);
  stream.start();
  const { drawn } = await until(({ drawn }) => drawn.length === 2);
  stream.stop();
  stop();
  assert.deepEqual(drawn.map(({ op }) => op), ["screen", "show"]);
  assert.equal(requests[0].url, `/rooms/${encodeURIComponent("r 1/é")}/events`);
  assert.equal(requests[0].method, "GET");
  // These are the client's own, as a browser has its own. A page may send the remaining one to another origin without preflight.
  const own = new Set(["host", "connection", "user-agent", "sec-fetch-mode", "accept-encoding", "accept-language", "cache-control", "pragma"]);
  assert.deepEqual(Object.keys(requests[0].headers).filter((name) => !own.has(name)), ["accept"]);
});

test("a connection that breaks is made anew, and nothing is drawn twice", async () => {
  const { base, stop } = await service((_, response, number) => {
    begin(response);
    response.write(event("screen", say("screen", number, { banners: [{ banner: 1, slot: 0, count: 2 }] })));
    response.write(event("instruction", say("update", 1, { banner: 1, slot: 0, count: 1 })));
    if (number < 3) setImmediate(() => response.destroy());
  });
  const { stream, heard, until } = follow(base);
  stream.start();
  await until(({ drawn }) => drawn.length === 3);
  stream.stop();
  stop();
  assert.deepEqual(heard.drawn.map(({ op, seq }) => [op, seq]), [["screen", 1], ["screen", 2], ["screen", 3]]);
  assert.ok(stream.reconnects >= 2);
});

test("a refusal is told in the service's words", async () => {
  const { base, stop } = await service((_, response) => {
    response.writeHead(404, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ error: "this room is another instance's" }));
  });
  const { stream, until } = follow(base);
  stream.start();
  const { states } = await until(({ states }) => states.some(({ name }) => name === "refused"));
  stream.stop();
  stop();
  assert.equal(states.find(({ name }) => name === "refused").sentence, "This room is another instance's.");
});

test("a gap that no screen fills leads to another connection", async () => {
  const { base, requests, stop } = await service((_, response) => {
    begin(response);
    response.write(event("screen", say("screen", 1, { banners: [{ banner: 1, slot: 0, count: 2 }] })));
    response.write(event("instruction", say("update", 9, { banner: 1, slot: 0, count: 5 })));
  });
  const { stream, until } = follow(base, { gapMs: 5 });
  stream.start();
  await until(({ cleared, states }) => cleared > 0 && states.filter(({ name }) => name === "connecting").length > 1);
  stream.stop();
  stop();
  assert.ok(requests.length >= 1);
});

const numbered = (type, value) => `event: ${type}\nid: ${value.epoch}-${value.seq}\ndata: ${JSON.stringify(value)}\n\n`;
const banner = { banner: 1, slot: 0, count: 2 };
const show = numbered("instruction", say("show", 2, { ...banner, banner: 2, slot: 1 }));

test("a new connection asks another origin by the query to continue after the last event, and draws what it missed", async () => {
  const { base, requests, stop } = await service((_, response, number) => {
    begin(response);
    if (number === 1) {
      response.write(numbered("screen", say("screen", 1, { banners: [banner] })) + show);
      setImmediate(() => response.destroy());
    } else {
      response.write(": alive\n\n" + numbered("instruction", say("update", 3, { ...banner, count: 5 })));
    }
  });
  const { stream, until } = follow(base);
  stream.start();
  const { drawn, cleared, states } = await until(({ drawn }) => drawn.length === 3);
  assert.deepEqual(stream.sequence.banners.map(({ banner, count }) => [banner, count]), [[1, 5], [2, 2]]);
  stream.stop();
  stop();
  assert.deepEqual(drawn.map(({ op, seq }) => [op, seq]), [["screen", 1], ["show", 2], ["update", 3]]);
  assert.equal(cleared, 0);
  assert.deepEqual(states.map(({ name }) => name), ["connecting", "live", "broken", "connecting", "live", "stopped"]);
  assert.equal(requests[1].url, `${requests[0].url}?last_event_id=1000-2`);
  assert.equal(requests[1].headers["last-event-id"], undefined);
});

test("the own origin is asked by the header Last-Event-ID", async () => {
  const asked = [];
  let done;
  const twice = new Promise((resolve) => (done = resolve));
  const answer = (address, { headers }) => {
    asked.push([address, headers["Last-Event-ID"]]);
    if (asked.length === 2) done();
    return Promise.resolve(new Response(numbered("screen", say("screen", 7, { banners: [] }))));
  };
  const stream = new RoomStream("r1", { draw() {}, clear() {} }, { fetch: answer, retryMs: 1 });
  stream.start();
  await twice;
  stream.stop();
  assert.deepEqual(asked, [["/rooms/r1/events", undefined], ["/rooms/r1/events", "1000-7"]]);
});

/** Returns what a stream that stays open draws and clears, each with its time, once there are `count`. */
async function drawnOf(text, count) {
  const order = [];
  let done;
  const enough = new Promise((resolve) => (done = resolve));
  const note = (name) => {
    order.push({ name, time: performance.now() });
    if (order.length === count) done();
  };
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(text)) });
  const stream = new RoomStream("r1", { draw: ({ seq }) => note(seq), clear: () => note("clear") }, { fetch: async () => new Response(body) });
  stream.start();
  await enough;
  stream.stop();
  return order;
}

test("what comes in one piece is drawn in its own time, and is not held beyond a clear or a screen", async () => {
  const update = (seq, at) => event("instruction", say("update", seq, { ...banner, at }));
  const text = event("screen", say("screen", 1, { banners: [banner] })) + update(2, 1000) + update(3, 1060);
  const paced = await drawnOf(text, 3);
  assert.deepEqual(paced.map(({ name }) => name), [1, 2, 3]);
  assert.ok(paced[2].time - paced[1].time >= 50);
  assert.deepEqual((await drawnOf(text + update(9, 1060), 4)).map(({ name }) => name), [1, 2, 3, "clear"]);
  const screen = event("screen", say("screen", 4, { banners: [] }));
  assert.deepEqual((await drawnOf(text + screen, 4)).map(({ name }) => name), [1, 2, 3, 4]);
});

test("why the service ends a stream is told, in its words if it has any", async () => {
  for (const [type, data, code, sentence] of [
    ["dropped", {}, "slow", "This page read too slowly and was dropped."],
    ["closing", {}, "stopping", "The service is stopping."],
    ["closing", { reason: "stopping", sentence: "it is being updated" }, "stopping", "It is being updated."],
    ["closing", { reason: "moved", sentence: "another instance has the room" }, "said", "Another instance has the room."],
  ]) {
    const { base, stop } = await service((_, response) => {
      begin(response);
      response.write(event(type, data));
    });
    const { stream, until } = follow(base);
    stream.start();
    const { states } = await until(({ states }) => states.some(({ name }) => name === "broken"));
    stream.stop();
    stop();
    const broken = states.find(({ name }) => name === "broken");
    assert.deepEqual([broken.code, broken.sentence], [code, sentence]);
  }
});

test("a stream that was stopped begins with a screen when it is started again", async () => {
  const asked = [];
  let told;
  const drawn = () => new Promise((resolve) => (told = resolve));
  const answer = (_, { headers }) => {
    asked.push(headers["Last-Event-ID"]);
    return Promise.resolve(new Response(numbered("screen", say("screen", 6 + asked.length, { banners: [] }))));
  };
  const stream = new RoomStream("r1", { draw: () => told(), clear() {} }, { fetch: answer });
  for (let time = 0; time < 2; time++) {
    const screen = drawn();
    stream.start();
    await screen;
    stream.stop();
  }
  assert.deepEqual(asked, [undefined, undefined]);
});

test("a quiet room counts as live again with the first byte of a stream that continues", async () => {
  const { base, stop } = await service((_, response, number) => {
    begin(response);
    if (number === 1) {
      response.write(numbered("screen", say("screen", 1, { banners: [banner] })));
      setImmediate(() => response.destroy());
    } else {
      response.write(": alive\n\n");
    }
  });
  const { stream, heard, until } = follow(base, { staleMs: 60_000 });
  stream.start();
  await until(({ states }) => states.filter(({ name }) => name === "live").length === 2);
  stream.stop();
  stop();
  assert.equal(heard.cleared, 0);
});

test("after a gap, and after the banners were removed, a new connection asks for a screen", async () => {
  for (const [second, options] of [[numbered("instruction", say("update", 15, banner)), { gapMs: 60_000 }], ["", { staleMs: 0, retryMs: 100, retryMostMs: 100 }]]) {
    const { base, requests, stop } = await service((_, response, number) => {
      begin(response);
      response.write(numbered("screen", say("screen", number * 10, { banners: [banner] })) + (number === 1 ? second : ""));
      if (number === 1) setImmediate(() => response.destroy());
    });
    const { stream, until } = follow(base, options);
    stream.start();
    await until(({ drawn, cleared }) => cleared === 1 && drawn.length === 2);
    stream.stop();
    stop();
    assert.ok(requests.every(({ url }) => !url.includes("?")), `${requests[1].url}`);
  }
});

test("a stream that was asked to continue is left if the banners are removed before it answers", async () => {
  const continues = (url) => url.includes("last_event_id=1000-1");
  const { base, requests, stop } = await service((request, response) => {
    if (continues(request.url)) return;
    begin(response);
    response.write(numbered("screen", say("screen", requests.length, { banners: [banner] })));
    if (requests.length === 1) setImmediate(() => response.destroy());
  });
  // Not what arrives at the service: on a slow machine the second request is given up before it is sent.
  const asked = [];
  const { stream, until } = follow(base, { staleMs: 50, fetch: (url, options) => (asked.push(continues(url)), fetch(url, options)) });
  stream.start();
  await until(({ cleared, drawn }) => cleared > 0 && drawn.length === 2);
  stream.stop();
  stop();
  assert.deepEqual(asked, [false, true, false]);
});

test("what changes nothing keeps its place among what is paced", async () => {
  const at = 5_000_000;
  const { base, stop } = await service((_, response) => {
    begin(response);
    response.write(event("screen", say("screen", 1, { banners: [] })));
    response.write(event("instruction", say("show", 2, { at, banner: 1, slot: 0, count: 1 })));
    response.write(event("instruction", say("skip", 3, { at: at + 1 })));
    response.write(event("instruction", say("update", 4, { at: at + 40, banner: 1, slot: 0, count: 2 })));
  });
  const seen = [];
  let done;
  const all = new Promise((resolve) => (done = resolve));
  const stream = new RoomStream("r1", {
    draw() {}, clear() {},
    seen: ({ op }, verdict) => (seen.push([op, verdict, performance.now()]), seen.length === 4 && done()),
  }, { base });
  stream.start();
  await all;
  stream.stop();
  stop();
  assert.deepEqual(seen.map(([op, verdict]) => [op, verdict]), [["screen", "draw"], ["show", "draw"], ["skip", "ignore"], ["update", "draw"]]);
});

test("events are read however they are cut", () => {
  const text = ': alive\n\nevent: screen\r\nid: 1-2\r\ndata: {"a":\ndata:1}\r\n\r\nevent: x\rdata: ü\r\rid: 5\n\ndata\n\n';
  for (let size = 1; size <= text.length; size += 1) {
    const parser = new EventParser();
    const events = [];
    for (let at = 0; at < text.length; at += size) events.push(...parser.push(text.slice(at, at + size)));
    assert.equal(parser.lastId, "5");
    assert.deepEqual(events, [{ type: "screen", data: '{"a":\n1}' }, { type: "x", data: "ü" }, { type: "message", data: "" }]);
  }
});

test("an event may be as long as the limit, and no longer", () => {
  const parser = new EventParser();
  for (let pieces = 0; pieces < 4; pieces += 1) {
    parser.push("x".repeat(1 << 20));
    assert.equal(parser.isTooLong, false);
  }
  parser.push("x");
  assert.equal(parser.isTooLong, true);
});
