import assert from "node:assert/strict";
import { test } from "node:test";
import { drawable, nameOf, pictureAddress } from "../index.js";
import { emoji, firstLetter, hash } from "../lib/combo-text.js";

test("a text is cut after its characters, however many parts each has, and says so", () => {
  assert.equal(drawable("abc", 3), "abc");
  assert.equal(drawable("abcd", 3), "abc…");
  assert.equal(drawable("👩‍👩‍👧‍👦👍🏽é🇩🇪x", 4), "👩‍👩‍👧‍👦👍🏽é🇩🇪…");
  // A letter with many marks is one character, but not a real one.
  assert.equal(drawable("a" + "\u0301".repeat(23), 4), "a" + "\u0301".repeat(23));
  assert.equal(drawable("a" + "\u0301".repeat(24) + "b", 4), "a" + "\u0301".repeat(7) + "b");
  // Only the beginning of a very long text is read.
  assert.equal(drawable("x" + " ".repeat(100), 3), "x…");
});

test("what would change the text around it, or takes no room, is left out, and spaces are one", () => {
  assert.equal(drawable(" a\u202eb\u2066c\ufeff\n\t  d ", 20), "abc d");
  assert.equal(drawable("a\ud800b", 20), "a\ufffdb");
  assert.equal(drawable("\u202e \u0000", 20), "");
});

test("a name is the first text that shows anything: the name, then the id", () => {
  assert.equal(nameOf({ name: "Ann", id: "u1" }, 20), "Ann");
  assert.equal(nameOf({ name: " \u202e", id: "u1" }, 20), "u1");
  assert.equal(nameOf({ name: { first: "Ann" }, id: 17 }, 20), "17");
  assert.equal(nameOf({ name: "Annabelle" }, 3), "Ann…");
  assert.equal(nameOf({ name: "", id: null }, 20), "?");
});

test("only an https address without a login, and a bitmap's own data, are a picture's", () => {
  const data = "data:image/png;base64,AAAA";
  assert.equal(pictureAddress("https://a.example/x.png?y=1"), "https://a.example/x.png?y=1");
  assert.deepEqual(["all", "data", "none"].map((pictures) => pictureAddress(data, pictures)), [data, data, null]);
  assert.deepEqual(["all", "data", "none"].map((pictures) => pictureAddress("https://a.example/x", pictures)), ["https://a.example/x", null, null]);
  assert.deepEqual([26, 25].map((most) => pictureAddress(data, "all", most)), [data, null]);
  const long = `https://a.example/${"x".repeat(4096 - 18)}`;
  assert.deepEqual([pictureAddress(long), pictureAddress(`${long}x`), pictureAddress("data:image/svg+xml;base64,AAAA")], [long, null, null]);
  for (const other of ["http://a.example/x.png", "https://u@a.example/x", "https://:p@a.example/x", "javascript:alert(1)", "x.png", "", null, 5]) {
    assert.equal(pictureAddress(other), null, String(other));
  }
});

test("a gift without a picture has an emoji or a letter, and a color of its own", () => {
  assert.deepEqual(["🎁", "🇩🇪", "a", "", "🎁".repeat(20), null].map(emoji), ["🎁", "🇩🇪", null, null, null, null]);
  assert.deepEqual(["ann", "éa", ""].map(firstLetter), ["A", "É", "?"]);
  // FNV-1a of these, from draft-eastlake-fnv, appendix C.
  for (const [text, value] of [["", 0x811c9dc5], ["a", 0xe40c292c], ["foobar", 0xbf9cf968]]) assert.equal(hash(text), (value ^ (value >>> 15)) >>> 0);
  assert.equal(hash("x".repeat(256)), hash("x".repeat(300)));
  assert.notEqual(hash("x".repeat(256)), hash("x".repeat(255)));
});
