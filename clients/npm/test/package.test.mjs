import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import * as client from "../index.js";

const here = fileURLToPath(new URL("../", import.meta.url));
const types = readFileSync(`${here}index.d.ts`, "utf8");

const noNpm = spawnSync("npm", ["--version"]).error && "there is no npm";

test("npm pack takes the modules, their types and styles, and nothing else", { skip: noNpm }, () => {
  const done = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: here, encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  const files = JSON.parse(done.stdout)[0].files.map(({ path }) => path);
  for (const name of ["index.js", "index.d.ts", "package.json", "README.md", "LICENSE", "lib/combo-view.js", "lib/combo-view.css", "lib/combo-sequence.js"]) {
    assert.ok(files.includes(name), name);
  }
  assert.deepEqual(files.filter((name) => !/^(lib\/combo-[a-z]+\.(js|css)|index\.(js|d\.ts)|package\.json|README\.md|LICENSE)$/.test(name)), []);
});

test("importing it needs no page", () => {
  assert.equal(typeof globalThis.document, "undefined");
  assert.equal(typeof client.ComboView, "function");
});

test("the types name exactly what is exported, and the members of each class", () => {
  const named = [...types.matchAll(/^export (?:declare )?(?:class|const|function) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(named.sort(), Object.keys(client).sort());
  for (const [, name, body] of types.matchAll(/^export (?:declare )?class (\w+) \{\n([\s\S]*?)^\}/gm)) {
    const declared = [...body.matchAll(/^ {2}(?:readonly |get |set )?(\w+)[(:<]/gm)].map(([, member]) => member).filter((member) => member !== "constructor");
    const there = new Set(Object.getOwnPropertyNames(client[name].prototype));
    const source = client[name].toString();
    for (const member of declared) assert.ok(there.has(member) || new RegExp(`^ {2}${member}( =|;)|this\\.${member} =`, "m").test(source), `${name}.${member}`);
    for (const member of there) assert.ok(member === "constructor" || declared.includes(member), `${name}.${member} has no type`);
  }
});
