#!/usr/bin/env python3
"""Writes cases/*.jsonl: the cases of hand_cases.py, and cases drawn from seeds whose outcome the reference works out.

    make_cases.py            writes them, or ends with an error if the reference disagrees with a case written by hand
    make_cases.py --check    exit code 1 if the files are not what would be written
"""

import json
import pathlib
import random
import re
import sys

import hand_cases
import reference

HERE = pathlib.Path(__file__).resolve().parent
CASES = HERE / "cases"
CONFORMANCE = HERE.parent / "Conformance"


def dump(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def text_of(said):
    return said if isinstance(said, str) else dump(said)


def step(said, answer, word="instruction"):
    """A line of a case file."""
    return {"joined" if word == "joined" else "in": said, **answer}


def by_hand(name, steps):
    client = reference.Client()
    client.take("case")
    for number, (said, verdict, screen) in enumerate(steps, 1):
        word, said = said if isinstance(said, tuple) else ("instruction", said)
        answer = client.take(f"{word} {text_of(said)}")
        if isinstance(screen, str):
            places = [re.fullmatch(r"(\d+)@(\d+)x(\d+)", one).groups() for one in screen.split()]
            screen = [hand_cases.entry(*(int(part) for part in place)) for place in places]
            bases = {banner["banner"]: banner["base"] for banner in answer["screen"]}
            screen = [one | {"base": bases.get(one["banner"], 0)} for one in screen]
        want = {"verdict": verdict, "screen": answer["screen"] if screen is None else screen}
        if answer != want:
            raise SystemExit(f"{name}, line {number}: {text_of(said)}\n  by hand:   {dump(want)}\n  reference: {dump(answer)}")
        yield step(said, want, word)


def drawn(seed, length):
    """Draws a room as an engine might emit it, with lost, repeated and swapped lines, new epochs, malformed lines, and screens
    that begin a stream."""
    random_ = random.Random(seed)
    truth, seq, epoch, number = {}, 0, hand_cases.EPOCH, 0
    slots = random_.choice((1, 2, 2, 3, 5))
    lines = []

    def say(op, **fields):
        nonlocal seq
        seq += 1
        lines.append(("instruction", hand_cases.say(op, seq, epoch=epoch, **fields)))

    def screen(word, place):
        there = [{key: value for key, value in one.items() if key != "leaving"} for one in sorted(truth.values(), key=lambda one: one["slot"])]
        lines.append((word, hand_cases.say("screen", place, epoch=epoch, banners=[dict(one) for one in there])))

    while len(lines) < length:
        kind = random_.choices(("show", "update", "dismiss", "skip", "final", "sing", "screen", "joined", "epoch"),
                               (6, 9, 5, 1, 1, 0.5, 2, 0.5, 0.4))[0]
        if kind == "show" and len(truth) < slots:
            number += 1
            free = min(slot for slot in range(slots) if slot not in {one["slot"] for one in truth.values()})
            for one in sorted((one for one in truth.values() if one["slot"] < free), key=lambda one: -one["slot"]):
                one["slot"] += 1
                say("move_up", banner=one["banner"], slot=one["slot"])
            base = random_.choice((0, 0, 3))
            people = {"sender": {"id": f"u{number}", "name": random_.choice(("A", "小", "Zoë", "\u0001\"\\"))}, "gift": {"id": "g"}}
            if random_.random() < 0.3:
                people["receiver"] = {"id": "a"}
            truth[number] = {"banner": number, "slot": 0, "count": base + random_.randint(1, 9), "base": base, **people}
            say("show", **truth[number])
        elif kind == "update" and truth:
            one = random_.choice(list(truth.values()))
            added = random_.randint(1, 9)
            one["count"] += added
            if random_.random() < 0.1:
                one["sender"] = {"id": one["sender"]["id"], "name": "renamed"}
            say("update", banner=one["banner"], slot=one["slot"], count=one["count"], added=added)
        elif kind == "dismiss" and truth:
            one = truth.pop(random_.choice(list(truth)))
            say("dismiss", banner=one["banner"], slot=one["slot"], count=one["count"], reason=random_.choice(("idle", "busy", "turn")))
        elif kind in ("skip", "final", "sing"):
            say(kind, banner=number + 1, count=2, reason="over")
        elif kind == "screen":
            seq += 1
            screen("instruction", seq)
        elif kind == "joined":
            screen("joined", seq)
        elif kind == "epoch":
            truth, seq, number, epoch = {}, 0, 0, epoch + random_.randint(1, 60_000)
    return faulty(lines, random_)


def faulty(lines, random_, start=None):
    """Returns the lines as a bad network, a service that delivers at least once, and a joining viewer change them."""
    start = random_.choice((0, 0, random_.randrange(10))) if start is None else start
    rates = random_.choice(((0, 0, 0), (0.04, 0, 0), (0, 0.08, 0), (0.04, 0.05, 0.02)))
    out = []
    for index in range(start, len(lines)):
        dice = random_.random()
        if dice < rates[0]:
            continue
        word, said = lines[index]
        if word == "instruction" and dice > 1 - rates[2]:
            name = random_.choice(list(said))
            said = said | {name: random_.choice((None, "x", -1, 1.5, [], 2**53))}
        out.append((word, said))
        if random_.random() < rates[1]:
            out += lines[max(start, index - random_.randint(0, 5)):index + 1]
    return out


def worked_out(lines):
    client = reference.Client()
    client.take("case")
    for word, said in lines:
        yield step(said, client.take(f"{word} {text_of(said)}"), word)


def from_seeds(seeds, length):
    return {f"drawn from seed {seed}": list(worked_out(drawn(seed, length))) for seed in seeds}


def recorded(seed):
    """Returns the name and the instructions of one of the recorded streams, with faults drawn from the seed."""
    random_ = random.Random(seed)
    names = sorted(CONFORMANCE.glob("*.out.jsonl"))
    path = random_.choice(names)
    lines = [("instruction", json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    return path.name.removesuffix(".out.jsonl"), faulty(lines, random_)


def files():
    out = {f"{topic}.jsonl": {name: list(by_hand(name, steps)) for name, steps in cases.items()}
           for topic, cases in hand_cases.CASES.items()}
    out["drawn.jsonl"] = from_seeds(range(1, 41), 30)
    return {name: "".join(dump({"case": case}) + "\n" + "".join(dump(one) + "\n" for one in steps) for case, steps in cases.items())
            for name, cases in out.items()}


def main():
    isChecking = sys.argv[1:] == ["--check"]
    CASES.mkdir(exist_ok=True)
    want = files()
    differ = [name for name, text in want.items() if not (CASES / name).is_file() or (CASES / name).read_text(encoding="utf-8") != text]
    differ += [path.name for path in CASES.glob("*.jsonl") if path.name not in want]
    if isChecking:
        if differ:
            raise SystemExit(f"Tests/Clients/cases are not what make_cases.py writes: {', '.join(sorted(differ))}")
        return
    for path in CASES.glob("*.jsonl"):
        path.unlink()
    for name, text in want.items():
        (CASES / name).write_text(text, encoding="utf-8")
    count = sum(text.count('{"case":') for text in want.values())
    print(f"{count} cases in {len(want)} files")


if __name__ == "__main__":
    main()
