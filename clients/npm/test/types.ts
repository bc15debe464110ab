// Compiled, not run: what a page may write, and what the compiler must refuse.
import { ComboView, Instruction, Pacer, RoomStream, Sequence, STREAM_DEFAULTS, Verdict } from "combo-client";

const view = new ComboView(document.body, { slots: 3, pictures: "data", tones: [1, 2] });
const stream = new RoomStream("r1", { draw: (one) => view.draw(one), clear: () => view.clear(), state: ({ name, retryAt }) => [name, retryAt] }, {
  base: "https://service.example", fetch: (input, init) => fetch(input, { ...init, headers: { Authorization: "Bearer x" } }),
});
stream.start();

const sequence = new Sequence();
const verdict: Verdict = sequence.accept(JSON.parse("{}"));
if (verdict.endsWith("draw")) for (const { banner, slot, count, base, sender } of sequence.banners) [banner + slot + count + base, sender?.name];

export function told(instruction: Instruction): string {
  switch (instruction.op) {
    case "show": return `${instruction.sender.name} ×${instruction.count} (${instruction.base})`;
    case "update": return `+${instruction.added}`;
    case "move_up": return `to ${instruction.slot}`;
    case "skip": return "banners" in instruction ? `${instruction.banners} worth ${instruction.value}` : instruction.sender.id.toString();
    case "dismiss":
    case "final": return instruction.reason;
    case "screen": return `${instruction.slots ?? 2}: ` + instruction.banners.map(({ banner }) => banner).join();
  }
}

new Pacer(500).hold(1, () => view.clear());
const silence: number = STREAM_DEFAULTS.silenceMs;
[silence];

// @ts-expect-error a room is a text
new RoomStream(5, { draw() {}, clear() {} });
// @ts-expect-error there is no such option
new ComboView(document.body, { slot: 3 });
// @ts-expect-error a stream needs something to draw on
new RoomStream("r1", { clear() {} });
// @ts-expect-error no such verdict
export const wrong: Verdict = "repeated";
// @ts-expect-error read only
STREAM_DEFAULTS.paceMs = 1;
